package main

import (
	"fmt"
	"strings"
)

const abiPreamble = "package abi\n\nimport (\n\t\"unsafe\"\n\n\t\"github.com/pumice-gpu/pumice/vk\"\n)\n\nvar _ unsafe.Pointer\n\nvar _ vk.Result\n\n"

// structFile says in which file of abi a struct goes.
func structFile(n string) string {
	kind := "core"
	switch {
	case strings.HasPrefix(n, "VkPhysicalDevice") && strings.Contains(n, "Features"):
		kind = "features"
	case strings.HasPrefix(n, "VkPhysicalDevice"):
		kind = "properties"
	case strings.HasSuffix(n, "KHR"):
		kind = "khr"
	case strings.HasSuffix(n, "EXT"):
		kind = "ext"
	case strings.ToUpper(n[len(n)-2:]) == n[len(n)-2:] && !strings.HasSuffix(n, "2D") && !strings.HasSuffix(n, "3D"):
		kind = "vendor"
	}
	return "internal/abi/structs_" + kind + "_gen.go"
}

// structs writes abi's mirrors of C structs, unions and handles.
func (g *generator) structs() error {
	h := g.file("internal/abi/handles_gen.go", "package abi\n\nimport \"unsafe\"\n\n")
	done := map[string]bool{}
	for _, n := range g.r.order {
		t := g.r.types[n]
		if !g.r.needed[n] {
			continue
		}
		switch t.category {
		case "handle":
			switch {
			case t.alias != "":
				fmt.Fprintf(h, "// %s is %s by its other name.\ntype %s = %s\n\n", short(n), short(t.alias), short(n), short(t.alias))
			case strings.Contains(t.node.content(), "NON_DISPATCHABLE"):
				fmt.Fprintf(h, "// %s is the handle %s.\ntype %s uint64\n\n", short(n), n, short(n))
			default:
				fmt.Fprintf(h, "// %s is the dispatchable handle %s: it points outside the Go heap.\ntype %s unsafe.Pointer\n\n", short(n), n, short(n))
			}
		case "struct", "union":
			to := g.r.resolve(n)
			if short(to.name) != short(n) {
				b := g.file(structFile(n), abiPreamble)
				fmt.Fprintf(b, "// %s is %s by its other name.\ntype %s = %s\n\n", short(n), short(to.name), short(n), short(to.name))
				continue
			}
			if done[to.name] {
				continue
			}
			done[to.name] = true
			if err := g.structType(to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *generator) structType(t *typ) error {
	b := g.file(structFile(t.name), abiPreamble)
	name := short(t.name)
	if t.category == "union" {
		_, size, alignment, err := g.r.layout(t.members, true)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "// %s is the union %s.\ntype %s struct{ words [%d]uint%d }\n\n", name, t.name, name, size/alignment, alignment*8)
		for _, m := range t.members {
			typ, err := g.goType(m)
			if err != nil {
				return err
			}
			f := exported(m.name)
			fmt.Fprintf(b, "// %s is the union as its member %s.\nfunc (u *%s) %s() *%s { return (*%s)(unsafe.Pointer(u)) }\n\n", f, m.name, name, f, typ, typ)
		}
		return nil
	}
	if g.shared(t) {
		fmt.Fprintf(b, "// %s is %s.\ntype %s = vk.%s\n\n", name, t.name, name, name)
		return nil
	}
	fmt.Fprintf(b, "// %s is %s.\ntype %s struct {\n", name, t.name, name)
	for _, m := range t.members {
		typ, err := g.goType(m)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Fprintf(b, "\t%s %s", exported(m.name), typ)
		if m.len != "" {
			fmt.Fprintf(b, " // len: %s", m.len)
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n\n")
	if v, ok := g.structureType(t); ok {
		fmt.Fprintf(b, "// StructureType is the value of SType.\nfunc (*%s) StructureType() vk.StructureType { return %d }\n\n", name, v)
	}
	return nil
}

// structureType is the value that a struct's sType must have.
func (g *generator) structureType(t *typ) (int64, bool) {
	if len(t.members) == 0 || t.members[0].name != "sType" {
		return 0, false
	}
	v, ok := g.r.values[t.members[0].values]
	return v, ok
}

// arguments writes the argument structs of all entry points.
func (g *generator) arguments() error {
	o := g.file("internal/abi/ops_gen.go", "package abi\n\n// Op numbers the entry points; 0 is none. Aliases share a number.\ntype Op uint32\n\n// The entry points, by their names in the latest version.\nconst (\n")
	for _, c := range g.r.all() {
		fmt.Fprintf(o, "\tOp%s Op = %d\n", short(c.name), c.op)
	}
	fmt.Fprintf(o, "\n\t// OpCount is one above the last.\n\tOpCount Op = %d\n)\n", len(g.r.all())+1)
	for _, c := range g.r.all() {
		path, doc := "internal/abi/arguments_gen.go", "holds the arguments of"
		if c.recorded() {
			path, doc = "internal/abi/commands_gen.go", "is a recorded"
		}
		b := g.file(path, abiPreamble)
		fmt.Fprintf(b, "// %s %s %s.\ntype %s struct {\n", c.goStruct(), doc, c.name, c.goStruct())
		if c.recorded() {
			b.WriteString("\tCommandHeader\n")
		}
		for _, m := range c.fields() {
			typ, err := g.goType(m)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Fprintf(b, "\t%s %s", exported(m.name), typ)
			if m.len != "" {
				fmt.Fprintf(b, " // len: %s", m.len)
			}
			b.WriteString("\n")
		}
		b.WriteString("}\n\n")
	}
	return nil
}

// goStruct is the name of the Go struct of arguments.
func (c *command) goStruct() string {
	if c.recorded() {
		return short(c.name)
	}
	return short(c.name) + "Args"
}

// cStruct is its C name.
func (c *command) cStruct() string { return "pumice_" + short(c.name) }

// patient are the commands that may wait for something, for which the thread of the
// host sleeps in C.
var patient = map[string]bool{
	"vkQueueSubmit": true, "vkQueueSubmit2": true,
	"vkAcquireNextImageKHR": true, "vkAcquireNextImage2KHR": true, "vkDeviceWaitIdle": true, "vkGetQueryPoolResults": true, "vkQueueWaitIdle": true,
	"vkWaitForFences": true, "vkWaitForPresentKHR": true, "vkWaitForPresent2KHR": true, "vkWaitSemaphores": true,
}

// polled are the commands that C answers by itself where it can; poll.c.
var polled = map[string]bool{
	"vkGetDescriptorEXT": true, "vkGetFenceStatus": true, "vkGetSemaphoreCounterValue": true,
	"vkResetFences": true, "vkWaitForFences": true, "vkWaitSemaphores": true,
}

// fields are the members of the argument struct: the parameters, those of
// recorded commands without the command buffer and with arrays by value; of patient
// ones what they wait for, and the result of others.
func (c *command) fields() []decl {
	var out []decl
	for i, p := range c.params {
		switch {
		case c.recorded() && i == 0:
			continue
		case c.recorded() && len(p.dims) > 0:
			p.c = strings.TrimPrefix(p.c, "const ")
		case len(p.dims) > 0: // decays to a pointer
			p.c = "const " + p.typ + " *" + p.name
			p.stars, p.len, p.dims = 1, strings.Join(p.dims, "*"), nil
		}
		out = append(out, p)
	}
	if patient[c.name] {
		out = append(out, decl{c: "struct pumice_wait *wait", name: "wait", typ: "pumice_wait", stars: 1})
	}
	if c.ret != "void" {
		out = append(out, c.result())
	}
	return out
}

// result declares the member that takes what the command returns.
func (c *command) result() decl { return decl{c: c.ret + " ret", name: "ret", typ: c.ret} }
