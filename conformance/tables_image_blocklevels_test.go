package conformance

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Blocks of one colour each, in images whose levels are no multiples of them, of two and three dimensions: each texel is that of its block.
func TestTables_IMG045_LevelsOfBlocks(t *testing.T) {
	rules.Covers(t, "IMG-040", "IMG-045", "IMG-254", "IMG-463", "IMG-475", "IMG-500", "IMG-532")
	red5 := func(k int) ([]byte, *big.Rat) { // both colours of BC1 have it, and all texels the first
		r := k * 7 % 32
		return []byte{0, byte(r << 3), 0, byte(r << 3), 0, 0, 0, 0}, ratio(int64(r), 31)
	}
	red8 := func(k int) ([]byte, *big.Rat) {
		r := k * 37 % 256
		return []byte{byte(r), byte(r), 0, 0, 0, 0, 0, 0}, ratio(int64(r), 255)
	}
	for _, dev := range imageDevices(t) {
		for f, block := range map[vk.Format]func(k int) ([]byte, *big.Rat){
			vk.FormatBc1RgbUnormBlock: red5, vk.FormatBc1RgbaUnormBlock: red5, vk.FormatBc4UnormBlock: red8,
			vk.FormatBc2UnormBlock: func(k int) ([]byte, *big.Rat) { b, r := red5(k); return append(make([]byte, 8), b...), r },
			vk.FormatBc3UnormBlock: func(k int) ([]byte, *big.Rat) { b, r := red5(k); return append(make([]byte, 8), b...), r },
			vk.FormatBc5UnormBlock: func(k int) ([]byte, *big.Rat) { b, r := red8(k); return append(b, make([]byte, 8)...), r },
			vk.FormatEacR11UnormBlock: func(k int) ([]byte, *big.Rat) { // base·8 + 4, and the fifth modifier of table 13, which is 0
				base := k * 37 % 256
				b := []byte{byte(base), 13, 0, 0, 0, 0, 0, 0}
				var bits uint64
				for range 16 {
					bits = bits<<3 | 4
				}
				for i := range 6 {
					b[7-i] = byte(bits >> (8 * i))
				}
				return b, ratio(int64(8*base+4), 2047)
			},
		} {
			for _, size := range [][3]int{{21, 13, 0}, {6, 19, 0}, {13, 10, 5}, {3, 2, 0}} {
				levels := 0
				for n := max(size[0], size[1], size[2]); n > 0; n /= 2 {
					levels++
				}
				im, err := dev.NewImage(pumice.ImageDesc{Format: f, Width: size[0], Height: size[1], Depth: size[2], MipLevels: levels})
				if err != nil {
					t.Fatal(err)
				}
				at := func(level, d int) int { return max(size[d]>>level, 1) }
				colour := func(level, x, y, z int) int { return level*61 + z*23 + y/4*((at(level, 0)+3)/4) + x/4 }
				for level := range levels {
					var data []byte
					for z := range at(level, 2) {
						for y := 0; y < at(level, 1); y += 4 {
							for x := 0; x < at(level, 0); x += 4 {
								b, _ := block(colour(level, x, y, z))
								data = append(data, b...)
							}
						}
					}
					if err := im.Write(ctx, pumice.Subresource{Level: level}, data); err != nil {
						t.Fatal(err)
					}
				}
				shader := "image2d"
				if size[2] > 0 {
					shader = "image3d"
				}
				var near, fetches, middle []imageLane
				for level := range levels {
					for z := range at(level, 2) {
						for y := range at(level, 1) {
							for x := range at(level, 0) {
								n := [3]float32{float32(at(level, 0)), float32(at(level, 1)), float32(at(level, 2))}
								_, r := block(colour(level, x, y, z))
								l := imageLane{at: [4]float32{(float32(x) + .5) / n[0], (float32(y) + .5) / n[1], (float32(z) + .5) / n[2]}, lod: float32(level), texel: [3]int32{int32(x), int32(y), int32(z)}, level: int32(level),
									want: [4]float32{nearest32(r)}, one: true}
								near, fetches = append(near, l), append(fetches, l)
								// Half of the way from this texel to the next one: a difference and an FMA (IMG-003).
								_, next := block(colour(level, min(x+1, at(level, 0)-1), y, z))
								l.at[0] = float32(x+1) / n[0]
								from, way := exactly(nearest32(r)), exactly(nearest32(next))
								way = exactly(nearest32(way.Sub(way, from)))
								l.want[0] = nearest32(way.Add(way.Quo(way, ratio(2, 1)), from))
								middle = append(middle, l)
							}
						}
					}
				}
				edge := vk.SamplerAddressModeClampToEdge
				what := fmt.Sprintf("%v, %v", f, size)
				r := imageRule{dev: dev, shader: shader, view: im, sampler: ruleSampler(t, dev, pumice.SamplerDesc{AddressModeU: edge, AddressModeV: edge, AddressModeW: edge})}
				r.check(t, what, near)
				r.how = fetched
				r.check(t, what+", fetches", fetches)
				r.how, r.sampler = atLod, ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: edge, AddressModeV: edge, AddressModeW: edge})
				r.check(t, what+", linear", middle)
				im.Close()
			}
		}
	}
}
