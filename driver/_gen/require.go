package main

import (
	"fmt"
	"strconv"
)

// requirements writes, for the tests of package icd, what the registry says of
// versions and extensions: what they depend on and which features they make
// mandatory.
func (g *generator) requirements() error {
	b := g.file("internal/icd/required_gen_test.go", "package icd\n\n")
	b.WriteString("// registered are the versions and extensions of the registry, as far as this driver can ever offer them.\nvar registered = [...]registration{\n")
	for _, x := range g.r.registered {
		spec, promoted := 0, ""
		for _, r := range x.all("require") {
			for _, e := range r.all("enum") {
				if v, err := strconv.Atoi(e.attrs["value"]); err == nil && len(e.name()) > 13 && e.name()[len(e.name())-13:] == "_SPEC_VERSION" {
					spec = v
				}
			}
		}
		if p := x.attrs["promotedto"]; p != "" {
			promoted = p
		}
		fmt.Fprintf(b, "\t{%q, %q, %d, %q, %q, []mandatory{", x.name(), x.attrs["number"], spec, promoted, x.attrs["depends"])
		for _, r := range x.all("require") {
			for _, f := range r.all("feature") {
				if r.forVulkan("api") {
					fmt.Fprintf(b, "{%q, %q}, ", f.name(), r.attrs["depends"])
				}
			}
		}
		b.WriteString("}, []brings{")
		for _, r := range x.all("require") {
			for _, c := range r.all("command") {
				if x.attrs["number"] != "" && r.forVulkan("api") && g.r.provided[c.name()] != nil {
					fmt.Fprintf(b, "{%q, %q}, ", c.name(), r.attrs["depends"])
				}
			}
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return nil
}
