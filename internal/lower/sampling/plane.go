package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
)

// plane is level for LINEAR filtering of two dimensions without borders: the
// four taps of a lane at once, in the order j, i ascending, for the classes that
// have a loop. Others return false.
func (u *Unit) plane(p *plan, b *batch, l *level, s *sums) bool {
	switch {
	case p.key.Sum == SumReduce:
		return false
	case u.simd && p.key.Compare && p.count == 1 && p.key.Texel == TexelWords:
		u.corners(p, b)
		u.shadowKernel(p, b, s)
	case u.simd && p.key.Sum == SumFinite && p.key.Texel == TexelSrgb8x4 && !p.key.Compare:
		u.corners(p, b)
		for c := range s.c {
			lut := &u.srgb
			if c == 3 {
				lut = &u.unorm
			}
			lutAVX2(&s.c[c], &u.texels, &u.weight4, lut, uint64(p.shift[c]), b.n)
		}
	case p.key.Compare && p.count == 1 && (p.key.Texel == TexelWords || p.key.Texel == TexelU16):
		u.planeShadow(p, b, s)
	case p.key.Sum == SumFloat && p.key.Texel == TexelBlock && p.block[2] == 1:
		u.planeBlock(p, b, l, s)
	case p.key.Sum == SumFinite && p.key.Texel == TexelSrgb8x4 && !p.key.Compare:
		u.planeSrgb(p, b, s)
	case p.key.Sum == SumFloat && p.key.Texel == TexelF16 && p.count == 4:
		u.planeHalf(p, b, s)
	case p.key.Sum == SumFloat && p.key.Texel == TexelWords && p.count == 4:
		u.planeFloat(p, b, s)
	default:
		return false
	}
	return true
}

// corners reads the four words of every footprint into u.texels and computes
// their weights.
func (u *Unit) corners(p *plan, b *batch) {
	u.pad(b.n)
	cornersAVX2(&u.texels, &p.v.Image.Data[0], &u.start, &u.x[0], &u.x[1], b.n)
	weightsAVX2(&u.weight4, &u.x[0], &u.x[1], b.n)
}

// shadowKernel is planeShadow after corners.
func (u *Unit) shadowKernel(p *plan, b *batch, s *sums) {
	var pass [4]uint32 // of less, equal, greater, unordered
	op := p.key.CompareOp
	for i, yes := range [4]bool{op&1 != 0, op&2 != 0, op&4 != 0, op&5 == 5} {
		if yes {
			pass[i] = ^uint32(0)
		}
	}
	shadowAVX2(&s.c[0], &u.texels, &u.weight4, &b.ref, &pass, b.n)
}

// cornersOf are the offsets of a lane's four texels and their weights.
func (u *Unit) cornersOf(k int) (o [4]int32, w [4]float64) {
	k &= chunk - 1
	top, bottom := u.start[k]+u.x[1].at[0][k], u.start[k]+u.x[1].at[1][k]
	x0, x1 := u.x[0].at[0][k], u.x[0].at[1][k]
	o = [4]int32{top + x0, top + x1, bottom + x0, bottom + x1}
	fx, fy := u.x[0].f[k], u.x[1].f[k]
	w = [4]float64{float64((one8 - fx) * (one8 - fy)), float64(fx * (one8 - fy)), float64((one8 - fx) * fy), float64(fx * fy)}
	return o, w
}

// planeShadow compares four depths and adds up the weights of those that pass (IMG-316).
func (u *Unit) planeShadow(p *plan, b *batch, s *sums) {
	data := p.v.Image.Data
	// Bits of the operator: less, equal, greater; the fourth is what is not
	// ordered, which NOT_EQUAL and ALWAYS are true of.
	op := uint32(p.key.CompareOp)
	if op&5 == 5 {
		op |= 8
	}
	sum, ref := s.c[0][:b.n], b.ref[:b.n]
	words := p.key.Texel == TexelWords
	for k := range sum {
		k &= chunk - 1
		top, bottom := u.start[k]+u.x[1].at[0][k], u.start[k]+u.x[1].at[1][k]
		x0, x1, fx, fy := u.x[0].at[0][k], u.x[0].at[1][k], u.x[0].f[k], u.x[1].f[k]
		o := [4]int32{top + x0, top + x1, bottom + x0, bottom + x1}
		w := [4]int32{(one8 - fx) * (one8 - fy), fx * (one8 - fy), (one8 - fx) * fy, fx * fy}
		total, r := int32(0), ref[k]
		for i, at := range o {
			var x float32
			if words {
				x = math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
			} else {
				x = fp.UnormToFloat(uint32(binary.LittleEndian.Uint16(data[at:])), 16)
			}
			order := uint32(8)
			if r < x {
				order = 1
			} else if r == x {
				order = 2
			} else if r > x {
				order = 4
			}
			if op&order != 0 {
				total += w[i]
			}
		}
		sum[k] = float64(total)
	}
}

// planeSrgb: sRGB texels are finite and not negative, so weights of 0 add
// nothing.
func (u *Unit) planeSrgb(p *plan, b *batch, s *sums) {
	data := p.v.Image.Data
	r, g, c, a := p.shift[0]&31, p.shift[1]&31, p.shift[2]&31, p.shift[3]&31
	s0, s1, s2, s3 := s.c[0][:b.n], s.c[1][:b.n], s.c[2][:b.n], s.c[3][:b.n]
	lut, alpha := &u.srgb, &u.unorm
	for k := range s0 {
		o, w := u.cornersOf(k)
		t0, t1 := binary.LittleEndian.Uint32(data[o[0]:]), binary.LittleEndian.Uint32(data[o[1]:])
		t2, t3 := binary.LittleEndian.Uint32(data[o[2]:]), binary.LittleEndian.Uint32(data[o[3]:])
		s0[k] = float64(w[0]*lut[uint8(t0>>r)]) + float64(w[1]*lut[uint8(t1>>r)]) + float64(w[2]*lut[uint8(t2>>r)]) + float64(w[3]*lut[uint8(t3>>r)])
		s1[k] = float64(w[0]*lut[uint8(t0>>g)]) + float64(w[1]*lut[uint8(t1>>g)]) + float64(w[2]*lut[uint8(t2>>g)]) + float64(w[3]*lut[uint8(t3>>g)])
		s2[k] = float64(w[0]*lut[uint8(t0>>c)]) + float64(w[1]*lut[uint8(t1>>c)]) + float64(w[2]*lut[uint8(t2>>c)]) + float64(w[3]*lut[uint8(t3>>c)])
		s3[k] = float64(w[0]*alpha[uint8(t0>>a)]) + float64(w[1]*alpha[uint8(t1>>a)]) + float64(w[2]*alpha[uint8(t2>>a)]) + float64(w[3]*alpha[uint8(t3>>a)])
	}
}

func (u *Unit) planeFloat(p *plan, b *batch, s *sums) {
	data := p.v.Image.Data
	if u.simd {
		for k := range b.n {
			k &= chunk - 1
			top, bottom := u.start[k]+u.x[1].at[0][k], u.start[k]+u.x[1].at[1][k]
			x0, x1, to := u.x[0].at[0][k], u.x[0].at[1][k], &u.quads[k]
			for i, at := range [4]int32{top + x0, top + x1, bottom + x0, bottom + x1} {
				t := data[at : at+16 : at+16]
				to[i] = format.Texel{binary.LittleEndian.Uint32(t), binary.LittleEndian.Uint32(t[4:]),
					binary.LittleEndian.Uint32(t[8:]), binary.LittleEndian.Uint32(t[12:])}
			}
		}
		weightsAVX2(&u.weight4, &u.x[0], &u.x[1], b.n)
		footprintsAVX2(s, &u.quads, &u.weight4, b.n)
		return
	}
	s0, s1, s2, s3 := s.c[0][:b.n], s.c[1][:b.n], s.c[2][:b.n], s.c[3][:b.n]
	for k := range s0 {
		o, w := u.cornersOf(k)
		var x0, x1, x2, x3 float64
		for i, at := range o {
			if w[i] == 0 { // IMG-533; never the first
				continue
			}
			t := data[at : at+16 : at+16]
			r, g := math.Float32frombits(binary.LittleEndian.Uint32(t)), math.Float32frombits(binary.LittleEndian.Uint32(t[4:]))
			b, a := math.Float32frombits(binary.LittleEndian.Uint32(t[8:])), math.Float32frombits(binary.LittleEndian.Uint32(t[12:]))
			if i == 0 {
				x0, x1, x2, x3 = float64(w[0]*float64(r)), float64(w[0]*float64(g)), float64(w[0]*float64(b)), float64(w[0]*float64(a))
				continue
			}
			x0 += float64(w[i] * float64(r))
			x1 += float64(w[i] * float64(g))
			x2 += float64(w[i] * float64(b))
			x3 += float64(w[i] * float64(a))
		}
		s0[k], s1[k], s2[k], s3[k] = x0, x1, x2, x3
	}
}

func (u *Unit) planeHalf(p *plan, b *batch, s *sums) {
	data := p.v.Image.Data
	if u.simd {
		for k := range b.n {
			k &= chunk - 1
			top, bottom := u.start[k]+u.x[1].at[0][k], u.start[k]+u.x[1].at[1][k]
			x0, x1, to := u.x[0].at[0][k], u.x[0].at[1][k], &u.quads[k]
			for i, at := range [4]int32{top + x0, top + x1, bottom + x0, bottom + x1} {
				t := data[at : at+8 : at+8]
				to[i][0], to[i][1] = binary.LittleEndian.Uint32(t), binary.LittleEndian.Uint32(t[4:])
			}
		}
		weightsAVX2(&u.weight4, &u.x[0], &u.x[1], b.n)
		halvesF16C(s, &u.quads, &u.weight4, b.n)
		return
	}
	s0, s1, s2, s3 := s.c[0][:b.n], s.c[1][:b.n], s.c[2][:b.n], s.c[3][:b.n]
	for k := range s0 {
		o, w := u.cornersOf(k)
		var x0, x1, x2, x3 float64
		for i, at := range o {
			if w[i] == 0 { // IMG-533; never the first
				continue
			}
			t := binary.LittleEndian.Uint64(data[at:])
			r, g := float64(fp.HalfToFloat(uint16(t))), float64(fp.HalfToFloat(uint16(t>>16)))
			b, a := float64(fp.HalfToFloat(uint16(t>>32))), float64(fp.HalfToFloat(uint16(t>>48)))
			if i == 0 {
				x0, x1, x2, x3 = float64(w[0]*r), float64(w[0]*g), float64(w[0]*b), float64(w[0]*a)
				continue
			}
			x0 += float64(w[i] * r)
			x1 += float64(w[i] * g)
			x2 += float64(w[i] * b)
			x3 += float64(w[i] * a)
		}
		s0[k], s1[k], s2[k], s3[k] = x0, x1, x2, x3
	}
}
