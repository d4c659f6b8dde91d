//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package wire

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// message is what a host lays out, and where it says that it lies.
type message struct {
	data []byte
	at   int
}

const hostAt = 0x7000_0000_0000

func newMessage() *message {
	words := make([]uint64, 512)
	return &message{data: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4096)}
}

// put lays a value out and returns it, and its address for the host.
func put[T any](m *message, v T) (*T, uintptr) {
	p, at := (*T)(unsafe.Pointer(&m.data[m.at])), hostAt+uintptr(m.at)
	*p = v
	m.at = (m.at + int(unsafe.Sizeof(v)) + 7) &^ 7
	return p, at
}

// lead makes a pointer lead to an address of the host.
func lead[T any](p **T, to uintptr) { *(*uintptr)(unsafe.Pointer(p)) = to }

func anyHandle(uintptr) bool { return true }

// instance is vkCreateInstance with an application's name, a chain of one struct, and two extensions.
func instance() (m *message, a *abi.CreateInstanceArgs, info *abi.InstanceCreateInfo, names *[2]*byte, chained *abi.DebugUtilsMessengerCreateInfoEXT) {
	m = newMessage()
	a, _ = put(m, abi.CreateInstanceArgs{})
	info, at := put(m, abi.InstanceCreateInfo{SType: vk.StructureTypeInstanceCreateInfo, EnabledExtensionCount: 2})
	lead(&a.PCreateInfo, at)
	chained, at = put(m, abi.DebugUtilsMessengerCreateInfoEXT{SType: vk.StructureTypeDebugUtilsMessengerCreateInfoEXT, PfnUserCallback: 42})
	*(*uintptr)(unsafe.Pointer(&info.PNext)) = at
	app, at := put(m, abi.ApplicationInfo{SType: vk.StructureTypeApplicationInfo, ApiVersion: 7})
	lead(&info.PApplicationInfo, at)
	_, at = put(m, [6]byte([]byte("model\x00")))
	lead(&app.PApplicationName, at)
	names, at = put(m, [2]*byte{})
	lead(&info.PpEnabledExtensionNames, at)
	for i, s := range []string{"one__\x00", "two__\x00"} {
		_, at = put(m, [6]byte([]byte(s)))
		lead(&names[i], at)
	}
	_, at = put(m, abi.Instance(nil))
	lead(&a.PInstance, at)
	return m, a, info, names, chained
}

func check(m *message) (*abi.CreateInstanceArgs, *Walk, error) {
	var w Walk
	w.Begin(anyHandle, Section{From: hostAt, Copy: m.data[:m.at]})
	p, err := w.Arguments(abi.OpCreateInstance)
	return (*abi.CreateInstanceArgs)(p), &w, err
}

// TestWalk_LeadsToTheCopy: what was laid out is found in the copy, and all pointers are as they were after Restore.
func TestWalk_LeadsToTheCopy(t *testing.T) {
	m, _, _, _, _ := instance()
	before := strings.Clone(string(m.data))
	a, w, err := check(m)
	if err != nil {
		t.Fatal(err)
	}
	i := a.PCreateInfo
	if got := abi.Strings(i.PpEnabledExtensionNames, i.EnabledExtensionCount); len(got) != 2 || got[0] != "one__" || got[1] != "two__" {
		t.Errorf("names %q", got)
	}
	if got := abi.String(i.PApplicationInfo.PApplicationName); got != "model" || i.PApplicationInfo.ApiVersion != 7 {
		t.Errorf("application %q, %d", got, i.PApplicationInfo.ApiVersion)
	}
	if d := abi.Find[abi.DebugUtilsMessengerCreateInfoEXT](i.PNext); d == nil || d.PfnUserCallback != 42 {
		t.Errorf("the chain has %v", d)
	}
	*a.PInstance = nil
	w.Restore()
	if string(m.data) != before {
		t.Error("pointers are not as they were")
	}
}

// TestWalk_RefusesWhatIsNotInPlace: one thing wrong at a time.
func TestWalk_RefusesWhatIsNotInPlace(t *testing.T) {
	for name, spoil := range map[string]func(*message, *abi.CreateInstanceArgs, *abi.InstanceCreateInfo, *[2]*byte, *abi.DebugUtilsMessengerCreateInfoEXT){
		"a pointer before the message": func(_ *message, a *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			lead(&a.PCreateInfo, hostAt-64)
		},
		"a pointer to the arguments": func(_ *message, a *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			lead(&a.PCreateInfo, hostAt)
		},
		"a pointer behind the message": func(m *message, a *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			lead(&a.PInstance, hostAt+uintptr(m.at))
		},
		"a pointer that is not aligned": func(_ *message, a *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			lead(&a.PCreateInfo, hostAt+33)
		},
		"two texts in one place": func(_ *message, _ *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, names *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			names[1] = names[0]
		},
		"output over input": func(_ *message, a *abi.CreateInstanceArgs, i *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			*(*uintptr)(unsafe.Pointer(&a.PInstance)) = *(*uintptr)(unsafe.Pointer(&i.PpEnabledExtensionNames))
		},
		"a loop of a chain": func(_ *message, _ *abi.CreateInstanceArgs, i *abi.InstanceCreateInfo, _ *[2]*byte, c *abi.DebugUtilsMessengerCreateInfoEXT) {
			c.PNext = i.PNext
		},
		"an unknown struct": func(_ *message, _ *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, c *abi.DebugUtilsMessengerCreateInfoEXT) {
			c.SType = 1999999999
		},
		"too many names": func(_ *message, _ *abi.CreateInstanceArgs, i *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			i.EnabledExtensionCount = 1 << 30
		},
		"no end": func(m *message, _ *abi.CreateInstanceArgs, _ *abi.InstanceCreateInfo, _ *[2]*byte, _ *abi.DebugUtilsMessengerCreateInfoEXT) {
			for i := m.at - 16; i < m.at; i++ {
				m.data[i] = 'x'
			}
		},
	} {
		m, a, i, names, c := instance()
		if spoil(m, a, i, names, c); name == "no end" {
			m.at -= 8 // the text is the last thing
		}
		if _, _, err := check(m); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	m, _, _, _, _ := instance()
	m.at = 8
	if _, _, err := check(m); err == nil {
		t.Error("a message that ends in the arguments: taken")
	}
}

// TestWalk_HandlesThatAreNone become VK_NULL_HANDLE, and pointers that a descriptor type does not use nil.
func TestWalk_HandlesThatAreNone(t *testing.T) {
	m := newMessage()
	a, _ := put(m, abi.UpdateDescriptorSetsArgs{DescriptorWriteCount: 1})
	lead((**byte)(unsafe.Pointer(&a.Device)), 0xDEAD)
	w, at := put(m, abi.WriteDescriptorSet{SType: vk.StructureTypeWriteDescriptorSet, DescriptorCount: 1, DescriptorType: vk.DescriptorTypeUniformBuffer})
	lead(&a.PDescriptorWrites, at)
	lead(&w.PImageInfo, 0xBAD)
	_, at = put(m, abi.DescriptorBufferInfo{Range: 5})
	lead(&w.PBufferInfo, at)
	var walk Walk
	walk.Begin(func(h uintptr) bool { return h != 0xDEAD }, Section{From: hostAt, Copy: m.data[:m.at]})
	if _, err := walk.Arguments(abi.OpUpdateDescriptorSets); err != nil {
		t.Fatal(err)
	}
	if a.Device != nil || w.PImageInfo != nil || w.PBufferInfo.Range != 5 {
		t.Errorf("device %v, images %v, range %d", a.Device, w.PImageInfo, w.PBufferInfo.Range)
	}
}

// TestWalk_DropsWhatCannotTravel: addresses of the host's own memory, its files, and allocation callbacks.
func TestWalk_DropsWhatCannotTravel(t *testing.T) {
	m := newMessage()
	a, _ := put(m, abi.AllocateMemoryArgs{})
	lead(&a.PAllocator, 0xBAD)
	i, at := put(m, abi.MemoryAllocateInfo{SType: vk.StructureTypeMemoryAllocateInfo})
	lead(&a.PAllocateInfo, at)
	h, at := put(m, abi.ImportMemoryHostPointerInfoEXT{SType: vk.StructureTypeImportMemoryHostPointerInfoEXT})
	*(*uintptr)(unsafe.Pointer(&i.PNext)) = at
	*(*uintptr)(unsafe.Pointer(&h.PHostPointer)) = 0xBAD000
	f, at := put(m, abi.ImportMemoryFdInfoKHR{SType: vk.StructureTypeImportMemoryFdInfoKHR, Fd: 3})
	*(*uintptr)(unsafe.Pointer(&h.PNext)) = at
	var walk Walk
	walk.Begin(anyHandle, Section{From: hostAt, Copy: m.data[:m.at]})
	if _, err := walk.Arguments(abi.OpAllocateMemory); err != nil {
		t.Fatal(err)
	}
	if a.PAllocator != nil || h.PHostPointer != nil || f.Fd != -1 {
		t.Errorf("callbacks %v, memory %v, file %d", a.PAllocator, h.PHostPointer, f.Fd)
	}
}
