package webgpu

import (
	"github.com/gogpu/gputypes"

	"github.com/pumice-gpu/pumice/vk"
)

// Enums of WebGPU as Vulkan's. wgpu has checked them; a value that is none becomes the default that
// WebGPU states.

func filterOf(f gputypes.FilterMode) vk.Filter {
	if f == gputypes.FilterModeLinear {
		return vk.FilterLinear
	}
	return vk.FilterNearest
}

func addressOf(m gputypes.AddressMode) vk.SamplerAddressMode {
	switch m {
	case gputypes.AddressModeRepeat:
		return vk.SamplerAddressModeRepeat
	case gputypes.AddressModeMirrorRepeat:
		return vk.SamplerAddressModeMirroredRepeat
	default:
		return vk.SamplerAddressModeClampToEdge
	}
}

// compareOf: both have the same order; WebGPU's begins with 1.
func compareOf(f gputypes.CompareFunction) vk.CompareOp {
	if f < gputypes.CompareFunctionNever || f > gputypes.CompareFunctionAlways {
		return vk.CompareOpAlways
	}
	return vk.CompareOp(f - gputypes.CompareFunctionNever)
}

func stencilOpOf(o gputypes.StencilOperation) vk.StencilOp {
	switch o {
	case gputypes.StencilOperationZero:
		return vk.StencilOpZero
	case gputypes.StencilOperationReplace:
		return vk.StencilOpReplace
	case gputypes.StencilOperationInvert:
		return vk.StencilOpInvert
	case gputypes.StencilOperationIncrementClamp:
		return vk.StencilOpIncrementAndClamp
	case gputypes.StencilOperationDecrementClamp:
		return vk.StencilOpDecrementAndClamp
	case gputypes.StencilOperationIncrementWrap:
		return vk.StencilOpIncrementAndWrap
	case gputypes.StencilOperationDecrementWrap:
		return vk.StencilOpDecrementAndWrap
	default:
		return vk.StencilOpKeep
	}
}

func topologyOf(t gputypes.PrimitiveTopology) vk.PrimitiveTopology {
	switch t {
	case gputypes.PrimitiveTopologyPointList:
		return vk.PrimitiveTopologyPointList
	case gputypes.PrimitiveTopologyLineList:
		return vk.PrimitiveTopologyLineList
	case gputypes.PrimitiveTopologyLineStrip:
		return vk.PrimitiveTopologyLineStrip
	case gputypes.PrimitiveTopologyTriangleStrip:
		return vk.PrimitiveTopologyTriangleStrip
	default:
		return vk.PrimitiveTopologyTriangleList
	}
}

func cullOf(m gputypes.CullMode) vk.CullModeFlags {
	switch m {
	case gputypes.CullModeFront:
		return vk.CullModeFrontBit
	case gputypes.CullModeBack:
		return vk.CullModeBackBit
	default:
		return vk.CullModeNone
	}
}

func frontFaceOf(f gputypes.FrontFace) vk.FrontFace {
	if f == gputypes.FrontFaceCW {
		return vk.FrontFaceClockwise
	}
	return vk.FrontFaceCounterClockwise
}

// factors are in the order of WebGPU's numbers. Of alpha, Vulkan's factors of colours take alpha.
var factors = [...]vk.BlendFactor{
	gputypes.BlendFactorZero:              vk.BlendFactorZero,
	gputypes.BlendFactorOne:               vk.BlendFactorOne,
	gputypes.BlendFactorSrc:               vk.BlendFactorSrcColor,
	gputypes.BlendFactorOneMinusSrc:       vk.BlendFactorOneMinusSrcColor,
	gputypes.BlendFactorSrcAlpha:          vk.BlendFactorSrcAlpha,
	gputypes.BlendFactorOneMinusSrcAlpha:  vk.BlendFactorOneMinusSrcAlpha,
	gputypes.BlendFactorDst:               vk.BlendFactorDstColor,
	gputypes.BlendFactorOneMinusDst:       vk.BlendFactorOneMinusDstColor,
	gputypes.BlendFactorDstAlpha:          vk.BlendFactorDstAlpha,
	gputypes.BlendFactorOneMinusDstAlpha:  vk.BlendFactorOneMinusDstAlpha,
	gputypes.BlendFactorSrcAlphaSaturated: vk.BlendFactorSrcAlphaSaturate,
	gputypes.BlendFactorConstant:          vk.BlendFactorConstantColor,
	gputypes.BlendFactorOneMinusConstant:  vk.BlendFactorOneMinusConstantColor,
}

// factorOf is a blend factor; what WebGPU leaves undefined is otherwise.
func factorOf(f, otherwise gputypes.BlendFactor) vk.BlendFactor {
	if f == gputypes.BlendFactorUndefined || int(f) >= len(factors) {
		f = otherwise
	}
	return factors[f]
}

// blendOpOf: both have the same order; WebGPU's begins with 1.
func blendOpOf(o gputypes.BlendOperation) vk.BlendOp {
	if o < gputypes.BlendOperationAdd || o > gputypes.BlendOperationMax {
		return vk.BlendOpAdd
	}
	return vk.BlendOp(o - gputypes.BlendOperationAdd)
}

func loadOpOf(o gputypes.LoadOp) vk.AttachmentLoadOp {
	if o == gputypes.LoadOpClear {
		return vk.AttachmentLoadOpClear
	}
	return vk.AttachmentLoadOpLoad
}

func storeOpOf(o gputypes.StoreOp) vk.AttachmentStoreOp {
	if o == gputypes.StoreOpDiscard {
		return vk.AttachmentStoreOpDontCare
	}
	return vk.AttachmentStoreOpStore
}

func viewTypeOf(d gputypes.TextureViewDimension) (vk.ImageViewType, bool) {
	switch d {
	case gputypes.TextureViewDimension1D:
		return vk.ImageViewType1D, true
	case gputypes.TextureViewDimension2D:
		return vk.ImageViewType2D, true
	case gputypes.TextureViewDimension2DArray:
		return vk.ImageViewType2DArray, true
	case gputypes.TextureViewDimensionCube:
		return vk.ImageViewTypeCube, true
	case gputypes.TextureViewDimensionCubeArray:
		return vk.ImageViewTypeCubeArray, true
	case gputypes.TextureViewDimension3D:
		return vk.ImageViewType3D, true
	default:
		return 0, false
	}
}

func indexTypeOf(f gputypes.IndexFormat) vk.IndexType {
	if f == gputypes.IndexFormatUint32 {
		return vk.IndexTypeUint32
	}
	return vk.IndexTypeUint16
}
