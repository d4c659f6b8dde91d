package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// encoder writes the C functions of recorded commands: a record with copies of
// all that its pointers lead to.
func (g *generator) encoder() error {
	b := g.file("encode_gen.c", "//go:build linux || windows\n\n#include \"front.h\"\n\n")
	e := &copier{g: g, seen: map[string]bool{}}
	body := &strings.Builder{}
	for _, c := range g.r.all() {
		if !c.recorded() {
			continue
		}
		if c.ret != "void" {
			return fmt.Errorf("%s: a recorded command that returns %s", c.name, c.ret)
		}
		if err := e.command(body, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	// Copiers of structs, found on the way, in the order of their names.
	for _, n := range sortedKeys(e.seen) {
		fmt.Fprintf(b, "static void fields_%s(struct pumice_stream *s, %s *p);\nstatic inline void copy_%s(struct pumice_stream *s, %s *p);\n", n, n, n, n)
	}
	b.WriteString("\n")
	for _, n := range sortedKeys(e.seen) {
		if err := e.structCopier(b, g.r.types[n]); err != nil {
			return fmt.Errorf("%s: %w", n, err)
		}
	}
	b.WriteString(body.String())
	return nil
}

// copier writes deep copies.
type copier struct {
	g    *generator
	seen map[string]bool // structs whose copier is needed
}

// deep says whether a struct holds pointers, and notes its copier then.
func (e *copier) deep(name string) bool {
	t := e.g.r.resolve(name)
	if t == nil || t.category != "struct" {
		return false
	}
	if e.seen[t.name] {
		return true
	}
	for _, m := range t.members {
		if m.stars > 0 || m.typ != name && e.deep(m.typ) {
			e.use(t)
			return true
		}
	}
	return false
}

// use notes the copier of a struct and of all that it leads to.
func (e *copier) use(t *typ) {
	if e.seen[t.name] {
		return
	}
	e.seen[t.name] = true
	for _, m := range t.members {
		e.deep(m.typ)
	}
	for _, x := range e.extenders(t) {
		e.use(x)
	}
}

// extenders are the structs that may stand in a struct's pNext chain.
func (e *copier) extenders(t *typ) []*typ {
	var out []*typ
	for _, n := range e.g.r.order {
		x := e.g.r.types[n]
		if e.g.r.needed[n] && x.alias == "" && slices.Contains(x.extends, t.name) {
			if _, ok := e.g.structureType(x); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// onlyIf are conditions under which a pointer may be looked at
// (VkWriteDescriptorSet: the descriptor type selects one of three arrays).
var onlyIf = map[string]string{
	"VkWriteDescriptorSet.pImageInfo":       "pumice_is_image_descriptor(p->descriptorType)",
	"VkWriteDescriptorSet.pBufferInfo":      "pumice_is_buffer_descriptor(p->descriptorType)",
	"VkWriteDescriptorSet.pTexelBufferView": "pumice_is_texel_descriptor(p->descriptorType)",
}

// strided are arrays whose elements lie stride bytes apart.
var strided = map[string]bool{"vkCmdDrawMultiEXT.pVertexInfo": true, "vkCmdDrawMultiIndexedEXT.pIndexInfo": true}

func (e *copier) structCopier(b writer, t *typ) error {
	w := func(format string, args ...any) { _, _ = fmt.Fprintf(textWriter{b}, format, args...) }
	w("static void fields_%s(struct pumice_stream *s, %s *p) {\n\t(void)s, (void)p;\n", t.name, t.name)
	for _, m := range t.members {
		if m.name == "pNext" {
			continue
		}
		if err := e.member(b, t.name, m, "p->", t.members); err != nil {
			return err
		}
	}
	w("}\n\nstatic inline void copy_%s(struct pumice_stream *s, %s *p) {\n", t.name, t.name)
	if len(t.members) > 1 && t.members[1].name == "pNext" {
		w("\tconst struct pumice_base *in = p->pNext;\n\tconst void **tail = (const void **)&p->pNext;\n\t*tail = NULL;\n")
		if xs := e.extenders(t); len(xs) > 0 {
			w("\tfor (int n = 0; in && n < PUMICE_MAX_CHAIN; in = in->pNext, n++) {\n\t\tswitch (in->sType) {\n")
			for _, x := range xs {
				w("\t\tcase %s: {\n\t\t\t%s *q = pumice_array(s, in, 1, sizeof *q);\n\t\t\tif (!q)\n\t\t\t\treturn;\n\t\t\tq->pNext = NULL;\n\t\t\tfields_%s(s, q);\n\t\t\t*tail = q;\n\t\t\ttail = (const void **)&q->pNext;\n\t\t\tbreak;\n\t\t}\n", x.members[0].values, x.name, x.name)
			}
			w("\t\tdefault:\n\t\t\tbreak;\n\t\t}\n\t}\n")
		} else {
			w("\t(void)in;\n")
		}
	}
	w("\tfields_%s(s, p);\n}\n\n", t.name)
	return nil
}

type textWriter struct{ w writer }

func (t textWriter) Write(p []byte) (int, error) { return t.w.WriteString(string(p)) }

// member writes the copy of what one member (or parameter) leads to. The
// member stands at at+name and holds the application's pointer still.
func (e *copier) member(b writer, owner string, m decl, at string, siblings []decl) error {
	w := func(format string, args ...any) { _, _ = fmt.Fprintf(textWriter{b}, format, args...) }
	field := at + m.name
	if m.stars == 0 {
		if e.deep(m.typ) {
			if len(m.dims) > 0 {
				return fmt.Errorf("%s: an array of structs with pointers", m.c)
			}
			w("\tcopy_%s(s, &%s);\n", e.g.r.resolve(m.typ).name, field)
		}
		return nil
	}
	if m.stars > 1 {
		return fmt.Errorf("%s: a pointer to pointers cannot be recorded", m.c)
	}
	if cond := onlyIf[owner+"."+m.name]; cond != "" {
		w("\tif (!%s)\n\t\t%s = NULL;\n", cond, field)
	}
	size := "sizeof *" + field
	if m.typ == "void" || m.typ == "char" {
		size = "1"
	}
	count := "1"
	switch {
	case m.len == "null-terminated":
		w("\t%s = pumice_string(s, %s);\n", field, field)
		return nil
	case opaque[m.typ] && m.typ != "void":
		return nil
	case owner == "vkCmdSetCheckpointNV": // the pointer itself is the marker
		return nil
	case m.typ == "void" && m.len == "":
		return fmt.Errorf("%s: untyped data of unknown size", m.c)
	case m.len != "":
		count = lengthExpression(m.len, at, siblings)
	}
	if strided[owner+"."+m.name] {
		w("\t%s = pumice_array(s, %s, %s ? (uint64_t)(%s - 1) * %sstride + %s : 0, 1);\n", field, field, count, count, at, size)
		return nil
	}
	w("\t%s = pumice_array(s, %s, %s, %s);\n", field, field, count, size)
	if e.deep(m.typ) {
		t := e.g.r.resolve(m.typ).name
		w("\tfor (uint64_t i = 0; %s && i < (uint64_t)(%s); i++)\n\t\tcopy_%s(s, (%s *)&%s[i]);\n", field, count, t, t, field)
	}
	return nil
}

var identifier = regexp.MustCompile(`(->)?\b[a-z]\w*`)

// lengthExpression makes C of a len attribute: names of siblings are members
// of the record.
func lengthExpression(l, at string, siblings []decl) string {
	l = strings.Split(l, ",")[0]
	return identifier.ReplaceAllStringFunc(l, func(s string) string {
		if !strings.HasPrefix(s, "->") && slices.ContainsFunc(siblings, func(d decl) bool { return d.name == s }) {
			return at + s
		}
		return s
	})
}

func (e *copier) command(b writer, c *command) error {
	w := func(format string, args ...any) { _, _ = fmt.Fprintf(textWriter{b}, format, args...) }
	w("void %s(%s) {\n\tstruct pumice_stream *s = (struct pumice_stream *)commandBuffer;\n\tstruct %s *c = pumice_record(s, %d, sizeof *c);\n\tif (!c)\n\t\treturn;\n", c.entry(), c.prototype(), c.cStruct(), c.op)
	for _, p := range c.params[1:] {
		if len(p.dims) > 0 {
			w("\tmemcpy(c->%s, %s, sizeof c->%s);\n", p.name, p.name, p.name)
		} else {
			w("\tc->%s = %s;\n", p.name, p.name)
		}
	}
	for _, p := range c.params[1:] {
		if p.stars > 0 || len(p.dims) == 0 && e.deep(p.typ) {
			if err := e.member(b, c.name, p, "c->", c.params); err != nil {
				return err
			}
		}
	}
	w("}\n\n")
	return nil
}
