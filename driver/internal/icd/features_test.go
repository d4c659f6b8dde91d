package icd

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// TestTables_SortedAndKnown: a misspelt feature would be off without a word.
func TestTables_SortedAndKnown(t *testing.T) {
	known := map[string]bool{}
	for _, s := range abi.FeaturesStructs() {
		for _, f := range s.Fields {
			known[f.Name] = true
		}
	}
	var names []string
	for _, f := range features {
		if !known[f.name] {
			t.Errorf("feature %q is in no struct", f.name)
		}
		names = append(names, f.name)
	}
	for _, table := range [][]extension{instanceExtensions[:], deviceExtensions[:]} {
		var x []string
		for _, r := range table {
			x = append(x, r.name)
		}
		names = append(names, "")
		if !slices.IsSorted(x) || len(slices.Compact(x)) != len(table) {
			t.Errorf("extensions are not sorted, or twice there: %q", x)
		}
	}
	if n := slices.Index(names, ""); !slices.IsSorted(names[:n]) || len(slices.Compact(slices.Clone(names[:n]))) != n {
		t.Error("features are not sorted, or twice there")
	}
}

// TestFeatures_SameInEveryStruct: a version's struct and the promoted
// extension's agree, and sType and pNext are left alone.
func TestFeatures_SameInEveryStruct(t *testing.T) {
	f := newTest(t)
	timeline := abi.PhysicalDeviceTimelineSemaphoreFeatures{TimelineSemaphore: 7}
	timeline.SType = timeline.StructureType()
	unknown := abi.Structure{SType: vk.StructureTypeApplicationInfo, PNext: unsafe.Pointer(&timeline)}
	v12 := abi.PhysicalDeviceVulkan12Features{PNext: unsafe.Pointer(&unknown)}
	v12.SType = v12.StructureType()
	a := abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: f.physical, PFeatures: &abi.PhysicalDeviceFeatures2{PNext: unsafe.Pointer(&v12)}}
	call(f, abi.OpGetPhysicalDeviceFeatures2, &a)
	if got := abi.Bool(supported("timelineSemaphore")); v12.TimelineSemaphore != got || timeline.TimelineSemaphore != got {
		t.Errorf("timelineSemaphore: %d in VkPhysicalDeviceVulkan12Features, %d in its own struct, %d in the table", v12.TimelineSemaphore, timeline.TimelineSemaphore, got)
	}
	if a.PFeatures.Features != coreFeatures() || v12.PNext != unsafe.Pointer(&unknown) || timeline.PNext != nil || unknown.PNext != unsafe.Pointer(&timeline) {
		t.Error("the chain was changed")
	}
}

// TestProperties_FilledByName: VkPhysicalDeviceDriverProperties has what
// VkPhysicalDeviceVulkan12Properties has; what nobody knows is zero.
func TestProperties_FilledByName(t *testing.T) {
	f := newTest(t)
	dirty := abi.PhysicalDeviceSampleLocationsPropertiesEXT{SampleLocationSubPixelBits: 99}
	dirty.SType = dirty.StructureType()
	p := abi.PhysicalDeviceDriverProperties{PNext: unsafe.Pointer(&dirty)}
	p.SType = p.StructureType()
	a := abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&p)}}
	call(f, abi.OpGetPhysicalDeviceProperties2, &a)
	if got := abi.String(&p.DriverName[0]); got != driverName {
		t.Errorf("driverName %q", got)
	}
	if dirty.SampleLocationSubPixelBits == 99 {
		t.Error("a member was left as it was")
	}
	core := a.PProperties.Properties
	if core.ApiVersion != apiVersion || core.DeviceType != vk.PhysicalDeviceTypeCpu || core.Limits.MaxImageDimension2D != engine.Limits().MaxImageDimension2D || !core.Limits.StrictLines.True() {
		t.Errorf("%+v", core)
	}
}

func TestDocument_NamesWhatIsOn(t *testing.T) {
	var b strings.Builder
	if err := Document(&b); err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		if !strings.Contains(b.String(), "`"+f.name+"`") {
			t.Errorf("%s is missing", f.name)
		}
	}
}

// VK_KHR_maintenance11: any extent can be copied as well as any other on every queue, and views of
// one layer have no third dimension.
func TestMaintenance11(t *testing.T) {
	f := newTest(t)
	granularity := make([]abi.QueueFamilyOptimalImageTransferGranularityPropertiesKHR, len(queueFamilies))
	list := make([]abi.QueueFamilyProperties2, len(queueFamilies))
	for i := range list {
		list[i].PNext = chained(f, &granularity[i], granularity[i].StructureType())
	}
	n := uint32(len(list))
	call(f, abi.OpGetPhysicalDeviceQueueFamilyProperties2, &abi.GetPhysicalDeviceQueueFamilyProperties2Args{PhysicalDevice: f.physical, PQueueFamilyPropertyCount: &n, PQueueFamilyProperties: &list[0]})
	one := abi.Extent3D{Width: 1, Height: 1, Depth: 1}
	for i := range list {
		if got := abi.Extent3D(list[i].QueueFamilyProperties.MinImageTransferGranularity); got != one || granularity[i].OptimalImageTransferGranularity != one {
			t.Errorf("family %d: %v, at best %v", i, got, granularity[i].OptimalImageTransferGranularity)
		}
	}
	for kind, want := range map[vk.ImageType]vk.Result{vk.ImageType1D: vk.Success, vk.ImageType2D: vk.Success, vk.ImageType3D: vk.ErrorFormatNotSupported} {
		p := abi.GetPhysicalDeviceImageFormatPropertiesArgs{PhysicalDevice: f.physical, Format: vk.FormatR32Uint, Type: kind,
			Usage: vk.ImageUsageSampledBit, Flags: vk.ImageCreateAliasSingleLayerDescriptorBitKHR, PImageFormatProperties: &abi.ImageFormatProperties{}}
		call(f, abi.OpGetPhysicalDeviceImageFormatProperties, &p)
		if p.Ret != want {
			t.Errorf("%v: %v, want %v", kind, p.Ret, want)
		}
	}
}

// VK_KHR_maintenance10: depth and stencil can be copied on every queue, of formats that have them.
func TestMaintenance10(t *testing.T) {
	f := newTest(t)
	const depth = vk.FormatFeature2DepthCopyOnComputeQueueBitKHR | vk.FormatFeature2DepthCopyOnTransferQueueBitKHR
	const stencil = vk.FormatFeature2StencilCopyOnComputeQueueBitKHR | vk.FormatFeature2StencilCopyOnTransferQueueBitKHR
	for format, bits := range map[vk.Format]vk.FormatFeatureFlags2{vk.FormatD32Sfloat: depth, vk.FormatS8Uint: stencil, vk.FormatD24UnormS8Uint: depth | stencil, vk.FormatR8Uint: 0} {
		var p abi.FormatProperties3
		call(f, abi.OpGetPhysicalDeviceFormatProperties2, &abi.GetPhysicalDeviceFormatProperties2Args{PhysicalDevice: f.physical, Format: format,
			PFormatProperties: &abi.FormatProperties2{PNext: chained(f, &p, p.StructureType())}})
		if got := p.OptimalTilingFeatures & (depth | stencil); got != bits {
			t.Errorf("%v: %v, want %v", format, got, bits)
		}
	}
	m := abi.PhysicalDeviceMaintenance10PropertiesKHR{}
	call(f, abi.OpGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: f.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: chained(f, &m, m.StructureType())}})
	if !m.ResolveSrgbFormatAppliesTransferFunction.True() || !m.ResolveSrgbFormatSupportsTransferFunctionControl.True() || !m.Rgba4OpaqueBlackSwizzled.True() {
		t.Errorf("%+v", m)
	}
}
