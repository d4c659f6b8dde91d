package vm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// arrayCase is an instruction on an array of images or texel buffers, some of them null
// descriptors, of formats and sizes of their own.
type arrayCase struct {
	op     ir.ImageOp
	list   []exec.Descriptor
	memory [][]byte
	rows   []ir.Type // operands behind the element
	result ir.Type
	way    int // how the element is computed
	// samplers stand in an array of their own, if there are any, whose element is that of the images, or
	// another where lanes name it.
	samplers []exec.Descriptor
}

var arrayFormats = [][]vk.Format{
	{vk.FormatR8Unorm, vk.FormatR8G8B8A8Unorm, vk.FormatR16Unorm, vk.FormatR16G16B16A16Sfloat,
		vk.FormatR32Sfloat, vk.FormatR8G8Unorm, vk.FormatA2B10G10R10UnormPack32, vk.FormatR16Snorm},
	{vk.FormatR8Uint, vk.FormatR32Uint, vk.FormatR16G16Uint, vk.FormatR32G32B32A32Uint},
	{vk.FormatR8Sint, vk.FormatR32Sint, vk.FormatR16G16Sint, vk.FormatR32G32B32A32Sint},
}

func randomArrayCase(t *testing.T, r *rand.Rand) *arrayCase {
	class := r.IntN(len(arrayFormats))
	c := &arrayCase{result: ir.I32, way: r.IntN(4)}
	op := ir.ImageOp{Dim: ir.Dim2D, Sampler: -1, Results: 4, Lod: ir.LodZero, GradCoords: 2, Coords: 2,
		Result: []ir.Class{ir.ClassFloat, ir.ClassUint, ir.ClassSint}[class]}
	if class == 0 {
		c.result = ir.F32
	}
	if r.IntN(3) == 0 {
		op.Dim, op.Coords = ir.DimBuffer, 1
	}
	coord := ir.I32
	kinds := []ir.ImageKind{ir.ImageRead, ir.ImageFetch, ir.ImageWrite, ir.ImageAtomic,
		ir.ImageQuerySize, ir.ImageQueryLevels, ir.ImageSample}
	switch op.Kind = kinds[r.IntN(len(kinds)-btoi(op.Dim == ir.DimBuffer)*2)]; op.Kind {
	case ir.ImageSample:
		op.Sampler, coord = 0, ir.F32
		if op.Lod = []ir.LodMode{ir.LodZero, ir.LodImplicit}[r.IntN(2)]; class > 0 {
			op.Lod = ir.LodZero
		}
	case ir.ImageWrite:
		op.Results = 0
	case ir.ImageAtomic:
		op.Atomic, op.Results = ir.AtomicSMax, 1
		if class == 0 {
			op.Atomic = ir.AtomicFAdd
		}
	case ir.ImageQuerySize, ir.ImageQueryLevels:
		op.Coords, c.result, op.Results = 0, ir.I32, 1
		if op.Kind == ir.ImageQuerySize && op.Dim == ir.Dim2D {
			op.Results = 2
			if r.IntN(2) == 0 {
				op.Lod, c.rows = ir.LodExplicit, append(c.rows, ir.I32)
			}
		}
	}
	for range op.Coords {
		c.rows = append(c.rows, coord)
	}
	switch op.Kind {
	case ir.ImageWrite:
		c.rows = append(c.rows, c.result, c.result, c.result, c.result)
	case ir.ImageAtomic:
		c.rows = append(c.rows, c.result)
	}
	if op.Kind == ir.ImageSample && r.IntN(2) == 0 {
		op.Sampler = 1
		for range 1 + r.IntN(5) {
			c.samplers = append(c.samplers, exec.Descriptor{Sampler: arraySampler(t, r, class == 0)})
		}
	}
	c.op = op
	most := 6
	if r.IntN(40) == 0 {
		most = 400
	}
	for range 1 + r.IntN(most) {
		f := arrayFormats[class][r.IntN(len(arrayFormats[class]))]
		if op.Kind == ir.ImageAtomic && r.IntN(2) == 0 {
			f = []vk.Format{vk.FormatR32Sfloat, vk.FormatR32Uint, vk.FormatR32Sint}[class]
		}
		c.add(t, r, f)
	}
	return c
}

// add adds a descriptor to the array.
func (c *arrayCase) add(t *testing.T, r *rand.Rand, f vk.Format) {
	info, _ := format.Lookup(f)
	var d exec.Descriptor
	var data []byte
	random := func(n int) {
		data = make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
	}
	switch {
	case r.IntN(5) == 0:
	case c.op.Dim == ir.DimBuffer:
		random(4 * (1 + r.IntN(40)))
		part := data[:max(len(data)-r.IntN(4), 0)]
		if r.IntN(4) == 0 {
			part = slices.Clip(part) // what is behind is another's
		}
		d.Texel = &resource.BufferView{Info: info, Data: part}
	default:
		size := vk.Extent3D{Width: 1 + r.Uint32N(9), Height: 1 + r.Uint32N(9), Depth: 1}
		desc := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: size, MipLevels: 1,
			ArrayLayers: 1}
		if size.Width > 3 {
			desc.MipLevels = 1 + r.IntN(2)
		}
		im, err := resource.NewImage(desc)
		if err != nil {
			t.Fatal(err)
		}
		random(int(im.Layout.Size))
		if err := im.Bind(data); err != nil {
			t.Fatal(err)
		}
		if d.View, err = resource.NewView(im, resource.ViewDesc{}); err != nil {
			t.Fatal(err)
		}
		d.Sampler = arraySampler(t, r, c.op.Result == ir.ClassFloat)
	}
	c.list, c.memory = append(c.list, d), append(c.memory, data)
}

func arraySampler(t *testing.T, r *rand.Rand, float bool) *resource.Sampler {
	filter := vk.Filter(r.IntN(2) * btoi(float))
	s, err := resource.NewSampler(resource.Sampler{MagFilter: filter, MinFilter: filter,
		AddressModeU: vk.SamplerAddressMode(r.IntN(4)), MaxLod: float32(r.IntN(2))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// program runs the instruction for an element that is a constant, one of push constants or one of
// each lane, in some lanes and, where nothing races, for each element of a loop besides.
func (c *arrayCase) program(t *testing.T, r *rand.Rand, stage ir.Stage) *ir.Program {
	types := append([]ir.Type{ir.Bool, ir.I32}, c.rows...)
	out := []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
	return program(t, stage, types, out, func(b *ir.Builder, in []ir.Value) {
		b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: uint32(len(c.list))},
			{Kind: ir.Sampler, Count: uint32(len(c.samplers))}}
		b.P.ImageOps, b.P.PushBytes, b.P.WritesMemory = []ir.ImageOp{c.op, c.op}, 8, c.op.Writes()
		b.P.UsesDerivatives = c.op.Lod == ir.LodImplicit
		var sums [4]ir.VarID
		for i := range sums {
			sums[i] = b.NewVar(ir.I32, "sum")
		}
		run := func(op uint64, element ir.Value) {
			args := []ir.Value{element}
			switch {
			case c.samplers != nil && c.way == 0:
				args = append(args, in[1])
			case c.samplers != nil && c.way > 1:
				args = append(args, b.Op(ir.OpIAdd, ir.I32, in[1], b.I32(1)))
			case c.op.Sampler >= 0:
				args = append(args, element)
			}
			typ := c.result
			if c.op.Results == 0 {
				typ = ir.Void
			}
			v := b.OpMore(ir.OpImage, typ, op, append(args, in[2:]...))
			for i := range c.op.Results {
				x := v
				if i > 0 {
					x = b.OpImm(ir.OpResult, typ, uint64(i), v)
				}
				if typ == ir.F32 {
					x = b.Op(ir.OpBitcast, ir.I32, x)
				}
				x = b.Op(ir.OpIAdd, ir.I32, b.Op(ir.OpIMul, ir.I32, b.Get(sums[i]), b.I32(3)), x)
				b.Set(sums[i], x)
			}
		}
		push := b.Op(ir.OpLoadPush, ir.I32, b.I32(0))
		b.If(in[0], func() {
			switch c.way {
			case 0:
				run(0, b.I32(r.Uint32N(uint32(len(c.list)))))
			case 1:
				run(0, push)
			case 2:
				run(0, in[1])
			default:
				n := b.NewVar(ir.I32, "n")
				b.Set(n, push)
				b.Loop(false, func(l *ir.Loop) {
					run(0, b.Get(n))
					b.Set(n, b.Op(ir.OpIAdd, ir.I32, b.Get(n), b.I32(1)))
					last := b.Op(ir.OpULe, ir.Bool, b.Op(ir.OpLoadPush, ir.I32, b.I32(4)), b.Get(n))
					b.If(last, func() { b.Break(l) }, nil)
				}, nil)
			}
			if !c.op.Writes() {
				run(uint64(r.IntN(2)), in[1])
			}
		}, nil)
		for i, s := range sums {
			output(b, i, b.Get(s))
		}
	})
}

// Instructions on arrays of images and texel buffers of any formats and sizes, whose elements a
// program computes, give inlined what they give one by one: queries too, and elements that are
// null descriptors or behind the array.
func TestInline_Arrays(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inlineArrays)
}

func inlineArrays(t *testing.T) {
	cases := share(2400, 5)
	type kind struct {
		kind   ir.ImageKind
		buffer bool
		way    int
	}
	inlined, pairs := map[kind]int{}, map[[2]bool]int{}
	rests, several, many, long, alone := 0, 0, 0, 0, 0
	for seed := range cases {
		r := rand.New(rand.NewPCG(seed, 21))
		c := randomArrayCase(t, r)
		stage := []ir.Stage{ir.StageCompute, ir.StageFragment}[r.IntN(2)]
		p := c.program(t, r, stage)
		if p.Quads = ir.ComputeQuads(r.IntN(2)); stage != ir.StageCompute {
			p.Quads = 0
		}
		ir.Optimize(p)
		n := 4 * (1 + r.IntN(40))
		single := stage == ir.StageCompute && seed%2 == 0
		if single { // workgroups of one invocation
			p.LocalSize, p.Quads, n = [3]uint32{1, 1, 1}, 0, 1+int(seed/2%fewAlone)
		}
		in := make([][]uint32, len(p.Inputs))
		for i := range in {
			in[i] = make([]uint32, n)
			for l := range in[i] {
				switch {
				case i == 0:
					in[i][l] = lane.Mask(r.IntN(4) > 0)
				case i == 1:
					in[i][l] = r.Uint32N(uint32(len(c.list)) + 1)
					if r.IntN(30) == 0 {
						in[i][l] = []uint32{^uint32(0), 1 << 31, 64, 0x04924925}[r.IntN(4)]
					}
				case c.rows[i-2] == ir.F32:
					in[i][l] = math.Float32bits(3*r.Float32() - 1)
				case i < 2+c.op.Coords || c.op.Lod == ir.LodExplicit:
					in[i][l] = uint32(r.IntN(12) - 2)
				default:
					in[i][l] = r.Uint32() >> r.IntN(32)
				}
			}
		}
		live := make([]uint32, n)
		for l := range live {
			live[l] = lane.Mask(r.IntN(5) > 0)
		}
		push := bytesOf([]uint32{r.Uint32N(uint32(len(c.list)) + 1), uint32(len(c.list))})
		before := bytes.Join(c.memory, nil)
		run := func(native, hot bool) string {
			restore := func() {
				at := before
				for _, m := range c.memory {
					at = at[copy(m, at):]
				}
			}
			e := New(loopsOr(native))
			compiled, err := e.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			if r := compiled.(*routine); hot && r.inliner == nil {
				r.inliner = &inliner{engine: e, program: p}
			}
			th := compiled.NewThread(256).(*thread)
			if th.inline != nil {
				th.inline.n.lanes.Store(inlineAfter * int64(btoi(hot)))
			}
			var b *exec.Batch
			for range 1 + btoi(hot) { // elements are learnt first
				restore()
				if b = (&exec.Batch{N: n, In: in}); !single {
					b.Live = slices.Clone(live)
				}
				for range p.Outputs {
					b.Out = append(b.Out, make([]uint32, n))
				}
				ctx := &exec.Context{Resources: [][]exec.Descriptor{c.list, c.samplers}, Push: push}
				if err := th.Run(ctx, b); err != nil {
					t.Fatal(err)
				}
			}
			if native && hot && th.inline.thread != nil {
				inlined[kind{c.op.Kind, c.op.Dim == ir.DimBuffer, c.way}]++
				alone += btoi(th.inline.thread.(*thread).alone != nil)
				rests += btoi(th.inline.thread.(*thread).images.site > 1)
				x := &th.inline.sites[0]
				several += btoi(len(x.Keys) > 1)
				many += btoi(len(x.Keys) > 4)
				long += btoi(len(c.list) > 64 && len(th.inline.bound[0].images) > 1)
				pairs[x.Each] += btoi(c.samplers != nil)
			}
			return fmt.Sprintf("%08x %x", b.Out, bytes.Join(c.memory, nil))
		}
		want := run(false, false)
		for _, native := range []bool{true, false} {
			if got := run(native, true); got != want {
				t.Fatalf("seed %d, machine code %v, %+v, way %d:\n%s\nwant\n%s", seed, native, c.op, c.way,
					got, want)
			}
		}
	}
	kinds := []ir.ImageKind{ir.ImageRead, ir.ImageFetch, ir.ImageWrite, ir.ImageAtomic, ir.ImageQuerySize}
	for _, k := range kinds {
		for _, buffer := range []bool{false, true} {
			for way := range 4 {
				if n := inlined[kind{k, buffer, way}]; n == 0 {
					t.Errorf("kind %d, of a buffer %v, is never inlined with elements of way %d", k, buffer, way)
				}
			}
		}
	}
	if several < 20 || rests < 20 || many < 5 || long < 5 {
		t.Errorf("%d programs have several keys, %d many, %d leave lanes, %d have long arrays", several, many, rests, long)
	}
	if alone < int(cases)/40 {
		t.Errorf("%d programs ran a lane at a time", alone)
	}
	if pairs[[2]bool{false, true}] < 5 || pairs[[2]bool{true, true}] < 5 {
		t.Errorf("programs with arrays of samplers: %v", pairs)
	}
}

// A program is inlined when all threads together have run it for long enough, and stays so for
// threads that come later.
func TestInline_After(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, inlineAfterLanes)
}

func inlineAfterLanes(t *testing.T) {
	const n = 256
	r := rand.New(rand.NewPCG(1, 2))
	view := randomView(t, r, 8)
	p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.F32}, func(b *ir.Builder, in []ir.Value) {
		b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 1}}
		b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageRead, Dim: ir.Dim2D, Sampler: -1, Coords: 2, Results: 4}}
		output(b, 0, b.OpMore(ir.OpImage, ir.F32, 0, []ir.Value{b.I32(0), in[0], in[0]}))
	})
	ir.Optimize(p)
	compiled, err := New(under(Options{})).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	threads := [3]*thread{}
	run := func(k int) bool {
		if threads[k] == nil {
			threads[k] = compiled.NewThread(n).(*thread)
		}
		ctx := &exec.Context{Resources: [][]exec.Descriptor{{{View: view}}}}
		b := &exec.Batch{N: n, In: [][]uint32{make([]uint32, n)}, Out: [][]uint32{make([]uint32, n)}}
		if err := threads[k].Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		return threads[k].inline.thread != nil
	}
	for i := range inlineAfter / n {
		if run(i % 2) {
			t.Fatalf("inlined after %d lanes", i*n)
		}
	}
	for k := range threads {
		if !run(k) {
			t.Errorf("thread %d runs a program that is not inlined", k)
		}
	}
}

// So it is when few lanes have run as many image instructions in a loop, as serial decoders do.
func TestInline_AfterInstructions(t *testing.T) {
	eachMachine(t, func(t *testing.T) {
		const turns, lanes = inlineAfter / 2, 1
		view := randomView(t, rand.New(rand.NewPCG(1, 2)), 8)
		p := program(t, ir.StageCompute, []ir.Type{ir.I32}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
			b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 1}}
			b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageRead, Dim: ir.Dim2D, Sampler: -1, Coords: 2, Results: 4}}
			sum, k := b.NewVar(ir.I32, "sum"), b.NewVar(ir.I32, "k")
			b.Loop(false, func(*ir.Loop) {
				x := b.OpMore(ir.OpImage, ir.F32, 0, []ir.Value{b.I32(0), in[0], b.Get(k)})
				b.Set(sum, b.Op(ir.OpXor, ir.I32, b.Get(sum), b.Op(ir.OpBitcast, ir.I32, x)))
			}, func(l *ir.Loop) {
				b.Set(k, b.Op(ir.OpIAdd, ir.I32, b.Get(k), b.I32(1)))
				b.If(b.Op(ir.OpULt, ir.Bool, b.Get(k), b.I32(turns)), func() {}, func() { b.Break(l) })
			})
			output(b, 0, b.Get(sum))
		})
		ir.Optimize(p)
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		th := compiled.NewThread(lanes).(*thread)
		for i := range 4 {
			ctx := &exec.Context{Resources: [][]exec.Descriptor{{{View: view}}}}
			b := &exec.Batch{N: lanes, In: [][]uint32{{0}}, Out: [][]uint32{{0}}}
			if err := th.Run(ctx, b); err != nil {
				t.Fatal(err)
			}
			if got, want := th.inline.thread != nil, i >= 2; got != want {
				t.Fatalf("batch %d of %d instructions: inlined %v", i, turns, got)
			}
		}
	})
}
