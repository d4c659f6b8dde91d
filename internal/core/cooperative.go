package core

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/vk"
)

// CooperativeMatrixProperties are the products of cooperative matrices that compute shaders have,
// as vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR lists them.
func CooperativeMatrixProperties() []vk.CooperativeMatrixPropertiesKHR {
	list := make([]vk.CooperativeMatrixPropertiesKHR, len(spirv.CooperativeProducts))
	for i, p := range spirv.CooperativeProducts {
		list[i] = vk.CooperativeMatrixPropertiesKHR{
			MSize: p.M, NSize: p.N, KSize: p.K,
			AType: componentType(p.A), BType: componentType(p.B),
			CType: componentType(p.C), ResultType: componentType(p.Result),
			SaturatingAccumulation: p.Saturating, Scope: vk.ScopeSubgroupKHR,
		}
	}
	return list
}

// Limits of cooperative matrices of workgroups and of those with flexible dimensions.
const (
	MaxCooperativeWorkgroup = 256 // the largest of spirv.CooperativeInvocations
	MaxCooperativeDimension = spirv.MaxCooperativeDimension
)

// CooperativeMatrixFlexibleProperties are a product of matrices whose sizes are multiples of those that
// stand here, of a subgroup or of a workgroup of so many invocations.
type CooperativeMatrixFlexibleProperties struct {
	vk.CooperativeMatrixPropertiesKHR
	WorkgroupInvocations uint32
}

// CooperativeMatrixFlexibleDimensions are the products of cooperative matrices with flexible
// dimensions, as vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV lists them: of
// workgroups of each size that may hold matrices, and of subgroups. Workgroups hold an A of
// CooperativeDepth columns if it has an element for each invocation.
func CooperativeMatrixFlexibleDimensions() (list []CooperativeMatrixFlexibleProperties) {
	const n = spirv.CooperativeGranularity
	products := CooperativeMatrixProperties()
	for _, invocations := range append(slices.Clone(spirv.CooperativeInvocations), 0) {
		for _, p := range products {
			if p.MSize != n || p.KSize != n {
				continue // the same types once more
			}
			if invocations == 0 {
				p.MSize = spirv.CooperativeSubgroupRows
				list = append(list, CooperativeMatrixFlexibleProperties{p, 0})
				continue
			}
			p.Scope = vk.ScopeWorkgroupKHR
			if rows := invocations / spirv.CooperativeDepth; rows > n {
				list = append(list, CooperativeMatrixFlexibleProperties{p, invocations})
				p.MSize, p.NSize = rows, rows
			}
			p.KSize = spirv.CooperativeDepth
			list = append(list, CooperativeMatrixFlexibleProperties{p, invocations})
		}
	}
	return list
}

// componentType is the VkComponentTypeKHR of elements of a product.
func componentType(c spirv.Component) vk.ComponentTypeKHR {
	switch c {
	case spirv.Half:
		return vk.ComponentTypeFloat16KHR
	case spirv.Single:
		return vk.ComponentTypeFloat32KHR
	case spirv.Brain:
		return vk.ComponentTypeBfloat16KHR
	case spirv.Small4:
		return vk.ComponentTypeFloat8E4m3EXT
	case spirv.Small5:
		return vk.ComponentTypeFloat8E5m2EXT
	case spirv.Signed8:
		return vk.ComponentTypeSint8KHR
	case spirv.Plain8:
		return vk.ComponentTypeUint8KHR
	case spirv.Signed16:
		return vk.ComponentTypeSint16KHR
	case spirv.Plain16:
		return vk.ComponentTypeUint16KHR
	case spirv.Signed32:
		return vk.ComponentTypeSint32KHR
	default:
		return vk.ComponentTypeUint32KHR
	}
}

// CooperativeVectorStages are the stages whose shaders have cooperative vectors: all.
const CooperativeVectorStages = vk.ShaderStageAllGraphics | vk.ShaderStageComputeBit |
	vk.ShaderStageTaskBitEXT | vk.ShaderStageMeshBitEXT

// CooperativeVectorProduct is a VkCooperativeVectorPropertiesNV. All products take transposed
// matrices.
type CooperativeVectorProduct struct {
	InputType, InputInterpretation, MatrixInterpretation, BiasInterpretation vk.ComponentTypeKHR
	ResultType                                                               vk.ComponentTypeKHR
}

// CooperativeVectorProperties are the products of cooperative vectors with matrices in memory that
// shaders have, as vkGetPhysicalDeviceCooperativeVectorPropertiesNV lists them.
func CooperativeVectorProperties() []CooperativeVectorProduct {
	list := make([]CooperativeVectorProduct, len(spirv.VectorProducts))
	for i, p := range spirv.VectorProducts {
		list[i] = CooperativeVectorProduct{
			InputType: vk.ComponentTypeKHR(p.Input), InputInterpretation: vk.ComponentTypeKHR(p.As),
			MatrixInterpretation: vk.ComponentTypeKHR(p.Matrix),
			BiasInterpretation:   vk.ComponentTypeKHR(p.Bias), ResultType: vk.ComponentTypeKHR(p.Result),
		}
	}
	return list
}
