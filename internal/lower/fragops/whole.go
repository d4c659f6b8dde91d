package fragops

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// Unwritten stands for an output that a shader does not have.
const Unwritten = -1

// Target is a colour attachment of a Tail.
type Target struct {
	ColorKey
	// Source and Second are the shader's output slots of the components, or Unwritten. Integer:
	// they are integers, of which a missing alpha is 1 as well.
	Source, Second [4]int16
	Integer        bool
	// Constants is where in records the push constants are, of keys with Pushed.
	Constants int
}

// Tail is what follows a shader that is one program with it: coverage that it changes, tests, and
// attachments, surfaces 0 to Count-1, after which come depth and stencil. It can be compared.
type Tail struct {
	Targets [MaxTargets]Target
	Count   int
	// Masks and Alpha are the slots that coverage depends on, of a key with these.
	Coverage CoverageKey
	Masks    [MaskWords]int16
	Alpha    int16
	// One is the slot of an alpha that becomes 1 after that, or Unwritten.
	One int16
	// Tested: there are Tests, whose DepthPush is in records at TestsAt. Depth and Stencil are the slots of what
	// the shader writes for them.
	Tested         bool
	Tests          DepthKey
	TestsAt        int
	Depth, Stencil int16
}

// MaxTargets is how many attachments a Tail may have.
const MaxTargets = ir.MaxSurfaces - 2

// Initial is what an output holds where a shader does not write it: all samples of a mask, alpha 1,
// the fragment's own depth, the state's reference, else 0.
//
// RAS-310, RAS-311, RAS-349
func (t *Tail) Initial(b *ir.Builder, slot int, depth func() ir.Value) ir.Value {
	typ, v := b.P.Outputs[slot].Type, uint32(0)
	switch {
	case t.Tested && t.Tests.Written && slot == int(t.Depth):
		return depth()
	case t.Tested && t.Tests.Referenced && slot == int(t.Stencil):
		return b.OpImm(ir.OpRecord, typ, uint64(t.TestsAt+4*pushReference))
	}
	for w, mask := range t.Masks {
		if t.Coverage.Mask>>w&1 != 0 && slot == int(mask) {
			return b.Const(typ, math.MaxUint32)
		}
	}
	for i := range t.Targets[:t.Count] {
		if c := &t.Targets[i]; int(c.Source[3]) == slot {
			v = c.missing(3)
			break
		}
	}
	return b.Const(typ, v)
}

// missing is component i of a source that does not have it.
func (c *Target) missing(i int) uint32 {
	switch {
	case i < 3:
		return 0
	case c.Integer:
		return 1
	}
	return math.Float32bits(1)
}

// Lower adds the tail to a program on places, which are left with what is still covered; output is what the
// shader left in a slot.
func (t *Tail) Lower(b *ir.Builder, output func(slot int) ir.Value) {
	as := func(to ir.Type, v ir.Value) ir.Value {
		if b.P.Insts[v].Type != to {
			v = b.Op(ir.OpBitcast, to, v)
		}
		return v
	}
	var taken []ir.Value
	if t.Coverage.Live {
		taken = append(taken, b.Op(ir.OpNot, ir.Bool, b.Op(ir.OpIsHelper, ir.Bool)))
	}
	for w, mask := range t.Masks {
		if t.Coverage.Mask>>w&1 != 0 {
			taken = append(taken, as(ir.I32, output(int(mask))))
		}
	}
	if t.Coverage.Alpha {
		taken = append(taken, as(ir.F32, output(int(t.Alpha))))
	}
	covered := t.Coverage.keep(b, taken)
	if t.Tested {
		x := &depthBuilder{Builder: b, k: t.Tests, surface: uint8(t.Count), pushAt: t.TestsAt}
		if t.Tests.Written {
			x.written = as(ir.F32, output(int(t.Depth)))
		}
		if t.Tests.Referenced {
			x.referenced = as(ir.I32, output(int(t.Stencil)))
		}
		covered = x.place(t.Coverage.Samples, covered)
	} else if len(taken) > 0 {
		cover(b, covered)
	}
	for i := range t.Targets[:t.Count] {
		c := &t.Targets[i]
		info, _ := format.Lookup(c.Format)
		x := newBuilder(b, c.ColorKey, info)
		x.constants = c.Constants
		for k, slot := range c.Source {
			v := b.I32(c.missing(k))
			switch {
			case slot == Unwritten:
			case slot == t.One: // RAS-318, RAS-319
				v = b.I32(fragops.AlphaOne)
			default:
				v = output(int(slot))
			}
			x.source = append(x.source, as(c.sourceType(info), v))
		}
		for _, slot := range c.Second {
			v := b.F32(0) // RAS-342
			if slot != Unwritten {
				v = output(int(slot))
			}
			x.second = append(x.second, as(ir.F32, v))
		}
		x.store(i, t.Coverage.Samples, covered)
	}
}
