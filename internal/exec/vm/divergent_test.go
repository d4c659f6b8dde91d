package vm

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// divergent is a fragment shader that reads, in a loop over a list of numbers, from the descriptor of the list's number and
// from one of the lane's own; descriptors are those that it runs on.
func divergent(b testing.TB, op ir.ImageOp, views int) (*ir.Program, *exec.Context) {
	p := &ir.Program{Name: "divergent", Stage: ir.StageFragment, UsesDerivatives: true, PushBytes: 4,
		Resources: []ir.Resource{{Kind: ir.CombinedImageSampler, Count: uint32(views)}, {Kind: ir.UniformTexelBuffer, Count: 1}},
		ImageOps:  []ir.ImageOp{op, {Kind: ir.ImageFetch, Dim: ir.DimBuffer, Image: 1, Sampler: -1, Coords: 1, Results: 1, Result: ir.ClassSint}},
		Inputs:    []ir.IO{{Type: ir.I32, Interp: ir.Flat}, {Type: ir.F32, Interp: ir.Flat}}, Outputs: []ir.IO{{Type: ir.F32}}}
	x := ir.NewBuilder(p)
	own, u := x.OpImm(ir.OpInput, ir.I32, 0), x.OpImm(ir.OpInput, ir.F32, 1)
	i, sum := x.NewVar(ir.I32, "i"), x.NewVar(ir.F32, "sum")
	x.Set(i, x.I32(0))
	x.Set(sum, x.F32(0))
	read := func(element ir.Value) ir.Value {
		args := []ir.Value{element}
		if op.Sampler >= 0 {
			args = append(args, element)
		}
		for range op.Coords {
			if op.Kind == ir.ImageSample {
				args = append(args, u)
			} else {
				args = append(args, x.I32(0))
			}
		}
		if op.Lod == ir.LodExplicit {
			args = append(args, x.F32(1))
		}
		return x.OpMore(ir.OpImage, ir.F32, 0, args)
	}
	x.Loop(false, func(l *ir.Loop) {
		x.If(x.Op(ir.OpULe, ir.Bool, x.Op(ir.OpLoadPush, ir.I32, x.I32(0)), x.Get(i)), func() { x.Break(l) }, nil)
		listed := x.OpMore(ir.OpImage, ir.I32, 1, []ir.Value{x.I32(0), x.Get(i)})
		x.Set(sum, x.Op(ir.OpFAdd, ir.F32, x.Get(sum), x.Op(ir.OpFAdd, ir.F32, read(own), read(listed))))
	}, func(*ir.Loop) { x.Set(i, x.Op(ir.OpIAdd, ir.I32, x.Get(i), x.I32(1))) })
	output(x, 0, x.Get(sum))
	x.Finish()
	if err := ir.Verify(p); err != nil {
		b.Fatal(err)
	}
	ir.Optimize(p)

	s := linearSampler(b)
	s.MagFilter, s.MinFilter, s.MipmapMode = vk.FilterNearest, vk.FilterNearest, vk.SamplerMipmapModeNearest
	info, _ := format.Lookup(vk.FormatR32Sfloat)
	var ds []exec.Descriptor
	for k := range views {
		v := floatImage(b, float32(1000*k))
		ds = append(ds, exec.Descriptor{View: v, Sampler: s, Texel: &resource.BufferView{Info: info, Data: v.Image.Data}})
	}
	list := make([]byte, 4*views)
	for k := range views {
		binary.LittleEndian.PutUint32(list[4*k:], uint32(k*7%views))
	}
	info, _ = format.Lookup(vk.FormatR32Sint)
	return p, &exec.Context{Push: binary.LittleEndian.AppendUint32(nil, uint32(views)), Resources: [][]exec.Descriptor{ds, {{Texel: &resource.BufferView{Info: info, Data: list}}}}}
}

// BenchmarkDivergent is the time that a quad takes for a turn of a loop as those of dEQP-VK.descriptor_indexing's in_loop cases.
func BenchmarkDivergent(b *testing.B) {
	const lanes, views = 256, 509
	for _, c := range []struct {
		name string
		op   ir.ImageOp
	}{
		{"implicit", ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4}},
		{"explicit", ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Coords: 2, GradCoords: 2, Results: 4, Lod: ir.LodExplicit}},
		{"read", ir.ImageOp{Kind: ir.ImageRead, Dim: ir.Dim2D, Sampler: -1, Coords: 2, GradCoords: 2, Results: 4}},
		{"buffer", ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.DimBuffer, Sampler: -1, Coords: 1, Results: 4}},
	} {
		for _, native := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/native=%v", c.name, native), func(b *testing.B) {
				p, ctx := divergent(b, c.op, views)
				r, err := New(Options{Native: native}).Compile(p)
				if err != nil {
					b.Fatal(err)
				}
				batch := exec.Batch{N: lanes, In: [][]uint32{make([]uint32, lanes), make([]uint32, lanes)}, Out: [][]uint32{make([]uint32, lanes)}, Live: make([]uint32, lanes)}
				for l := range lanes {
					batch.In[0][l] = uint32(l / 4 * 5 % views)
					batch.Live[l&^3] = ^uint32(0)
				}
				t := r.NewThread(lanes)
				for b.Loop() {
					if err := t.Run(ctx, &batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(lanes/4*views), "ns/quad")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
