package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// apiVersion is what the driver reports: the highest version all of whose
// mandatory features are on in the table below.
const apiVersion = 1<<22 | 1<<12 | 309

// An extension is a row of the tables of extensions. A row stands there only if
// the extension works.
type extension struct {
	name     string
	spec     uint32 // specVersion
	promoted uint32 // the version that made it core, 0: none
	what     string // what of it is worth saying in docs/features.md
}

// instanceExtensions are offered by the instance.
var instanceExtensions = [...]extension{
	{"VK_EXT_headless_surface", 1, 0, ""},
	{"VK_KHR_device_group_creation", 1, vk.ApiVersion1_1, "groups of one device"},
	{"VK_KHR_get_physical_device_properties2", 2, vk.ApiVersion1_1, ""},
	{"VK_KHR_get_surface_capabilities2", 1, 0, ""},
	{"VK_KHR_surface", 25, 0, ""},
	{"VK_KHR_xcb_surface", 6, 0, "pictures go through shared memory, or the connection"},
	{"VK_KHR_xlib_surface", 6, 0, "through libX11-xcb"},
}

// deviceExtensions are offered by the device.
var deviceExtensions = [...]extension{
	{"VK_EXT_conditional_rendering", 2, 0, ""},
	{"VK_EXT_extended_dynamic_state", 1, vk.ApiVersion1_3, ""},
	{"VK_EXT_index_type_uint8", 1, 0, ""},
	{"VK_EXT_multi_draw", 1, 0, ""},
	{"VK_EXT_nested_command_buffer", 1, 0, ""},
	{"VK_KHR_copy_commands2", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_create_renderpass2", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_depth_stencil_resolve", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_draw_indirect_count", 1, vk.ApiVersion1_2, ""},
	{"VK_KHR_dynamic_rendering", 1, vk.ApiVersion1_3, ""},
	{"VK_KHR_index_type_uint8", 1, vk.ApiVersion1_4, ""},
	{"VK_KHR_multiview", 1, vk.ApiVersion1_1, ""},
	{"VK_KHR_push_descriptor", 2, vk.ApiVersion1_4, ""},
	{"VK_KHR_swapchain", 70, 0, "FIFO shows 60 pictures a second"},
	{"VK_KHR_synchronization2", 1, vk.ApiVersion1_3, "barriers order nothing that the one queue of commands does not"},
	{"VK_KHR_timeline_semaphore", 2, vk.ApiVersion1_2, ""},
}

// A feature is a row of the table of features.
type feature struct {
	name string // as in all structs that have it
	why  string // what makes it work, or what it is limited to
}

// features are the features that are on; those not listed are off. The same name
// means the same in every struct (VkPhysicalDeviceVulkan12Features and the
// promoted extension's). The features of VkPhysicalDeviceFeatures are package
// core's and not repeated here, unless the driver has more to say.
var features = [...]feature{
	{"conditionalRendering", ""},
	{"drawIndirectCount", ""},
	{"dynamicRendering", ""},
	{"extendedDynamicState", ""},
	{"indexTypeUint8", ""},
	{"inheritedConditionalRendering", "secondary command buffers run inside the primary one"},
	{"multiDraw", ""},
	{"multiview", "a draw a view"},
	{"nestedCommandBuffer", ""},
	{"nestedCommandBufferRendering", ""},
	{"nestedCommandBufferSimultaneousUse", ""},
	{"pushDescriptor", ""},
	{"synchronization2", ""},
	{"timelineSemaphore", "queues wait in goroutines of their own"},
}

// findExtension returns a row of a table, nil if there is none.
func findExtension(in []extension, name string) *extension {
	for i := range in {
		if in[i].name == name {
			return &in[i]
		}
	}
	return nil
}

func deviceExtension(name string) *extension { return findExtension(deviceExtensions[:], name) }

// extensionProperties is a table as applications get it.
func extensionProperties(rows []extension) []abi.ExtensionProperties {
	out := make([]abi.ExtensionProperties, len(rows))
	for i, r := range rows {
		abi.PutString(out[i].ExtensionName[:], r.name)
		out[i].SpecVersion = r.spec
	}
	return out
}

// coreFeatures are the features of Vulkan 1.0.
func coreFeatures() (f abi.PhysicalDeviceFeatures) {
	have := engine.Features()
	convert(&f, &have)
	return f
}

// supported says whether a feature beyond Vulkan 1.0 is on.
func supported(name string) bool {
	for _, f := range features {
		if f.name == name {
			return true
		}
	}
	return false
}

// fillFeatures writes what is on into one struct of a chain; it leaves unknown
// structs alone.
func fillFeatures(s *abi.Structure) {
	layout := abi.FeaturesStruct(s.SType)
	if layout == nil {
		return
	}
	for _, f := range layout.Fields {
		*(*abi.Bool32)(unsafe.Add(unsafe.Pointer(s), f.Offset)) = abi.Bool(supported(f.Name))
	}
}

// enabledFeatures collects the features that an application turns on with
// vkCreateDevice. ok is false if one of them is not supported.
func enabledFeatures(info *abi.DeviceCreateInfo) (on map[string]bool, ok bool) {
	on, ok = map[string]bool{}, true
	base := func(f *abi.PhysicalDeviceFeatures) {
		have := coreFeatures()
		eachField(f, func(name string, p *abi.Bool32) {
			if p.True() {
				on[name] = true
			}
		})
		eachField(&have, func(name string, p *abi.Bool32) {
			if on[name] && !p.True() {
				ok = false
			}
		})
	}
	if info.PEnabledFeatures != nil {
		base(info.PEnabledFeatures)
	}
	for s := range abi.Chain(info.PNext) {
		if s.SType == vk.StructureTypePhysicalDeviceFeatures2 {
			base(&(*abi.PhysicalDeviceFeatures2)(unsafe.Pointer(s)).Features)
			continue
		}
		layout := abi.FeaturesStruct(s.SType)
		if layout == nil {
			continue
		}
		for _, f := range layout.Fields {
			if (*(*abi.Bool32)(unsafe.Add(unsafe.Pointer(s), f.Offset))).True() {
				on[f.Name] = true
				ok = ok && supported(f.Name)
			}
		}
	}
	return on, ok
}
