package icd

import (
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// cooperativeMatrixProperties are the products of matrices that the driver lists.
func (p *PhysicalDevice) cooperativeMatrixProperties() []vk.CooperativeMatrixPropertiesKHR {
	return slices.DeleteFunc(core.CooperativeMatrixProperties(),
		func(c vk.CooperativeMatrixPropertiesKHR) bool {
			return !p.instance.driver.lists(product{cooperativeMatrices, c.AType, c.ResultType,
				c.SaturatingAccumulation, c.KSize})
		})
}

// GetPhysicalDeviceCooperativeMatrixPropertiesKHR is
// vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR.
func (p *PhysicalDevice) GetPhysicalDeviceCooperativeMatrixPropertiesKHR(
	a *abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs,
) vk.Result {
	list := p.cooperativeMatrixProperties()
	if a.PProperties == nil {
		*a.PPropertyCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PProperties, *a.PPropertyCount)
	n := min(len(list), len(out))
	for i, p := range list[:n] {
		o := &out[i]
		o.MSize, o.NSize, o.KSize, o.Scope = p.MSize, p.NSize, p.KSize, p.Scope
		o.AType, o.BType, o.CType, o.ResultType = p.AType, p.BType, p.CType, p.ResultType
		o.SaturatingAccumulation = abi.Bool(p.SaturatingAccumulation)
	}
	*a.PPropertyCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// GetPhysicalDeviceCooperativeMatrixPropertiesNV is
// vkGetPhysicalDeviceCooperativeMatrixPropertiesNV:
// the products that do not saturate, of the types that the extension knows.
func (p *PhysicalDevice) GetPhysicalDeviceCooperativeMatrixPropertiesNV(
	a *abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs,
) vk.Result {
	list := slices.DeleteFunc(p.cooperativeMatrixProperties(),
		func(p vk.CooperativeMatrixPropertiesKHR) bool {
			const last = vk.ComponentTypeUint64KHR // before bfloat16 and 8-bit floats
			return p.SaturatingAccumulation || p.AType > last
		})
	if a.PProperties == nil {
		*a.PPropertyCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PProperties, *a.PPropertyCount)
	n := min(len(list), len(out))
	for i, p := range list[:n] {
		o := &out[i]
		o.MSize, o.NSize, o.KSize, o.Scope = p.MSize, p.NSize, p.KSize, p.Scope
		o.AType, o.BType, o.CType, o.DType = p.AType, p.BType, p.CType, p.ResultType
	}
	*a.PPropertyCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV is
// vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV.
func (p *PhysicalDevice) GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV(
	a *abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs,
) vk.Result {
	list := core.CooperativeMatrixFlexibleDimensions()
	list = slices.DeleteFunc(list, func(c core.CooperativeMatrixFlexibleProperties) bool {
		return !p.instance.driver.lists(product{flexibleMatrices, c.AType, c.ResultType,
			c.SaturatingAccumulation, c.KSize})
	})
	if a.PProperties == nil {
		*a.PPropertyCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PProperties, *a.PPropertyCount)
	n := min(len(list), len(out))
	for i, p := range list[:n] {
		o := &out[i]
		o.MGranularity, o.NGranularity, o.KGranularity = p.MSize, p.NSize, p.KSize
		o.AType, o.BType, o.CType, o.ResultType = p.AType, p.BType, p.CType, p.ResultType
		o.SaturatingAccumulation = abi.Bool(p.SaturatingAccumulation)
		o.Scope, o.WorkgroupInvocations = p.Scope, p.WorkgroupInvocations
	}
	*a.PPropertyCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}
