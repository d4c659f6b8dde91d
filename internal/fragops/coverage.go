package fragops

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// Coverage says how the coverage of a pixel's samples becomes that of the samples
// of one colour attachment, which may be fewer, and what it does to colours.
type Coverage struct {
	// Color is the number of the attachment's samples, Group that of the coverage
	// samples that belong to each: contiguous sample indices (RAS-334).
	Color, Group int
	// Merge covers a colour sample where any of its group is covered; otherwise
	// the first samples stand for themselves, and there are no groups.
	Merge bool
	// ToColor stores the coverage mask instead of a colour.
	ToColor bool
	// RGB and Alpha are what is multiplied by Factor[n-1], n the number of covered
	// samples of the group.
	RGB, Alpha bool
	Factor     [MaxSamples]float32
	// Width is how many bits of a mask are stored, as a number with a sign if Signed.
	Width  uint
	Signed bool
}

// NewCoverage is the coverage of an attachment with fewer samples than rasterized,
// or as many.
//
// RAS-333, RAS-334 fragops-coverage-reduction
func NewCoverage(samples, color int, mode vk.CoverageReductionModeNV) Coverage {
	c := Coverage{Color: color, Group: 1, Merge: mode == vk.CoverageReductionModeMergeNV}
	if c.Merge {
		c.Group = samples / color
	}
	return c
}

// Trivial says that each covered sample is a covered colour sample and nothing
// happens to colours.
func (c *Coverage) Trivial(samples int) bool {
	return c.Color == samples && !c.ToColor && !c.Modulates()
}

// Modulates says that colours depend on coverage.
func (c *Coverage) Modulates() bool { return c.RGB || c.Alpha }

// Modulate makes colours be multiplied by the part of a colour sample that is
// covered, or by an element of table. Integers and truncated coverage are left as
// they are.
//
// RAS-336 fragops-coverage-modulation
func (c *Coverage) Modulate(info *format.Info, mode vk.CoverageModulationModeNV, table []float32) error {
	if mode == vk.CoverageModulationModeNoneNV || !c.Merge || numericOf(info) == numInteger {
		return nil
	}
	if table != nil && len(table) != c.Group {
		return &StateError{What: "coverage modulation table of the wrong size", Rule: "VUID-VkPipelineCoverageModulationStateCreateInfoNV-coverageModulationTableEnable-01405",
			Fix: "give a factor for each coverage sample of a colour sample"}
	}
	c.RGB = mode == vk.CoverageModulationModeRgbNV || mode == vk.CoverageModulationModeRgbaNV
	c.Alpha = mode == vk.CoverageModulationModeAlphaNV || mode == vk.CoverageModulationModeRgbaNV
	for i := range c.Group {
		c.Factor[i] = float32(i+1) / float32(c.Group) // exact: a power of two
		if table != nil {
			c.Factor[i] = clampTo(table[i], 0, 1)
		}
	}
	return nil
}

// SetToColor makes the attachment take coverage masks.
//
// RAS-331 fragops-coverage-to-color
func (c *Coverage) SetToColor(info *format.Info) error {
	switch info.Format {
	case vk.FormatR8Uint, vk.FormatR16Uint, vk.FormatR32Uint, vk.FormatR8Sint, vk.FormatR16Sint, vk.FormatR32Sint:
	default:
		return &StateError{What: "coverage to colour of format " + info.Format.String(), Rule: "VUID-VkPipelineCoverageToColorStateCreateInfoNV-coverageToColorEnable-01404",
			Fix: "use R8, R16 or R32 of integers"}
	}
	c.ToColor, c.Width, c.Signed = true, uint(info.Components[0].Bits), info.Numeric == format.NumericSint
	return nil
}

// Value is a mask as the attachment's integers have it: the low bits, whatever
// number they are.
//
// RAS-331 fragops-coverage-to-color
func (c *Coverage) Value(mask uint64) uint32 {
	v := uint32(mask) << (32 - c.Width)
	if c.Signed {
		return uint32(int32(v) >> (32 - c.Width))
	}
	return v >> (32 - c.Width)
}

// Reduce is the colour samples that an invocation covers: mask is its samples,
// whole those of all invocations of the pixel. Of several that share a colour
// sample, that with the first sample has it.
//
// RAS-332, RAS-333, RAS-334 fragops-coverage-reduction
func (c *Coverage) Reduce(mask, whole uint64) (out uint64) {
	if c.Group == 1 {
		return mask & (1<<c.Color - 1)
	}
	for i := range c.Color {
		part := c.group(whole, i)
		if part&-part&(mask>>(i*c.Group)) != 0 {
			out |= 1 << i
		}
	}
	return out
}

// Covered is the number of covered samples of the group of colour sample i.
func (c *Coverage) Covered(whole uint64, i int) int { return bits.OnesCount64(c.group(whole, i)) }

// group is the covered samples of the group of a colour sample.
func (c *Coverage) group(mask uint64, i int) uint64 {
	return mask >> (i * c.Group) & (1<<c.Group - 1)
}

// Scale makes lane to of dst from a lane of src, multiplied by what belongs to a
// number of covered samples.
//
// RAS-336 fragops-coverage-modulation
func (c *Coverage) Scale(dst *[4][]uint32, to int, src *[4][]uint32, lane, covered int) {
	r := c.Factor[covered-1]
	for i := range src {
		v := src[i][lane]
		if i < 3 && c.RGB || i == 3 && c.Alpha {
			if v = math.Float32bits(math.Float32frombits(v) * r); v&math.MaxInt32 > 0x7F800000 {
				v = fp.CanonicalNaN
			}
		}
		dst[i][to] = v
	}
}
