package main

import (
	"fmt"
	"strconv"
)

// plain are C types with a plain Go twin, and its size in bytes.
var plain = map[string]struct {
	goType string
	size   int
}{
	"char": {"byte", 1}, "float": {"float32", 4}, "double": {"float64", 8}, "int8_t": {"int8", 1}, "uint8_t": {"uint8", 1},
	"int16_t": {"int16", 2}, "uint16_t": {"uint16", 2}, "int32_t": {"int32", 4}, "uint32_t": {"uint32", 4}, "int": {"int32", 4},
	"int64_t": {"int64", 8}, "uint64_t": {"uint64", 8}, "size_t": {"uint64", 8}, "VkBool32": {"Bool32", 4}, "VkFlags": {"uint32", 4},
	"VkFlags64": {"uint64", 8}, "VkDeviceSize": {"uint64", 8}, "VkDeviceAddress": {"uint64", 8}, "VkSampleMask": {"uint32", 4},
	"Window": {"uint64", 8}, "VisualID": {"uint64", 8}, "xcb_window_t": {"uint32", 4}, "xcb_visualid_t": {"uint32", 4},
	"HINSTANCE": {"uintptr", 8}, "HWND": {"uintptr", 8}, // pointers, to what is the system's
	"pumice_wait": {"Wait", 32},
}

// opaque are C types that are only ever pointed to.
var opaque = map[string]bool{"void": true, "Display": true, "xcb_connection_t": true, "wl_display": true, "wl_surface": true}

// align rounds n up to a multiple of a.
func align(n, a int) int { return (n + a - 1) / a * a }

// count is the number of elements of an array declaration.
func (d decl) count() (int, error) {
	n := 1
	for _, s := range d.dims {
		v, err := strconv.Atoi(s)
		if err != nil {
			return 0, fmt.Errorf("%s: the array bound %s is unknown", d.c, s)
		}
		n *= v
	}
	return n, nil
}

// extent returns the size and alignment in bytes of a type under the 64-bit C
// ABI, which Go follows for the types used here.
func (r *registry) extent(name string) (size, alignment int, err error) {
	if p, ok := plain[name]; ok {
		return p.size, p.size, nil
	}
	t := r.resolve(name)
	if t == nil {
		return 0, 0, fmt.Errorf("type %s is unknown", name)
	}
	switch t.category {
	case "enum":
		if r.wide[t.name] {
			return 8, 8, nil
		}
		return 4, 4, nil
	case "bitmask":
		if t.wide {
			return 8, 8, nil
		}
		return 4, 4, nil
	case "handle", "funcpointer":
		return 8, 8, nil
	case "struct", "union":
		_, size, alignment, err := r.layout(t.members, t.category == "union")
		return size, alignment, err
	}
	return 0, 0, fmt.Errorf("type %s has no layout", name)
}

// layout places members one behind the other, or all at 0 for a union.
func (r *registry) layout(members []decl, union bool) (offsets []int, size, alignment int, err error) {
	alignment = 1
	for _, m := range members {
		s, a := 8, 8
		if m.stars == 0 {
			if s, a, err = r.extent(m.typ); err != nil {
				return nil, 0, 0, fmt.Errorf("%s: %w", m.c, err)
			}
		}
		n, err := m.count()
		if err != nil {
			return nil, 0, 0, err
		}
		alignment = max(alignment, a)
		if union {
			offsets = append(offsets, 0)
			size = max(size, s*n)
			continue
		}
		at := align(size, a)
		offsets = append(offsets, at)
		size = at + s*n
	}
	return offsets, align(size, alignment), alignment, nil
}
