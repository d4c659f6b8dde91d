package core

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// spirvWords makes words of code; a rest of bytes is left out.
func spirvWords(code []byte) []uint32 {
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	return words
}

func spirvBytes(words []uint32) (code []byte) {
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// instructions are where the instructions of a module begin, all of them and those that
// say most about memory.
type instructions struct{ all, constants, decorations, types, images, access []int }

func findInstructions(words []uint32) (found instructions) {
	for i := 5; i < len(words); i += max(1, int(words[i]>>16)) {
		if n := int(words[i] >> 16); n == 0 || n > len(words)-i {
			return found
		}
		found.all = append(found.all, i)
		switch op := spirv.Op(words[i]); {
		case op == spirv.OpConstant || op == spirv.OpSpecConstant:
			found.constants = append(found.constants, i)
		case op == spirv.OpDecorate || op == spirv.OpMemberDecorate || op == spirv.OpExecutionMode:
			found.decorations = append(found.decorations, i)
		case op >= spirv.OpTypeVoid && op <= spirv.OpTypeFunction:
			found.types = append(found.types, i)
		case op >= spirv.OpSampledImage && op <= spirv.OpImageQuerySamples || op == spirv.OpImageTexelPointer:
			found.images = append(found.images, i)
		case op == spirv.OpAccessChain || op == spirv.OpLoad || op == spirv.OpStore || op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor:
			found.access = append(found.access, i)
		}
	}
	return found
}

// mutateSPIRV changes a few words of a module so that most results still parse: ids
// become other ids, literals other literals, instructions others of the same length.
func mutateSPIRV(words []uint32, f *feed) []uint32 {
	for range f.below(6) {
		at := findInstructions(words)
		if len(at.all) == 0 {
			return words
		}
		in := func(list []int) (first, n int) {
			if len(list) == 0 {
				list = at.all
			}
			first = list[f.below(len(list))]
			return first, int(words[first] >> 16)
		}
		operand := func(first, n int) *uint32 { return &words[first+min(n-1, 1+f.below(n))] }
		other := func() uint32 { // a word that means something in this module
			i, n := in(at.all)
			return *operand(i, n)
		}
		switch f.below(10) {
		case 0: // a constant
			i, n := in(at.constants)
			words[i+n-1] = uint32(f.number())
		case 1: // an offset, stride, binding, size of a workgroup
			i, n := in(at.decorations)
			words[i+n-1] = uint32(f.number())
		case 2: // an operand of a type
			i, n := in(at.types)
			*operand(i, n) = uint32(f.byte())
		case 3: // another type of the module in a type
			i, n := in(at.types)
			*operand(i, n) = other()
		case 4:
			i, n := in(at.images)
			*operand(i, n) = other()
		case 5: // image operands and memory operands
			i, n := in(choose(f, at.images, at.access))
			words[i+n-1] = uint32(f.byte())
		case 6:
			i, n := in(at.access)
			*operand(i, n) = other()
		case 7: // another instruction of the same length
			i, n := in(at.all)
			j, m := in(at.all)
			if n == m {
				words[i] = words[j]
			} else {
				*operand(i, n) = other()
			}
		case 8: // an instruction less
			i, n := in(at.all)
			words = append(append([]uint32(nil), words[:i]...), words[i+n:]...)
		default:
			i, n := in(at.all)
			*operand(i, n) = uint32(f.number())
		}
	}
	return words
}
