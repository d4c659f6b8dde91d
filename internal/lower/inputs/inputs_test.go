package inputs_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
)

// A program gives what package raster gives at the centres of pixels, on both engines: of
// affine primitives and others, where 1/w is positive and where it is not.
func TestLower(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []inputs.Input{inputs.Word, inputs.Perspective, inputs.Linear, inputs.CoordX, inputs.CoordY, inputs.CoordZ, inputs.CoordW}
	for round := range 60 {
		list := []inputs.Input{kinds[round%len(kinds)]}
		for range r.IntN(6) {
			list = append(list, kinds[r.IntN(len(kinds))])
		}
		p, err := inputs.Lower(list)
		if err != nil {
			t.Fatal(err)
		}
		const n = 24
		program, affine := p.Program, round%3 == 0
		if affine {
			program = p.Affine
		}
		var records []byte
		places := make([]exec.Place, n)
		want := make([][]uint32, len(list))
		for k := range want {
			want[k] = make([]uint32, n*16)
		}
		for i := range places {
			q := &places[i]
			q.X, q.Y, q.Record = 8*r.Int32N(300), 2*r.Int32N(900), uint32(len(records))
			s := &raster.Setup{RefX: r.Int32N(1 << 19), RefY: r.Int32N(1 << 19), Affine: affine || r.IntN(3) == 0, Provoking: uint8(r.IntN(3)), LinearU: r.NormFloat64(), LinearV: r.ExpFloat64()}
			for _, p := range []*raster.Plane{&s.U, &s.V, &s.W, &s.Z} {
				*p = raster.Plane{C: r.NormFloat64(), GX: r.NormFloat64() / 1e5, GY: r.NormFloat64() / 1e5}
			}
			record := make([]byte, p.Size)
			p.Write(record, s)
			quads := make([]raster.Quad, 4)
			for k := range quads {
				quads[k].X, quads[k].Y = q.X+int32(2*k), q.Y
			}
			var v [16][16]float32
			s.IJ(quads, v[0][:], v[1][:])
			s.IJLinear(quads, v[2][:], v[3][:])
			s.FragCoord(quads, v[4][:], v[5][:], v[6][:], v[7][:])
			for k, in := range list {
				to, at := want[k][16*i:][:16], p.Values[k]
				value := func() float32 {
					if r.IntN(20) == 0 {
						return []float32{0, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32}[r.IntN(4)]
					}
					return float32(r.NormFloat64())
				}
				switch in {
				case inputs.Word:
					x := r.Uint32()
					binary.LittleEndian.PutUint32(record[at:], x)
					for l := range to {
						to[l] = x
					}
				case inputs.Perspective, inputs.Linear:
					pair := v[0:2]
					if in == inputs.Linear {
						pair = v[2:4]
					}
					a, b, c := value(), value(), value()
					for w, x := range []float32{a, b - a, c - a} {
						binary.LittleEndian.PutUint32(record[at+4*w:], math.Float32bits(x))
					}
					raster.Interpolate(to, a, b, c, pair[0][:], pair[1][:])
					for l, x := range to {
						if math.Float32frombits(x) != math.Float32frombits(x) {
							to[l] = 0x7FC00000 // shaders see no other one
						}
					}
				default:
					for l, x := range v[4+in-inputs.CoordX] {
						to[l] = math.Float32bits(x)
					}
				}
			}
			records = append(records, record...)
		}
		for _, native := range []bool{false, true} {
			routine, err := vm.New(vm.Options{Native: native}).Compile(program)
			if err != nil {
				t.Fatal(err)
			}
			b := exec.Batch{N: 16 * n, Places: places, Records: records}
			for range list {
				b.Out = append(b.Out, make([]uint32, 16*n))
			}
			if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, &b); err != nil {
				t.Fatal(err)
			}
			for k := range list {
				for l, x := range want[k] {
					if got := math.Float32frombits(b.Out[k][l]); b.Out[k][l] != x && !(list[k] != inputs.Word && x == 0x7FC00000 && got != got) {
						t.Fatalf("native %v, inputs %v: input %d of lane %d is %x, want %x", native, list, k, l, b.Out[k][l], x)
					}
				}
			}
		}
	}
}
