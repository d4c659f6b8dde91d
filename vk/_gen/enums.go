package main

import (
	"fmt"
	"strings"
)

// emitEnums writes every enum and bitmask type of the API, its values and its String method.
func (r *registry) emitEnums(o *output) error {
	for _, n := range r.enumOrder {
		e := r.enums[n]
		if r.required[n] == "" {
			continue
		}
		if err := r.emitEnum(o, e); err != nil {
			return err
		}
	}
	// Sets of bits that have no bits yet ("reserved for future use"), and second names of types.
	for _, n := range r.typeOrder {
		t := r.types[n]
		if t.category != "enum" && t.category != "bitmask" || r.required[n] == "" {
			continue
		}
		g := typeName(n)
		if t.alias != "" {
			if to := typeName(t.alias); to != g {
				if fresh, err := o.claim(g, "="+to); err != nil {
					return err
				} else if fresh {
					fmt.Fprintf(o.file("aliases"), "// %s is %s by its other name, %s.\ntype %s = %s\n\n", g, t.alias, n, g, to)
				}
			}
			continue
		}
		if _, ok := o.names[g]; ok || t.category == "enum" {
			continue
		}
		if _, err := o.claim(g, n); err != nil {
			return err
		}
		base := "uint32"
		if strings.Contains(t.node.content(), "VkFlags64") {
			base = "uint64"
		}
		fmt.Fprintf(o.file("flags_reserved"), "// %s is %s, a set of bits of which none is defined.\ntype %s %s\n\n", g, n, g, base)
	}
	return nil
}

// enumFile says in which file a type goes.
func (r *registry) enumFile(e *enumType) string {
	switch {
	case e.name == "VkFormat":
		return "format"
	case e.name == "VkStructureType":
		return "structure_type"
	case e.name == "VkResult":
		return "result"
	}
	kind := "enums"
	if e.flags {
		kind = "flags"
	}
	switch r.author(e.name) {
	case "":
		return kind
	case "KHR":
		return kind + "_khr"
	case "EXT":
		return kind + "_ext"
	}
	return kind + "_vendor"
}

func (r *registry) emitEnum(o *output, e *enumType) error {
	g := typeName(e.name)
	if fresh, err := o.claim(g, e.name); err != nil || !fresh {
		return err
	}
	b := o.file(r.enumFile(e))
	base := "int32"
	switch {
	case e.flags && e.width == 64:
		base = "uint64"
	case e.flags:
		base = "uint32"
	}
	if e.flags {
		fmt.Fprintf(b, "// %s is a set of bits: %s.\ntype %s %s\n\n", g, e.name, g, base)
	} else {
		fmt.Fprintf(b, "// %s is %s.\ntype %s %s\n\n", g, e.name, g, base)
	}
	if len(e.values) > 0 {
		fmt.Fprintf(b, "// Values of %s.\nconst (\n", g)
		for _, v := range e.values {
			name := r.constantName(v.name)
			fresh, err := o.claim(name, v.name)
			if err != nil {
				// An alias may differ from its target in spelling only (VK_FOO_2_BIT and VK_FOO2_BIT): one Go name serves both.
				if v.alias != "" && o.names[name] == v.alias {
					continue
				}
				return err
			}
			if !fresh {
				continue
			}
			comment := " // " + v.name
			if e.name == "VkStructureType" {
				comment = "" // 1,500 long names that the Go API never asks for
			}
			switch {
			case v.alias != "":
				fmt.Fprintf(b, "\t%s = %s%s\n", name, r.constantName(v.alias), comment)
			case e.flags:
				fmt.Fprintf(b, "\t%s %s = 0x%x%s\n", name, g, e.unsigned(v.v), comment)
			default:
				fmt.Fprintf(b, "\t%s %s = %d%s\n", name, g, v.v, comment)
			}
		}
		fmt.Fprint(b, ")\n\n")
	}
	r.emitString(o, e, g)
	return nil
}

func (e *enumType) unsigned(v int64) uint64 {
	if e.width == 32 {
		return uint64(uint32(v))
	}
	return uint64(v)
}

// emitString writes the name table of a type (a constant string, see strings.go of package vk) and its String method.
func (r *registry) emitString(o *output, e *enumType, g string) {
	b := o.file("strings")
	table := unexported(g) + "Names"
	prefix := e.commonPrefix()
	fmt.Fprintf(b, "const %s = `%s", table, prefix)
	next, column, first := int64(0), 0, true
	word := func(s string) {
		sep := " "
		if column+len(s) > 130 {
			sep, column = "\n", 0
		}
		b.WriteString(sep + s)
		column += len(s) + 1
	}
	for _, v := range e.values {
		if v.alias != "" || e.flags && !isSingleBit(v.v) {
			continue
		}
		at := v.v
		if e.flags {
			for at = 0; uint64(1)<<at != e.unsigned(v.v); at++ {
			}
		}
		if !first && at < next {
			continue // a second spelling of the same value that the registry does not call an alias
		}
		if at != next {
			word(fmt.Sprintf("#%d", at))
		}
		word(strings.TrimPrefix(v.name, prefix))
		next, first = at+1, false
	}
	fmt.Fprint(b, "`\n\n")
	call := fmt.Sprintf("enumString(%s, %q, int64(v))", table, g)
	if e.flags {
		call = fmt.Sprintf("flagsString(%s, uint64(v))", table)
	}
	what := "the Vulkan identifier of v"
	if e.flags {
		what = "the Vulkan identifiers of the bits of v, joined by |"
	}
	fmt.Fprintf(b, "// String returns %s.\nfunc (v %s) String() string { return %s }\n\n", what, g, call)
}

// commonPrefix returns what all names of the type start with, up to and including an underscore.
func (e *enumType) commonPrefix() string {
	p := ""
	for i, v := range e.values {
		if i == 0 {
			p = v.name
		}
		for !strings.HasPrefix(v.name, p) {
			p = p[:len(p)-1]
		}
	}
	// A name never equals the prefix, and "#" starts a position, so cutting at the last underscore keeps every word non-empty.
	if i := strings.LastIndexByte(p, '_'); i >= 0 {
		return p[:i+1]
	}
	return "VK_"
}
