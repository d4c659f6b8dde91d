package ir

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// What has no denormals is not flushed: what was flushed, integers, and constants, which become what they are when flushed. What
// may have some is, and so is what was flushed to another width.
func TestFold_Flush(t *testing.T) {
	rules.Covers(t, "RAS-001")
	p := &Program{Name: "flush", Stage: StageCompute, Inputs: []IO{{Type: F32}, {Type: I32}}}
	b := NewBuilder(p)
	x, i := b.OpImm(OpInput, F32, 0), b.OpImm(OpInput, I32, 1)
	flush := func(op WideOp, v ...Value) Value { return b.OpMore(OpWide, F32, uint64(op), v) }
	out := func(v Value) {
		p.Outputs = append(p.Outputs, IO{Type: p.Insts[v].Type})
		b.OpImm(OpOutput, Void, uint64(len(p.Outputs)-1), v)
	}
	once := flush(WideFlush, b.Op(OpFMul, F32, x, x))
	out(flush(WideFlush, once))                     // flushed: 1
	out(flush(WideFlush, b.Op(OpU2F, F32, i)))      // an integer: none
	out(flush(WideFlush, b.Op(OpFFloor, F32, x)))   // none
	out(flush(WideFlush16, flush(WideFlush, x)))    // of two widths: 2
	out(flush(WideFlush, b.Op(OpFSqrt, F32, x)))    // 1
	out(flush(WideFlush, b.Const(F32, 0x80000001))) // none
	wide := func(lo, hi Value) (Value, Value) {
		r := b.OpMore(OpWide, I32, uint64(WideFlush64), []Value{lo, hi})
		return r, b.OpImm(OpResult, I32, 1, r)
	}
	lo, hi := wide(wide(i, b.Op(OpIAdd, I32, i, i))) // 1
	out(lo)
	out(hi)
	b.Finish()
	if err := OptimizeChecked(p); err != nil {
		t.Fatal(err)
	}
	text := p.String()
	if n := strings.Count(text, "wide flush"); n != 5 {
		t.Errorf("%d flushes are left, want 5:\n%s", n, text)
	}
	if !strings.Contains(text, "0x80000000") {
		t.Errorf("a denormal constant did not become -0:\n%s", text)
	}
}
