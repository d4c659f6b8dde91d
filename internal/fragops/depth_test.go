package fragops

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// The kernels do what the rule does, sample by sample: for every comparison they
// take, with and without writing, on odd widths and at the end of the memory.
func TestQuads_AsSampleBySample(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no kernels on this machine")
	}
	rng := rand.New(rand.NewPCG(71, 72))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, .5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45}
	value := func() float32 {
		if rng.IntN(3) == 0 {
			return special[rng.IntN(len(special))]
		}
		return rng.Float32()*2 - .5
	}
	together := 0
	for range 20000 {
		samples := []int{1, 4}[rng.IntN(2)]
		width, height := 1+rng.IntN(9), 1+rng.IntN(9)
		s := Surface{TexelPitch: 4 * samples, SampleBytes: 4, RowPitch: 4 * samples * width}
		s.Data = make([]byte, s.RowPitch*height)
		for i := 0; i < len(s.Data); i += 4 {
			binary.LittleEndian.PutUint32(s.Data[i:], math.Float32bits(value()))
		}
		want := s
		want.Data = slices.Clone(s.Data)
		d := DepthStencil{Format: DepthD32, DepthTest: true, DepthWrite: rng.IntN(2) == 0, ZMin: special[rng.IntN(4)], ZMax: special[rng.IntN(4)],
			Compare: []vk.CompareOp{vk.CompareOpLess, vk.CompareOpLessOrEqual, vk.CompareOpGreater, vk.CompareOpGreaterOrEqual}[rng.IntN(4)]}
		d.ZMin, d.ZMax = min(d.ZMin, d.ZMax), max(d.ZMin, d.ZMax)
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		if !d.Together(&s, samples) {
			t.Fatalf("not together: %+v", d)
		}
		var at []int
		var masks, pass []uint64
		var z []float32
		for y := 0; y < height; y += 2 {
			for x := 0; x < width; x += 2 {
				if rng.IntN(3) == 0 {
					continue
				}
				mask := uint64(0)
				for lane := range 4 {
					for sample := range samples {
						if x+lane&1 < width && y+lane>>1 < height && rng.IntN(8) != 0 {
							mask |= 1 << (16*lane + sample)
						}
						z = append(z, value())
					}
				}
				at, masks = append(at, s.Offset(x, y, 0)), append(masks, mask)
				pass = append(pass, d.quadReference(&want, nil, x, y, samples, mask, z[len(z)-4*samples:], false, nil))
			}
		}
		if !d.Quads(&s, samples, at, masks, z) {
			continue // at the end of the memory
		}
		together++
		if !slices.Equal(masks, pass) {
			t.Fatalf("%+v: %x, want %x", d, masks, pass)
		}
		if !bytes.Equal(s.Data, want.Data) {
			t.Fatalf("%+v: depth\n%x\nwant\n%x", d, s.Data, want.Data)
		}
	}
	if together < 5000 {
		t.Fatalf("only %d ran together", together)
	}
}
