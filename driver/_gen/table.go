package main

import (
	"fmt"
	"slices"
	"strings"
)

// table writes what GetProcAddr needs to know of every name.
func (g *generator) table() error {
	b := g.file("internal/abi/names_gen.go", "package abi\n\nvar entryPoints = [...]EntryPoint{\n")
	for _, n := range g.r.names {
		c, p := g.r.target(n), g.r.provided[n]
		version := 0
		if p.version != "" {
			var major, minor int
			if _, err := fmt.Sscanf(p.version, "%d.%d", &major, &minor); err != nil {
				return fmt.Errorf("%s: version %q: %w", n, p.version, err)
			}
			version = major<<22 | minor<<12
		}
		fmt.Fprintf(b, "\t{%q, Op%s, Level%s, %#x, %q},\n", n, short(c.name), c.level(), version, strings.Join(p.extensions, " "))
	}
	b.WriteString("}\n\n")
	b.WriteString("// instanceExtensions are the extensions of the instance, not of a device, that bring entry points or structs.\nvar instanceExtensions = [...]string{\n")
	for _, x := range sortedKeys(g.r.extension) {
		if g.r.extension[x] == "instance" {
			fmt.Fprintf(b, "\t%q,\n", x)
		}
	}
	b.WriteString("}\n\n")
	b.WriteString("// resultOffsets has the offset of the VkResult in the arguments, or -1.\nvar resultOffsets = [OpCount]int16{\n\t0: -1,\n")
	for _, c := range g.r.all() {
		at := -1
		if fields := c.fields(); c.ret == "VkResult" && !c.recorded() {
			offsets, _, _, err := g.r.layout(fields, false)
			if err != nil {
				return err
			}
			at = offsets[len(offsets)-1]
		}
		fmt.Fprintf(b, "\tOp%s: %d,\n", short(c.name), at)
	}
	b.WriteString("}\n\n// opLevels has the object on which icd has the method.\nvar opLevels = [OpCount]Level{\n")
	for _, c := range g.r.all() {
		l := c.level()
		if c.recorded() {
			l = "Recorder"
		}
		fmt.Fprintf(b, "\tOp%s: Level%s,\n", short(c.name), l)
	}
	b.WriteString("}\n\nvar opNames = [OpCount]string{\n")
	for _, c := range g.r.all() {
		fmt.Fprintf(b, "\tOp%s: %q,\n", short(c.name), c.name)
	}
	b.WriteString("}\n")
	return nil
}

// chains writes what icd needs to fill in structs it knows by their members'
// names: those that extend VkPhysicalDeviceFeatures2 and …Properties2.
func (g *generator) chains() error {
	b := g.file("internal/abi/chains_gen.go", "package abi\n\n")
	for _, kind := range []string{"Features", "Properties"} {
		fmt.Fprintf(b, "var %sStructs = [...]Struct{\n", strings.ToLower(kind))
		root := "VkPhysicalDevice" + kind + "2"
		for _, n := range g.r.order {
			t := g.r.types[n]
			if !g.r.needed[n] || t.alias != "" || !slices.Contains(t.extends, root) {
				continue
			}
			v, ok := g.structureType(t)
			if !ok {
				continue
			}
			offsets, size, _, err := g.r.layout(t.members, false)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "\t{%d, %q, %d, []Field{", v, t.name, size)
			for i, m := range t.members {
				if i < 2 {
					continue
				}
				size, _, err := g.r.extent(m.typ)
				if err != nil {
					return err
				}
				if m.stars > 0 {
					size = 8
				}
				count, err := m.count()
				if err != nil {
					return err
				}
				fmt.Fprintf(b, "{%q, %d, %d}, ", m.name, offsets[i], size*count)
			}
			b.WriteString("}},\n")
		}
		b.WriteString("}\n\n")
	}
	return nil
}

// dispatch writes the switch of icd from opcodes to methods. It names every
// entry point, so it changes with the registry only: whether the method exists
// is asked of the receiver's type.
func (g *generator) dispatch() error {
	const preamble = "package icd\n\nimport (\n\t\"unsafe\"\n\n\t\"github.com/pumice-gpu/pumice/driver/internal/abi\"\n\t\"github.com/pumice-gpu/pumice/vk\"\n)\n\nvar _ vk.Result\n\n"
	b := g.file("internal/icd/dispatch_gen.go", preamble)
	i := g.file("internal/icd/methods_gen.go", "package icd\n\nimport (\n\t\"unsafe\"\n\n\t\"github.com/pumice-gpu/pumice/driver/internal/abi\"\n\t\"github.com/pumice-gpu/pumice/vk\"\n)\n\nvar _ unsafe.Pointer\n\nvar _ vk.Result\n\n")
	levels := map[string][]*command{}
	for _, c := range g.r.all() {
		l := c.level()
		if c.recorded() {
			l = "Recorder"
		}
		levels[l] = append(levels[l], c)
		ret := ""
		if c.ret != "void" {
			typ, err := g.goType(c.result())
			if err != nil {
				return err
			}
			ret = qualified(typ)
		}
		fmt.Fprintf(i, "type has%s interface { %s(*abi.%s)%s }\n\n", short(c.name), short(c.name), c.goStruct(), ret)
	}
	for _, l := range sortedKeys(levels) {
		fmt.Fprintf(b, "// call%s calls the method of an entry point on x, and says whether it has one. With p nil it only says that.\nfunc call%s(x any, op abi.Op, p unsafe.Pointer) bool {\n\tswitch op {\n", l, l)
		for _, c := range levels[l] {
			n := short(c.name)
			fmt.Fprintf(b, "\tcase abi.Op%s:\n\t\tm, ok := x.(has%s)\n\t\tif ok && p != nil {\n", n, n)
			if c.ret == "void" {
				fmt.Fprintf(b, "\t\t\tm.%s((*abi.%s)(p))\n", n, c.goStruct())
			} else {
				fmt.Fprintf(b, "\t\t\ta := (*abi.%s)(p)\n\t\t\ta.Ret = m.%s(a)\n", c.goStruct(), n)
			}
			b.WriteString("\t\t}\n\t\treturn ok\n")
		}
		b.WriteString("\t}\n\treturn false\n}\n\n")
	}
	return nil
}

// qualified puts abi before types that are neither predeclared nor vk's.
func qualified(t string) string {
	switch {
	case strings.Contains(t, "."), t == "uint64", t == "uint32", t == "uintptr":
		return " " + t
	}
	return " abi." + t
}
