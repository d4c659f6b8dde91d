package ir

import "github.com/pumice-gpu/pumice/internal/ir/lane"

// Eval computes a pure arithmetic operation in one lane; false where op is
// none.
func Eval(op Op, a, b, c uint32) (uint32, bool) {
	if int(op) >= len(evals) {
		return 0, false
	}
	switch e := &evals[op]; {
	case e.one != nil:
		return e.one(a), true
	case e.two != nil:
		return e.two(a, b), true
	case e.three != nil:
		return e.three(a, b, c), true
	}
	return 0, false
}

// Evaluates tells whether Eval computes op.
func Evaluates(op Op) bool {
	return op < opCount && (evals[op].one != nil || evals[op].two != nil || evals[op].three != nil)
}

type eval struct {
	one   func(a uint32) uint32
	two   func(a, b uint32) uint32
	three func(a, b, c uint32) uint32
}

var evals = [opCount]eval{
	OpIAdd: {two: lane.IAdd}, OpISub: {two: lane.ISub}, OpIMul: {two: lane.IMul}, OpIMulHiU: {two: lane.IMulHiU}, OpIMulHiS: {two: lane.IMulHiS},
	OpIDot16: {two: lane.IDot16}, OpUDiv: {two: lane.UDiv}, OpSDiv: {two: lane.SDiv}, OpURem: {two: lane.URem}, OpSRem: {two: lane.SRem}, OpSMod: {two: lane.SMod},
	OpINeg: {one: lane.INeg}, OpAnd: {two: lane.And}, OpOr: {two: lane.Or}, OpXor: {two: lane.Xor}, OpNot: {one: lane.Not},
	OpShl: {two: lane.Shl}, OpShrU: {two: lane.ShrU}, OpShrS: {two: lane.ShrS},
	OpSMin: {two: lane.SMin}, OpSMax: {two: lane.SMax}, OpUMin: {two: lane.UMin}, OpUMax: {two: lane.UMax},
	OpBitCount: {one: lane.BitCount}, OpBitReverse: {one: lane.BitReverse}, OpFindLSB: {one: lane.FindLSB}, OpFindSMSB: {one: lane.FindSMSB}, OpFindUMSB: {one: lane.FindUMSB},
	OpBitFieldU: {three: lane.BitFieldU}, OpBitFieldS: {three: lane.BitFieldS}, OpBitFieldMask: {two: lane.BitFieldMask},
	OpIEq: {two: lane.IEq}, OpINe: {two: lane.INe}, OpSLt: {two: lane.SLt}, OpSLe: {two: lane.SLe}, OpULt: {two: lane.ULt}, OpULe: {two: lane.ULe},
	OpFEq: {two: lane.FEq}, OpFNe: {two: lane.FNe}, OpFLt: {two: lane.FLt}, OpFLe: {two: lane.FLe}, OpFOrd: {two: lane.FOrd}, OpFUnord: {two: lane.FUnord},
	OpFIsNan: {one: lane.FIsNan}, OpFIsInf: {one: lane.FIsInf}, OpSelect: {three: lane.Select},
	OpFAdd: {two: lane.FAdd}, OpFSub: {two: lane.FSub}, OpFMul: {two: lane.FMul}, OpFDiv: {two: lane.FDiv}, OpFma: {three: lane.Fma},
	OpFNeg: {one: lane.FNeg}, OpFAbs: {one: lane.FAbs}, OpFMin: {two: lane.FMin}, OpFMax: {two: lane.FMax}, OpFSign: {one: lane.FSign},
	OpFFloor: {one: lane.FFloor}, OpFCeil: {one: lane.FCeil}, OpFTrunc: {one: lane.FTrunc}, OpFRoundEven: {one: lane.FRoundEven},
	OpFSqrt: {one: lane.FSqrt}, OpFRem: {two: lane.FRem},
	OpFExp2: {one: lane.FExp2}, OpFLog2: {one: lane.FLog2}, OpFExp: {one: lane.FExp}, OpFLog: {one: lane.FLog}, OpFPow: {two: lane.FPow},
	OpFSin: {one: lane.FSin}, OpFCos: {one: lane.FCos}, OpFTan: {one: lane.FTan}, OpFAsin: {one: lane.FAsin}, OpFAcos: {one: lane.FAcos}, OpFAtan: {one: lane.FAtan},
	OpFAtan2: {two: lane.FAtan2}, OpFSinh: {one: lane.FSinh}, OpFCosh: {one: lane.FCosh}, OpFTanh: {one: lane.FTanh},
	OpFAsinh: {one: lane.FAsinh}, OpFAcosh: {one: lane.FAcosh}, OpFAtanh: {one: lane.FAtanh}, OpFInvSqrt: {one: lane.FInvSqrt},
	OpFLdexp: {two: lane.FLdexp}, OpFrexpMant: {one: lane.FrexpMant}, OpFrexpExp: {one: lane.FrexpExp}, OpQuantize16: {one: lane.Quantize16},
	OpF2S: {one: lane.F2S}, OpF2U: {one: lane.F2U}, OpS2F: {one: lane.S2F}, OpU2F: {one: lane.U2F}, OpF2H: {one: lane.F2H}, OpH2F: {one: lane.H2F}, OpBitcast: {one: lane.Bitcast},
}
