package render

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// Which states are shaded in places, and in how many shares of a pixel's samples.
func TestPlaces_States(t *testing.T) {
	if !newExecutor(Config{}).runsPlaces() {
		t.Skip("no programs on places here")
	}
	reads := func(builtin ir.Builtin, typ ir.Type) func(s *scene) {
		return func(s *scene) {
			s.fs = fragmentProgram(func(p *ir.Program, b *ir.Builder, color [4]ir.Value) {
				if builtin == ir.BuiltinFragDepth {
					p.Outputs = append(p.Outputs, inout(builtin, 0, 0, typ))
					b.OpImm(ir.OpOutput, ir.Void, 4, color[0])
					return
				}
				p.Inputs = append(p.Inputs, inout(builtin, 0, 0, typ))
				v := b.OpImm(ir.OpInput, typ, uint64(len(p.Inputs)-1))
				switch typ {
				case ir.I32:
					v = b.Op(ir.OpS2F, ir.F32, v)
				case ir.Bool:
					v = b.Op(ir.OpSelect, ir.F32, v, b.F32(1), b.F32(0))
				}
				b.OpImm(ir.OpOutput, ir.Void, 0, v)
			})
		}
	}
	tested := func(s *scene) {
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp = true, true, vk.CompareOpLess
	}
	shaded := func(invocations int) func(s *scene) {
		return func(s *scene) {
			s.state.SampleShadingOn, s.state.SampleShadingEnable, s.state.SampleInvocations = true, true, invocations
		}
	}
	both := func(a, b func(s *scene)) func(s *scene) { return func(s *scene) { a(s); b(s) } }
	for name, c := range map[string]struct {
		samples, shares int // 0: quads
		make            func(s *scene)
	}{
		"plain":                       {1, 1, func(*scene) {}},
		"two samples":                 {2, 2, shaded(2)},
		"sixteen samples":             {16, 16, shaded(16)},
		"three shares of eight":       {8, 3, shaded(3)},
		"two shares of sixteen":       {16, 2, shaded(2)},
		"sixteen at once":             {16, 1, func(*scene) {}},
		"late tests of shares":        {16, 16, both(shaded(16), both(tested, func(s *scene) { s.state.AlphaToCoverageEnable = true }))},
		"written depth":               {4, 1, both(tested, reads(ir.BuiltinFragDepth, ir.F32))},
		"interlock":                   {4, 1, both(tested, func(s *scene) { s.fs.Interlocked = true })},
		"PointCoord":                  {4, 1, reads(ir.BuiltinPointCoord, ir.F32)},
		"SampleID":                    {4, 4, both(shaded(4), reads(ir.BuiltinSampleID, ir.I32))},
		"SamplePosition":              {4, 4, both(shaded(4), reads(ir.BuiltinSamplePosition, ir.F32))},
		"SampleMask":                  {4, 1, reads(ir.BuiltinSampleMask, ir.I32)},
		"SampleMask after depth test": {4, 0, both(tested, reads(ir.BuiltinSampleMask, ir.I32))},
		"HelperInvocation":            {4, 1, reads(ir.BuiltinHelperInvocation, ir.Bool)},
	} {
		s := newScene(t, 16, 16, c.samples, vk.FormatD32Sfloat)
		s.state.Blend[0].BlendEnable = true
		c.make(s)
		s.add(s.pipeline(t, 256), s.state, make([]float32, 24), 8)
		plan, err := newExecutor(Config{Threads: 1, Lanes: 256}).newPlan(&s.pass)
		if err != nil {
			t.Fatal(err)
		}
		shares := 0
		if p := plan.draws[0].state.placed; p != nil {
			shares = len(p.shares)
		}
		if shares != c.shares {
			t.Errorf("%s: %d shares, want %d", name, shares, c.shares)
		}
	}
}
