// Package abi mirrors the C interface of Vulkan in Go: structs with the layout
// of their C twins, handles, the arguments of every entry point and the records
// of every vkCmd*. Nearly all of it is generated; generated checks hold sizes
// and offsets against what the C compiler is told.
//
// Pointers to structs and numbers are typed, and point to memory that the
// caller owns for the time of the call (of records: to copies in the command
// buffer's memory). Pointers to void are unsafe.Pointer, function pointers
// uintptr. A struct of plain numbers is package vk's own type by another name.
package abi

//go:generate go run ../../_gen -vk ../../../vk -out ../..

// Bool32 is VkBool32.
type Bool32 uint32

// Bool makes a VkBool32.
func Bool(b bool) Bool32 {
	if b {
		return 1
	}
	return 0
}

// True says that b is not VK_FALSE.
func (b Bool32) True() bool { return b != 0 }

// Level is the kind of object that an entry point is called on: its first
// parameter, or none.
type Level uint8

// The levels. LevelRecorder is that of vkCmd* which the C front records.
const (
	LevelGlobal Level = iota
	LevelInstance
	LevelPhysicalDevice
	LevelDevice
	LevelQueue
	LevelCommandBuffer
	LevelRecorder
)

// String names the kind of object.
func (l Level) String() string {
	switch l {
	case LevelGlobal:
		return "global"
	case LevelInstance:
		return "VkInstance"
	case LevelPhysicalDevice:
		return "VkPhysicalDevice"
	case LevelDevice:
		return "VkDevice"
	case LevelQueue:
		return "VkQueue"
	case LevelCommandBuffer:
		return "VkCommandBuffer"
	case LevelRecorder:
		return "recorder"
	}
	return "unknown level"
}

// Level returns on what op is called.
func (op Op) Level() Level {
	if op < OpCount {
		return opLevels[op]
	}
	return LevelGlobal
}

// String returns the entry point's name in the latest version.
func (op Op) String() string {
	if op > 0 && op < OpCount {
		return opNames[op]
	}
	return "no entry point"
}

// ResultOffset returns where in op's arguments its VkResult stands in bytes, or
// -1.
func (op Op) ResultOffset() int {
	if op < OpCount {
		return int(resultOffsets[op])
	}
	return -1
}

// EntryPoint is a name that GetProcAddr may be asked for.
type EntryPoint struct {
	Name       string
	Op         Op
	Level      Level
	Version    uint32 // of the API that has it, as VK_MAKE_API_VERSION; 0: none
	Extensions string // that have it, separated by spaces
}

// FindEntryPoint looks a name up, nil if it is unknown.
func FindEntryPoint(name string) *EntryPoint {
	low, high := 0, len(entryPoints)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if entryPoints[mid].Name < name {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(entryPoints) && entryPoints[low].Name == name {
		return &entryPoints[low]
	}
	return nil
}

// EntryPoints returns all names, sorted. Read only.
func EntryPoints() []EntryPoint { return entryPoints[:] }

// IsInstanceExtension says whether an extension that brings entry points
// belongs to the instance.
func IsInstanceExtension(name string) bool {
	for _, x := range instanceExtensions {
		if x == name {
			return true
		}
	}
	return false
}
