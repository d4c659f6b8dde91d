package icd

import (
	"context"
	"slices"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// GetPhysicalDeviceCooperativeVectorPropertiesNV is
// vkGetPhysicalDeviceCooperativeVectorPropertiesNV.
func (p *PhysicalDevice) GetPhysicalDeviceCooperativeVectorPropertiesNV(
	a *abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs,
) vk.Result {
	list := slices.DeleteFunc(core.CooperativeVectorProperties(),
		func(c core.CooperativeVectorProduct) bool {
			return !p.instance.driver.lists(product{cooperativeVectors, c.InputType, c.ResultType, false, 0})
		})
	if a.PProperties == nil {
		*a.PPropertyCount = uint32(len(list))
		return vk.Success
	}
	out := abi.Slice(a.PProperties, *a.PPropertyCount)
	n := min(len(list), len(out))
	for i, p := range list[:n] {
		o := &out[i]
		o.InputType, o.InputInterpretation = p.InputType, p.InputInterpretation
		o.MatrixInterpretation, o.BiasInterpretation = p.MatrixInterpretation, p.BiasInterpretation
		o.ResultType, o.Transpose = p.ResultType, 1
	}
	*a.PPropertyCount = uint32(n)
	if n < len(list) {
		return vk.Incomplete
	}
	return vk.Success
}

// conversion is what the struct says of a conversion.
func conversion(i *abi.ConvertCooperativeVectorMatrixInfoNV) core.MatrixConversion {
	return core.MatrixConversion{
		SrcType: i.SrcComponentType, DstType: i.DstComponentType, Rows: i.NumRows, Columns: i.NumColumns,
		SrcLayout: i.SrcLayout, DstLayout: i.DstLayout, SrcStride: i.SrcStride, DstStride: i.DstStride,
	}
}

// ConvertCooperativeVectorMatrixNV is vkConvertCooperativeVectorMatrixNV.
func (d *Device) ConvertCooperativeVectorMatrixNV(
	a *abi.ConvertCooperativeVectorMatrixNVArgs,
) vk.Result {
	i, m := a.PInfo, conversion(a.PInfo)
	size, err := d.core.MatrixSize(m)
	if err != nil {
		return result(err)
	}
	room := *i.PDstSize
	*i.PDstSize = size
	to := *i.DstData.HostAddress()
	switch {
	case to == nil:
		return vk.Success
	case room < size:
		*i.PDstSize = 0
		return vk.Incomplete
	}
	src, dst := bytes(*i.SrcData.HostAddress(), i.SrcSize), bytes(to, size)
	return result(d.core.ConvertMatrix(context.Background(), m, dst, src))
}

// CmdConvertCooperativeVectorMatrixNV is vkCmdConvertCooperativeVectorMatrixNV.
func (r *Recorder) CmdConvertCooperativeVectorMatrixNV(c *abi.CmdConvertCooperativeVectorMatrixNV) {
	infos := abi.Slice(c.PInfos, c.InfoCount)
	for n := range infos {
		i := &infos[n]
		room := uint64(0)
		if i.PDstSize != nil {
			room = *i.PDstSize
		}
		r.core.ConvertMatrix(conversion(i), *i.DstData.DeviceAddress(), room, *i.SrcData.DeviceAddress(),
			i.SrcSize)
	}
}
