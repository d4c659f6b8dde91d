package vm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// imageCase is a random image instruction, and what it is run on.
type imageCase struct {
	op      ir.ImageOp
	view    *resource.ImageView
	sampler *resource.Sampler
	rows    []ir.Type // operands behind the descriptors'
	result  ir.Type
	plain   bool // without conditions and loops
}

func randomImageCase(t *testing.T, r *rand.Rand) *imageCase {
	formats := []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR32Sfloat, vk.FormatR16Sfloat, vk.FormatR8Unorm, vk.FormatR32G32B32A32Sfloat, vk.FormatR16G16B16A16Sfloat,
		vk.FormatA2B10G10R10UnormPack32, vk.FormatR8G8B8A8Snorm, vk.FormatR32G32Uint, vk.FormatR8Sint, vk.FormatD32Sfloat, vk.FormatBc1RgbaUnormBlock,
		vk.FormatR8G8B8Unorm, vk.FormatR16G16B16Sfloat, vk.FormatBc3SrgbBlock}
	f := formats[r.IntN(len(formats))]
	info, _ := format.Lookup(f)
	dims := 1 + r.IntN(3)
	if info.Depth() || info.Compressed {
		dims = 2
	}
	arrayed := dims < 3 && r.IntN(3) == 0
	d := resource.ImageDesc{Type: vk.ImageType(dims - 1), Format: f, Extent: vk.Extent3D{Width: 1 + r.Uint32N(9), Height: 1, Depth: 1}, MipLevels: 1, ArrayLayers: 1}
	kind := []vk.ImageViewType{vk.ImageViewType1D, vk.ImageViewType2D, vk.ImageViewType3D}[dims-1]
	if dims > 1 {
		d.Extent.Height = 1 + r.Uint32N(9)
	}
	if dims > 2 {
		d.Extent.Depth = 1 + r.Uint32N(5)
	}
	cube := dims == 2 && !arrayed && !info.Depth() && r.IntN(3) == 0
	if cube {
		d.ArrayLayers, d.Extent.Height, d.Flags, kind = 6, d.Extent.Width, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
	}
	if arrayed {
		d.ArrayLayers = 3
		kind = []vk.ImageViewType{vk.ImageViewType1DArray, vk.ImageViewType2DArray}[dims-1]
	}
	if !info.Compressed {
		d.MipLevels = 1 + r.IntN(bits.Len32(max(d.Extent.Width, d.Extent.Height, d.Extent.Depth)))
	}
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for i := 0; i+4 <= len(data); i += 4 * (1 + r.IntN(6)) {
		binary.LittleEndian.PutUint32(data[i:], []uint32{0x7FC12345, 0xFF800001, 0x3F000000, 0}[r.IntN(4)])
	}
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	c := &imageCase{result: ir.F32}
	if c.view, err = resource.NewView(im, resource.ViewDesc{Type: &kind}); err != nil {
		t.Fatal(err)
	}
	op := ir.ImageOp{Dim: ir.ImageDim(dims - 1), Arrayed: arrayed, Coords: dims, GradCoords: dims, Sampler: -1, Results: 4}
	if arrayed {
		op.Coords++
	}
	if cube {
		op.Dim, op.Coords, op.GradCoords = ir.DimCube, 3, 3
	}
	coord := ir.F32
	switch r.IntN(5) {
	case 0:
		op.Kind, coord = ir.ImageFetch, ir.I32
		op.HasOffset = r.IntN(2) == 0 && !cube
	case 1:
		op.Kind, coord = ir.ImageRead, ir.I32
	case 2:
		if op.Kind, coord = ir.ImageRead, ir.I32; !info.Compressed {
			op.Kind, op.Results = ir.ImageWrite, 0
		}
		if op.Kind == ir.ImageWrite && f == vk.FormatR32Sfloat {
			op.Kind, op.Atomic = ir.ImageAtomic, ir.AtomicOp(r.IntN(int(ir.AtomicFMax)+1))
			op.Results = btoi(op.Atomic != ir.AtomicStore)
		}
	case 3:
		op.Kind, op.Lod = ir.ImageSample, ir.LodZero
		op.Dref = info.Depth() && r.IntN(2) == 0
	default:
		op.Kind, op.Lod = ir.ImageSample, ir.LodZero
		if dims == 2 && !cube {
			op.Kind, op.GatherComp = ir.ImageGather, uint8(r.IntN(4))
			op.Dref = info.Depth() && r.IntN(2) == 0
		}
	}
	if coord == ir.F32 {
		op.Sampler = 0
	}
	if op.Kind == ir.ImageSample {
		op.Lod = []ir.LodMode{ir.LodZero, ir.LodExplicit, ir.LodExplicit, ir.LodImplicit, ir.LodImplicit, ir.LodBias, ir.LodGrad}[r.IntN(7)]
		op.HasMinLod = r.IntN(6) == 0 && op.Lod != ir.LodExplicit && op.Lod != ir.LodZero
	}
	if op.Kind == ir.ImageSample || op.Kind == ir.ImageGather {
		op.HasOffset = r.IntN(6) == 0 && !cube
	}
	if info.Class != format.ClassFloat {
		c.result, op.Result = ir.I32, map[format.Class]ir.Class{format.ClassSint: ir.ClassSint, format.ClassUint: ir.ClassUint}[info.Class]
	}
	for range op.Coords {
		c.rows = append(c.rows, coord)
	}
	if op.Dref {
		c.rows = append(c.rows, ir.F32)
		if op.Kind == ir.ImageSample {
			op.Results = 1
		}
	}
	switch op.Lod {
	case ir.LodExplicit, ir.LodBias:
		c.rows = append(c.rows, ir.F32)
	case ir.LodGrad:
		for range 2 * op.GradCoords {
			c.rows = append(c.rows, ir.F32)
		}
	}
	for range op.GradCoords * btoi(op.HasOffset) {
		c.rows = append(c.rows, ir.I32)
	}
	if op.HasMinLod {
		c.rows = append(c.rows, ir.F32)
	}
	if op.Kind == ir.ImageAtomic {
		c.rows = append(c.rows, c.result, c.result)
	}
	if op.Kind == ir.ImageWrite {
		c.rows = append(c.rows, c.result, c.result, c.result, c.result)
	}
	filter, other := vk.Filter(r.IntN(2)), vk.Filter(r.IntN(2))
	if op.Lod == ir.LodZero {
		other = filter
	}
	anisotropic := float32(1 + r.IntN(8)*btoi(r.IntN(3) == 0))
	c.sampler, err = resource.NewSampler(resource.Sampler{MagFilter: filter, MinFilter: other, AnisotropyEnable: anisotropic > 1, MaxAnisotropy: anisotropic, MipLodBias: float32(btoi(r.IntN(5) == 0)) * 0.3, MipmapMode: vk.SamplerMipmapMode(r.IntN(2)), MaxLod: float32(r.IntN(4)), AddressModeU: vk.SamplerAddressMode(r.IntN(5)), AddressModeV: vk.SamplerAddressMode(r.IntN(5)),
		AddressModeW: vk.SamplerAddressMode(r.IntN(5)), CompareEnable: op.Dref, CompareOp: vk.CompareOp(r.IntN(8)), BorderColor: vk.BorderColor(r.IntN(6))})
	if err != nil {
		t.Fatal(err)
	}
	c.op, c.plain = op, op.Kind != ir.ImageWrite && op.Kind != ir.ImageAtomic && r.IntN(2) == 0
	return c
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// program runs the instruction, under a condition twice in a loop if it is not plain, and shows what it gives;
// writes run once, since lanes race for texels.
func (c *imageCase) program(t *testing.T, stage ir.Stage) *ir.Program {
	types := append([]ir.Type{ir.Bool}, c.rows...)
	out := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
	return program(t, stage, types, out, func(b *ir.Builder, in []ir.Value) {
		b.P.Resources = []ir.Resource{{Kind: ir.CombinedImageSampler, Count: 2}}
		if c.op.Sampler < 0 {
			b.P.Resources[0].Kind = ir.StorageImage
		}
		b.P.ImageOps = []ir.ImageOp{c.op}
		b.P.WritesMemory = c.op.Kind == ir.ImageWrite || c.op.Kind == ir.ImageAtomic
		n := b.NewVar(ir.I32, "n")
		var sums [4]ir.VarID
		for i := range sums {
			sums[i] = b.NewVar(ir.I32, "sum")
		}
		more := []ir.Value{b.I32(1)}
		if c.op.Sampler >= 0 {
			more = append(more, b.I32(1))
		}
		if !c.plain {
			b.Set(n, b.I32(uint32(btoi(b.P.WritesMemory))))
		}
		instruction := func() {
			args := append(more, in[1:]...)
			if c.rows[0] == ir.I32 {
				args[len(more)] = b.Op(ir.OpIAdd, ir.I32, in[1], b.Get(n))
			}
			typ := c.result
			if c.op.Results == 0 {
				typ = ir.Void
			}
			v := b.OpMore(ir.OpImage, typ, 0, args)
			for i := range c.op.Results {
				x := v
				if i > 0 {
					x = b.OpImm(ir.OpResult, typ, uint64(i), v)
				}
				if typ == ir.F32 {
					x = b.Op(ir.OpBitcast, ir.I32, x)
				}
				if !c.plain {
					x = b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sums[i]), b.I32(3)), x)
				}
				b.Set(sums[i], x)
			}
		}
		if c.plain {
			instruction()
		} else {
			b.If(in[0], func() {
				b.Loop(false, func(l *ir.Loop) {
					instruction()
					b.Set(n, b.Op(ir.OpIAdd, ir.I32, b.Get(n), b.I32(1)))
					b.If(b.Op(ir.OpULe, ir.Bool, b.I32(2), b.Get(n)), func() { b.Break(l) }, nil)
				}, nil)
			}, nil)
		}
		for i, s := range sums {
			output(b, i, b.Get(s))
		}
	})
}

// Programs with image instructions inlined give what they give with instructions that are
// run one by one, for views, samplers and formats of all kinds, in some lanes only.
func TestInline_Random(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inlineRandom)
}

func inlineRandom(t *testing.T) {
	cases := share(2000, 6)
	inlined, levels, unusual, anisotropic, rests := map[ir.ImageKind]int{}, map[ir.LodMode]int{}, 0, 0, 0
	for seed := range cases {
		r := rand.New(rand.NewPCG(seed, 9))
		c := randomImageCase(t, r)
		stage := []ir.Stage{ir.StageCompute, ir.StageFragment}[r.IntN(2)]
		p := c.program(t, stage)
		if stage == ir.StageCompute {
			p.Quads = ir.ComputeQuads(r.IntN(2))
		}
		if seed%2 == 0 {
			ir.Optimize(p)
		}
		n := 4 * (1 + r.IntN(40))
		in := make([][]uint32, 1+len(c.rows))
		for i := range in {
			in[i] = make([]uint32, n)
			for l := range in[i] {
				switch {
				case i == 0:
					in[i][l] = lane.Mask(r.IntN(4) > 0)
				case i > c.op.Coords && c.op.Lod == ir.LodGrad && c.rows[i-1] == ir.F32:
					in[i][l] = math.Float32bits(r.Float32() * float32(int(1)>>r.IntN(2)))
				case i > c.op.Coords:
					in[i][l] = math.Float32bits(4*r.Float32() - 0.5)
					if r.IntN(8) == 0 || c.rows[i-1] == ir.I32 {
						in[i][l] = r.Uint32() >> r.IntN(32)
					}
				case c.rows[i-1] == ir.I32:
					in[i][l] = uint32(r.IntN(12) - 2)
				case sampling.Derives(&c.op) && l&3 != 0 && r.IntN(20) > 0: // steps of the quad; with step 1, levels change
					step := []float32{1, 1, 2, 0.37}[l>>2&3] * float32([4]int{0, l & 1, l >> 1 & 1, l & 3}[l>>4&3])
					in[i][l] = math.Float32bits(math.Float32frombits(in[i][l&^3]) + step/float32(c.view.Image.Extent.Width))
				case r.IntN(40) == 0:
					in[i][l] = []uint32{0x7FC00000, 0x7F800000, 0xFF800000}[r.IntN(3)]
				default:
					in[i][l] = math.Float32bits(4*r.Float32() - 2)
				}
			}
		}
		live := make([]uint32, n)
		for l := range live {
			live[l] = lane.Mask(r.IntN(5) > 0)
		}
		data := c.view.Image.Data
		before := append([]byte(nil), data...)
		run := func(native, hot bool) (string, [][]uint32) {
			copy(data, before)
			e := New(loopsOr(native))
			compiled, err := e.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if r := compiled.(*routine); hot && r.inliner == nil { // as machine code would have it
				r.inliner = &inliner{engine: e, program: p}
			}
			th := compiled.NewThread(256).(*thread)
			if hot {
				th.inline.n.lanes.Store(inlineAfter)
			}
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{}, {View: c.view, Sampler: c.sampler}}}}
			b := &exec.Batch{N: n, In: in, Live: append([]uint32(nil), live...)}
			for range p.Outputs {
				b.Out = append(b.Out, make([]uint32, n))
			}
			if err := th.Run(ctx, b); err != nil {
				t.Fatal(err)
			}
			if native && hot && th.inline.thread != nil {
				inlined[c.op.Kind]++
				levels[c.op.Lod]++
				anisotropic += btoi(c.sampler.AnisotropyEnable && c.op.Lod != ir.LodZero)
				rests += btoi(th.inline.thread.(*thread).images.strips[0] != [ir.PlaceLanes]uint32{})
				if info := c.view.Info; info.Compressed || info.BlockBytes == 3 || info.BlockBytes == 6 {
					unusual++
				}
			}
			return string(data), b.Out
		}
		wantData, want := run(false, false)
		for _, native := range []bool{true, false} {
			gotData, got := run(native, true)
			for l := range n {
				for i := range got {
					if got[i][l] != want[i][l] {
						operands := []string{}
						for _, row := range in {
							operands = append(operands, fmt.Sprintf("%08x", row[l&^3:l&^3+4]))
						}
						t.Fatalf("seed %d, machine code %v, %+v of %v by %+v, lane %d: result %d is %08x, want %08x; its quad: %s", seed, native, c.op, c.view.Format, c.sampler, l, i, got[i][l], want[i][l], operands)
					}
				}
			}
			if gotData != wantData {
				t.Fatalf("seed %d, machine code %v, %+v of %v: other memory", seed, native, c.op, c.view.Format)
			}
		}
	}
	for m := range ir.LodZero + 1 {
		if levels[m] < 5 {
			t.Errorf("%d samples with levels of kind %d are inlined", levels[m], m)
		}
	}
	if anisotropic < 5 {
		t.Errorf("%d anisotropic samples are inlined", anisotropic)
	}
	if rests < 20 {
		t.Errorf("programs leave lanes %d times", rests)
	}
	if unusual < 8 {
		t.Errorf("formats of blocks, or of 3 or 6 bytes, are inlined %d times", unusual)
	}
	if n := inlined[ir.ImageAtomic]; n < 2 {
		t.Errorf("atomics are inlined %d times", n)
	}
	for _, k := range []ir.ImageKind{ir.ImageFetch, ir.ImageRead, ir.ImageWrite, ir.ImageSample, ir.ImageGather} {
		if inlined[k] < 8 {
			t.Errorf("kind %d is inlined %d times", k, inlined[k])
		}
	}
}

// randomView is of an image of 8-bit texels, 8 high, with three levels.
func randomView(t *testing.T, r *rand.Rand, width uint32) *resource.ImageView {
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: width, Height: 8, Depth: 1}, MipLevels: 3, ArrayLayers: 1})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, im.Layout.Size)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	v, err := resource.NewView(im, resource.ViewDesc{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Image instructions whose views have the same parameters find levels and texels together, and draws
// whose views have others do not take that program.
func TestInline_Shared(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, sharedParameters)
}

func sharedParameters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := program(t, ir.StageFragment, []ir.Type{ir.F32, ir.F32}, []ir.Type{ir.F32, ir.F32, ir.F32}, func(b *ir.Builder, in []ir.Value) {
		for i := range 3 {
			b.P.Resources = append(b.P.Resources, ir.Resource{Kind: ir.CombinedImageSampler, Count: 1})
			b.P.ImageOps = append(b.P.ImageOps, ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Image: i, Sampler: i, Coords: 2, GradCoords: 2, Results: 4})
		}
		for i := range 3 {
			output(b, i, b.OpMore(ir.OpImage, ir.F32, uint64(i), []ir.Value{b.I32(0), b.I32(0), in[0], in[1]}))
		}
	})
	ir.Optimize(p)
	view := func(width uint32) *resource.ImageView { return randomView(t, r, width) }
	sampler, err := resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 9})
	if err != nil {
		t.Fatal(err)
	}
	const n = 128
	var threads [2]*thread
	for i := range threads {
		compiled, err := New(Options{Native: i == 0}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		threads[i] = compiled.NewThread(n).(*thread)
	}
	threads[0].inline.n.lanes.Store(inlineAfter)
	widths := [][3]uint32{{8, 16, 32}, {8, 8, 8}, {8, 16, 8}, {8, 8, 16}, {16, 8, 8}, {16, 16, 16}}
	levels := []int{3, 1, 2, 2, 3, 1} // logarithms; from the fifth combination on, nothing is shared
	for i, w := range widths {
		ctx := &exec.Context{}
		for _, w := range w {
			ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: view(w), Sampler: sampler}})
		}
		in := [][]uint32{make([]uint32, n), make([]uint32, n)}
		for d := range in {
			for l := range n {
				in[d][l] = math.Float32bits(float32(l&3)*0.2*r.Float32() + float32(l))
			}
		}
		var out [2][][]uint32
		for k, th := range threads {
			b := &exec.Batch{N: n, In: in, Out: [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}}
			if err := th.Run(ctx, b); err != nil {
				t.Fatal(err)
			}
			out[k] = b.Out
		}
		if !slices.EqualFunc(out[0], out[1], slices.Equal[[]uint32]) {
			t.Errorf("views %v wide: %08x\nwant %08x", w, out[0], out[1])
		}
		q := threads[0].inline.thread.(*thread).r.program
		if n := strings.Count(q.String(), " "+ir.OpFDiv.String()+" "); n != levels[i] {
			t.Errorf("views %v wide: %d levels, want %d", w, n, levels[i])
		}
	}
}

// Operations that are the same, whose lanes name the same elements of an array, look for the element's slot and its
// parameters once.
func TestInline_SameArrays(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, func(t *testing.T) {
		p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.I32}, []ir.Type{ir.F32, ir.F32},
			func(b *ir.Builder, in []ir.Value) {
				b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 2}}
				for i := range 2 {
					b.P.ImageOps = append(b.P.ImageOps, ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim2D, Sampler: -1,
						Lod: ir.LodZero, GradCoords: 2, Coords: 2, Results: 4, Result: ir.ClassFloat})
					y := b.I32(uint32(i))
					output(b, i, b.OpMore(ir.OpImage, ir.F32, uint64(i), []ir.Value{in[0], in[1], y}))
				}
			})
		ir.Optimize(p)
		r := rand.New(rand.NewPCG(7, 8))
		list := []exec.Descriptor{{View: randomView(t, r, 8)}, {View: randomView(t, r, 16)}}
		in := [][]uint32{make([]uint32, 64), make([]uint32, 64)}
		for l := range in[0] {
			in[0][l], in[1][l] = uint32(l&1), uint32(l>>1)&15
		}
		var got [2]string
		for i := range got {
			compiled, err := New(Options{Native: i == 0}).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			th := compiled.NewThread(64).(*thread)
			for turn := range 2 {
				b := &exec.Batch{N: 64, In: in, Out: [][]uint32{make([]uint32, 64), make([]uint32, 64)}}
				if i == 0 {
					th.inline.n.lanes.Store(inlineAfter)
				}
				if err := th.Run(&exec.Context{Resources: [][]exec.Descriptor{list}}, b); err != nil {
					t.Fatal(err)
				}
				if got[i] = fmt.Sprint(b.Out); i == 1 || turn == 0 {
					continue
				}
				q := th.inline.thread.(*thread).r.program
				if n := strings.Count(q.String(), "load.buffer r"); n != 2+6+2 { // of it, of parameters, of texels
					t.Errorf("%d loads, want 2 of the table, 6 of parameters and 2 of texels:\n%s", n, q)
				}
			}
		}
		if got[0] != got[1] {
			t.Errorf("%s\nwant %s", got[0], got[1])
		}
	})
}

// Elements of descriptor arrays that push constants and uniform buffers tell are known before a batch runs, so that their
// instructions are inlined as those with constant elements are: each batch with the view and the sampler of its own. What tells
// lanes apart, may be written or takes long to compute is no such element: then a program is inlined for those elements that
// lanes have met.
func TestInline_Elements(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inlineElements)
}

func inlineElements(t *testing.T) {
	const n, count = 64, 3
	op := func(b *ir.Builder, o ir.Op, a ...ir.Value) ir.Value { return b.Op(o, ir.I32, a...) }
	push := func(b *ir.Builder, at uint32) ir.Value { return op(b, ir.OpLoadPush, b.I32(at)) }
	buffer := func(b *ir.Builder, resource uint64, at ir.Value) ir.Value {
		return b.OpImm(ir.OpLoadBuffer, ir.I32, resource, b.I32(0), at)
	}
	half := func(b *ir.Builder, at uint32) ir.Value {
		return op(b, ir.OpBitFieldU, push(b, at&^3), b.I32(8*(at&3)), b.I32(16))
	}
	sum := func(b *ir.Builder, k int) ir.Value { // of k words
		v := push(b, 0)
		for range k - 1 {
			v = op(b, ir.OpIAdd, v, push(b, 8))
		}
		return v
	}
	// The push constants hold the image's element in word 0, the sampler's in both halves of word 1, and 0 in word 2; buffers hold
	// the image's in word 0, and where it is in word 1.
	for _, c := range []struct {
		name           string
		each           bool
		image, sampler func(b *ir.Builder, in []ir.Value) ir.Value
	}{
		{"push constants", false, func(b *ir.Builder, _ []ir.Value) ir.Value { return push(b, 0) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 4) }},
		{"upper half", false, func(b *ir.Builder, _ []ir.Value) ir.Value { return sum(b, 4) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 6) }},
		{"uniform buffer", false, func(b *ir.Builder, _ []ir.Value) ir.Value { return buffer(b, 2, b.I32(0)) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 6) }},
		{"place in a uniform buffer", false, func(b *ir.Builder, _ []ir.Value) ir.Value { return buffer(b, 2, buffer(b, 2, b.I32(4))) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 4) }},
		{"condition", false, func(b *ir.Builder, _ []ir.Value) ir.Value {
			return op(b, ir.OpSelect, b.Op(ir.OpIEq, ir.Bool, push(b, 8), b.I32(0)), push(b, 0), b.I32(7))
		}, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 4) }},
		{"storage buffer", true, func(b *ir.Builder, _ []ir.Value) ir.Value { return buffer(b, 3, b.I32(0)) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 4) }},
		{"lanes", true, func(b *ir.Builder, in []ir.Value) ir.Value { return in[2] }, func(b *ir.Builder, _ []ir.Value) ir.Value { return half(b, 4) }},
		{"long", true, func(b *ir.Builder, _ []ir.Value) ir.Value { return push(b, 0) }, func(b *ir.Builder, _ []ir.Value) ir.Value { return op(b, ir.OpShrU, sum(b, 40), b.I32(31)) }},
	} {
		r := rand.New(rand.NewPCG(7, 8))
		p := program(t, ir.StageFragment, []ir.Type{ir.F32, ir.F32, ir.I32}, []ir.Type{ir.F32}, func(b *ir.Builder, in []ir.Value) {
			b.P.Resources = []ir.Resource{{Kind: ir.SampledImage, Count: count}, {Kind: ir.Sampler, Count: count}, {Kind: ir.UniformBuffer, Count: 1}, {Kind: ir.StorageBuffer, Count: 1, ReadOnly: true}}
			b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageSample, Dim: ir.Dim2D, Image: 0, Sampler: 1, Coords: 2, GradCoords: 2, Results: 4}}
			output(b, 0, b.OpMore(ir.OpImage, ir.F32, 0, []ir.Value{c.image(b, in), c.sampler(b, in), in[0], in[1]}))
		})
		ir.Optimize(p)
		var views, samplers []exec.Descriptor
		for i := range count {
			s, err := resource.NewSampler(resource.Sampler{MagFilter: vk.Filter(i & 1), MinFilter: vk.Filter(i & 1), AddressModeU: vk.SamplerAddressMode(i), MaxLod: float32(i)})
			if err != nil {
				t.Fatal(err)
			}
			views, samplers = append(views, exec.Descriptor{View: randomView(t, r, 8<<i)}), append(samplers, exec.Descriptor{Sampler: s})
		}
		var threads [2]*thread
		for i := range threads {
			compiled, err := New(Options{Native: i == 0}).Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			threads[i] = compiled.NewThread(n).(*thread)
		}
		threads[0].inline.n.lanes.Store(inlineAfter)
		seen := map[string]bool{}
		for batch, e := range [][2]uint32{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {0, 2}, {count, 1}, {0, 0}} { // of image and sampler; one is outside
			words := func(list ...uint32) (out []byte) {
				for _, w := range list {
					out = binary.LittleEndian.AppendUint32(out, w)
				}
				return out
			}
			if c.name == "long" {
				e[1] = 0
			}
			ctx := &exec.Context{Push: words(e[0], e[1]|e[1]<<16, 0), Resources: [][]exec.Descriptor{views, samplers, {{Data: words(e[0], 0)}}, {{Data: words(e[0], 0)}}}}
			in := [][]uint32{make([]uint32, n), make([]uint32, n), slices.Repeat([]uint32{e[0]}, n)}
			for d := range 2 {
				for l := range n {
					in[d][l] = math.Float32bits(float32(l&3)*0.2*r.Float32() + float32(l)/8)
				}
			}
			var out [2][]uint32
			for k, th := range threads {
				b := &exec.Batch{N: n, In: in, Out: [][]uint32{make([]uint32, n)}}
				if err := th.Run(ctx, b); err != nil {
					t.Fatal(err)
				}
				out[k] = b.Out[0]
			}
			if !slices.Equal(out[0], out[1]) {
				t.Errorf("%s, elements %v: %08x\nwant %08x", c.name, e, out[0], out[1])
			}
			// Where lanes name elements the first batch tells which.
			want := e[0] < count
			if c.each {
				want = batch > 0 && (want || c.name != "long") // where lanes name samplers alone
			}
			if inlined := threads[0].inline.thread != nil; inlined != want {
				t.Errorf("%s, elements %v: inlined is %v", c.name, e, inlined)
			}
			seen[fmt.Sprint(out[0])] = true
		}
		if len(seen) < 4 {
			t.Errorf("%s: %d different results of 7 batches", c.name, len(seen))
		}
	}
}
