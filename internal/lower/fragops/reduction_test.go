package fragops_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// writeReduced stores the colour of a fragment sample by sample: what the reference makes of its
// coverage, and that of the whole pixel.
func writeReduced(c *ref.Color, v *ref.Coverage, dst *ref.Surface, f ref.Fragment, whole uint64,
	src, second *[4][]uint32) {
	for rest := v.Reduce(f.Mask, whole); rest != 0; rest &= rest - 1 {
		one, n := ref.Fragment{X: f.X, Y: f.Y, Mask: rest & -rest}, 1
		if v.Modulates() {
			n = v.Covered(whole, bits.TrailingZeros64(rest))
		}
		var a, b [4][]uint32
		for k := range a {
			a[k], b[k] = make([]uint32, 1), make([]uint32, 1)
		}
		if v.Scale(&a, 0, src, int(f.Lane), n); v.ToColor {
			a[0][0] = v.Value(whole)
		}
		v.Scale(&b, 0, second, int(f.Lane), n)
		c.Write(dst, []ref.Fragment{one}, &a, &b)
	}
}

// Programs on places give the reference's bits at attachments with fewer samples than pixels have, and
// of what coverage does to colours.
func TestColor_ReducedSamplesOfPlaces(t *testing.T) {
	rules.Covers(t, "RAS-331", "RAS-332", "RAS-333", "RAS-334", "RAS-336")
	masks := []vk.Format{
		vk.FormatR8Uint, vk.FormatR16Uint, vk.FormatR32Uint,
		vk.FormatR8Sint, vk.FormatR16Sint, vk.FormatR32Sint,
	}
	formats := append([]vk.Format{
		vk.FormatR8G8B8A8Unorm, vk.FormatR8G8Srgb, vk.FormatR16G16B16A16Sfloat,
		vk.FormatR32G32Sfloat, vk.FormatR5G6B5UnormPack16, vk.FormatR8Snorm,
	}, masks...)
	states := rules.Cases(60, 2000)
	for _, info := range targets() {
		if !slices.Contains(formats, info.Format) {
			continue
		}
		t.Run(info.Format.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(info.Format), 9))
			for range states {
				shift := samplesShift(r)
				samples := 1 << shift
				v := ref.NewCoverage(samples, 1<<r.IntN(shift+1), vk.CoverageReductionModeNV(r.IntN(2)))
				if slices.Contains(masks, info.Format) && r.IntN(2) == 0 {
					if err := v.SetToColor(info); err != nil {
						t.Fatal(err)
					}
				}
				var table []float32
				if r.IntN(2) == 0 {
					for range v.Group {
						table = append(table, r.Float32())
					}
				}
				if err := v.Modulate(info, vk.CoverageModulationModeNV(r.IntN(4)), table); err != nil {
					t.Fatal(err)
				}
				w := fragops.All(samples)
				if r.IntN(2) == 0 {
					w.First = r.IntN(samples)
					w.Count = 1 + r.IntN(samples-w.First)
				}
				checkPlaces(t, r, state(r, info), w, &v)
			}
		})
	}
}
