package explain

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestValue_Texts(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ got, want Value }{
		{Floats(0.1, 1, 1e6, 16777216), Value{Bits: "3dcccccd 3f800000 49742400 4b800000", Text: "0.1, 1, 1000000, 16777216"}},
		{Floats(inf, -inf, float32(math.NaN()), float32(math.Copysign(0, -1))), Value{Bits: "7f800000 ff800000 7fc00000 80000000", Text: "Inf, -Inf, NaN, -0"}},
		{Floats(1e-7, 1e22), Value{Bits: "33d6bf95 64078678", Text: "1e-07, 1e+22"}},
		{Ints(-1, math.MaxInt32), Value{Bits: "ffffffff 7fffffff", Text: "-1, 2147483647"}},
		{Uints(math.MaxUint32), Value{Bits: "ffffffff", Text: "4294967295"}},
		{Floats(), Value{}},
	} {
		if c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
	if got := Double(0.1); got != "0.1" {
		t.Error(got)
	}
}

// The text gives the same bits back.
func TestFloat_RoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		f := math.Float32frombits(r.Uint32())
		if f != f {
			continue
		}
		back, err := strconv.ParseFloat(Float(f), 32)
		if err != nil || math.Float32bits(float32(back)) != math.Float32bits(f) {
			t.Fatalf("%08x is %q, which is %v, %v", math.Float32bits(f), Float(f), back, err)
		}
	}
}
