package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// assembler writes compute modules word by word.
type assembler struct {
	words []uint32
	next  uint32
}

// <id>s that every module begins with.
const (
	idMain = iota + 1
	idVoid
	idFn
	idUint
	idBool
	idTrue
	idOne
	idFirstFree
)

func newAssembler() *assembler {
	a := &assembler{words: []uint32{spirv.Magic, 0x00010300, 0, 0, 0}, next: idFirstFree}
	a.op(spirv.OpCapability, uint32(spirv.CapabilityShader))
	a.op(spirv.OpMemoryModel, 0, 1)
	a.op(spirv.OpEntryPoint, uint32(spirv.ExecutionModelGLCompute), idMain, 0x6E69616D, 0)
	a.op(spirv.OpExecutionMode, idMain, uint32(spirv.ExecutionModeLocalSize), 1, 1, 1)
	a.op(spirv.OpTypeVoid, idVoid)
	a.op(spirv.OpTypeFunction, idFn, idVoid)
	a.op(spirv.OpTypeInt, idUint, 32, 0)
	a.op(spirv.OpTypeBool, idBool)
	a.op(spirv.OpConstantTrue, idBool, idTrue)
	a.op(spirv.OpConstant, idUint, idOne, 1)
	return a
}

func (a *assembler) op(op spirv.Op, operands ...uint32) {
	a.words = append(append(a.words, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

func (a *assembler) id() uint32 { a.next++; return a.next - 1 }

func (a *assembler) label() { a.op(spirv.OpLabel, a.id()) }

// function writes one that has the given body between its first label and its
// return.
func (a *assembler) function(id uint32, body func()) {
	a.op(spirv.OpFunction, idVoid, id, 0, idFn)
	a.label()
	body()
	a.op(spirv.OpReturn)
	a.op(spirv.OpFunctionEnd)
}

// Modules that ask for more than there is are errors, soon and in little memory.
func TestCompile_Bounded(t *testing.T) {
	nested := func(depth int) func(a *assembler) {
		return func(a *assembler) {
			a.function(idMain, func() {
				merges := make([]uint32, depth)
				for i := range merges {
					then := a.id()
					merges[i] = a.id()
					a.op(spirv.OpSelectionMerge, merges[i], 0)
					a.op(spirv.OpBranchConditional, idTrue, then, merges[i])
					a.op(spirv.OpLabel, then)
				}
				for i := range merges {
					m := merges[len(merges)-1-i]
					a.op(spirv.OpBranch, m)
					a.op(spirv.OpLabel, m)
				}
			})
		}
	}
	arrays := func(length uint32, levels int) func(a *assembler) {
		return func(a *assembler) {
			n, elem := a.id(), uint32(idUint)
			a.op(spirv.OpConstant, idUint, n, length)
			for range levels {
				t := a.id()
				a.op(spirv.OpTypeArray, t, elem, n)
				elem = t
			}
			p, null := a.id(), a.id()
			a.op(spirv.OpTypePointer, p, uint32(spirv.StorageClassFunction), elem)
			a.op(spirv.OpConstantNull, elem, null)
			a.function(idMain, func() {
				v := a.id()
				a.op(spirv.OpVariable, p, v, uint32(spirv.StorageClassFunction))
				a.op(spirv.OpStore, v, null)
			})
		}
	}
	nothing := func(class spirv.StorageClass) func(a *assembler) {
		return func(a *assembler) {
			n, elem, block, p, v := a.id(), a.id(), a.id(), a.id(), a.id()
			end := len(a.words)
			a.op(spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
			a.op(spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
			decorations := slices.Clone(a.words[end:])
			types := slices.Index(a.words, 2<<16|uint32(spirv.OpTypeVoid))
			a.words = slices.Insert(a.words[:end], types, decorations...)
			a.op(spirv.OpConstant, idUint, n, 1<<16)
			a.op(spirv.OpTypeStruct, elem)
			for range 6 {
				t := a.id()
				a.op(spirv.OpTypeArray, t, elem, n)
				elem = t
			}
			a.op(spirv.OpTypeStruct, block, elem)
			a.op(spirv.OpTypePointer, p, uint32(class), block)
			if class != spirv.StorageClassFunction {
				a.op(spirv.OpVariable, p, v, uint32(class))
			}
			a.function(idMain, func() {
				if class == spirv.StorageClassFunction {
					a.op(spirv.OpVariable, p, v, uint32(class))
				}
				a.op(spirv.OpLoad, block, a.id(), v)
			})
		}
	}
	// A walk of the default's blocks for each case would be cases × blocks steps,
	// more than a program may have.
	switching := func(cases, blocks int) func(a *assembler) {
		return func(a *assembler) {
			a.function(idMain, func() {
				merge, def := a.id(), a.id()
				operands := []uint32{idOne, def}
				first := a.next
				for i := range cases {
					operands = append(operands, uint32(i), a.id())
				}
				a.op(spirv.OpSelectionMerge, merge, 0)
				a.op(spirv.OpSwitch, operands...)
				for i := range cases {
					a.op(spirv.OpLabel, first+uint32(i))
					a.op(spirv.OpBranch, merge)
				}
				for range blocks {
					a.op(spirv.OpLabel, def)
					def = a.id()
					a.op(spirv.OpBranch, def)
				}
				a.op(spirv.OpLabel, def)
				a.op(spirv.OpBranch, merge)
				a.op(spirv.OpLabel, merge)
			})
		}
	}
	copying := func(times int) func(a *assembler) {
		return func(a *assembler) {
			n, array, p, pu := a.id(), a.id(), a.id(), a.id()
			a.op(spirv.OpConstant, idUint, n, 16000)
			a.op(spirv.OpTypeArray, array, idUint, n)
			a.op(spirv.OpTypePointer, p, uint32(spirv.StorageClassFunction), array)
			a.op(spirv.OpTypePointer, pu, uint32(spirv.StorageClassFunction), idUint)
			a.function(idMain, func() {
				v, index := a.id(), a.id()
				a.op(spirv.OpVariable, p, v, uint32(spirv.StorageClassFunction))
				a.op(spirv.OpIAdd, idUint, index, idOne, idOne)
				for range times {
					whole, at := a.id(), a.id()
					a.op(spirv.OpLoad, array, whole, v)
					a.op(spirv.OpAccessChain, pu, at, v, index)
					a.op(spirv.OpStore, at, idOne)
					a.op(spirv.OpStore, v, whole)
				}
			})
		}
	}
	for _, c := range []struct {
		name, says string // "" where it compiles
		make       func(a *assembler)
	}{
		{"many cases beside a long default", "", switching(3000, 800)},
		{"recursion", "recursive", func(a *assembler) {
			f := a.id()
			call := func() { a.op(spirv.OpFunctionCall, idVoid, a.id(), f) }
			a.function(idMain, call)
			a.function(f, call)
		}},
		{"a chain of calls", "deep", func(a *assembler) {
			ids := make([]uint32, 1000)
			for i := range ids {
				ids[i] = a.id()
			}
			a.function(idMain, func() { a.op(spirv.OpFunctionCall, idVoid, a.id(), ids[0]) })
			for i, f := range ids {
				a.function(f, func() {
					if i+1 < len(ids) {
						a.op(spirv.OpFunctionCall, idVoid, a.id(), ids[i+1])
					}
				})
			}
		}},
		{"calls that double", "instructions", func(a *assembler) {
			ids := make([]uint32, 40)
			for i := range ids {
				ids[i] = a.id()
			}
			a.function(idMain, func() { a.op(spirv.OpFunctionCall, idVoid, a.id(), ids[0]) })
			for i, f := range ids {
				a.function(f, func() {
					for range 2 {
						if i+1 < len(ids) {
							a.op(spirv.OpFunctionCall, idVoid, a.id(), ids[i+1])
						}
					}
				})
			}
		}},
		{"nesting that is allowed", "", nested(300)},
		{"nesting", "nest", nested(50000)},
		{"copies of an array that are allowed", "", copying(4)},
		{"copies of an array", "more than 524288 scalars", copying(60)},
		{"a huge array", "65536", arrays(1<<30, 1)},
		{"arrays of arrays", "65536", arrays(1<<16, 6)},
		{"arrays of nothing", "65536", nothing(spirv.StorageClassFunction)},
		{"arrays of nothing pushed", "65536", nothing(spirv.StorageClassPushConstant)},
		{"structures of structures", "nest", func(a *assembler) {
			elem := uint32(idUint)
			for range 3000 {
				s := a.id()
				a.op(spirv.OpTypeStruct, s, elem)
				elem = s
			}
			a.function(idMain, func() {})
		}},
		{"structures that double", "65536", func(a *assembler) {
			elem := uint32(idUint)
			for range 200 {
				s := a.id()
				a.op(spirv.OpTypeStruct, s, elem, elem)
				elem = s
			}
			p := a.id()
			a.op(spirv.OpTypePointer, p, uint32(spirv.StorageClassFunction), elem)
			a.function(idMain, func() {
				v := a.id()
				a.op(spirv.OpVariable, p, v, uint32(spirv.StorageClassFunction))
				a.op(spirv.OpLoad, elem, a.id(), v)
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAssembler()
			c.make(a)
			a.words[3] = a.next
			start := rules.CPU()
			m, err := spirv.Parse(a.words)
			var p *ir.Program
			if err == nil {
				if p, err = lower.Compile(m, "main", lower.Options{}); err == nil {
					ir.Optimize(p)
				}
			}
			if took := rules.CPU() - start; took > time.Minute { // a second or so even under the race detector
				t.Errorf("took %v", took)
			}
			if got := fmt.Sprint(err); c.says == "" != (err == nil) || err != nil && !strings.Contains(got, c.says) {
				t.Errorf("the error is %q, which should say %q", got, c.says)
			}
		})
	}
}
