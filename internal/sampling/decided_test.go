package sampling

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

// trial is an instruction of one lane, or of lane 0 of a quad: in the plain one no rule beyond its own
// decides: NEAREST at the centre of texel (1, 1) of level 0, of 4 × 4 texels of binary32 and three levels.
type trial struct {
	lane    lane1
	quad    [][]float32 // coordinates of the other three lanes
	image   resource.ImageDesc
	view    resource.ViewDesc
	s       resource.Sampler
	fill    func(im *resource.Image)
	made    *resource.ImageView // in place of image and view
	null    bool
	buffer  vk.Format // not 0: a texel buffer of 4 elements
	noLevel bool
}

func (x *trial) run(t *testing.T) (steps []Step) {
	t.Helper()
	a := x.lane.args()
	a.Trace = new(Trace)
	n := 1
	if x.quad != nil {
		n = 4
		for c := range x.lane.coord {
			for _, lane := range x.quad {
				a.Coord[c] = append(a.Coord[c], math.Float32bits(lane[c]))
			}
		}
		for c := range a.Out {
			a.Out[c] = make([]uint32, 4)
		}
		if a.Lod != nil {
			a.Lod = slices.Repeat(a.Lod, 4)
		}
		a.Quads, a.Mask = true, []uint32{1, 0, 0, 0}
	}
	if x.noLevel {
		a.Lod = nil
	}
	if x.buffer != 0 {
		b := &resource.BufferView{Data: make([]byte, 16)}
		b.Info = newImage(t, resource.ImageDesc{Type: vk.ImageType1D, Format: x.buffer, Extent: extent(1, 1, 1)}).Info
		RunBuffer(a, b, 0, 1)
		return a.Trace.Steps
	}
	v := x.made
	if v == nil && !x.null {
		im := newImage(t, x.image)
		if x.fill != nil {
			x.fill(im)
		}
		v = newView(t, im, x.view)
	}
	s := x.s
	Run(a, v, &s, n)
	return a.Trace.Steps
}

func plainTrial() *trial {
	return &trial{
		lane:  lane1{op: sampleOp(ir.Dim2D), coord: []float32{0.375, 0.375}},
		image: resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32G32B32A32Sfloat, Extent: extent(4, 4, 1), MipLevels: 3},
		s:     resource.Sampler{MaxLod: 9},
	}
}

func (x *trial) format(f vk.Format) { x.image.Format = f }

// linear filters between texels 1 and 2 in both directions.
func (x *trial) linear() {
	x.s.MagFilter, x.s.MinFilter, x.lane.coord = linear, linear, []float32{0.5, 0.5}
}

func (x *trial) cubic() {
	x.linear()
	x.s.MagFilter, x.s.MinFilter = vk.FilterCubicEXT, vk.FilterCubicEXT
}

func (x *trial) grad(dx, dy float32) {
	x.lane.op.Lod, x.lane.dx, x.lane.dy = ir.LodGrad, []float32{dx, 0}, []float32{0, dy}
}

// anisotropic has the footprint of 2 × 1 texels, or 8 × 1 where it is wide.
func (x *trial) anisotropic(dx float32) {
	x.linear()
	x.grad(dx, 0.25)
	x.s.AnisotropyEnable, x.s.MaxAnisotropy = true, 16
}

func (x *trial) gather(comp uint8) {
	x.lane.op, x.lane.coord = ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, Lod: ir.LodZero, GatherComp: comp}, []float32{0.5, 0.5}
}

func (x *trial) fetch(i, j int32) {
	x.lane.op, x.lane.coord, x.lane.icoord = ir.ImageOp{Kind: ir.ImageFetch, Dim: ir.Dim2D}, nil, []int32{i, j}
}

// texels stores the same word in all texels, and in those at the beginning what first says.
func (x *trial) texels(all float32, first ...float32) {
	x.fill = func(im *resource.Image) {
		for at := 0; at+4 <= len(im.Data); at += 4 {
			binary.LittleEndian.PutUint32(im.Data[at:], math.Float32bits(all))
		}
		for i, f := range first {
			binary.LittleEndian.PutUint32(im.Data[4*i:], math.Float32bits(f))
		}
	}
}

func (x *trial) cube(coord ...float32) {
	x.image = resource.ImageDesc{Type: vk.ImageType2D, Format: vk.FormatR32Sfloat, Extent: extent(2, 2, 1), MipLevels: 1, ArrayLayers: 6, Flags: vk.ImageCreateCubeCompatibleBit}
	x.view.Type = viewType(vk.ImageViewTypeCube)
	x.lane.op, x.lane.coord = sampleOp(ir.DimCube), coord
}

func (x *trial) compare(ref float32) {
	x.format(vk.FormatD16Unorm)
	x.lane.op.Dref, x.lane.dref = true, ref
	x.s.CompareEnable, x.s.CompareOp = true, vk.CompareOpLess
}

func (x *trial) border(color vk.BorderColor) {
	x.s.AddressModeU, x.s.BorderColor, x.lane.coord = border, color, []float32{-0.125, 0.375}
}

func (x *trial) custom() {
	x.border(vk.BorderColorFloatCustomEXT)
	for c := range x.s.CustomBorderColor {
		x.s.CustomBorderColor[c] = math.Float32bits(0.3)
	}
}

func (x *trial) unnormalized() {
	x.s.UnnormalizedCoordinates, x.s.MaxLod, x.image.MipLevels = true, 0, 1
	x.s.AddressModeU, x.s.AddressModeV, x.lane.coord = edge, edge, []float32{1.5, 1.5}
}

func (x *trial) reduction(m vk.SamplerReductionMode) {
	x.linear()
	x.s.Reduction = m
}

// converts samples through a conversion; the image has format f.
func (x *trial) converts(f vk.Format, set func(c *resource.YcbcrConversion)) func(t *testing.T) {
	return func(t *testing.T) {
		c := resource.YcbcrConversion{Format: f, ChromaFilter: nearest, Model: vk.SamplerYcbcrModelConversionYcbcr709, XChromaOffset: cosited, YChromaOffset: cosited}
		set(&c)
		x.made, x.s = planar(t, f, 8, 8, 0, func(k, i, j int) uint32 { return uint32(20*k + i + j) }), *ycbcrSampler(t, nearest, c)
		x.lane.coord = []float32{0.4375, 0.4375}
	}
}

const i420, i422 = vk.FormatG8B8R8_3Plane420Unorm, vk.FormatG8B8R8_3Plane422Unorm

// decisions are the rules that can decide a result, each with how the plain trial has to change for the rule to
// decide; twin, where it is given, is what the other way looks like, else it is the plain trial.
var decisions = []struct {
	rule      string
	set, twin func(x *trial)
}{
	{"IMG-002", func(x *trial) { x.lane.op, x.lane.coord = sampleOp(ir.DimCube), []float32{1, 0, 0} }, func(x *trial) { x.cube(1, 0, 0) }},
	{"IMG-005", func(x *trial) { x.lane.coord[1] = nan }, nil},
	{"IMG-006", func(x *trial) { x.lane.coord[0] = inf }, nil},
	{"IMG-007", func(x *trial) { x.lane.coord[0] = 1e20 }, nil},
	{"IMG-008", func(x *trial) { x.lane.lod = nan }, nil},
	{"IMG-011", func(x *trial) { x.linear(); x.lane.coord[0] = 0.4003 }, (*trial).linear},
	{"IMG-022", func(*trial) {}, func(x *trial) { x.cube(1, 0, 0) }},
	{"IMG-023", func(x *trial) { x.cube(1, 0, 0) }, nil},
	{"IMG-029", func(x *trial) { x.lane.offset = []int32{1, 0} }, nil},
	{"IMG-032", func(x *trial) { x.fetch(1, 0); x.lane.op.Dim, x.buffer = ir.DimBuffer, vk.FormatR32Sfloat }, func(x *trial) { x.fetch(1, 0) }},
	{"IMG-064", func(x *trial) { x.format(vk.FormatE5B9G9R9UfloatPack32) }, nil},
	{"IMG-117", func(x *trial) { x.format(vk.FormatR32Uint); x.linear() }, func(x *trial) { x.format(vk.FormatR32Uint) }},
	{"IMG-204", func(x *trial) { x.cube(-1, 1, -1); x.s.NonSeamless = true }, func(x *trial) { x.cube(1, 0.1, 0.1); x.s.NonSeamless = true }},
	{"IMG-215", func(x *trial) { x.cube(-1, 0, -1) }, func(x *trial) { x.cube(1, 0.1, 0.1) }},
	{"IMG-216", func(x *trial) { x.linear(); x.cube(1, 0.1, -0.99) }, func(x *trial) { x.linear(); x.cube(1, 0.1, 0.1) }},
	{"IMG-217", func(x *trial) { x.cubic(); x.cube(1, 0.1, 0.1); x.image.Extent = extent(1, 1, 1) }, func(x *trial) { x.cubic(); x.cube(1, 0.1, 0.1) }},
	{"IMG-220", func(x *trial) { x.linear(); x.cube(1, 0.99, -0.98) }, func(x *trial) { x.linear(); x.cube(1, 0.1, -0.99) }},
	{"IMG-222", func(x *trial) { x.linear(); x.cube(1, 0.99, -0.98); x.compare(0.5) }, func(x *trial) { x.linear(); x.cube(1, 0.99, -0.98) }},
	{"IMG-241", func(x *trial) { x.format(vk.FormatR8G8Unorm) }, func(x *trial) { x.format(vk.FormatR8G8Snorm) }},
	{"IMG-242", func(x *trial) { x.format(vk.FormatR8G8Snorm) }, func(x *trial) { x.format(vk.FormatR8G8Unorm) }},
	{"IMG-243", func(x *trial) { x.format(vk.FormatR8G8Uscaled) }, func(x *trial) { x.format(vk.FormatR8G8Uint) }},
	{"IMG-244", func(x *trial) { x.format(vk.FormatR8G8Sint) }, func(x *trial) { x.format(vk.FormatR8G8Sscaled) }},
	{"IMG-245", func(x *trial) { x.format(vk.FormatR16Sfloat) }, func(x *trial) { x.format(vk.FormatR32Sfloat) }},
	{"IMG-246", func(x *trial) { x.format(vk.FormatB10G11R11UfloatPack32) }, func(x *trial) { x.format(vk.FormatR32Sfloat) }},
	{"IMG-247", func(x *trial) { x.format(vk.FormatR32Sfloat) }, func(x *trial) { x.format(vk.FormatR16Sfloat) }},
	{"IMG-248", func(x *trial) { x.format(vk.FormatR8G8B8A8Srgb) }, func(x *trial) { x.format(vk.FormatR8G8B8A8Unorm) }},
	{"IMG-250", func(x *trial) { x.format(vk.FormatR8G8B8A8Srgb); x.linear() }, func(x *trial) { x.format(vk.FormatR8G8B8A8Srgb) }},
	{"IMG-251", func(x *trial) { x.format(vk.FormatR10X6UnormPack16) }, func(x *trial) { x.format(vk.FormatR16Unorm) }},
	{"IMG-253", func(x *trial) { x.format(vk.FormatD32Sfloat) }, func(x *trial) { x.format(vk.FormatR32Sfloat) }},
	{"IMG-254", func(x *trial) { x.format(vk.FormatBc1RgbUnormBlock) }, func(x *trial) { x.format(vk.FormatR8G8B8A8Unorm) }},
	{"IMG-255", func(x *trial) {
		x.format(vk.FormatR8G8B8A8Unorm)
		x.image.Flags, x.view.Format = vk.ImageCreateMutableFormatBit, vk.FormatR32Uint
	}, func(x *trial) { x.format(vk.FormatR32Uint) }},
	{"IMG-259", func(x *trial) { x.format(vk.FormatR64Uint); x.image.MipLevels = 1 }, func(x *trial) { x.format(vk.FormatR32Uint) }},
	{"IMG-290", func(x *trial) { x.border(vk.BorderColorFloatOpaqueWhite) }, func(x *trial) { x.border(0); x.s.AddressModeU = edge }},
	{"IMG-291", func(x *trial) { x.border(vk.BorderColorFloatOpaqueWhite); x.format(vk.FormatR32G32Sfloat) }, func(x *trial) { x.border(vk.BorderColorFloatOpaqueWhite) }},
	{"IMG-293", func(x *trial) { x.custom(); x.format(vk.FormatR8G8B8A8Unorm) }, (*trial).custom},
	{"IMG-294", func(x *trial) { x.custom(); x.format(vk.FormatR8G8B8A8Srgb) }, (*trial).custom},
	{"IMG-296", func(x *trial) {
		x.border(vk.BorderColorFloatTransparentBlack)
		x.view.Components.A = vk.ComponentSwizzleOne
	},
		func(x *trial) { x.view.Components.A = vk.ComponentSwizzleOne }},
	{"IMG-297", func(x *trial) { x.compare(0.5); x.border(vk.BorderColorFloatOpaqueWhite) }, func(x *trial) { x.compare(0.5) }},
	{"IMG-300", func(x *trial) { x.fetch(4, 0) }, func(x *trial) { x.fetch(3, 0) }},
	{"IMG-301", func(x *trial) { x.multisampled(2) }, func(x *trial) { x.multisampled(1) }},
	{"IMG-302", func(x *trial) { x.fetch(4, 0); x.lane.op.Dim, x.buffer = ir.DimBuffer, vk.FormatR32Sfloat },
		func(x *trial) { x.fetch(3, 0); x.lane.op.Dim, x.buffer = ir.DimBuffer, vk.FormatR32Sfloat }},
	{"IMG-304", func(x *trial) { x.null = true }, nil},
	{"IMG-311", func(x *trial) { x.compare(0.5) }, func(x *trial) { x.compare(nan) }},
	{"IMG-312", func(x *trial) { x.compare(1.5) }, func(x *trial) { x.compare(0.5) }},
	{"IMG-314", func(x *trial) { x.compare(nan) }, func(x *trial) { x.compare(0.5) }},
	{"IMG-316", func(x *trial) { x.compare(0.5); x.linear() }, func(x *trial) { x.compare(0.5) }},
	{"IMG-320", func(x *trial) { x.format(vk.FormatR8Unorm) }, nil},
	{"IMG-321", func(x *trial) { x.format(vk.FormatR8Uint) }, func(x *trial) { x.format(vk.FormatR8Unorm) }},
	{"IMG-322", func(x *trial) { x.format(vk.FormatS8Uint) }, func(x *trial) { x.format(vk.FormatR8Uint) }},
	{"IMG-323", func(x *trial) { x.format(vk.FormatBc4UnormBlock) }, func(x *trial) { x.format(vk.FormatBc7UnormBlock) }},
	{"IMG-325", func(x *trial) { x.view.Components.R = vk.ComponentSwizzleOne }, nil},
	{"IMG-327", func(x *trial) { x.format(vk.FormatD32Sfloat); x.view.Components.G = vk.ComponentSwizzleOne },
		func(x *trial) { x.view.Components.G = vk.ComponentSwizzleOne }},
	{"IMG-328", func(x *trial) { x.border(vk.BorderColorFloatOpaqueBlack); x.view.Components.R = vk.ComponentSwizzleOne },
		func(x *trial) {
			x.border(vk.BorderColorFloatTransparentBlack)
			x.view.Components.R = vk.ComponentSwizzleOne
		}},
	{"IMG-329", func(x *trial) { x.gather(0); x.view.Components.R = vk.ComponentSwizzleOne }, func(x *trial) { x.gather(0) }},
	{"IMG-397", (*trial).implicit, func(x *trial) { x.grad(0.25, 0.25) }},
	{"IMG-398", (*trial).implicit, func(x *trial) { x.grad(0.25, 0.25) }},
	{"IMG-399", func(x *trial) { x.grad(0.25, 0.25) }, (*trial).implicit},
	{"IMG-400", func(*trial) {}, (*trial).implicit},
	{"IMG-411", func(x *trial) { x.cube(1, 0, 0) }, nil},
	{"IMG-412", func(x *trial) { x.cube(1, 0, 0) }, nil},
	{"IMG-413", func(x *trial) { x.cube(1, 0, 0) }, func(x *trial) { x.cube(0, 0, 0) }},
	{"IMG-414", func(x *trial) {
		x.cube(1, 0, 0)
		x.lane.op.Lod, x.lane.dx, x.lane.dy = ir.LodGrad, []float32{0, 1, 0}, []float32{0, 0, 1}
	}, func(x *trial) { x.cube(1, 0, 0) }},
	{"IMG-415", func(x *trial) { x.cube(0, 0, 0) }, func(x *trial) { x.cube(1, 0, 0) }},
	{"IMG-426", func(x *trial) { x.cornerSampled(); x.grad(0.25, 0.25) }, func(x *trial) { x.grad(0.25, 0.25) }},
	{"IMG-429", func(x *trial) { x.grad(0.5, 0.25) }, func(x *trial) { x.anisotropic(0.5) }},
	{"IMG-431", func(x *trial) { x.anisotropic(0.5) }, func(x *trial) { x.grad(0.5, 0.25) }},
	{"IMG-432", func(x *trial) { x.anisotropic(8); x.s.MaxAnisotropy = 4 }, func(x *trial) { x.grad(8, 0.25) }},
	{"IMG-433", func(x *trial) { x.anisotropic(0.5) }, func(x *trial) { x.grad(0.5, 0.25) }},
	{"IMG-445", func(x *trial) { x.grad(0.5, 0.25) }, nil},
	{"IMG-446", func(x *trial) { x.s.MipLodBias = 1 }, nil},
	{"IMG-447", func(x *trial) { x.lane.op.HasMinLod, x.lane.minLod = true, 1 }, func(x *trial) { x.lane.op.HasMinLod, x.lane.minLod, x.lane.lod = true, 1, 2 }},
	{"IMG-448", func(x *trial) { x.s.MinLod = 1 }, func(x *trial) { x.s.MinLod, x.lane.lod = 1, 2 }},
	{"IMG-449", func(x *trial) { x.s.MinLod, x.s.MaxLod = 2, 1 }, nil},
	{"IMG-451", func(x *trial) { x.s.MagFilter = linear }, (*trial).unnormalized},
	{"IMG-453", (*trial).unnormalized, nil},
	{"IMG-460", func(x *trial) { x.lane.lod = 7 }, func(x *trial) { x.view.MinLod, x.image.MipLevels = 1, 3 }},
	{"IMG-461", func(x *trial) { x.lane.lod = 0.75 }, func(x *trial) { x.lane.lod = 1 }},
	{"IMG-462", func(x *trial) { x.lane.lod = 0.5 }, func(x *trial) { x.lane.lod = 0.75 }},
	{"IMG-464", func(x *trial) { x.view.MinLod = 1 }, func(x *trial) { x.view.MinLod, x.lane.lod = 1, 1.5 }},
	{"IMG-465", func(x *trial) { x.twoLevels() }, func(x *trial) { x.twoLevels(); x.lane.lod = 1 }},
	{"IMG-466", func(x *trial) { x.twoLevels(); x.lane.lod = 1 }, func(x *trial) { x.twoLevels() }},
	{"IMG-476", (*trial).cornerSampled, nil},
	{"IMG-477", (*trial).unnormalized, nil},
	{"IMG-480", func(*trial) {}, (*trial).linear},
	{"IMG-481", (*trial).linear, nil},
	{"IMG-482", (*trial).cubic, (*trial).linear},
	{"IMG-484", func(x *trial) { x.arrayed(1.25) }, nil},
	{"IMG-486", func(x *trial) { x.linear(); x.lane.coord[0] = 0.3749 }, (*trial).linear},
	{"IMG-500", func(x *trial) { x.lane.coord[0] = 1.25 }, nil},
	{"IMG-505", func(x *trial) { x.border(vk.BorderColorFloatOpaqueWhite) }, func(x *trial) { x.border(0); x.lane.coord[0] = 0.125 }},
	{"IMG-515", func(x *trial) { x.gather(0) }, (*trial).linear},
	{"IMG-516", func(x *trial) { x.gather(0) }, (*trial).linear},
	{"IMG-518", func(x *trial) { x.gather(0); x.compare(0.5) }, func(x *trial) { x.gather(0) }},
	{"IMG-520", func(x *trial) { x.gather(0); x.view.MinLod = 1 }, func(x *trial) { x.gather(0) }},
	{"IMG-522", func(x *trial) { x.gather(0); x.lane.op.NearestOrigin = true }, func(x *trial) { x.gather(0) }},
	{"IMG-530", func(*trial) {}, (*trial).linear},
	{"IMG-531", (*trial).linear, (*trial).cubic},
	{"IMG-532", (*trial).linear, (*trial).cubic},
	{"IMG-533", func(x *trial) { x.linear(); x.lane.coord[0] = 0.375 }, (*trial).linear},
	{"IMG-540", (*trial).cubic, (*trial).linear},
	{"IMG-542", (*trial).cubic, (*trial).linear},
	{"IMG-545", func(x *trial) { x.cubic(); x.s.CubicWeights = vk.CubicFilterWeightsZeroTangentCardinalQCOM }, (*trial).cubic},
	{"IMG-546", (*trial).overshoot, func(x *trial) {
		x.overshoot()
		x.s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	}},
	{"IMG-547", func(x *trial) {
		x.overshoot()
		x.s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	}, (*trial).overshoot},
	{"IMG-550", func(x *trial) { x.reduction(vk.SamplerReductionModeMin) }, (*trial).linear},
	{"IMG-551", func(x *trial) { x.reduction(vk.SamplerReductionModeMax); x.texels(nan) }, func(x *trial) { x.reduction(vk.SamplerReductionModeMax) }},
	{"IMG-552", func(x *trial) { x.reduction(vk.SamplerReductionModeMax); x.lane.coord[0] = 0.375 }, func(x *trial) { x.reduction(vk.SamplerReductionModeMax) }},
	{"IMG-555", (*trial).twoLevels, func(x *trial) { x.twoLevels(); x.lane.lod = 1 }},
	{"IMG-556", (*trial).twoLevels, func(x *trial) { x.twoLevels(); x.lane.lod = 1 }},
	{"IMG-560", func(x *trial) { x.anisotropic(0.5) }, func(x *trial) { x.anisotropic(0.25) }},
	{"IMG-561", func(x *trial) { x.anisotropic(0.5) }, func(x *trial) { x.anisotropic(0.25) }},
	{"IMG-562", func(x *trial) { x.anisotropic(0.5) }, func(x *trial) { x.anisotropic(0.25) }},
	{"IMG-563", func(x *trial) { x.wideOnCube(0.9) }, func(x *trial) { x.wideOnCube(0.1) }},
	{"IMG-564", func(x *trial) { x.one(true) }, func(x *trial) { x.one(false) }},
	{"IMG-565", func(x *trial) { x.anisotropic(0.5); x.s.Reduction = vk.SamplerReductionModeMin }, func(x *trial) { x.anisotropic(0.5) }},
	{"IMG-566", func(x *trial) { x.anisotropic(0.5); x.s.MipLodBias = 1 }, func(x *trial) { x.anisotropic(0.5) }},
	{"IMG-575", func(x *trial) { x.fetch(1, 1) }, func(x *trial) { x.fetch(1, 1); x.lane.op.Kind = ir.ImageRead }},
	{"IMG-576", func(x *trial) { x.fetch(1, 1); x.lane.offset = []int32{1, 0} }, func(x *trial) { x.fetch(1, 1); x.lane.offset = []int32{0, 0} }},
	{"IMG-577", func(x *trial) { x.fetch(1, 1); x.lane.op.Kind = ir.ImageRead }, func(x *trial) { x.fetch(1, 1) }},
	{"IMG-579", func(x *trial) { x.fetch(0, 0); x.lane.ilod, x.lane.hasLod = 3, true }, func(x *trial) { x.fetch(0, 0); x.lane.ilod, x.lane.hasLod = 2, true }},
	{"IMG-580", func(x *trial) { x.multisampled(1) }, func(x *trial) { x.fetch(1, 1) }},
	{"IMG-605", func(x *trial) { x.size(1) }, func(x *trial) { x.size(1); x.noLevel = true }},
	{"IMG-606", func(x *trial) { x.size(3) }, func(x *trial) { x.size(2) }},
	{"IMG-607", func(x *trial) { x.size(1); x.lane.hasLod = false }, func(x *trial) { x.size(1) }},
	{"IMG-608", func(x *trial) { x.size(0); x.lane.op.Kind = ir.ImageQueryLevels }, func(x *trial) { x.size(0) }},
	{"IMG-609", func(x *trial) { x.implicit(); x.lane.op.Kind = ir.ImageQueryLod }, (*trial).implicit},
	{"IMG-610", func(x *trial) { x.implicit(); x.lane.op.Kind, x.s.MinLod = ir.ImageQueryLod, 1.5 }, func(x *trial) { x.implicit(); x.lane.op.Kind = ir.ImageQueryLod }},
	{"IMG-885", func(x *trial) {
		x.linear()
		x.s.Reduction = vk.SamplerReductionModeWeightedAverageRangeclampQCOM
	}, (*trial).linear},
	{"IMG-889", func(x *trial) { x.gather(0); x.lane.op.Lod = ir.LodExplicit }, func(x *trial) { x.gather(0) }},
}

// conversions are decisions of Y′CBCR conversions.
var conversions = []struct {
	rule               string
	format, twinFormat vk.Format
	set, twin          func(c *resource.YcbcrConversion)
}{
	{"IMG-071", i420, i420, nil, func(c *resource.YcbcrConversion) { c.ForceExplicit = true }},
	{"IMG-256", i420, vk.FormatG8B8G8R8_422Unorm, nil, nil},
	{"IMG-337", i422, i422, func(c *resource.YcbcrConversion) { c.ForceExplicit = true }, nil},
	{"IMG-338", i422, i422, func(c *resource.YcbcrConversion) { c.ForceExplicit, c.ChromaFilter = true, linear },
		func(c *resource.YcbcrConversion) {
			c.ForceExplicit, c.ChromaFilter, c.XChromaOffset, c.YChromaOffset = true, linear, midpoint, midpoint
		}},
	{"IMG-339", i422, i422, func(c *resource.YcbcrConversion) {
		c.ForceExplicit, c.ChromaFilter, c.XChromaOffset, c.YChromaOffset = true, linear, midpoint, midpoint
	}, func(c *resource.YcbcrConversion) { c.ForceExplicit, c.ChromaFilter = true, linear }},
	{"IMG-340", i420, i422, func(c *resource.YcbcrConversion) { c.ForceExplicit, c.ChromaFilter = true, linear },
		func(c *resource.YcbcrConversion) { c.ForceExplicit, c.ChromaFilter = true, linear }},
	{"IMG-343", i420, i420, func(c *resource.YcbcrConversion) { c.ChromaFilter = linear }, nil},
	{"IMG-344", i420, i420, nil, func(c *resource.YcbcrConversion) { c.ChromaFilter = linear }},
	{"IMG-346", i420, i420, func(c *resource.YcbcrConversion) { c.ForceExplicit = true }, nil},
	{"IMG-350", i420, i420, func(c *resource.YcbcrConversion) { c.YDegamma = true }, nil},
	{"IMG-351", vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Unorm, func(c *resource.YcbcrConversion) { c.Components.R = vk.ComponentSwizzleB }, nil},
	{"IMG-352", i420, i420, func(c *resource.YcbcrConversion) { c.Model = vk.SamplerYcbcrModelConversionYcbcrIdentity }, nil},
	{"IMG-353", i420, i420, nil, func(c *resource.YcbcrConversion) { c.Range = vk.SamplerYcbcrRangeItuNarrow }},
	{"IMG-354", i420, i420, func(c *resource.YcbcrConversion) { c.Range = vk.SamplerYcbcrRangeItuNarrow }, nil},
	{"IMG-356", i420, i420, nil, func(c *resource.YcbcrConversion) { c.Model = vk.SamplerYcbcrModelConversionYcbcrIdentity }},
	{"IMG-362", vk.FormatR8G8B8A8Unorm, i420, nil, nil},
}

func (x *trial) multisampled(sample int32) {
	x.fetch(1, 1)
	x.image.Samples, x.image.MipLevels, x.lane.op.MS, x.lane.op.HasSample, x.lane.sample = 2, 1, true, true, sample
}

// implicit takes the level of detail from a quad: a quarter of the image a pixel.
func (x *trial) implicit() {
	x.lane.op.Lod, x.quad = ir.LodImplicit, [][]float32{{0.625, 0.375}, {0.375, 0.625}, {0.625, 0.625}}
}

func (x *trial) cornerSampled() {
	x.image.Flags, x.image.MipLevels = vk.ImageCreateCornerSampledBitNV, 1
}

func (x *trial) twoLevels() {
	x.linear()
	x.s.MipmapMode, x.lane.lod = vk.SamplerMipmapModeLinear, 0.5
}

func (x *trial) arrayed(layer float32) {
	x.lane.op.Arrayed, x.lane.coord = true, append(x.lane.coord, layer)
	x.image.ArrayLayers, x.view.Type = 3, viewType(vk.ImageViewType2DArray)
}

// overshoot has the texels 0, 1, 1, 1 of a row at a fraction of a half: −1/16·0 + 9/16 + 9/16 − 1/16 = 17/16.
func (x *trial) overshoot() {
	x.image = resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)}
	x.texels(1, 0)
	x.cubic()
	x.lane.op.Dim, x.lane.coord = ir.Dim1D, x.lane.coord[:1]
}

func (x *trial) wideOnCube(r float32) {
	x.linear()
	x.cube(1, 0.1, r)
	x.lane.op.Lod, x.lane.dx, x.lane.dy = ir.LodGrad, []float32{0, 0, 1}, []float32{0, 0.25, 0}
	x.s.AnisotropyEnable, x.s.MaxAnisotropy = true, 16
}

func (x *trial) one(anisotropic bool) {
	x.image = resource.ImageDesc{Type: vk.ImageType1D, Format: vk.FormatR32Sfloat, Extent: extent(4, 1, 1)}
	x.linear()
	x.lane.op, x.lane.coord = ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim1D, Lod: ir.LodGrad}, x.lane.coord[:1]
	x.lane.dx, x.lane.dy = []float32{0.5}, []float32{0}
	x.s.AnisotropyEnable, x.s.MaxAnisotropy = anisotropic, 16
}

func (x *trial) size(level int32) {
	x.lane.op, x.lane.coord, x.lane.ilod, x.lane.hasLod = ir.ImageOp{Kind: ir.ImageQuerySize, Dim: ir.Dim2D}, nil, level, true
}

// undecided are the rules that are never named, and why.
var undecided = []rules.Reason{
	{"IMG-001 IMG-003 IMG-004 IMG-009 IMG-010 IMG-012 IMG-257 IMG-428 IMG-452 IMG-700 IMG-701 IMG-702 IMG-703 IMG-704 IMG-705", "how exact numbers are and which limits are told: it holds for every step"},
	{"IMG-020 IMG-021 IMG-024 IMG-025 IMG-026 IMG-027 IMG-028 IMG-031 IMG-390 IMG-391 IMG-392 IMG-315", "what operands are before the instruction has them: a quotient, a type, a count"},
	{"IMG-030 IMG-200 IMG-201 IMG-202 IMG-203 IMG-205 IMG-307", "the test of coordinates: IMG-300, IMG-301, IMG-302, IMG-579 and IMG-505 tell what came of it"},
	{"IMG-040 IMG-041 IMG-042 IMG-043 IMG-044 IMG-045 IMG-046 IMG-047 IMG-048 IMG-049 IMG-050", "how images and views are laid out"},
	{"IMG-060 IMG-061 IMG-062 IMG-063 IMG-065 IMG-249 IMG-305 IMG-306 IMG-370:IMG-383 IMG-578 IMG-590:IMG-598 IMG-886:IMG-888", "of stores, atomics, blits and layouts: what is stored is told, and no steps, since nothing is done twice"},
	{"IMG-070 IMG-072 IMG-073 IMG-074 IMG-075 IMG-502 IMG-519 IMG-621 IMG-330", "orders of steps"},
	{"IMG-100:IMG-116 IMG-120:IMG-196", "validation: draws, dispatches and errors tell of these"},
	{"IMG-218 IMG-221 IMG-404 IMG-410 IMG-416 IMG-417 IMG-434 IMG-463 IMG-501 IMG-534 IMG-535 IMG-541 IMG-543 IMG-557 IMG-567 IMG-568 IMG-342 IMG-345 IMG-357 IMG-359 IMG-360", "properties, vectors and yardsticks of other rules"},
	{"IMG-223 IMG-230:IMG-234 IMG-521 IMG-612 IMG-620 IMG-622 IMG-623", "residency: IMG-303 tells of texels without memory, and the code is no texel"},
	{"IMG-240 IMG-252 IMG-258 IMG-260 IMG-750:IMG-769", "tables of formats: the steps of texels name the rule that decodes them"},
	{"IMG-800:IMG-883", "inside of a block: IMG-254 tells that there is one"},
	{"IMG-292 IMG-295 IMG-504 IMG-506 IMG-485", "a choice that gives what IMG-290, IMG-500 and a plain read give"},
	{"IMG-310 IMG-313 IMG-317", "what a comparison is: IMG-311, IMG-314 and IMG-297 tell how it came out"},
	{"IMG-326 IMG-335 IMG-336 IMG-355 IMG-358 IMG-361", "which of two is taken, and clamps that are not there: IMG-325, IMG-351, IMG-337 to IMG-344 tell"},
	{"IMG-396 IMG-401 IMG-402 IMG-403 IMG-405 IMG-425 IMG-427 IMG-430 IMG-450", "where derivatives and scales come from: IMG-397, IMG-399, IMG-429 and IMG-453 tell"},
	{"IMG-475", "the product of coordinate and size: u of IMG-480, IMG-481 and IMG-482"},
	{"IMG-503", "its two halves are IMG-215 and IMG-216"},
	{"IMG-517 IMG-523 IMG-884", "four gathers of one offset each, integers, and which images: told as IMG-029, IMG-516 and IMG-244"},
	{"IMG-611", "null and weight images: IMG-304, IMG-605"},
	{"IMG-630:IMG-639 IMG-650:IMG-677", "footprints and image processing: operands and result are told, and no steps"},
}

// A result, each rule that can decide it, and a twin where the rule does not: steps name the rule in the one and not in
// the other.
func TestTrace_NamesTheRuleThatDecided(t *testing.T) {
	check := func(t *testing.T, rule string, yes, no *trial) {
		t.Helper()
		if steps := yes.run(t); !names(steps, rule) {
			t.Errorf("%s decides and is not named:\n%s", catalogue.Name(rule), text(steps))
		}
		if steps := no.run(t); len(steps) == 0 || names(steps, rule) {
			t.Errorf("%s does not decide and is named:\n%s", catalogue.Name(rule), text(steps))
		}
	}
	for _, c := range decisions {
		yes, no := plainTrial(), plainTrial()
		c.set(yes)
		if c.twin != nil {
			c.twin(no)
		}
		check(t, c.rule, yes, no)
	}
	same := func(*resource.YcbcrConversion) {}
	for _, c := range conversions {
		yes, no := plainTrial(), plainTrial()
		set, twin := c.set, c.twin
		if set == nil {
			set = same
		}
		if twin == nil {
			twin = same
		}
		yes.converts(c.format, set)(t)
		no.converts(c.twinFormat, twin)(t)
		check(t, c.rule, yes, no)
	}
	// A gather at the corner, of integers and of floats.
	for f, rule := range map[vk.Format]string{vk.FormatR32Uint: "IMG-222", vk.FormatR32Sfloat: "IMG-220"} {
		x := plainTrial()
		x.cube(1, 0.99, -0.98)
		x.image.Format, x.lane.op.Kind, x.lane.op.Lod = f, ir.ImageGather, ir.LodZero
		steps := x.run(t)
		for _, other := range []string{"IMG-220", "IMG-222"} {
			if names(steps, other) != (other == rule) {
				t.Errorf("%v: %s is named: %v\n%s", f, other, other != rule, text(steps))
			}
		}
	}
	// Chroma of the last column, whose second tap is outside.
	for at, named := range map[float32]bool{0.9375: true, 0.4375: false} {
		x := plainTrial()
		x.converts(i420, func(c *resource.YcbcrConversion) { c.ChromaFilter = linear })(t)
		x.lane.coord = []float32{at, 0.4375}
		if steps := x.run(t); names(steps, "IMG-341") != named {
			t.Errorf("IMG-341 is named: %v\n%s", !named, text(steps))
		}
	}
}

// Each address mode that takes a texel elsewhere is named with what it makes of it, in each dimension: texel −2 of 4 by IMG-500.
func TestTrace_AddressModes(t *testing.T) {
	for mode, want := range map[vk.SamplerAddressMode]int{repeat: 2, mirrored: 1, edge: 0, mirrorK: 1} {
		for dims, dim := range map[int]ir.ImageDim{1: ir.Dim1D, 2: ir.Dim2D, 3: ir.Dim3D} {
			for d := range dims {
				x := plainTrial()
				x.image.Type, x.image.MipLevels = [...]vk.ImageType{vk.ImageType1D, vk.ImageType2D, vk.ImageType3D}[dims-1], 1
				x.image.Extent = [...]vk.Extent3D{extent(4, 1, 1), extent(4, 4, 1), extent(4, 4, 4)}[dims-1]
				x.lane.op.Dim, x.lane.coord = dim, []float32{0.375, 0.375, 0.375}[:dims]
				x.lane.coord[d] = -0.375 // texel −2
				x.s.AddressModeU, x.s.AddressModeV, x.s.AddressModeW = mode, mode, mode
				steps := x.run(t)
				line := Step{"IMG-500", fmt.Sprintf("%s, %s: texel -2 is %d", axisNames[d], strings.TrimPrefix(mode.String(), "VK_SAMPLER_ADDRESS_MODE_"), want)}
				n := 0
				for _, s := range steps {
					if s.Rule == "IMG-500" {
						n++
					}
				}
				if n != 1 || !slices.Contains(steps, line) {
					t.Errorf("%v, %d dimensions: %v is not the only one in\n%s", mode, dims, line, text(steps))
				}
			}
		}
	}
}

// Texels of each format are told by the rule that its name asks for.
func TestTrace_DecodeRules(t *testing.T) {
	suffixes := []struct{ part, rule string }{
		{"E5B9G9R9", "IMG-064"}, {"R10X6", "IMG-251"}, {"R12X4", "IMG-251"}, {"_BLOCK", "IMG-254"}, {"_D16_", "IMG-253"}, {"_D24_", "IMG-253"}, {"_D32_", "IMG-253"}, {"_S8_", "IMG-253"},
		{"R64", "IMG-259"}, {"_SRGB", "IMG-248"}, {"_UNORM", "IMG-241"}, {"_SNORM", "IMG-242"}, {"_USCALED", "IMG-243"}, {"_SSCALED", "IMG-243"}, {"_UINT", "IMG-244"}, {"_SINT", "IMG-244"},
		{"_UFLOAT", "IMG-246"}, {"R16", "IMG-245"}, {"R32", "IMG-247"},
	}
	n := 0
	for _, f := range format.All() {
		info, ok := format.Lookup(f)
		if !ok || info.Supported() != nil || info.NeedsConversion() {
			continue
		}
		n++
		i := slices.IndexFunc(suffixes, func(s struct{ part, rule string }) bool {
			return strings.Contains(strings.TrimPrefix(info.Name, "VK_FORMAT")+"_", s.part)
		})
		if i < 0 || decodeRule(info) != suffixes[i].rule {
			t.Errorf("%s: %s", info.Name, decodeRule(info))
		}
	}
	if n < 150 {
		t.Errorf("%d formats", n)
	}
}

func names(steps []Step, rule string) bool {
	return slices.ContainsFunc(steps, func(s Step) bool { return s.Rule == rule })
}

func text(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString("\t" + s.Rule + " " + s.Text + "\n")
	}
	return b.String()
}

// Every rule of image operations decides in a trial, or has a reason why it never does.
func TestTrace_EveryRuleDecidesOrHasAReason(t *testing.T) {
	decides := map[string]bool{"IMG-303": true, "IMG-341": true} // in tests of their own
	for _, c := range decisions {
		decides[c.rule] = true
	}
	for _, c := range conversions {
		decides[c.rule] = true
	}
	rules.Decided(t, catalogue.All("IMG"), decides, undecided)
	if len(decides) < 60 {
		t.Errorf("%d rules decide", len(decides))
	}
}

// No step names a rule that the table does not have.
func TestTrace_NamesRulesOfTheTable(t *testing.T) {
	decides := map[string]bool{"IMG-303": true, "IMG-341": true}
	for _, c := range decisions {
		decides[c.rule] = true
	}
	for _, c := range conversions {
		decides[c.rule] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"(IMG-\d{3})"`)
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "validate") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quoted.FindAllStringSubmatch(string(data), -1) {
			if n++; !decides[m[1]] && m[1] != "IMG-240" { // of formats that no image has
				t.Errorf("%s: %s is in no trial", name, catalogue.Name(m[1]))
			}
		}
	}
	if n < 100 {
		t.Errorf("%d names of rules in the code", n)
	}
}
