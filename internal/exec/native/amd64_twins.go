package native

import "github.com/pumice-gpu/pumice/internal/exec/amd64"

// The second half of the lanes of a place lies beside the first, in the same rows: what follows from the record and
// from y alone is the same in both, and a half of numbers of 64 bits is enough to compute.

// findTwins finds the lane registers of which that is so, where quads lie side by side.
func (e pairAMD64) findTwins() {
	e.twin = make([]bool, e.b.lanes)
	if !e.r.places || !e.vectors.PacksQuads() {
		return
	}
	defs := make([]uint8, e.b.lanes)
	for i := range e.b.code {
		e.r.lanesIn(&e.b.code[i], func(v *int32, result bool) {
			if result {
				defs[*v] = min(defs[*v]+1, 2)
			}
		})
	}
	for i := range e.b.code {
		in := &e.b.code[i]
		twin := false
		switch in.Kind {
		case KindPixel:
			twin = in.Imm == 1
		case KindRecord, KindBroadcast, KindVV, KindVU, KindUV, KindWide:
			twin = e.ofTwins(in)
		}
		if twin {
			e.r.lanesIn(in, func(v *int32, result bool) { e.twin[*v] = e.twin[*v] || result && defs[*v] == 1 })
		}
	}
}

// ofTwins says that all lane registers that an instruction reads are twins.
func (e pairAMD64) ofTwins(in *Inst) bool {
	all := true
	e.r.lanesIn(in, func(v *int32, result bool) { all = all && (result || e.twin[*v]) })
	return all
}

// twins writes an operation on 64 bits whose result is a pair: half writes a half of it. That of twins is one.
func (e pairAMD64) twins(in *Inst, out [2]amd64.Z, half func(int)) {
	both := func() {
		half(0)
		half(1)
	}
	if !e.ofTwins(in) {
		both()
		return
	}
	e.packed(0, func() {
		half(0)
		e.Mov1(amd64.VMOVDQU, out[1], amd64.R(out[0]))
	}, both)
}
