package ir

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What the comments of Op and WideOp have of operands and results: a letter each, i I32, f F32, b Bool, w a pair of I32; + of
// Bool or I32, all alike, and = of either, with a Bool as result.
var shapes = map[string][]Op{
	"ii i": {OpIAdd, OpISub, OpIMul, OpIMulHiU, OpIMulHiS, OpIDot16, OpUDiv, OpSDiv, OpURem, OpSRem, OpSMod, OpShl, OpShrU, OpShrS, OpSMin, OpSMax, OpUMin, OpUMax, OpBitFieldMask},
	"i i":  {OpINeg, OpBitCount, OpBitReverse, OpFindLSB, OpFindSMSB, OpFindUMSB}, "iii i": {OpBitFieldU, OpBitFieldS},
	"++ +": {OpAnd, OpOr, OpXor}, "+ +": {OpNot}, "== b": {OpIEq, OpINe}, "ii b": {OpSLt, OpSLe, OpULt, OpULe},
	"ff b": {OpFEq, OpFNe, OpFLt, OpFLe, OpFOrd, OpFUnord}, "f b": {OpFIsNan, OpFIsInf},
	"ff f": {OpFAdd, OpFSub, OpFMul, OpFDiv, OpFMin, OpFMax, OpFRem, OpFPow, OpFAtan2}, "fff f": {OpFma},
	"f f": {OpFNeg, OpFAbs, OpFSign, OpFFloor, OpFCeil, OpFTrunc, OpFRoundEven, OpFSqrt, OpFExp2, OpFLog2, OpFExp, OpFLog, OpFSin, OpFCos, OpFTan, OpFAsin, OpFAcos, OpFAtan,
		OpFSinh, OpFCosh, OpFTanh, OpFAsinh, OpFAcosh, OpFAtanh, OpFInvSqrt, OpFrexpMant, OpQuantize16, OpDdxFine, OpDdyFine, OpDdxCoarse, OpDdyCoarse},
	"fi f": {OpFLdexp}, "f i": {OpFrexpExp, OpF2S, OpF2U, OpF2H}, "i f": {OpS2F, OpU2F, OpH2F},
}

var wideShapes = map[string][]WideOp{
	"ww w":  {WideIAdd, WideISub, WideIMul, WideUDiv, WideSDiv, WideURem, WideSRem, WideSMod, WideFAdd, WideFSub, WideFMul, WideFDiv, WideFRem, WideFMin, WideFMax, WideAddZ64, WideSubZ64, WideMulZ64, WideDivZ64},
	"wi w":  {WideShl, WideShrU, WideShrS, WideLdexp},
	"ww b":  {WideSLt, WideSLe, WideULt, WideULe, WideFEq, WideFNe, WideFLt, WideFLe},
	"www w": {WideFma, WideFmaZ64},
	"w w":   {WideSign, WideFloor, WideCeil, WideTrunc, WideRoundEven, WideSqrt, WideInvSqrt, WideFrexpMant, WideD2L, WideD2UL, WideL2D, WideUL2D, WideSqrtZ64, WideL2DZ, WideUL2DZ, WideFlush64},
	"w i":   {WideFrexpExp, WideD2H, WideD2S, WideD2U, WideD2N}, "w b": {WideIsNan, WideIsInf},
	"w f": {WideD2F, WideL2F, WideUL2F, WideD2FZ, WideL2FZ, WideUL2FZ}, "f w": {WideF2D, WideF2L, WideF2UL}, "i w": {WideS2D, WideU2D},
	"ff f": {WideAddZ, WideSubZ, WideMulZ, WideDivZ}, "fff f": {WideFmaZ}, "f f": {WideSqrtZ, WideQuantizeZ, WideFlush, WideFlush16}, "i f": {WideS2FZ, WideU2FZ},
}

var types = map[byte]Type{'i': I32, 'w': I32, 'f': F32, 'b': Bool}

// The first values of a program: two of each type.
const constants = 6

func constantOf(t Type) Value { return Value(2 * (t - Bool)) }

// judged verifies a program of constants and one instruction behind them.
func judged(t *testing.T, in Inst) error { return Verify(around(t, in, true)) }

// around is that program; the instruction may stand in no block, as passes leave some behind.
func around(t *testing.T, in Inst, stands bool) *Program {
	p := &Program{Name: t.Name(), Stage: StageFragment, SubgroupSize: 4, PushBytes: 16, SharedBytes: 16, PrivateBytes: 16,
		Inputs: []IO{{Type: I32}, {Type: F32}}, Outputs: []IO{{Type: I32}, {Type: F32}}, Vars: []Var{{Type: I32}, {Type: F32}},
		Resources: []Resource{{Kind: UniformBuffer, Count: 1}, {Kind: StorageBuffer, Count: 1}}}
	for k := range constants {
		p.Insts = append(p.Insts, Inst{Op: OpConst, Type: Bool + Type(k/2), Args: [3]Value{NoValue, NoValue, NoValue}})
		p.Body.Stmts = append(p.Body.Stmts, Stmt{Inst: Value(k)})
	}
	p.Insts = append(p.Insts, in, Inst{Op: OpConst, Type: I32, Args: [3]Value{NoValue, NoValue, NoValue}})
	if stands {
		p.Body.Stmts = append(p.Body.Stmts, Stmt{Inst: constants})
	}
	p.Body.Stmts = append(p.Body.Stmts, Stmt{Inst: constants + 1})
	return p
}

// everyOperand takes a good instruction, and changes each operand to one of each other type, and to values that there are not, or
// not yet; and the result.
func everyOperand(t *testing.T, name string, in Inst, list []Type, result Type, operand func(in *Inst, i int) *Value) {
	t.Helper()
	if err := judged(t, in); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i, want := range list {
		for _, bad := range []Value{0, 2, 4, -1, constants, constants + 1, constants + 2, -7, 1000} {
			if bad >= 0 && bad < constants && (want == Void || want == Bool+Type(bad/2)) {
				continue
			}
			changed := in
			changed.More = append([]Value(nil), in.More...)
			*operand(&changed, i) = bad
			if err := judged(t, changed); err == nil {
				t.Errorf("%s takes %%%d as operand %d", name, bad, i)
			}
		}
	}
	for _, other := range []Type{Void, Bool, I32, F32} {
		changed := in
		if changed.Type = other; other != result {
			if err := judged(t, changed); err == nil {
				t.Errorf("%s gives %v", name, other)
			}
		}
	}
}

func inArgs(in *Inst, i int) *Value { return &in.Args[i] }
func inMore(in *Inst, i int) *Value { return &in.More[i] }

// The verifier takes each operation with operands as its comment has them, and with no others.
func TestVerify_EveryOperand(t *testing.T) {
	seen := map[Op]bool{}
	for shape, ops := range shapes {
		args, result, _ := strings.Cut(shape, " ")
		for _, op := range ops {
			seen[op] = true
			for _, like := range []Type{Bool, I32} {
				in := Inst{Op: op, Type: types[result[0]], Args: [3]Value{NoValue, NoValue, NoValue}}
				var list []Type
				for i := range args {
					ty := types[args[i]]
					if args[i] == '+' || args[i] == '=' {
						ty = like
					}
					list = append(list, ty)
					in.Args[i] = constantOf(ty)
				}
				if result == "+" {
					in.Type = like
				}
				if strings.HasPrefix(args, "=") {
					// The first operand says what the second one is.
					if err := judged(t, in); err != nil {
						t.Errorf("%v: %v", op, err)
					}
					for _, bad := range []Value{0, 2, 4} {
						changed := in
						if changed.Args[1] = bad; bad != in.Args[0] && judged(t, changed) == nil {
							t.Errorf("%v compares %v with %%%d", op, like, bad)
						}
					}
					continue
				}
				everyOperand(t, op.String(), in, list, in.Type, inArgs)
			}
		}
	}
	for op := range opCount {
		if Evaluates(op) && !seen[op] && op != OpSelect && op != OpBitcast {
			t.Errorf("no shape of %v", op)
		}
	}
	wide := map[WideOp]bool{}
	for shape, ops := range wideShapes {
		args, result, _ := strings.Cut(shape, " ")
		for _, op := range ops {
			wide[op] = true
			in := Inst{Op: OpWide, Imm: uint64(op), Type: types[result[0]], Args: [3]Value{NoValue, NoValue, NoValue}}
			var list []Type
			for i := range args {
				for range map[bool]int{false: 1, true: 2}[args[i] == 'w'] {
					list = append(list, types[args[i]])
					in.More = append(in.More, constantOf(types[args[i]]))
				}
			}
			everyOperand(t, fmt.Sprint("wide operation ", op), in, list, in.Type, inMore)
			short, long := in, in
			short.More = in.More[:len(in.More)-1]
			long.More = append(in.More[:len(in.More):len(in.More)], in.More[0])
			if judged(t, short) == nil || judged(t, long) == nil {
				t.Errorf("wide operation %d takes an operand less, or more", op)
			}
		}
	}
	for op := range wideOps {
		if !wide[op] {
			t.Errorf("no shape of wide operation %d", op)
		}
	}
	for words := range 6 {
		in := Inst{Op: OpBlock, Type: I32, Args: [3]Value{NoValue, NoValue, NoValue}}
		for range words + 1 {
			in.More = append(in.More, constantOf(I32))
		}
		if words == 2 || words == 4 {
			everyOperand(t, "block", in, slices.Repeat([]Type{I32}, words+1), I32, inMore)
		} else if judged(t, in) == nil {
			t.Errorf("a block of %d words", words)
		}
	}
	if judged(t, Inst{Op: OpWide, Imm: uint64(wideOps), Type: I32}) == nil {
		t.Error("a wide operation that there is not")
	}
}

// Numbers in immediates are below what there is.
func TestVerify_EveryNumber(t *testing.T) {
	none := [3]Value{NoValue, NoValue, NoValue}
	i, f, b := constantOf(I32), constantOf(F32), constantOf(Bool)
	with := func(op Op, ty Type, imm uint64, args ...Value) Inst {
		in := Inst{Op: op, Type: ty, Imm: imm, Args: none}
		copy(in.Args[:], args)
		return in
	}
	list := func(op Op, ty Type, imm uint64, more ...Value) Inst {
		return Inst{Op: op, Type: ty, Imm: imm, Args: none, More: more}
	}
	texel := func(surface, word uint8, bytes uint16, sample uint8) uint64 {
		return Texel{Surface: surface, Word: word, Bytes: bytes, Sample: sample}.Imm()
	}
	sized := func(word uint8, bytes uint16, shift, size uint8) uint64 {
		return Texel{Word: word, Bytes: bytes, Shift: shift, Size: size}.Imm()
	}
	for n, c := range []struct {
		in Inst
		ok bool
	}{
		{with(OpConst, I32, 0xFFFFFFFF), true}, {with(OpConst, I32, 1<<32), false}, {with(OpConst, Bool, 0xFFFFFFFF), true}, {with(OpConst, Bool, 1), false},
		{with(OpInput, I32, 0), true}, {with(OpInput, F32, 1), true}, {with(OpInput, F32, 0), false}, {with(OpInput, F32, 2), false},
		{with(OpOutput, Void, 0, i), true}, {with(OpOutput, Void, 1, f), true}, {with(OpOutput, Void, 1, i), false}, {with(OpOutput, Void, 2, f), false},
		{with(OpVarGet, I32, 0), true}, {with(OpVarGet, F32, 1), true}, {with(OpVarGet, I32, 1), false}, {with(OpVarGet, F32, 2), false},
		{with(OpVarSet, Void, 0, i), true}, {with(OpVarSet, Void, 1, f), true}, {with(OpVarSet, Void, 1, i), false}, {with(OpVarSet, Void, 2, f), false},
		{with(OpLoadBuffer, I32, 0, i, i), true}, {with(OpLoadBuffer, F32, 1, i, i), true}, {with(OpLoadBuffer, I32, 2, i, i), false}, {with(OpLoadBuffer, I32, 0, i, f), false},
		{with(OpStoreBuffer, Void, 1, i, i, f), true}, {with(OpStoreBuffer, Void, 0, i, i, f), false}, {with(OpStoreBuffer, Void, 2, i, i, f), false},
		{with(OpBufferSize, I32, 1, i), true}, {with(OpBufferSize, I32, 2, i), false}, {with(OpBufferSize, F32, 1, i), false},
		{with(OpLoadPush, F32, 0, i), true}, {with(OpLoadPush, F32, 0, f), false}, {with(OpLoadTable, I32, 0, i), true}, {with(OpLoadTable, I32, 0, b), false},
		{with(OpLoadShared, I32, 0, i), true}, {with(OpStoreShared, Void, 0, i, f), true}, {with(OpStoreShared, Void, 0, f, i), false}, {with(OpLoadPrivate, F32, 0, i), true}, {with(OpStorePrivate, Void, 0, i, i), true},
		{with(OpSelect, I32, 0, b, i, i), true}, {with(OpSelect, F32, 0, b, f, f), true}, {with(OpSelect, Bool, 0, b, b, b), true}, {with(OpSelect, F32, 0, b, f, i), false}, {with(OpSelect, I32, 0, i, i, i), false}, {with(OpSelect, I32, 0, b, f, i), false},
		{with(OpBitcast, F32, 0, i), true}, {with(OpBitcast, I32, 0, b), true}, {with(OpBitcast, Bool, 0, i), false}, {with(OpBitcast, Bool, 0, b), true},
		{with(OpInterpolateAt, F32, 1<<32|1), true}, {with(OpInterpolateAt, F32, 2<<32|1, i), true}, {with(OpInterpolateAt, F32, 3<<32|1, f, f), true}, {with(OpInterpolateAt, F32, 2<<32|1, f), false},
		{with(OpInterpolateAt, F32, 3<<32|1, f, i), false}, {with(OpInterpolateAt, F32, 1<<32|2), false}, {with(OpInterpolateAt, F32, 1), false}, {with(OpInterpolateAt, F32, 4<<32|1), false},
		{with(OpBreak, Void, 1), false}, {with(OpBreak, Void, 0), false}, {with(OpIsHelper, Bool, 0), true}, {with(OpIsHelper, I32, 0), false}, {with(OpDemote, Void, 0), true}, {with(OpBarrier, Void, 0), true},
		{list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicAdd), i, i, i), true}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(0, AtomicAdd), i, i, i), false}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(2, AtomicAdd), i, i, i), false},
		{list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicAdd), i, i), false}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicLoad), i, i), true}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicLoad), i), false},
		{list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicCompareExchange), i, i, i, i), true}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicCompareExchange), i, i, i), false},
		{list(OpAtomicBuffer, Void, ResourceAndAtomic(1, AtomicStore), i, i, i), true}, {list(OpAtomicBuffer, Void, ResourceAndAtomic(1, AtomicAdd), i, i, i), false}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicAdd), i, f, i), false},
		{list(OpAtomicBuffer, F32, ResourceAndAtomic(1, AtomicFMax), i, i, f), true}, {list(OpAtomicBuffer, I32, ResourceAndAtomic(1, AtomicFMax+1), i, i, i), false},
		{list(OpAtomicShared, I32, ResourceAndAtomic(0, AtomicAdd), i, i), true}, {list(OpAtomicShared, I32, ResourceAndAtomic(0, AtomicAdd), i), false}, {list(OpAtomicShared, I32, ResourceAndAtomic(0, AtomicAdd), f, i), false}, {list(OpAtomicShared, Void, ResourceAndAtomic(0, AtomicStore), i, i), true},
		{list(OpLoadMem, I32, Mem{Space: MemBuffer, Log: 1, Resource: 1}.Imm(), i, i), true}, {list(OpLoadMem, I32, Mem{Space: MemBuffer, Log: 0}.Imm(), i, i), true}, {list(OpLoadMem, I32, Mem{Space: MemBuffer, Resource: 2}.Imm(), i, i), false},
		{list(OpLoadMem, I32, Mem{Space: MemBuffer, Log: 3, Resource: 1}.Imm(), i, i), false}, {list(OpLoadMem, F32, Mem{Space: MemAddress, Log: 2}.Imm(), i, i), true}, {list(OpLoadMem, F32, Mem{Space: MemAddress, Log: 1}.Imm(), i, i), false},
		{list(OpLoadMem, I32, Mem{Space: MemPush, Log: 1}.Imm(), i), true}, {list(OpLoadMem, I32, Mem{Space: MemPush, Log: 1}.Imm(), i, i), false}, {list(OpLoadMem, I32, Mem{Space: MemShared, Log: 0}.Imm(), i), true}, {list(OpLoadMem, I32, Mem{Space: MemPointer, Log: 0}.Imm(), i, i), true},
		{list(OpLoadMem, I32, Mem{Space: MemPointer, Log: 0}.Imm(), i), false}, {list(OpLoadMem, I32, Mem{Space: MemAddress, Log: 2}.Imm(), i), false}, {list(OpLoadMem, I32, Mem{Space: memSpaces, Log: 0}.Imm(), i, i), false}, {list(OpLoadMem, I32, Mem{Space: MemAddress, Log: 2}.Imm(), i, f), false},
		{list(OpStoreMem, Void, Mem{Space: MemBuffer, Log: 1, Resource: 1}.Imm(), i, i, i), true}, {list(OpStoreMem, Void, Mem{Space: MemBuffer, Log: 1}.Imm(), i, i, i), false}, {list(OpStoreMem, Void, Mem{Space: MemPush, Log: 1}.Imm(), i, i), false},
		{list(OpStoreMem, Void, Mem{Space: MemAddress, Log: 2}.Imm(), i, i, f), true}, {list(OpStoreMem, Void, Mem{Space: MemAddress, Log: 1}.Imm(), i, i, f), false}, {list(OpStoreMem, Void, Mem{Space: MemAddress, Log: 2}.Imm(), i, i, b), false}, {list(OpStoreMem, I32, Mem{Space: MemAddress, Log: 2}.Imm(), i, i, f), false},
		{list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 3, Atomic: AtomicAdd}.Imm(), i, i, i), true}, {list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 3, Atomic: AtomicAdd}.Imm(), i, i), false}, {list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicAdd}.Imm(), i, i), false},
		{list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicFAdd}.Imm(), i, i), true}, {list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicFMin}.Imm(), i, i), true}, {list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicFMax}.Imm(), i, i), true},
		{list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicExchange}.Imm(), i, i), true}, {list(OpAtomicMem, I32, Mem{Space: MemShared, Log: 1, Atomic: AtomicLoad}.Imm(), i), true}, {list(OpAtomicMem, Void, Mem{Space: MemShared, Log: 1, Atomic: AtomicStore}.Imm(), i, i), true},
		{list(OpAtomicMem, I32, Mem{Space: MemAddress, Log: 3, Atomic: AtomicCompareExchange}.Imm(), i, i, i, i, i, i), true}, {list(OpAtomicMem, I32, Mem{Space: MemAddress, Log: 3, Atomic: AtomicCompareExchange}.Imm(), i, i, i, i, i), false}, {list(OpAtomicMem, I32, Mem{Space: MemAddress, Log: 0, Atomic: AtomicLoad}.Imm(), i, i), false},
		{with(OpPixel, I32, 1), true}, {with(OpPixel, I32, 2), false}, {with(OpRecord, I32, maxRecord-4), true}, {with(OpRecord, I32, maxRecord), false}, {with(OpRecord, I32, 6), false},
		{with(OpCovered, Bool, PlaceSamples-1), true}, {with(OpCovered, Bool, PlaceSamples), false}, {with(OpCover, Void, PlaceSamples-1, b), true}, {with(OpCover, Void, PlaceSamples, b), false}, {with(OpCover, Void, 0, i), false},
		{with(OpLoadTexel, I32, texel(MaxSurfaces-1, 0, 1, 0)), true}, {with(OpLoadTexel, I32, texel(MaxSurfaces, 0, 1, 0)), false}, {with(OpLoadTexel, I32, texel(0, 0, 2, 0)), true}, {with(OpLoadTexel, I32, texel(0, 0, 3, 0)), false}, {with(OpLoadTexel, I32, texel(0, 1, 4, 0)), false},
		{with(OpLoadTexel, I32, texel(0, 1, 8, 0)), true}, {with(OpLoadTexel, I32, texel(0, 2, 8, 0)), false}, {with(OpLoadTexel, I32, texel(0, 3, 16, 0)), true}, {with(OpLoadTexel, I32, texel(0, 7, 32, 0)), true}, {with(OpLoadTexel, I32, texel(0, 15, 64, 0)), true}, {with(OpLoadTexel, I32, texel(0, 16, 64, 0)), false},
		{with(OpLoadTexel, I32, texel(0, 63, 256, 0)), true}, {with(OpLoadTexel, I32, texel(0, 64, 256, 0)), false}, {with(OpLoadTexel, I32, texel(0, 255, 1024, 0)), true}, {with(OpLoadTexel, I32, texel(0, 0, 2048, 0)), false},
		{with(OpLoadTexel, I32, texel(0, 0, 4, PlaceSamples-1)), true}, {with(OpLoadTexel, I32, texel(0, 0, 4, PlaceSamples)), false},
		{with(OpLoadTexel, I32, 1<<48|texel(0, 0, 4, PlaceSamples-2)), true},
		{with(OpLoadTexel, I32, 2<<48|texel(0, 0, 4, PlaceSamples-2)), false},
		{with(OpLoadTexel, I32, 1<<52|texel(0, 0, 4, 0)), false},
		{list(OpStoreTexel, Void, 1<<48|texel(0, 0, 8, 0), b, i), false},
		{with(OpLoadTexel, I32, sized(0, 3, 0, 3)), true}, {with(OpLoadTexel, I32, sized(0, 3, 0, 4)), false}, {with(OpLoadTexel, I32, sized(0, 3, 1, 3)), false},
		{with(OpLoadTexel, I32, sized(1, 6, 1, 1)), true}, {with(OpLoadTexel, I32, sized(1, 6, 1, 2)), false}, {with(OpLoadTexel, I32, sized(0, 8, 4, 1)), false}, {with(OpLoadTexel, I32, sized(0, 8, 1, 5)), false},
		{with(OpLoadTexel, I32, sized(0, 8, 1, 0)), false}, {with(OpLoadTexel, I32, sized(63, 256, 3, 1)), true}, {with(OpLoadTexel, I32, sized(255, 1024, 0, 4)), true}, {with(OpLoadTexel, I32, sized(255, 1028, 0, 4)), false},
		{list(OpStoreTexel, Void, sized(0, 6, 3, 3), b, i), true}, {list(OpStoreTexel, Void, sized(0, 6, 0, 3), b, i, b, i), false},
		{list(OpStoreTexel, Void, texel(0, 0, 8, 0), b, i, b, i), true}, {list(OpStoreTexel, Void, texel(0, 1, 8, 0), b, i, b, i), false}, {list(OpStoreTexel, Void, texel(0, 1, 8, 0), b, i), true}, {list(OpStoreTexel, Void, texel(0, 0, 8, 0), b), false}, {list(OpStoreTexel, Void, texel(0, 0, 8, 0), i, i), false}, {list(OpStoreTexel, Void, texel(0, 0, 8, 0), b, f), false},
		{Inst{Op: OpIAdd, Type: I32, Args: [3]Value{i, i, NoValue}, More: []Value{i}}, false}, {Inst{Op: opCount, Type: I32, Args: none}, false},
	} {
		if err := judged(t, c.in); (err == nil) != c.ok {
			t.Errorf("case %d, %v %v with immediate %#x, operands %v and %v: %v", n, c.in.Op, c.in.Type, c.in.Imm, c.in.Args, c.in.More, err)
		}
	}
	// What stands in no block names nothing that there is not, either.
	for op, n := range map[Op]uint64{OpVarGet: 2, OpVarSet: 2, OpInput: 2, OpLoadVertex: 1, OpImage: 1, OpLoadBuffer: 2, OpConst: 1 << 40} {
		for imm := range uint64(5) {
			in := with(op, F32, imm, i, i)
			if op == OpVarSet {
				in.Type = Void
			}
			p := around(t, in, false)
			p.VertexInputs, p.ImageOps = make([]IO, 1), []ImageOp{{Sampler: -1, Kind: ImageFetch}}
			if err := Verify(p); (err == nil) != (imm < n) {
				t.Errorf("%v of %d, of which there are %d, in no block: %v", op, imm, n, err)
			}
		}
	}
	for _, bad := range []Value{-1, constants + 2, constants + 3} {
		if Verify(around(t, with(OpINeg, I32, 0, bad), false)) == nil {
			t.Errorf("an operand %%%d in no block", bad)
		}
	}
	if Verify(around(t, with(opCount, I32, 0), false)) == nil {
		t.Error("an unknown operation in no block")
	}
}
