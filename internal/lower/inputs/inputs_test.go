package inputs_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
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
// affine primitives and others, where 1/w is positive and where it is not, thin triangles and Bresenham lines.
func TestLower(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-116", "RAS-119", "RAS-184", "RAS-185", "RAS-191", "RAS-192", "RAS-218", "RAS-219", "RAS-246", "RAS-247", "RAS-249", "RAS-255", "RAS-281", "RAS-284", "RAS-287", "RAS-288", "RAS-368")
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []inputs.Input{inputs.Word, inputs.Perspective, inputs.Linear, inputs.CoordX, inputs.CoordY, inputs.CoordZ, inputs.CoordW, inputs.PointX, inputs.PointY, inputs.Helper, inputs.Mask, inputs.Upper,
		inputs.Perspective | inputs.Centroid, inputs.Linear | inputs.Centroid, inputs.Weight, inputs.LinearWeight, inputs.Weight | inputs.Centroid,
		inputs.LinearWeight | inputs.Centroid, inputs.SampleX, inputs.SampleY, inputs.Given, inputs.Given + inputs.MaskWords - 1, inputs.Whole}
	for round := range 180 {
		list := []inputs.Input{kinds[round%len(kinds)]}
		for range r.IntN(6) {
			list = append(list, kinds[r.IntN(len(kinds))])
		}
		where := inputs.Where{Sample: r.IntN(2) == 0, Samples: uint8(1 + r.IntN(ir.PlaceSamples)), Of: 64, Grid: r.IntN(3) == 0}
		if where.Samples <= 32 && r.IntN(2) == 0 && !slices.Contains(list, inputs.Upper) {
			where.Of = 32
		}
		planes := inputs.Planes(round / 2 % 3)
		p, err := inputs.Lower(list, where, planes)
		if err != nil {
			t.Fatal(err)
		}
		const n = 24
		var records []byte
		places := make([]exec.Place, n)
		rows := make([][]uint32, inputs.Findings) // by kind
		for k := range rows {
			for range n * 16 {
				rows[k] = append(rows[k], r.Uint32()&0xFF_00FF)
			}
		}
		want := make([][]uint32, len(list))
		for k := range want {
			want[k] = make([]uint32, n*16)
		}
		for i := range places {
			q := &places[i]
			q.X, q.Y, q.Record = 8*r.Int32N(300), 2*r.Int32N(900), uint32(len(records))
			s := &raster.Setup{RefX: r.Int32N(1 << 19), RefY: r.Int32N(1 << 19), Affine: planes == inputs.Affine || r.IntN(3) == 0, Provoking: uint8(r.IntN(3)), LinearU: r.NormFloat64(), LinearV: r.ExpFloat64()}
			for _, p := range []*raster.Plane{&s.U, &s.V, &s.W, &s.Z} {
				*p = raster.Plane{C: r.NormFloat64(), GX: r.NormFloat64() / 1e5, GY: r.NormFloat64() / 1e5}
			}
			if r.IntN(2) == 0 {
				s.Kind, s.Point = raster.KindPoint, [3]float64{r.Float64() * 2400, r.Float64() * 1800, 1 + r.Float64()*64}
			}
			if planes == inputs.Warped {
				warp(r, s, q)
			}
			record := make([]byte, p.Size)
			p.Write(record, s)
			dx, dy, first := int32(raster.Subpixels/2), int32(raster.Subpixels/2), r.Uint32N(uint32(where.Of)-uint32(where.Samples)+1)
			var grid [16][2]int32 // of pixel (x, y) at y%4*4 + x%4
			for k := range grid {
				grid[k] = [2]int32{dx, dy}
				if where.Sample && (where.Grid || k == 0) {
					grid[k] = [2]int32{r.Int32N(raster.Subpixels), r.Int32N(raster.Subpixels)}
				} else if where.Sample {
					grid[k] = grid[0]
				}
				if where.Grid && p.At != 0 {
					binary.LittleEndian.PutUint32(record[p.At+4*k:], uint32(grid[k][0]|grid[k][1]<<16))
				}
			}
			if !where.Grid && p.At != 0 {
				binary.LittleEndian.PutUint64(record[p.At:], uint64(grid[0][0])|uint64(grid[0][1])<<32)
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
			var x, y, cx, cy [16]int32
			var masks [16]uint64
			var within [2][16]float32
			for l := range x {
				px, py := q.Pixel(l)
				at := grid[py%4*4+px%4]
				x[l], y[l] = int32(px)*raster.Subpixels+at[0], int32(py)*raster.Subpixels+at[1]
				within[0][l], within[1][l] = float32(at[0])/raster.Subpixels, float32(at[1])/raster.Subpixels
				if cx[l], cy[l] = x[l], y[l]; where.Samples > 1 {
					c := int32(rows[inputs.Centroids][16*i+l])
					cx[l], cy[l] = int32(px)*raster.Subpixels+c&0xFFFF, int32(py)*raster.Subpixels+c>>16
				}
				for k := range where.Samples {
					masks[l] |= uint64(q.Covered[k]>>l&1) << k
				}
			}
			var v [16][16]float32
			s.IJAt(x[:], y[:], v[0][:], v[1][:])
			s.IJLinearAt(x[:], y[:], v[2][:], v[3][:])
			s.FragCoordAt(x[:], y[:], v[4][:], v[5][:], v[6][:], v[7][:])
			s.PointCoordAt(x[:], y[:], v[8][:], v[9][:])
			s.IJAt(cx[:], cy[:], v[10][:], v[11][:])
			s.IJLinearAt(cx[:], cy[:], v[12][:], v[13][:])
			pairOf := func(in inputs.Input) [][16]float32 {
				from := 0
				if in&inputs.Centroid != 0 {
					from = 10
				}
				if in &^= inputs.Centroid; in == inputs.Linear || in == inputs.LinearWeight {
					from += 2
				}
				return v[from:]
			}
			for k, in := range list {
				to, at := want[k][16*i:][:16], p.Values[k]
				value := func() float32 {
					if r.IntN(20) == 0 {
						return []float32{0, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32}[r.IntN(4)]
					}
					return float32(r.NormFloat64())
				}
				switch in &^ inputs.Centroid {
				case inputs.Word:
					x := r.Uint32()
					binary.LittleEndian.PutUint32(record[at:], x)
					for l := range to {
						to[l] = x
					}
				case inputs.Perspective, inputs.Linear:
					pair := pairOf(in)
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
				case inputs.Weight, inputs.LinearWeight:
					which, pair := r.IntN(4), pairOf(in)
					binary.LittleEndian.PutUint32(record[at:], uint32(which))
					for l := range to {
						i, j := pair[0][l], pair[1][l]
						to[l] = math.Float32bits([4]float32{float32(1-i) - j, i, j, 0}[which])
					}
				case inputs.SampleX, inputs.SampleY:
					for l, x := range within[in-inputs.SampleX] {
						to[l] = math.Float32bits(x)
					}
				case inputs.Whole:
					copy(to, rows[inputs.Squares][16*i:])
				case inputs.Given, inputs.Given + inputs.MaskWords - 1:
					copy(to, rows[inputs.Samples+inputs.Finding(in-inputs.Given)][16*i:])
				case inputs.Helper:
					for l, m := range masks {
						if m == 0 {
							to[l] = math.MaxUint32
						}
					}
				case inputs.Mask:
					for l, m := range masks {
						to[l] = uint32(m << first)
					}
				case inputs.Upper:
					for l, m := range masks {
						to[l] = uint32(m << first >> 32)
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
			routine, err := vm.New(vm.Options{Native: native}).Compile(p.Program)
			if err != nil {
				t.Fatal(err)
			}
			b := exec.Batch{N: 16 * n, Places: places, Records: records}
			for range list {
				b.Out = append(b.Out, make([]uint32, 16*n))
			}
			for _, kind := range p.Findings {
				b.In = append(b.In, rows[kind])
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

// warp makes a set-up a thin triangle, a Bresenham line through a place, or leaves it as it is.
func warp(r *rand.Rand, s *raster.Setup, q *exec.Place) {
	switch r.IntN(3) {
	case 0:
		s.Kind, s.Thin = raster.KindTriangle, true
		for i := range 2 {
			s.P[i], s.Q[i] = r.Int32N(1<<29)-1<<28, r.Int32N(1<<29)-1<<28
		}
		for _, p := range []*raster.Plane{&s.U, &s.V, &s.W, &s.Z} {
			p.GX, p.GY = p.GX/1e12, p.GY/1e12
		}
	case 1:
		s.Kind, s.Point[2] = raster.KindBresenham, float64(1+r.IntN(4))
		far := int32(2) << r.IntN(27)
		for i, c := range [2]int32{q.X, q.Y} {
			ends := [2]*int32{&s.P[i], &s.Q[i]}
			for _, end := range ends {
				*end = c*raster.Subpixels + r.Int32N(1<<9) + r.Int32N(far) - far/2
				if r.IntN(3) == 0 { // ties
					*end &^= raster.Subpixels/2 - 1
				}
			}
			if r.IntN(8) == 0 {
				s.Q[i] = s.P[i]
			}
		}
		if r.IntN(3) == 0 { // diagonal, from the border of a diamond
			d := r.Int32N(1<<11) - 1<<10
			x, y := r.Int32N(raster.Subpixels/2), 4+r.Int32N(8)
			s.P = [2]int32{q.X*raster.Subpixels + 128 + x, (q.Y-4+y)*raster.Subpixels + x}
			s.Q = [2]int32{s.P[0] + d, s.P[1] + d}
			if r.IntN(2) == 0 {
				s.Q[1] = s.P[1] - d
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
		planes := inputs.Planes(round % 2)
		fused, err := inputs.Fuse(p, order, slots, inputs.Where{}, planes, &fragops.Tail{})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := inputs.Lower(order, inputs.Where{}, planes)
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
			run(plain.Program, &exec.Batch{N: 16 * n, Out: made, Places: places, Records: records})
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

// InterpolateAt in a branch gives what package raster gives at that place, on both engines: at a sample, also of
// indices beyond them, at the centroid, and at offsets, which are rounded and cut.
func TestFuse_InterpolateAt(t *testing.T) {
	rules.Covers(t, "RAS-284", "RAS-285", "RAS-286")
	r := rand.New(rand.NewPCG(11, 12))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	// Offsets, and what they are in subpixels.
	offsets := []struct {
		d  float32
		to int32
	}{{0, 0}, {.5, 128}, {-.5, -128}, {.25 / 256, 0}, {.5 / 256, 1}, {-.5 / 256, 0}, {-.75 / 256, -1}, {1.25, 320}, {16, 4096}, {17, 4096}, {-1e30, -4096}, {inf, 4096}, {-inf, -4096}, {nan, 0}}
	for round := range 48 {
		mode, in := inputs.AtCentroid+round%3, []inputs.Input{inputs.Perspective, inputs.Linear, inputs.Weight}[round/3%3]
		where := inputs.Where{Samples: 4, Of: 4, Grid: round%2 == 0, At: 1 << mode}
		planes := inputs.Divided + inputs.Planes(round/4%2)
		p := &ir.Program{Name: "at", Stage: ir.StageFragment, Outputs: []ir.IO{{Type: ir.F32}}}
		b := ir.NewBuilder(p)
		for k := range 3 { // the interpolated one, and two words
			p.Inputs = append(p.Inputs, ir.IO{Location: uint32(k), Type: []ir.Type{ir.F32, ir.I32, ir.I32}[k]})
		}
		word := func(k uint64) ir.Value { return b.OpImm(ir.OpInput, ir.I32, k) }
		out := b.NewVar(ir.F32, "out")
		b.Set(out, b.F32(-1))
		var args []ir.Value
		switch mode {
		case inputs.AtSample:
			args = []ir.Value{word(1)}
		case inputs.AtOffset:
			args = []ir.Value{b.Op(ir.OpBitcast, ir.F32, word(1)), b.Op(ir.OpBitcast, ir.F32, word(2))}
		}
		x := b.OpImm(ir.OpPixel, ir.I32, 0)
		b.If(b.Op(ir.OpINe, ir.Bool, b.Op(ir.OpAnd, ir.I32, x, b.I32(1)), b.I32(0)), func() {
			b.Set(out, b.OpImm(ir.OpInterpolateAt, ir.F32, uint64(mode)<<32, args...))
		}, func() {})
		b.OpImm(ir.OpOutput, ir.Void, 0, b.Get(out))
		b.Finish()
		list := []inputs.Input{in, inputs.Word, inputs.Word}
		fused, err := inputs.Fuse(p, list, []int{0, 1, 2}, where, planes, &fragops.Tail{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := inputs.Lower(list, where, planes)
		if err != nil {
			t.Fatal(err)
		}
		const n = 8
		places, records := make([]exec.Place, n), make([]byte, n*l.Size)
		centroids, want := make([]uint32, 16*n), make([]uint32, 16*n)
		for i := range places {
			places[i] = exec.Place{X: 8 * r.Int32N(300), Y: 2 * r.Int32N(900), Record: uint32(i * l.Size)}
			s := &raster.Setup{RefX: r.Int32N(1 << 19), RefY: r.Int32N(1 << 19), LinearU: r.NormFloat64(), LinearV: r.ExpFloat64()}
			for _, p := range []*raster.Plane{&s.U, &s.V, &s.W, &s.Z} {
				*p = raster.Plane{C: r.NormFloat64(), GX: r.NormFloat64() / 1e5, GY: r.NormFloat64() / 1e5}
			}
			record := records[i*l.Size:][:l.Size]
			if planes == inputs.Warped {
				warp(r, s, &places[i])
			}
			l.Write(record, s)
			put := func(at int, v uint32) { binary.LittleEndian.PutUint32(record[at:], v) }
			a, d1, d2 := float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())
			which := r.IntN(3)
			if in == inputs.Weight {
				put(l.Values[0], uint32(which))
			} else {
				put(l.Values[0], math.Float32bits(a))
				put(l.Values[0]+4, math.Float32bits(d1-a))
				put(l.Values[0]+8, math.Float32bits(d2-a))
			}
			var locations [4][16][2]int32
			for k := range locations {
				for cell := range locations[k] {
					locations[k][cell] = [2]int32{r.Int32N(256), r.Int32N(256)}
					if cell > 0 && !where.Grid {
						locations[k][cell] = locations[k][0]
					}
					if at := locations[k][cell]; l.Locations != 0 && where.Grid {
						put(l.Locations+64*k+4*cell, uint32(at[0]|at[1]<<16))
					} else if l.Locations != 0 {
						put(l.Locations+4*k, uint32(at[0]|at[1]<<16))
					}
				}
			}
			sample := []uint32{0, 1, 2, 3, 4, math.MaxUint32}[r.IntN(6)]
			dx, dy := offsets[r.IntN(len(offsets))], offsets[r.IntN(len(offsets))]
			if mode == inputs.AtSample {
				put(l.Values[1], sample)
			} else {
				put(l.Values[1], math.Float32bits(dx.d))
				put(l.Values[2], math.Float32bits(dy.d))
			}
			for lane := range 16 {
				px, py := places[i].Pixel(lane)
				c := [2]int32{r.Int32N(256), r.Int32N(256)}
				centroids[16*i+lane] = uint32(c[0] | c[1]<<16)
				at := [][2]int32{c, locations[min(sample, 3)][py%4*4+px%4], {128 + dx.to, 128 + dy.to}}[mode-1]
				x, y := [1]int32{int32(px)*256 + at[0]}, [1]int32{int32(py)*256 + at[1]}
				var v, w [1]float32
				if in == inputs.Linear {
					s.IJLinearAt(x[:], y[:], v[:], w[:])
				} else {
					s.IJAt(x[:], y[:], v[:], w[:])
				}
				to := want[16*i+lane:][:1]
				switch {
				case px&1 == 0:
					to[0] = math.Float32bits(-1)
				case in == inputs.Weight:
					to[0] = math.Float32bits([]float32{float32(1-v[0]) - w[0], v[0], w[0]}[which])
				default:
					raster.Interpolate(to, a, d1, d2, v[:], w[:])
				}
			}
		}
		for _, native := range []bool{false, true} {
			routine, err := vm.New(vm.Options{Native: native}).Compile(fused)
			if err != nil {
				t.Fatal(err)
			}
			batch := exec.Batch{N: 16 * n, Places: places, Records: records, In: [][]uint32{nil, nil, nil}, Out: [][]uint32{make([]uint32, 16*n)}}
			for k := range batch.In {
				batch.In[k] = make([]uint32, 16*n)
			}
			for range l.Findings {
				batch.In = append(batch.In, centroids)
			}
			if err := routine.NewThread(exec.MaxLanes).Run(&exec.Context{}, &batch); err != nil {
				t.Fatal(err)
			}
			for lane, x := range want {
				if got := batch.Out[0][lane]; got != x {
					t.Fatalf("native %v, mode %d of %v, lane %d: %x, want %x", native, mode, in, lane, got, x)
				}
			}
		}
	}
}

// Records have room for where the samples of fragments of every size are: 16 a pixel, with locations of
// their own in each pixel of the grid, for a shader that asks for the places of samples by number.
func TestLower_SamplesOfEveryFragment(t *testing.T) {
	for w := range uint8(3) {
		for h := range uint8(3) {
			where := inputs.Where{W: w, H: h, Samples: 16, Of: 16 << (w + h), Grid: true, At: 1 << inputs.AtSample}
			if _, err := inputs.Lower([]inputs.Input{inputs.Perspective}, where, inputs.Affine); err != nil {
				t.Errorf("%d×%d pixels: %v", 1<<w, 1<<h, err)
			}
		}
	}
}
