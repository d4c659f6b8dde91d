package shader

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// errSpecialize says that a module is not what specialize takes.
var errSpecialize = errors.New("not what naga writes of overrides")

// specialize makes specialization constants of the variables that stand for overrides in a module: their
// initializers are the values that they begin with, and what loads them copies the constants. Arguments of
// @workgroup_size become a constant that is the workgroup's size.
func (m *wgslModule) specialize(code []byte) ([]byte, error) {
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	if len(words) < 5 {
		return nil, errSpecialize
	}
	s := specializer{module: m, next: words[3], constants: map[uint32][]uint32{}, pointees: map[uint32]uint32{}, variables: map[uint32]*override{}, bools: map[uint32]bool{}}
	if !s.scan(words[5:]) {
		return nil, errSpecialize
	}
	s.out = slices.Clone(words[:5])
	s.rewrite(words[5:])
	s.out[3] = s.next
	out := make([]byte, 0, 4*len(s.out))
	for _, w := range s.out {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out, nil
}

type specializer struct {
	module    *wgslModule
	constants map[uint32][]uint32 // instructions by result
	pointees  map[uint32]uint32
	variables map[uint32]*override
	bools     map[uint32]bool // types
	uint      uint32          // OpTypeInt 32 0
	size      [3]uint32       // LocalSize
	next      uint32
	out       []uint32
}

// scan finds the variables, and says whether all overrides that change have one that can become a constant.
func (s *specializer) scan(words []uint32) bool {
	named := map[string]*override{}
	for _, o := range s.module.overrides {
		if o.changes() {
			named[o.name] = o
		}
	}
	names := map[uint32]*override{}
	found := map[*override]bool{}
	for in := range instructions(words) {
		switch spirv.Op(in[0] & 0xFFFF) {
		case spirv.OpName:
			if text, _ := wordsText(in[2:]); named[text] != nil {
				names[in[1]] = named[text]
			}
		case spirv.OpExecutionMode:
			if spirv.ExecutionMode(in[2]) == spirv.ExecutionModeLocalSize && len(in) == 6 {
				s.size = [3]uint32(in[3:6])
			}
		case spirv.OpTypeBool:
			s.bools[in[1]] = true
		case spirv.OpTypeInt:
			if in[2] == 32 && in[3] == 0 {
				s.uint = in[1]
			}
		case spirv.OpTypePointer:
			s.pointees[in[1]] = in[3]
		case spirv.OpConstant, spirv.OpConstantTrue, spirv.OpConstantFalse, spirv.OpConstantNull:
			s.constants[in[2]] = in
		case spirv.OpVariable:
			o := names[in[2]]
			if o == nil || spirv.StorageClass(in[3]) != spirv.StorageClassPrivate {
				continue
			}
			if len(in) < 5 || s.constants[in[4]] == nil || found[o] {
				return false
			}
			s.variables[in[2]], found[o] = o, true
		case spirv.OpFunction:
			return len(found) == len(named)
		}
	}
	return len(found) == len(named)
}

// wordsText is a string in words, and how many words it takes.
func wordsText(words []uint32) (string, int) {
	var b []byte
	for n, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b), n + 1
			}
			b = append(b, byte(w))
			w >>= 8
		}
	}
	return string(b), len(words)
}

func (s *specializer) emit(op spirv.Op, operands ...uint32) {
	s.out = append(append(s.out, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

func (s *specializer) id() uint32 {
	s.next++
	return s.next - 1
}

// rewrite writes what becomes of the module.
func (s *specializer) rewrite(words []uint32) {
	decorated, functions := false, false
	group := uint32(0) // the workgroup's size
	sizes := s.sizes()
	if len(sizes) > 0 {
		group = s.id()
	}
	for in := range instructions(words) {
		op := spirv.Op(in[0] & 0xFFFF)
		if isType := op >= spirv.OpTypeVoid && op <= spirv.OpTypeFunction; isType && !decorated {
			decorated = true
			for in := range instructions(words) { // in the order of the module
				if o := s.variables[in[min(2, len(in)-1)]]; o != nil && spirv.Op(in[0]&0xFFFF) == spirv.OpVariable {
					s.emit(spirv.OpDecorate, in[2], uint32(spirv.DecorationSpecId), o.id)
				}
			}
			if group != 0 {
				s.emit(spirv.OpDecorate, group, uint32(spirv.DecorationBuiltIn), uint32(spirv.BuiltInWorkgroupSize))
			}
		}
		if op == spirv.OpFunction && !functions {
			functions = true
			if group != 0 {
				s.groupSize(group, sizes, words)
			}
		}
		switch {
		case op == spirv.OpEntryPoint: // from SPIR-V 1.4 on it lists variables of all classes
			_, n := wordsText(in[3:])
			list := slices.DeleteFunc(slices.Clone(in[3+n:]), func(id uint32) bool { return s.variables[id] != nil })
			s.emit(op, append(slices.Clone(in[1:3+n]), list...)...)
		case op == spirv.OpVariable && s.variables[in[2]] != nil:
			t, value := s.pointees[in[1]], s.constants[in[4]]
			switch is := spirv.Op(value[0] & 0xFFFF); {
			case s.bools[t] && is == spirv.OpConstantTrue:
				s.emit(spirv.OpSpecConstantTrue, t, in[2])
			case s.bools[t]:
				s.emit(spirv.OpSpecConstantFalse, t, in[2])
			case is == spirv.OpConstant:
				s.emit(spirv.OpSpecConstant, t, in[2], value[3])
			default: // null
				s.emit(spirv.OpSpecConstant, t, in[2], 0)
			}
		case op == spirv.OpLoad && s.variables[in[3]] != nil:
			s.emit(spirv.OpCopyObject, in[1], in[2], in[3])
		default:
			s.out = append(s.out, in...)
		}
	}
}

// sizes are the overrides that are the workgroup's size, by axis.
func (s *specializer) sizes() map[int]uint32 {
	list := map[int]uint32{}
	for _, use := range s.module.sizes {
		for id, o := range s.variables {
			if o == use.override {
				list[use.axis] = id
			}
		}
	}
	return list
}

// groupSize declares the workgroup's size of overrides and of what the execution mode has in other axes.
func (s *specializer) groupSize(group uint32, sizes map[int]uint32, words []uint32) {
	if s.uint == 0 {
		s.uint = s.id()
		s.emit(spirv.OpTypeInt, s.uint, 32, 0)
	}
	vector := uint32(0)
	for in := range instructions(words) {
		if spirv.Op(in[0]&0xFFFF) == spirv.OpTypeVector && in[2] == s.uint && in[3] == 3 {
			vector = in[1]
		}
	}
	if vector == 0 {
		vector = s.id()
		s.emit(spirv.OpTypeVector, vector, s.uint, 3)
	}
	zero := uint32(0)
	var axes [3]uint32
	for axis := range axes {
		id := sizes[axis]
		switch {
		case id == 0:
			axes[axis] = s.id()
			s.emit(spirv.OpConstant, s.uint, axes[axis], s.size[axis])
		case s.variables[id].scalar == "u32":
			axes[axis] = id
		default: // the same bits, of another type
			if zero == 0 {
				zero = s.id()
				s.emit(spirv.OpConstant, s.uint, zero, 0)
			}
			axes[axis] = s.id()
			s.emit(spirv.OpSpecConstantOp, s.uint, axes[axis], uint32(spirv.OpIAdd), id, zero)
		}
	}
	s.emit(spirv.OpSpecConstantComposite, vector, group, axes[0], axes[1], axes[2])
}
