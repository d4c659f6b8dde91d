package icd

import (
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// What programs look for stands first in the list of products, each once: products of a subgroup of
// binary16 and bfloat16 with both accumulators, of binary32, of 8-bit floats, and of bytes of any
// signs, which saturate or do not. Integers of one type and sign follow, with narrower results. A
// short list is incomplete.
func TestCooperativeMatrices_Products(t *testing.T) {
	f := newTest(t)
	n := uint32(0)
	const op = abi.OpGetPhysicalDeviceCooperativeMatrixPropertiesKHR
	a := abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs{
		PhysicalDevice: f.physical, PPropertyCount: &n,
	}
	if call(f, op, &a); a.Ret != vk.Success || n != 134 {
		t.Fatalf("%v, %d products", a.Ret, n)
	}
	list := make([]abi.CooperativeMatrixPropertiesKHR, n)
	a.PProperties = &list[0]
	call(f, op, &a)
	offered := map[abi.CooperativeMatrixPropertiesKHR]int{}
	for _, p := range list {
		offered[p]++
	}
	const (
		half   = vk.ComponentTypeFloat16KHR
		single = vk.ComponentTypeFloat32KHR
		brain  = vk.ComponentTypeBfloat16KHR
	)
	wanted := [][4]vk.ComponentTypeKHR{
		{half, half, single, single}, {half, half, half, half}, {brain, brain, single, single},
		{brain, brain, brain, brain}, {single, single, single, single},
	}
	for _, x := range []vk.ComponentTypeKHR{vk.ComponentTypeFloat8E4m3EXT,
		vk.ComponentTypeFloat8E5m2EXT} {
		for _, z := range []vk.ComponentTypeKHR{single, half} {
			wanted = append(wanted, [4]vk.ComponentTypeKHR{x, x, z, z})
		}
	}
	for _, x := range []vk.ComponentTypeKHR{vk.ComponentTypeSint8KHR, vk.ComponentTypeUint8KHR} {
		for _, y := range []vk.ComponentTypeKHR{vk.ComponentTypeSint8KHR, vk.ComponentTypeUint8KHR} {
			for _, z := range []vk.ComponentTypeKHR{vk.ComponentTypeSint32KHR, vk.ComponentTypeUint32KHR} {
				wanted = append(wanted, [4]vk.ComponentTypeKHR{x, y, z, z})
			}
		}
	}
	found := 0
	expect := func(depths []uint32, wanted [][4]vk.ComponentTypeKHR) {
		for _, m := range []uint32{8, 16} {
			for _, k := range depths {
				for _, c := range wanted {
					for saturating := range 2 {
						integers := vk.ComponentTypeSint8KHR <= c[2] && c[2] <= vk.ComponentTypeUint64KHR
						if saturating == 1 && !integers {
							continue
						}
						if saturating == 0 && c[2] == vk.ComponentTypeSint8KHR || c[2] == brain && k == 32 {
							continue // withheld
						}
						p := abi.CooperativeMatrixPropertiesKHR{MSize: m, NSize: 16, KSize: k,
							AType: c[0], BType: c[1], CType: c[2], ResultType: c[3],
							SaturatingAccumulation: abi.Bool32(saturating), Scope: vk.ScopeSubgroupKHR}
						if found++; offered[p] != 1 {
							t.Errorf("%+v stands there %d times", p, offered[p])
						}
						if found <= 98 && !slices.Contains(list[:98], p) {
							t.Errorf("%+v stands behind what fewer programs look for", p)
						}
					}
				}
			}
		}
	}
	expect([]uint32{16, 32}, wanted)
	others := [][4]vk.ComponentTypeKHR{}
	for _, x := range []vk.ComponentTypeKHR{vk.ComponentTypeSint8KHR, vk.ComponentTypeUint8KHR,
		vk.ComponentTypeSint16KHR, vk.ComponentTypeUint16KHR, vk.ComponentTypeSint32KHR,
		vk.ComponentTypeUint32KHR} {
		others = append(others, [4]vk.ComponentTypeKHR{x, x, x, x})
	}
	for x, z := range map[vk.ComponentTypeKHR]vk.ComponentTypeKHR{
		vk.ComponentTypeSint16KHR: vk.ComponentTypeSint32KHR,
		vk.ComponentTypeUint16KHR: vk.ComponentTypeUint32KHR,
		vk.ComponentTypeSint32KHR: vk.ComponentTypeSint8KHR,
		vk.ComponentTypeUint32KHR: vk.ComponentTypeUint8KHR,
	} {
		others = append(others, [4]vk.ComponentTypeKHR{x, x, z, z})
	}
	expect([]uint32{16}, others)
	if found != len(list) {
		t.Errorf("%d products, of which %d are known here", len(list), found)
	}
	n = 3
	if call(f, op, &a); a.Ret != vk.Incomplete || n != 3 {
		t.Errorf("a list of 3: %v, %d products", a.Ret, n)
	}
}

// Products with flexible dimensions: those of the list, once for workgroups of each size and once
// for subgroups, with a granularity that llama.cpp takes. Those of the largest workgroups stand there
// twice, since a matrix of 8 columns needs more rows for an element for each invocation.
func TestCooperativeMatrices_FlexibleDimensions(t *testing.T) {
	f := newTest(t)
	n := uint32(0)
	const op = abi.OpGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV
	a := abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs{
		PhysicalDevice: f.physical, PPropertyCount: &n,
	}
	const products = 43 // four are withheld, and one of those with 8 columns of A
	if call(f, op, &a); a.Ret != vk.Success || n != 5*products-3 {
		t.Fatalf("%v, %d products", a.Ret, n)
	}
	list := make([]abi.CooperativeMatrixFlexibleDimensionsPropertiesNV, n)
	a.PProperties = &list[0]
	call(f, op, &a)
	offered := map[abi.CooperativeMatrixFlexibleDimensionsPropertiesNV]int{}
	sizes := map[uint32]int{}
	for _, p := range list {
		if offered[p]++; offered[p] > 1 {
			t.Errorf("%+v stands there twice", p)
		}
		sizes[p.WorkgroupInvocations]++
		scope, want := vk.ScopeWorkgroupKHR, [][3]uint32{{16, 16, 8}}
		switch p.WorkgroupInvocations {
		case 0:
			scope, want = vk.ScopeSubgroupKHR, [][3]uint32{{8, 16, 16}}
		case 256:
			want = [][3]uint32{{16, 16, 16}, {32, 32, 8}}
		}
		got := [3]uint32{p.MGranularity, p.NGranularity, p.KGranularity}
		if p.Scope != scope || !slices.Contains(want, got) {
			t.Errorf("%d invocations of scope %d: multiples of %d", p.WorkgroupInvocations, p.Scope, got)
		}
	}
	for size, n := range map[uint32]int{0: products, 64: products - 1, 128: products - 1,
		256: 2*products - 1} {
		if sizes[size] != n {
			t.Errorf("%d products of %d invocations", sizes[size], size)
		}
	}
	p := abi.CooperativeMatrixFlexibleDimensionsPropertiesNV{
		MGranularity: 16, NGranularity: 16, KGranularity: 16,
		AType: vk.ComponentTypeFloat16KHR, BType: vk.ComponentTypeFloat16KHR,
		CType: vk.ComponentTypeFloat32KHR, ResultType: vk.ComponentTypeFloat32KHR,
		Scope: vk.ScopeWorkgroupKHR, WorkgroupInvocations: 256,
	}
	if offered[p] != 1 {
		t.Errorf("%+v stands there %d times", p, offered[p])
	}
	n = 3
	if call(f, op, &a); a.Ret != vk.Incomplete || n != 3 {
		t.Errorf("a list of 3: %v, %d products", a.Ret, n)
	}
}

// The older extension has the products that do not saturate, without bfloat16 and 8-bit floats.
func TestCooperativeMatrices_NV(t *testing.T) {
	f := newTest(t)
	n := uint32(0)
	const op = abi.OpGetPhysicalDeviceCooperativeMatrixPropertiesNV
	a := abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs{
		PhysicalDevice: f.physical, PPropertyCount: &n,
	}
	if call(f, op, &a); a.Ret != vk.Success || n != 60 {
		t.Fatalf("%v, %d products", a.Ret, n)
	}
	list := make([]abi.CooperativeMatrixPropertiesNV, n)
	a.PProperties = &list[0]
	call(f, op, &a)
	offered := map[abi.CooperativeMatrixPropertiesNV]int{}
	for _, p := range list {
		if offered[p]++; offered[p] > 1 {
			t.Errorf("%+v stands there twice", p)
		}
	}
	p := abi.CooperativeMatrixPropertiesNV{MSize: 16, NSize: 16, KSize: 16,
		AType: vk.ComponentTypeFloat16KHR, BType: vk.ComponentTypeFloat16KHR,
		CType: vk.ComponentTypeFloat32KHR, DType: vk.ComponentTypeFloat32KHR,
		Scope: vk.ScopeSubgroupKHR}
	if offered[p] != 1 {
		t.Errorf("%+v stands there %d times", p, offered[p])
	}
	n = 3
	if call(f, op, &a); a.Ret != vk.Incomplete || n != 3 {
		t.Errorf("a list of 3: %v, %d products", a.Ret, n)
	}
}
