package raster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What is too short for the values is refused before a kernel writes behind it.
func TestKernels_ShortSlices(t *testing.T) {
	var s Setup
	quads := make([]Quad, 8)
	f := func(n int) []float32 { return make([]float32, n, 64) }
	for name, call := range map[string]func(){
		"i":           func() { s.IJ(quads, f(31)[:31:31], f(32)) },
		"j":           func() { s.IJ(quads, f(32), f(31)[:31:31]) },
		"depth":       func() { s.Depth(quads, Samples(1), f(31)[:31:31]) },
		"Interpolate": func() { Interpolate(make([]uint32, 32), 1, 2, 3, f(32), f(31)[:31:31]) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing is refused", name)
				}
			}()
			call()
		}()
	}
}

// On a machine without AVX2 the same functions give the same bits.
func TestKernels_WithoutAVX2(t *testing.T) {
	if !haveAVX2 {
		t.Skip("no kernels on this machine")
	}
	defer func() { haveAVX2 = true }()
	rng := rand.New(rand.NewPCG(63, 64))
	list, _ := setups(rng)
	quads := []Quad{{0, 0, 1}, {2, 4, 1}, {8, 6, 1}}
	values := func(s *Setup) (out []uint32) {
		i, j, z := make([]float32, 12), make([]float32, 12), make([]float32, 48)
		s.IJ(quads, i, j)
		s.Depth(quads, Samples(4), z)
		for _, f := range slices.Concat(i, j, z) {
			out = append(out, math.Float32bits(f))
		}
		var dst [11]uint32
		Interpolate(dst[:], 1, 2, 5, i, j)
		return append(out, dst[:]...)
	}
	for k := range list {
		haveAVX2 = true
		want := values(&list[k])
		haveAVX2 = false
		if got := values(&list[k]); !slices.Equal(got, want) {
			t.Fatalf("set-up %d: %x, with kernels %x", k, got, want)
		}
	}
}
