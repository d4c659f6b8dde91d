package icd

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	vendorID      = 0x10000 + 0x50554d49&0xffff // no vendor of PCI, and of Khronos' list none either
	deviceID      = 1
	driverVersion = 1
	driverName    = "Pumice"
)

// uuid identifies device and driver: the same bytes wherever the same data can
// be shared.
var uuid = [vk.UuidSize]byte{'p', 'u', 'm', 'i', 'c', 'e', 0, 0, 0, 0, 0, 0, 0, 0, 0, driverVersion}

// properties is VkPhysicalDeviceProperties, as this process is told.
func (p *PhysicalDevice) properties() abi.PhysicalDeviceProperties {
	out, d := coreProperties(), p.instance.driver
	out.ApiVersion, out.DeviceType = d.cfg.APIVersion, d.cfg.DeviceType
	out.Limits.SparseAddressSpaceSize = uint64(max(core.MaxSparseBytes, d.cfg.MemoryLimit))
	for _, counts := range []*vk.SampleCountFlags{&out.Limits.SampledImageColorSampleCounts, &out.Limits.SampledImageIntegerSampleCounts} {
		*counts = d.sampledCounts(*counts)
	}
	if !hasSparse {
		out.Limits.SparseAddressSpaceSize, out.SparseProperties = 0, abi.PhysicalDeviceSparseProperties{}
	}
	return out
}

// DeviceTypeNamed is the type of device called "integrated", "discrete" or "virtual";
// what Pumice is, a CPU, for any other name.
func DeviceTypeNamed(name string) vk.PhysicalDeviceType {
	switch name {
	case "integrated":
		return vk.PhysicalDeviceTypeIntegratedGpu
	case "discrete":
		return vk.PhysicalDeviceTypeDiscreteGpu
	case "virtual":
		return vk.PhysicalDeviceTypeVirtualGpu
	}
	return vk.PhysicalDeviceTypeCpu
}

// TestedRelease is the newest release of the conformance tests that the driver was tested against with success: docs/cts says when, and
// what its one failure is, which asks for a registered VkDriverId ("there may be unregistered driver IDs returned", VkDriverId).
const TestedRelease = "1.4.6.1"

// ConformanceNamed is the version of the conformance tests that text such as "1.4.3.2" names, of TestedRelease where there is no text;
// zero, with which the driver claims nothing, for any other text.
func ConformanceNamed(text string) (v vk.ConformanceVersion) {
	if text == "" {
		text = TestedRelease
	}
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return v
	}
	var n [4]uint8
	for i, part := range parts {
		x, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return v
		}
		n[i] = uint8(x)
	}
	return vk.ConformanceVersion{Major: n[0], Minor: n[1], Subminor: n[2], Patch: n[3]}
}

// coreProperties is VkPhysicalDeviceProperties. Applications ask time and again.
var coreProperties = sync.OnceValue(func() (p abi.PhysicalDeviceProperties) {
	have := engine.Properties()
	convert(&p, &have)
	p.ApiVersion, p.DriverVersion, p.VendorID, p.DeviceID = apiVersion, driverVersion, vendorID, deviceID
	p.DeviceType = vk.PhysicalDeviceTypeCpu
	abi.PutString(p.DeviceName[:], "Pumice (CPU)")
	p.PipelineCacheUUID = uuid
	// RAS-007: programs that draw lines as wide as can be expect a GPU's, not many times the viewport. All that package core draws is drawn.
	p.Limits.LineWidthRange[1] = 64
	return p
})

// A master is a struct with properties as this driver has them.
type master struct {
	sType vk.StructureType
	at    unsafe.Pointer
}

// masters returns the structs from which all others are filled by the names of
// their members: those of the versions, and those of extensions that no version
// has taken in. To add properties, add a struct here.
func masters() []master {
	const everyStage = vk.ShaderStageAllGraphics | vk.ShaderStageComputeBit
	v11 := &abi.PhysicalDeviceVulkan11Properties{
		DeviceUUID: uuid, DriverUUID: uuid, DeviceNodeMask: 1,
		SubgroupSize: 1, SubgroupSupportedStages: everyStage, SubgroupSupportedOperations: vk.SubgroupFeatureBasicBit,
		PointClippingBehavior:     vk.PointClippingBehaviorAllClipPlanes,
		MaxMultiviewViewCount:     32,
		MaxMultiviewInstanceIndex: 1<<27 - 1,
		MaxPerSetDescriptors:      maxSetDescriptors,
		MaxMemoryAllocationSize:   leastAllocation, // and more where there is: Driver.maxAllocation
	}
	v12 := &abi.PhysicalDeviceVulkan12Properties{
		DriverID:                            0,
		MaxTimelineSemaphoreValueDifference: 1<<64 - 1,
		FramebufferIntegerColorSampleCounts: engine.Limits().FramebufferColorSampleCounts,
		SupportedDepthResolveModes:          vk.ResolveModeSampleZeroBit | vk.ResolveModeAverageBit | vk.ResolveModeMinBit | vk.ResolveModeMaxBit | vk.ResolveModeCustomBitEXT,
		SupportedStencilResolveModes:        vk.ResolveModeSampleZeroBit | vk.ResolveModeMinBit | vk.ResolveModeMaxBit | vk.ResolveModeCustomBitEXT,
		IndependentResolveNone:              1, IndependentResolve: 1,
		DenormBehaviorIndependence:            vk.ShaderFloatControlsIndependenceNone,
		RoundingModeIndependence:              vk.ShaderFloatControlsIndependenceNone,
		ShaderSignedZeroInfNanPreserveFloat32: 1,
	}
	abi.PutString(v12.DriverName[:], driverName)
	abi.PutString(v12.DriverInfo[:], "Vulkan without a GPU, in Go")
	v14 := &abi.PhysicalDeviceVulkan14Properties{
		MaxPushDescriptors: 256, DepthStencilSwizzleOneSupport: 1, BlockTexelViewCompatibleMultipleLayers: 1, PolygonModePointSize: 1, NonStrictSinglePixelWideLinesUseParallelogram: 1, NonStrictWideLinesUseParallelogram: 1,
		FragmentShadingRateClampCombinerInputs: 1, IdenticalMemoryTypeRequirements: 1, OptimalTilingLayoutUUID: uuid,
		// The sample mask is part of coverage; early tests count before shading.
		EarlyFragmentMultisampleCoverageAfterSampleCounting: 1, EarlyFragmentSampleMaskTestBeforeSampleCounting: 1,
		DynamicRenderingLocalReadDepthStencilAttachments: 1, DynamicRenderingLocalReadMultisampledAttachments: 1,
		MaxCombinedImageSamplerDescriptorCount: 1,
	}
	m7 := &abi.PhysicalDeviceMaintenance7PropertiesKHR{
		SeparateDepthStencilAttachmentAccess:       1,
		MaxDescriptorSetTotalUniformBuffersDynamic: maxSetDescriptors, MaxDescriptorSetTotalStorageBuffersDynamic: maxSetDescriptors,
		MaxDescriptorSetTotalBuffersDynamic:                       maxSetDescriptors,
		MaxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic: maxSetDescriptors, MaxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic: maxSetDescriptors,
		MaxDescriptorSetUpdateAfterBindTotalBuffersDynamic: maxSetDescriptors,
	}
	m9 := &abi.PhysicalDeviceMaintenance9PropertiesKHR{Image2DViewOf3DSparse: 1, DefaultVertexAttributeValue: vk.DefaultVertexAttributeValueZeroZeroZeroZeroKHR}
	m10 := &abi.PhysicalDeviceMaintenance10PropertiesKHR{Rgba4OpaqueBlackSwizzled: 1, ResolveSrgbFormatAppliesTransferFunction: 1, ResolveSrgbFormatSupportsTransferFunctionControl: 1}
	multiDraw := &abi.PhysicalDeviceMultiDrawPropertiesEXT{MaxMultiDrawCount: 1<<32 - 1}
	nested := &abi.PhysicalDeviceNestedCommandBufferPropertiesEXT{MaxCommandBufferNestingLevel: maxNesting}
	identifiers := &abi.PhysicalDeviceShaderModuleIdentifierPropertiesEXT{ShaderModuleIdentifierAlgorithmUUID: uuid}
	v13 := &abi.PhysicalDeviceVulkan13Properties{}
	objectProperties(v12, v13, v14)
	shaderProperties(v11, v12, v13)
	return append(slices.Concat(objectMasters(), shaderMasters(), rasterMasters(), densityMasters(), meshMasters()), []master{
		{v11.StructureType(), unsafe.Pointer(v11)},
		{v12.StructureType(), unsafe.Pointer(v12)},
		{v13.StructureType(), unsafe.Pointer(v13)},
		{v14.StructureType(), unsafe.Pointer(v14)},
		{m7.StructureType(), unsafe.Pointer(m7)},
		{m9.StructureType(), unsafe.Pointer(m9)},
		{m10.StructureType(), unsafe.Pointer(m10)},
		{multiDraw.StructureType(), unsafe.Pointer(multiDraw)},
		{nested.StructureType(), unsafe.Pointer(nested)},
		{identifiers.StructureType(), unsafe.Pointer(identifiers)},
	}...)
}

// fillProperties writes what is known into one struct of a chain. Members that
// no master has become zero; unknown structs are left alone.
func fillProperties(s *abi.Structure) {
	layout := abi.PropertiesStruct(s.SType)
	if layout == nil {
		return
	}
	from := masters()
	defer fillLayouts(s)
	for _, f := range layout.Fields {
		if strings.Contains(f.Name, "opySrcLayout") || strings.Contains(f.Name, "opyDstLayout") {
			continue // the application's arrays
		}
		dst := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(s), f.Offset)), f.Size)
		clear(dst)
		for _, m := range from {
			if src := field(m, f.Name, f.Size); src != nil {
				copy(dst, src)
				break
			}
		}
	}
}

// field returns the bytes of a master's member, nil if it has none.
func field(m master, name string, size uint16) []byte {
	for _, f := range abi.PropertiesStruct(m.sType).Fields {
		if f.Name == name && f.Size == size {
			return unsafe.Slice((*byte)(unsafe.Add(m.at, f.Offset)), f.Size)
		}
	}
	return nil
}
