package conformance

import (
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// querySizes is the instruction of testdata/image.glsl that asks for the size of a level, and how many there are.
const querySizes imageHow = 7

// Sizes of every level of every kind of image, of views that begin at another level and layer, and of levels that there are not.
func TestTables_IMG605_SizesOfEveryKindOfImage(t *testing.T) {
	rules.Covers(t, "IMG-040", "IMG-042", "IMG-605", "IMG-606", "IMG-608")
	for _, dev := range imageDevices(t) {
		near := ruleSampler(t, dev, pumice.SamplerDesc{})
		for _, c := range []struct {
			shader string
			desc   pumice.ImageDesc
			view   vk.ImageViewType
			layers int // of the view; 0: none are counted
			each   int // layers of what is counted
		}{
			{"image1d", pumice.ImageDesc{Width: 13}, vk.ImageViewType1D, 0, 1}, {"image1darray", pumice.ImageDesc{Width: 13, Layers: 5}, vk.ImageViewType1DArray, 3, 1},
			{"image2d", pumice.ImageDesc{Width: 13, Height: 5, Layers: 2}, vk.ImageViewType2D, 0, 1}, {"image2d", pumice.ImageDesc{Width: 1, Height: 9}, vk.ImageViewType2D, 0, 1},
			{"imagearray", pumice.ImageDesc{Width: 13, Height: 5, Layers: 7}, vk.ImageViewType2DArray, 5, 1}, {"image3d", pumice.ImageDesc{Width: 13, Height: 5, Depth: 21}, vk.ImageViewType3D, 0, 1},
			{"image3d", pumice.ImageDesc{Width: 2, Height: 19, Depth: 3}, vk.ImageViewType3D, 0, 1}, {"imagecube", pumice.ImageDesc{Width: 11, Height: 11, Cube: true, Layers: 12}, vk.ImageViewTypeCube, 0, 6},
			{"imagecubearray", pumice.ImageDesc{Width: 11, Height: 11, Cube: true, Layers: 24}, vk.ImageViewTypeCubeArray, 2, 6},
		} {
			size := [3]int{c.desc.Width, c.desc.Height, c.desc.Depth}
			levels := 0
			for n := max(size[0], size[1], size[2]); n > 0; n /= 2 {
				levels++
			}
			for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR32G32B32A32Sfloat} {
				c.desc.Format, c.desc.MipLevels = f, levels
				im, err := dev.NewImage(c.desc)
				if err != nil {
					t.Fatal(err)
				}
				for base := range levels {
					for count := 1; base+count <= levels; count++ {
						desc := pumice.ViewDesc{Type: c.view, BaseLevel: base, Levels: count, Layers: max(c.layers, 1) * c.each}
						if c.desc.Layers > desc.Layers {
							desc.BaseLayer = c.each
						}
						view, err := im.NewView(desc)
						if err != nil {
							t.Fatal(err)
						}
						var lanes []imageLane
						for level := -2; level <= count+1; level++ {
							l := imageLane{level: int32(level), want: [4]float32{3: float32(count)}}
							n := 0
							for _, x := range size {
								if x == 0 {
									continue
								}
								if level >= 0 && level < count {
									l.want[n] = float32(max(x>>(base+level), 1))
								}
								n++
							}
							if c.layers > 0 && level >= 0 && level < count {
								l.want[n] = float32(c.layers)
							}
							lanes = append(lanes, l)
						}
						got := dev.lanes(t, c.shader, querySizes, false, pumice.Texture{View: view, Sampler: near}, lanes)
						for k, l := range lanes {
							l.same(t, c.shader, floatsOf(got[k]))
						}
						view.Close()
					}
				}
				im.Close()
			}
		}
	}
}
