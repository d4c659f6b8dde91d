package ir

// Info describes an operation: what the verifier checks and the passes rely
// on.
type Info struct {
	Name string
	// Args are the types of the operands, one character each: i, f, b for the
	// three types, v for any, t for the type of the result; + and = for
	// operations on Bool or I32, which agree with the result or each other.
	Args string
	// Result is i, f, b; * for any; - for none; t as the operands.
	Result byte
	// Pure operations depend on their operands only: they may be folded,
	// shared, moved and dropped. Reads may be dropped but not moved.
	Pure, Reads bool
}

// InfoOf returns the description of op, false for a number that is none.
func InfoOf(op Op) (Info, bool) {
	if op >= opCount || infos[op].Name == "" {
		return Info{}, false
	}
	return infos[op], true
}

// String returns the operation's name in the text form.
func (op Op) String() string {
	if i, ok := InfoOf(op); ok {
		return i.Name
	}
	return "op?"
}

// Ops is the number of operations.
const Ops = int(opCount)

func pure(name, args string, result byte) Info {
	return Info{Name: name, Args: args, Result: result, Pure: true}
}
func reads(name, args string, result byte) Info {
	return Info{Name: name, Args: args, Result: result, Reads: true}
}
func effect(name, args string, result byte) Info {
	return Info{Name: name, Args: args, Result: result}
}

var infos = [opCount]Info{
	OpNop: effect("nop", "", '-'), OpConst: pure("const", "", '*'), OpInput: pure("input", "", '*'), OpOutput: effect("output", "v", '-'),
	OpVarGet: reads("get", "", '*'), OpVarSet: effect("set", "v", '-'), OpResult: pure("result", "v", '*'),

	OpIAdd: pure("iadd", "ii", 'i'), OpISub: pure("isub", "ii", 'i'), OpIMul: pure("imul", "ii", 'i'),
	OpIMulHiU: pure("imulhi.u", "ii", 'i'), OpIMulHiS: pure("imulhi.s", "ii", 'i'), OpIDot16: pure("idot.16", "ii", 'i'),
	OpUDiv: pure("udiv", "ii", 'i'), OpSDiv: pure("sdiv", "ii", 'i'), OpURem: pure("urem", "ii", 'i'), OpSRem: pure("srem", "ii", 'i'), OpSMod: pure("smod", "ii", 'i'),
	OpINeg: pure("ineg", "i", 'i'), OpAnd: pure("and", "++", '+'), OpOr: pure("or", "++", '+'), OpXor: pure("xor", "++", '+'), OpNot: pure("not", "+", '+'),
	OpShl: pure("shl", "ii", 'i'), OpShrU: pure("shr.u", "ii", 'i'), OpShrS: pure("shr.s", "ii", 'i'),
	OpSMin: pure("smin", "ii", 'i'), OpSMax: pure("smax", "ii", 'i'), OpUMin: pure("umin", "ii", 'i'), OpUMax: pure("umax", "ii", 'i'),
	OpBitCount: pure("bitcount", "i", 'i'), OpBitReverse: pure("bitreverse", "i", 'i'), OpFindLSB: pure("findlsb", "i", 'i'),
	OpFindSMSB: pure("findmsb.s", "i", 'i'), OpFindUMSB: pure("findmsb.u", "i", 'i'),
	OpBitFieldU: pure("bitfield.u", "iii", 'i'), OpBitFieldS: pure("bitfield.s", "iii", 'i'), OpBitFieldMask: pure("bitfield.mask", "ii", 'i'),

	OpIEq: pure("ieq", "==", 'b'), OpINe: pure("ine", "==", 'b'), OpSLt: pure("slt", "ii", 'b'), OpSLe: pure("sle", "ii", 'b'),
	OpULt: pure("ult", "ii", 'b'), OpULe: pure("ule", "ii", 'b'), OpFEq: pure("feq", "ff", 'b'), OpFNe: pure("fne", "ff", 'b'),
	OpFLt: pure("flt", "ff", 'b'), OpFLe: pure("fle", "ff", 'b'), OpFOrd: pure("ford", "ff", 'b'), OpFUnord: pure("funord", "ff", 'b'),
	OpFIsNan: pure("isnan", "f", 'b'), OpFIsInf: pure("isinf", "f", 'b'), OpSelect: pure("select", "btt", '*'),

	OpFAdd: pure("fadd", "ff", 'f'), OpFSub: pure("fsub", "ff", 'f'), OpFMul: pure("fmul", "ff", 'f'), OpFDiv: pure("fdiv", "ff", 'f'),
	OpFma: pure("fma", "fff", 'f'), OpFNeg: pure("fneg", "f", 'f'), OpFAbs: pure("fabs", "f", 'f'),
	OpFMin: pure("fmin", "ff", 'f'), OpFMax: pure("fmax", "ff", 'f'), OpFSign: pure("fsign", "f", 'f'),
	OpFFloor: pure("floor", "f", 'f'), OpFCeil: pure("ceil", "f", 'f'), OpFTrunc: pure("trunc", "f", 'f'), OpFRoundEven: pure("roundeven", "f", 'f'),
	OpFSqrt: pure("sqrt", "f", 'f'), OpFRem: pure("frem", "ff", 'f'),
	OpFExp2: pure("exp2", "f", 'f'), OpFLog2: pure("log2", "f", 'f'), OpFExp: pure("exp", "f", 'f'), OpFLog: pure("log", "f", 'f'), OpFPow: pure("pow", "ff", 'f'),
	OpFSin: pure("sin", "f", 'f'), OpFCos: pure("cos", "f", 'f'), OpFTan: pure("tan", "f", 'f'),
	OpFAsin: pure("asin", "f", 'f'), OpFAcos: pure("acos", "f", 'f'), OpFAtan: pure("atan", "f", 'f'), OpFAtan2: pure("atan2", "ff", 'f'),
	OpFSinh: pure("sinh", "f", 'f'), OpFCosh: pure("cosh", "f", 'f'), OpFTanh: pure("tanh", "f", 'f'),
	OpFAsinh: pure("asinh", "f", 'f'), OpFAcosh: pure("acosh", "f", 'f'), OpFAtanh: pure("atanh", "f", 'f'),
	OpFInvSqrt: pure("invsqrt", "f", 'f'), OpFLdexp: pure("ldexp", "fi", 'f'), OpFrexpMant: pure("frexp.mant", "f", 'f'), OpFrexpExp: pure("frexp.exp", "f", 'i'),
	OpQuantize16: pure("quantize16", "f", 'f'),

	OpF2S: pure("f2s", "f", 'i'), OpF2U: pure("f2u", "f", 'i'), OpS2F: pure("s2f", "i", 'f'), OpU2F: pure("u2f", "i", 'f'),
	OpF2H: pure("f2h", "f", 'i'), OpH2F: pure("h2f", "i", 'f'), OpBitcast: pure("bitcast", "v", '*'),

	// Derivatives read other lanes under the execution mask: not moved.
	OpDdxFine: reads("ddx.fine", "f", 'f'), OpDdyFine: reads("ddy.fine", "f", 'f'), OpDdxCoarse: reads("ddx.coarse", "f", 'f'), OpDdyCoarse: reads("ddy.coarse", "f", 'f'),

	OpLoadBuffer: reads("load.buffer", "ii", '*'), OpStoreBuffer: effect("store.buffer", "iiv", '-'), OpBufferSize: pure("buffer.size", "i", 'i'),
	OpAtomicBuffer: effect("atomic.buffer", "", '*'), OpLoadPush: pure("load.push", "i", '*'), OpLoadTable: pure("load.table", "i", '*'),
	OpLoadShared: reads("load.shared", "i", '*'), OpStoreShared: effect("store.shared", "iv", '-'), OpAtomicShared: effect("atomic.shared", "", '*'),
	OpLoadPrivate: reads("load.private", "i", '*'), OpStorePrivate: effect("store.private", "iv", '-'),
	OpImage: effect("image", "", '*'), OpInterpolateAt: pure("interpolate", "", 'f'),

	OpLoadVertex: pure("load.vertex", "i", '*'), OpEmit: effect("emit", "iv", '-'), OpPrint: effect("print", "", '-'), OpTrace: effect("trace", "", '-'),

	OpGroup: reads("group", "", '*'), OpWide: pure("wide", "", '*'), OpBlock: pure("block", "", 'i'),
	OpLoadMem: reads("load.mem", "", '*'), OpStoreMem: effect("store.mem", "", '-'), OpAtomicMem: effect("atomic.mem", "", '*'),

	OpPixel: pure("pixel", "", 'i'), OpRecord: pure("record", "", '*'), OpCovered: reads("covered", "", 'b'), OpCover: effect("cover", "b", '-'),
	OpLoadTexel: reads("load.texel", "", '*'), OpStoreTexel: effect("store.texel", "", '-'),

	OpBreak: effect("break", "", '-'), OpContinue: effect("continue", "", '-'), OpDemote: effect("demote", "", '-'),
	OpIsHelper: reads("ishelper", "", 'b'), OpBarrier: effect("barrier", "", '-'),
}

// fixed returns the operands that are not in More.
func (in *Inst) fixed() []Value {
	if in.Op == OpInterpolateAt {
		return in.Args[:interpolateArgs(in.Imm)]
	}
	return in.Args[:arity[in.Op]]
}

// arity is the number of operands in Args.
var arity = func() (n [opCount]uint8) {
	for op := range infos {
		n[op] = uint8(len(infos[op].Args))
	}
	return n
}()

// Operands calls f for each operand of the instruction, which it may replace.
func (in *Inst) Operands(f func(*Value)) {
	fixed := in.fixed()
	for i := range fixed {
		f(&fixed[i])
	}
	for i := range in.More {
		f(&in.More[i])
	}
}

func interpolateArgs(imm uint64) int {
	switch imm >> 32 {
	case 2:
		return 1
	case 3:
		return 2
	}
	return 0
}

// imageReads tells whether an image instruction only reads.
func (p *Program) imageReads(in *Inst) bool {
	k := p.ImageOps[in.Imm].Kind
	return k != ImageWrite && k != ImageAtomic
}
