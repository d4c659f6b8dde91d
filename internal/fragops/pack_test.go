package fragops

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The kernel packs what the Go body packs, for every number of lanes.
func TestPack_AssemblyEqualsGo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	special := []uint32{0, 1 << 31, 0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00000, 0xBF800000, 1}
	for trial := range 3000 {
		n := 1 + r.IntN(2*packChunk)
		var src [4][]uint32
		for k := range src {
			for range n {
				x := math.Float32bits(r.Float32())
				switch r.IntN(4) {
				case 0:
					x = special[r.IntN(len(special))]
				case 1:
					x = math.Float32bits((float32(r.IntN(256)) + 0.5) / 255)
				}
				src[k] = append(src[k], x)
			}
		}
		for g := range (n + packChunk - 1) / packChunk {
			a := packed{src: &src, first: uint(trial & 1 * 2), group: g}
			b := a
			a.pack(false)
			b.pack(haveAVX2)
			if a.words != b.words {
				t.Fatalf("%d lanes: %x, want %x", n, b.words, a.words)
			}
		}
	}
}
