package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// goNames knows how package vk calls things: its types, and the number of
// fields of its structs.
type goNames struct {
	fields map[string]int // -1: not a struct
}

// readVk reads the types of package vk.
func readVk(dir string) (*goNames, error) {
	g := &goNames{fields: map[string]int{}}
	files, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s: no package vk there (%v)", dir, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), f, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range gen.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					g.fields[t.Name.Name] = -1
					if st, ok := t.Type.(*ast.StructType); ok {
						g.fields[t.Name.Name] = st.Fields.NumFields()
					}
				}
			}
		}
	}
	return g, nil
}

// enumName is package vk's name of an enum or bitmask: both VkXFlagBits and
// VkXFlags are XFlags.
func enumName(c string) string {
	s := strings.TrimPrefix(c, "Vk")
	if i := strings.LastIndex(s, "FlagBits"); i >= 0 {
		s = s[:i] + "Flags" + s[i+len("FlagBits"):]
	}
	return s
}

// exported capitalises the first letter: pCreateInfo is PCreateInfo.
func exported(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// short drops vk or Vk.
func short(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "vk"), "Vk") }

// shared says whether package vk's struct has the very layout of the C struct,
// so that abi can use it: numbers, enums and structs of them, no pointers, no
// booleans, no unions.
func (g *generator) shared(t *typ) bool {
	if t.category != "struct" || g.vk.fields[short(t.name)] != len(t.members) {
		return false
	}
	for _, m := range t.members {
		if m.stars > 0 || m.name == "sType" || m.typ == "VkBool32" || m.typ == "char" || m.len != "" && len(m.dims) > 0 {
			return false
		}
		if _, ok := plain[m.typ]; ok {
			continue
		}
		d := g.r.resolve(m.typ)
		switch {
		case d == nil:
			return false
		case d.category == "enum" || d.category == "bitmask":
		case d.category == "struct" && g.shared(d):
		default:
			return false
		}
	}
	return true
}

// goType is the Go type of a declaration.
func (g *generator) goType(d decl) (string, error) {
	dims := ""
	for _, n := range d.dims {
		dims += "[" + n + "]"
	}
	base, err := g.goBase(d.typ)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.c, err)
	}
	stars := d.stars
	if base == "" { // an opaque type: its pointer is untyped
		if stars == 0 {
			return "", fmt.Errorf("%s: %s by value", d.c, d.typ)
		}
		base, stars = "unsafe.Pointer", stars-1
	}
	return dims + strings.Repeat("*", stars) + base, nil
}

func (g *generator) goBase(c string) (string, error) {
	if p, ok := plain[c]; ok {
		return p.goType, nil
	}
	if opaque[c] {
		return "", nil
	}
	t := g.r.resolve(c)
	if t == nil {
		return "", fmt.Errorf("type %s is unknown", c)
	}
	switch t.category {
	case "enum", "bitmask":
		n := enumName(t.name)
		if _, ok := g.vk.fields[n]; !ok {
			return "", fmt.Errorf("package vk has no %s", n)
		}
		return "vk." + n, nil
	case "handle", "struct", "union":
		return short(t.name), nil
	case "funcpointer":
		return "uintptr", nil
	}
	return "", fmt.Errorf("type %s of category %q has no Go twin", c, t.category)
}
