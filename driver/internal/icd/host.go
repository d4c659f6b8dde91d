package icd

import "runtime"

// What only one system has: its windows, its file descriptors, and pages that are shown in several
// places. Tables and docs/features.md have all of it; a driver offers what its own system has.
const (
	onLinux   = "linux"
	onWindows = "windows"
)

// only names the system of extensions and features that others do not have.
var only = map[string]string{
	"VK_EXT_map_memory_placed":     onLinux,
	"VK_KHR_external_fence_fd":     onLinux,
	"VK_KHR_external_memory_fd":    onLinux,
	"VK_KHR_external_semaphore_fd": onLinux,
	"VK_KHR_wayland_surface":       onLinux,
	"VK_KHR_win32_surface":         onWindows,
	"VK_KHR_xcb_surface":           onLinux,
	"VK_KHR_xlib_surface":          onLinux,

	"memoryMapPlaced":          onLinux,
	"memoryMapRangePlaced":     onLinux,
	"memoryUnmapReserve":       onLinux,
	"sparseBinding":            onLinux,
	"sparseResidency16Samples": onLinux,
	"sparseResidency2Samples":  onLinux,
	"sparseResidency4Samples":  onLinux,
	"sparseResidency8Samples":  onLinux,
	"sparseResidencyAliased":   onLinux,
	"sparseResidencyBuffer":    onLinux,
	"sparseResidencyImage2D":   onLinux,
	"sparseResidencyImage3D":   onLinux,

	"shaderResourceResidency":        onLinux,
	"sparseImageFloat32AtomicAdd":    onLinux,
	"sparseImageFloat32AtomicMinMax": onLinux,
	"sparseImageFloat32Atomics":      onLinux,
	"sparseImageInt64Atomics":        onLinux,
}

// here says whether this system has an extension or a feature.
func here(name string) bool { return only[name] == "" || only[name] == runtime.GOOS }

// Of whole groups one member answers for all.
var (
	hasDescriptors = here("VK_KHR_external_memory_fd")
	hasSparse      = here("sparseBinding")
)

// elsewhere are the extensions of other systems.
func elsewhere() (names []string) {
	for name := range only {
		if !here(name) {
			names = append(names, name)
		}
	}
	return names
}

// placed begins what docs/features.md says of an extension or a feature that one system has.
func placed(name, what string) string {
	system := map[string]string{onLinux: "Linux", onWindows: "Windows"}[only[name]]
	switch {
	case system == "":
		return what
	case what == "":
		return system
	}
	return system + ": " + what
}
