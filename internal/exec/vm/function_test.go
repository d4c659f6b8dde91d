package vm

import (
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/ir/lane"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// Each function has the bits of package fp, on every engine: for arguments of all sizes, and at the
// ends of what its steps are for.
func TestFunctions_SameBits(t *testing.T) {
	rules.Covers(t, "RAS-001")
	eachMachine(t, functions)
}

func functions(t *testing.T) {
	ends := []uint32{
		0, 1, 0x007FFFFF, 0x00800000, 0x00800001, 0x33800000, 0x3F000000, 0x3F3504F2, 0x3F3504F3, 0x3F638FFF, 0x3F639000,
		0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3F8F9FFF, 0x3F8FA000, 0x3F8FA001, 0x3FB504F3, 0x3FC90FDA, 0x3FC90FDB,
		0x3F1FFFFF, 0x3F200000, 0x40000000, 0x411FFFFF, 0x41200000, 0x42AE0000, 0x42B17217, 0x42B17218, 0x42CFF1B5, 0x42FFFFFF, 0x43000000, 0x43010000, 0x43160000,
		0x43170000, 0x43180000, 0x487FFFFF, 0x48800000, 0x49800000, 0x4B000000, 0x7E800000, 0x7E800001, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000,
	}
	var list []uint32
	for _, b := range ends {
		list = append(list, b, b|1<<31)
	}
	for b := uint64(0); b < 1<<32; b += 1<<20 - 3 {
		list = append(list, uint32(b))
	}
	r := rand.New(rand.NewPCG(3, 9))
	for range share(200_000, 10) {
		list = append(list, 0x3A000000+r.Uint32N(0x09000000)|r.Uint32()&(1<<31)) // what programs pass
	}
	alone := len(list)
	for range 2 * len(ends) { // and of ends with each other
		list = append(list, list[:2*len(ends)]...)
	}
	for _, op := range []ir.Op{
		ir.OpFExp2, ir.OpFExp, ir.OpFLog2, ir.OpFLog, ir.OpFPow, ir.OpFSin, ir.OpFCos, ir.OpFTan, ir.OpFAsin, ir.OpFAcos, ir.OpFAtan,
		ir.OpFAtan2, ir.OpFSinh, ir.OpFCosh, ir.OpFTanh, ir.OpFAsinh, ir.OpFAcosh, ir.OpFAtanh, ir.OpFLdexp,
	} {
		info, _ := ir.InfoOf(op)
		second := ir.F32
		if op == ir.OpFLdexp {
			second = ir.I32
		}
		p := program(t, ir.StageCompute, []ir.Type{ir.F32, second}, []ir.Type{ir.F32}, func(b *ir.Builder, in []ir.Value) {
			output(b, 0, b.Op(op, ir.F32, in[:len(info.Args)]...))
		})
		other := make([]uint32, len(list))
		for i := range other {
			if i >= alone {
				other[i] = list[(i-alone)/(2*len(ends))]
				continue
			}
			other[i] = list[(i*7919+i/len(ends))%len(list)]
			if i%2 == 0 { // a small power
				other[i] = 0x3F000000 + r.Uint32N(0x03000000) | r.Uint32()&(1<<31)
			}
			if op == ir.OpFLdexp && i%8 > 0 {
				other[i] = r.Uint32N(600) - 300
			}
		}
		out := runLanes(t, p, &exec.Context{}, &exec.Batch{N: len(list), In: [][]uint32{list, other}})
		for i, x := range list {
			want, _ := ir.Eval(op, x, other[i], 0)
			if want = lane.Canon(want); out[0][i] != want {
				t.Fatalf("%v of %08x, %08x: %08x, want %08x", op, x, other[i], out[0][i], want)
			}
		}
	}
}
