package main

import (
	"fmt"
	"regexp"
	"strings"
)

// baseTypes are the C types that have a plain Go twin.
var baseTypes = map[string]string{
	"float": "float32", "double": "float64", "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16",
	"int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64", "size_t": "uint64", "VkBool32": "bool",
	"VkDeviceSize": "uint64", "VkDeviceAddress": "uint64", "VkSampleMask": "uint32", "VkFlags": "uint32", "VkFlags64": "uint64",
}

var (
	lengthName = regexp.MustCompile(`[a-z][A-Za-z0-9]*(Count|Size)\b`)
	wanted     = regexp.MustCompile(`^VkPhysicalDevice.*(Features|Properties)|^VkPipeline.*State|^VkPhysicalDeviceLimits`)
)

// field is one member of a Go struct.
type field struct {
	name, typ, cName string
}

// emitStructs writes the structs that are plain data. Left out are those with handles, untyped pointers, function pointers, bit
// fields or window-system types: they belong to the API in front, not to its vocabulary.
func (r *registry) emitStructs(o *output) error {
	s := &structs{r: r, done: map[string]bool{}, constants: map[string]bool{}}
	for _, e := range r.enums {
		for _, v := range e.values {
			s.constants[r.constantName(v.name)] = true
		}
	}
	for _, n := range r.typeOrder {
		t := r.types[n]
		where := r.required[n]
		if t.category != "struct" && t.category != "union" || where == "" {
			continue
		}
		open := where == "core" || strings.HasPrefix(where, "VK_KHR_") || strings.HasPrefix(where, "VK_EXT_")
		if strings.HasPrefix(n, "VkVideo") || strings.HasPrefix(n, "VkBase") || !open && !wanted.MatchString(n) {
			continue
		}
		if t.category == "union" && !strings.HasPrefix(n, "VkClear") {
			continue
		}
		if err := s.emit(o, t); err != nil {
			return err
		}
	}
	return nil
}

type structs struct {
	r         *registry
	done      map[string]bool
	constants map[string]bool // Go names that enum values have taken
}

// structName is typeName, with "Struct" behind it where a constant has that name already: C keeps
// VkPipelineCacheHeaderVersionOne and VK_PIPELINE_CACHE_HEADER_VERSION_ONE apart, Go can't.
func (s *structs) structName(c string) string {
	g := typeName(c)
	if s.constants[g] {
		g += "Struct"
	}
	return g
}

// resolve follows aliases of a type.
func (s *structs) resolve(n string) *typeDef {
	t := s.r.types[n]
	for t != nil && t.alias != "" {
		t = s.r.types[t.alias]
	}
	return t
}

// emit writes one struct after the structs it contains. Structs that are not plain data are passed over.
func (s *structs) emit(o *output, t *typeDef) error {
	if s.done[t.name] {
		return nil
	}
	s.done[t.name] = true
	if t.alias != "" {
		to := s.resolve(t.name)
		if to == nil || typeName(to.name) == typeName(t.name) {
			return nil
		}
		if _, ok := s.fields(to, 0); !ok {
			return nil
		}
		if err := s.emit(o, to); err != nil {
			return err
		}
		g := s.structName(t.name)
		if _, err := o.claim(g, t.name); err != nil {
			return err
		}
		fmt.Fprintf(o.file("aliases"), "// %s is %s by its other name, %s.\ntype %s = %s\n\n", g, to.name, t.name, g, s.structName(to.name))
		return nil
	}
	fields, ok := s.fields(t, 0)
	if !ok {
		return nil
	}
	for _, m := range t.node.all("member") {
		if d := s.resolve(m.child("type")); d != nil && (d.category == "struct" || d.category == "union") {
			if err := s.emit(o, d); err != nil {
				return err
			}
		}
	}
	g := s.structName(t.name)
	if _, err := o.claim(g, t.name); err != nil {
		return err
	}
	b := o.file(s.r.structFile(t))
	fmt.Fprintf(b, "// %s is %s.", g, t.name)
	if t.category == "union" {
		fmt.Fprint(b, " In C it is a union: set the member that the use calls for and leave the others zero.")
	}
	fmt.Fprintf(b, "\ntype %s struct {\n", g)
	for _, f := range fields {
		fmt.Fprintf(b, "\t%s %s\n", f.name, f.typ)
	}
	fmt.Fprint(b, "}\n\n")
	return nil
}

// structFile says in which file a struct goes.
func (r *registry) structFile(t *typeDef) string {
	n := t.name
	suffix := ""
	if a := r.author(n); a != "" && a != "KHR" && a != "EXT" {
		suffix = "_vendor"
	} else if a != "" {
		suffix = "_ext"
	}
	switch {
	case strings.HasPrefix(n, "VkPhysicalDevice") && strings.Contains(n, "Features"):
		return "structs_features" + suffix
	case strings.HasPrefix(n, "VkPhysicalDevice"):
		return "structs_properties" + suffix
	case strings.HasPrefix(n, "VkPipeline"):
		return "structs_pipeline" + suffix
	}
	return "structs" + suffix
}

// fields turns the members of a struct into Go fields, or says that the struct is not plain data.
func (s *structs) fields(t *typeDef, depth int) ([]field, bool) {
	if depth > 16 {
		return nil, false
	}
	lengths := map[string]bool{}
	members := t.node.all("member")
	for _, m := range members {
		for _, l := range lengthName.FindAllString(m.attrs["len"]+" "+m.attrs["altlen"], -1) {
			lengths[l] = true
		}
	}
	var out []field
	for _, m := range members {
		name := m.name()
		if !m.forVulkan("api") || name == "sType" || name == "pNext" {
			continue
		}
		c := m.child("type")
		if lengths[name] && (c == "uint32_t" || c == "size_t") {
			continue // the length of a slice
		}
		typ, ok := s.fieldType(m, c, depth)
		if !ok {
			return nil, false
		}
		out = append(out, field{fieldName(name, strings.Count(m.content(), "*")), typ, name})
	}
	return out, true
}

// fieldType is the Go type of a member, or false where there is none.
func (s *structs) fieldType(m *node, c string, depth int) (string, bool) {
	// The declaration splits at the member's name: pointers stand before it, array bounds after.
	text := m.content()
	i := strings.LastIndex(text, m.name())
	before, after := text[:i], strings.TrimSpace(text[i+len(m.name()):])
	stars := strings.Count(before, "*")
	var dims []string
	if after != "" {
		if after[0] != '[' {
			return "", false // a bit field
		}
		for _, d := range strings.Split(strings.Trim(after, "[]"), "][") {
			if strings.HasPrefix(d, "VK_") {
				d = s.r.constantName(d)
			}
			dims = append(dims, d)
		}
	}
	if c == "char" {
		switch {
		case len(dims) == 1 && stars == 0, stars == 1 && m.attrs["len"] == "null-terminated":
			return "string", true
		case stars == 2 && strings.HasSuffix(m.attrs["len"], ",null-terminated"):
			return "[]string", true
		}
		return "", false
	}
	base, ok := baseTypes[c]
	if !ok {
		d := s.resolve(c)
		if d == nil {
			return "", false
		}
		switch d.category {
		case "enum", "bitmask":
			if s.r.required[c] == "" {
				return "", false
			}
		case "struct", "union":
			if _, ok := s.fields(d, depth+1); !ok {
				return "", false
			}
			if d.category == "union" && !strings.HasPrefix(d.name, "VkClear") {
				return "", false
			}
		default:
			return "", false
		}
		base = s.structName(d.name)
	}
	switch {
	case stars > 1:
		return "", false
	case stars == 1 && m.attrs["len"] != "", len(dims) == 1 && lengthName.MatchString(m.attrs["len"]):
		return "[]" + base, true
	case stars == 1:
		return "*" + base, true
	}
	for i := len(dims) - 1; i >= 0; i-- {
		base = "[" + dims[i] + "]" + base
	}
	return base, true
}
