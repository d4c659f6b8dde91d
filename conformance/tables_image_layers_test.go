package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// layerOf is IMG-484: the nearest layer, ties to even, of those that the view has.
func layerOf(a float32, layers int) int {
	if a != a {
		return 0
	}
	if math.IsInf(float64(a), 0) || math.Abs(float64(a)) > 1<<30 {
		if a < 0 {
			return 0
		}
		return layers - 1
	}
	return int(min(max(roundEven(exactly(a)), 0), int64(layers)-1))
}

// Layers and levels of every kind of array, by every instruction that takes a layer.
func TestTables_IMG484_LayersOfEveryArray(t *testing.T) {
	rules.Covers(t, "IMG-005", "IMG-006", "IMG-022", "IMG-025", "IMG-030", "IMG-042", "IMG-043", "IMG-200", "IMG-201", "IMG-460", "IMG-461", "IMG-462", "IMG-475", "IMG-484", "IMG-579")
	inf := float32(math.Inf(1))
	const base, layers, levels = 2, 5, 3
	for _, dev := range imageDevices(t) {
		for shader, c := range map[string]struct {
			desc pumice.ImageDesc
			view vk.ImageViewType
			at   int // the coordinate that is the layer
			each int // layers of a cube
		}{
			"image1darray":   {pumice.ImageDesc{Width: 16, Layers: 9}, vk.ImageViewType1DArray, 1, 1},
			"imagearray":     {pumice.ImageDesc{Width: 16, Height: 8, Layers: 9}, vk.ImageViewType2DArray, 2, 1},
			"imagecubearray": {pumice.ImageDesc{Width: 32, Height: 32, Layers: 54, Cube: true}, vk.ImageViewTypeCubeArray, 3, 6},
		} {
			c.desc.Format, c.desc.MipLevels = vk.FormatR32Sfloat, 4
			im := ruleImage(t, dev, c.desc, func(level, layer, _, _, _ int) []byte { return word(float32(1000*level + layer)) })
			view, err := im.NewView(pumice.ViewDesc{Type: c.view, BaseLevel: 1, Levels: levels, BaseLayer: base * c.each, Layers: layers * c.each})
			if err != nil {
				t.Fatal(err)
			}
			name := func(level, layer, face int) float32 { return float32(1000*(1+level) + (base+layer)*c.each + face) }
			var places []float32
			for k := -2; k <= 2*layers+2; k++ {
				x := float32(k) / 2
				places = append(places, x, math.Nextafter32(x, inf), math.Nextafter32(x, -inf))
			}
			places = append(places, minus0, nan32, inf, -inf, 1e9, -1e9, 4294967296, smallest, 16777217)
			var lanes, gathers, fetches []imageLane
			for k, a := range places {
				face := 0
				l := imageLane{at: [4]float32{.4375, .5625}, one: true, lod: float32(k%9)/2 - 1}
				if c.each == 6 {
					face = k % 6
					v := fromFace(face, [3]float64{.125, -.25, 1})
					l.at = direction(v)
				}
				l.at[c.at] = a
				d := min(max(l.lod, 0), levels-1)
				level := int(math.Ceil(float64(d)+.5)) - 1
				l.want[0] = name(level, layerOf(a, layers), face)
				lanes = append(lanes, l)
				g := name(0, layerOf(a, layers), face)
				l.want, l.one = [4]float32{g, g, g, g}, false
				gathers = append(gathers, l)
			}
			for layer := -1; layer <= layers; layer++ {
				for level := int32(-1); level <= levels; level++ {
					l := imageLane{level: level, want: [4]float32{0, 0, 0, 1}}
					l.texel[c.at&3%3] = int32(layer)
					if layer >= 0 && layer < layers && level >= 0 && level < levels {
						l.want[0] = name(int(level), layer, 0)
					}
					fetches = append(fetches, l)
				}
			}
			for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear} {
				r := imageRule{dev: dev, shader: shader, view: view, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: filter, MinFilter: filter})}
				r.check(t, fmt.Sprintf("%s, %v", shader, filter), lanes)
				if shader != "image1darray" {
					r.how = gathered
					r.check(t, shader+", gathers", gathers)
				}
				if c.each == 1 {
					r.how = fetched
					r.check(t, shader+", fetches", fetches)
				}
			}
			view.Close()
			im.Close()
		}
	}
}
