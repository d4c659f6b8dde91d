package lower_test

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/imagemodule"
	"github.com/pumice-gpu/pumice/vk"
)

// placed is a view of an image whose texels are 1000 + 100·layer (or slice) + 10·y + x + 1000·sample.
func placed(t *testing.T, d resource.ImageDesc, as vk.ImageViewType) *resource.ImageView {
	t.Helper()
	if d.Format == vk.FormatUndefined {
		d.Format = vk.FormatR32Sfloat
	}
	im, err := resource.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
		t.Fatal(err)
	}
	for layer := range im.ArrayLayers {
		l := im.Level(0, 0, layer)
		for z := range l.Depth {
			for y := range l.Height {
				for x := range l.Width {
					for s := range im.Samples {
						binary.LittleEndian.PutUint32(l.Data[l.Offset(x, y, z, s):], math.Float32bits(float32(1000*(s+1)+100*(layer+z)+10*y+x)))
					}
				}
			}
		}
	}
	v, err := resource.NewView(im, resource.ViewDesc{Type: &as})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Each shape of image takes its own coordinates: of samples floats from 0 to 1 with the layer as it is,
// of fetches, reads and writes integers; cubes a direction where they are sampled, and a face where they are stored.
// Projection divides all of them by one more. Integers that are written keep their sign, or that they have none. What the
// images' types say of Depth changes nothing.
func TestCoordinates_EveryShape(t *testing.T) {
	rules.Covers(t, "IMG-020", "IMG-021", "IMG-022", "IMG-026", "IMG-031", "IMG-390", "IMG-391")
	shape := func(kind vk.ImageType, w, h, d uint32, layers int) resource.ImageDesc {
		return resource.ImageDesc{Type: kind, Extent: vk.Extent3D{Width: w, Height: h, Depth: d}, ArrayLayers: layers}
	}
	square := func(layers int) resource.ImageDesc {
		d := shape(vk.ImageType2D, 2, 2, 1, layers)
		if layers%6 == 0 {
			d.Flags = vk.ImageCreateCubeCompatibleBit
		}
		return d
	}
	samples, natural, whole, counted := square(1), square(1), square(1), square(12)
	samples.Samples = 4
	natural.Format, whole.Format, counted.Format = vk.FormatR32Uint, vk.FormatR32Sint, vk.FormatR32Uint
	const edge = vk.SamplerAddressModeClampToEdge
	s := &resource.Sampler{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge}
	for i, form := range []string{"", ".opt", "", ".opt"} {
		data, err := os.ReadFile("testdata/shapes.comp" + form + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		for at := 20; at < len(data); at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16) {
			if binary.LittleEndian.Uint32(data[at:]) == 9<<16|uint32(spirv.OpTypeImage) {
				data[at+16] = byte(i+1) % 3 // Depth: yes, not said, no
			}
		}
		m, err := spirv.ParseBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		p, r := compiledModule(t, m)
		views := []*resource.ImageView{
			nil, placed(t, shape(vk.ImageType1D, 4, 1, 1, 1), vk.ImageViewType1D), placed(t, square(3), vk.ImageViewType2DArray),
			placed(t, square(6), vk.ImageViewTypeCube), placed(t, square(12), vk.ImageViewTypeCubeArray), placed(t, shape(vk.ImageType3D, 2, 2, 2, 1), vk.ImageViewType3D),
			placed(t, square(6), vk.ImageViewTypeCube), placed(t, square(12), vk.ImageViewTypeCubeArray), placed(t, square(3), vk.ImageViewType2DArray),
			placed(t, samples, vk.ImageViewType2D), placed(t, natural, vk.ImageViewType2D), placed(t, whole, vk.ImageViewType2D), placed(t, square(1), vk.ImageViewType2D),
			placed(t, counted, vk.ImageViewTypeCubeArray),
		}
		out := make([]byte, 4*21)
		ctx := &exec.Context{}
		for _, res := range p.Resources {
			ctx.Resources = append(ctx.Resources, []exec.Descriptor{{View: views[res.Binding], Sampler: s, Data: out}})
		}
		if err := r.NewThread(64).Run(ctx, &exec.Batch{N: 1, In: make([][]uint32, len(p.Inputs))}); err != nil {
			t.Fatal(err)
		}
		for i, want := range []float32{
			1002, 1201, 1301, 2011, 1101, 1501, 2110, 7 + 1110, 2001, 1, -7,
			1003, 1001, 1010, 1003, 1110, 1011, 9, 11, 1701, 5,
		} {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:])); got != want {
				t.Errorf("%q, result %d: %v, want %v", form, i, got, want)
			}
		}
		proj := 0
		for _, op := range p.ImageOps {
			if op.Proj {
				proj++
			}
		}
		if proj != 3 {
			t.Errorf("%q: %d projections", form, proj)
		}
	}
}

// Modules with fewer coordinates than their images take are refused, and projections of images that take none:
// the type of project.comp's last image made an array's, or that of shapes.comp's first.
func TestCoordinates_TooFew(t *testing.T) {
	rules.Covers(t, "IMG-020", "IMG-022", "IMG-026", "IMG-391", "IMG-392")
	for _, c := range []struct {
		file, want string
		dim, to    spirv.Dim
		arrayed    byte
	}{
		{"gather.qcom", "2 coordinate components; the image takes 3", spirv.Dim2D, spirv.Dim2D, 1},
		{"project.comp", "a projective coordinate of 2 components", spirv.Dim1D, spirv.Dim1D, 1},
		{"project.comp", "a projective coordinate of 4 components", spirv.Dim2D, spirv.Dim2D, 1},
		{"project.comp", "a projective coordinate of 2 components", spirv.Dim1D, spirv.Dim2D, 0},
	} {
		data, err := os.ReadFile("testdata/" + c.file + ".spv")
		if err != nil {
			t.Fatal(err)
		}
		for at := 20; at < len(data); at += 4 * int(binary.LittleEndian.Uint32(data[at:])>>16) {
			if binary.LittleEndian.Uint32(data[at:]) == 9<<16|uint32(spirv.OpTypeImage) && data[at+12] == byte(c.dim) {
				data[at+12], data[at+20] = byte(c.to), c.arrayed
			}
		}
		m, err := spirv.ParseBytes(data)
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
}

// Reads and writes of storage images take a coordinate for each dimension and one for layers; cubes, and arrays of them, take
// x, y and the face, counted through all cubes.
func TestCoordinates_OfStorageImages(t *testing.T) {
	rules.Covers(t, "IMG-020", "IMG-022")
	for _, c := range []struct {
		dim  spirv.Dim
		want [2]int // without and with layers
	}{{spirv.Dim1D, [2]int{1, 2}}, {spirv.Dim2D, [2]int{2, 3}}, {spirv.Dim3D, [2]int{3, 0}}, {spirv.DimCube, [2]int{3, 3}}, {spirv.DimBuffer, [2]int{1, 0}}} {
		for layers, want := range c.want {
			for _, op := range []spirv.Op{spirv.OpImageRead, spirv.OpImageWrite} {
				if want == 0 {
					continue
				}
				of := imagemodule.Instruction{Op: op, Dim: c.dim, Arrayed: layers > 0, Sampled: 2, Number: "float", Stage: spirv.ExecutionModelFragment}
				m, err := spirv.Parse(of.Words())
				if err != nil {
					t.Fatal(err)
				}
				p, err := lower.Compile(m, "main", lower.Options{})
				if err != nil {
					t.Errorf("%v: %v", of, err)
					continue
				}
				if len(p.ImageOps) != 1 || p.ImageOps[0].Coords != want {
					t.Errorf("%v: %+v, want %d coordinates", of, p.ImageOps, want)
				}
			}
		}
	}
}
