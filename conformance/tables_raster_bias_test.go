package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// tableBiasUnit is what a unit of the constant factor is: of fixed-point depth one code, of floats the last place of the largest depth, without
// depth nothing.
//
// RAS-260, RAS-261, RAS-262, RAS-263
func tableBiasUnit(bits int, largest float32) *big.Rat {
	if bits > 0 {
		return big.NewRat(1, int64(1)<<bits-1)
	}
	e := -126
	for e < 0 && rational(largest).Cmp(new(big.Rat).SetFloat64(math.Ldexp(1, e+1))) >= 0 {
		e++
	}
	return new(big.Rat).SetFloat64(math.Ldexp(1, e-23))
}

// Depth bias by tables: every depth format, factors and clamps of both signs, every polygon mode; lines and points, and state that is off, have
// none. Slopes are 3/256 and 4/256 a pixel, so 5/256.
func TestTables_RAS257_EveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-013", "RAS-253", "RAS-256", "RAS-257", "RAS-258", "RAS-260", "RAS-261", "RAS-262", "RAS-264", "RAS-265", "RAS-326")
	devices := tableDevices(t)
	nan, tiny := float32(math.NaN()), float32(0x1p-126)
	for n, f := range testFormats {
		if !f.depth {
			continue
		}
		for i, c := range []struct{ z, constant, slope, clamp float32 }{
			{.3, 1, 0, 0}, {.3, -1, 0, 0}, {.3, 3, 0, 0}, {.75, 1, 0, 0}, {.5, 1, 0, 0}, {.4999, 1, 0, 0}, {1, 1, 0, 0}, {1, -1, 0, 0}, {0, 1, 0, 0}, {0, -1, 0, 0}, {tiny, 1, 0, 0},
			{2 * tiny, 5, 0, 0}, {math.Nextafter32(.5, 0), 1, 0, 0}, {math.Nextafter32(1, 0), 1, 0, 0}, {100.5 / 65535, 1, 0, 0}, {100.5 / 65535, 1, 0, nan}, {.25, .5, 0, 0}, {.25, 1 << 20, 0, 0},
			{.25, -(1 << 20), 0, 0}, {.25, 1 << 20, 0, 1. / 1024}, {.25, -(1 << 20), 0, -1. / 1024}, {.25, 1 << 20, 0, -1. / 1024}, {.25, -(1 << 20), 0, 1. / 1024},
			{.125, 0, 2, 0}, {.125, 0, -2, 0}, {.125, 16, 1, 0}, {.125, 0, 3, 1. / 64}, {.125, 0, -3, -1. / 64}, {.125, 0, 3, -1. / 64}, {.125, 0, 1, nan}, {.125, 1 << 10, -1, 5. / 512},
		} {
			for _, topology := range []vk.PrimitiveTopology{vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyPointList} {
				for _, mode := range []vk.PolygonMode{vk.PolygonModeFill, vk.PolygonModeLine, vk.PolygonModePoint, vk.PolygonModeFillRectangleNV} {
					polygon := topology >= vk.PrimitiveTopologyTriangleList
					if c.slope != 0 && (mode != vk.PolygonModeFill || !polygon) || !polygon && mode != vk.PolygonModeFill || testing.Short() && (i+n+int(topology)+int(mode))%2 == 1 {
						continue
					}
					for _, on := range []bool{true, false} {
						samples := sampleCounts[(i+n)%5]
						gx, gy := float32(0), float32(0)
						if c.slope != 0 {
							gx, gy = 3./256, 4./256
						}
						// 16 pixels each way: all of 8×8, with the sides in the way of modes LINE and POINT.
						d := triangles("white.frag", 1, 8, 8, at(0, 0, 1).deep(c.z, 1), at(16, 0, 1).deep(c.z+16*gx, 1), at(0, 16, 1).deep(c.z+16*gy, 1))
						if mode != vk.PolygonModeFill || !polygon {
							d.vertices = []ruleVertex{at(1, 1, 1).deep(c.z, 1), at(6, 1, 1).deep(c.z, 1), at(1, 6, 1).deep(c.z, 1)}
						}
						d.topology, d.depth, d.samples = topology, f.format, samples
						d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
							withDepth(p)
							sized(2)(p)
							p.DepthStencil.DepthCompareOp = vk.CompareOpAlways
							r := p.Rasterization
							r.PolygonMode, r.LineWidth = mode, 2
							r.DepthBiasEnable, r.DepthBiasConstantFactor, r.DepthBiasClamp, r.DepthBiasSlopeFactor = on, c.constant, c.clamp, c.slope
						}
						got := d.run(t, devices[i%2])
						offset := new(big.Rat)
						if on && polygon {
							largest := max(c.z, c.z+16*gx, c.z+16*gy)
							offset.Mul(tableBiasUnit(f.bits, largest), rational(c.constant))
							if c.slope != 0 {
								offset.Add(offset, new(big.Rat).Mul(big.NewRat(5, 256), rational(c.slope)))
							}
							if limit := c.clamp; limit > 0 && offset.Cmp(rational(limit)) > 0 || limit < 0 && offset.Cmp(rational(limit)) < 0 {
								offset = rational(limit)
							}
						}
						drawn := 0
						for k := range 64 * samples {
							x, y, s := k/samples%8, k/samples/8, k%samples
							if got.at(0, x, y, s)[0] == 0 {
								continue
							}
							drawn++
							p := standardPlaces[samples][s]
							z := rational(c.z)
							z.Add(z, new(big.Rat).Mul(rational(gx), big.NewRat(int64(16*x+p[0]), 16)))
							z.Add(z, new(big.Rat).Mul(rational(gy), big.NewRat(int64(16*y+p[1]), 16)))
							v, _ := z.Add(z, offset).Float32()
							v = max(0, min(v, 1))
							bits, want := uint32(0), fixedDepth(v, max(f.bits, 1))
							switch f.bits {
							case 16:
								bits = uint32(binary.LittleEndian.Uint16(got.z[2*k:]))
							case 24:
								bits = binary.LittleEndian.Uint32(got.z[4*k:]) & (1<<24 - 1)
							default:
								bits, want = binary.LittleEndian.Uint32(got.z[4*k:]), math.Float32bits(v)
							}
							if bits != want {
								t.Errorf("%v, %+v, on %v, %v, %v, %d samples: pixel %d,%d, sample %d has %#x, want %#x", f.format, c, on, topology, mode, samples, x, y, s, bits, want)
								break
							}
						}
						if drawn < 4 {
							t.Errorf("%v, %v: %d samples are drawn", topology, mode, drawn)
						}
					}
				}
			}
		}
	}
}
