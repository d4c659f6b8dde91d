package fragment

import (
	"slices"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/exec"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/render/rates"
)

// A fragment shader that has run often becomes one program with that of its inputs, and with all that
// follows, which then stays in registers. First draws do not wait for it.

// FuseAfter is the number of lanes after which the next pass has the fused program, by default.
const FuseAfter = 1 << 14

// maxFusions bounds the keys of which something is known.
const maxFusions = 1024

// FusionKey is a shader, where its inputs come from and its outputs go.
type FusionKey struct {
	shader exec.Routine
	inputs inputsKey
	Tail   lowered.Tail
}

// Fusion is what is known of a key.
type Fusion struct {
	Lanes    atomic.Int64 // shaded before it was fused
	Fused    bool
	Never    bool                            // it cannot be
	routines [inputs.Warped + 1]exec.Routine // by planes, the last perhaps nil
}

// Routine is the fused program of a plan for some planes.
func (f *Fusion) Routine(
	pl *Pass, p *Plan, planes inputs.Planes,
) (exec.Routine, error) {
	if f.routines[planes] != nil {
		return f.routines[planes], nil
	}
	shader := p.Shader.Program()
	tail := p.tail
	tail.Tests.Warped = planes == inputs.Warped
	q, err := inputs.Fuse(shader, p.list, p.slots, p.Where, planes, &tail)
	if err == nil {
		f.routines[planes], err = pl.Made.Engine.Compile(q)
	}
	return f.routines[planes], err
}

// fuse finds the fused programs of a state's fragments, and makes them when it is time; within says
// that they have the state's tests.
func (p *Plan) fuse(pl *Pass, s *State, within bool) error {
	p.Shader, p.slots = s.Code, make([]int, len(p.list))
	p.Fused = [inputs.Warped]int{none, none}
	for i := range p.slots {
		p.slots[i] = s.Link.Inputs[i].Slot
	}
	at := p.Where.At != 0          // what is left of these instructions but fused?
	if (p.live || s.Told) && !at { // a fused program would have to know
		p.Fusion = &Fusion{Never: true}
		return nil
	}
	// Samples that a mask adds are not those that programs with a tail look out for.
	if len(p.Shares) == 1 && p.Rate == (rates.Rate{}) && !p.live && !p.takes.Override && len(p.Smoothed) == 0 && !s.Told {
		p.addTail(pl, s, within)
	}
	f := pl.Common.FusionOf(p)
	p.Fusion = f
	now := f.Lanes.Load() >= pl.Common.FuseAfter || at && within == Tested(s.After)
	f.Never = len(p.slots) != len(p.Shader.Program().Inputs)
	if !f.Fused && now && !f.Never {
		for planes := range inputs.Warped {
			if _, err := f.Routine(pl, p, planes); err != nil {
				return err
			}
		}
		f.Fused = true
	}
	for planes := range p.Fused {
		if f.Fused {
			p.Fused[planes] = pl.Number(f.routines[planes])
		}
	}
	return nil
}

// Ripe says that the next pass has fused programs of the state that this one has not.
func (s *State) Ripe(pl *Pass) bool {
	return slices.ContainsFunc([]*Plan{s.Plan, s.Direct}, func(p *Plan) bool {
		return p != nil && p.Fused[0] == none && !p.Fusion.Never &&
			p.Fusion.Lanes.Load() >= pl.Common.FuseAfter
	})
}

// FusionOf is what is known of a plan's programs. One goroutine at a time.
func (c *Common) FusionOf(p *Plan) *Fusion {
	key := make([]byte, 0, 2*len(p.list))
	for i, in := range p.list {
		key = append(key, byte(in), byte(p.slots[i]))
	}
	k := FusionKey{p.Shader, inputsKey{p.Where, string(key)}, p.tail}
	f := c.Fusions[k]
	if f == nil {
		if len(c.Fusions) >= maxFusions {
			clear(c.Fusions)
		}
		f = new(Fusion)
		c.Fusions[k] = f
	}
	return f
}

// addTail finds the part of the fused programs that follows the shader: none where there are more
// attachments than it may have, or tests that differ between faces or viewports.
func (p *Plan) addTail(pl *Pass, s *State, tested bool) {
	o := &s.Link.Outs
	t := lowered.Tail{Coverage: p.takes, One: lowered.Unwritten}
	t.Coverage.Samples = p.Shares[0].Window
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
		c, key := &o.Color[s.Location[i]], tail.key
		g := lowered.Target{ColorKey: key, Source: slots16(c.Slot), Second: slots16(o.Second.Slot), Integer: c.Integer}
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
		t.Masks[w] = int16(o.Masks[w])
	}
	t.Alpha, t.Depth, t.Stencil = int16(o.Color[0].Slot[3]), int16(o.Depth), int16(o.Stencil)
	for _, slot := range p.Ones {
		t.One = int16(slot)
	}
	p.tail = t
}

// addTests adds tests after the shader to its tail; false where they are not of one key.
func (p *Plan) addTests(pl *Pass, s *State, tail *lowered.Tail) bool {
	for i := range s.Tests {
		t := &s.Tests[i]
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
			key := s.lateKey(pl.Tests[n-1], s.Locations)
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
		p.size += (len(pl.Tests[s.Tests[0].Tails[0]-1].Placed.Ctx.Push) + 7) &^ 7
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

// Forget gives up what is known of a shader, and has its programs dropped.
func (c *Common) Forget(shader exec.Routine, drop func(exec.Routine)) {
	for k, f := range c.Fusions {
		if k.shader != shader {
			continue
		}
		delete(c.Fusions, k)
		for _, r := range f.routines {
			drop(r)
		}
	}
}
