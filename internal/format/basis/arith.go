package basis

import "math/bits"

// Basis Universal's arithmetic coder is a range coder of 32 bits: value is below length, and both are shifted by bytes as soon as
// length is below 2²⁴. Its models count symbols and take over what they counted now and then.
const (
	arithShort  = 1 << 24
	symbolShift = 15 // of cumulated frequencies
	bitShift    = 13 // of the probability of 0
	arithLeast  = 5  // bytes of a stream
	// arithSlack is how many bytes behind the end belong to the last symbols.
	arithSlack = 4
)

// arith decodes a stream of arithLeast bytes or more.
type arith struct {
	data          []byte
	value, length uint32
	over          int // bytes read behind the end
}

func newArith(data []byte) *arith {
	d := &arith{data: data, length: 1<<32 - 1}
	for range 4 {
		d.value = d.value<<8 | d.next()
	}
	return d
}

func (d *arith) next() uint32 {
	if len(d.data) == 0 {
		d.over++
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return uint32(b)
}

func (d *arith) renew() {
	for d.length = max(d.length, 1); d.length < arithShort; d.length <<= 8 {
		d.value = d.value<<8 | d.next()
	}
}

// bits returns a number of n bits that are as likely as others, n ≤ 16. Streams that no encoder makes can have larger ones.
func (d *arith) bits(n uint) uint32 {
	d.length >>= n
	v := d.value / d.length
	d.value -= d.length * v
	d.renew()
	return v
}

// truncated returns a number below m in truncated binary code, m ≥ 2; it can be larger as in bits.
func (d *arith) truncated(m uint32) uint32 {
	k := uint(bits.Len32(m)) - 1
	short := 2<<k - m
	v := d.bits(k)
	if v >= short {
		v = v<<1 + d.bits(1) - short
	}
	return v
}

// bitModel is the probability of a bit.
type bitModel struct {
	zero          uint32 // its probability, of 2¹³
	zeros, all    uint32 // counted
	left, between int32  // bits until the probability is renewed
}

func newBitModel() bitModel {
	return bitModel{zero: 1 << (bitShift - 1), zeros: 1, all: 2, left: 4, between: 4}
}

func (d *arith) bit(m *bitModel) bool {
	x := m.zero * (d.length >> bitShift)
	one := d.value >= x
	if one {
		d.value -= x
		d.length -= x
	} else {
		d.length = x
		m.zeros++
	}
	m.all++
	d.renew()
	if m.left--; m.left <= 0 {
		m.renew()
	}
	return one
}

func (m *bitModel) renew() {
	if m.all >= 1<<bitShift {
		m.all = (m.all + 1) >> 1
		m.zeros = (m.zeros + 1) >> 1
		if m.zeros == m.all {
			m.all++
		}
	}
	m.zero = m.zeros * (1 << 31 / m.all) >> (31 - bitShift)
	m.between = min(max(5*m.between>>2, 4), 128)
	m.left = m.between
}

// symbolModel is the frequency of symbols.
type symbolModel struct {
	below         []uint32 // cumulated, of 2¹⁵, with the end
	count         []uint32
	all           uint32
	left, between int32
}

// newSymbolModel makes a model of n symbols, n ≥ 2. A quick one takes over what it counted earlier at first.
func newSymbolModel(n int, quick bool) *symbolModel {
	m := &symbolModel{below: make([]uint32, n+1), count: make([]uint32, n), all: uint32(n), between: int32(n)}
	for i := range m.count {
		m.count[i] = 1
	}
	m.renew()
	if quick {
		m.between = int32(max((n+7)/8, 4))
		m.left = m.between
	}
	return m
}

func (m *symbolModel) renew() {
	for m.all >= 1<<symbolShift {
		m.all = 0
		for i, c := range m.count {
			m.count[i] = (c + 1) >> 1
			m.all += m.count[i]
		}
	}
	scale, sum := uint32(1<<31)/m.all, uint32(0)
	for i, c := range m.count {
		m.below[i] = scale * sum >> (31 - symbolShift)
		sum += c
	}
	m.below[len(m.count)] = 1 << symbolShift
	m.between = min(max(5*m.between>>2, 4), int32(len(m.count)+6)<<3)
	m.left = m.between
}

func (d *arith) symbol(m *symbolModel) int {
	x, y := uint32(0), d.length
	d.length >>= symbolShift
	low, high := 0, len(m.count)
	for high-low > 1 {
		mid := (low + high) >> 1
		if z := d.length * m.below[mid]; z > d.value {
			high, y = mid, z
		} else {
			low, x = mid, z
		}
	}
	d.value -= x
	d.length = y - x
	d.renew()
	m.count[low]++
	m.all++
	if m.left--; m.left <= 0 {
		m.renew()
	}
	return low
}

// gammaModel is of numbers in Elias' gamma code.
type gammaModel struct {
	longer [3]bitModel
	rest   [4]bitModel
}

func newGammaModel() *gammaModel {
	m := &gammaModel{}
	for i := range m.longer {
		m.longer[i] = newBitModel()
	}
	for i := range m.rest {
		m.rest[i] = newBitModel()
	}
	return m
}

// gamma returns a number of 1 to 2¹⁷ − 1, or 0 where it is longer.
func (d *arith) gamma(m *gammaModel) int {
	k := 0
	for d.bit(&m.longer[min(k, 2)]) {
		if k++; k > 16 {
			return 0
		}
	}
	n := 1 << k
	for i := k - 1; i >= 0; i-- {
		if d.bit(&m.rest[min(i, 3)]) {
			n |= 1 << i
		}
	}
	return n
}
