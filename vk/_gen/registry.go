package main

import (
	"fmt"
	"math/bits"
	"sort"
	"strconv"
	"strings"
)

// value is one named value of an enum or bitmask type.
type value struct {
	name  string // the C identifier
	v     int64  // two's complement for 64-bit bitmasks
	alias string // the C identifier that this one repeats, or ""
}

// enumType is an enum or bitmask type with all its values, those that extensions add included.
type enumType struct {
	name    string // the C name
	flags   bool
	width   int // 32 or 64
	values  []value
	byName  map[string]int
	pending []value // aliases whose target may come later in the file
}

// typeDef is a <type> element of the registry.
type typeDef struct {
	name, category, alias string
	node                  *node
}

// registry is what the generator needs of vk.xml, restricted to the API "vulkan".
type registry struct {
	root      *node
	tags      map[string]bool
	types     map[string]*typeDef
	typeOrder []string
	enums     map[string]*enumType
	enumOrder []string
	constants []*node
	required  map[string]string // type name to where it is required: "core" or an extension's name
}

// load builds the registry from its XML tree.
func load(root *node) (*registry, error) {
	r := &registry{root: root, tags: map[string]bool{}, types: map[string]*typeDef{}, enums: map[string]*enumType{}, required: map[string]string{}}
	for _, g := range root.all("tags") {
		for _, t := range g.all("tag") {
			r.tags[t.name()] = true
		}
	}
	for _, g := range root.all("types") {
		for _, t := range g.all("type") {
			r.addType(t)
		}
	}
	for _, g := range root.all("enums") {
		if err := r.addEnums(g); err != nil {
			return nil, err
		}
	}
	for _, f := range root.all("feature") {
		if f.forVulkan("api") {
			if err := r.addRequires(f, "core", 0); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range root.all("extensions") {
		for _, x := range g.all("extension") {
			if !x.forVulkan("supported") {
				continue
			}
			number, err := strconv.Atoi(x.attrs["number"])
			if err != nil {
				return nil, fmt.Errorf("extension %s: number: %w", x.name(), err)
			}
			if err := r.addRequires(x, x.name(), number); err != nil {
				return nil, err
			}
		}
	}
	return r, r.resolveAliases()
}

func (r *registry) addType(t *node) {
	n := t.name()
	if n == "" || !t.forVulkan("api") || r.types[n] != nil {
		return
	}
	r.types[n] = &typeDef{name: n, category: t.attrs["category"], alias: t.attrs["alias"], node: t}
	r.typeOrder = append(r.typeOrder, n)
}

func (r *registry) addEnums(g *node) error {
	switch g.attrs["type"] {
	case "constants":
		r.constants = append(r.constants, g.all("enum")...)
		return nil
	case "enum", "bitmask":
	default:
		return fmt.Errorf("enums %s: unknown type %q", g.name(), g.attrs["type"])
	}
	e := &enumType{name: g.name(), flags: g.attrs["type"] == "bitmask", width: 32, byName: map[string]int{}}
	if g.attrs["bitwidth"] == "64" {
		e.width = 64
	}
	r.enums[e.name] = e
	r.enumOrder = append(r.enumOrder, e.name)
	for _, v := range g.all("enum") {
		if err := e.add(v, 0); err != nil {
			return err
		}
	}
	return nil
}

// addRequires notes the types that a version or an extension brings and adds the values it gives to existing types.
func (r *registry) addRequires(f *node, where string, number int) error {
	for _, req := range f.all("require") {
		if !req.forVulkan("api") {
			continue
		}
		for _, t := range req.all("type") {
			if r.required[t.name()] == "" {
				r.required[t.name()] = where
			}
		}
		for _, v := range req.all("enum") {
			to := v.attrs["extends"]
			if to == "" {
				continue
			}
			e := r.enums[to]
			if e == nil {
				return fmt.Errorf("%s: %s extends %s, which does not exist", where, v.name(), to)
			}
			if err := e.add(v, number); err != nil {
				return err
			}
		}
	}
	return nil
}

// add computes the value of one <enum> element. ext is the number of the extension that holds it, for elements without extnumber.
func (e *enumType) add(n *node, ext int) error {
	name := n.name()
	if !n.forVulkan("api") {
		return nil
	}
	v := value{name: name}
	var err error
	switch {
	case n.attrs["alias"] != "":
		v.alias = n.attrs["alias"]
		e.pending = append(e.pending, v)
		return nil
	case n.attrs["bitpos"] != "":
		var pos int
		pos, err = strconv.Atoi(n.attrs["bitpos"])
		v.v = int64(uint64(1) << (pos & 63))
	case n.attrs["value"] != "":
		v.v, err = parseInt(n.attrs["value"])
	case n.attrs["offset"] != "":
		var offset int
		offset, err = strconv.Atoi(n.attrs["offset"])
		if s := n.attrs["extnumber"]; s != "" && err == nil {
			ext, err = strconv.Atoi(s)
		}
		// Values of extensions start at 10⁹ and take blocks of 1000 (Vulkan style guide, "assigning extension token values").
		v.v = 1_000_000_000 + int64(ext-1)*1000 + int64(offset)
		if n.attrs["dir"] == "-" {
			v.v = -v.v
		}
	default:
		err = fmt.Errorf("no value")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if i, ok := e.byName[name]; ok {
		if e.values[i].v != v.v {
			return fmt.Errorf("%s has two values, %d and %d", name, e.values[i].v, v.v)
		}
		return nil
	}
	e.byName[name] = len(e.values)
	e.values = append(e.values, v)
	return nil
}

// resolveAliases gives aliased values their number and sorts every type by value, the first definition before its aliases.
func (r *registry) resolveAliases() error {
	for _, n := range r.enumOrder {
		e := r.enums[n]
		for len(e.pending) > 0 {
			var rest []value
			for _, v := range e.pending {
				if _, ok := e.byName[v.name]; ok {
					continue
				}
				i, ok := e.byName[v.alias]
				if !ok {
					rest = append(rest, v)
					continue
				}
				v.v = e.values[i].v
				e.byName[v.name] = len(e.values)
				e.values = append(e.values, v)
			}
			if len(rest) == len(e.pending) {
				return fmt.Errorf("%s: alias of %s, which does not exist", rest[0].name, rest[0].alias)
			}
			e.pending = rest
		}
		sort.SliceStable(e.values, func(i, j int) bool {
			a, b := e.values[i], e.values[j]
			if e.flags && a.v != b.v {
				return uint64(a.v) < uint64(b.v)
			}
			if a.v != b.v {
				return a.v < b.v
			}
			return a.alias == "" && b.alias != ""
		})
	}
	return nil
}

// parseInt reads the integer spellings of the registry: decimal, hexadecimal, with or without U, L and parentheses.
func parseInt(s string) (int64, error) {
	s = strings.TrimRight(strings.Trim(s, "()"), "UL")
	if u, err := strconv.ParseUint(s, 0, 64); err == nil {
		return int64(u), nil
	}
	return strconv.ParseInt(s, 0, 64)
}

// isSingleBit says whether v is a power of two, read as 64 bits.
func isSingleBit(v int64) bool { return bits.OnesCount64(uint64(v)) == 1 }
