package texel

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

// wayCase is a benchCase with other operands.
type wayCase struct {
	benchCase
	change func(a *ref.Args)
}

// wayCases are those of the benchmarks and some more.
func wayCases() (cases []wayCase) {
	for _, c := range benchCases() {
		cases = append(cases, wayCase{benchCase: c})
	}
	linear := resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MaxLod: 20}
	edge := linear
	edge.AddressModeU, edge.AddressModeV, edge.AddressModeW = vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToEdge
	nearest, most, aniso, shadow, border := resource.Sampler{}, linear, linear, linear, linear
	most.Reduction = vk.SamplerReductionModeMax
	aniso.MipmapMode, aniso.AnisotropyEnable, aniso.MaxAnisotropy = vk.SamplerMipmapModeLinear, true, 16
	shadow.CompareEnable, shadow.CompareOp = true, vk.CompareOpLess
	border.AddressModeU, border.AddressModeV = vk.SamplerAddressModeClampToBorder, vk.SamplerAddressModeClampToBorder
	sample, gather, dref := ir.ImageOp{Kind: ir.ImageSample}, ir.ImageOp{Kind: ir.ImageGather}, ir.ImageOp{Kind: ir.ImageSample, Dref: true}
	for _, f := range []vk.Format{
		vk.FormatR8G8Unorm, vk.FormatR8G8B8A8Snorm, vk.FormatR16Sfloat, vk.FormatR32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR5G6B5UnormPack16,
		vk.FormatA2B10G10R10UnormPack32, vk.FormatBc3UnormBlock, vk.FormatBc6hSfloatBlock, vk.FormatAstc12x10UnormBlock, vk.FormatD16Unorm,
		vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat,
	} {
		name := strings.TrimPrefix(f.String(), "VK_FORMAT_")
		add := func(how string, dim ir.ImageDim, size uint32, mips bool, op ir.ImageOp, s resource.Sampler) {
			cases = append(cases, wayCase{benchCase: benchCase{"2D/" + name + "/" + how, f, dim, size, mips, op, s, 1}})
		}
		add("linear", ir.Dim2D, 32, false, sample, linear)
		add("linear/border", ir.Dim2D, 32, false, sample, border)
		add("linear/size 31", ir.Dim2D, 31, false, sample, linear)
		add("nearest", ir.Dim2D, 32, false, sample, nearest)
		add("maximum", ir.Dim2D, 32, false, sample, most)
		add("anisotropic", ir.Dim2D, 32, true, sample, aniso)
		add("gather", ir.Dim2D, 32, false, gather, edge)
		if f == vk.FormatD16Unorm || f == vk.FormatR32Sfloat || f == vk.FormatR8G8Unorm {
			add("shadow", ir.Dim2D, 32, false, dref, shadow)
			continue
		}
		add("3D", ir.Dim3D, 32, false, sample, linear)
		add("cube", ir.DimCube, 32, false, sample, linear)
	}
	words := func(x uint32) []uint32 { return slices.Repeat([]uint32{x}, 64) }
	half := words(0)
	half[0], half[3], half[4] = 1, 1, 1
	trilinear := edge
	trilinear.MipmapMode = vk.SamplerMipmapModeLinear
	unnormalized := edge
	unnormalized.UnnormalizedCoordinates, unnormalized.MaxLod = true, 0
	offset, bias, minLod, fetch := sample, sample, sample, ir.ImageOp{Kind: ir.ImageFetch}
	offset.HasOffset, bias.Lod, minLod.HasMinLod = true, ir.LodBias, true
	for _, c := range []struct {
		name   string
		op     ir.ImageOp
		s      resource.Sampler
		mips   bool
		change func(a *ref.Args)
	}{
		{"sample, no lane", sample, edge, false, func(a *ref.Args) { a.Mask = words(0) }},
		{"sample, some lanes", sample, edge, false, func(a *ref.Args) { a.Mask = half }},
		{"sample, all lanes", sample, edge, false, func(a *ref.Args) { a.Mask = words(1) }},
		{"trilinear, some lanes", sample, trilinear, true, func(a *ref.Args) { a.Mask = half }},
		{"trilinear, no quads", sample, trilinear, true, func(a *ref.Args) { a.Quads = false }},
		{"trilinear, one level for all", sample, trilinear, true, func(a *ref.Args) { a.Coord[0], a.Coord[1] = words(0), words(0) }},
		{"trilinear, bias", bias, trilinear, true, func(a *ref.Args) { a.Lod = words(0x3E800000) }},
		{"trilinear, minimum", minLod, trilinear, true, func(a *ref.Args) { a.MinLod = words(0x3FC00000) }},
		{"sample, offset", offset, edge, false, func(a *ref.Args) { a.Offset[0], a.Offset[1] = words(1), words(2) }},
		{"sample, far away", sample, edge, false, func(a *ref.Args) { a.Coord[1] = words(0x7E000000) }},
		{"sample, no numbers", sample, edge, false, func(a *ref.Args) { a.Coord[0] = words(0x7FC00000) }},
		{"sample, unnormalized", sample, unnormalized, false, nil},
		{"sample, red alone", sample, edge, false, func(a *ref.Args) { a.Out = [4][]uint32{a.Out[0]} }},
		{"gather, no lane", gather, edge, false, func(a *ref.Args) { a.Mask = words(0) }},
		{"fetch, no lane", fetch, nearest, false, func(a *ref.Args) { a.Mask = words(0) }},
		{"store, no lane", ir.ImageOp{Kind: ir.ImageWrite}, nearest, false, func(a *ref.Args) { a.Mask = words(0) }},
	} {
		cases = append(cases, wayCase{benchCase{c.name, vk.FormatR8G8B8A8Unorm, ir.Dim2D, 32, c.mips, c.op, c.s, 2}, c.change})
	}
	cases = append(cases, wayCase{benchCase{"video, no lane", vk.FormatG8B8R8_2Plane420Unorm, ir.Dim2D, 32, false, sample, video(vk.FormatG8B8R8_2Plane420Unorm), 1}, func(a *ref.Args) { a.Mask = words(0) }})
	for _, f := range []vk.Format{vk.FormatR8Unorm, vk.FormatR16G16B16A16Unorm, vk.FormatG16B16G16R16_422Unorm, vk.FormatG8B8R8_3Plane422Unorm, vk.FormatG8B8R8_3Plane444Unorm} {
		cases = append(cases, wayCase{benchCase{f.String() + " through a conversion", f, ir.Dim2D, 6, false, sample, video(f), 1}, nil})
	}
	cases = append(cases, wayCase{benchCase{"cube, anisotropic", vk.FormatR32Sfloat, ir.DimCube, 32, true, sample, aniso, 8}, nil})
	return cases
}

func video(f vk.Format) resource.Sampler {
	const edge = vk.SamplerAddressModeClampToEdge
	return resource.Sampler{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge,
		Ycbcr: &resource.YcbcrConversion{Format: f, ChromaFilter: vk.FilterLinear}}
}

// Every class of keys, on all its ways, gives the reference's bits: at random coordinates
// and, where weights are zero, at those of texels and halfway between them; with every
// comparison.
func TestRun_EveryClass(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-004", "IMG-005", "IMG-006", "IMG-007", "IMG-008", "IMG-011", "IMG-022", "IMG-024", "IMG-029", "IMG-042", "IMG-071",
		"IMG-073", "IMG-074", "IMG-215", "IMG-216", "IMG-218", "IMG-220", "IMG-221", "IMG-240", "IMG-255", "IMG-257", "IMG-290",
		"IMG-291", "IMG-292", "IMG-293", "IMG-294", "IMG-297", "IMG-300", "IMG-301", "IMG-305", "IMG-307", "IMG-310", "IMG-311", "IMG-312", "IMG-313",
		"IMG-314", "IMG-315", "IMG-316", "IMG-325", "IMG-326", "IMG-328", "IMG-335", "IMG-341", "IMG-343", "IMG-344", "IMG-345", "IMG-372", "IMG-374",
		"IMG-396", "IMG-397", "IMG-398", "IMG-399", "IMG-410", "IMG-415", "IMG-416", "IMG-417", "IMG-425", "IMG-426", "IMG-428", "IMG-429", "IMG-430",
		"IMG-431", "IMG-432", "IMG-433", "IMG-434", "IMG-445", "IMG-446", "IMG-447", "IMG-448", "IMG-449", "IMG-450", "IMG-451", "IMG-452", "IMG-460",
		"IMG-461", "IMG-462", "IMG-463", "IMG-464", "IMG-465", "IMG-466", "IMG-475", "IMG-480", "IMG-481", "IMG-482", "IMG-484", "IMG-486", "IMG-500",
		"IMG-501", "IMG-502", "IMG-503", "IMG-505", "IMG-506", "IMG-515", "IMG-516", "IMG-518", "IMG-519", "IMG-521", "IMG-523", "IMG-530", "IMG-531",
		"IMG-532", "IMG-533", "IMG-535", "IMG-540", "IMG-541", "IMG-542", "IMG-543", "IMG-545", "IMG-546", "IMG-547", "IMG-550", "IMG-551", "IMG-555",
		"IMG-556", "IMG-557", "IMG-560", "IMG-561", "IMG-562", "IMG-563", "IMG-564", "IMG-565", "IMG-566", "IMG-567", "IMG-568", "IMG-575", "IMG-577",
		"IMG-578", "IMG-579", "IMG-700", "IMG-701", "IMG-702", "IMG-704")
	r := rand.New(rand.NewPCG(70, 71))
	units := unitsOf(64)
	for _, c := range wayCases() {
		a, v, s, n := c.setup()
		if c.change != nil {
			c.change(a)
		}
		integer := c.op.Kind == ir.ImageFetch || c.op.Kind == ir.ImageWrite
		texels := v.Image.Data
		if c.op.Dref { // few depths, so that references meet equal ones
			for i := range texels {
				texels[i] = texels[i%16]
			}
		}
		rounds := 4
		if c.op.Dref {
			rounds = 8
		}
		for round := range rounds {
			for d := range c.op.Coords {
				if a.Coord[d] == nil || round == 0 {
					continue
				}
				a.Coord[d] = make([]uint32, n)
				for i := range n {
					x := r.Float32()*1.5 - 0.25
					if round&1 == 1 || integer {
						x = float32(r.IntN(4*int(c.size))-int(c.size)) / float32(2*c.size)
					}
					if c.s.UnnormalizedCoordinates || integer {
						x *= float32(c.size)
					}
					if a.Coord[d][i] = math.Float32bits(x); integer {
						a.Coord[d][i] = uint32(int32(x))
					}
				}
			}
			if c.op.Dref {
				sampler := *s
				sampler.CompareOp = vk.CompareOp(round)
				s = must(resource.NewSampler(sampler))
				for i := range n {
					// What the texels are, more and less, and no numbers.
					a.Dref[i] = []uint32{0x3F000000, 0, 0x3F800000, 0x7FC00000, 0xBF800000, math.Float32bits(r.Float32())}[r.IntN(6)]
					if i&1 == 0 {
						a.Dref[i] = v.Info.Decode(texels[r.IntN(16/v.Info.BlockBytes)*v.Info.BlockBytes:])[0]
					}
				}
			}
			for i := range units {
				some, lanes := *a, n
				if round&2 != 0 {
					lanes = 13
				}
				for k, out := range a.Out {
					if out != nil {
						some.Out[k] = out[:lanes]
					}
				}
				if err := compare(units[i], &testCase{c.op, v, s}, &some, lanes); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
		}
	}
}
