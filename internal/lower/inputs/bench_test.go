package inputs_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// BenchmarkFuse_Fill shades whole blocks of a tile with a program that has an interpolated colour in its inputs and
// one attachment in its tail; a fragment of each place counts.
func BenchmarkFuse_Fill(b *testing.B) {
	over := fragops.ColorKey{Blending: true, SrcColor: vk.BlendFactorSrcAlpha, DstColor: vk.BlendFactorOneMinusSrcAlpha, SrcAlpha: vk.BlendFactorOne, DstAlpha: vk.BlendFactorOneMinusSrcAlpha}
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatA2B10G10R10UnormPack32, vk.FormatB10G11R11UfloatPack32} {
		for _, blending := range []bool{false, true} {
			key := fragops.ColorKey{}
			if blending {
				key = over
			}
			key.Permutes = vm.New(vm.Options{Native: true}).PermutesTables()
			key.Format, key.Mask = f, vk.ColorComponentRBit|vk.ColorComponentGBit|vk.ColorComponentBBit|vk.ColorComponentABit
			b.Run(fmt.Sprintf("%v/blend=%v", f, blending), func(b *testing.B) { benchmarkFill(b, key) })
		}
	}
}

func benchmarkFill(b *testing.B, key fragops.ColorKey) {
	shader := &ir.Program{Name: "colour", Stage: ir.StageFragment}
	build := ir.NewBuilder(shader)
	var list []inputs.Input
	var slots []int
	target := fragops.Target{ColorKey: key, Second: [4]int16{-1, -1, -1, -1}}
	for k := range 4 {
		io := ir.IO{Component: uint32(k), Type: ir.F32}
		shader.Inputs, shader.Outputs = append(shader.Inputs, io), append(shader.Outputs, io)
		list, slots = append(list, inputs.Perspective), append(slots, k)
		build.OpImm(ir.OpOutput, ir.Void, uint64(k), build.OpImm(ir.OpInput, ir.F32, uint64(k)))
		target.Source[k] = int16(k)
	}
	build.Finish()
	tail := fragops.Tail{Targets: [fragops.MaxTargets]fragops.Target{target}, Count: 1, Coverage: fragops.CoverageKey{Samples: fragops.All(1)}, Masks: [fragops.MaskWords]int16{fragops.Unwritten, fragops.Unwritten}, Alpha: fragops.Unwritten, One: fragops.Unwritten}
	p, err := inputs.Fuse(shader, list, slots, inputs.Where{}, inputs.Affine, &tail)
	if err != nil {
		b.Fatal(err)
	}
	routine, err := vm.New(vm.Options{Native: true}).Compile(p)
	if err != nil {
		b.Fatal(err)
	}
	l, err := inputs.Lower(list, inputs.Where{}, inputs.Affine)
	if err != nil {
		b.Fatal(err)
	}
	const extent, pitch = 64, 7680 * 2
	s := &raster.Setup{Affine: true, U: raster.Plane{GX: 1. / 16384}, V: raster.Plane{GY: 1. / 16384}}
	record := make([]byte, l.Size)
	l.Write(record, s)
	for k, at := range l.Values {
		for i, v := range []float32{.2, .3, .4} {
			binary.LittleEndian.PutUint32(record[at+4*i:], math.Float32bits(v/float32(k+1)))
		}
	}
	rows := make([][]uint32, 4)
	for k := range rows {
		rows[k] = make([]uint32, extent*extent)
	}
	batch := exec.Batch{N: extent * extent, In: rows, Records: record, Surfaces: []exec.Surface{{Data: make([]byte, pitch*extent), RowPitch: pitch}}}
	for y := int32(0); y < extent; y += 2 {
		for x := int32(0); x < extent; x += raster.BlockPixels {
			batch.Places = append(batch.Places, exec.Place{X: x, Y: y, Covered: [ir.PlaceSamples]uint16{math.MaxUint16}})
		}
	}
	t := routine.NewThread(exec.MaxLanes)
	for b.Loop() {
		if err := t.Run(&exec.Context{}, &batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(batch.Places)), "ns/place")
}
