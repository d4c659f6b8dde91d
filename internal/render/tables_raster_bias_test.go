package render

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// The unit of the constant factor, drawn with each depth format, representation and exactness: 1 of floats, 2^-n or 1/(2^n - 1) of n bits,
// of which a float that is forced to be fixed-point has 24, and else of a float the last place of the largest depth.
func TestTables_RAS260_EveryRepresentation(t *testing.T) {
	rules.Covers(t, "RAS-256", "RAS-257", "RAS-259", "RAS-260", "RAS-261", "RAS-262", "RAS-264", "RAS-266")
	for format, bits := range map[vk.Format]int{
		vk.FormatD16Unorm: 16, vk.FormatX8D24UnormPack32: 24, vk.FormatD32Sfloat: 32, vk.FormatD16UnormS8Uint: 16, vk.FormatD24UnormS8Uint: 24, vk.FormatD32SfloatS8Uint: 32,
	} {
		s := newScene(t, 4, 4, 1, format)
		s.state.DepthTestEnable, s.state.DepthWriteEnable, s.state.DepthCompareOp, s.state.DepthBiasEnable = true, true, vk.CompareOpAlways, true
		p, x := s.pipeline(t, 64), newExecutor(Config{Threads: 1})
		for _, unit := range []vk.DepthBiasRepresentationEXT{
			vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT, vk.DepthBiasRepresentationLeastRepresentableValueForceUnormEXT, vk.DepthBiasRepresentationFloatEXT,
		} {
			for _, exact := range []bool{false, true} {
				for _, z := range []float32{.125, .5, .25 - 0x1p-26, 0x1p-127} {
					for _, c := range []float32{1, 3, -1, .25, 40000, 1e7, -.0625} {
						s.state.DepthBiasConstant, s.state.DepthBiasUnit, s.state.DepthBiasExact = c, unit, exact
						s.pass.Draws = nil
						s.add(p, s.state, s.quad(nil, 0, 0, 4, 4, z, 1, 1, 1, 1), 8)
						if _, err := x.Run(context.Background(), &s.pass); err != nil {
							t.Fatal(err)
						}

						fixed := int64(min(bits, 24))
						r := big.NewRat(1, int64(1)<<fixed-1)
						switch {
						case unit == vk.DepthBiasRepresentationFloatEXT:
							r = big.NewRat(1, 1)
						case bits == 32 && unit == vk.DepthBiasRepresentationLeastRepresentableValueFormatEXT:
							_, e := math.Frexp(float64(z)) // z is half of 2^e or more
							r = new(big.Rat).SetFloat64(math.Ldexp(1, max(e-1, -126)-23))
						case exact:
							r = big.NewRat(1, int64(1)<<fixed)
						}
						o := r.Mul(r, new(big.Rat).SetFloat64(float64(c)))
						v, _ := o.Add(o, new(big.Rat).SetFloat64(float64(z))).Float32()
						v = max(0, min(v, 1))
						want := math.Float32bits(v)
						if bits < 32 {
							code := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(v)), big.NewRat(int64(1)<<bits-1, 1))
							code.Add(code, big.NewRat(1, 2))
							want = uint32(new(big.Int).Quo(code.Num(), code.Denom()).Uint64())
						}
						l := s.depth.Image.Level(0, 0, 0)
						for y := range 4 {
							for x := range 4 {
								data := l.Data[l.Offset(x, y, 0, 0):]
								got := uint32(binary.LittleEndian.Uint16(data))
								if bits > 16 {
									got = binary.LittleEndian.Uint32(data) & (1<<bits - 1)
								}
								if got != want {
									t.Fatalf("%v, representation %v, exact %v, %v at %v: %#x, want %#x", format, unit, exact, c, z, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
}
