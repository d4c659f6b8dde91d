package main

import (
	"fmt"
	"slices"
	"strings"
)

// What a helper process is asked for travels as a message: the arguments of a command with all that their pointers lead
// to. wire writes, as tables for C and for Go, where in a struct pointers are and how far what they lead to reaches. C
// makes messages by them (driver/isolate), Go checks messages and records by them (driver/internal/wire).

// The kinds of fields, lengths and conditions; package wire and wire.h have the same numbers.
const (
	wireBytes   = iota // a pointer to elements of Arg bytes
	wireStruct         // a pointer to structs of type Arg
	wireText           // a pointer to a text that ends with a zero
	wireTexts          // a pointer to pointers to such texts
	wireInline         // Arg is a type; Count structs of it stand here
	wireChain          // pNext
	wireDrop           // a pointer that does not travel
	wireFile           // a file descriptor, which travels on the socket
	wireHandle         // Count dispatchable handles stand here
	wireHandles        // a pointer to dispatchable handles
	wireData           // a pointer to what a descriptor update template describes
	wireTexels         // a pointer to texels of an image, whose bytes are counted in the 8 bytes before them
	wireWait           // a pointer to a pumice_wait of Arg bytes, never NULL: it is the host that waits
)

const (
	lengthOne  = iota
	length4    // the member at At, of 4 bytes
	length8    // of 8 bytes
	lengthTo4  // what the pointer at At leads to, of 4 bytes
	lengthTo8  // of 8 bytes
	lengthVia4 // the member at Via of what the pointer at At leads to, of 4 bytes
)

const (
	always   = iota
	onlyIfIs // the 4 bytes at If are Value
	onlyIfImage
	onlyIfBuffer
	onlyIfTexel
)

// wireField is a field of a table.
type wireField struct {
	offset, kind, arg, count   int
	out                        bool // C copies what the pointer leads to back
	length, at, via, div, cond int
	ifAt                       int
	value                      int64
	stride                     int // offset of a member: elements lie that far apart; 0: one behind the other
	note                       string
}

// dropped are pointers that lead to memory which the helper cannot have, and descriptors of the host's files.
var dropped = map[string]int{
	"VkImportMemoryHostPointerInfoEXT.pHostPointer": wireDrop, "VkMemoryMapPlacedInfoEXT.pPlacedAddress": wireDrop,
	"VkMemoryToImageCopy.pHostPointer": wireTexels, "VkImageToMemoryCopy.pHostPointer": wireTexels,
	"VkOpaqueCaptureDescriptorDataCreateInfoEXT.opaqueCaptureDescriptorData": wireDrop,
	"vkGetBufferOpaqueCaptureDescriptorDataEXT.pData":                        wireDrop, "vkGetImageOpaqueCaptureDescriptorDataEXT.pData": wireDrop,
	"vkGetImageViewOpaqueCaptureDescriptorDataEXT.pData": wireDrop, "vkGetSamplerOpaqueCaptureDescriptorDataEXT.pData": wireDrop,
	"VkImportMemoryFdInfoKHR.fd": wireFile, "VkImportSemaphoreFdInfoKHR.fd": wireFile, "VkImportFenceFdInfoKHR.fd": wireFile,
	"vkUpdateDescriptorSetWithTemplate.pData": wireData, "vkCmdPushDescriptorSetWithTemplate.pData": wireData,
	"VkPushDescriptorSetWithTemplateInfo.pData": wireData,
}

// wires collects the tables.
type wires struct {
	g      *generator
	index  map[string]int // of struct types
	names  []string
	fields [][]wireField
	sizes  []int
	types  []int64 // sType, or -1
}

// wireResult is where in a command's arguments stands what it returns: at -1, nowhere.
type wireResult struct {
	at, bytes int
	code      bool // it is a VkResult
}

func (g *generator) wire() error {
	w := &wires{g: g, index: map[string]int{}}
	for _, n := range g.r.order { // all that may stand in a chain, and what that holds
		if t := g.r.types[n]; g.r.needed[n] && t.alias == "" && t.category == "struct" {
			if _, ok := g.structureType(t); ok {
				if _, err := w.typ(t); err != nil {
					return err
				}
			}
		}
	}
	ops := []int{0}
	results := []wireResult{{-1, 0, false}}
	for _, c := range g.r.all() {
		members := c.fields()
		if c.recorded() {
			members = append([]decl{{name: "record_op", typ: "uint32_t"}, {name: "record_size", typ: "uint32_t"}}, members...)
		}
		i, err := w.add(c.name, members, -1)
		if err != nil {
			return err
		}
		ops = append(ops, i)
		r := wireResult{at: -1, code: c.ret == "VkResult"}
		if c.ret != "void" && !c.recorded() {
			offsets, size, _, err := g.r.layout(members, false)
			if err != nil {
				return err
			}
			r.at = offsets[len(offsets)-1]
			if r.bytes, _, err = g.r.extent(c.ret); err != nil {
				r.bytes = size - r.at // a pointer to a function
			}
		}
		results = append(results, r)
	}
	w.write(ops, results)
	return nil
}

// typ returns the number of a struct's type.
func (w *wires) typ(t *typ) (int, error) {
	if i, ok := w.index[t.name]; ok {
		return i, nil
	}
	sType := int64(-1)
	if v, ok := w.g.structureType(t); ok {
		sType = v
	}
	return w.add(t.name, t.members, sType)
}

func (w *wires) add(name string, members []decl, sType int64) (int, error) {
	i := len(w.names)
	w.index[name] = i
	w.names = append(w.names, name)
	w.fields = append(w.fields, nil)
	offsets, size, _, err := w.g.r.layout(members, false)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	w.sizes, w.types = append(w.sizes, size), append(w.types, sType)
	var fields []wireField
	for n, m := range members {
		if m.name == "pNext" { // first, as the encoder has it
			fields = append([]wireField{{offset: offsets[n], kind: wireChain}}, fields...)
			continue
		}
		f, err := w.member(name, m, offsets[n], members, offsets)
		if err != nil {
			return 0, fmt.Errorf("%s.%s: %w", name, m.name, err)
		}
		fields = append(fields, f...)
	}
	w.fields[i] = fields
	return i, nil
}

// holds says whether a struct has anything to do with when it travels.
func (w *wires) holds(t *typ) bool {
	return slices.ContainsFunc(t.members, func(m decl) bool {
		if m.stars > 0 || w.dispatchable(m.typ) || dropped[t.name+"."+m.name] != 0 {
			return true
		}
		x := w.g.r.resolve(m.typ)
		return x != nil && (x.category == "struct" || x.category == "union") && w.holds(x)
	})
}

func (w *wires) dispatchable(name string) bool {
	t := w.g.r.resolve(name)
	return t != nil && t.category == "handle" && !strings.Contains(t.node.content(), "NON_DISPATCHABLE")
}

// member makes the fields of a member, none if it is but numbers.
func (w *wires) member(owner string, m decl, offset int, siblings []decl, offsets []int) ([]wireField, error) {
	note := owner + "." + m.name
	if kind := dropped[note]; kind != 0 {
		return []wireField{{offset: offset, kind: kind, out: kind == wireTexels && !strings.HasPrefix(m.c, "const "), note: m.name}}, nil
	}
	t := w.g.r.resolve(m.typ)
	if m.stars == 0 {
		count, err := m.count()
		switch {
		case err != nil:
			return nil, err
		case w.dispatchable(m.typ):
			return []wireField{{offset: offset, kind: wireHandle, count: count, note: m.name}}, nil
		case t == nil || !w.holds(t):
			return nil, nil
		case t.category == "union":
			return w.union(m, t, offset, siblings, offsets)
		case t.category == "struct":
			i, err := w.typ(t)
			return []wireField{{offset: offset, kind: wireInline, arg: i, count: count, note: m.name}}, err
		}
		return nil, nil
	}
	if m.typ == "VkAllocationCallbacks" {
		return []wireField{{offset: offset, kind: wireDrop, note: m.name}}, nil
	}
	f := wireField{offset: offset, out: !strings.HasPrefix(m.c, "const "), note: m.name}
	switch onlyIf[note] {
	case "":
	case "pumice_is_image_descriptor(p->descriptorType)":
		f.cond = onlyIfImage
	case "pumice_is_buffer_descriptor(p->descriptorType)":
		f.cond = onlyIfBuffer
	case "pumice_is_texel_descriptor(p->descriptorType)":
		f.cond = onlyIfTexel
	default:
		return nil, fmt.Errorf("an unknown condition")
	}
	if f.cond != always {
		f.ifAt = offsets[slices.IndexFunc(siblings, func(d decl) bool { return d.name == "descriptorType" })]
	}
	if m.len == "null-terminated" {
		f.kind = wireText
		return []wireField{f}, nil
	}
	if m.len != "" {
		if err := w.length(&f, strings.Split(m.len, ",")[0], siblings, offsets); err != nil {
			return nil, err
		}
	}
	if strided[note] {
		f.stride = offsets[slices.IndexFunc(siblings, func(d decl) bool { return d.name == "stride" })]
	}
	switch {
	case strings.HasSuffix(m.len, ",null-terminated"):
		f.kind = wireTexts
	case m.stars == 2 && m.len == "" && m.typ == "void": // ppData
		f.kind, f.arg = wireBytes, 8
	case m.stars > 1:
		return nil, fmt.Errorf("a pointer to pointers")
	case m.typ == "void" && m.len == "" || opaque[m.typ] && m.typ != "void": // a number to the helper
		return nil, nil
	case owner == "vkCmdSetCheckpointNV":
		return nil, nil
	case m.typ == "void" || m.typ == "char":
		f.kind, f.arg = wireBytes, 1
	case m.typ == "pumice_wait":
		f.kind, f.arg = wireWait, 32
	case w.dispatchable(m.typ):
		f.kind = wireHandles
	case t != nil && t.category == "struct" && w.holds(t):
		i, err := w.typ(t)
		if err != nil {
			return nil, err
		}
		f.kind, f.arg = wireStruct, i
	default:
		size, _, err := w.g.r.extent(m.typ)
		if err != nil {
			return nil, err
		}
		f.kind, f.arg = wireBytes, size
	}
	return []wireField{f}, nil
}

// union makes the fields of a union's members, each on the condition that selects it.
func (w *wires) union(m decl, t *typ, offset int, siblings []decl, offsets []int) ([]wireField, error) {
	if m.selector == "" { // VkDeviceOrHostAddressKHR: an address of the device
		return nil, nil
	}
	selector := slices.IndexFunc(siblings, func(d decl) bool { return d.name == m.selector })
	if selector < 0 {
		return nil, fmt.Errorf("no selector %s", m.selector)
	}
	var out []wireField
	for _, u := range t.members {
		fields, err := w.member(t.name, u, offset, siblings, offsets)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if len(u.selected) == 0 || f.cond != always {
				return nil, fmt.Errorf("%s has no selection", u.name)
			}
			for _, s := range u.selected {
				v, ok := w.g.r.values[s]
				if !ok {
					continue // of an extension that is not taken
				}
				f.cond, f.ifAt, f.value = onlyIfIs, offsets[selector], v
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// length fills in the length of an array.
func (w *wires) length(f *wireField, text string, siblings []decl, offsets []int) error {
	f.div = 1
	switch {
	case strings.HasSuffix(text, " / 4"):
		text, f.div = strings.TrimSuffix(text, " / 4"), 4
	case strings.HasSuffix(text, " + 31) / 32"):
		text, f.div = strings.TrimPrefix(strings.TrimSuffix(text, " + 31) / 32"), "("), 32
	}
	name, via, isVia := strings.Cut(text, "->")
	i := slices.IndexFunc(siblings, func(d decl) bool { return d.name == name })
	if i < 0 {
		if _, err := fmt.Sscan(name, &f.at); err == nil && !isVia { // an array of fixed length
			f.arg, f.length = 0, lengthOne
			f.count = f.at
			return nil
		}
		return fmt.Errorf("no member %s for the length", name)
	}
	f.at = offsets[i]
	count := siblings[i]
	if isVia {
		t := w.g.r.resolve(count.typ)
		of, _, _, err := w.g.r.layout(t.members, false)
		if err != nil {
			return err
		}
		j := slices.IndexFunc(t.members, func(d decl) bool { return d.name == via })
		if j < 0 || t.members[j].stars > 0 {
			return fmt.Errorf("no member %s for the length", via)
		}
		f.length, f.via = lengthVia4, of[j]
		return nil
	}
	size, _, err := w.g.r.extent(count.typ)
	if err != nil {
		return err
	}
	switch {
	case size == 4 && count.stars == 0:
		f.length = length4
	case size == 8 && count.stars == 0:
		f.length = length8
	case size == 4 && count.stars == 1:
		f.length = lengthTo4
	case size == 8 && count.stars == 1:
		f.length = lengthTo8
	default:
		return fmt.Errorf("a length of %d bytes", size)
	}
	return nil
}

// write writes both tables.
func (w *wires) write(ops []int, results []wireResult) {
	c := w.g.file("isolate/wire_gen.h", "")
	b := w.g.file("internal/wire/tables_gen.go", "package wire\n\nvar types = [...]Type{\n")
	fmt.Fprintf(c, "static const struct wire_type wire_types[] = {\n")
	first := 0
	for i := range w.names {
		n := len(w.fields[i])
		fmt.Fprintf(b, "\t{%d, %d, %d, %d}, // %d %s\n", w.sizes[i], first, n, w.types[i], i, w.names[i])
		fmt.Fprintf(c, "\t{%d, %d, %d, %d},\n", w.sizes[i], first, n, w.types[i])
		first += n
	}
	b.WriteString("}\n\nvar fields = [...]Field{\n")
	c.WriteString("};\n\nstatic const struct wire_field wire_fields[] = {\n")
	bit := map[bool]int{true: 1}
	for i := range w.names {
		for _, f := range w.fields[i] {
			if f.div == 0 {
				f.div = 1
			}
			row := fmt.Sprintf("{%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d}", f.value, f.offset, f.arg, f.at, f.via, f.ifAt, f.stride, max(f.count, 1), f.kind, bit[f.out], f.length, f.div, f.cond)
			fmt.Fprintf(b, "\t%s, // %s.%s\n", row, w.names[i], f.note)
			fmt.Fprintf(c, "\t%s,\n", row)
		}
	}
	b.WriteString("}\n\n// ofOps has the type of each command's arguments, or record.\nvar ofOps = [...]uint16{")
	c.WriteString("};\n\n/* the type of each command's arguments */\nstatic const uint16_t wire_of_ops[] = {")
	for i, t := range ops {
		if i%16 == 0 {
			b.WriteString("\n\t")
			c.WriteString("\n\t")
		}
		fmt.Fprintf(b, "%d, ", t)
		fmt.Fprintf(c, "%d, ", t)
	}
	b.WriteString("\n}\n")
	c.WriteString("\n};\n\n/* where in them stands what the command returns, or -1, of how many bytes, and whether that is a VkResult */\n" +
		"static const struct wire_result wire_results[] = {")
	for i, r := range results {
		if i%16 == 0 {
			c.WriteString("\n\t")
		}
		fmt.Fprintf(c, "{%d, %d, %d}, ", r.at, r.bytes, bit[r.code])
	}
	c.WriteString("\n};\n\n/* types that may stand in a chain, by their sType */\nstatic const struct wire_chained wire_chained[] = {\n")
	var chained []int
	for i, v := range w.types {
		if v >= 0 {
			chained = append(chained, i)
		}
	}
	slices.SortFunc(chained, func(a, b int) int { return int(w.types[a] - w.types[b]) })
	for _, i := range chained {
		fmt.Fprintf(c, "\t{%d, %d},\n", w.types[i], i)
	}
	c.WriteString("};\n")
	o := w.g.file("isolate/ops_gen.h", "/* The numbers of commands that the front knows by name. */\nenum {\n")
	for _, cmd := range w.g.r.all() {
		if !cmd.recorded() {
			fmt.Fprintf(o, "\tPUMICE_OP_%s = %d,\n", short(cmd.name), cmd.op)
		}
	}
	o.WriteString("};\n")
	w.lookups()
}

// lookups writes the names of all entry points, one behind the other in the order of package abi, and their commands.
func (w *wires) lookups() {
	h := w.g.file("isolate/names_gen.h", "static const char entry_names[] =\n")
	at, starts, ops := 0, []string{}, []string{}
	for _, n := range w.g.r.names {
		fmt.Fprintf(h, "\t\"%s\\0\"\n", n)
		starts = append(starts, fmt.Sprint(at))
		ops = append(ops, fmt.Sprint(w.g.r.target(n).op))
		at += len(n) + 1
	}
	fmt.Fprintf(h, "\t;\n\nenum { ENTRY_NAMES = %d };\n\n", len(starts))
	for _, table := range []struct {
		c      string
		values []string
	}{{"uint16_t entry_starts", starts}, {"uint16_t entry_ops", ops}} {
		fmt.Fprintf(h, "static const %s[] = {", table.c)
		for i, v := range table.values {
			if i%16 == 0 {
				h.WriteString("\n\t")
			}
			h.WriteString(v + ", ")
		}
		h.WriteString("\n};\n\n")
	}
}
