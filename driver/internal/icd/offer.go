package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/vk"
)

// withheld is something that works and is optional, and that is offered only where
// Config.Offer says so: Khronos' tests of it ask for what Vulkan does not, or their newest release does not know it.
type withheld struct {
	extension string // its name, or
	// formats are those that lose features; nil: all. They are offered by their names.
	formats       []vk.Format
	feature       string // what is offered by this name, of all formats
	image, buffer vk.FormatFeatureFlags2
	// sampleCounts are those that colour images lose which are sampled.
	sampleCounts vk.SampleCountFlags
	products     []product // that lists leave out
	what, why    string
}

// product is one of some lists: the types of what is multiplied and of the result, whether sums
// saturate, and of how many products they are.
type product struct {
	lists          productLists
	factor, result vk.ComponentTypeKHR
	saturates      bool
	depth          uint32 // 0: any
}

// productLists are lists of products that the driver gives.
type productLists int

const (
	cooperativeVectors productLists = 1 << iota
	cooperativeMatrices
	flexibleMatrices // of flexible dimensions
	allMatrices      = cooperativeMatrices | flexibleMatrices
)

// offerAll is the name of everything that is withheld.
const offerAll = "all"

const (
	sampled = vk.FormatFeature2SampledImageBit | vk.FormatFeature2SampledImageFilterLinearBit | vk.FormatFeature2SampledImageFilterMinmaxBit |
		vk.FormatFeature2SampledImageFilterCubicBit | vk.FormatFeature2WeightImageBitQCOM | vk.FormatFeature2WeightSampledImageBitQCOM |
		vk.FormatFeature2BlockMatchingBitQCOM | vk.FormatFeature2BoxFilterSampledBitQCOM
	stored   = vk.FormatFeature2StorageReadWithoutFormatBit | vk.FormatFeature2StorageWriteWithoutFormatBit
	attached = vk.FormatFeature2ColorAttachmentBit | vk.FormatFeature2ColorAttachmentBlendBit
)

// unreleased is why extensions are withheld that are newer than the newest release of the tests, 1.4.6.1.
const unreleased = "newer than the newest release of the tests, which fails drivers with extensions that it does not know"

var allWithheld = [...]withheld{
	{extension: "VK_AMD_shader_fragment_mask", what: "the extension",
		why: "the tests take four bits a sample out of a mask of 32 bits, of images of 16 samples too"},
	{extension: "VK_EXT_multisampled_render_to_swapchain", what: "the extension",
		why: "the tests make swapchains of a headless or Wayland surface's current extent, which is 0xFFFFFFFF where a surface takes the size of its pictures"},
	{extension: "VK_KHR_extended_flags", what: "the extension", why: unreleased},
	{extension: "VK_KHR_maintenance11", what: "the extension", why: unreleased},
	{feature: "forceExplicitReconstruction", image: vk.FormatFeature2SampledImageYcbcrConversionChromaReconstructionExplicitForceableBit,
		what: "explicit reconstruction of chroma",
		why:  "the tests weigh cosited samples of _422 formats and midpoints of _420 formats the wrong way round"},
	{feature: "sampledImageColorSampleCounts", sampleCounts: vk.SampleCount32Bit | vk.SampleCount64Bit,
		what: "sampled colour images of 32 and 64 samples a pixel",
		why: "of such images, the tests of standard sample locations end with an error if standardSampleLocations is set, " +
			"and those of four layers count 256 samples in 8 bits"},
	{feature: maskedRates, what: "fragments of several pixels for shaders with SampleMask, and for those with an interlock mode (`fragmentShadingRateWithFragmentShaderInterlock`)",
		why: "the tests count the samples of 2×2 pixels with 16 samples each in 32 bits, and want half of those " +
			"of the 8 standard locations in a triangle whose long side has two of them on it"},
	{feature: "cooperativeVectorUint8",
		products: []product{
			{cooperativeVectors, vk.ComponentTypeUint8KHR, vk.ComponentTypeUint32KHR, false, 0},
		},
		what: "products of cooperative vectors of 8-bit integers without a sign",
		why:  "the tests add them to biases near 2³² in 64 bits, where sums wrap"},
	{feature: "cooperativeMatrixBfloat16Results",
		products: []product{
			{cooperativeMatrices, vk.ComponentTypeBfloat16KHR, vk.ComponentTypeBfloat16KHR, false, 32},
			{flexibleMatrices, vk.ComponentTypeBfloat16KHR, vk.ComponentTypeBfloat16KHR, false, 8},
		},
		what: "products of cooperative matrices whose sums are bfloat16, with a K of 32 or " +
			"any multiple of 8",
		why: "the tests of decoded blocks want sums of 24 and 32 products that its 8 bits do not hold, " +
			"and allow for that from 48 on"},
	{feature: "cooperativeMatrixSint8Results",
		products: []product{
			{allMatrices, vk.ComponentTypeSint8KHR, vk.ComponentTypeSint8KHR, false, 0},
			{allMatrices, vk.ComponentTypeSint32KHR, vk.ComponentTypeSint8KHR, false, 0},
		},
		what: "products of cooperative matrices whose sums are bytes with a sign, modulo 2⁸",
		why:  "the tests compare such results, with their signs, with what they want from 0 to 255"},
	{feature: "cooperativeMatrixFloat8Results",
		products: []product{
			{allMatrices, vk.ComponentTypeFloat8E4m3EXT, vk.ComponentTypeFloat8E4m3EXT, false, 0},
			{allMatrices, vk.ComponentTypeFloat8E5m2EXT, vk.ComponentTypeFloat8E5m2EXT, false, 0},
		},
		what: "products of cooperative matrices whose sums are floats of 8 bits",
		why: "the tests of reductions add and compare such floats in GLSL, which cannot: " +
			"their shaders do not compile"},
	{formats: []vk.Format{vk.FormatA2R10G10B10SscaledPack32, vk.FormatA2B10G10R10SscaledPack32}, image: sampled,
		what: "sampled images",
		why:  "the tests take negative components of 10 bits for unsigned ones"},
	{formats: []vk.Format{
		vk.FormatR8Uscaled, vk.FormatR8Sscaled, vk.FormatR8G8Uscaled, vk.FormatR8G8Sscaled, vk.FormatR8G8B8Uscaled, vk.FormatR8G8B8Sscaled,
		vk.FormatR8G8B8A8Uscaled, vk.FormatR8G8B8A8Sscaled, vk.FormatA2B10G10R10UscaledPack32, vk.FormatR16Uscaled, vk.FormatR16Sscaled,
		vk.FormatR16G16Uscaled, vk.FormatR16G16Sscaled, vk.FormatR16G16B16Uscaled, vk.FormatR16G16B16Sscaled,
		vk.FormatR16G16B16A16Uscaled, vk.FormatR16G16B16A16Sscaled,
	}, image: sampled, what: "sampled images",
		why: "the tests of release 1.4.6.1 make shaders that read integers, run others that they did not make, and crash; newer ones have no such case"},
	{formats: []vk.Format{
		vk.FormatR8Uscaled, vk.FormatR8Sscaled, vk.FormatR8G8Uscaled, vk.FormatR8G8Sscaled,
		vk.FormatR8G8B8Uscaled, vk.FormatR8G8B8Sscaled, vk.FormatB8G8R8Uscaled, vk.FormatB8G8R8Sscaled,
		vk.FormatR8G8B8A8Uscaled, vk.FormatR8G8B8A8Sscaled, vk.FormatB8G8R8A8Uscaled, vk.FormatB8G8R8A8Sscaled,
		vk.FormatA8B8G8R8UscaledPack32, vk.FormatA8B8G8R8SscaledPack32, vk.FormatA2R10G10B10UscaledPack32, vk.FormatA2R10G10B10SscaledPack32,
		vk.FormatA2B10G10R10UscaledPack32, vk.FormatA2B10G10R10SscaledPack32, vk.FormatR16Uscaled, vk.FormatR16Sscaled,
		vk.FormatR16G16Uscaled, vk.FormatR16G16Sscaled, vk.FormatR16G16B16Uscaled, vk.FormatR16G16B16Sscaled,
		vk.FormatR16G16B16A16Uscaled, vk.FormatR16G16B16A16Sscaled,
	}, image: vk.FormatFeature2BlitSrcBit | vk.FormatFeature2BlitDstBit, what: "sources and destinations of blits",
		why: "the tests of release 1.4.6.1 want other numbers where one of two formats is scaled; newer ones have no such case"},
	{formats: []vk.Format{vk.FormatA2R10G10B10SintPack32, vk.FormatA2B10G10R10SintPack32},
		image: vk.FormatFeature2StorageImageBit | stored, buffer: vk.FormatFeature2StorageTexelBufferBit | stored,
		what: "storage images and storage texel buffers",
		why:  "the tests store alphas that 2 bits do not hold, and want what others would become"},
	{formats: []vk.Format{
		vk.FormatR8Srgb, vk.FormatR8G8Srgb, vk.FormatR8G8B8Srgb, vk.FormatB8G8R8Srgb,
		vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Srgb, vk.FormatA8B8G8R8SrgbPack32,
	}, buffer: vk.FormatFeature2VertexBufferBit, what: "vertex attributes",
		why: "of two groups of tests, one wants linear values, as Vulkan does, and the other the codes"},
	{formats: []vk.Format{vk.FormatR64Uint}, image: vk.FormatFeature2FragmentShadingRateAttachmentBitKHR,
		what: "attachments of shading rates",
		why:  "the tests' shaders make the rates as if texels had 32 bits"},
	{formats: []vk.Format{
		vk.FormatR10X6UnormPack16, vk.FormatR10X6G10X6Unorm2Pack16, vk.FormatR10X6G10X6B10X6A10X6Unorm4Pack16,
		vk.FormatR12X4UnormPack16, vk.FormatR12X4G12X4Unorm2Pack16,
	}, image: attached, what: "colour attachments",
		why: "the tests want unused bits of what was sampled to come out of attachments"},
}

// offers says whether names offer something of a format; of an extension, or a
// feature of all formats, f is VK_FORMAT_UNDEFINED.
func (w *withheld) offered(names []string, f vk.Format) bool {
	own := w.extension + w.feature
	if own == "" {
		own = f.String()
	}
	return offers(names, own)
}

// offers says whether names offer something by its own name.
func offers(names []string, own string) bool {
	return slices.Contains(names, offerAll) || slices.Contains(names, own)
}

// withheldExtensions are the names of the extensions that are not offered.
func withheldExtensions(offer []string) (names []string) {
	for i := range allWithheld {
		if w := &allWithheld[i]; w.extension != "" && !w.offered(offer, vk.FormatUndefined) {
			names = append(names, w.extension)
		}
	}
	return names
}

// formatProperties3 is what the driver offers of a format.
func (d *Driver) formatProperties3(f vk.Format) vk.FormatProperties3 {
	p := engine.FormatProperties3(f)
	for i := range allWithheld {
		w := &allWithheld[i]
		if w.extension == "" && (w.formats == nil || slices.Contains(w.formats, f)) && !w.offered(d.cfg.Offer, f) {
			p.OptimalTilingFeatures &^= w.image
			p.LinearTilingFeatures &^= w.image
			p.BufferFeatures &^= w.buffer
		}
	}
	return p
}

// sampledCounts are those of the sample counts that sampled colour images are offered with.
func (d *Driver) sampledCounts(counts vk.SampleCountFlags) vk.SampleCountFlags {
	for i := range allWithheld {
		if w := &allWithheld[i]; !w.offered(d.cfg.Offer, vk.FormatUndefined) {
			counts &^= w.sampleCounts
		}
	}
	return counts
}

// maskedRates is a property of VK_KHR_fragment_shading_rate. …WithFragmentShaderInterlock goes with it: the
// tests of interlocks read SampleMask of larger fragments wherever that property is TRUE.
const maskedRates = "fragmentShadingRateWithShaderSampleMask"

// masksRates says whether shaders with SampleMask or an interlock mode have fragments of several pixels.
func (d *Driver) masksRates() bool { return offers(d.cfg.Offer, maskedRates) }

// lists says whether a list of products has one.
func (d *Driver) lists(p product) bool {
	return !slices.ContainsFunc(allWithheld[:], func(w withheld) bool {
		return !w.offered(d.cfg.Offer, vk.FormatUndefined) && slices.ContainsFunc(w.products,
			func(q product) bool {
				in := q.lists&p.lists != 0 && (q.depth == 0 || q.depth == p.depth)
				q.lists, q.depth = p.lists, p.depth
				return in && q == p
			})
	})
}
