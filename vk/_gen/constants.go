package main

import (
	"fmt"
	"regexp"
	"strings"
)

var makeVersion = regexp.MustCompile(`VK_MAKE_API_VERSION(?:</type>)?\s*\(\s*0\s*,\s*([0-9]+)\s*,\s*([0-9]+)\s*,\s*0\s*\)`)

// emitConstants writes the API constants (sizes and special values) and the API versions.
func (r *registry) emitConstants(o *output) error {
	b := o.file("constants")
	fmt.Fprint(b, "// API versions, packed as MakeApiVersion does.\nconst (\n")
	for _, n := range r.typeOrder {
		t := r.types[n]
		m := makeVersion.FindStringSubmatch(t.node.content())
		if t.category != "define" || !strings.HasPrefix(n, "VK_API_VERSION_1") || m == nil {
			continue
		}
		fmt.Fprintf(b, "\t%s uint32 = %s<<22 | %s<<12 // %s\n", r.constantName(n), m[1], m[2], n)
	}
	fmt.Fprint(b, ")\n\n")
	if t := r.types["VK_HEADER_VERSION"]; t != nil {
		words := strings.Fields(t.node.content())
		fmt.Fprintf(b, "// HeaderVersion is VK_HEADER_VERSION: the patch version of the registry that this package was generated from.\nconst HeaderVersion uint32 = %s\n\n", words[len(words)-1])
	}
	fmt.Fprint(b, "// Sizes and special values that Vulkan fixes for every implementation.\nconst (\n")
	for _, c := range r.constants {
		name, v := c.name(), c.attrs["value"]
		if !c.forVulkan("api") || name == "VK_TRUE" || name == "VK_FALSE" {
			continue // Booleans are bool.
		}
		g := r.constantName(name)
		if _, err := o.claim(g, name); err != nil {
			return err
		}
		switch {
		case c.attrs["alias"] != "":
			fmt.Fprintf(b, "\t%s = %s // %s\n", g, r.constantName(c.attrs["alias"]), name)
		case c.attrs["type"] == "float":
			fmt.Fprintf(b, "\t%s float32 = %s // %s\n", g, strings.TrimRight(v, "fF"), name)
		case strings.HasPrefix(v, "(~"):
			typ := strings.TrimSuffix(c.attrs["type"], "_t")
			fmt.Fprintf(b, "\t%s %s = ^%s(%s) // %s\n", g, typ, typ, strings.Trim(v, "(~UL)"), name)
		default:
			fmt.Fprintf(b, "\t%s = %s // %s\n", g, v, name)
		}
	}
	fmt.Fprint(b, ")\n")
	return nil
}
