package lower_test

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
)

func early(x uint32) uint32 {
	if x < 8 {
		return 1
	}
	if x < 16 {
		if x&1 == 0 {
			return 2
		}
		x += 100
	}
	for i := uint32(0); i < x; i++ {
		if i*i > x {
			return i
		}
	}
	return x + 7
}

func nested(x uint32) uint32 {
	s := uint32(0)
	for i := uint32(0); i < 10; i++ {
		if i == x&7 {
			continue
		}
		for j := uint32(0); ; j++ {
			if j == x%5 {
				break
			}
			if (i+j)%3 == 0 {
				continue
			}
			s += i*j + 1
			if s > 200 {
				return s
			}
		}
		s ^= i
		if s > 150 {
			break
		}
	}
	return s
}

func fall(x uint32) uint32 {
	r := uint32(0)
	switch x % 9 {
	case 0:
		r++
		fallthrough
	case 1:
		r += 10
	case 2, 3:
		r += 100
		if x > 20 {
			break
		}
		fallthrough
	default:
		r += 1000
		fallthrough
	case 5:
		r += 10000
		if x > 40 {
			return r
		}
	case 6:
	}
	return r
}

func doWhile(x uint32) uint32 {
	n := uint32(0)
	for {
		n++
		if x == 1 {
			break
		}
		if x&1 == 0 {
			x /= 2
		} else {
			x = 3*x + 1
		}
		if x == 4 || n >= 40 {
			break
		}
	}
	return n*256 + x&255
}

func loopSwitch(x uint32) uint32 {
	acc := uint32(0)
	for i := uint32(0); i < 12; i++ {
		switch (x + i) & 3 {
		case 0:
			continue
		case 1:
			acc += i
		case 2:
			if i > 8 {
				return acc | 0x8000
			}
			fallthrough
		case 3:
			acc = acc*3 + 1
		}
		acc += 2
	}
	return acc
}

func fib(n uint32) uint32 {
	a, b := uint32(0), uint32(1)
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a
}

func TestControlFlow_DivergentLanes(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i*37+5) % 71
	}
	names := []string{"early return", "nested loops", "fallthrough", "do while", "switch in loop", "out parameters", "while", "short circuit"}
	for _, form := range forms {
		testControl(t, form, in, names)
	}
}

func testControl(t *testing.T, form string, in []uint32, names []string) {
	got := runCompute(t, "control.comp"+form, lower.Options{}, in, lanes*8)
	check(t, got, 8, names, func(lane uint32) []uint32 {
		x := in[lane]
		y, z := x, uint32(3)
		if x > 30 {
			y = 5
		} else {
			z += x
		}
		last := uint32(0)
		p := x&1 != 0 && in[63-lane] > 10 || x == 6
		if !p {
			last = 77
		}
		if p || x <= 50 {
			last++
		}
		return []uint32{early(x), nested(x), fall(x), doWhile(x), loopSwitch(x), y*1000 + z, fib(x % 20), last}
	})
}
