package vm

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/native"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// place compiles an operation on places.
func (c *compiler) place(v ir.Value, in *ir.Inst) {
	if c.mask() != 0 {
		c.fail(v, in.Op.String()+" inside of control flow")
		return
	}
	c.r.places = true
	i := instr{imm: int64(in.Imm)}
	switch in.Op {
	case ir.OpPixel:
		i.kind = native.KindPixel
	case ir.OpRecord:
		if c.r.vectors == nil {
			c.reg[v] = ^int32(in.Imm) // see record.go
			return
		}
		i.kind = native.KindRecord
	case ir.OpCovered:
		c.r.placed.sample(int(in.Imm))
		i.kind = native.KindCovered
	case ir.OpLoadTexel:
		c.r.placed.load(ir.TexelOf(in.Imm))
		i.kind = native.KindLoadTexel
	case ir.OpCover:
		c.r.placed.sample(int(in.Imm))
		c.emit(instr{kind: native.KindCover, a: c.vector(in.Args[0]), imm: i.imm})
		return
	default:
		c.r.placed.stores = true
		c.listed(native.KindStoreTexel, v, in)
		return
	}
	c.lanewise(v, i)
}

// placeUse is what a program does with places.
type placeUse struct {
	loads, stores bool // texels
	// joint: a word that is loaded has several samples. loops: not all of it is machine code.
	joint   bool
	loops   bool
	samples int // up to the last one that it looks at
	// wordOf has 1 + the sample of each word that is loaded.
	wordOf map[ir.Texel]uint8
}

func (u *placeUse) sample(s int) { u.samples = max(u.samples, s+1) }

func (u *placeUse) load(x ir.Texel) {
	u.loads = true
	u.sample(x.Samples() - 1)
	sample := x.Sample + 1
	u.joint = u.joint || x.More > 0
	if x.Sample, x.More = 0, 0; u.wordOf == nil {
		u.wordOf = map[ir.Texel]uint8{}
	}
	u.joint = u.joint || u.wordOf[x] != 0 && u.wordOf[x] != sample
	u.wordOf[x] = sample
}

// placeStrip is what a thread knows of the quads of places that run together.
type placeStrip struct {
	spans []placeSpan
	runs  []recordRun
	// The next quad, of a place. With sparse, quads of which nothing is covered are left out: nothing
	// of the batch goes by lanes.
	at, next int
	sparse   bool
	// seen has what the strip with a number has of places.
	seen   []seenSamples
	number uint32
}

// seenSamples are lanes of a place, by sample, that a strip has.
type seenSamples struct {
	strip uint32
	lanes [ir.PlaceSamples]uint16
}

// placeSpan is the quads of place at, side by side, whose lanes begin at lane in the strip, and
// whose bits begin at shift in masks of the place.
type placeSpan struct {
	x, y, at, lane int32
	shift, quads   uint8
}

// begin prepares for the places of a batch.
func (s *placeStrip) begin(r *routine, b *exec.Batch) {
	s.at, s.next = 0, 0
	s.sparse = r.unit == nil && len(r.program.Inputs)+len(r.program.Outputs) == 0 && b.Live == nil
	if s.seen == nil && r.placed.loads && r.placed.stores && !r.inOrder {
		s.seen = make([]seenSamples, 32*8)
	}
}

// whole is nextStrip for machine code, which takes whole places, and looks at them itself.
func (s *placeStrip) whole(t *thread) (lanes int) {
	places := t.batch.Places[s.at : t.batch.N/ir.PlaceLanes]
	n := min(len(places), t.lanes/ir.PlaceLanes)
	if s.seen != nil {
		s.renumber()
		for i := range n {
			if !s.takeWhole(&t.r.placed, &places[i]) {
				n = i
				break
			}
		}
	}
	s.at += n
	return n * ir.PlaceLanes
}

// renumber begins a strip, which has nothing of places yet.
func (s *placeStrip) renumber() {
	if s.number++; s.number == 0 {
		clear(s.seen)
		s.number = 1
	}
}

// nextStrip takes the quads that run next: where texels are loaded and stored those before one at
// the same samples.
func (t *thread) nextStrip() (lanes int) {
	s, u := &t.strip, &t.r.placed
	whole := t.r.unit != nil
	if whole && !u.loops {
		return s.whole(t)
	}
	s.spans, s.runs = s.spans[:0], s.runs[:0]
	s.renumber()
	places := t.batch.Places[:t.batch.N/ir.PlaceLanes]
	for ; s.at < len(places); s.at, s.next = s.at+1, 0 {
		p := &places[s.at]
		any := p.Covered[0]
		for i := 1; i < u.samples; i++ {
			any |= p.Covered[i]
		}
		if whole && (lanes == t.lanes || s.seen != nil && !s.takeWhole(u, p)) {
			return lanes
		}
		n := 0
		for ; s.next < 4; s.next += n {
			if n = 1; s.sparse && any>>(4*s.next)&15 == 0 {
				continue
			}
			switch {
			case p.Quads != [4]uint8{}:
			case any == math.MaxUint16:
				n = 4 - s.next
			default:
				for s.next+n < 4 && (!s.sparse || any>>(4*(s.next+n))&15 != 0) {
					n++
				}
			}
			if n = min(n, (t.lanes-lanes)/4); !whole && s.seen != nil && n > 0 {
				n = s.take(u, p, s.next, n)
			}
			if n == 0 {
				return lanes
			}
			x, y := p.Pixel(4 * s.next)
			s.spans = append(s.spans, placeSpan{
				x: int32(x), y: int32(y), at: int32(s.at),
				lane: int32(lanes), shift: uint8(4 * s.next), quads: uint8(n),
			})
			lanes += 4 * n
			if k := len(s.runs); k > 0 && s.runs[k-1].record == p.Record {
				s.runs[k-1].to = lanes
			} else {
				s.runs = append(s.runs, recordRun{lanes, p.Record})
			}
		}
	}
	return lanes
}

// takeWhole is take for all quads of a place, wherever they lie.
func (s *placeStrip) takeWhole(u *placeUse, p *exec.Place) bool {
	if p.Quads == [4]uint8{} {
		return s.take(u, p, 0, 4) == 4
	}
	for i := range 4 {
		if s.take(u, p, i, 1) == 0 {
			return false
		}
	}
	return true
}

// take says how many of n quads of a place, side by side from number first on, have none of the
// samples that the strip has.
func (s *placeStrip) take(u *placeUse, p *exec.Place, first, n int) (free int) {
	x, y := p.Pixel(4 * first)
	seen := &s.seen[y>>1&31<<3|x>>3&7]
	if seen.strip != s.number {
		*seen = seenSamples{strip: s.number}
	}
	shift, all := x>>1&3*4, uint16(1<<(4*n)-1)
	met, has := uint16(0), [ir.PlaceSamples]uint16{}
	for i := range u.samples {
		k := i
		if u.joint {
			k = 0
		}
		m := p.Covered[i] >> (4 * first) & all << shift
		has[k] |= m
		met |= seen.lanes[k] & m
	}
	if free = n; met != 0 {
		free = (bits.TrailingZeros16(met) - shift) / 4
	}
	all = 1<<(4*free) - 1
	for i := range u.samples {
		seen.lanes[i] |= has[i] & (all << shift)
	}
	return free
}

// place runs an operation on places.
func (t *thread) place(in *instr) {
	s, b := &t.strip, t.batch
	switch in.kind {
	case native.KindStoreTexel:
		t.storeTexels(in)
	case native.KindLoadTexel:
		t.loadTexels(t.v[in.d], ir.TexelOf(uint64(in.imm)))
	case native.KindRecord:
		row, from := t.v[in.d], 0
		for _, r := range s.runs {
			v := binary.LittleEndian.Uint32(b.Records[int64(r.record)+in.imm:])
			if r.to == from+4 {
				*(*[4]uint32)(row[from:]) = [4]uint32{v, v, v, v}
			} else {
				fill(row[from:r.to], v)
			}
			from = r.to
		}
	case native.KindPixel:
		row := t.v[in.d]
		for i := range s.spans {
			q := &s.spans[i]
			a, step, b := uint32(q.y), uint32(0), uint32(q.y)+1
			if in.imm == 0 {
				a, step, b = uint32(q.x), 1, uint32(q.x)
			}
			for to := row[q.lane:][:4*q.quads]; len(to) >= 4; to, a, b = to[4:], a+2*step, b+2*step {
				four := (*[4]uint32)(to)
				four[0], four[1], four[2], four[3] = a, a+step, b, b+step
			}
		}
	case native.KindCovered:
		row := t.v[in.d]
		for i := range s.spans {
			q := &s.spans[i]
			on := b.Places[q.at].Covered[in.imm] >> q.shift & q.mask()
			if on == q.mask() {
				copy(row[q.lane:][:4*q.quads], t.ones)
				continue
			}
			for k := range int32(q.quads) {
				*(*[4]uint32)(row[q.lane+4*k:]) = fourMasks[on>>(4*k)&15]
			}
		}
	default:
		row := t.v[in.a]
		for i := range s.spans {
			q := &s.spans[i]
			on := uint16(0)
			for k := int(q.quads) - 1; k >= 0; k-- {
				m := (*[4]uint32)(row[int(q.lane)+4*k:])
				on = on<<4 | uint16(m[0]&1|m[1]&2|m[2]&4|m[3]&8)
			}
			covered := &b.Places[q.at].Covered[in.imm]
			*covered = *covered&^(q.mask()<<q.shift) | on<<q.shift
		}
	}
}

// mask has a bit for each lane.
func (q *placeSpan) mask() uint16 { return 1<<(4*q.quads) - 1 }

// fourMasks are the words of four lanes by their bits.
var fourMasks = func() (list [16][4]uint32) {
	for bits := range list {
		for l := range 4 {
			list[bits][l] = -(uint32(bits) >> l & 1)
		}
	}
	return list
}()

// first is where a word of the first pixel of a span is.
func (q *placeSpan) first(s *exec.Surface, x ir.Texel) int {
	return int(q.y)*s.RowPitch + int(q.x)*int(x.Bytes) + x.Begin()
}

// loadTexels loads a word of the pixels of which a sample is covered.
func (t *thread) loadTexels(row []uint32, x ir.Texel) {
	from, size, le := &t.batch.Surfaces[x.Surface], int(x.Bytes), binary.LittleEndian
	n := x.Len()
	for i := range t.strip.spans {
		q := &t.strip.spans[i]
		at, on := q.first(from, x), uint16(0)
		for _, m := range t.batch.Places[q.at].Covered[x.Sample:x.Samples()] {
			on |= m >> q.shift
		}
		for to := row[q.lane:][:4*q.quads]; len(to) >= 4; to, on, at = to[4:], on>>4, at+2*size {
			four := (*[4]uint32)(to)
			switch m := on & 15; {
			case m == 0:
				four[0], four[1], four[2], four[3] = 0, 0, 0, 0
			case m == 15 && size == 4 && n == 4:
				u, l := le.Uint64(from.Data[at:]), le.Uint64(from.Data[at+from.RowPitch:])
				four[0], four[1], four[2], four[3] = uint32(u), uint32(u>>32), uint32(l), uint32(l>>32)
			default:
				for l := range four {
					if four[l] = 0; m>>l&1 != 0 {
						four[l] = loadTexel(from.Data[at+l&1*size+l>>1*from.RowPitch:], n)
					}
				}
			}
		}
	}
}

func loadTexel(p []byte, size int) uint32 {
	switch size {
	case 1:
		return uint32(p[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(p))
	case 3:
		return uint32(binary.LittleEndian.Uint16(p)) | uint32(p[2])<<16
	}
	return binary.LittleEndian.Uint32(p)
}

// storeTexels stores words of the lanes that each has a mask for.
func (t *thread) storeTexels(in *instr) {
	args, x, le := t.r.aux[in.c].args, ir.TexelOf(uint64(in.imm)), binary.LittleEndian
	to, size, n := &t.batch.Surfaces[x.Surface], int(x.Bytes), x.Len()
	for ; len(args) > 0; args, x.Word = args[2:], x.Word+1 {
		where, words := t.v[args[0]], t.v[args[1]]
		for i := range t.strip.spans {
			q := &t.strip.spans[i]
			at, on := q.first(to, x), where[q.lane:][:4*q.quads]
			from := words[q.lane:][:4*q.quads]
			for ; len(from) >= 4; from, on, at = from[4:], on[4:], at+2*size {
				v, m := (*[4]uint32)(from), (*[4]uint32)(on)
				if size == 4 && n == 4 && m[0]&m[1]&m[2]&m[3] != 0 {
					le.PutUint64(to.Data[at:], uint64(v[0])|uint64(v[1])<<32)
					le.PutUint64(to.Data[at+to.RowPitch:], uint64(v[2])|uint64(v[3])<<32)
					continue
				}
				for l := range m {
					if m[l] != 0 {
						storeTexel(to.Data[at+l&1*size+l>>1*to.RowPitch:], n, v[l])
					}
				}
			}
		}
	}
}

func storeTexel(p []byte, size int, v uint32) {
	switch size {
	case 1:
		p[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(v))
	case 3:
		p[0], p[1], p[2] = byte(v), byte(v>>8), byte(v>>16)
	default:
		binary.LittleEndian.PutUint32(p, v)
	}
}
