package main

import (
	"fmt"
	"strings"
)

// prototype is the parameter list of a command in C.
func (c *command) prototype() string {
	var out []string
	for _, p := range c.params {
		out = append(out, p.c)
	}
	return strings.Join(out, ", ")
}

// entries writes the trampolines of what is not recorded, the structs of
// arguments, and the table of all entry points by opcode.
func (g *generator) entries() error {
	h := g.file("arguments_gen.h", "#ifndef PUMICE_ARGUMENTS_GEN_H\n#define PUMICE_ARGUMENTS_GEN_H\n\n#include \"vk_gen.h\"\n\n")
	b := g.file("entries_gen.c", "//go:build linux || windows\n\n#include \"front.h\"\n\n")
	table := &strings.Builder{}
	for _, c := range g.r.all() {
		fmt.Fprintf(h, "struct %s {", c.cStruct())
		if c.recorded() {
			h.WriteString(" uint32_t record_op, record_size;")
		}
		fields := c.fields()
		for _, m := range fields {
			fmt.Fprintf(h, " %s;", m.c)
		}
		if len(fields) == 0 && !c.recorded() {
			h.WriteString(" char none;")
		}
		h.WriteString(" };\n")
		fmt.Fprintf(table, "\t[%d] = (PFN_vkVoidFunction)%s,\n", c.op, c.entry())
		if c.recorded() {
			fmt.Fprintf(h, "void %s(%s);\n", c.entry(), c.prototype())
			continue
		}
		if c.handwritten() {
			fmt.Fprintf(h, "%s %s(%s);\n", c.ret, c.entry(), c.prototype())
			continue
		}
		door, wait := "pumice_door", ""
		fmt.Fprintf(b, "static %s %s(%s) {\n", c.ret, c.entry(), c.prototype())
		if polled[c.name] {
			var names []string
			for _, p := range c.params {
				names = append(names, p.name)
			}
			call := "pumice_see_" + short(c.name) + "(" + strings.Join(names, ", ") + ")"
			fmt.Fprintf(b, "\tVkResult seen = %s;\n", call)
			returns := "return seen"
			if c.ret == "void" {
				returns = "return"
			}
			fmt.Fprintf(b, "\tif (seen != PUMICE_ASK)\n\t\t%s;\n", returns)
		}
		if patient[c.name] {
			door, wait = "pumice_patient_door", ", &wait"
			b.WriteString("\tstruct pumice_wait wait = {0};\n")
		}
		fmt.Fprintf(b, "\tstruct %s a = {", c.cStruct())
		for i, p := range c.params {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(b, ".%s = %s", p.name, p.name)
		}
		if wait != "" {
			b.WriteString(", .wait = &wait")
		}
		if c.ret == "VkResult" {
			b.WriteString(", .ret = VK_ERROR_DEVICE_LOST")
		}
		fmt.Fprintf(b, "};\n\t%s(%d, &a%s);\n", door, c.op, wait)
		if c.ret != "void" {
			b.WriteString("\treturn a.ret;\n")
		}
		b.WriteString("}\n\n")
	}
	h.WriteString("\n#endif\n")
	fmt.Fprintf(b, "const PFN_vkVoidFunction pumice_entries[] = {\n%s};\n\nconst uint32_t pumice_entry_count = %d;\n", table, len(g.r.all())+1)
	return nil
}

func (c *command) entry() string { return "pumice_vk" + short(c.name) }

// handwritten says that front.c has the entry point.
func (c *command) handwritten() bool {
	return c.name == "vkGetInstanceProcAddr" || c.name == "vkGetDeviceProcAddr"
}
