package core

import (
	"fmt"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Static state of pipelines by tables: each rule in pipelines of every topology, polygon mode, line mode and number of samples.

// What depth clip, the sample mask and sample shading are does not depend on other state: depth clip is what the pipeline says,
// else the contrary of depth clamp; a mask that is missing has all samples; minSampleShading counts where sample shading is enabled.
func TestTables_RAS009_InEveryPipeline(t *testing.T) {
	rules.Covers(t, "RAS-009", "RAS-015", "RAS-016", "RAS-017", "RAS-018", "RAS-076")
	d := open(t)
	on, off := true, false
	polygons := []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV}
	lines := []vk.LineRasterizationMode{vk.LineRasterizationModeDefault, vk.LineRasterizationModeRectangular, vk.LineRasterizationModeBresenham, vk.LineRasterizationModeRectangularSmooth}
	check := func(topology vk.PrimitiveTopology, polygon vk.PolygonMode, line vk.LineRasterizationMode, samples, variant int) {
		t.Helper()
		clip, clamp, masked, shaded := [3]*bool{nil, &off, &on}[variant%3], variant/3%2 != 0, variant/6%2 != 0, variant/12%2 != 0
		p := fullscreen(t, d, "number.frag", vk.PipelineRenderingCreateInfo{}, func(i *GraphicsPipelineInfo) {
			i.Fragment, i.InputAssembly.Topology, i.Rasterization.PolygonMode = Stage{}, topology, polygon
			if topology == vk.PrimitiveTopologyPatchList {
				i.Control, i.Evaluation, i.PatchControlPoints = Stage{Code: shaderCode(t, "forever.tesc")}, Stage{Code: shaderCode(t, "forever.tese")}, 3
			}
			i.Line = &vk.PipelineRasterizationLineStateCreateInfo{LineRasterizationMode: line}
			i.DepthClipEnable, i.Rasterization.DepthClampEnable = clip, clamp
			i.Multisample.RasterizationSamples, i.Multisample.SampleShadingEnable, i.Multisample.MinSampleShading = vk.SampleCountFlags(samples), shaded, .5
			if masked {
				i.Multisample.SampleMask = []uint32{0x5a5a, 0xa5}
			}
		})
		s := (&runner{bindings: newBindings(nil)}).resolve(p)
		mask, least, clips := ^uint64(0), 0, !clamp
		if masked {
			mask = 0xa5_0000_5a5a
		}
		if clip != nil {
			clips = *clip
		}
		if shaded {
			least = max(samples/2, 1)
		}
		if s.DepthClipEnable != clips || s.SampleMask != mask || s.SampleShadingOn != shaded || s.SampleInvocations != least || s.SampleShadingEnable != (least > 1) || s.LineMode != line || s.PolygonMode != polygon {
			t.Errorf("%v, %v, %v, %d samples, variant %d: clip %v, mask %#x, sample shading %v of %d", topology, polygon, line, samples, variant, s.DepthClipEnable, s.SampleMask, s.SampleShadingEnable, s.SampleInvocations)
		}
	}
	k := 0
	for topology := vk.PrimitiveTopologyPointList; topology <= vk.PrimitiveTopologyPatchList; topology++ {
		for _, polygon := range polygons {
			for variant := range 6 {
				check(topology, polygon, lines[k%4], 1<<(k%5), variant+6*(k%4))
				k++
			}
		}
	}
	for i, line := range lines {
		for samples := 1; samples <= 64; samples *= 2 {
			for variant := range 24 {
				check(vk.PrimitiveTopologyTriangleList, polygons[(i+variant)%4], line, samples, variant)
			}
		}
	}
}

// What a pipeline says of rectangles and viewports, for all sixteen of them.
func TestTables_RAS015_EveryWindow(t *testing.T) {
	rules.Covers(t, "RAS-020", "RAS-040", "RAS-041")
	d := open(t)
	for n := range 17 {
		w := Windows{DiscardMode: vk.DiscardRectangleModeExclusiveEXT, WScalingEnable: n%2 == 0}
		var want render.DynamicState
		for i := range n {
			v := uint32(5*i + n)
			w.DiscardRectangles = append(w.DiscardRectangles, rectangleOf(v))
			w.ExclusiveScissors = append(w.ExclusiveScissors, rectangleOf(v+1))
			w.WScalings = append(w.WScalings, vk.ViewportWScalingNV{Xcoeff: float32(v), Ycoeff: -float32(v)})
			for k := range listStates {
				if l := &listStates[k]; l.s == vk.DynamicStateViewportSwizzleNV {
					l.set(&want, i, v)
				}
			}
			w.Swizzles = append(w.Swizzles, want.ViewportSwizzle[i])
			want.DiscardRectangles[i], want.ExclusiveScissors[i], want.WScaling[i] = w.DiscardRectangles[i], w.ExclusiveScissors[i], w.WScalings[i]
			want.ExclusiveEnable |= 1 << i
		}
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.Windows = &w })
		s := (&runner{bindings: newBindings(nil)}).resolve(p)
		if s.DiscardMode != w.DiscardMode || s.DiscardEnable != (n > 0) || s.DiscardCount != n || s.DiscardRectangles != want.DiscardRectangles || s.ExclusiveScissors != want.ExclusiveScissors ||
			s.ExclusiveEnable != want.ExclusiveEnable || s.WScaling != want.WScaling || s.WScalingEnable != (n%2 == 0) {
			t.Errorf("%d windows: %+v", n, s)
		}
		for i := range n {
			if s.ViewportSwizzle[i] != want.ViewportSwizzle[i] {
				t.Errorf("swizzle %d of %d is %+v", i, n, s.ViewportSwizzle[i])
			}
		}
	}
}

// A texel can be a rate where it begins with an unsigned integer of its first component, red: of all formats, by their names.
func TestTables_RAS141_EveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-141")
	d := open(t)
	begins := regexp.MustCompile(`^VK_FORMAT_R[0-9][R0-9GBA]*_UINT$`)
	n := 0
	for _, f := range format.All() {
		want := begins.MatchString(f.String())
		if got := d.FormatProperties(f).OptimalTilingFeatures&vk.FormatFeatureFragmentShadingRateAttachmentBitKHR != 0; got != want {
			t.Errorf("%v: %v, want %v", f, got, want)
		}
		if want {
			n++
		}
	}
	if n != 16 { // one to four components of 8, 16, 32 and 64 bits
		t.Errorf("%d formats", n)
	}
}

// Every enum as the rate of pipelines and of commands, with the feature and without.
func TestTables_RAS153_EveryEnum(t *testing.T) {
	rules.Covers(t, "RAS-027", "RAS-139", "RAS-143", "RAS-153", "RAS-154")
	const none = "VUID-vkCmdSetFragmentShadingRateEnumNV-noInvocationFragmentShadingRates-04578"
	const several = "VUID-vkCmdSetFragmentShadingRateEnumNV-supersampleFragmentShadingRates-04577"
	const unknown = "VUID-VkPipelineFragmentShadingRateEnumStateCreateInfoNV-shadingRate-parameter"
	for _, enums := range []bool{false, true} {
		d := must(Open(Config{HeapMemory: true, Threads: 1, RateEnums: enums}))(t)
		t.Cleanup(func() { _ = d.Close() })
		for v := vk.FragmentShadingRateNV(-1); v < 20; v++ {
			want, broken := rates.Shading{W: uint8(v >> 2 & 3), H: uint8(v & 3)}, ""
			switch {
			case v < 0 || v > 15 || v == 2 || v == 3 || v == 7 || v == 8:
				broken = unknown
			case v >= 11 && v < 15:
				if want = (rates.Shading{Invocations: uint8(v - 10)}); !enums {
					broken = several
				}
			case v == 15:
				if want = (rates.Shading{Invocations: rates.NoInvocations}); !enums {
					broken = none
				}
			}
			c := d.NewCommandBuffer()
			rate := ShadingRate{Enum: &v, Combiners: [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKHR(max(v, 0) % 5), vk.FragmentShadingRateCombinerOpKHR((max(v, 0) + 3) % 5)}}
			c.SetFragmentShadingRate(rate)
			p, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
				Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
				Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, Rate: &rate,
				DynamicStates: []vk.DynamicState{vk.DynamicStateViewport, vk.DynamicStateScissor},
			})
			if rule(c.Err()) != broken || rule(err) != broken || broken == "" && err != nil {
				t.Errorf("enums %v, rate %d: a command %v, a pipeline %v; want %s", enums, v, c.Err(), err, broken)
			}
			if broken != "" || err != nil || c.Err() != nil {
				continue
			}
			r := &runner{dev: &Device{}, bindings: newBindings(nil)}
			if err := r.run(ctx, c.words); err != nil {
				t.Fatal(err)
			}
			for _, s := range []*render.DynamicState{&r.dynamic, r.resolve(p)} {
				if s.ShadingRate != want || s.RateCombiners != rate.Combiners {
					t.Errorf("rate %d: %+v with %v, want %+v with %v", v, s.ShadingRate, s.RateCombiners, want, rate.Combiners)
				}
			}
		}
	}
	// Every size with every pair of combiners.
	d := open(t)
	for k := range 9 * 25 {
		w, h, a, b := k%3, k/3%3, k/9%5, k/45
		rate := ShadingRate{Size: vk.Extent2D{Width: 1 << w, Height: 1 << h}, Combiners: [2]vk.FragmentShadingRateCombinerOpKHR{vk.FragmentShadingRateCombinerOpKHR(a), vk.FragmentShadingRateCombinerOpKHR(b)}}
		c := d.NewCommandBuffer()
		c.SetFragmentShadingRate(rate)
		r := &runner{dev: &Device{}, bindings: newBindings(nil)}
		if err := r.run(ctx, c.words); err != nil || c.Err() != nil {
			t.Fatal(err, c.Err())
		}
		if s := &r.dynamic; s.ShadingRate != (rates.Shading{W: uint8(w), H: uint8(h)}) || s.RateCombiners != rate.Combiners {
			t.Errorf("%+v: %+v with %v", rate, s.ShadingRate, s.RateCombiners)
		}
	}
	for _, bad := range []vk.FragmentShadingRateCombinerOpKHR{-1, 5} {
		for at := range 2 {
			rate := ShadingRate{Size: vk.Extent2D{Width: 1, Height: 1}}
			rate.Combiners[at] = bad
			c := d.NewCommandBuffer()
			if c.SetFragmentShadingRate(rate); rule(c.Err()) != "VUID-vkCmdSetFragmentShadingRateKHR-combinerOps-parameter" {
				t.Errorf("combiner %d is %d: %v", at, bad, c.Err())
			}
		}
	}
}

// manyViewports gives a pipeline so many viewports.
func manyViewports(i *GraphicsPipelineInfo, n int) {
	i.Viewport.Viewports = slices.Repeat(i.Viewport.Viewports, n)
	i.Viewport.Scissors = slices.Repeat(i.Viewport.Scissors, n)
}

// Palettes of 1 to 16 entries for 1 to 16 viewports, of pipelines and of commands; no fewer than viewports.
func TestTables_RAS160_EveryPalette(t *testing.T) {
	rules.Covers(t, "RAS-028", "RAS-160", "RAS-162")
	d := open(t)
	for viewports := 1; viewports <= 16; viewports++ {
		for _, n := range []int{viewports - 1, viewports, 16} {
			var list [][]vk.ShadingRatePaletteEntryNV
			var want [16]rates.Palette
			for i := range n {
				var entries []vk.ShadingRatePaletteEntryNV
				for k := range (i+viewports)%16 + 1 {
					e := (i + 5*k) % 12
					entries = append(entries, vk.ShadingRatePaletteEntryNV(e))
					want[i].Entries[k] = uint8(e)
				}
				want[i].N = uint8(len(entries))
				list = append(list, entries)
			}
			if n == viewports-1 {
				_, err := d.NewGraphicsPipeline(&GraphicsPipelineInfo{
					Vertex: Stage{Code: shaderCode(t, "input.vert")}, InputAssembly: vk.PipelineInputAssemblyStateCreateInfo{Topology: vk.PrimitiveTopologyTriangleList},
					Viewport: vk.PipelineViewportStateCreateInfo{Viewports: slices.Repeat([]vk.Viewport{{Width: 1, Height: 1, MaxDepth: 1}}, viewports),
						Scissors: make([]vk.Rect2D, viewports)},
					Rasterization: vk.PipelineRasterizationStateCreateInfo{LineWidth: 1}, RateImage: &RateImage{Enable: true, Palettes: list},
				})
				if rule(err) != "VUID-VkPipelineViewportShadingRateImageStateCreateInfoNV-shadingRateImageEnable-02056" {
					t.Errorf("%d palettes of %d viewports: %v", n, viewports, err)
				}
				continue
			}
			p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
				manyViewports(i, viewports)
				i.RateImage = &RateImage{Enable: true, Palettes: list}
			})
			if s := (&runner{bindings: newBindings(nil)}).resolve(p); s.Palettes != want || !s.RateImageEnable {
				t.Errorf("%d palettes of %d viewports: %+v", n, viewports, s.Palettes)
			}
			first := 16 - n
			c := d.NewCommandBuffer()
			c.SetViewportShadingRatePalette(uint32(first), list)
			r := &runner{dev: &Device{}, bindings: newBindings(nil)}
			if err := r.run(ctx, c.words); err != nil || c.Err() != nil {
				t.Fatal(err, c.Err())
			}
			if !slices.Equal(r.dynamic.Palettes[first:], want[:n]) {
				t.Errorf("%d palettes from %d on: %+v", n, first, r.dynamic.Palettes)
			}
		}
	}
}

// coarseEntries are the six palette entries of more than a pixel, as log2 of width and height.
var coarseEntries = map[vk.ShadingRatePaletteEntryNV][2]int{
	vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV: {1, 0}, vk.ShadingRatePaletteEntry1InvocationPer1X2PixelsNV: {0, 1}, vk.ShadingRatePaletteEntry1InvocationPer2X2PixelsNV: {1, 1},
	vk.ShadingRatePaletteEntry1InvocationPer4X2PixelsNV: {2, 1}, vk.ShadingRatePaletteEntry1InvocationPer2X4PixelsNV: {1, 2}, vk.ShadingRatePaletteEntry1InvocationPer4X4PixelsNV: {2, 2},
}

// Orders of samples: custom ones of every entry and number of samples, together and one by one, and what each of them may not say.
func TestTables_RAS170_EveryOrder(t *testing.T) {
	rules.Covers(t, "RAS-028", "RAS-160", "RAS-169", "RAS-170")
	d := open(t)
	const order = "VUID-VkCoarseSampleOrderCustomNV-"
	set := func(kind vk.CoarseSampleOrderTypeNV, list ...rates.CustomOrder) error {
		c := d.NewCommandBuffer()
		c.SetCoarseSampleOrder(kind, list)
		return c.Err()
	}
	const custom = vk.CoarseSampleOrderTypeCustomNV
	want := func(what string, err error, broken string) {
		t.Helper()
		if rule(err) != broken || broken == "" && err != nil {
			t.Errorf("%s: %v, want %s", what, err, broken)
		}
	}
	var all []rates.CustomOrder
	for e, size := range coarseEntries {
		for samples := 1; samples <= 64; samples *= 2 {
			o := rates.CustomOrder{Entry: e, Samples: samples}
			w, h := 1<<size[0], 1<<size[1]
			n := w * h * samples
			if n > 256 {
				o.Locations = make([]vk.CoarseSampleLocationNV, n)
				want(fmt.Sprint(n, " locations"), set(custom, o), "VUID-VkCoarseSampleOrderCustomNV-sampleLocationCount-02076")
				continue
			}
			for k := range n { // all of them, in an order of their own
				at := (k*(n-1) + n/2) % n
				o.Locations = append(o.Locations, vk.CoarseSampleLocationNV{PixelX: uint32(at % w), PixelY: uint32(at / w % h), Sample: uint32(at / w / h)})
			}
			all = append(all, o)
			change := func(at int, f func(*vk.CoarseSampleLocationNV)) rates.CustomOrder {
				x := o
				x.Locations = slices.Clone(o.Locations)
				f(&x.Locations[at])
				return x
			}
			want("all places", set(custom, o), "")
			for _, at := range []int{0, n / 2, n - 1} {
				want("a column too far", set(custom, change(at, func(l *vk.CoarseSampleLocationNV) { l.PixelX = uint32(w) })), "VUID-VkCoarseSampleLocationNV-pixelX-02078")
				want("a row too far", set(custom, change(at, func(l *vk.CoarseSampleLocationNV) { l.PixelY = uint32(h) })), "VUID-VkCoarseSampleLocationNV-pixelY-02079")
				want("a sample too far", set(custom, change(at, func(l *vk.CoarseSampleLocationNV) { l.Sample = uint32(samples) })), "VUID-VkCoarseSampleLocationNV-sample-02080")
				want("a place twice", set(custom, change(at, func(l *vk.CoarseSampleLocationNV) { *l = o.Locations[(at+1)%n] })), order+"pSampleLocations-02077")
			}
			x := o
			x.Locations = o.Locations[:n-1]
			want("a place less", set(custom, x), order+"sampleLocationCount-02075")
			x.Locations = append(slices.Clone(o.Locations), o.Locations[0])
			want("a place more", set(custom, x), order+"sampleLocationCount-02075")
		}
	}
	for samples := -1; samples <= 33; samples++ {
		broken := order + "sampleCount-02074"
		if samples > 0 && samples <= 64 && bits.OnesCount(uint(samples)) == 1 {
			broken = order + "sampleLocationCount-02075" // the next that is asked for
		}
		want("a number of samples", set(custom, rates.CustomOrder{Entry: vk.ShadingRatePaletteEntry1InvocationPer2X1PixelsNV, Samples: samples}), broken)
	}
	for e := vk.ShadingRatePaletteEntryNV(-1); e <= 13; e++ {
		broken := order + "shadingRate-02073"
		if _, ok := coarseEntries[e]; ok {
			broken = order + "sampleLocationCount-02075"
		}
		want("an entry", set(custom, rates.CustomOrder{Entry: e, Samples: 1}), broken)
	}
	for kind := vk.CoarseSampleOrderTypeNV(-1); kind <= 4; kind++ {
		alone, with := "", "VUID-vkCmdSetCoarseSampleOrderNV-sampleOrderType-02081"
		if kind < 0 || kind > 3 {
			alone = "VUID-vkCmdSetCoarseSampleOrderNV-sampleOrderType-parameter"
			with = alone
		} else if kind == custom {
			with = ""
		}
		want("a kind", set(kind), alone)
		want("a kind with a custom one", set(kind, all[0]), with)
	}
	for i := range all { // each of them once more at the end
		want("a combination twice", set(custom, append(slices.Clone(all), all[i])...), "VUID-vkCmdSetCoarseSampleOrderNV-pCustomSampleOrders-02235")
		if i > 0 {
			want("one beside another", set(custom, all[i], all[i-1]), "")
		}
	}
	// Pipelines and commands make the same of them.
	for kind := vk.CoarseSampleOrderTypeDefaultNV; kind <= vk.CoarseSampleOrderTypeSampleMajorNV; kind++ {
		var list []rates.CustomOrder
		if kind == custom {
			list = all
		}
		c := d.NewCommandBuffer()
		c.SetCoarseSampleOrder(kind, list)
		r := &runner{dev: &Device{}, bindings: newBindings(nil)}
		if err := r.run(ctx, c.words); err != nil || c.Err() != nil {
			t.Fatal(err, c.Err())
		}
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) { i.RateImage = &RateImage{Order: kind, Custom: list} })
		order := rates.NewOrder(kind, list)
		if !reflect.DeepEqual(r.dynamic.SampleOrder, order) || !reflect.DeepEqual(r.resolve(p).SampleOrder, order) {
			t.Errorf("order %d: a command makes %+v, a pipeline %+v", kind, r.dynamic.SampleOrder, r.resolve(p).SampleOrder)
		}
	}
}

// What can be bound as a shading rate image: views of every type, of formats beside R8_UINT, with and without the usage.
func TestTables_RAS161_EveryView(t *testing.T) {
	rules.Covers(t, "RAS-161")
	d := open(t)
	view := func(info vk.ImageCreateInfo, typ vk.ImageViewType) *ImageView {
		t.Helper()
		info.Extent.Width, info.Extent.Height, info.Extent.Depth = 4, max(info.Extent.Height, 1), 1
		return must(d.NewImageView(must(d.NewImage(info, nil, 0, ""))(t), resource.ViewDesc{Type: &typ}, ""))(t)
	}
	bind := func(v *ImageView) string {
		c := d.NewCommandBuffer()
		c.BindShadingRateImage(v)
		if c.Err() != nil && rule(c.Err()) == "" {
			return c.Err().Error()
		}
		return rule(c.Err())
	}
	const rates, other = vk.ImageUsageShadingRateImageBitNV, vk.ImageUsageSampledBit
	const types, formats, usage = "VUID-vkCmdBindShadingRateImageNV-imageView-02059", "VUID-vkCmdBindShadingRateImageNV-imageView-02060", "VUID-vkCmdBindShadingRateImageNV-imageView-02061"
	for typ, of := range map[vk.ImageViewType]vk.ImageCreateInfo{
		vk.ImageViewType1D: {ImageType: vk.ImageType1D}, vk.ImageViewType1DArray: {ImageType: vk.ImageType1D, ArrayLayers: 3}, vk.ImageViewType2D: {ImageType: vk.ImageType2D},
		vk.ImageViewType2DArray: {ImageType: vk.ImageType2D, ArrayLayers: 3}, vk.ImageViewType3D: {ImageType: vk.ImageType3D},
		vk.ImageViewTypeCube:      {ImageType: vk.ImageType2D, ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit, Extent: vk.Extent3D{Height: 4}},
		vk.ImageViewTypeCubeArray: {ImageType: vk.ImageType2D, ArrayLayers: 12, Flags: vk.ImageCreateCubeCompatibleBit, Extent: vk.Extent3D{Height: 4}},
	} {
		flat := typ == vk.ImageViewType2D || typ == vk.ImageViewType2DArray
		for _, f := range []vk.Format{vk.FormatR8Uint, vk.FormatR8Unorm, vk.FormatR8Sint, vk.FormatR8G8Uint, vk.FormatR16Uint, vk.FormatR32Uint, vk.FormatR8G8B8A8Uint, vk.FormatR8G8B8A8Unorm,
			vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatA2B10G10R10UnormPack32, vk.FormatR16G16B16A16Sfloat, vk.FormatR32Sfloat, vk.FormatR5G6B5UnormPack16, vk.FormatR8G8B8A8Snorm} {
			of.Format, of.Usage = f, other
			want := types
			switch {
			case flat && f != vk.FormatR8Uint:
				want = formats
			case flat:
				want = usage
			}
			if got := bind(view(of, typ)); got != want {
				t.Errorf("%v of %v: %s, want %s", typ, f, got, want)
			}
		}
		if of.Format, of.Usage = vk.FormatR8Uint, rates; flat {
			if got := bind(view(of, typ)); got != "" {
				t.Errorf("%v: %s", typ, got)
			}
		}
	}
}

// Layouts are by layer of the images that have layers; of 3D images by slice where VK_KHR_maintenance9 and the image say so,
// else all slices have one.
func TestTables_IMG887_EveryImage(t *testing.T) {
	rules.Covers(t, "IMG-887")
	for _, nine := range []bool{false, true} {
		d := must(Open(Config{HeapMemory: true, Threads: 1, Maintenance9: nine}))(t)
		t.Cleanup(func() { _ = d.Close() })
		for _, c := range []struct {
			info vk.ImageCreateInfo
			want int // places of a level
		}{
			{vk.ImageCreateInfo{ImageType: vk.ImageType1D, Extent: vk.Extent3D{Width: 4, Height: 1, Depth: 1}, ArrayLayers: 5}, 5},
			{vk.ImageCreateInfo{ImageType: vk.ImageType2D, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}, ArrayLayers: 5}, 5},
			{vk.ImageCreateInfo{ImageType: vk.ImageType2D, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 1}}, 1},
			{vk.ImageCreateInfo{ImageType: vk.ImageType3D, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 3}}, 1},
			{vk.ImageCreateInfo{ImageType: vk.ImageType3D, Extent: vk.Extent3D{Width: 4, Height: 4, Depth: 3}, Flags: vk.ImageCreate2DArrayCompatibleBit}, map[bool]int{false: 1, true: 3}[nine]},
		} {
			c.info.Format, c.info.MipLevels = vk.FormatR8Unorm, 2
			im := must(d.NewImage(c.info, nil, 0, ""))(t)
			for first := range uint32(6) {
				for _, n := range []uint32{0, 1, 2, vk.RemainingArrayLayers} {
					seen := map[*vk.ImageLayout]bool{}
					im.eachLayout(vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 2, BaseArrayLayer: first, LayerCount: n}, func(at *vk.ImageLayout, _ vk.ImageAspectFlags) { seen[at] = true })
					want := max(min(int(n), c.want-int(first)), 0)
					if n == vk.RemainingArrayLayers {
						want = max(c.want-int(first), 0)
					}
					if c.info.ImageType == vk.ImageType3D && c.want == 1 { // whatever slices are named
						want = 1
					}
					if len(seen) != 2*want {
						t.Errorf("maintenance 9 %v, %v of %d layers, from %d on %d: %d places, want %d", nine, c.info.ImageType, c.info.ArrayLayers, first, n, len(seen), 2*want)
					}
				}
			}
		}
	}
}

// Each statistic is the figure that its bit names, and pools have those that they ask for, in the order of their bits.
func TestTables_RAS359_EveryStatistic(t *testing.T) {
	rules.Covers(t, "RAS-359")
	const compute = 1111
	s := &render.Stats{VerticesIn: 101, Primitives: 106, Clipped: 107, Fragments: 108}
	s.Assembled, s.Vertices, s.GeometryInvocations, s.GeometryPrimitives = 102, 103, 104, 105
	s.Patches, s.Evaluations, s.TaskInvocations, s.MeshInvocations = 109, 110, 112, 113
	figures := []struct {
		bit  vk.QueryPipelineStatisticFlags
		want uint64
	}{
		{vk.QueryPipelineStatisticInputAssemblyVerticesBit, 101}, {vk.QueryPipelineStatisticInputAssemblyPrimitivesBit, 102}, {vk.QueryPipelineStatisticVertexShaderInvocationsBit, 103},
		{vk.QueryPipelineStatisticGeometryShaderInvocationsBit, 104}, {vk.QueryPipelineStatisticGeometryShaderPrimitivesBit, 105}, {vk.QueryPipelineStatisticClippingInvocationsBit, 106},
		{vk.QueryPipelineStatisticClippingPrimitivesBit, 107}, {vk.QueryPipelineStatisticFragmentShaderInvocationsBit, 108}, {vk.QueryPipelineStatisticTessellationControlShaderPatchesBit, 109},
		{vk.QueryPipelineStatisticTessellationEvaluationShaderInvocationsBit, 110}, {vk.QueryPipelineStatisticComputeShaderInvocationsBit, compute},
		{vk.QueryPipelineStatisticTaskShaderInvocationsBitEXT, 112}, {vk.QueryPipelineStatisticMeshShaderInvocationsBitEXT, 113},
	}
	for set := range 1 << len(figures) {
		q := &QueryPool{}
		var want []uint64
		for i, f := range figures {
			if set>>i&1 != 0 {
				q.stats |= f.bit
				want = append(want, f.want)
			}
		}
		if got := q.values(s, compute); !slices.Equal(got, want) {
			t.Fatalf("statistics %v are %v, want %v", q.stats, got, want)
		}
	}
}
