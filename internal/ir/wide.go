package ir

import "github.com/pumice-gpu/pumice/internal/ir/lane"

// 64-bit numbers are pairs of I32 values, the low word first: registers,
// memory, joins of control flow and composites carry them like any two words,
// and only arithmetic looks at both. OpWide is that arithmetic.

// WideOp is the operation of OpWide.
type WideOp uint8

// The comment gives operands and result: w a pair, i I32, f F32, b Bool.
const (
	// Integers; the rules of the 32-bit operations hold with 64 bits. Shifts
	// use the low 6 bits.
	WideIAdd WideOp = iota // ww w
	WideISub
	WideIMul
	WideUDiv
	WideSDiv
	WideURem
	WideSRem
	WideSMod
	WideShl // wi w
	WideShrU
	WideShrS
	WideSLt // ww b
	WideSLe
	WideULt
	WideULe
	// Binary64, one rounding each; NaN results are canonical
	// (0x7FF8000000000000) at once.
	WideFAdd // ww w
	WideFSub
	WideFMul
	WideFDiv
	WideFRem
	WideFMin
	WideFMax
	WideFma  // www w
	WideSign // w w
	WideFloor
	WideCeil
	WideTrunc
	WideRoundEven
	WideSqrt
	WideInvSqrt
	WideFrexpMant
	WideFrexpExp // w i
	WideLdexp    // wi w
	WideFEq      // ww b
	WideFNe
	WideFLt
	WideFLe
	WideIsNan // w b
	WideIsInf
	// Conversions: D binary64, F binary32, H binary16 bits, L and UL 64-bit
	// integers, S and U 32-bit ones. To integers: truncate, saturate, NaN 0.
	WideD2F // w f
	WideD2H // w i
	WideF2D // f w
	WideD2S // w i
	WideD2U
	WideD2N // w i: the nearest, ties to even; −2^31 for what has none of 32 bits
	WideS2D // i w
	WideU2D
	WideD2L // w w
	WideD2UL
	WideL2D
	WideUL2D
	WideL2F // w f
	WideUL2F
	WideF2L // f w
	WideF2UL
	// Toward zero (RoundingModeRTZ): binary32, binary64, conversions.
	WideAddZ // ff f
	WideSubZ
	WideMulZ
	WideDivZ
	WideFmaZ      // fff f
	WideSqrtZ     // f f
	WideQuantizeZ // to binary16 and back
	WideAddZ64    // ww w
	WideSubZ64
	WideMulZ64
	WideDivZ64
	WideFmaZ64  // www w
	WideSqrtZ64 // w w
	WideD2FZ    // w f
	WideS2FZ    // i f
	WideU2FZ
	WideL2FZ // w f
	WideUL2FZ
	WideL2DZ // w w
	WideUL2DZ
	// Zeros of denormals (DenormFlushToZero).
	WideFlush   // f f
	WideFlush16 // of binary16 in binary32
	WideFlush64 // w w
	wideOps
)

type wideInfo struct {
	name, args string
	result     byte
	f          func(a, b, c uint64) uint64
}

func one(f func(uint64) uint64) func(a, b, c uint64) uint64 {
	return func(a, _, _ uint64) uint64 { return f(a) }
}

func two(f func(a, b uint64) uint64) func(a, b, c uint64) uint64 {
	return func(a, b, _ uint64) uint64 { return f(a, b) }
}

var wideInfos = [wideOps]wideInfo{
	WideIAdd: {"iadd", "ww", 'w', two(lane.IAdd64)}, WideISub: {"isub", "ww", 'w', two(lane.ISub64)}, WideIMul: {"imul", "ww", 'w', two(lane.IMul64)},
	WideUDiv: {"udiv", "ww", 'w', two(lane.UDiv64)}, WideSDiv: {"sdiv", "ww", 'w', two(lane.SDiv64)}, WideURem: {"urem", "ww", 'w', two(lane.URem64)},
	WideSRem: {"srem", "ww", 'w', two(lane.SRem64)}, WideSMod: {"smod", "ww", 'w', two(lane.SMod64)},
	WideShl: {"shl", "wi", 'w', two(lane.Shl64)}, WideShrU: {"shr.u", "wi", 'w', two(lane.ShrU64)}, WideShrS: {"shr.s", "wi", 'w', two(lane.ShrS64)},
	WideSLt: {"slt", "ww", 'b', two(lane.SLt64)}, WideSLe: {"sle", "ww", 'b', two(lane.SLe64)}, WideULt: {"ult", "ww", 'b', two(lane.ULt64)}, WideULe: {"ule", "ww", 'b', two(lane.ULe64)},
	WideFAdd: {"fadd", "ww", 'w', two(lane.FAdd64)}, WideFSub: {"fsub", "ww", 'w', two(lane.FSub64)}, WideFMul: {"fmul", "ww", 'w', two(lane.FMul64)},
	WideFDiv: {"fdiv", "ww", 'w', two(lane.FDiv64)}, WideFRem: {"frem", "ww", 'w', two(lane.FRem64)}, WideFMin: {"fmin", "ww", 'w', two(lane.FMin64)}, WideFMax: {"fmax", "ww", 'w', two(lane.FMax64)},
	WideFma: {"fma", "www", 'w', lane.Fma64}, WideSign: {"fsign", "w", 'w', one(lane.FSign64)}, WideFloor: {"floor", "w", 'w', one(lane.FFloor64)}, WideCeil: {"ceil", "w", 'w', one(lane.FCeil64)},
	WideTrunc: {"trunc", "w", 'w', one(lane.FTrunc64)}, WideRoundEven: {"roundeven", "w", 'w', one(lane.FRoundEven64)}, WideSqrt: {"sqrt", "w", 'w', one(lane.FSqrt64)},
	WideInvSqrt: {"invsqrt", "w", 'w', one(lane.FInvSqrt64)}, WideFrexpMant: {"frexp.mant", "w", 'w', one(lane.FrexpMant64)}, WideFrexpExp: {"frexp.exp", "w", 'i', one(lane.FrexpExp64)},
	WideLdexp: {"ldexp", "wi", 'w', two(lane.FLdexp64)}, WideFEq: {"feq", "ww", 'b', two(lane.FEq64)}, WideFNe: {"fne", "ww", 'b', two(lane.FNe64)},
	WideFLt: {"flt", "ww", 'b', two(lane.FLt64)}, WideFLe: {"fle", "ww", 'b', two(lane.FLe64)}, WideIsNan: {"isnan", "w", 'b', one(lane.FIsNan64)}, WideIsInf: {"isinf", "w", 'b', one(lane.FIsInf64)},
	WideD2F: {"d2f", "w", 'f', one(lane.D2F)}, WideD2H: {"d2h", "w", 'i', one(lane.D2H)}, WideF2D: {"f2d", "f", 'w', one(lane.F2D)},
	WideD2S: {"d2s", "w", 'i', one(lane.D2S)}, WideD2U: {"d2u", "w", 'i', one(lane.D2U)}, WideD2N: {"d2n", "w", 'i', one(lane.D2N)}, WideS2D: {"s2d", "i", 'w', one(lane.S2D)}, WideU2D: {"u2d", "i", 'w', one(lane.U2D)},
	WideD2L: {"d2l", "w", 'w', one(lane.D2L)}, WideD2UL: {"d2ul", "w", 'w', one(lane.D2UL)}, WideL2D: {"l2d", "w", 'w', one(lane.L2D)}, WideUL2D: {"ul2d", "w", 'w', one(lane.UL2D)},
	WideL2F: {"l2f", "w", 'f', one(lane.L2F)}, WideUL2F: {"ul2f", "w", 'f', one(lane.UL2F)}, WideF2L: {"f2l", "f", 'w', one(lane.F2L)}, WideF2UL: {"f2ul", "f", 'w', one(lane.F2UL)},
	WideAddZ: {"fadd.z", "ff", 'f', two(lane.AddZ)}, WideSubZ: {"fsub.z", "ff", 'f', two(lane.SubZ)}, WideMulZ: {"fmul.z", "ff", 'f', two(lane.MulZ)}, WideDivZ: {"fdiv.z", "ff", 'f', two(lane.DivZ)},
	WideFmaZ: {"fma.z", "fff", 'f', lane.FmaZ}, WideSqrtZ: {"sqrt.z", "f", 'f', one(lane.SqrtZ)}, WideQuantizeZ: {"quantize16.z", "f", 'f', one(lane.QuantizeZ)},
	WideAddZ64: {"fadd64.z", "ww", 'w', two(lane.AddZ64)}, WideSubZ64: {"fsub64.z", "ww", 'w', two(lane.SubZ64)}, WideMulZ64: {"fmul64.z", "ww", 'w', two(lane.MulZ64)}, WideDivZ64: {"fdiv64.z", "ww", 'w', two(lane.DivZ64)},
	WideFmaZ64: {"fma64.z", "www", 'w', lane.FmaZ64}, WideSqrtZ64: {"sqrt64.z", "w", 'w', one(lane.SqrtZ64)},
	WideD2FZ: {"d2f.z", "w", 'f', one(lane.D2FZ)}, WideS2FZ: {"s2f.z", "i", 'f', one(lane.S2FZ)}, WideU2FZ: {"u2f.z", "i", 'f', one(lane.U2FZ)}, WideL2FZ: {"l2f.z", "w", 'f', one(lane.L2FZ)},
	WideUL2FZ: {"ul2f.z", "w", 'f', one(lane.UL2FZ)}, WideL2DZ: {"l2d.z", "w", 'w', one(lane.L2DZ)}, WideUL2DZ: {"ul2d.z", "w", 'w', one(lane.UL2DZ)},
	WideFlush: {"flush", "f", 'f', one(lane.Flush)}, WideFlush16: {"flush16", "f", 'f', one(lane.Flush16)}, WideFlush64: {"flush64", "w", 'w', one(lane.Flush64)},
}

// WideOps is the number of operations of OpWide.
const WideOps = int(wideOps)

// String returns the operation's name in the text form.
func (op WideOp) String() string {
	if op < wideOps {
		return wideInfos[op].name
	}
	return "op?"
}

// Signature gives the operands, one letter each (w, i or f), and the result (w,
// i, f or b) of an operation below WideOps.
func (op WideOp) Signature() (args string, result byte) {
	return wideInfos[op].args, wideInfos[op].result
}

// EvalWide computes an operation below WideOps in one lane. Operands and
// results of 32 bits stand in the low half; masks are 0 or 0xFFFFFFFF.
func EvalWide(op WideOp, a, b, c uint64) uint64 { return wideInfos[op].f(a, b, c) }

// EvalWideFunc returns the function behind EvalWide.
func EvalWideFunc(op WideOp) func(a, b, c uint64) uint64 { return wideInfos[op].f }

// Bits beside the format in the immediate of OpBlock.
const (
	BlockCodes          = 1 << (32 + iota) // the texel is wanted as codes of 8 bits, R in the low byte
	BlockUnorm8                            // ASTC blocks decode to R8G8B8A8_UNORM (VK_EXT_astc_decode_mode)
	BlockSharedExponent                    // to E5B9G9R9_UFLOAT_PACK32
)

// Results returns how many results an instruction has; OpResult names those
// after the first.
func (p *Program) Results(in *Inst) int {
	switch in.Op {
	case OpImage:
		return p.ImageOps[in.Imm].Results
	case OpWide:
		if wideInfos[in.Imm].result == 'w' {
			return 2
		}
	case OpBlock:
		if in.Imm&BlockCodes != 0 {
			return 1
		}
		return 4
	case OpGroup:
		return GroupOf(in.Imm).results(p.SubgroupSize)
	case OpAtomicMem:
		if MemOf(in.Imm).Log == 3 {
			return 2
		}
	}
	if in.Type == Void {
		return 0
	}
	return 1
}

func (v *verifier) wide(at Value, in *Inst) {
	if in.Imm >= uint64(wideOps) {
		v.fail(at, "64-bit operation %d of %d", in.Imm, wideOps)
		return
	}
	info := &wideInfos[in.Imm]
	want := I32
	switch info.result {
	case 'f':
		want = F32
	case 'b':
		want = Bool
	}
	if in.Type != want {
		v.fail(at, "%s cannot give %s", info.name, in.Type)
		return
	}
	var types []Type
	for _, a := range info.args {
		switch a {
		case 'w':
			types = append(types, I32, I32)
		case 'f':
			types = append(types, F32)
		default:
			types = append(types, I32)
		}
	}
	if len(in.More) != len(types) {
		v.fail(at, "%s with %d operand words, which takes %d", info.name, len(in.More), len(types))
		return
	}
	for i, a := range in.More {
		v.operand(at, a, types[i])
	}
}
