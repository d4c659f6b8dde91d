package spirv

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

//go:generate go run ./_gen

// Op is an instruction opcode.
type Op uint16

// opInfo describes an instruction: its name and the layout of its operands.
//
// A layout is a string of operand letters, each perhaps followed by '?'
// (optional) or '*' (any number):
//
//	T result type   R result id   I id              L literal word
//	S string        N literal of the result type's width (the rest)
//	X extended instruction        O opcode of a specialization operation
//	E enumerant     M memory access mask with its operands
//	G image operands mask with its operands
//	D decoration or W execution mode with its operands
//	C loop control with its literals
//	a to q other enumerants, by kind
//	P literal, id   Q id, literal V id, id
type opInfo struct {
	op     Op
	name   string
	layout string
}

func lookupOp(op Op) *opInfo {
	i := sort.Search(len(opTable), func(i int) bool { return opTable[i].op >= op })
	if i < len(opTable) && opTable[i].op == op {
		return &opTable[i]
	}
	return nil
}

// String gives the name of the specification, such as "OpIAdd".
func (op Op) String() string {
	if info := lookupOp(op); info != nil {
		return info.name
	}
	if s := nameIn(vendorOps, uint32(op)); !strings.HasPrefix(s, "#") {
		return s
	}
	return fmt.Sprintf("Op#%d", uint16(op))
}

// nameIn finds value in a generated "value:name value:name " list. It runs
// only when a message is made.
func nameIn(list string, value uint32) string {
	key := strconv.FormatUint(uint64(value), 10) + ":"
	for len(list) > 0 {
		field, rest, _ := strings.Cut(list, " ")
		if name, ok := strings.CutPrefix(field, key); ok {
			return name
		}
		list = rest
	}
	return "#" + strconv.FormatUint(uint64(value), 10)
}
