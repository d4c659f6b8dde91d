package render

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	lowered "github.com/pumice-gpu/pumice/internal/lower/fragops"
)

// What follows shading is a program, too (package lower/fragops): a batch's colours
// and the texels that they meet are rows of lanes. Where the program reads texels, a
// pixel may be in a run only once: a batch is cut into waves.

// maxTails bounds the compiled keys that an executor keeps.
const maxTails = 1024

// loweredColor is a key's program.
type loweredColor struct {
	*lowered.Color
	routine exec.Routine
}

// colorTail is what a draw state does to a colour attachment.
type colorTail struct {
	*loweredColor
	key     lowered.ColorKey
	program int // in passPlan.routines
	ctx     exec.Context
}

// lower returns the program of a key, nil where it is not lowered. One goroutine at
// a time.
func (x *Executor) lower(s *fragops.ColorState) (*loweredColor, error) {
	key := lowered.KeyOf(s)
	return kept(x.tails, key, func() (*loweredColor, error) {
		c, err := lowered.Lower(key)
		if err != nil {
			return nil, err
		}
		r, err := x.cfg.Engine.Compile(c.Program)
		return &loweredColor{c, r}, err
	})
}

// kept is the program of a key among those of programs, made where it is not there.
func kept[K comparable, P any](programs map[K]*P, key K, make func() (*P, error)) (*P, error) {
	if p := programs[key]; p != nil {
		return p, nil
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	if len(programs) >= maxTails {
		clear(programs)
	}
	programs[key] = p
	return p, nil
}

// tail is the program of an attachment's state, nil where the reference does it.
func (pl *passPlan) tail(c *fragops.Color) (*colorTail, error) {
	l, err := pl.x.lower(&c.ColorState)
	if l == nil || err != nil {
		return nil, err
	}
	return &colorTail{loweredColor: l, program: pl.routine(l.routine), ctx: exec.Context{Push: lowered.Push(&c.ColorState, nil)}}, nil
}

// tailState is a worker's memory for runs.
type tailState struct {
	at    []int    // by quad, or fragment: where its first pixel is in the attachment
	plane []uint64 // coverage of the quads by one sample
	// wave numbers runs, seen is the run that last had a quad of the tile.
	wave uint32
	seen []seenQuad

	in, out [12][]uint32
	batch   exec.Batch

	rows [2][4][]uint32 // colours by fragment
}

// seenQuad is the samples of a quad that a wave has.
type seenQuad struct {
	mask uint64
	wave uint32
}

// prepare sizes the memory.
func (t *tailState) prepare(lanes, tile int) {
	t.at, t.plane = grow(t.at, lanes), grow(t.plane, lanes/4)
	t.seen = grow(t.seen, tile*tile/4)
}

// newWave begins a wave.
func (t *tailState) newWave() {
	if t.wave++; t.wave == 0 {
		clear(t.seen)
		t.wave = 1
	}
}

// take adds samples of the quad at a pixel of the tile, which has 2^shift quads in a
// row, to the wave; false where it has one of them.
func (t *tailState) take(shift uint, x, y uint32, mask uint64) bool {
	side := uint32(1)<<shift - 1
	s := &t.seen[y>>1&side<<shift|x>>1&side]
	if s.wave != t.wave {
		s.wave, s.mask = t.wave, 0
	}
	if s.mask&mask != 0 {
		return false
	}
	s.mask |= mask
	return true
}

// storeQuads writes the batch's colours to attachment i, where masks cover its quads.
func (w *worker) storeQuads(st *drawState, i int, masks []uint64) error {
	for k := 0; k < len(masks); {
		n := len(masks)
		if st.tails[i].Stored {
			n = w.quadWave(k, masks)
		}
		if err := w.runQuads(st, i, k, masks[k:k+n]); err != nil {
			return err
		}
		k += n
	}
	return nil
}

// quadWave is how many quads from k on have no sample twice.
func (w *worker) quadWave(k int, masks []uint64) (n int) {
	t, shift := &w.tail, w.plan.grid.shift-1
	t.newWave()
	for ; k+n < len(masks); n++ {
		q := &w.batch.quads[k+n].quad
		if !t.take(shift, uint32(q.X), uint32(q.Y), masks[k+n]) {
			break
		}
	}
	return n
}

// runQuads runs the program on the quads from k on, and stores what it gives: once for
// all samples, or sample by sample where it reads them.
func (w *worker) runQuads(st *drawState, i, k int, masks []uint64) error {
	t, tail, dst, size := &w.tail, st.tails[i], &w.tile.color[i], st.color[i].Info.BlockBytes
	if !tail.Stored && w.plan.samples > 1 { // k is 0
		return w.runLanes(tail, 4*len(masks), &w.batch.prog.colors[st.location[i]], &w.batch.prog.second, func() {
			for j, m := range masks {
				q := &w.batch.quads[j].quad
				for lane := int32(0); m != 0; m, lane = m>>16, lane+1 {
					if one := m & 0xffff; one != 0 {
						t.fill(dst, dst.Offset(int(q.X+lane&1), int(q.Y+lane>>1), 0), size, 4*j+int(lane), one)
					}
				}
			}
		})
	}
	at, samples := t.at[:len(masks)], uint16(0)
	for j, m := range masks {
		q := &w.batch.quads[k+j].quad
		at[j] = dst.Offset(int(q.X), int(q.Y), 0)
		samples |= uint16(m | m>>16 | m>>32 | m>>48)
	}
	stored := t.bind(tail, w.byIndex[tail.program], 4*k, 4*len(masks), &w.batch.prog.colors[st.location[i]], &w.batch.prog.second)
	for ; samples != 0; samples &= samples - 1 {
		sample := bits.TrailingZeros16(samples)
		plane, s := t.plane[:len(masks)], *dst
		for j, m := range masks {
			plane[j] = m >> sample & wholeQuad
		}
		for word, row := range stored {
			s.Data = dst.Data[sample*dst.SampleBytes+4*word:]
			gatherQuads(&s, min(4, size-4*word), 1, at, plane, row)
		}
		if err := w.byIndex[tail.program].run(&tail.ctx, &t.batch); err != nil {
			return err
		}
		for word, row := range t.batch.Out {
			s.Data = dst.Data[sample*dst.SampleBytes+4*word:]
			scatterQuads(&s, min(4, size-4*word), 1, at, plane, row)
		}
	}
	return nil
}

// bind makes a run of n lanes ready, those of colours from first on, and returns the
// rows for what is stored.
func (t *tailState) bind(tail *colorTail, prog *program, first, n int, src, second *[4][]uint32) (stored [][]uint32) {
	in, out := t.in[:0], t.out[:0]
	for _, row := range src {
		in = append(in, row[first:first+n])
	}
	if tail.Second {
		for _, row := range second {
			in = append(in, row[first:first+n])
		}
	}
	at := len(in)
	if tail.Stored {
		for _, row := range prog.in[at:] {
			in = append(in, row[:n])
		}
	}
	for _, row := range prog.out {
		out = append(out, row[:n])
	}
	t.batch = exec.Batch{N: n, In: in, Out: out}
	return in[at:]
}

// store writes colours of the fragments of a list, in order: src has them by lane.
func (w *worker) store(st *drawState, i int, list []fragops.Fragment, src, second *[4][]uint32) error {
	c, tail, dst := st.color[i], st.tails[i], &w.tile.color[i]
	if tail == nil {
		if len(list) > 0 {
			w.stats.Reference++
		}
		c.Write(dst, list, src, second)
		return nil
	}
	t := &w.tail
	if !tail.Stored {
		n := 0
		for i := range list {
			n = max(n, int(list[i].Lane)+1)
		}
		return w.runLanes(tail, (n+3)&^3, src, second, func() {
			for i := range list {
				f := &list[i]
				t.fill(dst, dst.Offset(int(f.X), int(f.Y), 0), c.Info.BlockBytes, int(f.Lane), uint64(f.Mask))
			}
		})
	}
	// A lane for each fragment: several may have the colour of one, and their pixels
	// are anywhere.
	for k := range t.rows {
		for c := range t.rows[k] {
			t.rows[k][c] = growTo(t.rows[k][c], len(t.at))
		}
	}
	for len(list) > 0 {
		t.newWave()
		n := 0
		for ; n < min(len(list), len(t.at)); n++ {
			f := &list[n]
			if !t.take(w.plan.grid.shift-1, uint32(f.X), uint32(f.Y), uint64(f.Mask)<<(16*(f.X&1+f.Y&1*2))) {
				break
			}
			t.at[n] = dst.Offset(int(f.X), int(f.Y), 0)
			for c := range 4 {
				t.rows[0][c][n], t.rows[1][c][n] = src[c][f.Lane], second[c][f.Lane]
			}
		}
		if err := w.runFragments(tail, dst, c.Info.BlockBytes, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// runLanes runs a program that reads no texels, once for n lanes, and then store, which takes what it gives.
func (w *worker) runLanes(tail *colorTail, n int, src, second *[4][]uint32, store func()) error {
	prog := w.byIndex[tail.program]
	w.tail.bind(tail, prog, 0, n, src, second)
	if err := prog.run(&tail.ctx, &w.tail.batch); err != nil {
		return err
	}
	store()
	return nil
}

// fill stores what a program has given for a lane to samples of a pixel, which is at an offset and whose samples have size
// bytes.
func (t *tailState) fill(dst *fragops.Surface, at, size, lane int, mask uint64) {
	var texel [maxTexel]byte
	for word, row := range t.batch.Out {
		storeWord(texel[4*word:], min(4, size-4*word), row[lane])
	}
	for m := mask; m != 0; {
		first := bits.TrailingZeros64(m)
		run := 1
		if dst.SampleBytes == size { // one beside the other
			run = bits.TrailingZeros64(^(m >> first))
		}
		m &^= (1<<run - 1) << first
		row := dst.Data[at+first*dst.SampleBytes:][:run*size]
		for done := copy(row, texel[:size]); done < len(row); done *= 2 {
			copy(row[done:], row[:done])
		}
	}
}

// runFragments is runQuads for single fragments, where the program reads texels.
func (w *worker) runFragments(tail *colorTail, dst *fragops.Surface, size int, list []fragops.Fragment) error {
	t, prog, samples := &w.tail, w.byIndex[tail.program], uint16(0)
	for i := range list {
		samples |= list[i].Mask
	}
	stored := t.bind(tail, prog, 0, (len(list)+3)&^3, &t.rows[0], &t.rows[1])
	for ; samples != 0; samples &= samples - 1 {
		one := samples & -samples
		data := dst.Data[bits.TrailingZeros16(one)*dst.SampleBytes:]
		for word, row := range stored {
			for i := range list {
				if list[i].Mask&one != 0 {
					row[i] = loadWord(data[t.at[i]+4*word:], size-4*word)
				}
			}
		}
		if err := prog.run(&tail.ctx, &t.batch); err != nil {
			return err
		}
		for word, row := range t.batch.Out {
			for i := range list {
				if list[i].Mask&one != 0 {
					storeWord(data[t.at[i]+4*word:], size-4*word, row[i])
				}
			}
		}
	}
	return nil
}
