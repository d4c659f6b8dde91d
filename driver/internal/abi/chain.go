package abi

import (
	"iter"
	"unsafe"

	"github.com/pumice-gpu/pumice/vk"
)

// MaxChain bounds the structs of a pNext chain: a longer one is a loop.
const MaxChain = 256

// Structure is what all extensible structs begin with.
type Structure struct {
	SType vk.StructureType
	PNext unsafe.Pointer
}

// Chain walks a pNext chain:
//
//	for s := range abi.Chain(info.PNext) {
//		switch s.SType {
//		case vk.StructureTypeMemoryDedicatedAllocateInfo:
//			dedicated := (*abi.MemoryDedicatedAllocateInfo)(unsafe.Pointer(s))
//
// RAS-008
func Chain(next unsafe.Pointer) iter.Seq[*Structure] {
	return func(yield func(*Structure) bool) {
		for n := 0; next != nil && n < MaxChain; n++ {
			s := (*Structure)(next)
			next = s.PNext
			if !yield(s) {
				return
			}
		}
	}
}

// Find returns the struct of type T in a pNext chain, or nil:
//
//	dedicated := abi.Find[abi.MemoryDedicatedAllocateInfo](info.PNext)
//
// RAS-008
func Find[T any, P interface {
	*T
	StructureType() vk.StructureType
}](next unsafe.Pointer) *T {
	want := P(nil).StructureType()
	for n := 0; next != nil && n < MaxChain; n++ {
		s := (*Structure)(next)
		if s.SType == want {
			return (*T)(next)
		}
		next = s.PNext
	}
	return nil
}

// Slice is the array of n elements at p; nil for none. n is the caller's word:
// an absurd one is cut where a Go slice would end.
func Slice[T any](p *T, n uint32) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice(p, n)
}

// maxString bounds strings in bytes.
const maxString = 1 << 16

// String copies a C string; "" for nil.
func String(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for n < maxString && *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Strings copies an array of C strings.
func Strings(p **byte, n uint32) []string {
	var out []string
	for _, s := range Slice(p, n) {
		out = append(out, String(s))
	}
	return out
}

// PutString writes s into a character array, cut to its size, with a zero at
// the end.
func PutString(dst []byte, s string) {
	clear(dst)
	copy(dst[:len(dst)-1], s)
}

// Enumerate answers the calls that return arrays: with out nil it sets the
// count; else it fills in what fits and says VK_INCOMPLETE if that is not all.
func Enumerate[T any](count *uint32, out *T, items []T) vk.Result {
	if out == nil {
		*count = uint32(len(items))
		return vk.Success
	}
	n := copy(Slice(out, *count), items)
	*count = uint32(n)
	if n < len(items) {
		return vk.Incomplete
	}
	return vk.Success
}

// Field is a member of a struct.
type Field struct {
	Name         string
	Offset, Size uint16 // bytes
}

// Struct describes an extensible struct.
type Struct struct {
	SType  vk.StructureType
	Name   string
	Size   uint16
	Fields []Field // without sType and pNext
}

// FeaturesStruct describes a struct that extends VkPhysicalDeviceFeatures2, nil
// if t is none. All its fields are VkBool32.
func FeaturesStruct(t vk.StructureType) *Struct { return findStruct(featuresStructs[:], t) }

// PropertiesStruct describes a struct that extends VkPhysicalDeviceProperties2,
// nil if t is none.
func PropertiesStruct(t vk.StructureType) *Struct { return findStruct(propertiesStructs[:], t) }

// FeaturesStructs returns all structs of FeaturesStruct. Read only.
func FeaturesStructs() []Struct { return featuresStructs[:] }

// PropertiesStructs returns all structs of PropertiesStruct. Read only.
func PropertiesStructs() []Struct { return propertiesStructs[:] }

func findStruct(in []Struct, t vk.StructureType) *Struct {
	for i := range in {
		if in[i].SType == t {
			return &in[i]
		}
	}
	return nil
}
