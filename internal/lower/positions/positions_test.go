package positions_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/positions"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/vertexpost"
	"github.com/pumice-gpu/pumice/vk"
)

// engines runs a program on both engines and compares.
func engines(t *testing.T, p *ir.Program, err error, push []byte, in [][]uint32) (out [][]uint32) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, native := range []bool{false, true} {
		routine, err := vm.New(vm.Options{Native: native}).Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		n := len(in[0])
		b := exec.Batch{N: n, In: in}
		for range p.Outputs {
			b.Out = append(b.Out, make([]uint32, n))
		}
		if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{Push: push}, &b); err != nil {
			t.Fatal(err)
		}
		for k := range out {
			for i, v := range b.Out[k] {
				if v != out[k][i] {
					t.Fatalf("output %d of lane %d: %#x as machine code, %#x without", k, i, v, out[k][i])
				}
			}
		}
		out = b.Out
	}
	return out
}

// edgy are positions that are often on a plane of the view volume, out of range or no numbers.
func edgy(r *rand.Rand, n int) (pos [4][]uint32) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-64, 0x1p-63, -0x1p-64, math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149, nan, inf, -inf}
	for k := range pos {
		pos[k] = make([]uint32, n)
		for i := range pos[k] {
			v := 4*r.Float32() - 2
			if at := r.IntN(3 * len(special)); at < len(special) {
				v = special[at]
			}
			pos[k][i] = math.Float32bits(v)
		}
	}
	return pos
}

// The program of each key gives the outcodes of the reference, of any bits.
//
// RAS-075, RAS-076, RAS-081, RAS-366
func TestOutside(t *testing.T) {
	rules.Covers(t, "RAS-075", "RAS-076", "RAS-081", "RAS-366")
	r := rand.New(rand.NewPCG(81, 82))
	for _, k := range []positions.OutcodeKey{{}, {DepthClip: true}, {NegativeOneToOne: true}, {DepthClip: true, NegativeOneToOne: true}} {
		p, err := positions.Outside(k)
		c := vertexpost.Config{DepthClip: k.DepthClip, NegativeOneToOne: k.NegativeOneToOne}
		for round := range 40 {
			pos := edgy(r, 1000)
			if round == 0 {
				for i := range pos {
					for j := range pos[i] {
						pos[i][j] = r.Uint32()
					}
				}
			}
			got := engines(t, p, err, nil, pos[:])[0]
			want := make([]uint32, len(got))
			if !c.Outside(want, &pos) {
				t.Fatal("not for this state")
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%+v: outcode %b of %x %x %x %x, want %b", k, got[i], pos[0][i], pos[1][i], pos[2][i], pos[3][i], want[i])
				}
			}
		}
	}
}

// The program snaps what is not beyond the guard band to where the reference does.
//
// RAS-002, RAS-003, RAS-091
func TestPlace(t *testing.T) {
	rules.Covers(t, "RAS-002", "RAS-003", "RAS-091", "RAS-092", "RAS-093")
	r := rand.New(rand.NewPCG(83, 84))
	p, err := positions.Place()
	placed, beyond := 0, 0
	for round := range 60 {
		v := vertexpost.MakeViewport(vk.Viewport{X: 100 * r.Float32(), Y: -30 * r.Float32(), Width: 1 + 3000*r.Float32(), Height: 900 - 1800*r.Float32(), MaxDepth: 1}, false)
		c, pos := vertexpost.Config{Viewport: v}, edgy(r, 1000)
		if round%3 == 0 { // often just inside the guard band or just outside
			for i := range pos[0] {
				w := 0.5 + r.Float32()
				at := (raster.GuardBand + float64(r.IntN(5)-2)/512 - v.OffsetX) / v.ScaleX * float64(w)
				pos[0][i], pos[3][i] = math.Float32bits(float32(at)), math.Float32bits(w)
			}
		}
		push := positions.Push(&v)
		out := engines(t, p, err, push[:], [][]uint32{pos[0], pos[1], pos[3]})
		codes := make([]uint32, len(pos[0]))
		c.Outside(codes, &pos)
		for i := range codes {
			if raster.Outcode(codes[i])&(raster.OutW|raster.OutInvalid) != 0 {
				continue
			}
			get := func(k int) float32 { return math.Float32frombits(pos[k][i]) }
			want, inside := c.Place(get(0), get(1), get(3))
			if inside {
				placed++
			} else {
				beyond++
			}
			if (out[2][i] == 0) != inside || inside && (int32(out[0][i]) != want.X || int32(out[1][i]) != want.Y) {
				t.Fatalf("%v, %v, %v at %d, %d (beyond: %d), want %+v (inside: %v)", get(0), get(1), get(3), int32(out[0][i]), int32(out[1][i]), out[2][i], want, inside)
			}
		}
	}
	if placed < 1000 || beyond < 1000 {
		t.Errorf("%d inside the guard band, %d beyond", placed, beyond)
	}
}
