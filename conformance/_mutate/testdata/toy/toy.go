// Package toy is what the tests of _mutate change.
package toy

// Clamp returns x, kept from lo to hi.
func Clamp(x, lo, hi int) int {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Sum adds up to n: a loop that some mutants never leave.
func Sum(n int) (s int) {
	for n > 0 {
		s += n
		n--
	}
	return s
}

// Untested is reached by no test.
func Untested(x int) int { return x + 1 }

// Loose is reached by a test that doesn't look at the result.
func Loose(x int) int { return x * 3 }

type level uint8

const (
	low level = iota
	high
)

var table = [...]float32{0.5, 1 << 3, 2: -4}

// Zoo goes through every kind of place that is changed; its result is tested, so that
// switches that are off must change nothing.
func Zoo(a, b int, f float32, p *int) (out []int, err error) {
	const limit = 7
	var u uint8 = 200
	u += 100
	out = append(out, a+b, a-b, a*b, a/3, a%3, a&b, a|b, a^b, a&^b, a<<2, a>>1, 1<<uint(b), -a, ^a, int(u))
	a -= 1
	a *= 2
	a /= 3
	a |= 9
	a &= 13
	a ^= 1
	a &^= 4
	a <<= 1
	a >>= 2
	a++
	b--
	m := map[string]int{"x": limit}
	m["x"] += 2
	m["x"]++
	if p != nil && (*p > limit || !(b < 0)) {
		*p += m["x"]
	}
	l := low
	switch {
	case f >= 1.5, f <= -1e30:
		l = high
	case f == 0:
		return nil, nil
	}
	for i, v := range table {
		if i == 1 {
			continue
		}
		if v > 1e6 {
			break
		}
		out = append(out, int(v*f), i)
	}
	func() { out = append(out, int(l)) }()
	return append(out, a, b), err
}
