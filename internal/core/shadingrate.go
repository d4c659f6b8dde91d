package core

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// Fragment shading rates (VK_KHR_fragment_shading_rate), as enums
// (VK_NV_fragment_shading_rate_enums), and the shading rate image
// (VK_NV_shading_rate_image).

// MaxFragmentSize is the extent of maxFragmentSize, in pixels; MaxRateInvocations is
// maxFragmentShadingRateInvocationCount.
const (
	MaxFragmentSize    = 4
	MaxRateInvocations = 16
)

// Of the shading rate image: shadingRateTexelSize, shadingRatePaletteSize and
// shadingRateMaxCoarseSamples, which is maxFragmentShadingRateCoverageSamples too.
const (
	RateImageTexel     = rates.ImageTexel
	PaletteSize        = rates.PaletteSize
	MaxViewports       = render.MaxViewports
	MaxCoverageSamples = rates.MaxCoverageSamples
	MaxRateSamples     = rates.MaxSamples
)

// CustomOrder is VkCoarseSampleOrderCustomNV.
type CustomOrder = rates.CustomOrder

// rateFormat says that texels of a format can be shading rates: their first byte is
// the low one of the first component.
//
// RAS-141 primsrast-fragment-shading-rate-attachment
func rateFormat(f vk.Format) bool {
	info, ok := format.Lookup(f)
	return ok && info.Supported() == nil && info.Aspects == vk.ImageAspectColorBit && info.Numeric == format.NumericUint &&
		info.PackedBits == 0 && info.Components[0].Kind == format.KindR && info.Components[0].Shift == 0
}

// ShadingRate is the fragment shading rate of a pipeline
// (VkPipelineFragmentShadingRateStateCreateInfoKHR).
type ShadingRate struct {
	Size      vk.Extent2D
	Combiners [2]vk.FragmentShadingRateCombinerOpKHR
	// Enum, if set, stands for Size (VkPipelineFragmentShadingRateEnumStateCreateInfoNV).
	Enum *vk.FragmentShadingRateNV
}

// sizeRules are the valid-usage statements of a rate's size: what is less than one, no power of two, and too large, of
// width and height each.
type sizeRules [3][2]string

var (
	pipelineSize = sizeRules{
		{"VkGraphicsPipelineCreateInfo-pDynamicState-04494", "VkGraphicsPipelineCreateInfo-pDynamicState-04495"},
		{"VkGraphicsPipelineCreateInfo-pDynamicState-04496", "VkGraphicsPipelineCreateInfo-pDynamicState-04497"},
		{"VkGraphicsPipelineCreateInfo-pDynamicState-04498", "VkGraphicsPipelineCreateInfo-pDynamicState-04499"},
	}
	commandSize = sizeRules{
		{"vkCmdSetFragmentShadingRateKHR-pFragmentSize-04513", "vkCmdSetFragmentShadingRateKHR-pFragmentSize-04514"},
		{"vkCmdSetFragmentShadingRateKHR-pFragmentSize-04515", "vkCmdSetFragmentShadingRateKHR-pFragmentSize-04516"},
		{"vkCmdSetFragmentShadingRateKHR-pFragmentSize-04517", "vkCmdSetFragmentShadingRateKHR-pFragmentSize-04518"},
	}
)

// broken is the rule that a size breaks, "" if none.
func (r *sizeRules) broken(size vk.Extent2D) string {
	for axis, n := range [2]uint32{size.Width, size.Height} {
		switch {
		case n < 1:
			return r[0][axis]
		case n&(n-1) != 0:
			return r[1][axis]
		case n > MaxFragmentSize:
			return r[2][axis]
		}
	}
	return ""
}

// check checks the rate; rules are those of its size.
//
// RAS-139, RAS-154 primsrast-fragment-shading-rate-pipeline
func (r *ShadingRate) check(d *Device, op Op, rules *sizeRules) (rates.Shading, error) {
	for _, c := range r.Combiners {
		if c < 0 || c > vk.FragmentShadingRateCombinerOpMulKHR {
			return rates.Shading{}, d.misuse(op, "vkCmdSetFragmentShadingRateKHR-combinerOps-parameter", "", "combiner %d", c)
		}
	}
	if r.Enum != nil {
		return enumRate(d, op, *r.Enum)
	}
	if rule := rules.broken(r.Size); rule != "" {
		return rates.Shading{}, d.misuse(op, rule, "use 1, 2 or 4", "fragments of %d×%d", r.Size.Width, r.Size.Height)
	}
	return rates.Shading{W: uint8(bits.TrailingZeros32(r.Size.Width)), H: uint8(bits.TrailingZeros32(r.Size.Height))}, nil
}

// enumRate checks a rate that is an enum.
//
// RAS-153 VkFragmentShadingRateNV
func enumRate(d *Device, op Op, v vk.FragmentShadingRateNV) (rates.Shading, error) {
	switch v {
	case 0, 1, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15:
	default:
		return rates.Shading{}, d.misuse(op, "VkPipelineFragmentShadingRateEnumStateCreateInfoNV-shadingRate-parameter", "", "shading rate %d", v)
	}
	s := rates.ShadingOf(uint32(v), true)
	switch {
	case d.cfg.RateEnums:
	case s.Invocations == rates.NoInvocations:
		return rates.Shading{}, d.misuse(op, "vkCmdSetFragmentShadingRateEnumNV-noInvocationFragmentShadingRates-04578", "enable noInvocationFragmentShadingRates", "shading rate %v", v)
	case s.Invocations > 0:
		return rates.Shading{}, d.misuse(op, "vkCmdSetFragmentShadingRateEnumNV-supersampleFragmentShadingRates-04577", "enable supersampleFragmentShadingRates", "shading rate %v", v)
	}
	return s, nil
}

// RateImage is VkPipelineViewportShadingRateImageStateCreateInfoNV and
// VkPipelineViewportCoarseSampleOrderStateCreateInfoNV.
type RateImage struct {
	Enable   bool
	Palettes [][]vk.ShadingRatePaletteEntryNV // by viewport
	Order    vk.CoarseSampleOrderTypeNV
	Custom   []rates.CustomOrder
}

// apply puts the state into that of a pipeline, but for what is dynamic.
//
// RAS-160 primsrast-shading-rate-image
func (r *RateImage) apply(d *Device, op Op, p *Pipeline, s *render.DynamicState) error {
	if r == nil {
		return nil
	}
	palettes := (r.Enable || p.dynamic.has(dynRateImageEnable)) && !p.dynamic.has(dynPalettes)
	if palettes && len(r.Palettes) < s.ViewportCount {
		return d.misuse(op, "VkPipelineViewportShadingRateImageStateCreateInfoNV-shadingRateImageEnable-02056", "", "%d palettes for %d viewports", len(r.Palettes), s.ViewportCount)
	}
	s.RateImageEnable = r.Enable
	if palettes {
		if err := checkPalettes(d, op, "VkPipelineViewportShadingRateImageStateCreateInfoNV-viewportCount-02055", 0, r.Palettes); err != nil {
			return err
		}
		for i, entries := range r.Palettes {
			s.Palettes[i] = palette(entries)
		}
	}
	if p.dynamic.has(dynSampleOrder) {
		return nil
	}
	if err := checkOrder(d, op, &pipelineOrder, r.Order, r.Custom); err != nil {
		return err
	}
	s.SampleOrder = rates.NewOrder(r.Order, r.Custom)
	return nil
}

// checkPalettes checks palettes of viewports from first on; rule is that of their number.
func checkPalettes(d *Device, op Op, rule string, first uint32, list [][]vk.ShadingRatePaletteEntryNV) error {
	if n := uint64(first) + uint64(len(list)); n < 1 || n > render.MaxViewports {
		return d.misuse(op, rule, "", "palettes of viewports %d+%d; there are %d", first, len(list), render.MaxViewports)
	}
	for i, entries := range list {
		if len(entries) < 1 || len(entries) > rates.PaletteSize {
			return d.misuse(op, "VkShadingRatePaletteNV-shadingRatePaletteEntryCount-02071", "", "palette %d has %d entries; 1 to %d are supported", i, len(entries), rates.PaletteSize)
		}
		for _, e := range entries {
			if e < 0 || e > vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV {
				return d.misuse(op, "VkShadingRatePaletteNV-pShadingRatePaletteEntries-parameter", "", "palette %d has entry %d", i, e)
			}
		}
	}
	return nil
}

func palette(entries []vk.ShadingRatePaletteEntryNV) (p rates.Palette) {
	for i, e := range entries {
		p.Entries[i] = uint8(e)
	}
	p.N = uint8(len(entries))
	return p
}

// orderRules are the valid-usage statements of a coarse sample order: custom ones for another kind, and two for one
// combination.
type orderRules struct{ kind, twice string }

var (
	pipelineOrder = orderRules{"VkPipelineViewportCoarseSampleOrderStateCreateInfoNV-sampleOrderType-02072", "VkPipelineViewportCoarseSampleOrderStateCreateInfoNV-pCustomSampleOrders-02234"}
	commandOrder  = orderRules{"vkCmdSetCoarseSampleOrderNV-sampleOrderType-02081", "vkCmdSetCoarseSampleOrderNV-pCustomSampleOrders-02235"}
)

// checkOrder checks a coarse sample order. None has more samples than a fragment can (VUID-VkCoarseSampleOrderCustomNV-sampleLocationCount-02076):
// 16 in 4×4 pixels.
//
// RAS-170 VkCoarseSampleOrderCustomNV
func checkOrder(d *Device, op Op, rules *orderRules, kind vk.CoarseSampleOrderTypeNV, custom []rates.CustomOrder) error {
	if kind < 0 || kind > vk.CoarseSampleOrderTypeSampleMajorNV {
		return d.misuse(op, "vkCmdSetCoarseSampleOrderNV-sampleOrderType-parameter", "", "order %d", kind)
	}
	if kind != vk.CoarseSampleOrderTypeCustomNV && len(custom) > 0 {
		return d.misuse(op, rules.kind, "", "%d custom orders for order %d", len(custom), kind)
	}
	type combination struct {
		entry   vk.ShadingRatePaletteEntryNV
		samples int
	}
	seen := map[combination]bool{}
	for i, o := range custom {
		s := rates.PaletteEntry(o.Entry)
		if o.Entry < 0 || o.Entry > vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV || s.W+s.H == 0 {
			return d.misuse(op, "VkCoarseSampleOrderCustomNV-shadingRate-02073", "", "custom order %d is for entry %d, of one pixel", i, o.Entry)
		}
		if o.Samples < 1 || o.Samples > MaxSamples || o.Samples&(o.Samples-1) != 0 {
			return d.misuse(op, "VkCoarseSampleOrderCustomNV-sampleCount-02074",
				"use a power of two up to 64", "custom order %d is for %d samples", i, o.Samples)
		}
		if len(o.Locations) != o.Samples<<(s.W+s.H) {
			return d.misuse(op, "VkCoarseSampleOrderCustomNV-sampleLocationCount-02075", "", "custom order %d has %d locations; it needs %d", i, len(o.Locations), o.Samples<<(s.W+s.H))
		}
		if len(o.Locations) > MaxCoverageSamples {
			return d.misuse(op, "VkCoarseSampleOrderCustomNV-sampleLocationCount-02076", "",
				"custom order %d has %d locations; %d are supported", i, len(o.Locations), MaxCoverageSamples)
		}
		k := combination{o.Entry, o.Samples}
		if seen[k] {
			return d.misuse(op, rules.twice, "", "custom order %d is for the combination of another", i)
		}
		seen[k] = true
		var taken [rates.MaxCoverageSamples]bool
		for _, l := range o.Locations {
			rule := ""
			switch {
			case l.PixelX >= 1<<s.W:
				rule = "VkCoarseSampleLocationNV-pixelX-02078"
			case l.PixelY >= 1<<s.H:
				rule = "VkCoarseSampleLocationNV-pixelY-02079"
			case l.Sample >= uint32(o.Samples):
				rule = "VkCoarseSampleLocationNV-sample-02080"
			}
			if rule != "" {
				return d.misuse(op, rule, "", "custom order %d has sample %d of pixel %d,%d", i, l.Sample, l.PixelX, l.PixelY)
			}
			at := (l.PixelY<<s.W|l.PixelX)*uint32(o.Samples) + l.Sample
			if taken[at] {
				return d.misuse(op, "VkCoarseSampleOrderCustomNV-pSampleLocations-02077", "", "custom order %d has sample %d of pixel %d,%d twice", i, l.Sample, l.PixelX, l.PixelY)
			}
			taken[at] = true
		}
	}
	return nil
}

// shadingRateValue has the rate in its first word and the combiners behind it.
//
// RAS-027
var shadingRateValue = stateValue{
	read: func(s *state, w []uint32) {
		s.ShadingRate = rates.Shading{W: uint8(w[0]), H: uint8(w[0] >> 8), Invocations: uint8(w[0] >> 16)}
		s.RateCombiners = [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKHR(w[1]), vk.FragmentShadingRateCombinerOpKHR(w[2])}
	},
	take: func(dst, src *state) { dst.ShadingRate, dst.RateCombiners = src.ShadingRate, src.RateCombiners },
}

// paletteValue has the first palette in front, and of each a word of the count and one of each entry.
//
// RAS-028
var paletteValue = stateValue{
	read: func(s *state, w []uint32) {
		at := w[0]
		for w = w[1:]; len(w) > 0; at++ {
			n := w[0]
			entries := make([]vk.ShadingRatePaletteEntryNV, n)
			for i := range entries {
				entries[i] = vk.ShadingRatePaletteEntryNV(w[1+i])
			}
			s.Palettes[at], w = palette(entries), w[1+n:]
		}
	},
	take: func(dst, src *state) { dst.Palettes = src.Palettes },
}

// sampleOrderValue has the kind, and of each custom one entry, samples, count and locations.
//
// RAS-028
var sampleOrderValue = stateValue{
	read: func(s *state, w []uint32) {
		kind := vk.CoarseSampleOrderTypeNV(w[0])
		var custom []rates.CustomOrder
		for w = w[1:]; len(w) > 0; {
			o := rates.CustomOrder{Entry: vk.ShadingRatePaletteEntryNV(w[0]), Samples: int(w[1])}
			n := w[2]
			for _, l := range w[3 : 3+n] {
				o.Locations = append(o.Locations, vk.CoarseSampleLocationNV{PixelX: l & 255, PixelY: l >> 8 & 255, Sample: l >> 16})
			}
			custom, w = append(custom, o), w[3+n:]
		}
		s.SampleOrder = rates.NewOrder(kind, custom)
	},
	take: func(dst, src *state) { dst.SampleOrder = src.SampleOrder },
}

// SetFragmentShadingRate sets the shading rate of the pipeline.
//
// RAS-154 vkCmdSetFragmentShadingRateEnumNV
func (c *CommandBuffer) SetFragmentShadingRate(r ShadingRate) {
	op := c.setter(dynShadingRate)
	if !c.ok(op, 0) {
		return
	}
	s, err := r.check(c.dev, op, &commandSize)
	if !c.try(err) {
		return
	}
	word := uint32(s.W) | uint32(s.H)<<8 | uint32(s.Invocations)<<16
	c.set(dynShadingRate, word, uint32(r.Combiners[0]), uint32(r.Combiners[1]))
}

// BindShadingRateImage binds the shading rate image; nil is one of zeros.
//
// RAS-161 vkCmdBindShadingRateImageNV
func (c *CommandBuffer) BindShadingRateImage(v *ImageView) {
	op := c.op("vkCmdBindShadingRateImageNV")
	if !c.ok(op, 0) {
		return
	}
	if v == nil {
		if c.rates { // else it is so already
			c.emit(opRateImage, noObject)
		}
		c.rates = false
		return
	}
	if !c.try(v.use(c.dev, op)) {
		return
	}
	switch w := v.view; {
	case w.Type != vk.ImageViewType2D && w.Type != vk.ImageViewType2DArray:
		c.misuse(op, "vkCmdBindShadingRateImageNV-imageView-02059", "", "%s is neither 2D nor a 2D array", v.label())
	case w.Format != vk.FormatR8Uint:
		c.misuse(op, "vkCmdBindShadingRateImageNV-imageView-02060", "use R8_UINT", "%s has format %v", v.label(), w.Format)
	case w.Image.Usage&vk.ImageUsageShadingRateImageBitNV == 0:
		c.misuse(op, "vkCmdBindShadingRateImageNV-imageView-02061", "", "%s is not for shading rates", v.label())
	case int64(len(w.Image.Data)) < w.Image.Layout.Size:
		c.misuse(op, "VkImageViewCreateInfo-image-01020", "", "%s has no memory", v.label())
	default:
		c.rates = true
		c.emit(opRateImage, c.object(v))
	}
}

// SetViewportShadingRatePalette sets the palettes of viewports from first on.
//
// RAS-162 vkCmdSetViewportShadingRatePaletteNV
func (c *CommandBuffer) SetViewportShadingRatePalette(first uint32, list [][]vk.ShadingRatePaletteEntryNV) {
	op := c.setter(dynPalettes)
	if !c.ok(op, 0) || !c.try(checkPalettes(c.dev, op, "vkCmdSetViewportShadingRatePaletteNV-firstViewport-02067", first, list)) {
		return
	}
	words := []uint32{first}
	for _, entries := range list {
		words = append(words, uint32(len(entries)))
		for _, e := range entries {
			words = append(words, uint32(e))
		}
	}
	c.set(dynPalettes, words...)
}

// SetCoarseSampleOrder sets the order of coverage indices of fragments of several
// pixels.
//
// RAS-169, RAS-170 vkCmdSetCoarseSampleOrderNV
func (c *CommandBuffer) SetCoarseSampleOrder(kind vk.CoarseSampleOrderTypeNV, custom []rates.CustomOrder) {
	op := c.setter(dynSampleOrder)
	if !c.ok(op, 0) || !c.try(checkOrder(c.dev, op, &commandOrder, kind, custom)) {
		return
	}
	words := []uint32{uint32(kind)}
	for _, o := range custom {
		words = append(words, uint32(o.Entry), uint32(o.Samples), uint32(len(o.Locations)))
		for _, l := range o.Locations {
			words = append(words, l.PixelX|l.PixelY<<8|l.Sample<<16)
		}
	}
	c.set(dynSampleOrder, words...)
}
