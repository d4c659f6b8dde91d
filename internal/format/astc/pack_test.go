package astc

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestPack_ByHand(t *testing.T) {
	// 4×4 weights of four levels: R = 4 stands at bits 4 and 1:0 as 0 and 10, the height at 6:5 as 4 − 2. One partition, mode 8,
	// six colour numbers of 8 bits from bit 17 on, and weights from bit 127 downward.
	p := Parts{Width: 4, Height: 4, WeightRange: 2, ColorRange: 20, Partitions: 1, Mode: 8, Colors: [maxColors]uint8{1, 2, 3, 4, 5, 6}}
	p.Weights[0], p.Weights[1], p.Weights[15] = 1, 3, 2
	var want, got [16]byte
	binary.LittleEndian.PutUint64(want[:], 0x42|8<<13|1<<17|2<<25|3<<33|4<<41|5<<49|(6&127)<<57)
	binary.LittleEndian.PutUint64(want[8:], 1<<63|3<<60|1<<32)
	if !p.Pack(got[:]) || got != want {
		t.Errorf("%x, want %x", got, want)
	}
	PackVoid(got[:], [4]uint16{0x0102, 0x0304, 0x0506, 0x0708}, false)
	if want := []byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 1, 4, 3, 6, 5, 8, 7}; !bytes.Equal(got[:], want) {
		t.Errorf("%x, want %x", got, want)
	}
	if PackVoid(got[:], [4]uint16{}, true); got[1] != 0xff {
		t.Errorf("%x is not HDR", got)
	}
}

// What is packed is what is read.
func TestPack_IsRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	packed, modes := 0, map[uint64]bool{}
	for range 200000 {
		p := Parts{
			Width: uint8(2 + random.IntN(11)), Height: uint8(2 + random.IntN(11)), Dual: random.IntN(3) == 0, Component: uint8(random.IntN(4)),
			WeightRange: uint8(random.IntN(12)), Partitions: uint8(1 + random.IntN(4)), Seed: uint16(random.IntN(1024)),
			Mode: []uint8{0, 4, 6, 8, 10, 12}[random.IntN(6)],
		}
		weights, colors := p.Count()
		if weights > maxNumbers || colors > maxColors {
			continue
		}
		for i := range weights {
			p.Weights[i] = uint8(random.IntN(WeightScale(p.WeightRange).Levels()))
		}
		var got [16]byte
		ok := false
		for r := uint8(4); r <= 20 && !ok; r++ {
			p.ColorRange = r
			for i := range colors {
				p.Colors[i] = uint8(random.IntN(ColorScale(r).Levels()))
			}
			ok = p.Pack(got[:])
		}
		if !ok {
			continue
		}
		packed++
		v := newStream(got[:])
		var b block
		if !b.parse(v, Footprint{12, 12, 1}, ProfileUnorm) {
			t.Fatalf("%+v is %x, which is illegal", p, got)
		}
		modes[v.lo&2047] = true
		if b.width != int(p.Width) || b.height != int(p.Height) || b.dual != p.Dual || b.weights != int(p.WeightRange) || b.partitions != int(p.Partitions) {
			t.Fatalf("%+v is read as %+v", p, b.blockMode)
		}
		for i := range weights {
			if want := WeightScale(p.WeightRange).Values[p.Weights[i]]; b.infill.values[i] != want {
				t.Fatalf("%+v: weight %d is %d, want %d", p, i, b.infill.values[i], want)
			}
		}
		var numbers numbers
		below := 128 - weightRanges[b.weights].size(uint(weights))
		list, start := b.endpointModes(v, &below)
		if p.Dual {
			below -= 2
			if b.plane[p.Component] != 1 {
				t.Fatalf("%+v: planes %v", p, b.plane)
			}
		}
		if readColors(&numbers, v, list[:b.partitions], start, below); list[0] != p.Mode || b.partitions > 1 && v.bits(13, 10) != uint32(p.Seed) {
			t.Fatalf("%+v: modes %v", p, list)
		}
		for i := range colors {
			if want := ColorScale(p.ColorRange).Values[p.Colors[i]]; numbers[i] != want {
				t.Fatalf("%+v: number %d is %d, want %d", p, i, numbers[i], want)
			}
		}
	}
	if packed < 10000 || len(modes) < 500 {
		t.Errorf("%d blocks with %d block modes: that is no test", packed, len(modes))
	}
}

func TestPack_None(t *testing.T) {
	good := Parts{Width: 4, Height: 4, WeightRange: 2, ColorRange: 20, Partitions: 1, Mode: 8}
	var dst [16]byte
	if !good.Pack(dst[:]) {
		t.Fatal("no block")
	}
	for name, change := range map[string]func(p *Parts){
		"a smaller range of colours": func(p *Parts) { p.ColorRange = 19 },
		"a grid of 1":                func(p *Parts) { p.Width = 1 },
		"no range of weights":        func(p *Parts) { p.WeightRange = 12 },
		"too few bits of weights":    func(p *Parts) { p.Width, p.Height = 2, 2 },
		"too many":                   func(p *Parts) { p.Width, p.Height = 8, 8; p.WeightRange = 5 },
		"more than 64 weights":       func(p *Parts) { p.Width, p.Height, p.WeightRange = 12, 6, 0 },
		"four partitions, two planes": func(p *Parts) {
			p.Partitions, p.Dual, p.Mode, p.ColorRange, p.WeightRange = 4, true, 0, 20, 0
		},
		"no partition":       func(p *Parts) { p.Partitions = 0 },
		"20 colour numbers":  func(p *Parts) { p.Partitions, p.Mode = 4, 8 },
		"no room for colors": func(p *Parts) { p.Partitions, p.Mode, p.WeightRange, p.ColorRange = 3, 8, 8, 4 },
	} {
		p := good
		if change(&p); p.Pack(dst[:]) {
			t.Errorf("%s: a block", name)
		}
	}
}

// Two patterns of 16 texels and two partitions: seeds 0 and 6 lack one, and 437 are unique, as Basis Universal counts them.
func TestUniqueSeeds(t *testing.T) {
	for _, c := range []struct{ width, height, two, three int }{
		{4, 4, 437, 329}, {5, 4, 559, 405}, {5, 5, 659, 486}, {6, 5, 720, 534}, {6, 6, 521, 333}, {8, 5, 584, 377}, {8, 6, 640, 410},
		{10, 5, 672, 436}, {10, 6, 710, 468}, {8, 8, 701, 476}, {10, 8, 759, 528}, {10, 10, 799, 568}, {12, 10, 818, 597}, {12, 12, 838, 626},
	} {
		if two, three := UniqueSeeds(c.width, c.height, 2), UniqueSeeds(c.width, c.height, 3); len(two) != c.two || len(three) != c.three {
			t.Errorf("%d × %d: %d and %d, want %d and %d", c.width, c.height, len(two), len(three), c.two, c.three)
		}
	}
	if got := UniqueSeeds(6, 6, 3)[:5]; got[0] != 0 || got[1] != 8 || got[4] != 15 {
		t.Errorf("%v", got)
	}
}

// All grids, ranges and partitions: what fits is what the rules leave room for, and blocks are read by them.
func TestPack_ByFormula_IMG860(t *testing.T) {
	rules.Covers(t, "IMG-860", "IMG-861", "IMG-862", "IMG-863", "IMG-864", "IMG-865", "IMG-866", "IMG-867", "IMG-868", "IMG-869", "IMG-870")
	random := rand.New(rand.NewPCG(860, 870))
	blocks := 0
	// grids are IMG-860's: of all, and of those without precision and a second plane.
	grids, plain := map[[2]int]bool{{6, 10}: true, {10, 6}: true}, map[[2]int]bool{}
	for a := range 4 {
		for b := range 4 {
			grids[[2]int{a + 4, b + 2}], grids[[2]int{a + 8, b + 2}], grids[[2]int{b + 2, a + 8}] = true, true, true
			grids[[2]int{b + 2, a&1 + 6}], grids[[2]int{a&1 + 2, b + 2}] = true, true
			grids[[2]int{12, a + 2}], grids[[2]int{a + 2, 12}] = true, true
			plain[[2]int{a + 6, b + 6}] = true
		}
	}
	for width := range 14 {
		for height := range 14 {
			for r := range 13 {
				for i := range 2 * 7 * 4 {
					dual, parts, mode := i%2, [7]int{0, 1, 2, 3, 4, 5, 9}[i/2%7], [4]int{0, 4, 8, 12}[i/14]
					want := -1
					weights, colors := width*height*(1+dual), parts*(mode/4+1)*2
					if grid := [2]int{width, height}; r < 12 && (grids[grid] || plain[grid] && r < 6 && dual == 0) && weights <= 64 && colors <= 18 &&
						parts > 0 && parts < 5 && dual*parts != 4 {
						size := sizeOf(weights, ofWeights[r])
						room := 128 - 17 - size - 2*dual
						if parts > 1 {
							room -= 12
						}
						for k := 16; k >= 0 && size >= 24 && size <= 96 && room >= (13*colors+4)/5; k-- {
							if sizeOf(colors, ofColors[k]) <= room {
								want = 20 - k
							}
						}
					}
					p := Parts{Width: uint8(width), Height: uint8(height), Dual: dual == 1, Component: uint8(random.IntN(4)), WeightRange: uint8(r),
						Partitions: uint8(parts), Seed: uint16(random.IntN(1024)), Mode: uint8(mode + random.IntN(4))}
					if got := p.Fit(); got != want {
						t.Fatalf("%+v: range %d, want %d", p, got, want)
					}
					if want < 0 || testing.Short() && random.IntN(4) > 0 {
						continue
					}
					blocks++
					p.ColorRange = uint8(want)
					for k := range p.Weights[:weights] {
						q := ofWeights[r]
						p.Weights[k] = uint8(random.IntN((1 + 2*q[0] + 4*q[1]) << q[2]))
					}
					for k := range p.Colors[:colors] {
						q := ofColors[20-want]
						p.Colors[k] = uint8(random.IntN((1 + 2*q[0] + 4*q[1]) << q[2]))
					}
					var dst [16]byte
					if !p.Pack(dst[:]) {
						t.Fatalf("%+v: no block", p)
					}
					b := read(dst[:], 12, 12, 1)
					bad := b.illegal || b.void || b.gw != width || b.gh != height || b.ranges != r || b.dual != p.Dual || b.parts != parts || b.levels != 20-want ||
						p.Dual && b.plane != int(p.Component) || parts > 1 && b.index != int(p.Seed) || len(b.raw) != weights || len(b.rawc) != colors
					for k := range b.raw {
						bad = bad || b.raw[k] != int(p.Weights[k])
					}
					for k := range b.rawc {
						bad = bad || b.rawc[k] != int(p.Colors[k])
					}
					for _, m := range b.cem[:max(b.parts, 0)] {
						bad = bad || m != int(p.Mode)
					}
					if bad {
						t.Fatalf("%+v is %x, which is read as %+v", p, dst, b)
					}
				}
			}
		}
	}
	if blocks < 1000 {
		t.Errorf("%d blocks", blocks)
	}
}

// Blocks of one colour have it in every texel (IMG-876).
func TestPackVoid_ByFormula_IMG876(t *testing.T) {
	rules.Covers(t, "IMG-876")
	for _, hdr := range []bool{false, true} {
		var dst [16]byte
		PackVoid(dst[:], [4]uint16{0x0102, 0x1304, 0x2506, 0x3708}, hdr)
		for _, d := range []int{1, 4} {
			if b := read(dst[:], 4, 4, d); b.illegal || !b.void || b.hdr != hdr || b.constant != [4]int{0x0102, 0x1304, 0x2506, 0x3708} {
				t.Errorf("%x is read as %+v", dst, b)
			}
		}
	}
}
