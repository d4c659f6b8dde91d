package vm

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// floatImage is an 8×8 R32 image with levels; texel (x, y) of level l is
// base + 100·l + 10·y + x.
func floatImage(t testing.TB, base float32) *resource.ImageView { return floatImageOf(t, 2, base) }

// floatImageOf is floatImage of one to three dimensions; slices are alike.
func floatImageOf(t testing.TB, dims int, base float32) *resource.ImageView {
	t.Helper()
	size := vk.Extent3D{Width: 8, Height: 1, Depth: 1}
	if dims > 1 {
		size.Height = 8
	}
	if dims > 2 {
		size.Depth = 8
	}
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType(dims - 1), Format: vk.FormatR32Sfloat, Extent: size, MipLevels: 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for l := range 4 {
		lv := im.Level(0, l, 0)
		for i := range lv.Width * lv.Height * lv.Depth {
			x, y, z := i%lv.Width, i/lv.Width%lv.Height, i/lv.Width/lv.Height
			binary.LittleEndian.PutUint32(lv.Data[lv.Offset(x, y, z, 0):], math.Float32bits(base+float32(100*l+10*y+x)))
		}
	}
	v, err := resource.NewView(im, resource.ViewDesc{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func linearSampler(t testing.TB) *resource.Sampler {
	t.Helper()
	s, err := resource.NewSampler(resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 10})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Implicit sampling with every pattern of active lanes in a quad and with
// descriptors that differ between lanes equals package sampling, asked lane by
// lane with the coordinates that the lane may see.
func TestVM_Image_ImplicitLod_PartialQuadsAndVaryingDescriptors(t *testing.T) {
	rules.Covers(t, "IMG-402", "IMG-403")
	for dims := 1; dims <= 3; dims++ {
		partialQuads(t, dims)
	}
}

func partialQuads(t *testing.T, dims int) {
	var views []*resource.ImageView // more than are run over all lanes
	for k := range 2*wholePasses + 1 {
		views = append(views, floatImageOf(t, dims, float32(1000*k)))
	}
	views = append(views, nil)
	// Descriptors and masks of quads: one for all; many; and as many as are run over all lanes, the last in part of a quad, before one
	// of several quads, the first of which has another beside it.
	for _, way := range []string{"uniform", "varying", "several quads after whole passes"} {
		uniform, s := way == "uniform", linearSampler(t)
		if way == "several quads after whole passes" && dims < 3 { // which lanes of several descriptors do not share
			s = &resource.Sampler{MagFilter: vk.FilterCubicEXT, MinFilter: vk.FilterCubicEXT, MipmapMode: vk.SamplerMipmapModeLinear, MaxLod: 10}
		}
		var ds []exec.Descriptor
		for _, v := range views {
			ds = append(ds, exec.Descriptor{View: v, Sampler: s})
		}
		p := &ir.Program{Name: t.Name(), Stage: ir.StageFragment, UsesDerivatives: true, Resources: []ir.Resource{{Kind: ir.CombinedImageSampler, Count: uint32(len(views))}},
			ImageOps: []ir.ImageOp{{Kind: ir.ImageSample, Dim: [...]ir.ImageDim{1: ir.Dim1D, 2: ir.Dim2D, 3: ir.Dim3D}[dims], Image: 0, Sampler: 0, Coords: dims, GradCoords: dims, Results: 4}}}
		b := ir.NewBuilder(p)
		var in [5]ir.Value
		for i, ty := range []ir.Type{ir.F32, ir.F32, ir.F32, ir.I32, ir.Bool} {
			p.Inputs = append(p.Inputs, ir.IO{Type: ty})
			in[i] = b.OpImm(ir.OpInput, ty, uint64(i))
		}
		p.Outputs = []ir.IO{{Type: ir.F32}, {Type: ir.F32}}
		element := in[3]
		if uniform {
			element = b.I32(1)
		}
		b.If(in[4], func() {
			r := b.OpMore(ir.OpImage, ir.F32, 0, append([]ir.Value{element, element}, in[:dims]...))
			output(b, 0, r)
			output(b, 1, b.OpImm(ir.OpResult, ir.F32, 3, r))
		}, nil)
		b.Finish()
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		const n = 16 * 4
		lanes := make([][]uint32, 5)
		for i := range lanes {
			lanes[i] = make([]uint32, n)
		}
		for l := range n {
			q := (l/4 + 3) % 16 // the quad's mask
			lanes[0][l] = math.Float32bits(float32((l*37)%64) / 64)
			lanes[1][l] = math.Float32bits(float32((l*l*11)%64) / 32)
			lanes[2][l] = math.Float32bits(float32((l*l*l*5)%64) / 16)
			lanes[3][l] = uint32(l*5/3) % uint32(len(views)+1) // the last is outside the array
			if l >= n/2 {
				lanes[3][l] = uint32(l/12) % uint32(len(views)) // several quads in a row
			}
			if way == "several quads after whole passes" {
				q, lanes[3][l] = 15, 3
				switch l / 4 {
				case 0:
					lanes[3][l] = uint32(l)
				case 1:
					if q, lanes[3][l] = 13, 4; l == 7 {
						lanes[3][l] = 5
					}
				case 2, 3:
					lanes[3][l] = 4
				case 15:
					q = 7
				}
			}
			lanes[4][l] = lane.Mask(q>>(l&3)&1 != 0)
		}
		out := runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{ds}}, &exec.Batch{N: n, In: lanes})
		for l := range n {
			if lanes[4][l] == 0 {
				continue
			}
			var c [4][]uint32
			for k := range dims {
				c[k] = make([]uint32, 4)
				for j := range 4 {
					from := l&^3 + j
					if lanes[4][from] == 0 {
						from = l
					}
					c[k][j] = lanes[k][from]
				}
			}
			want := [4][]uint32{make([]uint32, 4), make([]uint32, 4), make([]uint32, 4), make([]uint32, 4)}
			e := uint32(1)
			if !uniform {
				e = lanes[3][l]
			}
			var v *resource.ImageView
			if e < uint32(len(views)) {
				v = views[e]
			}
			sampling.Run(&sampling.Args{Op: &p.ImageOps[0], Coord: c, Quads: true, Out: want}, v, s, 4)
			if out[0][l] != want[0][l&3] || out[1][l] != want[3][l&3] {
				t.Fatalf("%d dimensions, %s, lane %d: %08x %08x, want %08x %08x", dims, way, l, out[0][l], out[1][l], want[0][l&3], want[3][l&3])
			}
		}
	}
}

// A write happens in live lanes of the execution mask only.
func TestVM_Image_Write_MasksHelpers(t *testing.T) {
	rules.Covers(t, "RAS-001")
	v := floatImage(t, 0)
	p := program(t, ir.StageFragment, []ir.Type{ir.I32, ir.Bool}, nil, func(b *ir.Builder, in []ir.Value) {
		b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 1}}
		b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageWrite, Dim: ir.Dim2D, Image: 0, Sampler: -1, Coords: 2, GradCoords: 2}}
		b.If(in[1], func() {
			seven := b.F32(7)
			b.OpMore(ir.OpImage, ir.Void, 0, []ir.Value{b.I32(0), in[0], b.I32(0), seven, seven, seven, seven})
		}, nil)
	})
	ones := ^uint32(0)
	runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{{View: v}}}},
		&exec.Batch{N: 4, In: [][]uint32{{0, 1, 2, 3}, {ones, ones, 0, ones}}, Live: []uint32{ones, 0, ones, ones}})
	lv := v.Image.Level(0, 0, 0)
	for x, want := range []float32{7, 1, 2, 7} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(lv.Data[lv.Offset(x, 0, 0, 0):])); got != want {
			t.Errorf("texel %d = %g, want %g", x, got, want)
		}
	}
}

// What all lanes write to one texel is written once: inside, outside, to a view that is not there, and where some lanes or none store.
func TestVM_Image_Write_OnceWhereUniform(t *testing.T) {
	rules.Covers(t, "RAS-001")
	all, none, some := []uint32{1, 1, 1, 1}, []uint32{0, 0, 0, 0}, []uint32{0, 1, 1, 0}
	for _, c := range []struct {
		element, x uint32
		on, live   []uint32
		stores     bool
	}{
		{1, 2, all, all, true}, {1, 2, some, all, true}, {1, 2, all, some, true}, {1, 2, some, []uint32{1, 0, 0, 1}, false}, {1, 2, some, []uint32{0, 0, 1, 0}, true},
		{1, 2, none, all, false}, {1, 2, all, none, false}, {1, 8, all, all, false}, {1, math.MaxUint32, all, all, false}, {0, 2, all, all, false}, {2, 2, all, all, false},
	} {
		v := floatImage(t, 0)
		p := program(t, ir.StageFragment, []ir.Type{ir.I32}, nil, func(b *ir.Builder, in []ir.Value) {
			b.P.WritesMemory, b.P.PushBytes = true, 12
			b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 2}}
			b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageWrite, Dim: ir.Dim2D, Sampler: -1, Coords: 2, GradCoords: 2}}
			push := func(at uint32) ir.Value { return b.Op(ir.OpLoadPush, ir.I32, b.I32(at)) }
			b.If(b.Op(ir.OpINe, ir.Bool, in[0], b.I32(0)), func() {
				value := b.Op(ir.OpBitcast, ir.F32, push(8))
				b.OpMore(ir.OpImage, ir.Void, 0, []ir.Value{push(0), push(4), b.I32(0), value, value, value, value})
			}, nil)
		})
		ir.Diverge(p)
		compiled, err := New(under(Options{})).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if r := compiled.(*routine); r.machine == nil && !slices.ContainsFunc(r.code, func(in instr) bool { return in.kind == kindWriteU }) {
			t.Error("the instruction is one of lanes")
		}
		var push []byte
		for _, w := range []uint32{c.element, c.x, math.Float32bits(77)} {
			push = binary.LittleEndian.AppendUint32(push, w)
		}
		want := bytes.Clone(v.Image.Data)
		lv := v.Image.Level(0, 0, 0)
		if c.stores {
			copy(want[lv.Offset(int(c.x), 0, 0, 0):], push[8:])
		}
		live := make([]uint32, len(c.live))
		for i, x := range c.live {
			live[i] = -x
		}
		runLanes(t, p, &exec.Context{Push: push, Resources: [][]exec.Descriptor{{{}, {View: v}}}}, &exec.Batch{N: 4, In: [][]uint32{c.on}, Live: live})
		if !bytes.Equal(v.Image.Data, want) {
			t.Errorf("element %d, texel %d, lanes %v, live %v: memory % x, want % x", c.element, int32(c.x), c.on, c.live, v.Image.Data, want)
		}
	}
}

// Questions whose operands are the same in all lanes are asked once; the answers are
// those of lanes that ask each for itself.
func TestVM_Image_Questions_OnceWhereUniform(t *testing.T) {
	rules.Covers(t, "RAS-001")
	view := floatImage(t, 0)
	set := [][]exec.Descriptor{{{View: view}, {}, {View: view}}}
	for _, kind := range []ir.ImageKind{ir.ImageQuerySize, ir.ImageQueryLevels, ir.ImageQuerySamples} {
		results := 1
		if kind == ir.ImageQuerySize {
			results = 2
		}
		for element := range uint32(4) { // a view, none, a view, outside the array
			for _, level := range []uint32{0, 2, 3, 4, math.MaxUint32} {
				p := program(t, ir.StageFragment, []ir.Type{ir.I32, ir.I32, ir.Bool}, []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
					b.P.Resources = []ir.Resource{{Kind: ir.SampledImage, Count: 3}}
					b.P.ImageOps = []ir.ImageOp{{Kind: kind, Dim: ir.Dim2D, Sampler: -1, Results: results}}
					ask := func(slot int, more ...ir.Value) {
						if kind == ir.ImageQuerySize {
							b.P.ImageOps[0].Lod = ir.LodExplicit
						} else {
							more = more[:1]
						}
						r := b.OpMore(ir.OpImage, ir.I32, 0, more)
						output(b, slot, r)
						if results > 1 {
							output(b, slot+1, b.OpImm(ir.OpResult, ir.I32, 1, r))
						}
					}
					b.If(in[2], func() {
						ask(0, b.I32(element), b.I32(level))
						ask(2, in[0], in[1])
					}, nil)
				})
				ir.Diverge(p)
				var uniform []bool
				for i := range p.Insts {
					if p.Insts[i].Op == ir.OpImage {
						uniform = append(uniform, p.Insts[i].Uniform)
					}
				}
				if !slices.Equal(uniform, []bool{true, false}) {
					t.Fatalf("uniform: %v", uniform)
				}
				ones := ^uint32(0)
				out := runLanes(t, p, &exec.Context{Resources: set}, &exec.Batch{N: 4, In: [][]uint32{slices.Repeat([]uint32{element}, 4), slices.Repeat([]uint32{level}, 4), {ones, 0, ones, ones}}})
				if !slices.Equal(out[0], out[2]) || !slices.Equal(out[1], out[3]) {
					t.Errorf("kind %d element %d level %d: %v, lane by lane %v", kind, element, int32(level), out[:2], out[2:])
				}
				if there := element&1 == 0 && (kind != ir.ImageQuerySize || level < 4); (out[0][0] != 0) != there || out[0][1] != 0 {
					t.Errorf("kind %d element %d level %d: %v", kind, element, int32(level), out)
				}
			}
		}
	}
}

// Each lane's query of levels and samples is of the image that the lane names: none of what is missing, and
// of what lies outside of the array.
func TestVM_Image_CountsOfEachLane(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-608")
	few := *floatImage(t, 0)
	image := *few.Image
	image.Samples, few.Image, few.Levels = 8, &image, 2
	set := [][]exec.Descriptor{{{View: &few}, {}, {View: floatImage(t, 0)}}}
	in := [][]uint32{{0, 0, 2, 1, 2, 0, 2, 3, 1, 2, 2, 0}, slices.Repeat([]uint32{^uint32(0)}, 12)}
	in[1][4], in[1][11] = 0, 0
	for kind, want := range map[ir.ImageKind][]uint32{
		ir.ImageQueryLevels:  {2, 2, 4, 0, 9, 2, 4, 0, 0, 4, 4, 9},
		ir.ImageQuerySamples: {8, 8, 1, 0, 9, 8, 1, 0, 0, 1, 1, 9},
	} {
		p := program(t, ir.StageFragment, []ir.Type{ir.I32, ir.Bool}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
			b.P.Resources = []ir.Resource{{Kind: ir.SampledImage, Count: 3}}
			b.P.ImageOps = []ir.ImageOp{{Kind: kind, Dim: ir.Dim2D, Sampler: -1, Results: 1}}
			output(b, 0, b.I32(9))
			b.If(in[1], func() { output(b, 0, b.OpMore(ir.OpImage, ir.I32, 0, in[:1])) }, nil)
		})
		out := runLanes(t, p, &exec.Context{Resources: set}, &exec.Batch{N: 12, In: in})
		if !slices.Equal(out[0], want) {
			t.Errorf("kind %d: %v, want %v", kind, out[0], want)
		}
	}
}

// Instructions that only read, of operands that are the same in all lanes, run once; the results are those of lanes that run
// them each for itself, in quads that are active in part, too.
func TestVM_Image_ReadsOnceWhereUniform(t *testing.T) {
	rules.Covers(t, "RAS-001")
	once := map[ir.ImageKind]int{}
	for seed := range share(1500, 4) {
		r := rand.New(rand.NewPCG(seed, 17))
		c := randomImageCase(t, r)
		if c.op.Kind == ir.ImageWrite || c.op.Kind == ir.ImageAtomic {
			continue
		}
		var push []byte
		for i, row := range c.rows {
			word := math.Float32bits(4*r.Float32() - 2)
			switch {
			case row == ir.I32:
				word = uint32(r.IntN(12) - 2)
			case i < c.op.Coords && r.IntN(10) == 0:
				word = []uint32{0x7FC00000, 0x7F800000, 0xFF800000, 0}[r.IntN(4)]
			}
			push = binary.LittleEndian.AppendUint32(push, word)
		}
		run := func(uniform bool) [][]uint32 {
			p := program(t, ir.StageFragment, append([]ir.Type{ir.Bool}, c.rows...), []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}, func(b *ir.Builder, in []ir.Value) {
				b.P.UsesDerivatives, b.P.PushBytes = true, uint32(len(push))
				b.P.Resources = []ir.Resource{{Kind: ir.CombinedImageSampler, Count: 1}}
				if c.op.Sampler < 0 {
					b.P.Resources[0].Kind = ir.SampledImage
				}
				b.P.ImageOps = []ir.ImageOp{c.op}
				b.If(in[0], func() {
					more := []ir.Value{b.I32(0), b.I32(0)}[:1+btoi(c.op.Sampler >= 0)]
					for i, row := range c.rows {
						v := in[1+i]
						if uniform {
							v = b.Op(ir.OpLoadPush, row, b.I32(uint32(4*i)))
						}
						more = append(more, v)
					}
					v := b.OpMore(ir.OpImage, c.result, 0, more)
					for i := range c.op.Results {
						x := v
						if i > 0 {
							x = b.OpImm(ir.OpResult, c.result, uint64(i), v)
						}
						output(b, i, b.Op(ir.OpBitcast, ir.I32, x))
					}
				}, nil)
			})
			ir.Optimize(p)
			for i := range p.Insts {
				if p.Insts[i].Op == ir.OpImage && p.Insts[i].Uniform != uniform {
					t.Fatalf("%+v is uniform: %v", c.op, !uniform)
				}
			}
			const n = 64
			in := make([][]uint32, 1+len(c.rows))
			for i := range in {
				in[i] = make([]uint32, n)
				for l := range in[i] {
					if i == 0 {
						in[i][l] = lane.Mask(l/4>>(l&3)&1 != 0) // the quad's number is its mask
					} else {
						in[i][l] = binary.LittleEndian.Uint32(push[4*i-4:])
					}
				}
			}
			return runLanes(t, p, &exec.Context{Push: push, Resources: [][]exec.Descriptor{{{View: c.view, Sampler: c.sampler}}}}, &exec.Batch{N: n, In: in})
		}
		want, got := run(false), run(true)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("seed %d, %+v of %v by %+v: result %d is %08x, in each lane %08x", seed, c.op, c.view.Format, c.sampler, i, got[i], want[i])
			}
		}
		once[c.op.Kind]++
	}
	for _, k := range []ir.ImageKind{ir.ImageFetch, ir.ImageRead, ir.ImageSample, ir.ImageGather} {
		if once[k] < 20 {
			t.Errorf("kind %d ran %d times", k, once[k])
		}
	}
}

// An atomic on a texel gives 0 in helpers, as atomics on buffers do: what derivatives make of it does
// not depend on what a register held before.
func TestVM_ImageAtomic_HelpersSeeZero(t *testing.T) {
	p := &ir.Program{Stage: ir.StageFragment, Inputs: []ir.IO{{Type: ir.I32}}, Outputs: []ir.IO{{Type: ir.I32}}, Resources: []ir.Resource{{Kind: ir.StorageTexelBuffer, Count: 1}}}
	p.ImageOps = []ir.ImageOp{{Kind: ir.ImageAtomic, Dim: ir.DimBuffer, Sampler: -1, Coords: 1, Lod: ir.LodZero, Atomic: ir.AtomicAdd, Result: ir.ClassUint, Results: 1}}
	b := ir.NewBuilder(p)
	x := b.OpImm(ir.OpInput, ir.I32, 0)
	b.OpImm(ir.OpOutput, ir.Void, 0, b.Op(ir.OpNot, ir.I32, x)) // its register is free afterwards
	b.OpImm(ir.OpOutput, ir.Void, 0, b.OpMore(ir.OpImage, ir.I32, 0, []ir.Value{b.I32(0), x, x}))
	b.Finish()
	r, err := New(Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := resource.NewBufferView(vk.FormatR32Uint, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 4)
	batch := &exec.Batch{N: 4, In: [][]uint32{{0, 1, 2, 3}}, Out: [][]uint32{out}, Live: []uint32{0, ^uint32(0), 0, ^uint32(0)}}
	if err := r.NewThread(4).Run(&exec.Context{Resources: [][]exec.Descriptor{{{Texel: v}}}}, batch); err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0, 0x08070605, 0, 0x100F0E0D}; !slices.Equal(out, want) {
		t.Errorf("%08x, want %08x", out, want)
	}
}
