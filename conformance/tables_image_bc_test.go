package conformance

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Blocks of BC1 to BC5 and BC7, made of fields, so that what each texel is follows from these: every code at every texel, every
// mode, every partition with its anchors.

// blockTexels are the sixteen texels of a block, k = 4y+x, as exact numbers before a transfer function; nil is a missing component.
type blockTexels [16][4]*big.Rat

// blockBits writes fields from bit 0 on.
type blockBits struct {
	data [16]byte
	at   int
}

func (b *blockBits) put(v uint64, n int) {
	for i := range n {
		b.data[b.at/8] |= byte(v>>i&1) << (b.at % 8)
		b.at++
	}
}

// colourBlock is IMG-800: two colours of 5:6:5 bits and sixteen codes. Three colours and black need c0 ≤ c1, and a block that allows them.
func colourBlock(t *blockTexels, c0, c1 uint16, codes [16]uint64, always4 bool) []byte {
	var b blockBits
	b.put(uint64(c0), 16)
	b.put(uint64(c1), 16)
	for k, code := range codes {
		b.put(code, 2)
		for c, f := range [3][2]int{{11, 31}, {5, 63}, {0, 31}} {
			e0, e1 := int64(c0>>f[0])&int64(f[1]), int64(c1>>f[0])&int64(f[1])
			n := int64(f[1])
			switch {
			case code == 0:
				t[k][c] = ratio(e0, n)
			case code == 1:
				t[k][c] = ratio(e1, n)
			case c0 > c1 || always4:
				other := int64(code) - 1 // thirds
				t[k][c] = ratio((3-other)*e0+other*e1, 3*n)
			case code == 2:
				t[k][c] = ratio(e0+e1, 2*n)
			default:
				t[k][c] = ratio(0, 1)
			}
		}
	}
	return b.data[:8]
}

// channelBlock is IMG-804 and IMG-805: two ends of 8 bits and sixteen codes, for component c.
func channelBlock(t *blockTexels, c int, r0, r1 byte, codes [16]uint64, signed bool) []byte {
	var b blockBits
	b.put(uint64(r0), 8)
	b.put(uint64(r1), 8)
	e0, e1, most, least := int64(r0), int64(r1), int64(255), ratio(0, 1)
	first := r0 > r1
	if signed {
		e0, e1, most, least = max(int64(int8(r0)), -127), max(int64(int8(r1)), -127), 127, ratio(-1, 1)
		first = int8(r0) > int8(r1)
	}
	for k, code := range codes {
		b.put(code, 3)
		n := int64(code) - 1
		switch {
		case code == 0:
			t[k][c] = ratio(e0, most)
		case code == 1:
			t[k][c] = ratio(e1, most)
		case first:
			t[k][c] = ratio((7-n)*e0+n*e1, 7*most)
		case code == 6:
			t[k][c] = least
		case code == 7:
			t[k][c] = ratio(1, 1)
		default:
			t[k][c] = ratio((5-n)*e0+n*e1, 5*most)
		}
	}
	return b.data[:8]
}

// showBlocks puts blocks into an image, 16 in a row, and fetches and samples all texels.
func showBlocks(t *testing.T, dev *imageDevice, f vk.Format, blocks [][]byte, texels []blockTexels, srgb bool) {
	t.Helper()
	rows := (len(blocks) + 15) / 16
	data := make([]byte, 0, rows*16*len(blocks[0]))
	for _, b := range blocks {
		data = append(data, b...)
	}
	im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: 64, Height: 4 * rows})
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	if err := im.Write(ctx, pumice.Subresource{}, data[:cap(data)]); err != nil {
		t.Fatal(err)
	}
	var lanes []imageLane
	for y := range 4 * rows {
		for x := range 64 {
			lanes = append(lanes, imageLane{at: [4]float32{(float32(x) + .5) / 64, (float32(y) + .5) / float32(4*rows)}, texel: [3]int32{int32(x), int32(y)}})
		}
	}
	texture := pumice.Texture{View: im, Sampler: ruleSampler(t, dev, pumice.SamplerDesc{})}
	known := map[string]float32{}
	number := func(x *big.Rat, c int) float32 {
		switch {
		case x == nil && c == 3:
			return 1
		case x == nil:
			return 0
		case !srgb || c == 3:
			return nearest32(x)
		}
		key := x.String()
		if _, ok := known[key]; !ok {
			known[key] = linearOf(x)
		}
		return known[key]
	}
	for how, name := range map[imageHow]string{tableFetch: "fetch", tableLod: "sample"} {
		got := dev.lanes(t, "tablesampledf", how, false, texture, lanes)
		for i, l := range lanes {
			x, y := int(l.texel[0]), int(l.texel[1])
			b := y/4*16 + x/4
			if b >= len(blocks) {
				continue
			}
			k := y%4*4 + x%4
			for c, g := range got[i] {
				if texels[b][k] == ([4]*big.Rat{}) {
					break // not known
				}
				if want := number(texels[b][k][c], c); math.Float32frombits(g) != want {
					t.Errorf("%v, engine %s, %s: % x, component %d of texel %d: %v, want %v", f, dev.Engine(), name, blocks[b], c, k, math.Float32frombits(g), want)
					return
				}
			}
		}
	}
}

// everyCode are codes of which each texel has each, in n blocks.
func everyCode(block, n int) (codes [16]uint64) {
	for k := range codes {
		codes[k] = uint64((k*5 + k/8*3 + block) % n)
	}
	return codes
}

func TestTables_IMG800_BC1ToBC5(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-323", "IMG-759", "IMG-800", "IMG-801", "IMG-802", "IMG-803", "IMG-804", "IMG-805", "IMG-806", "IMG-807")
	pairs := [][2]uint16{{0, 0}, {0xFFFF, 0}, {0, 0xFFFF}, {0x8410, 0x8410}, {0xF800, 0x07FF}, {0x07FF, 0xF800}, {0x1234, 0x1233}, {0x1233, 0x1234}, {0xABCD, 0x5678}, {0x5678, 0xABCD}, {0x0001, 0}, {0, 0x0001}, {0xFFFE, 0xFFFF}}
	ends := [][2]byte{{255, 0}, {0, 255}, {128, 127}, {127, 128}, {129, 128}, {128, 129}, {77, 77}, {200, 13}, {13, 200}, {128, 128}, {129, 127}, {127, 129}, {1, 0}, {0, 1}}
	zero, one := ratio(0, 1), ratio(1, 1)
	for _, c := range []struct {
		f    vk.Format
		srgb bool
		make func(i int, t *blockTexels) []byte
	}{
		{vk.FormatBc1RgbUnormBlock, false, nil}, {vk.FormatBc1RgbSrgbBlock, true, nil}, {vk.FormatBc1RgbaUnormBlock, false, nil}, {vk.FormatBc1RgbaSrgbBlock, true, nil},
		{vk.FormatBc2UnormBlock, false, nil}, {vk.FormatBc2SrgbBlock, true, nil}, {vk.FormatBc3UnormBlock, false, nil}, {vk.FormatBc3SrgbBlock, true, nil},
		{vk.FormatBc4UnormBlock, false, nil}, {vk.FormatBc4SnormBlock, false, nil}, {vk.FormatBc5UnormBlock, false, nil}, {vk.FormatBc5SnormBlock, false, nil},
	} {
		var blocks [][]byte
		var texels []blockTexels
		for i := range 128 {
			var b blockTexels
			var data []byte
			p, e, e2 := pairs[i/4%len(pairs)], ends[i/8%len(ends)], ends[(i/8+5)%len(ends)]
			codes := everyCode(i, 4)
			switch c.f {
			case vk.FormatBc1RgbUnormBlock, vk.FormatBc1RgbSrgbBlock:
				data = colourBlock(&b, p[0], p[1], codes, false)
			case vk.FormatBc1RgbaUnormBlock, vk.FormatBc1RgbaSrgbBlock:
				data = colourBlock(&b, p[0], p[1], codes, false)
				for k, code := range codes {
					if b[k][3] = one; code == 3 && p[0] <= p[1] {
						b[k][3] = zero
					}
				}
			case vk.FormatBc2UnormBlock, vk.FormatBc2SrgbBlock:
				var alpha blockBits
				for k := range 16 {
					a := (k*7 + i) % 16
					alpha.put(uint64(a), 4)
					b[k][3] = ratio(int64(a), 15)
				}
				data = append(alpha.data[:8:8], colourBlock(&b, p[0], p[1], codes, true)...)
			case vk.FormatBc3UnormBlock, vk.FormatBc3SrgbBlock:
				data = append(channelBlock(&b, 3, e[0], e[1], everyCode(i, 8), false), colourBlock(&b, p[0], p[1], codes, true)...)
			case vk.FormatBc4UnormBlock, vk.FormatBc4SnormBlock:
				data = channelBlock(&b, 0, e[0], e[1], everyCode(i, 8), c.f == vk.FormatBc4SnormBlock)
			default:
				signed := c.f == vk.FormatBc5SnormBlock
				data = append(channelBlock(&b, 0, e[0], e[1], everyCode(i, 8), signed), channelBlock(&b, 1, e2[0], e2[1], everyCode(i+3, 8), signed)...)
			}
			blocks, texels = append(blocks, data), append(texels, b)
		}
		for _, dev := range imageDevices(t) {
			showBlocks(t, dev, c.f, blocks, texels, c.srgb)
		}
	}
}

// bptcModes is IMG-810: subsets, bits of partition, rotation, index selection, colour, alpha, P-bits of endpoints, of subsets, and of both indices.
var bptcModes = [8][10]int{
	{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
	{1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2}, {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
}

// Tables of IMG-815 and IMG-816.
var (
	bptcTwo = [64]uint32{
		0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00, 0xFFF0, 0xF000,
		0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C,
		0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A, 0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660,
		0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
	}
	bptcThree = [64]uint32{
		0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0, 0x5A5A5050,
		0xAA550000, 0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4, 0xA9A59450, 0x2A0A4250,
		0xA5945040, 0x0A425054, 0xA5A5A500, 0x55A0A0A0, 0xA8A85454, 0x6A6A4040, 0xA4A45000, 0x1A1A0500,
		0x0050A4A4, 0xAAA59090, 0x14696914, 0x69691400, 0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200,
		0xA9A58000, 0x5090A0A8, 0xA8A09050, 0x24242424, 0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50,
		0x500AA550, 0xAAAA4444, 0x66660000, 0xA5A0A5A0, 0x50A050A0, 0x69286928, 0x44AAAA44, 0x66666600,
		0xAA444444, 0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580, 0xAA141414, 0x96960000,
		0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44, 0x2A4A5254,
	}
	bptcAnchors = [3][64]int{ // of the second of two, and of the second and third of three
		{15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
			15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15},
		{3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
			8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3},
		{15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
			15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8},
	}
	bptcWeights = map[int][]int64{2: {0, 21, 43, 64}, 3: {0, 9, 18, 27, 37, 46, 55, 64}, 4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}}
)

// bc7Block makes a block of a mode with fields that r draws: IMG-810 to IMG-816.
func bc7Block(t *blockTexels, r *rand.Rand, mode, partition, rotation, selector int) []byte {
	m := bptcModes[mode]
	var b blockBits
	b.put(1<<mode, mode+1)
	b.put(uint64(partition), m[1])
	b.put(uint64(rotation), m[2])
	b.put(uint64(selector), m[3])
	var e [6][4]int64
	n := 2 * m[0]
	for c := range 4 {
		bits := m[4]
		if c == 3 {
			bits = m[5]
		}
		for i := range n {
			v := r.Uint64() & (1<<bits - 1)
			if r.IntN(4) == 0 {
				v = (1<<bits - 1) * (v & 1)
			}
			b.put(v, bits)
			e[i][c] = int64(v)
		}
	}
	extra := 0
	if m[6]+m[7] > 0 {
		extra = 1
		p := [6]uint64{}
		for i := range n {
			if p[i] = r.Uint64() & 1; m[7] == 1 {
				p[i] = p[i&^1]
			}
			if m[6] == 1 || i%2 == 0 {
				b.put(p[i], 1)
			}
			for c := range e[i] {
				e[i][c] = e[i][c]<<1 | int64(p[i])
			}
		}
	}
	for i := range n {
		for c := range 4 {
			bits := m[4] + extra
			if c == 3 {
				bits = m[5] + extra
			}
			x := e[i][c] << (8 - bits)
			if e[i][c] = x | x>>bits; c == 3 && m[5] == 0 {
				e[i][c] = 255
			}
		}
	}
	subset := func(k int) int {
		switch m[0] {
		case 2:
			return int(bptcTwo[partition] >> k & 1)
		case 3:
			return int(bptcThree[partition] >> (2 * k) & 3)
		}
		return 0
	}
	anchor := func(k int) bool {
		switch m[0] {
		case 2:
			return k == 0 || k == bptcAnchors[0][partition]
		case 3:
			return k == 0 || k == bptcAnchors[1][partition] || k == bptcAnchors[2][partition]
		}
		return k == 0
	}
	var index [2][16]int64
	for list, bits := range [2]int{m[8], m[9]} {
		for k := range 16 {
			n := bits
			if list == 0 && anchor(k) || list == 1 && k == 0 {
				n--
			}
			if bits > 0 {
				v := r.Uint64() & (1<<n - 1)
				b.put(v, n)
				index[list][k] = int64(v)
			}
		}
	}
	if b.at != 128 {
		panic(fmt.Sprintf("the test's own block of mode %d has %d bits", mode, b.at))
	}
	for k := range 16 {
		s := subset(k)
		for c := range 4 {
			list := 0
			if m[9] > 0 && (c < 3) == (selector == 1) {
				list = 1
			}
			bits := m[8]
			if list == 1 {
				bits = m[9]
			}
			w := bptcWeights[bits][index[list][k]]
			t[k][c] = ratio(((64-w)*e[2*s][c]+w*e[2*s+1][c]+32)>>6, 255)
		}
		if rotation > 0 {
			t[k][3], t[k][rotation-1] = t[k][rotation-1], t[k][3]
		}
	}
	return b.data[:]
}

func TestTables_IMG812_BC7(t *testing.T) {
	rules.Covers(t, "IMG-254", "IMG-759", "IMG-810", "IMG-811", "IMG-812", "IMG-813", "IMG-814", "IMG-815", "IMG-816", "IMG-825")
	r := rand.New(rand.NewPCG(27, 812))
	var blocks [][]byte
	var texels []blockTexels
	for mode, m := range bptcModes {
		for n := range 64 {
			partition, rotation, selector := n%(1<<m[1]), n%(1<<m[2]), n>>2%(1<<m[3])
			var b blockTexels
			blocks = append(blocks, bc7Block(&b, r, mode, partition, rotation, selector))
			texels = append(texels, b)
		}
	}
	for _, v := range []struct { // the catalogue's vectors
		block string
		want  [3][4]int64 // of texels 0, 6 and 15
	}{
		{"916e8c867d1e9b3f92cb3b2dbd5720ba", [3][4]int64{{90, 215, 222, 255}, {90, 215, 222, 255}, {67, 161, 171, 255}}},
		{"4a06e8a997e2a670eab5987fde0b4d88", [3][4]int64{{54, 77, 185, 255}, {68, 70, 181, 255}, {85, 62, 177, 255}}},
		{"8c372c183a2d096a2642e037a14e8040", [3][4]int64{{222, 214, 140, 255}, {146, 55, 166, 255}, {41, 33, 0, 255}}},
		{"781d4bb4224d7df77118d89c839feae0", [3][4]int64{{142, 104, 56, 255}, {105, 239, 177, 255}, {116, 202, 157, 255}}},
		{"d0ad77f77435569951ada9a581727387", [3][4]int64{{107, 104, 123, 239}, {107, 85, 123, 239}, {183, 142, 176, 167}}},
		{"a03dbbbbf63e799c60fbc8627b7fc2f3", [3][4]int64{{122, 33, 223, 221}, {237, 39, 78, 106}, {199, 39, 126, 144}}},
		{"40ce0b5757d7fc027630b6fe13105807", [3][4]int64{{64, 137, 190, 202}, {92, 226, 113, 20}, {56, 112, 212, 252}}},
		{"807be763bac8e98837d0b1daa1c4d6aa", [3][4]int64{{239, 117, 28, 166}, {234, 134, 105, 73}, {69, 208, 130, 97}}},
	} {
		data, err := hex.DecodeString(v.block)
		if err != nil {
			t.Fatal(err)
		}
		var b blockTexels
		for i, k := range [3]int{0, 6, 15} {
			for c, code := range v.want[i] {
				b[k][c] = ratio(code, 255)
			}
		}
		blocks, texels = append(blocks, data), append(texels, b)
	}
	var reserved blockTexels
	for k := range reserved {
		reserved[k] = [4]*big.Rat{ratio(0, 1), ratio(0, 1), ratio(0, 1), ratio(0, 1)}
	}
	data := make([]byte, 16)
	binary.LittleEndian.PutUint64(data[8:], 0x123456789ABCDEF0)
	blocks, texels = append(blocks, data), append(texels, reserved)
	for _, dev := range imageDevices(t) {
		showBlocks(t, dev, vk.FormatBc7UnormBlock, blocks, texels, false)
		showBlocks(t, dev, vk.FormatBc7SrgbBlock, blocks, texels, true)
	}
}
