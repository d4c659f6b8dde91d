package fp

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

// The ends of 16-bit floats: 65520 lies halfway between the largest number and what would follow, and goes to infinity, as all above.
func TestFloatToHalf_Ends(t *testing.T) {
	rules.Covers(t, "IMG-378", "RAS-005")
	below := func(f float32) float32 { return math.Nextafter32(f, 0) }
	for f, want := range map[float32]uint16{
		65504: 0x7bff, below(65520): 0x7bff, 65520: 0x7c00, below(65536): 0x7c00, 65536: 0x7c00, 65537: 0x7c00, math.MaxFloat32: 0x7c00, float32(math.Inf(1)): 0x7c00,
		0x1p-14: 0x0400, below(0x1p-14): 0x0400, 0x1p-24: 1, 0x1p-25: 0, math.Nextafter32(0x1p-25, 1): 1, 0x1.8p-24: 2, 0: 0,
	} {
		if got := FloatToHalf(f); got != want {
			t.Errorf("%v: %#04x, want %#04x", f, got, want)
		}
		if got := FloatToHalf(float32(math.Copysign(float64(f), -1))); got != want|0x8000 {
			t.Errorf("%v: %#04x, want %#04x", -f, got, want|0x8000)
		}
	}
	if got := FloatToHalf(float32(math.NaN())); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN: %#04x", got)
	}
}
