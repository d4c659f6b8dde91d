package ir

// Op is an operation. The comment gives operands (a, b, c = Args), immediate
// and result. Unless noted, operands and result have the type the name says.
type Op uint8

const (
	OpNop Op = iota

	// Constants, interface, registers.
	OpConst  // Imm = bits
	OpInput  // Imm = input slot
	OpOutput // Imm = output slot, a = value; writes the lanes of the execution mask
	OpVarGet // Imm = VarID
	OpVarSet // Imm = VarID, a = value; writes the lanes of the execution mask
	OpResult // a = instruction with several results, Imm = 1, 2, 3: that result (result 0 is the instruction's own value)

	// Integers (I32). Shifts use the low 5 bits of b. Division by zero gives
	// all ones (u) or -1 (s); INT_MIN / -1 gives INT_MIN, remainder 0; remainders by zero give a.
	OpIAdd
	OpISub
	OpIMul
	OpIMulHiU
	OpIMulHiS
	OpIDot16 // a·b of the lower halves plus that of the upper ones, halves with signs
	OpUDiv
	OpSDiv
	OpURem
	OpSRem // sign of a
	OpSMod // sign of b
	OpINeg
	OpAnd // also Bool
	OpOr  // also Bool
	OpXor // also Bool
	OpNot // also Bool
	OpShl
	OpShrU
	OpShrS
	OpSMin
	OpSMax
	OpUMin
	OpUMax
	OpBitCount
	OpBitReverse
	OpFindLSB  // -1 for 0
	OpFindSMSB // GLSL findMSB(int)
	OpFindUMSB
	OpBitFieldU // a = base, b = offset, c = count
	OpBitFieldS
	OpBitFieldMask // a = offset, b = count: ((1<<count)-1)<<offset, offset and count 0..32 (insert is built from it)

	// Comparisons give Bool.
	OpIEq // also Bool
	OpINe // also Bool
	OpSLt
	OpSLe
	OpULt
	OpULe
	OpFEq // ordered
	OpFNe // unordered: true for NaN
	OpFLt // ordered
	OpFLe // ordered
	OpFOrd
	OpFUnord
	OpFIsNan
	OpFIsInf
	OpSelect // a = Bool, b = value where true, c = value where false

	// Floats (F32), one rounding each, round to nearest even, denormals kept,
	// result NaNs canonical where an engine would otherwise differ (0x7FC00000).
	OpFAdd
	OpFSub
	OpFMul
	OpFDiv
	OpFma // one rounding
	OpFNeg
	OpFAbs
	OpFMin // IEEE minNum: the other operand if one is NaN; -0 < +0
	OpFMax
	OpFSign
	OpFFloor
	OpFCeil
	OpFTrunc
	OpFRoundEven
	OpFSqrt
	OpFRem // sign of a, exact (C fmod)
	// Transcendentals: fixed bits, package fp.
	OpFExp2
	OpFLog2
	OpFExp
	OpFLog
	OpFPow
	OpFSin
	OpFCos
	OpFTan
	OpFAsin
	OpFAcos
	OpFAtan
	OpFAtan2 // a = y, b = x
	OpFSinh
	OpFCosh
	OpFTanh
	OpFAsinh
	OpFAcosh
	OpFAtanh
	OpFInvSqrt   // 1/sqrt(a): two roundings
	OpFLdexp     // a float, b i32
	OpFrexpMant  // F32
	OpFrexpExp   // I32
	OpQuantize16 // to binary16 and back

	// Conversions.
	OpF2S // truncate; saturate; NaN gives 0
	OpF2U
	OpS2F // round to nearest even
	OpU2F
	OpF2H     // F32 → low 16 bits of I32
	OpH2F     // low 16 bits of I32 → F32
	OpBitcast // any 32-bit type to Type

	// Quad operations (fragment lanes are quad-major: 4q..4q+3, order y*2+x).
	// A lane outside the execution mask contributes the value of the lane
	// that asks, so that results never depend on batch composition.
	OpDdxFine
	OpDdyFine
	OpDdxCoarse
	OpDdyCoarse

	// Memory. Offsets are bytes, 4-aligned; every access is bounded: a load
	// outside gives 0, a store outside is dropped (robustBufferAccess2).
	// Stores and atomics act only in lanes that are in the execution mask and
	// live (not helpers, not demoted). Private memory is a lane's own, so
	// helpers write it too; it starts as zeros, as Vars do.
	OpLoadBuffer    // Imm = resource, a = descriptor element, b = byte offset
	OpStoreBuffer   // Imm = resource, a = descriptor element, b = byte offset, c = value
	OpBufferSize    // Imm = resource, a = descriptor element: bytes
	OpAtomicBuffer  // Imm = resource | AtomicOp<<32; More = element, offset, value[, comparator]; result = old value
	OpLoadPush      // a = byte offset
	OpLoadTable     // a = byte offset in Program.Table
	OpLoadShared    // a = byte offset
	OpStoreShared   // a = byte offset, b = value
	OpAtomicShared  // Imm = AtomicOp<<32; More = offset, value[, comparator]
	OpLoadPrivate   // a = byte offset in the lane's private memory
	OpStorePrivate  // a = byte offset, b = value
	OpImage         // Imm = ImageOps index; operands in More; several results
	OpInterpolateAt // Imm = input slot | mode<<32 (1 centroid, 2 sample: a = index, 3 offset: a, b = x, y)

	// Control.
	OpBreak    // Imm = how many loops out, 1 = the innermost (Once loops count)
	OpContinue // Imm likewise
	OpDemote   // the lane becomes a helper: its live mask is cleared, it runs on
	OpIsHelper // Bool: the lane is a helper or was demoted
	OpBarrier  // Imm = Barrier: workgroup execution and memory barrier, or a subgroup's memory

	// Subgroups, 64-bit numbers, and memory beyond plain words. Operands are
	// lists.
	OpGroup     // Imm = Group
	OpWide      // Imm = WideOp; pairs are (low, high); result 1 is the high word
	OpBlock     // Imm = VkFormat of blocks, and bits from BlockCodes on; More = the words of a block, 2 or 4, and the place of a texel in it, row by row (beyond it: any); results = the texel's components, or one word of codes
	OpLoadMem   // Imm = Mem; More = address
	OpStoreMem  // Imm = Mem; More = address, value
	OpAtomicMem // Imm = Mem; More = address, value words[, comparator words]; result = old value, result 1 its high word

	// Stages between vertices and fragments.
	OpLoadVertex // Imm = slot of VertexInputs, a = vertex of the lane's primitive; 0 for vertices that it has not
	OpPrint      // Imm = index of Prints; More = the words of its arguments; live lanes of the mask tell exec.Context.Print or Outside
	OpTrace      // Imm = index of Traces; More = words; lanes of the mask, helpers too, tell exec.Context.Trace
	OpEmit       // Imm = slot of Emits, a = number of the vertex, b = value; dropped from Shape.MaxVertices on

	// Places: where lanes are in attachments, 16 of them each (exec.Place). Programs that
	// have these are straight lines; a place sees what places before it have stored.
	OpPixel      // Imm = 0, 1: x, y of the lane's pixel
	OpRecord     // Imm = byte offset, 4-aligned: that word of the place's record
	OpCovered    // Imm = sample: Bool, the lane is covered
	OpCover      // Imm = sample, a = Bool: covers the lanes where a is true, and no others
	OpLoadTexel  // Imm = Texel: a word of the pixel in an attachment; 0 where the lane is not covered
	OpStoreTexel // Imm = Texel; More = for each word from Texel.Word on where it is stored, and the word

	opCount
)

// ResourceAndAtomic packs the immediate of OpAtomicBuffer.
func ResourceAndAtomic(resource int, op AtomicOp) uint64 { return uint64(resource) | uint64(op)<<32 }
