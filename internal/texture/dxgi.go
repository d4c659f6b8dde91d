package texture

import "github.com/pumice-gpu/pumice/vk"

// dxgiFormat is a number of DXGI_FORMAT. Formats without type are the one that is normalized, or else has floats.
type dxgiFormat struct {
	name   string
	format vk.Format // 0: none has the same texels
}

// dxgiCode finds the format of a DDS_HEADER_DXT10.
func dxgiCode(n uint32) (ddsCode, error) {
	f, ok := dxgiFormats[n]
	var c ddsCode
	switch n {
	case 68:
		c = fourCCs["RGBG"]
	case 69:
		c = fourCCs["GRGB"]
	case 88, 92, 93: // whose fourth byte means nothing
		c = ddsCode{format: f.format, stored: filled(f.format, 0xFF000000)}
	case 107:
		c = fourCCs["YUY2"]
	case 108, 109: // of the former the lower 6 bits of each number are 0
		c = pairs(2, 1, 0, 3, 2, true)
	}
	c.name = "DXGI_FORMAT_" + f.name
	switch {
	case c.stored != nil:
		return c, nil
	case !ok:
		return ddsCode{}, ddsUnsupported("DXGI format %d", n)
	case f.format == 0:
		return ddsCode{}, ddsUnsupported("DXGI_FORMAT_%s (%d) is not supported: Vulkan has no such format", f.name, n)
	}
	return ddsCode{format: f.format}, nil
}

var dxgiFormats = map[uint32]dxgiFormat{
	1:   {name: "R32G32B32A32_TYPELESS", format: vk.FormatR32G32B32A32Sfloat},
	2:   {name: "R32G32B32A32_FLOAT", format: vk.FormatR32G32B32A32Sfloat},
	3:   {name: "R32G32B32A32_UINT", format: vk.FormatR32G32B32A32Uint},
	4:   {name: "R32G32B32A32_SINT", format: vk.FormatR32G32B32A32Sint},
	5:   {name: "R32G32B32_TYPELESS", format: vk.FormatR32G32B32Sfloat},
	6:   {name: "R32G32B32_FLOAT", format: vk.FormatR32G32B32Sfloat},
	7:   {name: "R32G32B32_UINT", format: vk.FormatR32G32B32Uint},
	8:   {name: "R32G32B32_SINT", format: vk.FormatR32G32B32Sint},
	9:   {name: "R16G16B16A16_TYPELESS", format: vk.FormatR16G16B16A16Unorm},
	10:  {name: "R16G16B16A16_FLOAT", format: vk.FormatR16G16B16A16Sfloat},
	11:  {name: "R16G16B16A16_UNORM", format: vk.FormatR16G16B16A16Unorm},
	12:  {name: "R16G16B16A16_UINT", format: vk.FormatR16G16B16A16Uint},
	13:  {name: "R16G16B16A16_SNORM", format: vk.FormatR16G16B16A16Snorm},
	14:  {name: "R16G16B16A16_SINT", format: vk.FormatR16G16B16A16Sint},
	15:  {name: "R32G32_TYPELESS", format: vk.FormatR32G32Sfloat},
	16:  {name: "R32G32_FLOAT", format: vk.FormatR32G32Sfloat},
	17:  {name: "R32G32_UINT", format: vk.FormatR32G32Uint},
	18:  {name: "R32G32_SINT", format: vk.FormatR32G32Sint},
	19:  {name: "R32G8X24_TYPELESS"},
	20:  {name: "D32_FLOAT_S8X24_UINT", format: vk.FormatD32SfloatS8Uint},
	21:  {name: "R32_FLOAT_X8X24_TYPELESS"},
	22:  {name: "X32_TYPELESS_G8X24_UINT"},
	23:  {name: "R10G10B10A2_TYPELESS", format: vk.FormatA2B10G10R10UnormPack32},
	24:  {name: "R10G10B10A2_UNORM", format: vk.FormatA2B10G10R10UnormPack32},
	25:  {name: "R10G10B10A2_UINT", format: vk.FormatA2B10G10R10UintPack32},
	26:  {name: "R11G11B10_FLOAT", format: vk.FormatB10G11R11UfloatPack32},
	27:  {name: "R8G8B8A8_TYPELESS", format: vk.FormatR8G8B8A8Unorm},
	28:  {name: "R8G8B8A8_UNORM", format: vk.FormatR8G8B8A8Unorm},
	29:  {name: "R8G8B8A8_UNORM_SRGB", format: vk.FormatR8G8B8A8Srgb},
	30:  {name: "R8G8B8A8_UINT", format: vk.FormatR8G8B8A8Uint},
	31:  {name: "R8G8B8A8_SNORM", format: vk.FormatR8G8B8A8Snorm},
	32:  {name: "R8G8B8A8_SINT", format: vk.FormatR8G8B8A8Sint},
	33:  {name: "R16G16_TYPELESS", format: vk.FormatR16G16Unorm},
	34:  {name: "R16G16_FLOAT", format: vk.FormatR16G16Sfloat},
	35:  {name: "R16G16_UNORM", format: vk.FormatR16G16Unorm},
	36:  {name: "R16G16_UINT", format: vk.FormatR16G16Uint},
	37:  {name: "R16G16_SNORM", format: vk.FormatR16G16Snorm},
	38:  {name: "R16G16_SINT", format: vk.FormatR16G16Sint},
	39:  {name: "R32_TYPELESS", format: vk.FormatR32Sfloat},
	40:  {name: "D32_FLOAT", format: vk.FormatD32Sfloat},
	41:  {name: "R32_FLOAT", format: vk.FormatR32Sfloat},
	42:  {name: "R32_UINT", format: vk.FormatR32Uint},
	43:  {name: "R32_SINT", format: vk.FormatR32Sint},
	44:  {name: "R24G8_TYPELESS"},
	45:  {name: "D24_UNORM_S8_UINT", format: vk.FormatD24UnormS8Uint},
	46:  {name: "R24_UNORM_X8_TYPELESS", format: vk.FormatX8D24UnormPack32},
	47:  {name: "X24_TYPELESS_G8_UINT"},
	48:  {name: "R8G8_TYPELESS", format: vk.FormatR8G8Unorm},
	49:  {name: "R8G8_UNORM", format: vk.FormatR8G8Unorm},
	50:  {name: "R8G8_UINT", format: vk.FormatR8G8Uint},
	51:  {name: "R8G8_SNORM", format: vk.FormatR8G8Snorm},
	52:  {name: "R8G8_SINT", format: vk.FormatR8G8Sint},
	53:  {name: "R16_TYPELESS", format: vk.FormatR16Unorm},
	54:  {name: "R16_FLOAT", format: vk.FormatR16Sfloat},
	55:  {name: "D16_UNORM", format: vk.FormatD16Unorm},
	56:  {name: "R16_UNORM", format: vk.FormatR16Unorm},
	57:  {name: "R16_UINT", format: vk.FormatR16Uint},
	58:  {name: "R16_SNORM", format: vk.FormatR16Snorm},
	59:  {name: "R16_SINT", format: vk.FormatR16Sint},
	60:  {name: "R8_TYPELESS", format: vk.FormatR8Unorm},
	61:  {name: "R8_UNORM", format: vk.FormatR8Unorm},
	62:  {name: "R8_UINT", format: vk.FormatR8Uint},
	63:  {name: "R8_SNORM", format: vk.FormatR8Snorm},
	64:  {name: "R8_SINT", format: vk.FormatR8Sint},
	65:  {name: "A8_UNORM", format: vk.FormatA8UnormKHR},
	66:  {name: "R1_UNORM"},
	67:  {name: "R9G9B9E5_SHAREDEXP", format: vk.FormatE5B9G9R9UfloatPack32},
	68:  {name: "R8G8_B8G8_UNORM"},
	69:  {name: "G8R8_G8B8_UNORM"},
	70:  {name: "BC1_TYPELESS", format: vk.FormatBc1RgbaUnormBlock},
	71:  {name: "BC1_UNORM", format: vk.FormatBc1RgbaUnormBlock},
	72:  {name: "BC1_UNORM_SRGB", format: vk.FormatBc1RgbaSrgbBlock},
	73:  {name: "BC2_TYPELESS", format: vk.FormatBc2UnormBlock},
	74:  {name: "BC2_UNORM", format: vk.FormatBc2UnormBlock},
	75:  {name: "BC2_UNORM_SRGB", format: vk.FormatBc2SrgbBlock},
	76:  {name: "BC3_TYPELESS", format: vk.FormatBc3UnormBlock},
	77:  {name: "BC3_UNORM", format: vk.FormatBc3UnormBlock},
	78:  {name: "BC3_UNORM_SRGB", format: vk.FormatBc3SrgbBlock},
	79:  {name: "BC4_TYPELESS", format: vk.FormatBc4UnormBlock},
	80:  {name: "BC4_UNORM", format: vk.FormatBc4UnormBlock},
	81:  {name: "BC4_SNORM", format: vk.FormatBc4SnormBlock},
	82:  {name: "BC5_TYPELESS", format: vk.FormatBc5UnormBlock},
	83:  {name: "BC5_UNORM", format: vk.FormatBc5UnormBlock},
	84:  {name: "BC5_SNORM", format: vk.FormatBc5SnormBlock},
	85:  {name: "B5G6R5_UNORM", format: vk.FormatR5G6B5UnormPack16},
	86:  {name: "B5G5R5A1_UNORM", format: vk.FormatA1R5G5B5UnormPack16},
	87:  {name: "B8G8R8A8_UNORM", format: vk.FormatB8G8R8A8Unorm},
	88:  {name: "B8G8R8X8_UNORM", format: vk.FormatB8G8R8A8Unorm},
	89:  {name: "R10G10B10_XR_BIAS_A2_UNORM"},
	90:  {name: "B8G8R8A8_TYPELESS", format: vk.FormatB8G8R8A8Unorm},
	91:  {name: "B8G8R8A8_UNORM_SRGB", format: vk.FormatB8G8R8A8Srgb},
	92:  {name: "B8G8R8X8_TYPELESS", format: vk.FormatB8G8R8A8Unorm},
	93:  {name: "B8G8R8X8_UNORM_SRGB", format: vk.FormatB8G8R8A8Srgb},
	94:  {name: "BC6H_TYPELESS", format: vk.FormatBc6hUfloatBlock},
	95:  {name: "BC6H_UF16", format: vk.FormatBc6hUfloatBlock},
	96:  {name: "BC6H_SF16", format: vk.FormatBc6hSfloatBlock},
	97:  {name: "BC7_TYPELESS", format: vk.FormatBc7UnormBlock},
	98:  {name: "BC7_UNORM", format: vk.FormatBc7UnormBlock},
	99:  {name: "BC7_UNORM_SRGB", format: vk.FormatBc7SrgbBlock},
	100: {name: "AYUV"},
	101: {name: "Y410"},
	102: {name: "Y416"},
	103: {name: "NV12", format: vk.FormatG8B8R8_2Plane420Unorm},
	104: {name: "P010", format: vk.FormatG10X6B10X6R10X6_2Plane420Unorm3Pack16},
	105: {name: "P016", format: vk.FormatG16B16R16_2Plane420Unorm},
	106: {name: "420_OPAQUE"},
	107: {name: "YUY2"},
	108: {name: "Y210"},
	109: {name: "Y216"},
	110: {name: "NV11"},
	111: {name: "AI44"},
	112: {name: "IA44"},
	113: {name: "P8"},
	114: {name: "A8P8"},
	115: {name: "B4G4R4A4_UNORM", format: vk.FormatA4R4G4B4UnormPack16},
	130: {name: "P208"},
	131: {name: "V208"},
	132: {name: "V408"},
	133: {name: "ASTC_4X4_TYPELESS", format: vk.FormatAstc4x4UnormBlock},
	134: {name: "ASTC_4X4_UNORM", format: vk.FormatAstc4x4UnormBlock},
	135: {name: "ASTC_4X4_UNORM_SRGB", format: vk.FormatAstc4x4SrgbBlock},
	137: {name: "ASTC_5X4_TYPELESS", format: vk.FormatAstc5x4UnormBlock},
	138: {name: "ASTC_5X4_UNORM", format: vk.FormatAstc5x4UnormBlock},
	139: {name: "ASTC_5X4_UNORM_SRGB", format: vk.FormatAstc5x4SrgbBlock},
	141: {name: "ASTC_5X5_TYPELESS", format: vk.FormatAstc5x5UnormBlock},
	142: {name: "ASTC_5X5_UNORM", format: vk.FormatAstc5x5UnormBlock},
	143: {name: "ASTC_5X5_UNORM_SRGB", format: vk.FormatAstc5x5SrgbBlock},
	145: {name: "ASTC_6X5_TYPELESS", format: vk.FormatAstc6x5UnormBlock},
	146: {name: "ASTC_6X5_UNORM", format: vk.FormatAstc6x5UnormBlock},
	147: {name: "ASTC_6X5_UNORM_SRGB", format: vk.FormatAstc6x5SrgbBlock},
	149: {name: "ASTC_6X6_TYPELESS", format: vk.FormatAstc6x6UnormBlock},
	150: {name: "ASTC_6X6_UNORM", format: vk.FormatAstc6x6UnormBlock},
	151: {name: "ASTC_6X6_UNORM_SRGB", format: vk.FormatAstc6x6SrgbBlock},
	153: {name: "ASTC_8X5_TYPELESS", format: vk.FormatAstc8x5UnormBlock},
	154: {name: "ASTC_8X5_UNORM", format: vk.FormatAstc8x5UnormBlock},
	155: {name: "ASTC_8X5_UNORM_SRGB", format: vk.FormatAstc8x5SrgbBlock},
	157: {name: "ASTC_8X6_TYPELESS", format: vk.FormatAstc8x6UnormBlock},
	158: {name: "ASTC_8X6_UNORM", format: vk.FormatAstc8x6UnormBlock},
	159: {name: "ASTC_8X6_UNORM_SRGB", format: vk.FormatAstc8x6SrgbBlock},
	161: {name: "ASTC_8X8_TYPELESS", format: vk.FormatAstc8x8UnormBlock},
	162: {name: "ASTC_8X8_UNORM", format: vk.FormatAstc8x8UnormBlock},
	163: {name: "ASTC_8X8_UNORM_SRGB", format: vk.FormatAstc8x8SrgbBlock},
	165: {name: "ASTC_10X5_TYPELESS", format: vk.FormatAstc10x5UnormBlock},
	166: {name: "ASTC_10X5_UNORM", format: vk.FormatAstc10x5UnormBlock},
	167: {name: "ASTC_10X5_UNORM_SRGB", format: vk.FormatAstc10x5SrgbBlock},
	169: {name: "ASTC_10X6_TYPELESS", format: vk.FormatAstc10x6UnormBlock},
	170: {name: "ASTC_10X6_UNORM", format: vk.FormatAstc10x6UnormBlock},
	171: {name: "ASTC_10X6_UNORM_SRGB", format: vk.FormatAstc10x6SrgbBlock},
	173: {name: "ASTC_10X8_TYPELESS", format: vk.FormatAstc10x8UnormBlock},
	174: {name: "ASTC_10X8_UNORM", format: vk.FormatAstc10x8UnormBlock},
	175: {name: "ASTC_10X8_UNORM_SRGB", format: vk.FormatAstc10x8SrgbBlock},
	177: {name: "ASTC_10X10_TYPELESS", format: vk.FormatAstc10x10UnormBlock},
	178: {name: "ASTC_10X10_UNORM", format: vk.FormatAstc10x10UnormBlock},
	179: {name: "ASTC_10X10_UNORM_SRGB", format: vk.FormatAstc10x10SrgbBlock},
	181: {name: "ASTC_12X10_TYPELESS", format: vk.FormatAstc12x10UnormBlock},
	182: {name: "ASTC_12X10_UNORM", format: vk.FormatAstc12x10UnormBlock},
	183: {name: "ASTC_12X10_UNORM_SRGB", format: vk.FormatAstc12x10SrgbBlock},
	185: {name: "ASTC_12X12_TYPELESS", format: vk.FormatAstc12x12UnormBlock},
	186: {name: "ASTC_12X12_UNORM", format: vk.FormatAstc12x12UnormBlock},
	187: {name: "ASTC_12X12_UNORM_SRGB", format: vk.FormatAstc12x12SrgbBlock},
	189: {name: "SAMPLER_FEEDBACK_MIN_MIP_OPAQUE"},
	190: {name: "SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE"},
	191: {name: "A4B4G4R4_UNORM", format: vk.FormatR4G4B4A4UnormPack16},
}
