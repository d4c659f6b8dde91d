package fragment

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/ir"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/geometry"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// Share is what places do that have some of the samples of their pixels, or all: with sample
// shading there is an invocation for each share. What differs between shares of a draw is programs,
// and constants of records.
type Share struct {
	lowered.Window
	// coverage is the program for what the shader does to coverage, none where it does nothing; colors
	// those of attachments with a tail. They are numbers in Pass.List.
	coverage  int
	colors    [tile.MaxColorAttachments]int
	late      map[*tile.Tests]*placedLate
	constants []constants
}

// placedLate are tests after shading: of depth that the shader has written, with references that it
// makes. Where it makes none, reference is that of the state.
type placedLate struct {
	tile.PlacedTest
	written, referenced bool
	reference           uint32
}

// placedShares are the shares of a pixel's samples that n invocations have.
//
// RAS-159, RAS-171, RAS-172, RAS-176, RAS-177 primsrast-sampleshading
func placedShares(n, samples int) []Share {
	list := make([]Share, n)
	for i := range list {
		first, next := share(i, n, samples)
		own := lowered.Window{First: first, Count: next - first, Of: samples}
		list[i] = Share{Window: own, coverage: none}
	}
	return list
}

// share is the samples of a pixel that invocation i of n has: from first on, to next.
//
// RAS-172 primsrast-shading-rate-image
func share(i, n, samples int) (first, next int) {
	return (i*samples + n - 1) / n, ((i+1)*samples + n - 1) / n
}

// addLate finds the programs of a state's tests after shading.
func (p *Plan) addLate(pl *Pass, s *State, ss *raster.SampleSet) error {
	for i := range p.Shares {
		share := &p.Shares[i]
		share.late = map[*tile.Tests]*placedLate{}
		for k := range s.Tests {
			t := &s.Tests[k]
			for face, n := range t.Tails {
				if !t.Active() {
					continue
				}
				tail := pl.Tests[n-1]
				key := s.lateKey(tail, ss)
				test, err := pl.Test(key, t, face == 1, ss, share.Window)
				if err != nil {
					return err
				}
				if share.late[tail] == nil {
					share.late[tail] = &placedLate{
						PlacedTest: test, written: key.Written, referenced: key.Referenced,
						reference: uint32(t.Faces[face].Reference),
					}
				}
			}
		}
	}
	return nil
}

// lateKey is the key of tests after shading, or of those before that a program does with it.
func (s *State) lateKey(t *tile.Tests, ss *raster.SampleSet) lowered.DepthKey {
	key := t.Key
	key.Grid = ss.Grid != nil
	key.Written = Tested(s.After) && key.Test && s.Link.Outs.Depth != none
	return key
}

// addConstants adds what records have of a share: where its inputs are taken, its first sample, and
// inputs that tell of these.
//
// RAS-119, RAS-178, RAS-179, RAS-283, RAS-285, RAS-291
func (s *Share) addConstants(
	st *State, ss *raster.SampleSet, l *loweredInputs, locations []uint32,
) {
	words := func(at int, list ...uint32) {
		var data []byte
		for _, v := range list {
			data = binary.LittleEndian.AppendUint32(data, v)
		}
		if at != 0 {
			s.constants = append(s.constants, constants{at, data})
		}
	}
	x, y := ss.X[s.First], ss.Y[s.First]
	if ss.Grid == nil {
		words(l.At, uint32(x), uint32(y))
	} else {
		words(l.At, packedLocations(ss, s.First, s.First+1)...)
	}
	words(l.Locations, locations...)
	words(l.First, uint32(s.First))
	for i := range st.Link.Inputs {
		at := l.Values[i]
		switch in := &st.Link.Inputs[i]; in.Kind {
		case InputSampleID:
			words(at, uint32(s.First))
		case InputSamplePosition:
			words(at, math.Float32bits(float32([2]int32{st.Locations.X[s.First], st.Locations.Y[s.First]}[in.Component&1])/raster.Subpixels))
		}
	}
}

// packedLocations are where samples from first up to next are, x | y<<16 in subpixels: of each that
// of all pixels, or of each pixel of the grid.
//
// RAS-108, RAS-116
func packedLocations(ss *raster.SampleSet, first, next int) (list []uint32) {
	for k := first; k < next; k++ {
		if ss.Grid == nil {
			list = append(list, packed(ss.X[k], ss.Y[k]))
			continue
		}
		for i := range ss.Grid {
			list = append(list, packed(ss.Grid[i].X[k], ss.Grid[i].Y[k]))
		}
	}
	return list
}

// locationsOf are where the samples of fragments of several pixels are, by coverage index: of each
// that of all fragments, or of each of the grid.
//
// RAS-112, RAS-285
func (s *State) locationsOf(r rates.Rate) (list []uint32) {
	w, h := int32(1), int32(1)
	if s.Locations.Grid != nil { // of fragments, of which as many lie in the grid
		w, h = raster.GridSize>>r.W, raster.GridSize>>r.H
	}
	for index := range s.Locations.N * r.Pixels() {
		pixel, sample := s.Rates.Order.At(r, index, s.Locations.N)
		x, y := int32(pixel&(1<<r.W-1)), int32(pixel>>r.W)
		for cell := range w * h {
			set := s.Locations.Of(x+cell%w<<r.W, y+cell/w<<r.H)
			at := packed(x<<raster.SubpixelBits+set.X[sample], y<<raster.SubpixelBits+set.Y[sample])
			list = append(list, at)
		}
	}
	return list
}

// packed is a place in a pixel as programs of inputs take it.
func packed(x, y int32) uint32 { return uint32(x) | uint32(y)<<16 }

// write writes them to a record.
func (s *Share) write(record []byte) {
	for _, c := range s.constants {
		copy(record[c.at:], c.data)
	}
}

// appendShares adds the places of a block to those of the shares, and says how many invocations
// they have.
func (p *Waiting) appendShares(plan *Plan, x, y int32, words, found []uint64) (n uint64) {
	p.shares = len(plan.Shares)
	pixels := uint64(0)
	for _, m := range words {
		pixels |= m
	}
	for i := range plan.Shares {
		share := &plan.Shares[i]
		own, any, from := words[share.First:][:share.Count], uint64(0), len(p.apart[i].Places)
		for _, m := range own {
			any |= m
		}
		switch {
		case plan.Rate != rates.Rate{}:
			if plan.united {
				any = pixels
			}
			n += p.apart[i].appendLarger(plan.Rate, x, y, own, any, p.last)
			p.tellLarger(plan, i, &p.apart[i], x, y, words, found)
			continue
		case plan.united:
			p.apart[i].Places = tile.AppendRows(p.apart[i].Places, x, y, own, pixels, p.last)
		case plan.packs:
			p.apart[i].Places = appendPacked(p.apart[i].Places, x, y, own, p.last)
		default:
			p.apart[i].Places = tile.AppendPlaces(p.apart[i].Places, x, y, own, p.last)
		}
		if len(plan.inputs.Findings) > 0 {
			p.tell(plan, i, p.apart[i].Places, from, x, y, found)
		}
		n += uint64(bits.OnesCount64(any))
	}
	return n
}

// keepOutputs keeps what the shader has made for n lanes of a share, until all others have run.
func (p *Waiting) keepOutputs(share int, out [][]uint32, n int) {
	for len(p.outputs) <= share {
		p.outputs = append(p.outputs, nil)
	}
	kept := geometry.Grow(p.outputs[share], n*len(out))
	for i, row := range out {
		copy(kept[i*n:][:n], row)
	}
	p.outputs[share] = kept
}

// colorUnited writes the colours of all shares. Which of a pixel's samples are covered, all invocations
// together, places have behind their own samples, for attachments that ask.
func (p *Plan) colorUnited(f *Worker) error {
	batch, out := f.Waiting, f.Batch.Program.Out
	for i := range p.Shares {
		for k := range batch.apart[i].Places {
			q, at := &batch.apart[i].Places[k], p.Shares[i].Count
			for j := range p.Shares {
				if other := p.Shares[j].Count; j != i {
					copy(q.Covered[at:at+other], batch.apart[j].Places[k].Covered[:other])
					at += other
				}
			}
		}
	}
	for i := range p.Shares {
		batch.placeList = batch.apart[i]
		n := ir.PlaceLanes * len(batch.Places)
		for k, row := range out {
			copy(row[:n], batch.outputs[i][k*n:])
		}
		if err := p.color(f, &p.Shares[i], n); err != nil {
			return err
		}
	}
	return nil
}

// waits says that there are places.
func (p *Waiting) waits() bool { return p.shares > 0 || len(p.Places) > 0 }

// room says that shares have some for a block, and for a record.
func (p *Waiting) room() bool {
	for i := range p.shares {
		if !p.apart[i].fits() {
			return false
		}
	}
	return p.used+p.size <= len(p.records)
}

// liveOf says which invocations are no helpers: those of which a sample is covered.
//
// RAS-296, RAS-297
func liveOf(live []uint32, places []exec.Place, samples int) {
	for i := range places {
		any := places[i].Any(samples)
		for lane := range live[16*i:][:16] {
			live[16*i+lane] = maskOf(any>>lane&1 != 0)
		}
	}
}
