package basis

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format/bc"
)

// xbSlice is a slice of 8 × 8 texels with these streams, of which none is packed.
func xbSlice(alpha byte, streams map[int][]byte) []byte {
	streams[xbHeader] = []byte{8, 0, 8, 0, 50, alpha, 1}
	data := []byte{xbStreams, byte(len(streams))}
	for id := range 128 {
		if s := streams[id]; s != nil {
			data = append(binary.AppendUvarint(append(data, byte(id)), uint64(len(s))), s...)
		}
	}
	return append(data, xbEnd)
}

func TestXUBC7_ByHand(t *testing.T) {
	dst := make([]byte, 4*16)
	// A colour, the same again by a difference of 0, a copy of the block above, and colours that are 2 brighter than the mean of both.
	s := XUBC7{8, 8, xbSlice(0, map[int][]byte{xbCommands: {2, 2, 1, 2}, xbSolid: {0, 255, 2, 0, 0, 0, 2, 0, 0}}), nil}
	if err := s.Decode(t.Context(), dst); err != nil {
		t.Fatal(err)
	}
	// The smallest ends whose mean with 21/64 is 2: 0 and 3, of 7 bits; 255 has no other than 127 twice.
	want := bc.Fields7{Mode: 5, Ends: [3][2][4]uint8{{{0, 127, 0, 255}, {0, 127, 3, 255}}}}
	for k := range want.Index[0] {
		want.Index[0][k] = 1
	}
	var block [16]byte
	for i := range 4 {
		if i == 3 {
			want.Ends[0][1][0] = 3
		}
		if want.Pack(block[:]); [16]byte(dst[16*i:]) != block {
			t.Errorf("block %d: %x, want %x", i, dst[16*i:][:16], block)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Decode(ctx, dst); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// Mode 6: new, ends as they are, indices as they are. 4 × 2 ends of 7 bits and two P-bits are 58 bits.
	raw := new(writer)
	for i := range uint32(8) {
		raw.put(10+i, 7)
	}
	index := []byte{0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE}
	s = XUBC7{4, 4, xbSlice(1, map[int][]byte{xbCommands: {3}, xbConfigs: {6}, xbPredictors: {0}, xbEndsRaw: raw.put(2, 2).data, xbWeights: index}), nil}
	s.Data[4], s.Data[6] = 4, 4 // texels, behind two bytes and the stream's two
	if err := s.Decode(t.Context(), dst[:16]); err != nil {
		t.Fatal(err)
	}
	want = bc.Fields7{Mode: 6, Ends: [3][2][4]uint8{{{10, 12, 14, 16}, {11, 13, 15, 17}}}, PBits: [3][2]uint8{{0, 1}}}
	for k := range want.Index[0] {
		want.Index[0][k] = uint8(k)
	}
	if want.Pack(block[:]); [16]byte(dst) != block {
		t.Errorf("%x, want %x", dst[:16], block)
	}
	// Small pictures have their blocks as they are.
	small := append([]byte{xbSmall, 1, 1}, block[:]...)
	if err := (&XUBC7{4, 4, small, nil}).Decode(t.Context(), dst[:16]); err != nil || [16]byte(dst) != block {
		t.Errorf("%x, %v", dst[:16], err)
	}
}

func TestXUBC7_Hostile(t *testing.T) {
	solid := func(n int) []byte { return make([]byte, 3*n) }
	change := func(at int, v ...byte) []byte {
		return slices.Replace(xbSlice(0, map[int][]byte{xbCommands: {2, 2, 2, 2}, xbSolid: solid(4)}), at, at+len(v), v...)
	}
	one := func(streams map[int][]byte) []byte {
		streams[xbSolid] = solid(3)
		return xbSlice(0, streams)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":                        {nil, "end too early"},
		"another beginning":              {[]byte{0xB6, 0, xbEnd}, "it begins with 0xb6"},
		"no streams":                     {[]byte{xbStreams, 0, xbEnd}, "a header of 0 bytes"},
		"no end":                         {change(31, 0), "do not end where they should"},
		"a stream outside":               {change(3, 100), "end too early"},
		"an empty stream":                {change(3, 0), "stream 0 has 0 of 0 bytes"},
		"a stream twice":                 {change(11, 0), "stream 0 is there twice"},
		"a size without end":             {change(3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80), "end too early"},
		"another width":                  {change(4, 9), "a slice of 9 × 8 texels"},
		"quality 101":                    {change(8, 101), "quality 101"},
		"a flag":                         {change(9, 2), "flags 0x02"},
		"no stripe":                      {change(10, 0), "0 stripes of 2 rows"},
		"more stripes than rows":         {change(10, 3), "3 stripes of 2 rows"},
		"stripes without a table":        {change(10, 2), "a table of 0 bytes"},
		"few commands":                   {xbSlice(0, map[int][]byte{xbCommands: {2, 2, 2}, xbSolid: solid(3)}), "3 commands for 4 blocks"},
		"few colours":                    {xbSlice(0, map[int][]byte{xbCommands: {2, 2, 2, 2}, xbSolid: solid(3)}), "block (1, 1): a stream ends too early"},
		"more colours":                   {xbSlice(0, map[int][]byte{xbCommands: {2, 2, 2, 2}, xbSolid: solid(5)}), "does not end with the blocks"},
		"bits in a simple command":       {one(map[int][]byte{xbCommands: {2 | 8, 2, 2, 2}}), "reserved bits"},
		"the upper bit":                  {one(map[int][]byte{xbCommands: {2 | 128, 2, 2, 2}}), "reserved bits"},
		"like nothing":                   {one(map[int][]byte{xbCommands: {0, 2, 2, 2}}), "like a block outside"},
		"like nothing above":             {one(map[int][]byte{xbCommands: {1, 2, 2, 2}}), "like a block outside"},
		"configured like nothing":        {one(map[int][]byte{xbCommands: {7, 2, 2, 2}}), "like a block outside"},
		"no configuration":               {one(map[int][]byte{xbCommands: {3, 2, 2, 2}}), "a stream ends too early"},
		"a configuration's upper bits":   {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {64}}), "reserved bits"},
		"one plane rotated":              {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {6 | 8}}), "reserved bits"},
		"a selector in mode 5":           {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {5 | 32}}), "reserved bits"},
		"pattern 64":                     {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {1}, xbPatterns2: {64}}), "no such pattern"},
		"pattern 16 in mode 0":           {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {0}, xbPatterns3: {16}}), "no such pattern"},
		"ends like nothing":              {one(map[int][]byte{xbCommands: {3 | 1<<3, 2, 2, 2}, xbConfigs: {6}}), "like a block outside"},
		"ends like a subset":             {one(map[int][]byte{xbCommands: {2, 3 | 6<<3, 2, 2}, xbConfigs: {6}}), "like a block outside"},
		"ends like number 32":            {one(map[int][]byte{xbCommands: {2, 3 | 5<<3, 2, 2}, xbConfigs: {6}, xbEndsFrom: {32}}), "reserved bits"},
		"ends like one far away":         {one(map[int][]byte{xbCommands: {2, 3 | 5<<3, 2, 2}, xbConfigs: {6}, xbEndsFrom: {1}}), "like a block outside"},
		"predictor 200":                  {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {200}}), "reserved bits"},
		"contrast of nothing":            {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {50}}), "reserved bits"},
		"predicted from nothing":         {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {1}}), "like a block outside"},
		"copied from nothing":            {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {18}}), "like a block outside"},
		"a wide index":                   {one(map[int][]byte{xbCommands: {3, 2, 2, 2}, xbConfigs: {1}, xbPatterns2: {0}, xbEndsRaw: make([]byte, 10), xbPredictors: {0}, xbWeights: bytes.Repeat([]byte{8}, 8)}), "reserved bits"},
		"a coefficient behind the last":  {one(map[int][]byte{xbCommands: {3 | 64, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {0}, xbMeans: {1}, xbCoefficients: {15}}), "behind the last one"},
		"a coefficient of 0":             {one(map[int][]byte{xbCommands: {3 | 64, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {0}, xbMeans: {1}, xbCoefficients: {14, 0}}), "a coefficient of 0"},
		"coefficients without signs":     {one(map[int][]byte{xbCommands: {3 | 64, 2, 2, 2}, xbConfigs: {6}, xbEndsRaw: make([]byte, 8), xbPredictors: {0}, xbMeans: {1}, xbCoefficients: {14, 1}}), "a stream ends too early"},
		"small blocks of another extent": {append([]byte{xbSmall, 1, 2}, make([]byte, 32)...), "1 × 2 blocks in 35 bytes"},
		"few small blocks":               {append([]byte{xbSmall, 2, 2}, make([]byte, 63)...), "2 × 2 blocks in 66 bytes"},
		"small blocks of no mode":        {append([]byte{xbSmall, 2, 2}, make([]byte, 64)...), "a block of no mode"},
	} {
		s := XUBC7{8, 8, c.data, none}
		if err := s.Decode(t.Context(), make([]byte, 64)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	packed := change(2, 0x80, 8, 7)
	if err := (&XUBC7{8, 8, packed, none}).Decode(t.Context(), make([]byte, 64)); err == nil || !strings.Contains(err.Error(), "stream 0: nothing is inflated") {
		t.Error(err)
	}
}

func TestXUBC7_Predictors(t *testing.T) {
	e := edges{left: [4]int{10, 20, 30, 40}, above: [8]int{12, 16, 20, 24, 28, 32, 36, 40}, corner: 8}
	for _, c := range []struct {
		name               string
		predictor, x, y, w int
	}{
		{"left", preLeft, 3, 2, 30},
		{"above", preAbove, 3, 2, 24},
		{"blend", preBlend, 0, 2, (4*30 + 2*12 + 3) / 6},
		{"mean", preMean, 1, 1, 18},
		{"more of the nearer", preBlendMore, 0, 3, (16*40 + 1*12 + 8) / 17},
		{"gradient", preGradient, 2, 1, 20 + 20 - 8},
		{"gradient at its end", preGradient, 3, 3, 40 + 24 - 8},
		{"half gradient", preGradientHalf, 2, 1, (32 + (2*20+3*20+2)/5 + 1) / 2},
		{"median under both", preMedian, 0, 0, 12},
		{"steps", preSteps, 0, 1, (13*20 + 5*12 + 9) / 18},
		// Slopes are 3·12 + 4 and 3·30 + 10 tenths; the sum is 172.
		{"plane", prePlane, 0, 0, (5*172 - 40 - 100 + 20) / 40},
		{"plane at its end", prePlane, 3, 3, (5*172 + 40*11 + 100*11 + 20) / 40},
		{"down to the left", preDownLeft, 1, 1, (20 + 2*24 + 28 + 2) / 4},
		{"down to the left at its end", preDownLeft, 3, 3, (36 + 3*40 + 2) / 4},
		{"down to the right", preDownRight, 0, 0, (10 + 2*8 + 12 + 2) / 4},
		{"down to the right, left", preDownRight, 0, 2, (10 + 2*20 + 30 + 2) / 4},
		{"down to the right, above", preDownRight, 2, 1, (8 + 2*12 + 16 + 2) / 4},
	} {
		if got := e.at([4]*bc.Fields7{}, 0, c.predictor, c.x, c.y); got != c.w {
			t.Errorf("%s: %d, want %d", c.name, got, c.w)
		}
	}
	e.corner = 50
	if got := e.at([4]*bc.Fields7{}, 0, preMedian, 3, 0); got != 10 {
		t.Errorf("the median under a corner that is larger than both: %d", got)
	}
	e.corner = 15
	if got := e.at([4]*bc.Fields7{}, 0, preMedian, 3, 0); got != 10+24-15 {
		t.Errorf("the median between: %d", got)
	}
	// Mean ⌊(16 · 30 + 16 + 8)/16⌋ = 31: 46 is 15 above.
	for contrast, want := range []int{46, 16, 39, 24} {
		w := [16]int{46}
		for k := 1; k < 16; k++ {
			w[k] = 30
		}
		if adjust(&w, contrast); w[0] != want {
			t.Errorf("contrast %d: %d, want %d", contrast, w[0], want)
		}
	}
}

func TestXUBC7_Numbers(t *testing.T) {
	c := [16]int64{64 << 16}
	if xbInverse(&c); c[0] != 16<<16 || c[15] != 16<<16 {
		t.Errorf("%v", c)
	}
	// The first half-wave: cos(π/8)/√2: 0.5 · 0.653281 · 16.
	c = [16]int64{1: 16 << 16}
	if xbInverse(&c); c[0] != 8*42813 || c[3] != -8*42813 || c[12] != c[0] || c[1] != 8*17734 {
		t.Errorf("%v", c)
	}
	// Quality 50, ends 64 apart and two bits: 1.35588217 of 3.5, 12 and 120 are 4.7, 16.3 and 162.7.
	if s := xbSteps(50, 64*64, 2); s[1] != 5 || s[4] != 5 || s[5] != 16 || s[15] != 163 {
		t.Errorf("%v", s)
	}
	// Quality 1 is 50 times as coarse, 14 is the least distance: 50 · 64/14 · 1.15431654 of 3.5 is 923, but 73 at most there; of 24, 6333.
	if s := xbSteps(1, 0, 4); s[1] != 73 || s[2] != 6332 && s[2] != 6333 {
		t.Errorf("%v", s)
	}
	if s := xbSteps(100, 0, 4); s[15] != 1 {
		t.Errorf("%v", s)
	}
	for x, want := range map[uint64]int64{0: 0, 1: 1 << 16, 2: 92682, 3: 113512, 4: 2 << 16, 260100: 510 << 16} { // 92681.9, 113511.7
		if got := root(x); got != want {
			t.Errorf("the root of %d is %d, want %d", x, got, want)
		}
	}
	if roundShift(-3, 1) != -2 || roundShift(3, 1) != 2 || roundShift(-1, 2) != 0 {
		t.Error("halves go away from 0")
	}
	shape := bc.Shape(6)
	ends, p := packEnds(&[2][4]uint8{{254, 0, 1, 255}, {255, 255, 255, 255}}, &shape)
	// 254 and 0 are even, 1 and 255 odd: either parity is wrong by 1 twice, and 0 comes first.
	if ends[0] != [4]uint8{127, 0, 1, 127} || ends[1] != [4]uint8{127, 127, 127, 127} || p != [2]uint8{0, 1} {
		t.Errorf("%v with %v", ends, p)
	}
	shape = bc.Shape(4)
	if ends, _ = packEnds(&[2][4]uint8{{255, 128, 0, 128}}, &shape); ends[0] != [4]uint8{31, 16, 0, 32} {
		t.Errorf("%v", ends)
	}
}

// Whatever a slice says, decoding ends with blocks or an error of one line. What would be inflated is cut or filled with zeros.
func FuzzXUBC7(f *testing.F) {
	for _, name := range []string{"array", "cube", "50", "100-stripes", "20-opaque", "80-stripes"} {
		list, width, height := slicesOf(f, "xubc7-"+name+".ktx2")
		for _, slice := range list {
			f.Add(uint8(width-1), uint8(height-1), slice)
		}
	}
	f.Add(uint8(7), uint8(7), xbSlice(0, map[int][]byte{xbCommands: {2, 2, 1, 2}, xbSolid: {0, 255, 2, 0, 0, 0, 2, 0, 0}}))
	f.Fuzz(func(t *testing.T, width, height uint8, slice []byte) {
		s := XUBC7{int(width) + 1, int(height) + 1, slice, func(src []byte, size, most int64) ([]byte, error) {
			if size > most {
				return nil, errors.New("too much")
			}
			return append(bytes.Clone(src), make([]byte, size)...)[:size], nil
		}}
		if err := s.Decode(t.Context(), make([]byte, 16*((s.Width+3)/4)*((s.Height+3)/4))); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
