package inputs_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// A program gives what package raster gives at the centres of pixels, or at a sample of each, on both engines: of
// affine primitives and others, where 1/w is positive and where it is not.
func TestLower(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-116", "RAS-119", "RAS-191", "RAS-192", "RAS-246", "RAS-247", "RAS-249", "RAS-255", "RAS-281", "RAS-287", "RAS-288", "RAS-368")
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []inputs.Input{inputs.Word, inputs.Perspective, inputs.Linear, inputs.CoordX, inputs.CoordY, inputs.CoordZ, inputs.CoordW, inputs.PointX, inputs.PointY, inputs.Helper, inputs.Mask, inputs.SampleX, inputs.SampleY}
	for round := range 60 {
		list := []inputs.Input{kinds[round%len(kinds)]}
		for range r.IntN(6) {
			list = append(list, kinds[r.IntN(len(kinds))])
		}
		where := inputs.Where{Sample: r.IntN(2) == 0, Grid: r.IntN(2) == 0, Samples: uint8(1 + r.IntN(ir.PlaceSamples))}
		p, err := inputs.Lower(list, where)
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
			if r.IntN(2) == 0 {
				s.Kind, s.Point = raster.KindPoint, [3]float64{r.Float64() * 2400, r.Float64() * 1800, 1 + r.Float64()*64}
			}
			record := make([]byte, p.Size)
			p.Write(record, s)
			first := r.Uint32N(9)
			var cells [4][4][2]int32 // of rows of pixels: where the sample is in each
			for y := range cells {
				for x := range cells[y] {
					if cells[y][x] = [2]int32{r.Int32N(raster.Subpixels), r.Int32N(raster.Subpixels)}; !where.Grid {
						cells[y][x] = cells[0][0]
					}
					if at := p.At + 8*(4*y+x); p.At != 0 && (where.Grid || at == p.At) {
						binary.LittleEndian.PutUint32(record[at:], uint32(cells[y][x][0]))
						binary.LittleEndian.PutUint32(record[at+4:], uint32(cells[y][x][1]))
					}
				}
			}
			if p.First != 0 {
				binary.LittleEndian.PutUint32(record[p.First:], first)
			}
			for k := range where.Samples {
				q.Covered[k] = uint16(r.Uint32() & r.Uint32())
			}
			if r.IntN(4) == 0 && vm.New(vm.Options{Native: true}).PacksQuads() { // quads of a block wherever they lie
				q.Y &^= 7
				for k := range q.Quads {
					q.Quads[k] = uint8(r.IntN(16))
				}
			}
			var x, y [16]int32
			var within [2][16]int32
			var masks [16]uint32
			for l := range x {
				px, py := q.Pixel(l)
				cell := cells[py%4][px%4]
				within[0][l], within[1][l] = cell[0], cell[1]
				if !where.Sample {
					cell = [2]int32{raster.Subpixels / 2, raster.Subpixels / 2}
				}
				x[l], y[l] = int32(px)*raster.Subpixels+cell[0], int32(py)*raster.Subpixels+cell[1]
				for k := range where.Samples {
					masks[l] |= uint32(q.Covered[k]>>l&1) << k
				}
			}
			var v [16][16]float32
			s.IJAt(x[:], y[:], v[0][:], v[1][:])
			s.IJLinearAt(x[:], y[:], v[2][:], v[3][:])
			s.FragCoordAt(x[:], y[:], v[4][:], v[5][:], v[6][:], v[7][:])
			s.PointCoordAt(x[:], y[:], v[8][:], v[9][:])
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
				case inputs.Helper:
					for l, m := range masks {
						if m == 0 {
							to[l] = math.MaxUint32
						}
					}
				case inputs.SampleX, inputs.SampleY:
					for l, x := range within[in-inputs.SampleX] {
						to[l] = math.Float32bits(float32(x) / raster.Subpixels)
					}
				case inputs.Mask:
					for l, m := range masks {
						to[l] = m << first
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

// A fragment program that makes its inputs itself gives what it gives of the rows that the program
// of inputs makes, bits of NaNs too.
func TestFuse(t *testing.T) {
	rules.Covers(t, "RAS-246", "RAS-247", "RAS-249", "RAS-281", "RAS-288")
	r := rand.New(rand.NewPCG(7, 8))
	kinds := []inputs.Input{inputs.Word, inputs.Perspective, inputs.Linear, inputs.CoordX, inputs.CoordZ, inputs.CoordW}
	for round := range 40 {
		p := &ir.Program{Name: "sums", Stage: ir.StageFragment}
		b := ir.NewBuilder(p)
		var list []inputs.Input
		var slots []int
		for k := range 1 + r.IntN(5) {
			in := kinds[r.IntN(len(kinds))]
			io := ir.IO{Location: uint32(k), Type: ir.F32}
			if in == inputs.Word {
				io.Type, io.Interp = []ir.Type{ir.I32, ir.F32, ir.Bool}[r.IntN(3)], ir.Flat
			}
			p.Inputs = append(p.Inputs, io)
			list = append(list, in)
		}
		slots = r.Perm(len(list)) // entry i of the list feeds this slot
		order := make([]inputs.Input, len(list))
		for i, slot := range slots {
			order[i] = list[slot]
		}
		for slot, io := range p.Inputs {
			v := b.OpImm(ir.OpInput, io.Type, uint64(slot))
			p.Outputs = append(p.Outputs, ir.IO{Location: uint32(slot), Type: io.Type})
			b.OpImm(ir.OpOutput, ir.Void, uint64(slot), v)
		}
		b.Finish()
		affine := round%3 == 0
		fused, err := inputs.Fuse(p, order, slots, inputs.Where{}, affine, &fragops.Tail{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := inputs.Lower(order, inputs.Where{})
		if err != nil {
			t.Fatal(err)
		}
		const n = 8
		records := make([]byte, n*plain.Size)
		for i := 0; i < len(records); i += 8 {
			binary.LittleEndian.PutUint64(records[i:], math.Float64bits(r.NormFloat64()))
		}
		for at := range plain.Values {
			for i := range n {
				if v := plain.Values[at]; v != 0 && r.IntN(3) == 0 {
					binary.LittleEndian.PutUint32(records[i*plain.Size+v:], []uint32{0xFFC12345, 0x7FC00000, 0x7F800000, 1}[r.IntN(4)])
				}
				if slot := slots[at]; p.Inputs[slot].Type == ir.Bool {
					binary.LittleEndian.PutUint32(records[i*plain.Size+plain.Values[at]:], -r.Uint32N(2))
				}
			}
		}
		places := make([]exec.Place, n)
		for i := range places {
			places[i] = exec.Place{X: r.Int32N(1000), Y: r.Int32N(1000), Record: uint32(i * plain.Size)}
		}
		for _, native := range []bool{false, true} {
			engine := vm.New(vm.Options{Native: native})
			run := func(p *ir.Program, batch *exec.Batch) {
				t.Helper()
				routine, err := engine.Compile(p)
				if err != nil {
					t.Fatal(err)
				}
				if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, batch); err != nil {
					t.Fatal(err)
				}
			}
			rows := func() (list [][]uint32) {
				for range p.Inputs {
					list = append(list, make([]uint32, 16*n))
				}
				return list
			}
			in, want, got, made := rows(), rows(), rows(), make([][]uint32, len(order))
			for i, slot := range slots {
				made[i] = in[slot]
			}
			program := plain.Program
			if affine {
				program = plain.Affine
			}
			run(program, &exec.Batch{N: 16 * n, Out: made, Places: places, Records: records})
			run(p, &exec.Batch{N: 16 * n, In: in, Out: want})
			run(fused, &exec.Batch{N: 16 * n, In: rows(), Out: got, Places: places, Records: records})
			for k := range want {
				for l, x := range want[k] {
					if got[k][l] != x {
						t.Fatalf("native %v, %v: output %d of lane %d is %x, want %x", native, order, k, l, got[k][l], x)
					}
				}
			}
		}
	}
}
