package render

import (
	"encoding/binary"
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

// minWave is the number of lanes from which a run is worth its start.
const minWave = 12

// loweredColor is a key's program.
type loweredColor struct {
	*lowered.Color
	routine exec.Routine
}

// colorTail is what a draw state does to a colour attachment.
type colorTail struct {
	*loweredColor
	program int // in passPlan.routines
	ctx     exec.Context
}

// lower returns the program of a key, nil where it is not lowered. One goroutine at
// a time.
func (x *Executor) lower(s *fragops.ColorState) (*loweredColor, error) {
	key, ok := lowered.KeyOf(s)
	if !ok || x.cfg.Engine == nil {
		return nil, nil
	}
	if l := x.tails[key]; l != nil {
		return l, nil
	}
	c, err := lowered.Lower(key)
	if err != nil {
		return nil, err
	}
	r, err := x.cfg.Engine.Compile(c.Program)
	if err != nil {
		return nil, err
	}
	if len(x.tails) >= maxTails {
		clear(x.tails)
	}
	l := &loweredColor{c, r}
	x.tails[key] = l
	return l, nil
}

// tail is the program of an attachment's state, nil where the reference does it or
// loops of its own, which are the faster ones but for blending several samples.
func (pl *passPlan) tail(c *fragops.Color, samples int) (*colorTail, error) {
	if c.Fast() && (samples == 1 || !c.Blending) {
		return nil, nil
	}
	l, err := pl.x.lower(&c.ColorState)
	if l == nil || err != nil {
		return nil, err
	}
	return &colorTail{loweredColor: l, program: pl.routine(l.routine), ctx: exec.Context{Push: lowered.Push(&c.ColorState)}}, nil
}

// tailState is a worker's memory for runs.
type tailState struct {
	// By lane: where its pixel is in the attachment, and its samples that are
	// covered.
	at   []int
	mask []uint16
	// wave numbers runs, seen is the run that last had a quad of the tile.
	wave uint32
	seen []seenQuad

	in, out [12][]uint32
	batch   exec.Batch

	// Lanes of their own for fragments that share one.
	list []fragops.Fragment
	rows [2][4][]uint32
}

// seenQuad is the samples of a quad that a wave has.
type seenQuad struct {
	mask uint64
	wave uint32
}

// prepare sizes the memory.
func (t *tailState) prepare(lanes, tile int) {
	t.at, t.mask = grow(t.at, lanes), grow(t.mask, lanes)
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

// store writes colours of the fragments of a list, in order: src has them by lane.
func (w *worker) store(st *drawState, i int, list []fragops.Fragment, src, second *[4][]uint32) error {
	c, tail, dst := st.color[i], st.tails[i], &w.tile.color[i]
	if tail == nil {
		if !c.Fast() && len(list) > 0 {
			w.stats.Reference++
		}
		c.Write(dst, list, src, second)
		return nil
	}
	if st.coarse && sharesLanes(list) {
		return w.storeApart(st, i, list, src, second)
	}
	for len(list) > 0 {
		n, lo, hi := w.wave(tail, dst, list)
		if tail.Stored && hi-lo < minWave {
			c.Write(dst, list[:n], src, second)
		} else if err := w.runTail(tail, dst, c.Info.BlockBytes, lo, hi, src, second); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// sharesLanes says that several fragments have the colour of one lane: the pixels of
// a larger one.
func sharesLanes(list []fragops.Fragment) bool {
	for k := 1; k < len(list); k++ {
		if list[k].Lane <= list[k-1].Lane {
			return true
		}
	}
	return false
}

// storeApart is store with a lane for each fragment of the list.
func (w *worker) storeApart(st *drawState, i int, list []fragops.Fragment, src, second *[4][]uint32) error {
	t := &w.tail
	lanes := w.x.cfg.Lanes
	for k := range t.rows {
		for c := range t.rows[k] {
			t.rows[k][c] = growTo(t.rows[k][c], lanes)
		}
	}
	for len(list) > 0 {
		t.list = append(t.list[:0], list[:min(len(list), lanes)]...)
		for k := range t.list {
			f := &t.list[k]
			for c := range 4 {
				t.rows[0][c][k], t.rows[1][c][k] = src[c][f.Lane], second[c][f.Lane]
			}
			f.Lane = uint16(k)
		}
		if err := w.store(st, i, t.list, &t.rows[0], &t.rows[1]); err != nil {
			return err
		}
		list = list[len(t.list):]
	}
	return nil
}

// wave takes fragments from the start of the list that may run together, n of them:
// the lanes from lo up to hi.
func (w *worker) wave(tail *colorTail, dst *fragops.Surface, list []fragops.Fragment) (n, lo, hi int) {
	t := &w.tail
	t.newWave()
	lo = int(list[0].Lane) &^ 3
	hi = lo
	for ; n < len(list); n++ {
		f := &list[n]
		mask := uint64(f.Mask) << (16 * (f.X&1 + f.Y&1*2))
		if f.Mask == fragops.WholeQuad {
			mask = wholeQuad
		}
		if tail.Stored && !t.take(w.plan.grid.shift-1, uint32(f.X), uint32(f.Y), mask) {
			break
		}
		l := int(f.Lane)
		for ; hi < l; hi++ {
			t.mask[hi] = 0
		}
		at := dst.Offset(int(f.X), int(f.Y), 0)
		if f.Mask != fragops.WholeQuad {
			t.at[l], t.mask[l] = at, f.Mask
			hi++
			continue
		}
		*(*[4]int)(t.at[l:]) = [4]int{at, at + dst.TexelPitch, at + dst.RowPitch, at + dst.RowPitch + dst.TexelPitch}
		*(*[4]uint16)(t.mask[l:]) = [4]uint16{1, 1, 1, 1}
		hi += 4
	}
	for ; hi&3 != 0; hi++ {
		t.mask[hi] = 0
	}
	return n, lo, hi
}

// runTail runs the program on lanes lo to hi, and stores what it gives: once for all
// samples, or sample by sample where it reads them.
func (w *worker) runTail(tail *colorTail, dst *fragops.Surface, size, lo, hi int, src, second *[4][]uint32) error {
	t, prog := &w.tail, w.byIndex[tail.program]
	in := t.in[:0]
	for k := range src {
		in = append(in, src[k][lo:hi])
	}
	if tail.Second {
		for k := range second {
			in = append(in, second[k][lo:hi])
		}
	}
	stored := len(in)
	if tail.Stored {
		for _, row := range prog.in[stored:] {
			in = append(in, row[lo:hi])
		}
	}
	out := t.out[:0]
	for _, row := range prog.out {
		out = append(out, row[lo:hi])
	}
	at, mask, samples := t.at[lo:hi], t.mask[lo:hi], uint16(0)
	for _, m := range mask {
		samples |= m
	}
	t.batch = exec.Batch{N: hi - lo, In: in, Out: out}
	if !tail.Stored {
		if err := prog.thread.Run(&tail.ctx, &t.batch); err != nil {
			return err
		}
		scatter(dst, size, at, mask, samples, out)
		return nil
	}
	for ; samples != 0; samples &= samples - 1 {
		one := samples & -samples
		gather(dst, size, at, mask, one, in[stored:])
		if err := prog.thread.Run(&tail.ctx, &t.batch); err != nil {
			return err
		}
		scatter(dst, size, at, mask, one, out)
	}
	return nil
}

// gather loads the texels of one sample, where it is covered, into rows of words.
func gather(dst *fragops.Surface, size int, at []int, mask []uint16, one uint16, rows [][]uint32) {
	data := dst.Data[bits.TrailingZeros16(one)*dst.SampleBytes:]
	mask = mask[:len(at)]
	row := rows[0][:len(at)]
	switch size {
	case 1:
		for i, o := range at {
			if mask[i]&one != 0 {
				row[i] = uint32(data[o])
			}
		}
	case 2:
		for i, o := range at {
			if mask[i]&one != 0 {
				row[i] = uint32(binary.LittleEndian.Uint16(data[o:]))
			}
		}
	case 4, 8, 12, 16:
		for k := range rows {
			gatherWords(data[4*k:], at, mask, one, rows[k])
		}
	default: // 3 or 6
		for i, o := range at {
			if mask[i]&one == 0 {
				continue
			}
			for k := range rows {
				rows[k][i] = 0
			}
			for k, b := range data[o : o+size] {
				rows[k/4][i] |= uint32(b) << (8 * (k & 3))
			}
		}
	}
}

// scatter stores rows of words to the samples that are covered, of those in samples.
func scatter(dst *fragops.Surface, size int, at []int, mask []uint16, samples uint16, rows [][]uint32) {
	data, step := dst.Data, dst.SampleBytes
	mask = mask[:len(at)]
	row := rows[0][:len(at)]
	switch size {
	case 1:
		for i, o := range at {
			for m := mask[i] & samples; m != 0; m &= m - 1 {
				data[o+bits.TrailingZeros16(m)*step] = byte(row[i])
			}
		}
	case 2:
		for i, o := range at {
			for m := mask[i] & samples; m != 0; m &= m - 1 {
				binary.LittleEndian.PutUint16(data[o+bits.TrailingZeros16(m)*step:], uint16(row[i]))
			}
		}
	case 4, 8, 12, 16:
		for k := range rows {
			scatterWords(data[4*k:], step, at, mask, samples, rows[k])
		}
	default: // 3 or 6
		for i, o := range at {
			for m := mask[i] & samples; m != 0; m &= m - 1 {
				to := data[o+bits.TrailingZeros16(m)*step:][:size]
				for k := range to {
					to[k] = byte(rows[k/4][i] >> (8 * (k & 3)))
				}
			}
		}
	}
}

// gatherWords is gather for texels of one word, or a word of each.
func gatherWords(data []byte, at []int, mask []uint16, one uint16, row []uint32) {
	mask, row = mask[:len(at)], row[:len(at)]
	for i, o := range at {
		if mask[i]&one != 0 {
			row[i] = binary.LittleEndian.Uint32(data[o:])
		}
	}
}

// scatterWords is scatter for such.
func scatterWords(data []byte, step int, at []int, mask []uint16, samples uint16, row []uint32) {
	mask, row = mask[:len(at)], row[:len(at)]
	for i, o := range at {
		for m := mask[i] & samples; m != 0; m &= m - 1 {
			binary.LittleEndian.PutUint32(data[o+bits.TrailingZeros16(m)*step:], row[i])
		}
	}
}
