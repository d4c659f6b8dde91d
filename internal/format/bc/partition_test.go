package bc

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// The tables as the catalogue writes them, word for word.
const (
	twoSubsets = `
CCCC 8888 EEEE ECC8 C880 FEEC FEC8 EC80  C800 FFEC FE80 E800 FFE8 FF00 FFF0 F000
F710 008E 7100 08CE 008C 7310 3100 8CCE  088C 3110 6666 366C 17E8 0FF0 718E 399C
AAAA F0F0 5A5A 33CC 3C3C 55AA 9696 A55A  73CE 13C8 324C 3BDC 6996 C33C 9966 0660
0272 04E4 4E40 2720 C936 936C 39C6 639C  9336 9CC6 817E E718 CCF0 0FCC 7744 EE22`
	threeSubsets = `
AA685050 6A5A5040 5A5A4200 5450A0A8 A5A50000 A0A05050 5555A0A0 5A5A5050
AA550000 AA555500 AAAA5500 90909090 94949494 A4A4A4A4 A9A59450 2A0A4250
A5945040 0A425054 A5A5A500 55A0A0A0 A8A85454 6A6A4040 A4A45000 1A1A0500
0050A4A4 AAA59090 14696914 69691400 A08585A0 AA821414 50A4A450 6A5A0200
A9A58000 5090A0A8 A8A09050 24242424 00AA5500 24924924 24499224 50A50A50
500AA550 AAAA4444 66660000 A5A0A5A0 50A050A0 69286928 44AAAA44 66666600
AA444444 54A854A8 95809580 96969600 A85454A8 80959580 AA141414 96960000
AAAA1414 A05050A0 A0A5A5A0 96000000 40804080 A9A8A9A8 AAAAAA44 2A4A5254`
	secondOfTwo = `15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15
2 8 2 2 8 8 15 2 8 2 2 8 8 2 2 15 15 6 8 2 8 15 15 2 8 2 2 2 15 15 6 6 2 6 8 15 15 2 2 15 15 15 15 15 2 2 15`
	secondOfThree = `3 3 15 15 8 3 15 15 8 8 6 6 6 5 3 3 3 3 8 15 3 3 6 10 5 8 8 6 8 5 15 15
8 15 3 5 6 10 8 15 15 3 15 5 15 15 15 15 3 15 5 5 5 8 5 10 5 10 8 13 15 12 3 3`
	thirdOfThree = `15 8 8 3 15 15 3 8 15 15 15 15 15 15 15 8 15 8 15 3 15 8 15 8 3 15 6 10 15 15 10 8
15 3 15 10 10 8 9 10 6 15 8 15 3 6 6 8 15 3 15 15 15 15 15 15 15 15 15 15 3 15 15 8`
)

// IMG-815, IMG-816: every entry of the tables; the texel that anchors a subset is in
// it, and texel 0 is in the first.
func TestPartitions_IMG815_Tables(t *testing.T) {
	rules.Covers(t, "IMG-815", "IMG-816")
	words := func(s string, base int) (out []uint32) {
		for _, w := range strings.Fields(s) {
			v, err := strconv.ParseUint(w, base, 32)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, uint32(v))
		}
		if len(out) != 64 {
			t.Fatalf("%d entries", len(out))
		}
		return out
	}
	two, three := words(twoSubsets, 16), words(threeSubsets, 16)
	a, b, c := words(secondOfTwo, 10), words(secondOfThree, 10), words(thirdOfThree, 10)
	for p := range 64 {
		if uint32(partition2[p]) != two[p] || partition3[p] != three[p] {
			t.Errorf("partition %d: %04X and %08X, want %04X and %08X", p, partition2[p], partition3[p], two[p], three[p])
		}
		if uint32(anchor2[p]) != a[p] || uint32(anchor3a[p]) != b[p] || uint32(anchor3b[p]) != c[p] {
			t.Errorf("anchors of partition %d: %d, %d and %d, want %d, %d and %d", p, anchor2[p], anchor3a[p], anchor3b[p], a[p], b[p], c[p])
		}
		if two[p]&1 != 0 || three[p]&3 != 0 || two[p]>>a[p]&1 != 1 || three[p]>>(2*b[p])&3 != 1 || three[p]>>(2*c[p])&3 != 2 {
			t.Errorf("partition %d: an anchor is in another subset", p)
		}
	}
}
