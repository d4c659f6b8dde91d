package dis

import (
	"strconv"
	"strings"
	"sync"
)

// operand is the kind of an operand; quantifier is '?', '*' or 0.
type operand struct {
	kind       string
	quantifier byte
}

// entry is an instruction or an enumerant with what follows it.
type entry struct {
	name     string
	operands []operand
}

// result reports whether an instruction has a result of a type, which stand before its other operands.
func (e entry) result() bool {
	return len(e.operands) >= 2 && e.operands[0].kind == "IdResultType" && e.operands[1].kind == "IdResult"
}

type kindOf struct {
	mask    bool
	byValue map[uint32]entry
}

type grammar struct {
	ops, glsl map[uint32]entry
	kinds     map[string]kindOf
}

// grammarOf reads the generated lists when the first text is made.
var grammarOf = sync.OnceValue(func() *grammar {
	g := &grammar{ops: map[uint32]entry{}, glsl: map[uint32]entry{}, kinds: map[string]kindOf{}}
	read(instructions, func(string) map[uint32]entry { return g.ops })
	read(glslInstructions, func(string) map[uint32]entry { return g.glsl })
	read(kinds, func(head string) map[uint32]entry {
		k := kindOf{mask: head[0] == '|', byValue: map[uint32]entry{}}
		g.kinds[head[1:]] = k
		return k.byValue
	})
	return g
})

// read puts the lines of a list into the map that into names for the list and
// for each of its headings.
func read(list string, into func(heading string) map[uint32]entry) {
	var m map[uint32]entry
	for line := range strings.Lines(strings.TrimSpace(list)) {
		f := strings.Fields(line)
		if len(f) == 1 {
			m = into(f[0])
			continue
		}
		if m == nil {
			m = into("")
		}
		v, _ := strconv.ParseUint(f[0], 10, 32)
		e := entry{name: f[1]}
		for _, o := range f[2:] {
			kind := strings.TrimRight(o, "?*")
			var q byte
			if kind != o {
				q = o[len(o)-1]
			}
			e.operands = append(e.operands, operand{kind, q})
		}
		m[uint32(v)] = e
	}
}
