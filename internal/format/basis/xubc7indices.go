package basis

import (
	"errors"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format/bc"
)

// indices decodes the indices of all planes.
func (d *xubc7) indices(f *bc.Fields7, shape *bc.Shape7, near [4]*bc.Fields7, transform bool) error {
	code, err := d.s[xbPredictors].byte()
	if err != nil {
		return err
	}
	predictor, contrast := int(code)%predictors, int(code)/predictors
	if contrast > 3 || predictor == 0 && contrast > 0 {
		return errReserved
	}
	for plane, n := range shape.Index {
		if n == 0 {
			break
		}
		var like [16]int
		if predictor > 0 {
			if err := d.predict(&like, near, plane, predictor, contrast); err != nil {
				return err
			}
		}
		if transform {
			err = d.transformed(f, shape, plane, &like, predictor > 0)
		} else {
			err = d.told(f, plane, n, &like, predictor > 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// told reads indices of n bits, or their differences to those that weights like them have.
func (d *xubc7) told(f *bc.Fields7, plane int, n uint, like *[16]int, predicted bool) error {
	s, room := &d.s[xbWeights], uint(4)
	if predicted {
		s = &d.s[xbDeltas+n-2]
	}
	if n == 2 {
		room = 2
	}
	for k := 0; k < 16; k += int(8 / room) {
		v, err := s.byte()
		if err != nil {
			return err
		}
		for i := range int(8 / room) {
			index := v & (1<<room - 1)
			if index>>n > 0 {
				return errReserved
			}
			if predicted {
				index += nearestIndex(like[k+i], n)
			}
			f.Index[plane][k+i] = index & (1<<n - 1)
			v >>= room
		}
	}
	return nil
}

// nearestIndex returns the index of n bits whose weight is nearest to a weight, the first one of two.
func nearestIndex(weight int, n uint) uint8 {
	best, index := 1<<8, uint8(0)
	for i := range uint8(1 << n) {
		w := bc.Weight(i, n)
		if e := max(w-weight, weight-w); e < best {
			best, index = e, i
		}
	}
	return index
}

// xbZigzag is the order of coefficients.
var xbZigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// transformed reads indices as coefficients of a discrete cosine transform of their weights, or of the weights' differences to others.
func (d *xubc7) transformed(f *bc.Fields7, shape *bc.Shape7, plane int, like *[16]int, predicted bool) error {
	n := shape.Index[plane]
	sign := func() (int64, error) {
		v, err := d.s[xbSigns].bits(1)
		return 1 - 2*int64(v), err
	}
	mean, err := d.s[xbMeans].byte()
	if err != nil {
		return err
	}
	dc := int64(mean) << (6 - n)
	if predicted {
		s, err := sign()
		if err != nil {
			return err
		}
		dc *= s
	}
	coefficients := [16]int64{dc << 16}
	steps := xbSteps(d.quality, d.span(f, shape, plane), n)
	for at := 1; at < 16; at++ {
		run, err := d.s[xbCoefficients].byte()
		if err != nil {
			return err
		}
		if run == 0xFF {
			break
		}
		if at += int(run); at > 15 {
			return errors.New("a coefficient behind the last one")
		}
		size, err := d.s[xbCoefficients].byte()
		if err != nil {
			return err
		}
		if size == 0 {
			return errors.New("a coefficient of 0")
		}
		s, err := sign()
		if err != nil {
			return err
		}
		k := xbZigzag[at]
		v := int64(size) * steps[k] << 16
		if k != 1 && k != 4 {
			v += steps[k] << 15
		}
		coefficients[k] = s * min(v, 2048<<16)
	}
	xbInverse(&coefficients)
	for k, v := range coefficients {
		w := int(roundShift(v+int64(like[k])<<16, 16))
		f.Index[plane][k] = nearestIndex(min(max(w, 0), 64), n)
	}
	return nil
}

// span is the square of how far apart ends are, in the channels of a plane: of the farthest subset.
func (d *xubc7) span(f *bc.Fields7, shape *bc.Shape7, plane int) uint64 {
	most := 0
	for subset := range shape.Subsets {
		ends, sum := f.Colors(subset), 0
		for c := range 4 {
			if shape.Index[1] > 0 && (plane == 1) != ((c == 3) != f.Swap) {
				continue
			}
			e := int(ends[1][c]) - int(ends[0][c])
			sum += e * e
		}
		most = max(most, sum)
	}
	return uint64(most)
}

// roundShift divides by 2ⁿ, halves away from 0.
func roundShift(v int64, n uint) int64 {
	if v < 0 {
		return -((-v + 1<<(n-1)) >> n)
	}
	return (v + 1<<(n-1)) >> n
}

// xbBase are the steps of coefficients in quality 50, in halves.
var xbBase = [16]int64{2, 7, 48, 102, 7, 24, 80, 156, 48, 80, 136, 206, 102, 156, 206, 240}

// xbRange widens steps by the bits of an index, in 65536ths.
var xbRange = [5]int64{2: 88859, 3: 81640, 4: 75649}

// xbSteps returns the steps of coefficients, computed with 16 bits behind the point.
func xbSteps(quality int, span uint64, n uint) (steps [16]int64) {
	for k := range steps {
		steps[k] = 1
	}
	if quality >= 100 {
		return steps
	}
	scale := int64(200-2*quality) << 16
	if quality < 50 {
		scale = roundShift(5000<<17/int64(quality), 1)
	}
	scale = (scale + 50) / 100
	adapt := roundShift(64<<33/max(root(span), 14<<16), 1)
	adapt = roundShift(adapt*xbRange[n], 16)
	scale = roundShift(scale*adapt, 16)
	for k := 1; k < 16; k++ {
		if steps[k] = max(1, roundShift(xbBase[k]<<15*scale, 32)); k == 1 || k == 4 {
			steps[k] = min(steps[k], 73)
		}
	}
	return steps
}

// root returns the square root of x, x < 2³⁰, with 16 bits behind the point, rounded.
func root(x uint64) int64 {
	x <<= 32
	r := uint64(0)
	for b := uint64(1) << (bits.Len64(x) / 2); b > 0; b >>= 1 {
		if t := r | b; t*t <= x {
			r = t
		}
	}
	if x-r*r > r {
		r++
	}
	return int64(r)
}

// xbInverse undoes the orthonormal transform of 4 × 4 numbers, columns first. Cosines and sums have 16 bits behind the point.
func xbInverse(c *[16]int64) {
	const half, c1, c3 = 32768, 42813, 17734 // 1/2, cos(π/8)/√2, cos(3π/8)/√2
	line := func(at, apart int) {
		p := [4]*int64{&c[at], &c[at+apart], &c[at+2*apart], &c[at+3*apart]}
		even, odd := (*p[0]+*p[2])*half, (*p[0]-*p[2])*half
		outer, inner := *p[1]*c1+*p[3]*c3, *p[1]*c3-*p[3]*c1
		*p[0], *p[3] = roundShift(even+outer, 16), roundShift(even-outer, 16)
		*p[1], *p[2] = roundShift(odd+inner, 16), roundShift(odd-inner, 16)
	}
	for i := range 4 {
		line(i, 4)
	}
	for i := range 4 {
		line(4*i, 1)
	}
}
