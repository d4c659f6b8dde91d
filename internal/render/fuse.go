package render

import (
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/render/rates"

	"github.com/pumice-gpu/pumice/internal/exec"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
)

// A fragment shader that has run often becomes one program with that of its inputs, and with all that
// follows, which then stays in registers. First draws do not wait for it.

// fuseAfter is the number of lanes after which the next pass has the fused program, by default.
const fuseAfter = 1 << 14

// maxFusions bounds the keys of which something is known.
const maxFusions = 1024

// fusionKey is a shader, where its inputs come from and its outputs go.
type fusionKey struct {
	shader exec.Routine
	inputs inputsKey
	tail   lowered.Tail
}

// fusion is what is known of a key.
type fusion struct {
	lanes    atomic.Int64 // shaded before it was fused
	fused    bool
	routines [inputs.Warped + 1]exec.Routine // by planes, the last perhaps nil
}

// routine is the fused program of a plan for some planes.
func (f *fusion) routine(
	pl *passPlan, p *placedPlan, planes inputs.Planes,
) (exec.Routine, error) {
	if f.routines[planes] != nil {
		return f.routines[planes], nil
	}
	shader := p.shader.Program()
	tail := p.tail
	tail.Tests.Warped = planes == inputs.Warped
	q, err := inputs.Fuse(shader, p.list, p.slots, p.where, planes, &tail)
	if err == nil {
		f.routines[planes], err = pl.x.cfg.Engine.Compile(q)
	}
	return f.routines[planes], err
}

// fuse finds the fused programs of a state's fragments, and makes them when it is time; within says
// that they have the state's tests.
func (p *placedPlan) fuse(pl *passPlan, s *drawState, within bool) error {
	p.shader, p.slots = s.pipe.desc.Fragment, make([]int, len(p.list))
	p.fused = [inputs.Warped]int{none, none}
	for i := range p.slots {
		p.slots[i] = s.link.inputs[i].slot
	}
	at := p.where.At != 0                // what is left of these instructions but fused?
	if (p.live || s.alone == s) && !at { // a fused program would have to know
		p.fusion = new(fusion)
		return nil
	}
	// Samples that a mask adds are not those that programs with a tail look out for.
	if len(p.shares) == 1 && p.rate == (rates.Rate{}) && !p.live && !p.takes.Override && len(p.smoothed) == 0 && s.alone != s {
		p.addTail(pl, s, within)
	}
	f := p.fusionIn(pl.x)
	p.fusion = f
	now := f.lanes.Load() >= pl.x.fuseAfter || at && within == tested(s.after)
	if !f.fused && now && len(p.slots) == len(p.shader.Program().Inputs) {
		for planes := range inputs.Warped {
			if _, err := f.routine(pl, p, planes); err != nil {
				return err
			}
		}
		f.fused = true
	}
	for planes := range p.fused {
		if f.fused {
			p.fused[planes] = pl.Number(f.routines[planes])
		}
	}
	return nil
}

// fusionIn is what is known of the plan's programs. One goroutine at a time.
func (p *placedPlan) fusionIn(x *Executor) *fusion {
	key := make([]byte, 0, 2*len(p.list))
	for i, in := range p.list {
		key = append(key, byte(in), byte(p.slots[i]))
	}
	k := fusionKey{p.shader, inputsKey{p.where, string(key)}, p.tail}
	f := x.fusions[k]
	if f == nil {
		if len(x.fusions) >= maxFusions {
			clear(x.fusions)
		}
		f = new(fusion)
		x.fusions[k] = f
	}
	return f
}

// addTail finds the part of the fused programs that follows the shader: none where there are more
// attachments than it may have, or tests that differ between faces or viewports.
func (p *placedPlan) addTail(pl *passPlan, s *drawState, tested bool) {
	o := &s.link.outs
	t := lowered.Tail{Coverage: p.takes, One: lowered.Unwritten}
	t.Coverage.Samples = p.shares[0].Window
	if tested && !p.addTests(pl, s, &t) {
		return
	}
	for i, tail := range p.tails {
		if tail == nil {
			continue
		}
		if t.Count == len(t.Targets) {
			return
		}
		c, key := &o.color[s.location[i]], tail.key
		g := lowered.Target{ColorKey: key, Source: slots16(c.slot), Second: slots16(o.second.slot), Integer: c.integer}
		if key.Pushed() {
			g.Constants = p.size
			p.constants = append(p.constants, constants{p.size, tail.ctx.Push})
			p.size += len(tail.ctx.Push)
		}
		p.surfaces = append(p.surfaces, i)
		t.Targets[t.Count] = g
		t.Count++
	}
	for w := range t.Masks {
		t.Masks[w] = int16(o.masks[w])
	}
	t.Alpha, t.Depth, t.Stencil = int16(o.color[0].slot[3]), int16(o.depth), int16(o.stencil)
	for _, slot := range p.ones {
		t.One = int16(slot)
	}
	p.tail = t
}

// addTests adds tests after the shader to its tail; false where they are not of one key.
func (p *placedPlan) addTests(pl *passPlan, s *drawState, tail *lowered.Tail) bool {
	for i := range s.tests {
		t := &s.tests[i]
		for _, n := range t.Tails {
			if i == 0 {
				tail.Tested = t.Active()
			}
			if tail.Tested != t.Active() {
				return false
			}
			if !tail.Tested {
				continue
			}
			key := s.lateKey(pl.Tests[n-1], s.ss)
			if key.Grid { // records have no room for all places
				return false
			}
			if i == 0 && n == t.Tails[0] {
				tail.Tests = key
			}
			if key != tail.Tests {
				return false
			}
		}
	}
	if tail.Tested {
		tail.TestsAt = p.size
		p.size += (len(pl.Tests[s.tests[0].Tails[0]-1].Placed.Ctx.Push) + 7) &^ 7
	}
	return true
}

// slots16 are slots as the key of a tail has them.
func slots16(list [4]int) (to [4]int16) {
	for i, slot := range list {
		to[i] = int16(slot) // none is lowered.Unwritten
	}
	return to
}
