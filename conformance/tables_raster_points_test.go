package conformance

import (
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Sizes by tables: of points from the least to the largest, of lines too, with their sides and coordinates.

// inUnits is a size or a width in 1/128 pixel: the nearest that is supported.
//
// RAS-187, RAS-188, RAS-193
func inUnits(size, largest float32) int64 {
	switch {
	case !(size >= 1./128): // a NaN too
		return 1
	case size > largest:
		size = largest
	}
	r := rational(size)
	return nearest(r.Mul(r, big.NewRat(128, 1)))
}

// tableSizes are sizes next to what they are rounded to, and beyond both ends.
func tableSizes(largest float32) (list []float32) {
	for k := float32(1); k < 128*largest; k = float32(math.Floor(float64(k)*1.37)) + 1 {
		list = append(list, k/128, (k+.49)/128, (k-.49)/128)
	}
	inf := float32(math.Inf(1))
	return append(list, 127.99, 128, 128.01, 129, 255, 256, 257, 511, 1000, largest, math.Nextafter32(largest, inf), largest-1./128, largest-1./64, 1e30, inf, float32(math.NaN()), 0, -1, -inf, 1e-45)
}

// Points of every size, from the least to 8192 and beyond: both sides, each way, of every number of samples.
func TestTables_RAS188_EverySize(t *testing.T) {
	rules.Covers(t, "RAS-187", "RAS-188", "RAS-189", "RAS-191")
	devices := tableDevices(t)
	for i, size := range tableSizes(8192) {
		k := inUnits(size, 8192)
		for direction := range 4 { // the side that the framebuffer shows: right, left, below, above
			samples := sampleCounts[(i+direction)%len(sampleCounts)]
			// The middle is so far from pixel 4 that a side goes through it at 5/16, 11/16, or at a sample.
			from := int64(4*256 + []int64{80, 176, 128, 16}[i%4])
			middle := from + k // in 1/256 pixel: the size's half is k/256
			if direction%2 == 1 {
				middle = from - k
			}
			center := spot{middle, 4 * 256}
			if direction >= 2 {
				center = spot{4 * 256, middle}
			}
			// The viewport is 32768 pixels, in clip coordinates of 2^-22.
			x, y := (float32(center.x)/256+16384)/4096, (float32(center.y)/256+16384)/4096
			if int64((float64(x)*4096-16384)*256) != center.x || int64((float64(y)*4096-16384)*256) != center.y {
				continue // no binary32 is there
			}
			d := builtins(vk.PrimitiveTopologyPointList, 8, 8, at(x, y))
			d.samples, d.viewports = samples, []vk.Viewport{{X: -16384, Y: -16384, Width: 32768, Height: 32768, MaxDepth: 1}}
			d.pipeline = sized(size)
			got := d.run(t, devices[i%2])
			for n := range 64 * samples {
				x, y, s := n/samples%8, n/samples/8, n%samples
				place := standardPlaces[samples][s]
				want := inPoint(center, k, spot{int64(256*x + 16*place[0]), int64(256*y + 16*place[1])})
				v := got.at(rulePoint, x, y, s)
				if drawn := v[3] == 1; drawn != want {
					t.Errorf("size %v, direction %d, %d samples, pixel %d,%d, sample %d: drawn %v, want %v", size, direction, samples, x, y, s, drawn, want)
					break
				}
				if !want {
					continue
				}
				// 1/2 + (xp − xf)/size, both in 1/256 pixel and the size in 1/128.
				for c, at := range [2]int64{int64(256*x+128) - center.x, int64(256*y+128) - center.y} {
					r := big.NewRat(at, 2*k)
					w, _ := r.Add(r, big.NewRat(1, 2)).Float32()
					if v[c] != w {
						t.Errorf("size %v, direction %d, pixel %d,%d: coordinate %d is %v, want %v", size, direction, x, y, c, v[c], w)
					}
				}
			}
		}
	}
}

// Lines of every width, along x and along y, of every number of samples and in every mode: of the strict ones sides are where the width says.
// Bresenham's have whole pixels, of which halves are rounded up, as the nearest width that is supported says.
func TestTables_RAS193_EveryWidth(t *testing.T) {
	rules.Covers(t, "RAS-193", "RAS-199", "RAS-200", "RAS-217", "RAS-219")
	devices := tableDevices(t)
	for i, width := range tableSizes(1024) {
		if !(width >= 1./128 && width <= 1024) { // others are refused
			continue
		}
		if testing.Short() && i%3 != 0 {
			continue
		}
		k := inUnits(width, 1024)
		for mode := vk.LineRasterizationModeDefault; mode <= vk.LineRasterizationModeBresenham; mode++ {
			for direction := range 4 {
				samples := sampleCounts[(i+direction+int(mode))%len(sampleCounts)]
				from := int64(4*256 + []int64{80, 176, 128, 16}[i%4])
				middle := from + k
				if direction%2 == 1 {
					middle = from - k
				}
				a, b := spot{-2 * 256, middle}, spot{11 * 256, middle}
				if direction >= 2 {
					a, b = spot{middle, -2 * 256}, spot{middle, 11 * 256}
				}
				place := func(v spot) ruleVertex { // a viewport of 4096 pixels
					return at((float32(v.x)/256+2048)/512, (float32(v.y)/256+2048)/512, 1)
				}
				d := lineOf(mode, width, 8, 8, place(a), place(b))
				d.pixels, d.colors, d.samples, d.viewports = "white.frag", 1, samples, []vk.Viewport{{X: -2048, Y: -2048, Width: 4096, Height: 4096, MaxDepth: 1}}
				got := d.run(t, devices[i%2])
				pixel := false
				for n := range 64 * samples {
					x, y, s := n/samples%8, n/samples/8, n%samples
					p := standardPlaces[samples][s]
					want := onLine(a, b, 2*k, spot{int64(256*x + 16*p[0]), int64(256*y + 16*p[1])})
					if want = want && mode != vk.LineRasterizationModeBresenham || pixel && s > 0; mode == vk.LineRasterizationModeBresenham && s == 0 {
						// The run begins where the segment, moved by −(w−1)/2, goes, and has w pixels.
						w := max(1, (k+64)/128)
						along := spot{a.x, a.y - 128*(w-1)}
						end := spot{b.x, b.y - 128*(w-1)}
						px, py := int64(x), int64(y)
						if direction >= 2 {
							along, end = spot{a.x - 128*(w-1), a.y}, spot{b.x - 128*(w-1), b.y}
						}
						for step := range w {
							if direction < 2 && bresenham(along, end, px, py-step) || direction >= 2 && bresenham(along, end, px-step, py) {
								want = true
								break
							}
						}
						pixel = want
					}
					if drawn := got.at(0, x, y, s)[0] == 1; drawn != want {
						t.Errorf("mode %v, width %v, direction %d, %d samples, pixel %d,%d, sample %d: drawn %v, want %v", mode, width, direction, samples, x, y, s, drawn, want)
						break
					}
				}
			}
		}
	}
}
