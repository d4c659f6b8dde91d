package vm

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// holes is memory of whole pages, all bytes 1, of which some are missing.
func holes(t *testing.T, size int64, bound func(page int64) bool) *memory.Sparse {
	t.Helper()
	pages := (size + memory.PageBytes - 1) / memory.PageBytes
	s, err := memory.NewSparse(pages * memory.PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	block, err := memory.New(memory.Config{}).AllocPaged(pages * memory.PageBytes)
	if err != nil {
		t.Fatal(err)
	}
	for i := range block.Bytes() {
		block.Bytes()[i] = 1
	}
	for p := range pages {
		if bound(p) {
			if err := s.Bind(p*memory.PageBytes, block, p*memory.PageBytes, memory.PageBytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// Residency codes of an instruction: 1 where a texel that counts has no memory, whichever it is, lane by
// lane; 0 elsewhere, in lanes beside, and on devices without sparse resources.
func TestVM_Residency(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-220", "IMG-222", "IMG-223", "IMG-230", "IMG-232", "IMG-233", "IMG-234", "IMG-622")
	const w = memory.PageBytes
	f := math.Float32bits
	r8 := func(width, height uint32, levels, layers int, flags vk.ImageCreateFlags) resource.ImageDesc {
		return resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: width, Height: height, Depth: 1}, MipLevels: levels, ArrayLayers: layers, Flags: flags}
	}
	planes := r8(w, 2, 1, 1, 0)
	planes.Format = vk.FormatG8B8R8_2Plane444Unorm
	y, err := resource.NewYcbcrConversion(resource.YcbcrConversion{Format: planes.Format})
	if err != nil {
		t.Fatal(err)
	}
	const edge = vk.SamplerAddressModeClampToEdge
	smooth := resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, MaxLod: 9, MipmapMode: vk.SamplerMipmapModeLinear}
	converted := resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, Ycbcr: y}
	sample, fetch := ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Lod: ir.LodExplicit}, ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D, Sampler: -1, Coords: 2, GradCoords: 2, Lod: ir.LodZero}
	cube, buffer := sample, fetch
	cube.Dim, cube.Coords, cube.GradCoords = ir.DimCube, 3, 3
	buffer.Dim, buffer.Coords, buffer.GradCoords = ir.DimBuffer, 1, 1
	for _, c := range []struct {
		name    string
		image   resource.ImageDesc
		missing func(page int64) bool
		sampler resource.Sampler
		op      ir.ImageOp
		lanes   [][]uint32 // operands
		want    []uint32
	}{
		{"rows", r8(w, 4, 1, 1, 0), func(p int64) bool { return p == 1 }, smooth, fetch, [][]uint32{{7, 0}, {7, 1}, {7, 2}, {7, 9}, {0, 1}}, []uint32{0, 1, 0, 0, 1}},
		{"weights", r8(w, 4, 1, 1, 0), func(p int64) bool { return p == 1 }, smooth, sample, [][]uint32{{f(.5), f(.125), 0}, {f(.5), f(.125 + 1./256), 0}, {f(.5), f(.625), 0}}, []uint32{0, 1, 0}},
		{"levels", r8(w, 2, 2, 1, 0), func(p int64) bool { return p == 2 }, smooth, sample, [][]uint32{{f(.5), f(.25), 0}, {f(.5), f(.25), f(.25)}, {f(.5), f(.25), f(1)}}, []uint32{0, 1, 1}},
		{"planes", planes, func(p int64) bool { return p == 2 || p == 3 }, converted, sample, [][]uint32{{f(.25), f(.25), 0}, {f(.25), f(.75), 0}}, []uint32{1, 0}},
		{"corners", r8(256, 256, 1, 6, vk.ImageCreateCubeCompatibleBit), func(p int64) bool { return p < 16 }, smooth, cube,
			[][]uint32{{f(1), f(1), f(1), 0}, {f(.999), f(.999), f(1), 0}, {f(-1), f(1), f(1), 0}, {f(.5), f(.5), f(1), 0}}, []uint32{1, 1, 0, 0}},
		{"buffer", resource.ImageDesc{}, func(p int64) bool { return p == 1 }, smooth, buffer, [][]uint32{{0}, {w}, {w - 1}, {2 * w}, {1 << 30}}, []uint32{0, 1, 0, 0, 0}},
	} {
		// Every lane is first, second and so on among its neighbours once.
		kinds := len(c.lanes)
		for k := kinds; k < kinds*kinds; k++ {
			c.lanes, c.want = append(c.lanes, c.lanes[(k+k/kinds)%kinds]), append(c.want, c.want[(k+k/kinds)%kinds])
		}
		var d exec.Descriptor
		var s *memory.Sparse
		bound := func(p int64) bool { return !c.missing(p) }
		if c.op.Dim == ir.DimBuffer {
			s = holes(t, 3*w, bound)
			b, err := resource.NewBufferView(vk.FormatR8Unorm, s.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			d.Texel = b
		} else {
			im, err := resource.NewImage(c.image)
			if err != nil {
				t.Fatal(err)
			}
			s = holes(t, im.Layout.Size, bound)
			if err := im.Bind(s.Bytes()[:im.Layout.Size]); err != nil {
				t.Fatal(err)
			}
			kind := vk.ImageViewType2D
			if c.op.Dim == ir.DimCube {
				kind = vk.ImageViewTypeCube
			}
			if d.View, err = resource.NewView(im, resource.ViewDesc{Type: &kind}); err != nil {
				t.Fatal(err)
			}
			if d.Sampler, err = resource.NewSampler(c.sampler); err != nil {
				t.Fatal(err)
			}
		}
		op := c.op
		op.Residency, op.Results, op.Result = true, 1, ir.ClassUint
		p := &ir.Program{Name: c.name, Stage: ir.StageCompute, Resources: []ir.Resource{{Kind: ir.CombinedImageSampler, Count: 1}}, ImageOps: []ir.ImageOp{op}}
		b := ir.NewBuilder(p)
		more := []ir.Value{b.I32(0)}
		if op.Sampler >= 0 {
			more = append(more, b.I32(0))
		}
		in := make([][]uint32, len(c.lanes[0]))
		for k := range in {
			ty := ir.F32
			if op.Kind == ir.ImageFetch {
				ty = ir.I32
			}
			p.Inputs = append(p.Inputs, ir.IO{Type: ty})
			more = append(more, b.OpImm(ir.OpInput, ty, uint64(k)))
			for _, l := range c.lanes {
				in[k] = append(in[k], l[k])
			}
		}
		p.Inputs = append(p.Inputs, ir.IO{Type: ir.Bool})
		p.Outputs = []ir.IO{{Type: ir.I32}}
		alive := b.OpImm(ir.OpInput, ir.Bool, uint64(len(in)))
		b.If(alive, func() { output(b, 0, b.OpMore(ir.OpImage, ir.I32, 0, more)) }, nil)
		b.Finish()
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		n := len(c.lanes)
		all, some := make([]uint32, n), make([]uint32, n)
		for i := range n {
			all[i] = ^uint32(0)
			some[i] = all[i] * uint32(i&1)
		}
		run := func(mask []uint32, set memory.SparseSet) []uint32 {
			return runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{d}}, Sparse: set}, &exec.Batch{N: n, In: append(in[:len(in):len(in)], mask)})[0][:n]
		}
		set := memory.NewSparseSet([]*memory.Sparse{s})
		if got := run(all, set); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for i, got := range run(some, set) {
			if want := c.want[i] * uint32(i&1); got != want {
				t.Errorf("%s, every other lane: %d in lane %d, want %d", c.name, got, i, want)
			}
		}
		for i, got := range run(all, nil) {
			if got != 0 {
				t.Errorf("%s, nothing sparse: %d in lane %d", c.name, got, i)
			}
		}
	}
}

// halfHeld is an image of two rows of a page each, of texels of so many bytes, the second of which has no memory.
func halfHeld(t *testing.T, f vk.Format, bytes uint32) (*resource.ImageView, *memory.Sparse) {
	t.Helper()
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: vk.Extent3D{Width: memory.PageBytes / bytes, Height: 2, Depth: 1}, MipLevels: 1, ArrayLayers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := holes(t, im.Layout.Size, func(p int64) bool { return p != 1 })
	if err := im.Bind(s.Bytes()[:im.Layout.Size]); err != nil {
		t.Fatal(err)
	}
	v, err := resource.NewView(im, resource.ViewDesc{})
	if err != nil {
		t.Fatal(err)
	}
	return v, s
}

// Atomics on texels without memory find 0 and leave it, beside others that count: many lanes, all of which run or some.
func TestVM_Atomic_WithoutMemory(t *testing.T) {
	rules.Covers(t, "IMG-305", "IMG-373")
	v, s := halfHeld(t, vk.FormatR32Uint, 4)
	p := program(t, ir.StageCompute, []ir.Type{ir.I32, ir.Bool}, []ir.Type{ir.I32}, func(b *ir.Builder, in []ir.Value) {
		b.P.WritesMemory = true
		b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 1}}
		b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageAtomic, Atomic: ir.AtomicAdd, Dim: ir.Dim2D, Sampler: -1, Coords: 2, GradCoords: 2, Result: ir.ClassUint, Results: 1}}
		b.If(in[1], func() {
			output(b, 0, b.OpMore(ir.OpImage, ir.I32, 0, []ir.Value{b.I32(0), b.I32(5), in[0], b.I32(3)}))
		}, nil)
	})
	const n = 32
	rows, mask := make([]uint32, n), make([]uint32, n)
	counted := uint32(0x01010101)
	for _, every := range []int{1, 3} {
		for i := range n {
			rows[i], mask[i] = uint32(i>>1&1), 0
			if i%every == 0 {
				mask[i] = ^uint32(0)
			}
		}
		out := runLanes(t, p, &exec.Context{Resources: [][]exec.Descriptor{{{View: v}}}, Sparse: memory.NewSparseSet([]*memory.Sparse{s})}, &exec.Batch{N: n, In: [][]uint32{rows, mask}})[0]
		for i := range n {
			want := uint32(0)
			if mask[i] != 0 && rows[i] == 0 {
				want, counted = counted, counted+3
			}
			if mask[i] != 0 && out[i] != want {
				t.Errorf("every %d, lane %d of row %d: %#x, want %#x", every, i, rows[i], out[i], want)
			}
		}
	}
}

// What all lanes write alike to a texel without memory is dropped, too.
func TestVM_Write_OnceWithoutMemory(t *testing.T) {
	v, s := halfHeld(t, vk.FormatR8Uint, 1)
	p := program(t, ir.StageCompute, nil, nil, func(b *ir.Builder, _ []ir.Value) {
		b.P.WritesMemory, b.P.PushBytes = true, 4
		b.P.Resources = []ir.Resource{{Kind: ir.StorageImage, Count: 1}}
		b.P.ImageOps = []ir.ImageOp{{Kind: ir.ImageWrite, Dim: ir.Dim2D, Sampler: -1, Coords: 2, GradCoords: 2, Result: ir.ClassUint}}
		y := b.Op(ir.OpLoadPush, ir.I32, b.I32(0))
		b.OpMore(ir.OpImage, ir.Void, 0, []ir.Value{b.I32(0), b.I32(5), y, b.I32(7), y, y, y})
	})
	ir.Diverge(p)
	for y, want := range []byte{7, 0} {
		ctx := &exec.Context{Push: []byte{byte(y), 0, 0, 0}, Resources: [][]exec.Descriptor{{{View: v}}}, Sparse: memory.NewSparseSet([]*memory.Sparse{s})}
		runLanes(t, p, ctx, &exec.Batch{N: 4})
		if got := v.Image.Data[y*memory.PageBytes+5]; got != want {
			t.Errorf("row %d: %d, want %d", y, got, want)
		}
	}
}
