package ir

// NaNTaint tells for each value whether it may be a NaN whose payload depends
// on the processor: a result of floating-point arithmetic that has not been
// made canonical.
//
// Engines make such values canonical (0x7FC00000) where their bits become
// visible: in OpOutput, in stores, atomics and image operands, and in an
// OpBitcast to I32. That is cheaper than doing so after each addition, and
// values that only pass through as F32 (loads, uintBitsToFloat, selections and
// registers of them) keep their bits, which programs that carry integers in
// floats rely on. The rule is a property of the program, so engines agree.
func NaNTaint(p *Program) []bool {
	taint := make([]bool, len(p.Insts))
	vars := make([]bool, len(p.Vars))
	bounds := intervals(p)
	for changed := true; changed; {
		changed = false
		for i := range p.Insts {
			in := &p.Insts[i]
			t := false
			switch in.Op {
			case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFma, OpFSqrt, OpFInvSqrt, OpFFloor, OpFCeil, OpFTrunc, OpFRoundEven,
				OpDdxFine, OpDdyFine, OpDdxCoarse, OpDdyCoarse:
				t = !bounds[i].number
			case OpFNeg, OpFAbs, OpFRem:
				t = taint[in.Args[0]]
			case OpSelect:
				t = in.Type == F32 && (taint[in.Args[1]] || taint[in.Args[2]])
			case OpBitcast:
				t = in.Type == F32 && taint[in.Args[0]]
			case OpInput: // interpolated by the pipeline, whose arithmetic is float too
				t = in.Type == F32 && p.Stage == StageFragment && p.Inputs[in.Imm].Interp != Flat
			case OpInterpolateAt:
				t = true
			case OpImage: // filtering is arithmetic; fetches and reads move bits
				k := p.ImageOps[in.Imm].Kind
				t = in.Type == F32 && (k == ImageSample || k == ImageQueryLod)
			case OpGroup: // shuffles move bits
				if g := GroupOf(in.Imm); in.Type == F32 && len(in.More) > 0 {
					t = g.scans() || g.Kind == GroupProduct || taint[in.More[0]]
				}
			case OpWide:
				op := WideOp(in.Imm)
				t = op == WideFlush || op == WideFlush16
			case OpResult:
				t = taint[in.Args[0]]
			case OpVarGet:
				t = vars[in.Imm]
			case OpVarSet:
				if taint[in.Args[0]] && !vars[in.Imm] {
					vars[in.Imm], changed = true, true
				}
			}
			if t && !taint[i] {
				taint[i], changed = true, true
			}
		}
	}
	return taint
}
