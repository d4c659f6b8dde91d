package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// A blit's rows, lowered, are the reference's texels, which are those of an ordinary
// sample at unnormalized coordinates: in two and three dimensions, of any layer, with
// every filter, whatever the format.
func TestSource_RowsTexelsAndSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 53))
	for trial := range 300 {
		volume, filter := trial%3 == 0, []vk.Filter{vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT}[r.IntN(3)]
		f := formats[r.IntN(len(formats))]
		info, _ := format.Lookup(f)
		d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(7, 6, 1), ArrayLayers: 3}
		kind := vk.ImageViewType2DArray
		if volume {
			d.Type, d.Extent, d.ArrayLayers, kind = vk.ImageType3D, extent(7, 6, 5), 1, vk.ImageViewType3D
			if info.Aspects != vk.ImageAspectColorBit {
				continue
			}
		}
		im, err := resource.NewImage(d)
		if err != nil {
			continue // not every format has volumes
		}
		if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
			t.Fatal(err)
		}
		for i := range im.Data {
			im.Data[i] = byte(r.Uint32())
		}
		v, err := resource.NewView(im, resource.ViewDesc{Type: &kind})
		if err != nil {
			continue
		}
		weights := vk.CubicFilterWeightsQCOM(r.IntN(4))
		src, plain := NewSource(v, filter, weights, volume), ref.NewSource(v, filter, weights, volume)
		n := 1 + r.IntN(150)
		dst, u := make([]format.Texel, n), make([]float64, n)
		for i := range u {
			u[i] = r.Float64()*10 - 1.5
			if i%5 == 0 {
				u[i] = float64(r.IntN(16)) / 2
			}
		}
		y, z, layer := r.Float64()*8-1, 0.5, r.IntN(int(im.ArrayLayers))
		if volume {
			z = r.Float64()*7 - 1
		}
		src.Row(dst, u, y, z, layer)
		const edge = vk.SamplerAddressModeClampToEdge
		op := &ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D, Lod: ir.LodZero, Arrayed: true, Coords: 3}
		if volume {
			op.Dim, op.Arrayed = ir.Dim3D, false
		}
		s := &resource.Sampler{MagFilter: filter, MinFilter: filter, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge, UnnormalizedCoordinates: true, CubicWeights: weights}
		for i := range dst {
			if got := plain.Texel(u[i], y, z, layer); got != dst[i] {
				t.Fatalf("trial %d, %v, filter %v, volume %v: at %v the row has %x, the reference %x", trial, f, filter, volume, u[i], dst[i], got)
			}
			// A sample's coordinates are binary32.
			third := float32(layer)
			if volume {
				third = float32(z)
			}
			a := &ref.Args{Op: op}
			for c, x := range []float32{float32(u[i]), float32(y), third} {
				a.Coord[c] = []uint32{math.Float32bits(x)}
			}
			for c := range a.Out {
				a.Out[c] = make([]uint32, 1)
			}
			ref.Run(a, v, s, 1)
			want := plain.Texel(float64(float32(u[i])), float64(float32(y)), float64(float32(z)), layer)
			if got := (format.Texel{a.Out[0][0], a.Out[1][0], a.Out[2][0], a.Out[3][0]}); got != want {
				t.Fatalf("trial %d, %v, filter %v, volume %v: at %v a sample is %x, the source %x", trial, f, filter, volume, u[i], got, want)
			}
		}
	}
}

// Blits run lowered, but for images whose keys are not, and corner-sampled ones.
func TestNewSource_Lowered(t *testing.T) {
	for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear, vk.FilterCubicEXT} {
		for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR32Uint, vk.FormatBc1RgbUnormBlock} {
			if s := NewSource(viewOf(f, 1, 0), filter, 0, false); s.reference != nil {
				t.Errorf("%v with filter %v is not lowered", f, filter)
			}
		}
		if s := NewSource(viewOf(vk.FormatR8G8B8A8Unorm, 1, vk.ImageCreateCornerSampledBitNV), filter, 0, false); s.reference == nil {
			t.Error("a corner-sampled image is lowered")
		}
		v := viewOf(vk.FormatR8G8B8A8Unorm, 1, 0)
		v.Image.Layout.Size = 1 << 31
		if s := NewSource(v, filter, 0, false); s.reference == nil {
			t.Error("an image of 2 GiB is lowered")
		}
	}
}
