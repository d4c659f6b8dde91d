package fp

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
)

func TestGenerate_Tables_SameBytes(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen/tables", "-out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "tables_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("tables_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tables_gen.go is not what the generator writes")
	}
}

// srgbDecode and srgbEncode are the transfer functions of IMG-248 and IMG-249, with the standard library's power.
func srgbDecode(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func srgbEncode(l float64) float64 {
	if l <= 0.0031308 {
		return 12.92 * l
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

func TestSrgbToLinear_EveryCode_IMG248(t *testing.T) {
	rules.Covers(t, "IMG-248")
	for c := range 256 {
		got, want := SrgbToLinear(uint8(c)), srgbDecode(float64(c)/255)
		if ulp := float64(math.Nextafter32(got, 2) - got); math.Abs(float64(got)-want) > 0.50001*ulp {
			t.Errorf("code %d: got %g, want %g", c, got, want)
		}
		if back := LinearToSrgb(got); back != uint8(c) {
			t.Errorf("code %d: comes back as %d", c, back)
		}
	}
	for c, want := range map[uint8]float64{1: 0.000303526984, 10: 0.00303526984, 11: 0.00334653576, 127: 0.212230757, 128: 0.2158605, 188: 0.502886458, 254: 0.991102097, 255: 1} {
		if got := float64(SrgbToLinear(c)); math.Abs(got-want) > 6e-9*max(1, want*10) {
			t.Errorf("code %d: got %.9g, want %.9g", c, got, want)
		}
	}
}

func TestLinearToSrgb_ClampAndNaN_IMG249(t *testing.T) {
	rules.Covers(t, "IMG-249")
	for _, c := range []struct {
		f    float32
		want uint8
	}{
		{float32(math.NaN()), 0}, {float32(math.Inf(-1)), 0}, {-1, 0}, {0, 0}, {0x1p-13, 0}, {0.00015, 0}, {0.000153, 1}, {0.5, 188}, {0.28919229, 146},
		{0.9999999, 255}, {1, 255}, {2, 255}, {float32(math.Inf(1)), 255},
	} {
		if got := LinearToSrgb(c.f); got != c.want {
			t.Errorf("%g: got %d, want %d", c.f, got, c.want)
		}
	}
}

// Around each boundary the code changes between two neighbouring floats and the exact function agrees on both sides; between
// boundaries a dense walk over the floats meets no other change.
func TestLinearToSrgb_Boundaries(t *testing.T) {
	rules.Covers(t, "IMG-249")
	for c := 1; c < 256; c++ {
		first := srgbCodeStart[c]
		for _, d := range []int{-1000, -1, 0, 1, 1000} {
			f := math.Float32frombits(uint32(int(first) + d))
			want := uint8(c)
			if d < 0 {
				want--
			}
			if got := LinearToSrgb(f); got != want {
				t.Fatalf("code %d%+d: got %d, want %d", c, d, got, want)
			}
			// The library's power is good to about 10⁻¹⁵; the nearest float stays further from the boundary than that, or can't tell.
			if e := srgbEncode(float64(f)) * 255; math.Abs(e-math.Floor(e)-0.5) > 1e-12 && uint8(math.Round(e)) != want {
				t.Fatalf("code %d%+d: the exact function gives %g", c, d, e)
			}
		}
	}
	last := uint8(0)
	for b := uint32(0x38000000); b <= 0x3f800000; b += 37 {
		got := LinearToSrgb(math.Float32frombits(b))
		if got < last || b < srgbCodeStart[got] || b >= srgbCodeStart[int(got)+1] {
			t.Fatalf("%#08x: got %d after %d", b, got, last)
		}
		last = got
	}
}
