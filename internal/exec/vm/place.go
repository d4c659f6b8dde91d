package vm

import (
	"encoding/binary"

	"github.com/pumice-gpu/pumice/internal/exec"
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
		i.kind = kindPixel
	case ir.OpRecord:
		i.kind = kindRecord
	case ir.OpCovered:
		i.kind = kindCovered
	case ir.OpLoadTexel:
		c.r.loadsTexels = true
		i.kind = kindLoadTexel
	case ir.OpCover:
		c.emit(instr{kind: kindCover, a: c.vector(in.Args[0]), imm: i.imm})
		return
	default:
		c.r.storesTexels = true
		c.listed(kindStoreTexel, v, in)
		return
	}
	c.lanewise(v, i)
}

// apartPlaces is how many of the places run together: where texels are loaded and
// stored, those before one at the same pixels.
func (t *thread) apartPlaces(places []exec.Place) int {
	most := t.lanes / ir.PlaceLanes
	if !t.r.loadsTexels || !t.r.storesTexels || t.r.inOrder {
		return min(len(places), most)
	}
	for n := range places {
		if n == most {
			return n
		}
		for k := range n {
			p, q := &places[k], &places[n]
			if p.X == q.X && (p.Y == q.Y || p.Y>>3 == q.Y>>3 && (p.Quads != [4]uint8{} || q.Quads != [4]uint8{})) {
				return n
			}
		}
	}
	return len(places)
}

// place runs an operation on places.
func (t *thread) place(in *instr) {
	b := t.batch
	places := b.Places[t.base/ir.PlaceLanes:][:t.n/ir.PlaceLanes]
	if in.kind == kindStoreTexel {
		t.storeTexels(in, places)
		return
	}
	if in.kind == kindCover {
		row := t.v[in.a]
		for i := range places {
			m := uint16(0)
			for l, v := range row[ir.PlaceLanes*i:][:ir.PlaceLanes] {
				m |= uint16(v&1) << l
			}
			places[i].Covered[in.imm] = m
		}
		return
	}
	row := t.v[in.d]
	for i := range places {
		p, lanes := &places[i], row[ir.PlaceLanes*i:][:ir.PlaceLanes]
		switch in.kind {
		case kindPixel:
			for l := range lanes {
				x, y := p.Pixel(l)
				lanes[l] = uint32([2]int{x, y}[in.imm])
			}
		case kindRecord:
			fill(lanes, binary.LittleEndian.Uint32(b.Records[int64(p.Record)+in.imm:]))
		case kindCovered:
			for l := range lanes {
				lanes[l] = -(uint32(p.Covered[in.imm]) >> l & 1)
			}
		case kindLoadTexel:
			x := ir.TexelOf(uint64(in.imm))
			for l := range lanes {
				if lanes[l] = 0; p.Covered[x.Sample]>>l&1 != 0 {
					lanes[l] = loadTexel(texelOf(&b.Surfaces[x.Surface], p, l, x), x)
				}
			}
		}
	}
}

// texelOf is the memory of a word of a lane's pixel.
func texelOf(s *exec.Surface, p *exec.Place, lane int, x ir.Texel) []byte {
	px, py := p.Pixel(lane)
	return s.Data[py*s.RowPitch+px*int(x.Bytes)+4*int(x.Word):]
}

func loadTexel(p []byte, x ir.Texel) uint32 {
	switch x.Bytes {
	case 1:
		return uint32(p[0])
	case 2:
		return uint32(binary.LittleEndian.Uint16(p))
	}
	return binary.LittleEndian.Uint32(p)
}

// storeTexels stores words of the lanes that each has a mask for.
func (t *thread) storeTexels(in *instr, places []exec.Place) {
	args, from := t.r.aux[in.c].args, ir.TexelOf(uint64(in.imm))
	for w := range len(args) / 2 {
		where, words := t.v[args[2*w]], t.v[args[2*w+1]]
		x := from
		x.Word += uint8(w)
		for i, on := range where[:ir.PlaceLanes*len(places)] {
			if on == 0 {
				continue
			}
			p := texelOf(&t.batch.Surfaces[x.Surface], &places[i/ir.PlaceLanes], i%ir.PlaceLanes, x)
			switch x.Bytes {
			case 1:
				p[0] = byte(words[i])
			case 2:
				binary.LittleEndian.PutUint16(p, uint16(words[i]))
			default:
				binary.LittleEndian.PutUint32(p, words[i])
			}
		}
	}
}
