package bc

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
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
