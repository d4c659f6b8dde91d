package fragops

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// DepthRange bounds stored depths: as numbers of D32, as codes of fixed point.
type DepthRange struct{ Low, High float64 }

// AnyDepth is the range of depths of which nothing is known: NaN, with which every
// comparison is false, so that nothing is decided by it nor by a union with it.
func AnyDepth() DepthRange { return DepthRange{math.NaN(), math.NaN()} }

// Known says that something is known of the depths.
func (r DepthRange) Known() bool { return r.Low <= r.High }

// Union bounds what r and o bound.
func (r DepthRange) Union(o DepthRange) DepthRange {
	return DepthRange{min(r.Low, o.Low), max(r.High, o.High)}
}

// Decided is what is known of a test before it is run.
type Decided uint8

// What is known: Open is nothing.
const (
	Open Decided = iota
	Fails
	Passes
)

// Decides says whether ranges may decide the tests of a face: there is a depth test, and none
// that does something where depth fails. Where it passes, a stencil test is still to be run.
func (d *DepthStencil) Decides(back bool) bool {
	if !d.StencilTest || !d.DepthTest || d.BoundsTest {
		return d.DepthTest && !d.BoundsTest
	}
	f := &d.Faces[0]
	if back {
		f = &d.Faces[1]
	}
	return f.DepthFail == vk.StencilOpKeep && (f.Fail == vk.StencilOpKeep || f.Compare == vk.CompareOpAlways)
}

// Writes says whether the tests may write depth or stencil.
func (d *DepthStencil) Writes() bool { return d.DepthTest && d.DepthWrite || d.StencilTest }

// Never says that no sample passes, whatever is stored, and that nothing is written.
func (d *DepthStencil) Never() bool {
	never := d.DepthTest && d.Compare == vk.CompareOpNever
	if !d.StencilTest {
		return never
	}
	for i := range d.Faces {
		f := &d.Faces[i]
		fails := f.Compare == vk.CompareOpNever && f.Fail == vk.StencilOpKeep
		keeps := never && f.Fail == vk.StencilOpKeep && f.DepthFail == vk.StencilOpKeep
		if !fails && !keeps {
			return false
		}
	}
	return true
}

// Range bounds the codes of depths from low to high, neither of them NaN. Clamping
// and encoding are monotonic, so those of the ends are exact bounds.
func (d *DepthStencil) Range(low, high float32) DepthRange {
	if !(low > d.ZMin && high < d.ZMax) {
		low, high = d.clamp(low), d.clamp(high)
	}
	if d.Format == DepthD32 {
		return DepthRange{float64(low), float64(high)}
	}
	return DepthRange{float64(EncodeDepth(d.Format, low)), float64(EncodeDepth(d.Format, high))}
}

// Decide says how the depth test ends for all fragments with depths in zf where all
// depths stored are in za.
//
// RAS-325, RAS-327 fragops-depth
func (d *DepthStencil) Decide(zf, za DepthRange) Decided {
	var fails, passes bool
	switch d.Compare {
	case vk.CompareOpNever:
		fails = true
	case vk.CompareOpAlways:
		passes = true
	case vk.CompareOpLess:
		fails, passes = zf.Low >= za.High, zf.High < za.Low
	case vk.CompareOpLessOrEqual:
		fails, passes = zf.Low > za.High, zf.High <= za.Low
	case vk.CompareOpGreater:
		fails, passes = zf.High <= za.Low, zf.Low > za.High
	case vk.CompareOpGreaterOrEqual:
		fails, passes = zf.High < za.Low, zf.Low >= za.High
	case vk.CompareOpEqual, vk.CompareOpNotEqual:
		apart := zf.High < za.Low || zf.Low > za.High
		same := zf.Low == zf.High && za == zf
		fails, passes = apart, same
		if d.Compare == vk.CompareOpNotEqual {
			fails, passes = same, apart
		}
	}
	switch {
	case fails:
		return Fails
	case passes:
		return Passes
	}
	return Open
}

// BeforeWrites bounds depths of which stored are there, before fragments write that wait for this test
// and that wide bounds, too: a test moves depths away from those that pass it.
func (d *DepthStencil) BeforeWrites(stored, wide DepthRange) DepthRange {
	switch d.Compare {
	case vk.CompareOpLess, vk.CompareOpLessOrEqual:
		wide.High = stored.High
	case vk.CompareOpGreater, vk.CompareOpGreaterOrEqual:
		wide.Low = stored.Low
	}
	return wide
}

// Bounds is the range of the one depth whose code is at the start of p.
func (f DepthFormat) Bounds(p []byte) DepthRange {
	v := float64(LoadDepth(f, p))
	if f == DepthD32 {
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	}
	return DepthRange{v, v}
}

// Stored bounds what is stored at the samples of the pixels from (x0, y0) to before
// (x1, y1), of one column.
func (f DepthFormat) Stored(depth *Surface, x0, y0, x1, y1, samples int) DepthRange {
	if (f == DepthD24 || f == DepthD32) && depth.TexelPitch == 4*samples {
		mask := uint32(math.MaxUint32)
		if f == DepthD24 {
			mask = 0xFFFFFF
		}
		low, high := uint32(math.MaxUint32), uint32(0)
		for y := y0; y < y1; y++ {
			l, h := leastAndMost(depth.Data[depth.Offset(x0, y, 0):][:4*samples*(x1-x0)], mask)
			low, high = min(low, l), max(high, h)
		}
		if f == DepthD24 {
			return DepthRange{float64(low), float64(high)}
		}
		if high <= 0x7F800000 { // numbers without a sign are ordered as their bits are
			return DepthRange{float64(math.Float32frombits(low)), float64(math.Float32frombits(high))}
		}
	}
	r := DepthRange{math.Inf(1), math.Inf(-1)}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			p := depth.Data[depth.Offset(x, y, 0):]
			for s := range samples {
				r = r.Union(f.Bounds(p[s*depth.SampleBytes:]))
			}
		}
	}
	return r
}

// leastAndMost bounds the masked words of p. Two at a time do not wait for each other.
func leastAndMost(p []byte, mask uint32) (low, high uint32) {
	low, low2 := uint32(math.MaxUint32), uint32(math.MaxUint32)
	high2 := uint32(0)
	for ; len(p) >= 8; p = p[8:] {
		v := binary.LittleEndian.Uint64(p)
		a, b := uint32(v)&mask, uint32(v>>32)&mask
		low, high = min(low, a), max(high, a)
		low2, high2 = min(low2, b), max(high2, b)
	}
	if len(p) >= 4 {
		v := binary.LittleEndian.Uint32(p) & mask
		low, high = min(low, v), max(high, v)
	}
	return min(low, low2), max(high, high2)
}

// Store writes the depths of all samples of the quad whose first pixel is (x, y), as
// a test that passes everywhere does. z is as for Quad.
func (d *DepthStencil) Store(depth *Surface, x, y, samples int, z []float32) {
	base, low, high := depth.Offset(x, y, 0), d.ZMin, d.ZMax
	inside := func(v float32) bool { return v > low && v < high }
	if d.Format == DepthD32 && samples == 1 && inside(z[0]) && inside(z[1]) && inside(z[2]) && inside(z[3]) {
		bits := func(i int) uint64 { return uint64(math.Float32bits(z[i])) }
		binary.LittleEndian.PutUint64(depth.Data[base:], bits(0)|bits(1)<<32)
		binary.LittleEndian.PutUint64(depth.Data[base+depth.RowPitch:], bits(2)|bits(3)<<32)
		return
	}
	row, step := 2*samples, depth.SampleBytes // samples of a row of the quad are side by side
	for i := range 2 {
		p := depth.Data[base+i*depth.RowPitch:][:row*step]
		for _, v := range z[i*row:][:row] {
			StoreDepth(d.Format, p, EncodeDepth(d.Format, d.clamp(v)))
			p = p[step:]
		}
	}
}
