package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Depth bounds, stencil and depth tests by tables: every format, every comparison, every operation, both faces, on each way.

// testFormats are those of depth and stencil attachments: how many bits fixed-point depth has, 0 for floats.
var testFormats = []struct {
	format         vk.Format
	bits           int
	depth, stencil bool
}{
	{vk.FormatD16Unorm, 16, true, false}, {vk.FormatX8D24UnormPack32, 24, true, false}, {vk.FormatD32Sfloat, 0, true, false}, {vk.FormatS8Uint, 0, false, true},
	{vk.FormatD16UnormS8Uint, 16, true, true}, {vk.FormatD24UnormS8Uint, 24, true, true}, {vk.FormatD32SfloatS8Uint, 0, true, true},
}

// fixedDepth is the code of a depth: RAS-326, RAS-004.
func fixedDepth(z float32, bits int) uint32 {
	if z != z || z <= 0 {
		return 0
	}
	r := rational(min(z, 1))
	return uint32(nearest(r.Mul(r, big.NewRat(int64(1)<<bits-1, 1))))
}

// order is a comparison's outcome where a is below, at or above b; a NaN is none of these.
//
// RAS-325
func order[T uint32 | float32](op vk.CompareOp, a, b T) bool {
	return int(op)>>0&1 == 1 && a < b || int(op)>>1&1 == 1 && a == b || int(op)>>2&1 == 1 && a > b || a != a && (op == vk.CompareOpNotEqual || op == vk.CompareOpAlways) ||
		b != b && (op == vk.CompareOpNotEqual || op == vk.CompareOpAlways)
}

// operated is a stencil value after an operation: RAS-322.
func operated(op vk.StencilOp, stored, reference int) int {
	switch op {
	case vk.StencilOpKeep:
		return stored
	case vk.StencilOpZero:
		return 0
	case vk.StencilOpReplace:
		return reference
	case vk.StencilOpIncrementAndClamp:
		return min(stored+1, 255)
	case vk.StencilOpDecrementAndClamp:
		return max(stored-1, 0)
	case vk.StencilOpInvert:
		return 255 - stored
	case vk.StencilOpIncrementAndWrap:
		return (stored + 1) % 256
	case vk.StencilOpDecrementAndWrap:
		return (stored + 255) % 256
	}
	panic(op)
}

// squares draws each of 16×16 pixels as two triangles of one depth, every other pixel facing back.
func squares(z []float32) *ruleDraw {
	d := triangles("white.frag", 1, 16, 16)
	for i, z := range z {
		x, y := float32(i%16), float32(i/16)
		a, b, c, e := at(x, y, z), at(x+1, y, z), at(x+1, y+1, z), at(x, y+1, z)
		list := []ruleVertex{a, e, b, b, e, c} // counter-clockwise: front
		if i%2 == 1 {
			list = []ruleVertex{a, b, e, b, c, e}
		}
		if z != z {
			z = 0
		}
		for _, v := range list {
			d.vertices = append(d.vertices, v.deep(max(0, min(z, 1)), 1))
		}
	}
	return d
}

func TestTables_RAS321_EveryTestOfEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-236", "RAS-300", "RAS-303", "RAS-310", "RAS-320", "RAS-321", "RAS-322", "RAS-323", "RAS-324", "RAS-325", "RAS-326", "RAS-327", "RAS-328", "RAS-329", "RAS-330", "RAS-357", "RAS-366")
	devices := tableDevices(t)
	r := rand.New(rand.NewPCG(5, 13))
	depths := []float32{0, 1, .5, .25, 1. / 3, 1e-7, 1e-5, .9999999, .75, .1, 3. / 65535, 2.5 / 65535, 100.5 / 16777215}
	wild := []float32{float32(math.NaN()), -1, 2, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1)), 1e-45, -1e-45}
	for n, f := range testFormats {
		for combination := range 96 {
			w := tableWays[0]
			if combination%2 == 1 {
				w = wayOf(n*128 + combination)
			}
			if testing.Short() && combination%3 == 2 {
				continue
			}
			s := vk.PipelineDepthStencilStateCreateInfo{
				DepthTestEnable: f.depth && combination%5 != 4, DepthWriteEnable: combination%7 < 5, DepthCompareOp: vk.CompareOp(combination % 8), StencilTestEnable: f.stencil && combination%11 != 10,
				DepthBoundsTestEnable: f.depth && combination%4 == 1, MinDepthBounds: .25, MaxDepthBounds: .75,
			}
			for i, face := range []*vk.StencilOpState{&s.Front, &s.Back} {
				k := combination + i*37
				*face = vk.StencilOpState{FailOp: vk.StencilOp(k % 8), PassOp: vk.StencilOp(k / 8 % 8), DepthFailOp: vk.StencilOp((k/8 + k*3) % 8), CompareOp: vk.CompareOp((k/8 + k) % 8),
					CompareMask: []uint32{0xFF, 0xFF, 0x0F, 0xA5, 0, 0x7F, 0xFE}[r.IntN(7)], WriteMask: []uint32{0xFF, 0xFF, 0xF0, 0x5A, 0, 0xFE, 0x1FF, 0x80}[r.IntN(8)],
					Reference: []uint32{0, 1, 0x80, 0xFF, 0x3C, 0x7F, 0x15B, 0xA6}[r.IntN(8)]}
			}
			written := combination%6 == 3 // by the shader
			z := make([]float32, 256)
			for i := range z {
				z[i] = depths[r.IntN(len(depths))]
				if written && i%3 == 0 {
					z[i] = wild[r.IntN(len(wild))]
				}
			}
			size := map[int]int{16: 2, 24: 4, 0: 4}[f.bits]
			var before, stencils []byte
			for range 256 * w.samples {
				v := depths[r.IntN(len(depths))]
				switch f.bits {
				case 16:
					before = binary.LittleEndian.AppendUint16(before, uint16(fixedDepth(v, 16)+uint32(r.IntN(2))*min(1, 65535-fixedDepth(v, 16))))
				case 24:
					before = binary.LittleEndian.AppendUint32(before, fixedDepth(v, 24))
				default:
					before = binary.LittleEndian.AppendUint32(before, math.Float32bits(v))
				}
				stencils = append(stencils, []byte{0, 1, 0x7F, 0x80, 0xFE, 0xFF, 0x0F, 0x3C, 0x5A, 0xDB, 0x26, 0x81}[r.IntN(12)])
			}
			d := squares(z)
			d.depth = f.format
			if written {
				d.pixels = "deep.frag"
			}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.DepthStencil = &s }
			d.fillTests = func() (depth, stencil []byte) { return before, stencils }
			got := w.run(t, d, devices)
			what := fmt.Sprintf("%v, %s, depth by the shader %v, %+v", f.format, w.name, written, s)
			counted := uint64(0)
			for k := range 256 * w.samples {
				pixel := k / w.samples
				face := &s.Front
				if pixel%2 == 1 {
					face = &s.Back
				}
				var zf, za float32 // floats; else codes
				var cf, ca uint32
				inside := true
				if f.depth {
					zf = z[pixel]
					if zf != zf {
						zf = 0
					}
					zf = max(0, min(zf, 1))
					switch f.bits {
					case 16:
						ca = uint32(binary.LittleEndian.Uint16(before[2*k:]))
					case 24:
						ca = binary.LittleEndian.Uint32(before[4*k:])
					default:
						za = math.Float32frombits(binary.LittleEndian.Uint32(before[4*k:]))
						inside = za >= .25 && za <= .75
					}
					if f.bits > 0 {
						cf = fixedDepth(zf, f.bits)
						stored := big.NewRat(int64(ca), int64(1)<<f.bits-1)
						inside = stored.Cmp(big.NewRat(1, 4)) >= 0 && stored.Cmp(big.NewRat(3, 4)) <= 0
					}
				}
				pass := inside || !s.DepthBoundsTestEnable
				stencil := int(stencils[k])
				if pass {
					op := face.PassOp
					reference := int(face.Reference & 0xFF)
					if s.StencilTestEnable && !order(face.CompareOp, uint32(reference)&face.CompareMask, uint32(stencil)&face.CompareMask) {
						op, pass = face.FailOp, false
					} else if s.DepthTestEnable && !(f.bits > 0 && order(s.DepthCompareOp, cf, ca) || f.bits == 0 && order(s.DepthCompareOp, zf, za)) {
						op, pass = face.DepthFailOp, false
					}
					if s.StencilTestEnable {
						mask := int(face.WriteMask & 0xFF)
						stencil = stencil&^mask | operated(op, stencil, reference)&mask
					}
				}
				if pass {
					counted++
					if s.DepthTestEnable && s.DepthWriteEnable {
						za, ca = zf, cf
					}
				}
				if drawn := got.at(0, pixel%16, pixel/16, k%w.samples)[0] == 1; drawn != pass {
					t.Errorf("%s: depth %v, stored %v or %#x, stencil %#x: drawn %v, want %v", what, z[pixel], za, ca, stencils[k], drawn, pass)
					break
				}
				if f.stencil && int(got.s[k]) != stencil {
					t.Errorf("%s: depth %v, stencil %#x becomes %#x, want %#x", what, z[pixel], stencils[k], got.s[k], stencil)
					break
				}
				if f.depth {
					bits, want := uint32(0), ca
					switch size {
					case 2:
						bits = uint32(binary.LittleEndian.Uint16(got.z[2*k:]))
					default:
						bits = binary.LittleEndian.Uint32(got.z[4*k:])
					}
					if f.bits == 24 {
						bits &= 1<<24 - 1
					}
					if f.bits == 0 {
						want = math.Float32bits(za)
					}
					if bits != want && !(f.bits == 0 && za == 0 && bits<<1 == 0) {
						t.Errorf("%s: depth %v, stored becomes %#x, want %#x", what, z[pixel], bits, want)
						break
					}
				}
			}
			if d.queried != counted && !w.warm {
				t.Errorf("%s: %d samples are counted, want %d", what, d.queried, counted)
			}
		}
	}
}

// What depth is clamped to: the viewport's range either way round with depth clamp, [0, 1] without; of depth that a shader writes, and of that of
// vertices, in every format.
func TestTables_RAS326_EveryRange(t *testing.T) {
	rules.Covers(t, "RAS-009", "RAS-092", "RAS-093", "RAS-310", "RAS-326", "RAS-363", "RAS-366")
	devices := tableDevices(t)
	z := []float32{float32(math.NaN()), -1, 2, float32(math.Inf(1)), float32(math.Inf(-1)), 0, 1, .5, .25, .75, math.Nextafter32(.25, 0), math.Nextafter32(.75, 1), 1. / 3, 1e-45, -1e-45, .1}
	for n, f := range testFormats {
		if !f.depth {
			continue
		}
		for i, viewport := range [][2]float32{{0, 1}, {1, 0}, {.25, .75}, {.75, .25}, {.5, .5}, {0, 0}, {1, 1}, {0, .5}} {
			for _, clamp := range []bool{false, true} {
				for _, written := range []bool{false, true} {
					w := wayOf(n*32 + i*4)
					if i%2 == 0 {
						w = tableWays[0]
					}
					// Without the shader depth is a part of the viewport's range, which no clip plane cuts.
					d := squares(z)
					d.depth, d.viewports = f.format, []vk.Viewport{{Width: 16, Height: 16, MinDepth: viewport[0], MaxDepth: viewport[1]}}
					if written {
						d.pixels = "deep.frag"
					} else if clamp {
						for k := range d.vertices {
							if v := z[k/6]; v == v && !math.IsInf(float64(v), 0) {
								d.vertices[k].z = v
							}
						}
					}
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
						withDepth(p)
						p.DepthStencil.DepthCompareOp, p.Rasterization.DepthClampEnable = vk.CompareOpAlways, clamp
					}
					got := w.run(t, d, devices)
					for k := range 16 * w.samples {
						pixel := k / w.samples
						v := z[pixel]
						if !written {
							// (maxDepth − minDepth)·z + minDepth, once rounded.
							r := rational(d.vertices[6*pixel].z)
							r.Mul(r, new(big.Rat).Sub(rational(viewport[1]), rational(viewport[0])))
							v, _ = r.Add(r, rational(viewport[0])).Float32()
						}
						if v != v {
							v = 0
						}
						low, high := float32(0), float32(1)
						if clamp {
							low, high = min(viewport[0], viewport[1]), max(viewport[0], viewport[1])
						}
						v = max(low, min(v, high))
						bits, want := uint32(0), fixedDepth(v, max(f.bits, 1))
						switch f.bits {
						case 16:
							bits = uint32(binary.LittleEndian.Uint16(got.z[2*k:]))
						case 24:
							bits = binary.LittleEndian.Uint32(got.z[4*k:]) & (1<<24 - 1)
						default:
							bits, want = binary.LittleEndian.Uint32(got.z[4*k:])<<1, math.Float32bits(v)<<1
						}
						if bits != want {
							t.Errorf("%v, %s, range %v, clamped %v, by the shader %v: depth %v (%v) is stored as %#x, want %#x", f.format, w.name, viewport, clamp, written, z[pixel], v, bits, want)
							break
						}
					}
				}
			}
		}
	}
}
