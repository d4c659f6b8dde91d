package texel

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

var formats = []vk.Format{
	vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Srgb, vk.FormatR8Unorm, vk.FormatR8G8Unorm,
	vk.FormatA8B8G8R8UnormPack32, vk.FormatR8G8B8A8Snorm, vk.FormatR8Snorm, vk.FormatR8G8B8A8Uint, vk.FormatR8G8B8A8Sint, vk.FormatR8Srgb,
	vk.FormatR16Unorm, vk.FormatR16G16Unorm, vk.FormatR16G16B16A16Unorm, vk.FormatR16G16Snorm, vk.FormatR16Uint, vk.FormatR16G16B16A16Sint,
	vk.FormatR16Sfloat, vk.FormatR16G16Sfloat, vk.FormatR16G16B16A16Sfloat, vk.FormatR32Sfloat, vk.FormatR32G32Sfloat,
	vk.FormatR32G32B32A32Sfloat, vk.FormatR32Uint, vk.FormatR32G32Sint, vk.FormatR32G32B32A32Uint, vk.FormatR32G32B32Sfloat,
	vk.FormatR5G6B5UnormPack16, vk.FormatR4G4B4A4UnormPack16, vk.FormatA2B10G10R10UnormPack32, vk.FormatA2B10G10R10UintPack32,
	vk.FormatB10G11R11UfloatPack32, vk.FormatE5B9G9R9UfloatPack32, vk.FormatR8G8B8Unorm, vk.FormatA8Unorm, vk.FormatR16G16B16Unorm,
	vk.FormatR8G8B8A8Uscaled, vk.FormatA2R10G10B10SscaledPack32, vk.FormatB8G8R8Sscaled, vk.FormatR16G16Uscaled,
	vk.FormatD16Unorm, vk.FormatD32Sfloat, vk.FormatX8D24UnormPack32, vk.FormatS8Uint, vk.FormatR64Uint,
	vk.FormatBc1RgbUnormBlock, vk.FormatBc1RgbaSrgbBlock, vk.FormatBc2UnormBlock, vk.FormatBc3UnormBlock, vk.FormatBc4SnormBlock,
	vk.FormatBc5UnormBlock, vk.FormatBc6hSfloatBlock, vk.FormatBc7SrgbBlock, vk.FormatEtc2R8G8B8UnormBlock,
	vk.FormatEtc2R8G8B8A8SrgbBlock, vk.FormatEacR11SnormBlock, vk.FormatAstc4x4UnormBlock, vk.FormatAstc5x4SrgbBlock, vk.FormatAstc12x10UnormBlock,
}

func extent(w, h, d uint32) vk.Extent3D { return vk.Extent3D{Width: w, Height: h, Depth: d} }

// testCase is a random instruction on a random view and sampler.
type testCase struct {
	op ir.ImageOp
	v  *resource.ImageView
	s  *resource.Sampler
}

func (c *testCase) String() string {
	im := c.v.Image
	return fmt.Sprintf("%+v\nswizzle %v on %v %v %v levels %d+%d layers %d+%d\nsampler %+v", c.op, c.v.Components, c.v.Type, c.v.Format, im.Extent, c.v.BaseLevel, c.v.Levels, c.v.BaseLayer, c.v.Layers, c.s)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// randomView makes an image with random bytes and a view of it, for a dimension.
func randomView(r *rand.Rand, dim ir.ImageDim, arrayed bool) *resource.ImageView {
	f := formats[r.IntN(len(formats))]
	if r.IntN(3) == 0 {
		f = formats[r.IntN(12)] // the common ones more often
	}
	info, _ := format.Lookup(f)
	side := func() uint32 {
		if r.IntN(2) == 0 {
			return 1 << r.IntN(5)
		}
		return uint32(1 + r.IntN(20))
	}
	d := resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(side(), side(), 1), ArrayLayers: 1}
	t := vk.ImageViewType2D
	switch dim {
	case ir.Dim1D:
		d.Type, d.Extent.Height, t = vk.ImageType1D, 1, vk.ImageViewType1D
		if info.Compressed {
			d.Format = vk.FormatR8G8B8A8Unorm
		}
	case ir.Dim3D:
		d.Type, d.Extent.Depth, t = vk.ImageType3D, side(), vk.ImageViewType3D
		if r.IntN(8) == 0 {
			d.Format = vk.FormatAstc3x3x3UnormBlockEXT + vk.Format(r.IntN(30))
		}
	case ir.DimCube:
		d.Extent.Height, d.ArrayLayers, d.Flags, t = d.Extent.Width, 6, vk.ImageCreateCubeCompatibleBit, vk.ImageViewTypeCube
	}
	if arrayed {
		d.ArrayLayers *= 1 + r.IntN(4)
		t = map[ir.ImageDim]vk.ImageViewType{ir.Dim1D: vk.ImageViewType1DArray, ir.Dim2D: vk.ImageViewType2DArray, ir.DimCube: vk.ImageViewTypeCubeArray}[dim]
	}
	if dim != ir.Dim1D && r.IntN(40) == 0 {
		inBlocks(r, &d)
	}
	if d.Flags == 0 && dim != ir.Dim1D && info.Aspects == vk.ImageAspectColorBit && r.IntN(8) == 0 {
		d.Flags = vk.ImageCreateCornerSampledBitNV
		d.Extent.Width, d.Extent.Height = d.Extent.Width+1, d.Extent.Height+1
		if dim == ir.Dim3D {
			d.Extent.Depth++
		}
	}
	all := 1 + int(math.Log2(float64(max(d.Extent.Width, d.Extent.Height, d.Extent.Depth))))
	if d.Flags&vk.ImageCreateCornerSampledBitNV != 0 { // IMG-041
		all = int(math.Ceil(math.Log2(float64(max(d.Extent.Width, d.Extent.Height, d.Extent.Depth)))))
	}
	d.MipLevels = 1
	if r.IntN(3) > 0 {
		d.MipLevels = 1 + r.IntN(all)
	}
	im := must(resource.NewImage(d))
	data := make([]byte, im.Layout.Size)
	for i := range len(data) / 8 {
		binary.LittleEndian.PutUint64(data[8*i:], r.Uint64())
	}
	for i := len(data) &^ 7; i < len(data); i++ {
		data[i] = byte(r.Uint32())
	}
	if r.IntN(4) == 0 { // few values, so that comparisons meet equal ones
		for i := range data {
			data[i] = data[i&7]
		}
		if c := im.Info.Components[0]; c.Numeric == format.NumericSfloat && c.Bits >= 16 && r.IntN(2) == 0 {
			cancel(r, data, c.Bits/8)
		}
	}
	if err := im.Bind(data); err != nil {
		panic(err)
	}
	vd := resource.ViewDesc{Type: &t}
	if strings.Contains(im.Info.Name, "ASTC") && r.IntN(2) == 0 {
		vd.DecodeMode = []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatE5B9G9R9UfloatPack32}[r.IntN(2)]
	}
	if r.IntN(3) == 0 {
		c := func() vk.ComponentSwizzle { return vk.ComponentSwizzle(r.IntN(7)) }
		vd.Components = vk.ComponentMapping{R: c(), G: c(), B: c(), A: c()}
	}
	if r.IntN(3) == 0 {
		vd.Range.BaseMipLevel = uint32(r.IntN(d.MipLevels))
		vd.Range.LevelCount = uint32(1 + r.IntN(d.MipLevels-int(vd.Range.BaseMipLevel)))
		if r.IntN(2) == 0 {
			vd.MinLod = r.Float32() * float32(vd.Range.BaseMipLevel+vd.Range.LevelCount-1)
		}
	}
	return must(resource.NewView(im, vd))
}

func randomSampler(r *rand.Rand, op *ir.ImageOp, v *resource.ImageView) *resource.Sampler {
	mode := func() vk.SamplerAddressMode { return vk.SamplerAddressMode(r.IntN(5)) }
	s := resource.Sampler{
		MagFilter: vk.Filter(r.IntN(2)), MinFilter: vk.Filter(r.IntN(2)), MipmapMode: vk.SamplerMipmapMode(r.IntN(2)),
		AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(), CompareOp: vk.CompareOp(r.IntN(8)),
		MipLodBias: float32(r.IntN(5)-2) / 2, MaxLod: float32(r.IntN(12)), BorderColor: vk.BorderColor(r.IntN(6)), NonSeamless: r.IntN(4) == 0,
	}
	if r.IntN(4) == 0 {
		s.MinLod = float32(r.IntN(3)) / 2
		s.MaxLod += s.MinLod
	}
	if r.IntN(5) == 0 {
		s.BorderColor = vk.BorderColorFloatCustomEXT + vk.BorderColor(r.IntN(2))
		for c := range s.CustomBorderColor {
			s.CustomBorderColor[c] = math.Float32bits(randomCoord(r))
		}
	}
	if r.IntN(4) == 0 && op.Kind != ir.ImageGather {
		cubicSampler(r, &s)
	} else if r.IntN(6) == 0 && !op.Dref {
		s.Reduction = vk.SamplerReductionModeMin + vk.SamplerReductionMode(r.IntN(2))
	}
	if r.IntN(4) == 0 && s.MagFilter != vk.FilterCubicEXT && s.MinFilter != vk.FilterCubicEXT {
		s.AnisotropyEnable, s.MaxAnisotropy = true, 1+r.Float32()*15
	}
	if v.Levels == 1 && op.Dim <= ir.Dim2D && r.IntN(4) == 0 && !op.Dref {
		s.UnnormalizedCoordinates, s.MipmapMode, s.MinLod, s.MaxLod, s.MinFilter, s.AnisotropyEnable = true, 0, 0, 0, s.MagFilter, false
		s.AddressModeU = vk.SamplerAddressModeClampToEdge + vk.SamplerAddressMode(r.IntN(2))
		s.AddressModeV = vk.SamplerAddressModeClampToEdge + vk.SamplerAddressMode(r.IntN(2))
	}
	return must(resource.NewSampler(s))
}

// randomCase draws an instruction with what it runs on.
func randomCase(r *rand.Rand) testCase {
	var c testCase
	op := &c.op
	op.Kind = []ir.ImageKind{ir.ImageSample, ir.ImageSample, ir.ImageSample, ir.ImageGather, ir.ImageFetch, ir.ImageRead, ir.ImageWrite}[r.IntN(7)]
	op.Dim = []ir.ImageDim{ir.Dim1D, ir.Dim2D, ir.Dim2D, ir.Dim3D, ir.DimCube}[r.IntN(5)]
	op.Results = 4
	if op.Kind == ir.ImageGather && op.Dim != ir.DimCube {
		op.Dim = ir.Dim2D
	}
	op.Arrayed = r.IntN(3) == 0 && op.Dim != ir.Dim3D
	dims := map[ir.ImageDim]int{ir.Dim1D: 1, ir.Dim2D: 2, ir.Dim3D: 3, ir.DimCube: 3}[op.Dim]
	op.Coords, op.GradCoords = dims, dims
	if op.Arrayed {
		op.Coords++
	}
	op.HasOffset = r.IntN(4) == 0
	switch op.Kind {
	case ir.ImageSample:
		op.Lod = ir.LodMode(r.IntN(5))
		op.HasMinLod = r.IntN(6) == 0
		op.Dref = r.IntN(4) == 0
	case ir.ImageGather:
		op.GatherComp = uint8(r.IntN(4))
		op.Dref = r.IntN(4) == 0
	default:
		if op.Dim == ir.DimCube {
			op.Coords, op.Arrayed = 3, false
		}
		if op.Kind == ir.ImageFetch {
			op.Lod = ir.LodExplicit
		}
	}
	if convertible(op) && r.IntN(4) == 0 {
		c.v, c.s = randomConversion(r, op.Arrayed)
		return c
	}
	c.v = randomView(r, op.Dim, op.Arrayed)
	c.s = randomSampler(r, op, c.v)
	return c
}

var specials = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 0.25, 0.999999940, 1e10, -1e10, 3.4e38, -3.4e38, 1e-45, -1e-45, 2147483648,
	1 << 26, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 8388607.5, -8388608.5, 4194304, 1 << 18}

func randomCoord(r *rand.Rand) float32 {
	switch r.IntN(8) {
	case 0:
		return specials[r.IntN(len(specials))]
	case 1:
		return float32(r.IntN(65)-32) / 16
	case 2:
		return float32(math.Ldexp(2*r.Float64()-1, r.IntN(45)))
	case 3:
		return math.Float32frombits(r.Uint32())
	default:
		return r.Float32()*3 - 1
	}
}

// randomArgs makes n lanes of random operands.
func randomArgs(r *rand.Rand, op *ir.ImageOp, n int) *ref.Args {
	a := &ref.Args{Op: op, Quads: r.IntN(4) > 0}
	words := func(f func() uint32) []uint32 {
		x := make([]uint32, n)
		for i := range x {
			x[i] = f()
		}
		return x
	}
	lanes := func(f func() float32) []uint32 { return words(func() uint32 { return math.Float32bits(f()) }) }
	coord := func() float32 { return randomCoord(r) }
	small := func() float32 {
		if r.IntN(20) == 0 {
			return randomCoord(r)
		}
		return float32(r.NormFloat64()) * 0.1
	}
	integer := op.Kind != ir.ImageSample && op.Kind != ir.ImageGather
	side := []int{14, 14, 14, 500}[r.IntN(4)] // of small images, and of those in blocks
	for c := range op.Coords {
		if integer {
			a.Coord[c] = words(func() uint32 {
				if r.IntN(20) == 0 {
					return r.Uint32()
				}
				return uint32(r.IntN(side) - 1)
			})
		} else {
			a.Coord[c] = lanes(coord)
		}
	}
	if !integer && r.IntN(2) == 0 { // smooth quads, of one level or of many
		step := []float32{0.001, 0.02, 0.2}[r.IntN(3)]
		for c := range op.Coords {
			dx, dy := step*r.Float32(), step*r.Float32()
			x0 := r.Float32()*3 - 1
			for i := range n {
				x, y := i/4%4*2+i%2, i/16*2+i/2%2
				a.Coord[c][i] = math.Float32bits(x0 + dx*float32(x) + dy*float32(y))
			}
		}
	}
	switch {
	case op.Lod == ir.LodExplicit && integer:
		a.Lod = words(func() uint32 { return uint32(r.IntN(4)) })
	case op.Lod == ir.LodExplicit || op.Lod == ir.LodBias:
		same, of := r.IntN(2) == 0, r.Float32()*4
		a.Lod = lanes(func() float32 {
			switch {
			case same:
				return of
			case r.IntN(10) == 0:
				return randomCoord(r)
			}
			return r.Float32()*6 - 1
		})
	case op.Lod == ir.LodGrad:
		for c := range op.GradCoords {
			a.DX[c], a.DY[c] = lanes(small), lanes(small)
		}
	}
	if op.HasOffset {
		for c := range op.GradCoords {
			a.Offset[c] = words(func() uint32 { return uint32(r.IntN(17) - 8) })
		}
	}
	if op.HasMinLod {
		a.MinLod = lanes(small)
	}
	if op.Dref {
		a.Dref = lanes(coord)
	}
	if op.Kind == ir.ImageWrite || op.Kind == ir.ImageAtomic {
		for c := range a.Texel {
			a.Texel[c] = words(func() uint32 {
				if r.IntN(2) == 0 {
					return math.Float32bits(r.Float32())
				}
				return r.Uint32()
			})
		}
	}
	if r.IntN(3) == 0 {
		a.Mask = words(func() uint32 { return -(r.Uint32() & 1) })
	}
	for c := range a.Out {
		if c == 0 || r.IntN(8) > 0 {
			a.Out[c] = make([]uint32, n)
		}
	}
	return a
}

// compare runs a case on the reference and lowered, without what earlier cases left in
// scratch memory, and tells the first difference.
func compare(u *Unit, c *testCase, a *ref.Args, n int) error {
	b := *a
	for i := range b.Out {
		if a.Out[i] != nil {
			b.Out[i] = make([]uint32, n)
		}
	}
	data := c.v.Image.Data
	var before []byte
	if c.op.Kind == ir.ImageWrite || c.op.Kind == ir.ImageAtomic {
		before = bytes.Clone(data)
	}
	ref.Run(&b, c.v, c.s, n)
	if before == nil {
		u.Run(0, a, c.v, c.s, n)
	} else {
		want := bytes.Clone(data)
		copy(data, before)
		u.Run(0, a, c.v, c.s, n)
		if !bytes.Equal(data, want) {
			return fmt.Errorf("memory is %x, reference %x\n%v", data, want, c)
		}
	}
	for i := range a.Out {
		for lane := range a.Out[i] {
			if a.Out[i][lane] != b.Out[i][lane] {
				return fmt.Errorf("lane %d of %d, component %d: lowered %#x, reference %#x; coordinates %v lod %v offset %v mask %v\n%v", lane, n, i,
					a.Out[i][lane], b.Out[i][lane], laneOf(a.Coord[:], lane), laneOf([][]uint32{a.Lod}, lane), laneOf(a.Offset[:], lane), a.Mask != nil, c)
			}
		}
	}
	return nil
}

func laneOf(x [][]uint32, lane int) (s []string) {
	for _, c := range x {
		if c != nil {
			s = append(s, fmt.Sprintf("%v(%#x)", math.Float32frombits(c[lane]), c[lane]))
		}
	}
	return s
}

var (
	pairs = flag.Int("pairs", 300_000, "(key, coordinate) pairs to compare; docs/sampling.md has the result of 10 million")
	seed  = flag.Uint64("seed", 1, "of the pairs, for others than those")
)

// Lowered code gives the reference's bits for random keys, coordinates and batch
// sizes, and nearly all keys are lowered.
func TestRun_EqualsReference(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-003", "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-008", "IMG-010", "IMG-011", "IMG-022", "IMG-023", "IMG-024",
		"IMG-025", "IMG-028", "IMG-029", "IMG-030", "IMG-042", "IMG-043", "IMG-070", "IMG-071", "IMG-073", "IMG-074", "IMG-195", "IMG-200", "IMG-201",
		"IMG-202", "IMG-203", "IMG-204", "IMG-205", "IMG-215", "IMG-216", "IMG-217", "IMG-218", "IMG-220", "IMG-221", "IMG-222", "IMG-240", "IMG-255",
		"IMG-257", "IMG-290", "IMG-291", "IMG-292", "IMG-293", "IMG-294", "IMG-295", "IMG-296", "IMG-297", "IMG-300", "IMG-301", "IMG-305", "IMG-306",
		"IMG-307", "IMG-310", "IMG-312", "IMG-314", "IMG-316", "IMG-317", "IMG-325", "IMG-326", "IMG-328", "IMG-329", "IMG-330", "IMG-335", "IMG-336",
		"IMG-341", "IMG-343", "IMG-344", "IMG-345", "IMG-351", "IMG-352", "IMG-353", "IMG-354", "IMG-355", "IMG-356", "IMG-357", "IMG-358", "IMG-359",
		"IMG-360", "IMG-361", "IMG-370", "IMG-371", "IMG-372", "IMG-374", "IMG-383", "IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-400", "IMG-402",
		"IMG-403", "IMG-404", "IMG-410", "IMG-415", "IMG-416", "IMG-417", "IMG-425", "IMG-426", "IMG-428", "IMG-429", "IMG-430", "IMG-431", "IMG-432",
		"IMG-433", "IMG-434", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-453", "IMG-461", "IMG-462",
		"IMG-463", "IMG-464", "IMG-465", "IMG-466", "IMG-475", "IMG-476", "IMG-480", "IMG-481", "IMG-482", "IMG-484", "IMG-486", "IMG-500", "IMG-501",
		"IMG-502", "IMG-503", "IMG-504", "IMG-505", "IMG-506", "IMG-515", "IMG-516", "IMG-518", "IMG-519", "IMG-520", "IMG-521", "IMG-523", "IMG-530",
		"IMG-531", "IMG-532", "IMG-533", "IMG-534", "IMG-535", "IMG-540", "IMG-541", "IMG-542", "IMG-543", "IMG-545", "IMG-546", "IMG-547", "IMG-550",
		"IMG-551", "IMG-552", "IMG-555", "IMG-556", "IMG-557", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564", "IMG-565", "IMG-566", "IMG-567",
		"IMG-568", "IMG-575", "IMG-576", "IMG-577", "IMG-578", "IMG-579", "IMG-580", "IMG-700", "IMG-701", "IMG-702", "IMG-704", "IMG-705")
	r := rand.New(rand.NewPCG(*seed, 2))
	units := unitsOf(1024)
	cases, routines, keys := 0, 0, map[Key]bool{}
	for done := 0; done < *pairs; cases++ {
		c := randomCase(r)
		n := []int{1, 3, 4, 16, 64, 68, 128, 256}[r.IntN(8)]
		if err := compare(units[cases%len(units)], &c, randomArgs(r, &c.op, n), n); err != nil {
			t.Fatalf("after %d pairs: %v", done, err)
		}
		if k, ok := keyOf(&c.op, c.v, c.s); ok {
			keys[k] = true
			done += n
			routines++
		}
	}
	if cases-routines > cases/6 {
		t.Errorf("%d of %d instructions have no routine", cases-routines, cases)
	}
	t.Logf("%d pairs equal, of %d keys; %d of %d instructions had no routine", *pairs, len(keys), cases-routines, cases)
}

// FuzzRun compares lowered code with the reference for the instruction, view,
// sampler and operands that a seed and a batch size stand for.
func FuzzRun(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(64))
	}
	units := unitsOf(256)
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := randomCase(r)
		lanes := 1 + int(n)
		a := randomArgs(r, &c.op, lanes)
		for i := range units {
			if err := compare(units[i], &c, a, lanes); err != nil {
				t.Error(err)
			}
		}
	})
}

// Implicit levels of detail over all of their range, in whole quads: routines
// choose the reference's levels and weights.
func TestRun_ImplicitLevels(t *testing.T) {
	rules.Covers(t, "IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-425", "IMG-426", "IMG-428", "IMG-429", "IMG-445", "IMG-446", "IMG-447", "IMG-448",
		"IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-460", "IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466")
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range benchCases() {
		if c.op.Kind != ir.ImageSample || !c.mips && c.dim != ir.Dim3D || c.op.Lod != ir.LodImplicit {
			continue
		}
		c.mips = true
		a, v, s, n := c.setup()
		units := unitsOf(n)
		x := testCase{op: c.op, v: v, s: s}
		for round := range 100 {
			step := math.Exp2(-2+12*r.Float64()) / float64(c.size)
			if round%10 == 0 {
				step = 0
			}
			for d := range c.op.Coords {
				x0, dx, dy := r.Float64(), step*r.NormFloat64(), step*r.NormFloat64()
				bend := dx * r.Float64() / 16
				for i := range n {
					px, py := float64(i/4%4*2+i%2), float64(i/16*2+i/2%2)
					a.Coord[d][i] = math.Float32bits(float32(x0 + dx*px + dy*py + bend*px*px))
				}
			}
			for i := range units {
				if err := compare(units[i], &x, a, n); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Operands that an instruction says it has and does not bring read as zero, as on
// the reference.
func TestRun_MissingOperands(t *testing.T) {
	rules.Covers(t, "IMG-002", "IMG-024", "IMG-576")
	r := rand.New(rand.NewPCG(5, 6))
	u := new(Unit)
	u.Sites(1, 64)
	for range 2000 {
		c := randomCase(r)
		a := randomArgs(r, &c.op, 16)
		texels := c.op.Kind != ir.ImageSample && c.op.Kind != ir.ImageGather
		switch r.IntN(6) {
		case 0:
			if c.op.Arrayed && !texels {
				continue // the reference needs its layer
			}
			a.Coord[r.IntN(c.op.Coords)], a.Quads = nil, false
		case 1:
			a.Lod = nil
		case 2:
			a.Dref = nil
		case 3:
			a.DX, a.DY = [3][]uint32{}, [3][]uint32{}
		case 4:
			a.Texel[r.IntN(4)] = nil
		default:
			a.Offset, a.MinLod = [3][]uint32{}, nil
		}
		if err := compare(u, &c, a, 16); err != nil {
			t.Fatal(err)
		}
	}
}
