package render

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// placedShare is what places do that have some of the samples of their pixels, or all: with sample
// shading there is an invocation for each share. What differs between shares of a draw is programs,
// and constants of records.
type placedShare struct {
	lowered.Window
	// coverage is the program for what the shader does to coverage, none where it does nothing; colors
	// those of attachments with a tail. They are numbers in passPlan.routines.
	coverage  int
	colors    [MaxColorAttachments]int
	late      map[*testTail]placedLate
	constants []constants
}

// placedLate are tests after shading: of depth that the shader has written, with references that it
// makes. Where it makes none, reference is that of the state.
type placedLate struct {
	program             int
	ctx                 exec.Context
	written, referenced bool
	reference           uint32
}

// placedShares are the shares of a pixel's samples that n invocations have.
//
// RAS-159, RAS-171, RAS-172, RAS-176, RAS-177 primsrast-sampleshading
func placedShares(n, samples int) []placedShare {
	list := make([]placedShare, n)
	for i := range list {
		first, next := share(i, n, samples)
		own := lowered.Window{First: first, Count: next - first, Of: samples}
		list[i] = placedShare{Window: own, coverage: none}
	}
	return list
}

// addLate finds the programs of a state's tests after shading; false where there is none.
func (p *placedPlan) addLate(pl *passPlan, s *drawState) (bool, error) {
	if !s.tested() {
		return true, nil
	}
	if s.ss.Grid != nil {
		return false, nil
	}
	for i := range p.shares {
		share := &p.shares[i]
		x, y := s.ss.X[share.First:][:share.Count], s.ss.Y[share.First:][:share.Count]
		share.late = map[*testTail]placedLate{}
		for k := range s.tests {
			t := &s.tests[k]
			for face, n := range t.Tails {
				if !t.Active() {
					continue
				}
				if n == 0 {
					return false, nil
				}
				tail := pl.testTails[n-1]
				key := s.lateKey(tail)
				program, err := pl.placedProgram(key, share.Window)
				if program == none || err != nil {
					return false, err
				}
				if share.late[tail].ctx.Push == nil {
					push := lowered.PlacedDepthPush(t, face == 1, x, y)
					share.late[tail] = placedLate{
						program: program, ctx: exec.Context{Push: push},
						written: key.Written, referenced: key.Referenced,
						reference: uint32(t.Faces[face].Reference),
					}
				}
			}
		}
	}
	return true, nil
}

// lateKey is the key of tests after shading, or of those before that a program does with it.
func (s *drawState) lateKey(t *testTail) lowered.DepthKey {
	key := t.key
	key.Written = s.late && key.Test && s.link.outs.depth != none
	return key
}

// addConstants adds what records have of a share: where its inputs are taken, its first sample, and
// inputs that tell of these.
//
// RAS-119, RAS-178, RAS-179, RAS-283, RAS-285, RAS-291
func (s *placedShare) addConstants(st *drawState, l *loweredInputs) {
	words := func(at int, list ...uint32) {
		var data []byte
		for _, v := range list {
			data = binary.LittleEndian.AppendUint32(data, v)
		}
		if at != 0 {
			s.constants = append(s.constants, constants{at, data})
		}
	}
	x, y := st.ss.X[s.First], st.ss.Y[s.First]
	words(l.At, uint32(x), uint32(y))
	words(l.First, uint32(s.First))
	for i := range st.link.inputs {
		at := l.Values[i]
		switch in := &st.link.inputs[i]; in.kind {
		case inputSampleID:
			words(at, uint32(s.First))
		case inputSamplePosition:
			words(at, math.Float32bits(float32([2]int32{x, y}[in.comp&1])/raster.Subpixels))
		}
	}
}

// write writes them to a record.
func (s *placedShare) write(record []byte) {
	for _, c := range s.constants {
		copy(record[c.at:], c.data)
	}
}

// appendShares adds the places of a block to those of the shares, and says how many invocations
// they have.
func (p *placedBatch) appendShares(plan *placedPlan, x, y int32, words []uint64) (n uint64) {
	p.shares = len(plan.shares)
	for i := range plan.shares {
		share := &plan.shares[i]
		own, any := words[share.First:][:share.Count], uint64(0)
		for _, m := range own {
			any |= m
		}
		if plan.packs {
			p.apart[i].places = appendPacked(p.apart[i].places, x, y, own, p.last)
		} else {
			p.apart[i].places = appendPlaces(p.apart[i].places, x, y, own, p.last)
		}
		n += uint64(bits.OnesCount64(any))
	}
	return n
}

// waits says that there are places.
func (p *placedBatch) waits() bool { return p.shares > 0 || len(p.places) > 0 }

// room says that shares have some for a block, and for a record.
func (p *placedBatch) room() bool {
	for i := range p.shares {
		if !p.apart[i].fits() {
			return false
		}
	}
	return p.used+p.size <= len(p.records)
}

// liveOf says which invocations are no helpers: those of which a sample is covered.
//
// RAS-296, RAS-297, RAS-359
func liveOf(live []uint32, places []exec.Place) {
	for i := range places {
		any := uint16(0)
		for _, m := range places[i].Covered {
			any |= m
		}
		for lane := range live[16*i:][:16] {
			live[16*i+lane] = maskOf(any>>lane&1 != 0)
		}
	}
}
