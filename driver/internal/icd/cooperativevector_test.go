package icd

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// The products of cooperative vectors that every implementation has stand in the list, each once
// and for transposed matrices, too. A short list is incomplete.
func TestCooperativeVectors_Products(t *testing.T) {
	f := newTest(t)
	n := uint32(0)
	a := abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs{PhysicalDevice: f.physical,
		PPropertyCount: &n}
	call(f, abi.OpGetPhysicalDeviceCooperativeVectorPropertiesNV, &a)
	list := make([]abi.CooperativeVectorPropertiesNV, n)
	if a.PProperties = &list[0]; a.Ret != vk.Success || n < 6 {
		t.Fatalf("%v, %d products", a.Ret, n)
	}
	call(f, abi.OpGetPhysicalDeviceCooperativeVectorPropertiesNV, &a)
	offered := map[abi.CooperativeVectorPropertiesNV]int{}
	for _, p := range list {
		offered[p]++
	}
	const half, single, word, byte4 = vk.ComponentTypeFloat16KHR, vk.ComponentTypeFloat32KHR,
		vk.ComponentTypeUint32KHR, vk.ComponentTypeSint8PackedNV
	const e4m3, e5m2, s8, s32 = vk.ComponentTypeFloat8E4m3EXT, vk.ComponentTypeFloat8E5m2EXT,
		vk.ComponentTypeSint8KHR, vk.ComponentTypeSint32KHR
	for _, c := range [][5]vk.ComponentTypeKHR{
		{half, half, half, half, half}, {word, byte4, s8, s32, s32}, {s8, s8, s8, s32, s32},
		{single, s8, s8, s32, s32}, {half, e4m3, e4m3, half, half}, {half, e5m2, e5m2, half, half},
	} {
		p := abi.CooperativeVectorPropertiesNV{InputType: c[0], InputInterpretation: c[1],
			MatrixInterpretation: c[2], BiasInterpretation: c[3], ResultType: c[4], Transpose: 1}
		if offered[p] != 1 {
			t.Errorf("%v stands there %d times", c, offered[p])
		}
	}
	for p, times := range offered {
		if times != 1 {
			t.Errorf("%+v stands there %d times", p, times)
		}
	}
	n = 3
	if call(f, abi.OpGetPhysicalDeviceCooperativeVectorPropertiesNV, &a); a.Ret != vk.Incomplete ||
		n != 3 {
		t.Errorf("a list of 3: %v, %d products", a.Ret, n)
	}
}

// matrixInfo is shorter.
type matrixInfo = abi.ConvertCooperativeVectorMatrixInfoNV

// half6 is a conversion of 2×3 binary16 numbers, whose rows are 16 bytes apart, to columns.
func half6() matrixInfo {
	return matrixInfo{
		SrcSize: 22, SrcComponentType: vk.ComponentTypeFloat16KHR,
		DstComponentType: vk.ComponentTypeFloat16KHR,
		NumRows:          2, NumColumns: 3, SrcStride: 16, DstStride: 4,
		DstLayout: vk.CooperativeVectorMatrixLayoutColumnMajorNV,
	}
}

// Conversions on the host say how much they need, write it, or nothing where there is no room, and
// are refused where they are wrong.
func TestCooperativeVectors_HostConversions(t *testing.T) {
	f := newTest(t)
	src := [16]uint16{0: 1, 1: 2, 2: 3, 8: 4, 9: 5, 10: 6}
	var dst [16]uint16
	size := uint64(0)
	convert := func(i matrixInfo) vk.Result {
		i.PDstSize = &size
		a := abi.ConvertCooperativeVectorMatrixNVArgs{Device: f.device, PInfo: &i}
		call(f, abi.OpConvertCooperativeVectorMatrixNV, &a)
		return a.Ret
	}
	i := half6()
	i.SrcStride = 1 // of no interest to who asks for the size
	if got := convert(i); got != vk.Success || size != 12 {
		t.Fatalf("%v, %d bytes", got, size)
	}
	i = half6()
	*i.SrcData.HostAddress(), *i.DstData.HostAddress() = unsafe.Pointer(&src), unsafe.Pointer(&dst)
	size = 11
	if got := convert(i); got != vk.Incomplete || dst != [16]uint16{} || size != 0 {
		t.Errorf("too little room: %v, %d bytes, %v", got, size, dst)
	}
	size = 100
	if got := convert(i); got != vk.Success || size != 12 || dst != [16]uint16{1, 4, 2, 5, 3, 6} {
		t.Errorf("%v, %d bytes, %v", got, size, dst)
	}
	told := f.heard()
	for _, c := range []struct {
		rule   string
		change func(i *matrixInfo)
	}{
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10074",
			func(i *matrixInfo) { i.SrcSize = 21 }},
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10074",
			func(i *matrixInfo) {
				*i.SrcData.HostAddress() = nil
			}},
		{"vkConvertCooperativeVectorMatrixNV-pInfo-10076",
			func(i *matrixInfo) {
				*i.DstData.HostAddress() = unsafe.Pointer(&src[10])
			}},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcLayout-10077",
			func(i *matrixInfo) { i.SrcStride = 4 }},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078",
			func(i *matrixInfo) { i.DstStride = 5 }},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078",
			func(i *matrixInfo) { i.DstLayout = 4 }},
		{"VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081",
			func(i *matrixInfo) {
				i.SrcComponentType = vk.ComponentTypeSint8KHR
			}},
		{"VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10082",
			func(i *matrixInfo) {
				i.DstComponentType = vk.ComponentTypeFloat8E4m3EXT
			}},
	} {
		*told, size, dst = nil, 100, [16]uint16{}
		wrong := i
		c.change(&wrong)
		if got := convert(wrong); got != vk.ErrorValidationFailed || !slices.Equal(*told,
			[]string{"VUID-" + c.rule}) ||
			dst != [16]uint16{} {
			t.Errorf("%s: %v, told of %q", c.rule, got, *told)
		}
	}
}

// Conversions of command buffers read and write memory at addresses, and are left out where they
// are wrong.
func TestCooperativeVectors_Conversions(t *testing.T) {
	f := newTest(t)
	a, at := f.filled()
	b, to := f.filled()
	copy(a, []uint32{1 | 2<<16, 3, 0, 0, 4 | 5<<16, 6})
	told := f.heard()
	size := uint64(12)
	info := func(change func(i *matrixInfo)) matrixInfo {
		i := half6()
		i.PDstSize = &size
		*i.SrcData.DeviceAddress(), *i.DstData.DeviceAddress() = at, to
		change(&i)
		return i
	}
	const rules = "VUID-vkCmdConvertCooperativeVectorMatrixNV-"
	small := uint64(11)
	var want []string
	infos := []matrixInfo{
		info(func(*matrixInfo) {}),
		info(func(i *matrixInfo) { // which is told of, and done
			*i.DstData.DeviceAddress() = to + 32
			i.DstStride, i.DstComponentType, i.DstLayout = 0, vk.ComponentTypeFloat32KHR,
				vk.CooperativeVectorMatrixLayoutTrainingOptimalNV
			large := uint64(64)
			i.PDstSize = &large
		}),
	}
	want = append(want, rules+"pInfo-10085")
	for _, c := range []struct {
		rule   string
		change func(i *matrixInfo)
	}{
		{"pInfo-10083",
			func(i *matrixInfo) { *i.SrcData.DeviceAddress() = 64 }},
		{"pInfo-10083", func(i *matrixInfo) { i.SrcStride = 254 }},
		{"pInfo-10895",
			func(i *matrixInfo) { *i.DstData.DeviceAddress() = to + 248 }},
		{"pInfo-10086", func(i *matrixInfo) { i.SrcSize = 21 }},
		{"pInfo-10087", func(i *matrixInfo) { i.PDstSize = &small }},
		{"pInfo-10087", func(i *matrixInfo) { i.PDstSize = nil }},
		{"None-10088",
			func(i *matrixInfo) { *i.DstData.DeviceAddress() = at + 16 }},
	} {
		infos, want = append(infos, info(c.change)), append(want, rules+c.rule)
	}
	cb := f.begin()
	convert := func(infos []matrixInfo) {
		record(f, cb, abi.OpCmdConvertCooperativeVectorMatrixNV, &abi.CmdConvertCooperativeVectorMatrixNV{
			InfoCount: uint32(len(infos)), PInfos: &infos[0]})
	}
	convert(infos[:2])
	for n := range infos[2:] {
		convert(infos[2+n:][:1])
	}
	f.run(cb)
	if !slices.Equal(*told, want) {
		t.Errorf("told of %q", *told)
	}
	const old = 0x42000000
	half := func(code uint32) uint32 { return math.Float32bits(float32(code) * 0x1p-24) }
	if got := b[:20]; !slices.Equal(got, []uint32{
		1 | 4<<16, 2 | 5<<16, 3 | 6<<16, old, old, old, old, old,
		half(1), half(2), half(3), 0, half(4), half(5), half(6), 0, 0, 0, 0, 0,
	}) {
		t.Errorf("converted %#x", got)
	}
	if a[4] != 4|5<<16 || a[6] != old {
		t.Errorf("the source is %#x", a[:8])
	}
}
