package fragops

import (
	"math"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// RAS-344: values worked out by hand from the tables. Source and destination are
// (0.2, 0.4, 0.1, 0.5) and (0.3, 0.1, 0.6, 0.75), premultiplied: straight (0.4,
// 0.8, 0.2) and (0.4, 0.1333, 0.8); p0, p1, p2 are 0.375, 0.125, 0.375.
func TestAdvanced_RAS344_Red(t *testing.T) {
	rules.Covers(t, "RAS-344")
	s, d := Vec4{.2, .4, .1, .5}, Vec4{.3, .1, .6, .75}
	over := func(f float64) float64 { return f*.375 + .4*.125 + .4*.375 }
	for op, want := range map[vk.BlendOp][2]float64{
		vk.BlendOpZeroEXT:             {0, 0},
		vk.BlendOpSrcEXT:              {.2, .5},
		vk.BlendOpDstEXT:              {.3, .75},
		vk.BlendOpSrcOverEXT:          {over(.4), .875},
		vk.BlendOpDstOverEXT:          {over(.4), .875},
		vk.BlendOpSrcInEXT:            {.15, .375},
		vk.BlendOpDstInEXT:            {.15, .375},
		vk.BlendOpSrcOutEXT:           {.05, .125},
		vk.BlendOpDstOutEXT:           {.15, .375},
		vk.BlendOpSrcAtopEXT:          {.3, .75},
		vk.BlendOpDstAtopEXT:          {.2, .5},
		vk.BlendOpXorEXT:              {.2, .5},
		vk.BlendOpMultiplyEXT:         {over(.16), .875},
		vk.BlendOpScreenEXT:           {over(.64), .875},
		vk.BlendOpOverlayEXT:          {over(.32), .875},
		vk.BlendOpDarkenEXT:           {over(.4), .875},
		vk.BlendOpColordodgeEXT:       {over(.4 / .6), .875},
		vk.BlendOpColorburnEXT:        {over(0), .875},
		vk.BlendOpHardlightEXT:        {over(.32), .875},
		vk.BlendOpSoftlightEXT:        {over(.4 - .2*.4*.6), .875},
		vk.BlendOpDifferenceEXT:       {over(0), .875},
		vk.BlendOpExclusionEXT:        {over(.48), .875},
		vk.BlendOpInvertEXT:           {.6*.375 + .15, .75},
		vk.BlendOpInvertRgbEXT:        {.24*.375 + .15, .75},
		vk.BlendOpLineardodgeEXT:      {over(.8), .875},
		vk.BlendOpLinearburnEXT:       {over(0), .875},
		vk.BlendOpVividlightEXT:       {over(1 - .6/.8), .875},
		vk.BlendOpLinearlightEXT:      {over(.2), .875},
		vk.BlendOpPinlightEXT:         {over(.4), .875},
		vk.BlendOpHardmixEXT:          {over(0), .875},
		vk.BlendOpPlusEXT:             {.5, 1.25},
		vk.BlendOpPlusClampedEXT:      {.5, 1},
		vk.BlendOpPlusClampedAlphaEXT: {.5, 1},
		vk.BlendOpPlusDarkerEXT:       {1 - (.3 + .45), 1},
		vk.BlendOpMinusEXT:            {.1, .25},
		vk.BlendOpMinusClampedEXT:     {.1, .25},
		vk.BlendOpContrastEXT:         {.375 + 2*(.3-.375)*(.2-.25), .75},
		vk.BlendOpInvertOvgEXT:        {.5*.7 + .5*.3, .875},
		vk.BlendOpRedEXT:              {.2, .75},
		vk.BlendOpGreenEXT:            {.3, .75},
		vk.BlendOpBlueEXT:             {.3, .75},
	} {
		b := BlendState{ColorOp: op, AlphaOp: op, Lo: 1}
		got := b.Blend(s, Vec4{}, d)
		if math.Abs(float64(got[0])-want[0]) > 1e-6 || math.Abs(float64(got[3])-want[1]) > 1e-6 {
			t.Errorf("%v: red %v, alpha %v, want %v", op, got[0], got[3], want)
		}
	}
}

// Hue, saturation and luminosity keep what their names say.
func TestAdvanced_RAS344_HSL(t *testing.T) {
	rules.Covers(t, "RAS-344")
	s, d := color{.45, .6, .35}, color{.5, .3, .6}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	for op, want := range map[vk.BlendOp][2]color{ // luminosity and saturation of
		vk.BlendOpHslHueEXT: {d, d}, vk.BlendOpHslSaturationEXT: {d, s}, vk.BlendOpHslColorEXT: {d, s}, vk.BlendOpHslLuminosityEXT: {s, d},
	} {
		got := hsl(op, s, d)
		if !near(lum(got), lum(want[0])) || !near(sat(got), sat(want[1])) {
			t.Errorf("%v: %v has luminosity %v and saturation %v", op, got, lum(got), sat(got))
		}
	}
}

// Overlaps, straight colours, clamped results.
func TestAdvanced_RAS344_Parameters(t *testing.T) {
	rules.Covers(t, "RAS-344")
	s, d := Vec4{.4, .4, .4, .5}, Vec4{.3, .3, .3, .75}
	for _, c := range []struct {
		op   vk.BlendOp
		a    AdvancedBlend
		want float64
	}{
		{vk.BlendOpSrcInEXT, AdvancedBlend{SrcStraight: true}, .4 * .375},
		{vk.BlendOpSrcInEXT, AdvancedBlend{SrcStraight: true, Overlap: vk.BlendOverlapConjointEXT}, .4 * .5},
		{vk.BlendOpSrcInEXT, AdvancedBlend{SrcStraight: true, Overlap: vk.BlendOverlapDisjointEXT}, .4 * .25},
		{vk.BlendOpPlusEXT, AdvancedBlend{SrcStraight: true, DstStraight: true}, (.2 + .225) / 1.25},
		{vk.BlendOpMinusEXT, AdvancedBlend{SrcStraight: true}, .1},
		{vk.BlendOpMinusEXT, AdvancedBlend{ClampResults: true}, 0},
	} {
		b := BlendState{ColorOp: c.op, AlphaOp: c.op, Advanced: c.a, Lo: 1}
		if got := b.Blend(s, Vec4{}, d); math.Abs(float64(got[0])-c.want) > 1e-6 {
			t.Errorf("%v %+v: %v, want %v", c.op, c.a, got[0], c.want)
		}
	}
}

// With 8 bits the destination's 0.75 is 191/255, and its sum with 0.25 lies 0.25/255 below 1: half of
// a code is 0.5/255. With 16 bits, and for floats, the sum stays what it is.
func TestAdvanced_RAS344_HardmixInCodes(t *testing.T) {
	rules.Covers(t, "RAS-344")
	for _, at := range []struct {
		format vk.Format
		code   []byte // of red
		src    float32
		red    []byte
	}{
		{vk.FormatR8Unorm, []byte{191}, .25, []byte{255}},
		{vk.FormatR8Unorm, []byte{191}, .2492, []byte{255}}, // 0.454/255 below 1
		{vk.FormatR8Unorm, []byte{191}, .249, []byte{0}},    // 0.505/255
		{vk.FormatR16Unorm, []byte{0xbf, 0xbf}, .25, []byte{0, 0}},
		{vk.FormatR8G8B8A8Unorm, []byte{191, 191, 191, 255}, .25, []byte{255, 255, 255, 255}},                  // each component
		{vk.FormatA2R10G10B10UnormPack32, []byte{0xff, 0xfe, 0xfb, 0xef}, .25, []byte{0xff, 0xff, 0xff, 0xff}}, // 767/1023: 0.25/1023 below 1
		{vk.FormatR8Srgb, []byte{188}, .4961, []byte{0}},                                                       // 0.50289 of linear light: the codes are no even steps
		{vk.FormatR16Sfloat, []byte{0xfe, 0x39}, .25, []byte{0, 0}},                                            // 0.7490234375
		// A quarter of a code, or less than half of one of 16 bits, below 1, where codes do not count.
		{vk.FormatR16Unorm, []byte{0xff, 0xbf}, .25, []byte{0, 0}},
		{vk.FormatR16Sfloat, []byte{0xff, 0x39}, .2504847, []byte{0, 0}},
		{vk.FormatA2B10G10R10SnormPack32, []byte{0x7f, 0xfd, 0xf5, 0x57}, .2502, []byte{0, 0, 0, 0x40}}, // 383/511
	} {
		info, _ := format.Lookup(at.format)
		c, err := NewColor(ColorDesc{Info: info, WriteEnable: true, Advanced: AdvancedBlend{SrcStraight: true, DstStraight: true},
			State: vk.PipelineColorBlendAttachmentState{BlendEnable: true, ColorBlendOp: vk.BlendOpHardmixEXT, AlphaBlendOp: vk.BlendOpHardmixEXT, ColorWriteMask: 15}})
		if err != nil {
			t.Fatal(err)
		}
		p := slices.Clone(at.code)
		one := math.Float32bits(1)
		src := math.Float32bits(at.src)
		c.sample(p, format.Texel{src, src, src, one}, format.Texel{})
		if !slices.Equal(p, at.red) {
			t.Errorf("%v: %v over %v gives %v, want %v", at.format, at.src, at.code, p, at.red)
		}
	}
}
