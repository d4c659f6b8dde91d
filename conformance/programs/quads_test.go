package programs

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Differences within quads: of the row and the column of the lane that asks, or of the first ones; a lane that takes no part
// has the value of the one that asks.
func TestQuads(t *testing.T) {
	rules.Covers(t, "RAS-001", "RAS-294")
	const lanes = 128
	ops := []struct {
		op         spirv.Op
		step       int  // to the other lane
		first, two bool // of the first row and column; the sum of both sizes
	}{
		{spirv.OpDPdxFine, 1, false, false}, {spirv.OpDPdyFine, 2, false, false}, {spirv.OpDPdxCoarse, 1, true, false}, {spirv.OpDPdyCoarse, 2, true, false},
		{spirv.OpFwidthFine, 0, false, true}, {spirv.OpFwidthCoarse, 0, true, true},
	}
	for mask := range 17 { // lanes of a quad that take part; 16: all, without a condition
		m := newModule(lanes, lanes)
		m.need(spirv.CapabilityDerivativeControl, spirv.CapabilityComputeDerivativeGroupLinearKHR)
		m.uses("SPV_KHR_compute_shader_derivatives")
		m.plain = append(m.plain, 5290) // DerivativeGroupLinear
		at := m.invocation()
		x := m.operand(f32, 0, at)
		all := func() {
			for n, o := range ops {
				m.store(f32, n, at, m.of(o.op, f32, x))
			}
		}
		if mask == 16 {
			all()
		} else {
			bit := m.of(spirv.OpShiftRightLogical, i32, m.word(mask), m.of(spirv.OpBitwiseAnd, i32, at, m.word(3)))
			m.when(m.of(spirv.OpINotEqual, boolean, m.of(spirv.OpBitwiseAnd, i32, bit, m.word(1)), m.word(0)), all, nil)
		}
		values, in := make([]float32, lanes), make([]uint32, 2*lanes)
		for i := range values {
			values[i] = float32(i*i)*.37 - float32(i%4)*11
			in[2*i] = math.Float32bits(values[i])
		}
		judge := func(engine string, out []uint32) {
			t.Helper()
			for i := range lanes {
				if mask>>(i&3)&1 == 0 && mask != 16 {
					continue
				}
				value := func(k int) float32 { // of a lane of the quad
					if mask != 16 && mask>>k&1 == 0 {
						k = i & 3
					}
					return values[i&^3|k]
				}
				difference := func(step int, first bool) float32 {
					from := i & 3 &^ step
					if first {
						from = 0
					}
					return value(from+step) - value(from)
				}
				for n, o := range ops {
					want := float32(0)
					if o.two {
						want = float32(math.Abs(float64(difference(1, o.first)))) + float32(math.Abs(float64(difference(2, o.first))))
					} else {
						want = difference(o.step, o.first)
					}
					if got := math.Float32frombits(out[2*(n*lanes+i)]); got != want {
						t.Errorf("%s: %v in lane %d of quads whose lanes %04b take part: %g, want %g", engine, o.op, i, mask, got, want)
						return
					}
				}
			}
		}
		for _, dev := range engines(t) {
			p := load(t, dev, m, inBytes(in), make([]byte, 8*len(ops)*lanes))
			p.run(1)
			judge(dev.Engine(), p.words(1, 2*len(ops)*lanes))
			p.close()
		}
		if o := narrow(); o != nil {
			out := make([]byte, 8*len(ops)*lanes)
			runLanes(t, compiled(t, m), *o, lanes, nil, inBytes(in), out)
			judge("native, 256 bits", wordsOf(out))
		}
	}
}
