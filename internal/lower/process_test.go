package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// redView is an R32 image of w×h texels.
func redView(t *testing.T, kind vk.ImageViewType, w, h uint32, weights resource.WeightImage, texels ...float32) *resource.ImageView {
	t.Helper()
	im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: vk.Extent3D{Width: w, Height: h, Depth: 1}, Usage: vk.ImageUsageSampleWeightBitQCOM})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, im.Layout.Size)
	for i, x := range texels {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(x))
	}
	if err := im.Bind(data); err != nil {
		t.Fatal(err)
	}
	v, err := resource.NewView(im, resource.ViewDesc{Type: &kind, Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The instructions of VK_QCOM_image_processing and 2 through the machine: the
// vectors of IMG-676, a box and one weight.
func TestImageProcessing_ThroughTheMachine(t *testing.T) {
	rules.Covers(t, "IMG-676", "IMG-675", "IMG-674", "IMG-650", "IMG-662")
	s, err := resource.NewSampler(resource.Sampler{UnnormalizedCoordinates: true, ImageProcessing: true, Window: resource.BlockMatchWindow{Width: 2, Height: 2},
		AddressModeU: vk.SamplerAddressModeClampToBorder, AddressModeV: vk.SamplerAddressModeClampToBorder})
	if err != nil {
		t.Fatal(err)
	}
	views := []*resource.ImageView{
		redView(t, vk.ImageViewType2D, 3, 3, resource.WeightImage{}, 1, 2, 3, 4, 5, 6, 7, 8, 9),
		redView(t, vk.ImageViewType2D, 2, 2, resource.WeightImage{}, 1, 1, 1, 1),
		redView(t, vk.ImageViewType2DArray, 1, 1, resource.WeightImage{Width: 1, Height: 1, Phases: 1}, 3),
	}
	want := map[string][4][4]float32{ // red of lanes 0…3, by instruction
		"process.qcom":  {{3, 15, 27, 0}, {}, {8, 12, 9, 4}, {}}, // weights: texels (i, i) times 3
		"process2.qcom": {{3, 15, 27, 0}},
	}
	for name, results := range want {
		m := module(t, name)
		p, err := lower.Compile(m, "main", lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ir.Optimize(p)
		if err := ir.Verify(p); err != nil {
			t.Fatal(err)
		}
		r, err := vm.New(vm.Options{Lanes: 64}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, 16*16)
		ctx := &exec.Context{}
		for _, res := range p.Resources {
			d := exec.Descriptor{Sampler: s, Data: out}
			if int(res.Binding) < len(views) {
				d = exec.Descriptor{View: views[res.Binding]}
			}
			ctx.Resources = append(ctx.Resources, []exec.Descriptor{d})
		}
		b := &exec.Batch{N: 4}
		for _, io := range p.Inputs {
			lane := make([]uint32, 64)
			for i := range lane {
				if io.Component == 0 {
					lane[i] = uint32(i)
				}
			}
			b.In = append(b.In, lane)
		}
		if err := r.NewThread(64).Run(ctx, b); err != nil {
			t.Fatal(err)
		}
		red := func(lane, k, c int) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(out[16*(4*lane+k)+4*c:]))
		}
		for lane := range 4 {
			if got := red(lane, 0, 0); got != results[0][lane] {
				t.Errorf("%s: weighted in lane %d: %v, want %v", name, lane, got, results[0][lane])
			}
			// The box of IMG-664 around the first row; its borders are black.
			if got := red(lane, 1, 0); got <= 0 || got > 5 {
				t.Errorf("%s: box in lane %d: %v", name, lane, got)
			}
		}
		if name == "process.qcom" {
			for lane := range 4 {
				if got := red(lane, 2, 0); got != results[2][lane] {
					t.Errorf("SAD in lane %d: %v, want %v", lane, got, results[2][lane])
				}
			}
			continue
		}
		for c := range 4 {
			if got := red(0, 2, c); got != [4]float32{8, 0, 0, 0}[c] {
				t.Errorf("window, component %d: %v", c, got)
			}
			if got, want := red(1, 3, c), [4]float32{46, 31, 4, 4}[c]; got != want {
				t.Errorf("gather at (1, 0), component %d: %v, want %v", c, got, want)
			}
		}
	}
}
