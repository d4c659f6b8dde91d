package bc

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// A block that is packed has the texels of its fields, and none of its bits is lost.
func TestFields7_Pack(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 20000 {
		f := Fields7{Mode: uint8(random.IntN(8))}
		shape := Shape(f.Mode)
		f.Partition = uint8(random.IntN(shape.Patterns))
		if shape.Index[1] > 0 {
			f.Rotation = uint8(random.IntN(4))
			f.Swap = f.Mode == 4 && random.IntN(2) == 0
		}
		for s := range shape.Subsets {
			for e := range 2 {
				for c := range 4 {
					n := shape.Color
					if c == 3 {
						n = shape.Alpha
					}
					f.Ends[s][e][c] = uint8(random.IntN(1 << n))
				}
				if shape.PBits > 0 {
					f.PBits[s][e] = uint8(random.IntN(2))
				}
			}
			if shape.PBits == 1 {
				f.PBits[s][1] = f.PBits[s][0]
			}
		}
		for i, n := range shape.Index {
			for k := range 16 {
				f.Index[i][k] = uint8(random.IntN(1 << n))
			}
		}
		var block [16]byte
		f.Pack(block[:])
		if s := newStream(block[:]); s.lo<<(63-f.Mode) != 1<<63 {
			t.Fatalf("mode %d is %x", f.Mode, block)
		}
		var got [16]Texel
		DecodeBC7(&got, block[:], false)
		for k := range got {
			c := f.Texel(k)
			if want := (Texel{unorm8(uint32(c[0])), unorm8(uint32(c[1])), unorm8(uint32(c[2])), unorm8(uint32(c[3]))}); got[k] != want {
				t.Fatalf("%+v: texel %d is %v, want %v", f, k, got[k], want)
			}
		}
	}
}

func TestFields7_ByHand(t *testing.T) {
	// Mode 6: seven bits of mode, ends of 7 bits, P-bits at 63 and 64, and indices of four bits but for the first one. Its upper bit
	// is set: ends and P-bits are exchanged, and indices turned.
	f := Fields7{Mode: 6, Ends: [3][2][4]uint8{{{1, 2, 3, 4}, {5, 6, 7, 8}}}, PBits: [3][2]uint8{{1, 0}}}
	f.Index[0][0], f.Index[0][1] = 9, 2
	var want, got [16]byte
	binary.LittleEndian.PutUint64(want[:], 1<<6|5<<7|1<<14|6<<21|2<<28|7<<35|3<<42|8<<49|4<<56)
	high := uint64(1 | 6<<1 | 13<<4)
	for k := 2; k < 16; k++ {
		high |= 15 << (4 * k)
	}
	binary.LittleEndian.PutUint64(want[8:], high)
	if f.Pack(got[:]); got != want {
		t.Errorf("%x, want %x", got, want)
	}
	if f.Index[0][0] != 9 {
		t.Error("the fields themselves were changed")
	}
	// 11 and 3 of 8 bits, and 9 of 15 is 38 of 64: (3·26 + 10·38 + 32) >> 6.
	if c := f.Texel(0); c[0] != (3*26+10*38+32)>>6 {
		t.Errorf("%v", c)
	}
}

// Texels by IMG-810 to IMG-814, of every mode, rotation and selector; of patterns one whose subsets are rows.
func TestFields7_ByFormula_IMG811(t *testing.T) {
	rules.Covers(t, "IMG-811", "IMG-813", "IMG-814", "IMG-825")
	random := rand.New(rand.NewPCG(8, 11))
	weights := map[int][]int{2: {0, 21, 43, 64}, 3: {0, 9, 18, 27, 37, 46, 55, 64}, 4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}}
	for n := range 800 {
		mode := n % 8
		m := [8]struct{ subsets, color, alpha, p, first, second int }{
			{3, 4, 0, 1, 3, 0}, {2, 6, 0, 1, 3, 0}, {3, 5, 0, 0, 2, 0}, {2, 7, 0, 1, 2, 0}, {1, 5, 6, 0, 2, 3}, {1, 7, 8, 0, 2, 2}, {1, 7, 7, 1, 4, 0}, {2, 5, 5, 1, 2, 0},
		}[mode]
		f := Fields7{Mode: uint8(mode)}
		of := func(k int) int { return 0 }
		switch m.subsets {
		case 2:
			f.Partition, of = 13, func(k int) int { return k / 8 } // 0xFF00
		case 3:
			f.Partition, of = 8, func(k int) int { return max(k/4-1, 0) } // 0xAA550000
		}
		if m.second > 0 {
			f.Rotation, f.Swap = uint8(random.IntN(4)), mode == 4 && random.IntN(2) == 0
		}
		var ends [3][2][4]int
		for s := range m.subsets {
			for e := range 2 {
				if f.PBits[s][e] = uint8(random.IntN(2) * m.p); mode == 1 {
					f.PBits[s][e] = f.PBits[s][0]
				}
				for c := range 4 {
					bits := m.color
					if c == 3 {
						bits = m.alpha
					}
					v := random.IntN(1 << bits)
					f.Ends[s][e][c] = uint8(v)
					if m.p == 1 {
						v, bits = v<<1|int(f.PBits[s][e]), bits+1
					}
					v <<= 8 - bits
					if ends[s][e][c] = v | v>>bits; c == 3 && m.alpha == 0 {
						ends[s][e][c] = 255
					}
				}
			}
			if got := f.Colors(s); got != [2][4]uint8{bytesOf7(ends[s][0]), bytesOf7(ends[s][1])} {
				t.Fatalf("%+v: colours %v, want %v", f, got, ends[s])
			}
		}
		for k := range 16 {
			f.Index[0][k] = uint8(random.IntN(1 << m.first))
			f.Index[1][k] = uint8(random.IntN(1 << m.second))
		}
		for k := range 16 {
			first := weights[m.first][f.Index[0][k]]
			color, alpha := first, first
			if m.second > 0 {
				if alpha = weights[m.second][f.Index[1][k]]; f.Swap {
					color, alpha = alpha, color
				}
			}
			var want [4]int
			for c, w := range [4]int{color, color, color, alpha} {
				e := &ends[of(k)]
				want[c] = (e[0][c]*(64-w) + e[1][c]*w + 32) >> 6
			}
			if f.Rotation > 0 {
				want[3], want[f.Rotation-1] = want[f.Rotation-1], want[3]
			}
			if got := f.Texel(k); got != bytesOf7(want) {
				t.Fatalf("%+v, texel %d: %v, want %v", f, k, got, want)
			}
		}
	}
}

func bytesOf7(c [4]int) [4]uint8 { return [4]uint8{uint8(c[0]), uint8(c[1]), uint8(c[2]), uint8(c[3])} }
