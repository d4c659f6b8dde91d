package shader

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// unknownLanguage is a source language of SPIR-V. There is a number for WGSL, which validators
// before 2024 refuse.
const unknownLanguage = 0

// withLines returns a module with the lines of its source, or as it is where marks do not lead to
// them. source is what naga was given, of the lines of original; compile makes a module as that of
// code was made.
func withLines(code []byte, file, source, original string,
	compile func(source string) ([]byte, error)) []byte {
	marks := markWGSL(source)
	if len(marks.marks) == 0 {
		return code
	}
	marked, err := compile(marks.marked())
	if err != nil {
		return code
	}
	l := lineWriter{
		marks: marks, plain: wordsOf(code), marked: wordsOf(marked), named: map[uint32]string{},
	}
	if len(l.plain) < 5 || len(l.marked) < 5 || !l.find() || !l.body() {
		return code
	}
	words := l.write(file, original)
	if len(words) > spirv.MaxWords {
		return code
	}
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

func wordsOf(code []byte) []uint32 {
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return words
}

// lineWriter puts lines into the functions of a module.
type lineWriter struct {
	marks         *wgslMarks
	plain, marked []uint32
	variable      uint32            // that the marks are stored to
	numbers       map[uint32]uint32 // constants of the marked module
	named         map[uint32]string // values of the plain module
	names         map[uint32]string // that the plain module has
	functions     []uint32          // the plain ones with lines, as words

	file uint32 // <id> of the file's name
}

// find looks for the marks' variable and the numbers that may be stored to it.
func (l *lineWriter) find() bool {
	l.numbers, l.names = map[uint32]uint32{}, map[uint32]string{}
	for in := range instructions(l.plain[5:]) {
		if spirv.Op(in[0]&0xFFFF) == spirv.OpName && len(in) > 2 {
			l.names[in[1]], _ = wordsText(in[2:])
		}
	}
	for in := range instructions(l.marked[5:]) {
		switch spirv.Op(in[0] & 0xFFFF) {
		case spirv.OpName:
			if name, _ := wordsText(in[2:]); name == l.marks.variable {
				l.variable = in[1]
			}
		case spirv.OpConstant:
			if len(in) == 4 {
				l.numbers[in[2]] = in[3]
			}
		}
	}
	return l.variable != 0
}

// inFunctions are the instructions from the first function on.
func inFunctions(words []uint32) (list [][]uint32) {
	begun := false
	for in := range instructions(words[5:]) {
		if begun = begun || spirv.Op(in[0]&0xFFFF) == spirv.OpFunction; begun {
			list = append(list, in)
		}
	}
	return list
}

// body goes through the functions of both modules side by side. They have the same instructions in
// the same order but for the marks; it is false where they have not.
func (l *lineWriter) body() bool {
	l.file = l.plain[3]
	plain, marked := inFunctions(l.plain), inFunctions(l.marked)
	var (
		at      wgslMark                // where the source is; line 0: not known
		inherit = map[uint32]wgslMark{} // of blocks that a construct leads to
		value   uint32                  // the last one since a mark
		said    wgslMark                // the line that was written last in this block
		vars    []wgslMark              // of the function that are still to come
	)
	next := func() (mark wgslMark, ok bool) {
		in := marked[0]
		if spirv.Op(in[0]&0xFFFF) != spirv.OpStore || in[1] != l.variable {
			return mark, false
		}
		n, known := l.numbers[in[2]]
		if !known || n >= uint32(len(l.marks.marks)) {
			return mark, false
		}
		return l.marks.marks[n], true
	}
	for _, in := range plain {
		for len(marked) > 0 {
			mark, ok := next()
			if !ok {
				break
			}
			if mark.name != "" && value != 0 {
				l.named[value] = mark.name
			}
			at, value, marked = mark, 0, marked[1:]
		}
		if len(marked) == 0 || marked[0][0] != in[0] {
			return false
		}
		op := spirv.Op(in[0] & 0xFFFF)
		switch op {
		case spirv.OpFunction:
			at, said = l.begins(marked), wgslMark{}
			vars = slices.DeleteFunc(slices.Clone(l.marks.variables),
				func(m wgslMark) bool { return m.function != at.function })
			clear(inherit)
			if at.line != 0 {
				l.line(at) // of the parameters
			}
		case spirv.OpFunctionParameter, spirv.OpFunctionEnd:
		case spirv.OpVariable: // in the order of the source
			name := l.names[in[2]]
			k := slices.IndexFunc(vars, func(m wgslMark) bool { return m.name == name })
			if k >= 0 && len(in) > 4 {
				l.line(vars[k])
			} else if len(in) > 4 {
				l.functions = append(l.functions, 1<<16|uint32(spirv.OpNoLine))
			}
			vars = vars[k+1:]
		case spirv.OpLabel:
			said = wgslMark{}
			if from, ok := inherit[in[1]]; ok {
				at = from
			}
		default:
			if (said.line != at.line || said.column != at.column) && at.line != 0 {
				l.line(at)
				said = at
			}
			switch op {
			case spirv.OpSelectionMerge:
				inherit[in[1]] = at
			case spirv.OpLoopMerge:
				inherit[in[1]], inherit[in[2]] = at, at
			case spirv.OpAccessChain:
			default:
				if hasResult(op) && len(in) > 2 {
					value = in[2]
				}
			}
		}
		l.functions = append(l.functions, in...)
		marked = marked[1:]
	}
	return len(marked) == 0
}

func (l *lineWriter) line(at wgslMark) {
	l.functions = append(l.functions,
		4<<16|uint32(spirv.OpLine), l.file, uint32(at.line), uint32(at.column))
}

// hasResult says that an instruction of a function, as naga writes them, has a result with a type.
func hasResult(op spirv.Op) bool {
	switch op {
	case spirv.OpStore, spirv.OpImageWrite, spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch,
		spirv.OpReturn, spirv.OpReturnValue, spirv.OpKill, spirv.OpUnreachable, spirv.OpControlBarrier,
		spirv.OpMemoryBarrier, spirv.OpAtomicStore, spirv.OpLine, spirv.OpNoLine,
		spirv.OpTerminateInvocation:
		return false
	}
	return true
}

// begins is where the function begins whose instructions come first: that of its first mark.
func (l *lineWriter) begins(list [][]uint32) wgslMark {
	for _, in := range list {
		switch op := spirv.Op(in[0] & 0xFFFF); {
		case op == spirv.OpFunctionEnd:
			return wgslMark{function: -1}
		case op == spirv.OpStore && in[1] == l.variable:
			if n, ok := l.numbers[in[2]]; ok && n < uint32(len(l.marks.marks)) {
				f := l.marks.marks[n].function
				at := l.marks.functions[f]
				at.function = f
				return at
			}
		}
	}
	return wgslMark{}
}

// write is the module with its lines, the source and the names of values.
func (l *lineWriter) write(file, source string) []uint32 {
	out := slices.Clone(l.plain[:5])
	out[3]++
	emit := func(op spirv.Op, operands ...uint32) {
		out = append(append(out, uint32(len(operands)+1)<<16|uint32(op)), operands...)
	}
	debug := func() {
		emit(spirv.OpString, append([]uint32{l.file}, textWords(file)...)...)
		const most = 60000 * 4 // bytes that an instruction holds
		n := min(most, len(source))
		emit(spirv.OpSource, append([]uint32{unknownLanguage, 0, l.file}, textWords(source[:n])...)...)
		for source = source[n:]; source != ""; source = source[n:] {
			n = min(most, len(source))
			emit(spirv.OpSourceContinued, textWords(source[:n])...)
		}
	}
	named := func() {
		for _, id := range slices.Sorted(maps.Keys(l.named)) {
			emit(spirv.OpName, append([]uint32{id}, textWords(l.named[id])...)...)
		}
	}
	step := 0
	for in := range instructions(l.plain[5:]) {
		op := spirv.Op(in[0] & 0xFFFF)
		if op == spirv.OpFunction {
			break
		}
		if step == 0 &&
			(op == spirv.OpString || op == spirv.OpName || op == spirv.OpMemberName || afterNames(op)) {
			debug()
			step++
		}
		if step == 1 && afterNames(op) {
			named()
			step++
		}
		out = append(out, in...)
	}
	return append(out, l.functions...)
}

// afterNames says that no names come behind an instruction of a module that naga writes.
func afterNames(op spirv.Op) bool {
	switch op {
	case spirv.OpCapability, spirv.OpExtension, spirv.OpExtInstImport, spirv.OpMemoryModel,
		spirv.OpEntryPoint, spirv.OpExecutionMode, spirv.OpString, spirv.OpSource, spirv.OpName, spirv.OpMemberName:
		return false
	}
	return true
}

// textWords is a string as SPIR-V has them.
func textWords(s string) []uint32 {
	words := make([]uint32, len(s)/4+1)
	for i := range len(s) {
		words[i/4] |= uint32(s[i]) << (8 * (i % 4))
	}
	return words
}
