package render

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What becomes of coverage by tables: every number of samples over every number of colour samples, every mode, table, location
// and window.

// coverMasks are masks of samples: single ones, all but one, and others.
func coverMasks(samples int) (list []uint32) {
	all := uint32(1)<<samples - 1
	for i := range samples {
		list = append(list, 1<<i, all&^(1<<i), all>>i, 0x9e3779b9>>i&all)
	}
	return append(list, all, 0)
}

// A colour sample has the samples of its group, one of as many as there are groups: merged, it is covered where one of them is, and
// modulated by how many they are or by the table's element of that number. Truncated, it has the sample of its own number.
// A second output is multiplied, too.
func TestTables_RAS336_EveryCount(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-333", "RAS-334", "RAS-336")
	color, second := [4]float32{8, 4, 2, 1}, [4]float32{.5, .25, 2, 4}
	for _, samples := range []int{1, 2, 4, 8, 16} {
		for colors := 1; colors <= samples; colors *= 2 {
			group := samples / colors
			all := coverMasks(samples)
			for variant := range 12 {
				masks := all
				if testing.Short() && samples > 4 {
					masks = slices.Collect(func(yield func(uint32) bool) {
						for k := variant % 2; k < len(all) && yield(all[k]); k += 2 {
						}
					})
				}
				mode := vk.CoverageModulationModeNV(variant % 4)
				reduce, tabled := vk.CoverageReductionModeMergeNV, variant/4 == 1
				if variant/4 == 2 {
					reduce = vk.CoverageReductionModeTruncateNV
				}
				s := newScene(t, len(masks), 1, samples, vk.FormatUndefined) // a pixel for each mask
				s.color = newView(t, vk.FormatR32G32B32A32Sfloat, len(masks), 1, colors, 1)
				s.pass.Samples, s.pass.Color[0] = samples, Attachment{View: s.color, Load: vk.AttachmentLoadOpClear, ClearColor: texel(1, 1, 1, 1)}
				s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, _ [4]ir.Value) {
					for c := range uint32(4) {
						out := inout(ir.BuiltinNone, 0, c, ir.F32)
						out.Index = 1
						p.Outputs = append(p.Outputs, out)
						b.OpImm(ir.OpOutput, ir.Void, uint64(4+c), b.F32(second[c]))
					}
				})
				s.state.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorSrc1Color,
					SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorSrc1Alpha, ColorWriteMask: 15}
				s.state.CoverageModulation, s.state.CoverageReduction, s.state.CoverageTableEnable, s.state.CoverageTableCount = mode, reduce, tabled, uint8(group)
				for i := range group {
					s.state.CoverageTable[i] = float32(i*i+1) / 512
				}
				p := s.pipeline(t, 64)
				for k, mask := range masks {
					state := s.state
					state.SampleMask, state.Scissors[0] = uint64(mask), rect(int32(k), 0, 1, 1)
					s.add(p, state, s.whole(0, color[:]...), 8)
				}
				s.run(t, Config{Threads: 1})
				for k, mask := range masks {
					for i := range colors {
						n := bits.OnesCount32(mask >> (i * group) & (1<<group - 1))
						factor := float32(n) / float32(group)
						switch {
						case reduce == vk.CoverageReductionModeTruncateNV:
							n, factor = int(mask>>i&1), 1
						case tabled && n > 0:
							factor = float32((n-1)*(n-1)+1) / 512
						}
						for c := range 4 {
							want, f := float32(1), float32(1)
							if rgb := c < 3; rgb && mode&1 != 0 || !rgb && mode&2 != 0 {
								f = factor
							}
							if n > 0 {
								want = color[c]*f + second[c]*f // exact
							}
							if got := componentOf(s.color, k, 0, i, c); got != want {
								t.Fatalf("%d samples to %d, mask %#x, %v, %v, table %v: component %d of sample %d is %v, want %v", samples, colors, mask, reduce, mode, tabled, c, i, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Of batches that are full each fragment is written once: blending would add it twice.
func TestTables_RAS336_FullBatches(t *testing.T) {
	rules.Covers(t, "RAS-332", "RAS-336")
	for mask := uint32(1); mask < 16; mask++ { // of four samples, two a colour sample
		s := newScene(t, 16, 16, 4, vk.FormatUndefined)
		s.color = newView(t, vk.FormatR32G32B32A32Sfloat, 16, 16, 2, 1)
		s.pass.Samples, s.pass.Color[0] = 4, Attachment{View: s.color, Load: vk.AttachmentLoadOpClear, ClearColor: texel(1, 1, 1, 1)}
		s.state.SampleMask, s.state.CoverageModulation = uint64(mask), vk.CoverageModulationModeRgbaNV
		s.state.Blend[0] = vk.PipelineColorBlendAttachmentState{BlendEnable: true, SrcColorBlendFactor: vk.BlendFactorOne, DstColorBlendFactor: vk.BlendFactorOne,
			SrcAlphaBlendFactor: vk.BlendFactorOne, DstAlphaBlendFactor: vk.BlendFactorOne, ColorWriteMask: 15}
		s.add(s.pipeline(t, 64), s.state, s.whole(0, 8, 4, 2, 1), 8)
		s.run(t, Config{Threads: 1, Lanes: 64})
		for k := range 512 {
			x, y, i := k/2%16, k/32, k%2
			if got, want := float(s.color, x, y, i), 1+4*float32(bits.OnesCount32(mask>>(2*i)&3)); got != want {
				t.Fatalf("mask %#b: sample %d of %d,%d is %v, want %v", mask, i, x, y, got, want)
			}
		}
	}
}

// Coverage takes the place of the output of its location alone, whichever of 16 that is.
func TestTables_RAS331_EveryLocation(t *testing.T) {
	rules.Covers(t, "RAS-331")
	for at := range uint32(MaxColorAttachments + 1) {
		for _, on := range []bool{true, false} {
			s := newScene(t, 4, 4, 4, vk.FormatUndefined)
			views := s.attachments(t, vk.FormatR32Uint, MaxColorAttachments)
			s.fs = &ir.Program{Stage: ir.StageFragment, Name: "integers"}
			b := ir.NewBuilder(s.fs)
			for k := range uint32(MaxColorAttachments) {
				s.fs.Outputs = append(s.fs.Outputs, inout(ir.BuiltinNone, k, 0, ir.I32))
				b.OpImm(ir.OpOutput, ir.Void, uint64(k), b.I32(100+k))
			}
			b.Finish()
			s.state.CoverageToColor, s.state.CoverageToColorLocation, s.state.SampleMask = on, at, 0b1011
			s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8)
			s.run(t, Config{Threads: 1})
			for k, v := range views {
				l := v.Level(0, 0)
				for i := range 64 {
					want := uint32(100 + k)
					if on && k == int(at) {
						want = 0b1011
					}
					if i%4 == 2 {
						want = 0 // not covered
					}
					if got := binary.LittleEndian.Uint32(l.Data[l.Offset(i/4%4, i/16, 0, i%4):]); got != want {
						t.Fatalf("coverage at location %d, %v: attachment %d has %d at sample %d, want %d", at, on, k, got, i, want)
					}
				}
			}
		}
	}
}

// Custom orders of every entry and number of samples, all of them together: index j is the place that element j names, and others
// are pixel by pixel.
func TestTables_RAS170_EveryPlace(t *testing.T) {
	rules.Covers(t, "RAS-110", "RAS-112", "RAS-169", "RAS-170")
	var list []rates.CustomOrder
	for e := vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV; e <= vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV; e++ {
		for samples := 1; samples <= 64; samples *= 2 {
			size := paletteEntries[e]
			n := size.w * size.h * samples
			if n > rates.MaxCoverageSamples {
				break
			}
			o := rates.CustomOrder{Entry: e, Samples: samples}
			for j := range n {
				at := (j*(n-1) + n/2) % n // n-1 and n have no divisor in common
				o.Locations = append(o.Locations, vk.CoarseSampleLocationNV{PixelX: uint32(at % size.w), PixelY: uint32(at / size.w % size.h), Sample: uint32(at / size.w / size.h)})
			}
			list = append(list, o)
		}
	}
	for missing := range len(list) + 1 { // an order for all combinations but one, and for all
		some := append(append([]rates.CustomOrder{}, list[:missing]...), list[min(missing+1, len(list)):]...)
		order := rates.NewOrder(vk.CoarseSampleOrderTypeCustomNV, some)
		for k, o := range list {
			size := paletteEntries[o.Entry]
			r := rates.PaletteEntry(o.Entry).Rate()
			for j, l := range o.Locations {
				pixel, sample := int(l.PixelY)*size.w+int(l.PixelX), int(l.Sample)
				if k == missing {
					pixel, sample = j/o.Samples, j%o.Samples
				}
				if p, s := order.At(r, j, o.Samples); p != pixel || s != sample {
					t.Fatalf("%d×%d of %d samples, index %d: sample %d of pixel %d, want %d of %d", size.w, size.h, o.Samples, j, s, p, sample, pixel)
				}
				if got := order.Bit(r, pixel, sample, o.Samples); got != j {
					t.Fatalf("%d×%d of %d samples: sample %d of pixel %d has index %d, want %d", size.w, size.h, o.Samples, sample, pixel, got, j)
				}
			}
		}
	}
}

// Each of 16 discard rectangles counts, and the exclusive scissor of each of 16 viewports; those that are not in use count for nothing.
func TestTables_RAS306_EveryWindow(t *testing.T) {
	rules.Covers(t, "RAS-300", "RAS-306", "RAS-308")
	check := func(what string, s *scene, kept func(x int) bool) {
		t.Helper()
		s.add(s.pipeline(t, 64), s.state, s.whole(0, 1, 1, 1, 1), 8)
		s.run(t, Config{Threads: 1})
		for x := range 16 {
			if got := pixel(s.color, x, 1, 0)[0] != 0; got != kept(x) {
				t.Errorf("%s: column %d is drawn: %v", what, x, got)
			}
		}
	}
	for at := range 16 {
		// Rectangle i is column i.
		for count := range 17 {
			for mode := vk.DiscardRectangleModeInclusiveEXT; mode <= vk.DiscardRectangleModeExclusiveEXT; mode++ {
				if count != at && count != at+1 && count != 16 {
					continue
				}
				s := newScene(t, 16, 2, 1, vk.FormatUndefined)
				s.state.DiscardEnable, s.state.DiscardCount, s.state.DiscardMode = true, count, mode
				for i := range s.state.DiscardRectangles {
					s.state.DiscardRectangles[i] = rect(int32(i), 0, 1, 2)
				}
				s.state.DiscardRectangles[at].Extent.Width = 0 // which is empty
				check(fmt.Sprintf("%d rectangles, %d empty, %v", count, at, mode), s, func(x int) bool {
					return count == 0 || (x < count && x != at) == (mode == vk.DiscardRectangleModeInclusiveEXT)
				})
			}
		}
		for _, enabled := range []uint32{0, 1 << at, 0xffff &^ (1 << at), 0xffff} {
			s := newScene(t, 16, 2, 1, vk.FormatUndefined)
			s.viewports(at)
			s.state.ExclusiveEnable = enabled
			for i := range s.state.ExclusiveScissors {
				s.state.ExclusiveScissors[i] = rect(int32(i), 0, 1, 2)
			}
			check(fmt.Sprintf("viewport %d, exclusive scissors %#x", at, enabled), s, func(x int) bool { return x != at || enabled>>at&1 == 0 })
		}
	}
}
