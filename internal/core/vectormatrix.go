package core

import (
	"context"
	"reflect"

	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// MatrixConversion is what VkConvertCooperativeVectorMatrixInfoNV says of a conversion of a matrix.
type MatrixConversion struct {
	SrcType, DstType     vk.ComponentTypeKHR
	Rows, Columns        uint32
	SrcLayout, DstLayout vk.CooperativeVectorMatrixLayoutNV
	SrcStride, DstStride uint64 // bytes; optimal layouts have their own
}

func (m *MatrixConversion) src() transfer.Matrix {
	return transfer.Matrix{
		Type: spirv.ComponentType(m.SrcType), Layout: spirv.MatrixLayout(m.SrcLayout),
		Stride: m.SrcStride,
	}
}

func (m *MatrixConversion) dst() transfer.Matrix {
	return transfer.Matrix{
		Type: spirv.ComponentType(m.DstType), Layout: spirv.MatrixLayout(m.DstLayout),
		Stride: m.DstStride,
	}
}

// check demands a conversion that there is, and returns the sizes of both matrices in bytes.
func (m *MatrixConversion) check(d *Device, op Op) (src, dst uint64, err error) {
	const rules = "VkConvertCooperativeVectorMatrixInfoNV-"
	from, to := m.src(), m.dst()
	if err := from.Check(m.Rows, m.Columns); err != nil {
		return 0, 0, d.misuse(op, rules+"srcLayout-10077", "", "the source is %v", err)
	}
	if err := to.Check(m.Rows, m.Columns); err != nil {
		return 0, 0, d.misuse(op, rules+"dstLayout-10078", "", "the destination is %v", err)
	}
	if !transfer.Converts(from.Type, to.Type) {
		return 0, 0, d.misuse(op, rules+"srcComponentType-10081", "", "a conversion of %v to %v",
			m.SrcType,
			m.DstType)
	}
	if to.Type.Float8() != 0 && !to.Layout.Optimal() {
		return 0, 0, d.misuse(op, rules+"dstComponentType-10082", "", "a conversion to %v in %v",
			m.DstType, m.DstLayout)
	}
	return from.Size(m.Rows, m.Columns), to.Size(m.Rows, m.Columns), nil
}

// MatrixSize is how many bytes the destination of a conversion takes. Nothing else is looked at:
// programs ask for sizes before they know what they convert from.
func (d *Device) MatrixSize(m MatrixConversion) (uint64, error) {
	to := m.dst()
	if err := to.Check(m.Rows, m.Columns); err != nil {
		return 0, d.misuse("vkConvertCooperativeVectorMatrixNV",
			"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078", "", "the destination is %v", err)
	}
	return to.Size(m.Rows, m.Columns), nil
}

// ConvertMatrix is vkConvertCooperativeVectorMatrixNV. dst has room for MatrixSize bytes.
func (d *Device) ConvertMatrix(ctx context.Context, m MatrixConversion, dst, src []byte) error {
	const op Op = "vkConvertCooperativeVectorMatrixNV"
	need, room, err := m.check(d, op)
	switch {
	case err != nil:
		return err
	case uint64(len(src)) < need:
		return d.misuse(op, "vkConvertCooperativeVectorMatrixNV-pInfo-10074", "",
			"%d bytes of a source of %d", len(src), need)
	case uint64(len(dst)) < room:
		return d.misuse(op, "vkConvertCooperativeVectorMatrixNV-pInfo-10075", "",
			"%d bytes for a destination of %d", len(dst), room)
	case overlap(dst[:room], src[:need]):
		return d.misuse(op, "vkConvertCooperativeVectorMatrixNV-pInfo-10076", "",
			"source and destination overlap")
	}
	return transfer.ConvertMatrix(ctx, dst[:room], src[:need], m.dst(), m.src(), m.Rows, m.Columns)
}

// overlap tells whether two parts of memory have a byte in common.
func overlap(a, b []byte) bool {
	x, y := reflect.ValueOf(a).Pointer(), reflect.ValueOf(b).Pointer()
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

// ConvertMatrix records one conversion of vkCmdConvertCooperativeVectorMatrixNV, between the memory
// at two device addresses. Both sizes are those that the program says.
func (c *CommandBuffer) ConvertMatrix(m MatrixConversion, dst, dstSize, src, srcSize uint64) {
	const rules = "vkCmdConvertCooperativeVectorMatrixNV-pInfo-"
	op, d := c.op("vkCmdConvertCooperativeVectorMatrixNV"), c.dev
	if !c.ok(op, -1) {
		return
	}
	need, room, err := m.check(d, op)
	if !c.try(err) {
		return
	}
	from, at := d.BufferAt(src, need)
	to, target := d.BufferAt(dst, room)
	switch {
	case from == nil:
		c.misuse(op, rules+"10083", "", "%d bytes at address %#x are no buffer's", need, src)
	case to == nil:
		c.misuse(op, rules+"10895", "", "%d bytes at address %#x are no buffer's", room, dst)
	case srcSize < need:
		c.misuse(op, rules+"10086", "", "%d bytes of a source of %d", srcSize, need)
	case dstSize < room:
		c.misuse(op, rules+"10087", "", "%d bytes for a destination of %d", dstSize, room)
	case src < dst+room && dst < src+need:
		c.misuse(op, "vkCmdConvertCooperativeVectorMatrixNV-None-10088", "",
			"source and destination overlap")
	case src%64 != 0 && !c.try(d.harmless(op, rules+"10084", "", "a source at address %#x", src)):
	case dst%64 != 0 && !c.try(d.harmless(op, rules+"10085", "", "a destination at address %#x", dst)):
	case !c.try(from.need(d, op, rules+"10083", vk.BufferUsageShaderDeviceAddressBit)):
	case !c.try(to.need(d, op, rules+"10895", vk.BufferUsageShaderDeviceAddressBit)):
	case room != 0:
		c.moveBytes(op, room, func(ctx context.Context) error {
			return transfer.ConvertMatrix(ctx, to.data[target:target+room], from.data[at:at+need], m.dst(),
				m.src(), m.Rows, m.Columns)
		}, from, to)
	}
}
