package astc

import (
	"slices"
	"sync"
)

// Scale is what the numbers of a range stand for.
type Scale struct {
	Trit, Quint, Bits uint    // a number is trit or quint << Bits | bits
	Values            []uint8 // of numbers: 0 to 64 of weights, 0 to 255 of colours
	Nearest           []uint8 // the number whose value is nearest to a value, the first one of two
	Rank, Ranked      []uint8 // of a number among all by their values, and the number of a rank
}

// Levels is how many numbers there are.
func (s *Scale) Levels() int { return len(s.Values) }

// WeightScale returns the scale of weights of a range, 0 to 11 as in Parts.
func WeightScale(r uint8) *Scale { return &scales().weights[r] }

// ColorScale returns the scale of colour numbers of a range, 4 to 20 as in Parts.
func ColorScale(r uint8) *Scale { return &scales().colors[r] }

type scaleTables struct {
	weights [12]Scale
	colors  [21]Scale
}

var scales = sync.OnceValue(func() *scaleTables {
	t := &scaleTables{}
	for i, q := range weightRanges {
		t.weights[i] = newScale(q, weightOf[i][:], 64)
	}
	for i, q := range colorRanges {
		t.colors[20-i] = newScale(q, colorOf[i][:], 255)
	}
	return t
})

func newScale(q quant, values []uint8, most int) Scale {
	levels := 1 << q.bits
	switch {
	case q.trit == 1:
		levels *= 3
	case q.quint == 1:
		levels *= 5
	}
	s := Scale{
		Trit: q.trit, Quint: q.quint, Bits: q.bits,
		Values: values[:levels], Nearest: make([]uint8, most+1), Rank: make([]uint8, levels), Ranked: make([]uint8, levels),
	}
	for v := range s.Nearest {
		best := most + 1
		for n, value := range s.Values {
			if d := max(v-int(value), int(value)-v); d < best {
				best, s.Nearest[v] = d, uint8(n)
			}
		}
	}
	for n := range levels {
		s.Ranked[n] = uint8(n)
	}
	slices.SortStableFunc(s.Ranked, func(a, b uint8) int { return int(s.Values[a]) - int(s.Values[b]) })
	for rank, n := range s.Ranked {
		s.Rank[n] = uint8(rank)
	}
	return s
}
