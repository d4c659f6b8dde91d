package main

import (
	"fmt"
	"slices"
	"strings"
)

// prologue is what the registry leaves to vk_platform.h and the headers of window systems. A long has 32 bits on Windows.
const prologue = `#ifndef PUMICE_VK_GEN_H
#define PUMICE_VK_GEN_H

#include <stddef.h>
#include <stdint.h>

#define VKAPI_PTR
#define VKAPI_CALL
#define VKAPI_ATTR

typedef uint32_t VkBool32;
typedef uint32_t VkFlags;
typedef uint64_t VkFlags64;
typedef uint64_t VkDeviceSize;
typedef uint64_t VkDeviceAddress;
typedef uint32_t VkSampleMask;

typedef struct _XDisplay Display;
typedef uintptr_t Window;
typedef uintptr_t VisualID;
typedef struct xcb_connection_t xcb_connection_t;
typedef uint32_t xcb_window_t;
typedef uint32_t xcb_visualid_t;
struct wl_display;
struct wl_surface;
typedef struct HINSTANCE__ *HINSTANCE;
typedef struct HWND__ *HWND;

`

// header writes vk_gen.h: the C types of everything the driver speaks of, so
// that building it takes no Vulkan headers.
func (g *generator) header() error {
	b := g.file("vk_gen.h", prologue)
	for _, n := range sortedKeys(g.r.constants) {
		fmt.Fprintf(b, "#define %s %s\n", n, g.r.constants[n])
	}
	b.WriteString("\n")
	for _, n := range g.r.order {
		if !g.r.needed[n] {
			continue
		}
		t := g.r.types[n]
		switch {
		case t.alias != "":
		case t.category == "handle" && strings.Contains(t.node.content(), "NON_DISPATCHABLE"):
			fmt.Fprintf(b, "typedef uint64_t %s;\n", n)
		case t.category == "handle":
			fmt.Fprintf(b, "typedef struct %s_T *%s;\n", n, n)
		case t.category == "enum" || t.category == "bitmask":
			g.headerEnum(b, t)
		case t.category == "struct" || t.category == "union":
			fmt.Fprintf(b, "typedef %s %s %s;\n", t.category, n, n)
		}
	}
	for _, n := range g.r.order {
		if t := g.r.types[n]; g.r.needed[n] && t.alias != "" {
			fmt.Fprintf(b, "typedef %s %s;\n", g.r.resolve(n).name, n)
		}
	}
	for _, n := range g.r.order { // behind the types of their parameters
		if t := g.r.types[n]; g.r.needed[n] && t.category == "funcpointer" {
			fmt.Fprintf(b, "typedef %s;\n", functionPointer(t.node))
		}
	}
	b.WriteString("\n")
	done := map[string]bool{}
	for _, n := range g.r.order {
		g.headerStruct(b, n, done)
	}
	b.WriteString("#endif\n")
	return nil
}

// functionPointer is the declaration of a pointer to functions.
func functionPointer(n *node) string {
	var params []string
	for _, p := range n.all("param") {
		params = append(params, p.content())
	}
	if params == nil {
		params = []string{"void"}
	}
	ret, _ := strings.CutSuffix(n.all("proto")[0].content(), n.name())
	return fmt.Sprintf("%s (*%s)(%s)", strings.TrimSpace(ret), n.name(), strings.Join(params, ", "))
}

type writer interface{ WriteString(string) (int, error) }

// mentioned are the enums whose values C code of the driver names.
var mentioned = []string{"VkStructureType", "VkDescriptorType", "VkResult"}

// headerEnum writes an enum as an integer of its size, and its values.
func (g *generator) headerEnum(b writer, t *typ) {
	base := "int32_t"
	switch {
	case t.wide || g.r.wide[t.name]:
		base = "uint64_t"
	case t.category == "bitmask" || strings.Contains(t.name, "FlagBits"):
		base = "uint32_t"
	}
	_, _ = b.WriteString(fmt.Sprintf("typedef %s %s;\n", base, t.name))
	if slices.Contains(mentioned, t.name) {
		_, _ = b.WriteString("enum {\n")
		for _, v := range g.r.enums[t.name] {
			_, _ = b.WriteString(fmt.Sprintf("\t%s = %d,\n", v, g.r.values[v]))
		}
		_, _ = b.WriteString("};\n")
	}
}

// headerStruct writes a struct behind those that it holds by value.
func (g *generator) headerStruct(b writer, n string, done map[string]bool) {
	t := g.r.types[n]
	if t == nil || !g.r.needed[n] || done[n] {
		return
	}
	done[n] = true
	if t.alias != "" {
		g.headerStruct(b, t.alias, done)
		return
	}
	if t.category != "struct" && t.category != "union" {
		return
	}
	for _, m := range t.members {
		if m.stars == 0 {
			g.headerStruct(b, m.typ, done)
		}
	}
	_, _ = b.WriteString(fmt.Sprintf("%s %s {\n", t.category, n))
	for _, m := range t.members {
		_, _ = b.WriteString("\t" + m.c + ";\n")
	}
	_, _ = b.WriteString("};\n\n")
}

// layouts writes layout_gen.c: what Go believes about sizes and offsets, for
// the C compiler to check. sizes_gen.go makes the Go compiler check the same
// numbers.
func (g *generator) layouts() error {
	c := g.file("layout_gen.c", "//go:build linux || windows\n\n#include \"front.h\"\n\n#define S(type, size) _Static_assert(sizeof(type) == size, #type)\n#define F(type, field, offset) _Static_assert(offsetof(type, field) == offset, #type \".\" #field)\n\n")
	s := g.file("internal/abi/sizes_gen.go", "//go:build amd64 || arm64 || loong64 || ppc64le || riscv64\n\npackage abi\n\nimport \"unsafe\"\n\n// A size that differs from C's makes an array type of another length, and no program.\nvar (\n")
	o := g.file("internal/abi/offsets_gen_test.go", "package abi\n\nimport \"reflect\"\n\n// structOffsets has the offsets in C of each struct's fields.\nvar structOffsets = []struct {\n\ttyp     reflect.Type\n\toffsets []uintptr\n}{\n")
	check := func(cName, goName string, members []decl, union bool) error {
		offsets, size, _, err := g.r.layout(members, union)
		if err != nil {
			return fmt.Errorf("%s: %w", cName, err)
		}
		fmt.Fprintf(c, "S(%s, %d);", cName, size)
		fmt.Fprintf(s, "\t_ [%d]byte = [unsafe.Sizeof(%s{})]byte{}\n", size, goName)
		if !union {
			fmt.Fprintf(o, "\t{reflect.TypeFor[%s](), []uintptr{", goName)
		}
		for i, m := range members {
			fmt.Fprintf(c, " F(%s, %s, %d);", cName, m.name, offsets[i])
			if !union && (m.name != "record_size") { // Go has both header words in one embedded struct
				fmt.Fprintf(o, "%d, ", offsets[i])
			}
		}
		if !union {
			o.WriteString("}},\n")
		}
		c.WriteString("\n")
		return nil
	}
	for _, n := range g.r.order {
		t := g.r.types[n]
		if !g.r.needed[n] || t.alias != "" || t.category != "struct" && t.category != "union" {
			continue
		}
		if err := check(n, short(n), t.members, t.category == "union"); err != nil {
			return err
		}
	}
	for _, cmd := range g.r.all() {
		members := cmd.fields()
		if cmd.recorded() {
			members = append([]decl{{name: "record_op", typ: "uint32_t"}, {name: "record_size", typ: "uint32_t"}}, members...)
		}
		if len(members) == 0 {
			continue
		}
		if err := check("struct "+cmd.cStruct(), cmd.goStruct(), members, false); err != nil {
			return err
		}
	}
	s.WriteString(")\n")
	o.WriteString("}\n")
	return nil
}
