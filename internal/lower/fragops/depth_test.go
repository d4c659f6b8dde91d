package fragops_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/fp"
	ref "github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/fragops"
	"github.com/pumice-gpu/pumice/internal/lower/inputs"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// tests runs a lowered key of tests on places of a pixel a lane.
type tests struct {
	bytes  int // of depth
	thread exec.Thread
	ctx    exec.Context
}

func newTests(t testing.TB, s *ref.DepthStencil, back, referenced bool) *tests {
	t.Helper()
	key := fragops.DepthKeyOf(s, back, referenced)
	key.Written = key.Test
	p, err := fragops.LowerDepth(key, fragops.All(1))
	if err != nil {
		t.Fatal(err)
	}
	r, err := vm.New(vm.Options{}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	push := fragops.DepthPush(s, back, raster.Samples(1), fragops.All(1))
	return &tests{bytes: key.Bytes(), thread: r.NewThread(256), ctx: exec.Context{Push: push}}
}

// row has words of a plane, by sample.
type row = []uint32

// run tests samples: it writes the words of depth and stencil that stay, and returns
// what passes.
func (t *tests) run(tb testing.TB, s *ref.DepthStencil, z, depth, stencil, refs row) row {
	tb.Helper()
	n, places := len(z), lanesAt(len(z))
	all := ir.PlaceLanes * len(places)
	b := exec.Batch{N: all, Places: places, Records: make([]byte, inputs.DepthRecord)}
	for _, in := range []struct {
		has bool
		row
	}{{s.DepthTest, z}, {refs != nil && s.StencilTest, refs}} {
		if in.has {
			b.In = append(b.In, append(slices.Clone(in.row), make(row, all-n)...))
		}
	}
	planes := []struct {
		words row
		size  int
	}{{depth, t.bytes}, {stencil, 1}}
	for _, p := range planes {
		b.Surfaces = append(b.Surfaces, eachLane(places, make([]byte, all*p.size), p.size, func(lane int, pixel []byte) {
			if lane < len(p.words) {
				copy(pixel, binary.LittleEndian.AppendUint32(nil, p.words[lane]))
			}
		}))
	}
	if err := t.thread.Run(&t.ctx, &b); err != nil {
		tb.Fatal(err)
	}
	for k, p := range planes {
		eachLane(places, b.Surfaces[k].Data, p.size, func(lane int, pixel []byte) {
			if lane < len(p.words) {
				p.words[lane] = binary.LittleEndian.Uint32(append(slices.Clone(pixel), 0, 0, 0))
			}
		})
	}
	pass := make(row, n)
	for i := range pass {
		pass[i] = -uint32(places[i/ir.PlaceLanes].Covered[0] >> (i % ir.PlaceLanes) & 1)
	}
	return pass
}

// depthOf is a fragment's depth.
func depthOf(r *rand.Rand) float32 {
	switch r.IntN(6) {
	case 5:
		return 2 * r.Float32()
	case 0:
		special := []uint32{0, 1 << 31, 0x3F800000, 0x3F7FFFFF, 0x3F000000, 0x3F000001, 0x3EFFFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0xBF800000, 0x40000000, 1}
		return math.Float32frombits(special[r.IntN(len(special))])
	case 1:
		limit := []float64{65535, 16777215}[r.IntN(2)]
		return float32((math.Floor(r.Float64()*limit) + 0.5*float64(r.IntN(2))) / limit)
	default:
		return r.Float32()
	}
}

// testState draws a state.
func testState(r *rand.Rand) *ref.DepthStencil {
	compare := func() vk.CompareOp { return vk.CompareOp(r.IntN(8)) }
	face := func() ref.Face {
		op := func() vk.StencilOp { return vk.StencilOp(r.IntN(8)) }
		f := ref.Face{Fail: op(), Pass: op(), DepthFail: op(), Compare: compare(), CompareMask: 0xFF, WriteMask: 0xFF, Reference: uint8(r.Uint32())}
		if r.IntN(2) == 0 {
			f.CompareMask, f.WriteMask = uint8(r.Uint32()), uint8(r.Uint32())
		}
		if r.IntN(5) == 0 {
			f.WriteMask = 0
		}
		return f
	}
	d := &ref.DepthStencil{Format: ref.DepthFormat(r.IntN(4)), DepthTest: r.IntN(4) > 0, DepthWrite: r.IntN(3) > 0, Compare: compare(),
		BoundsTest: r.IntN(3) == 0, MinBounds: depthOf(r), MaxBounds: depthOf(r), StencilTest: r.IntN(2) == 0, Faces: [2]ref.Face{face(), face()}, ZMax: 1}
	switch r.IntN(6) {
	case 0:
		d.ZMin, d.ZMax = -r.Float32(), 1+r.Float32()
	case 1:
		d.ZMin, d.ZMax = r.Float32(), r.Float32()
	case 2:
		d.ZMin, d.ZMax = float32(math.Inf(-1)), float32(math.Inf(1))
	case 3:
		d.ZMin, d.ZMax = .5*r.Float32(), -r.Float32()
	case 4:
		d.ZMax = 1 + r.Float32()
	}
	if d.MinBounds > d.MaxBounds && r.IntN(4) > 0 {
		d.MinBounds, d.MaxBounds = d.MaxBounds, d.MinBounds
	}
	return d
}

// Every format with every test: the program gives the reference's bits.
func TestDepth_EqualsReference(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-320", "RAS-321", "RAS-322", "RAS-323", "RAS-324", "RAS-325", "RAS-326", "RAS-327", "RAS-328", "RAS-363", "RAS-366")
	r := rand.New(rand.NewPCG(31, 32))
	for range rules.Cases(6000, 200_000) {
		d := testState(r)
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		back, referenced := r.IntN(2) == 0, r.IntN(3) == 0
		const n = 16
		z, depth, stencil, refs := make(row, n), make(row, n), make(row, n), make(row, n)
		for i := range n {
			z[i], stencil[i], refs[i] = math.Float32bits(depthOf(r)), r.Uint32()&0xFF, r.Uint32()
			if depth[i] = ref.EncodeDepth(d.Format, depthOf(r)); r.IntN(3) == 0 {
				depth[i] = ref.EncodeDepth(d.Format, math.Float32frombits(z[i])) // equal
			}
			if d.Format == ref.DepthD24 {
				depth[i] |= r.Uint32() << 24
			}
		}
		wantPass, wantDepth, wantStencil := make(row, n), make(row, n), make(row, n)
		for i := range n {
			var dp, sp [4]byte
			binary.LittleEndian.PutUint32(dp[:], depth[i])
			sp[0] = byte(stencil[i])
			var lanes *[4]uint8
			if referenced {
				lanes = &[4]uint8{uint8(refs[i])}
			}
			pass := d.Quad(&ref.Surface{Data: dp[:]}, &ref.Surface{Data: sp[:]}, 0, 0, 1, 1, []float32{math.Float32frombits(z[i])}, back, lanes)
			wantPass[i], wantDepth[i], wantStencil[i] = uint32(-int32(pass)), binary.LittleEndian.Uint32(dp[:]), uint32(sp[0])
		}
		if !referenced {
			refs = nil
		}
		gotDepth, gotStencil := append(row(nil), depth...), append(row(nil), stencil...)
		gotPass := newTests(t, d, back, referenced).run(t, d, z, gotDepth, gotStencil, refs)
		for i := range n {
			if gotPass[i] != wantPass[i] || gotDepth[i] != wantDepth[i] || gotStencil[i] != wantStencil[i] {
				t.Fatalf("%+v back %v, z %08x over %08x, stencil %d, references %v: passes %x with %08x and %d, want %x with %08x and %d", d, back, z[i], depth[i], stencil[i], refs,
					gotPass[i], gotDepth[i], gotStencil[i], wantPass[i], wantDepth[i], wantStencil[i])
			}
		}
	}
}

// Depth of 24 bits has more of them than the distance from one power of two to the
// next; every code, the middles between codes and floats beside them come out right.
func TestDepth_Fixed24Codes(t *testing.T) {
	rules.Covers(t, "RAS-006", "RAS-363")
	for _, c := range []struct {
		format ref.DepthFormat
		bits   uint
	}{{ref.DepthD16, 16}, {ref.DepthD24, 24}} {
		d := &ref.DepthStencil{Format: c.format, DepthTest: true, DepthWrite: true, Compare: vk.CompareOpAlways, ZMax: 1}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		run := newTests(t, d, false, false)
		limit := float64(uint32(1)<<c.bits - 1)
		z, depth := make(row, 0, 252), make(row, 252)
		// 1: all codes.
		step := rules.Cases(997, 1)
		if testing.Short() {
			step = 9973
		}
		for code := 0; code <= int(limit); code += step {
			for _, half := range []float64{0, 0.5} {
				near := math.Float32bits(float32((float64(code) + half) / limit))
				z = append(z, near, near+1, near-1)
			}
			if len(z) < cap(z) && code+step <= int(limit) {
				continue
			}
			run.run(t, d, z, depth[:len(z)], nil, nil)
			for i, v := range z {
				if want := fp.FloatToUnorm(math.Float32frombits(v), c.bits); depth[i] != want {
					t.Fatalf("%d bits: %08x has code %#x, want %#x", c.bits, v, depth[i], want)
				}
				depth[i] = 0
			}
			z = z[:0]
		}
	}
}

// What is clamped to a range with an end that is no number is no number, which is stored as 0.
func TestDepth_RAS326_RangesOfNoNumber(t *testing.T) {
	rules.Covers(t, "RAS-326")
	nan := float32(math.NaN())
	half := map[ref.DepthFormat]uint32{
		ref.DepthD16: 1 << 15, ref.DepthD24: 1 << 23, ref.DepthD32: math.Float32bits(.5),
	}
	for f, stored := range half {
		for _, ends := range [][2]float32{{nan, 1}, {0, nan}, {nan, nan}} {
			for _, z := range []float32{-1, .25, 2, nan} {
				s := &ref.DepthStencil{Format: f, DepthTest: true, DepthWrite: true,
					Compare: vk.CompareOpLess, ZMin: ends[0], ZMax: ends[1]}
				if err := s.Prepare(); err != nil {
					t.Fatal(err)
				}
				depth := row{stored}
				pass := newTests(t, s, false, false).run(t, s, row{math.Float32bits(z)}, depth, nil, nil)
				if pass[0] == 0 || depth[0] != 0 {
					t.Errorf("format %d, %v from %v to %v: passes %#x, stored %#x",
						f, z, ends[0], ends[1], pass[0], depth[0])
				}
			}
		}
	}
}

// A stored depth or a bound that is no number is inside of nothing; bounds themselves are inside (RAS-320).
func TestDepth_RAS320_EndsAndNoNumbers(t *testing.T) {
	rules.Covers(t, "RAS-320")
	nan := float32(math.NaN())
	for _, f := range []ref.DepthFormat{ref.DepthD16, ref.DepthD24, ref.DepthD32} {
		for _, c := range []struct {
			low, high, stored float32
			pass              bool
		}{
			{0, 1, 0, true}, {0, 1, 1, true}, {1, 1, 1, true}, {0, 0, 0, true}, {0, 0, 1, false}, {1, 1, 0, false}, {1, 0, 1, false},
			{nan, 1, 1, false}, {0, nan, 0, false}, {nan, nan, 0, false}, {-1, 2, 1, true}, {0, 1, nan, false}, {nan, nan, nan, false},
		} {
			var stored uint32
			switch {
			case f == ref.DepthD32:
				stored = math.Float32bits(c.stored)
			case c.stored != c.stored:
				continue
			case c.stored == 1:
				stored = map[ref.DepthFormat]uint32{ref.DepthD16: 1<<16 - 1, ref.DepthD24: 1<<24 - 1}[f]
			}
			s := &ref.DepthStencil{Format: f, BoundsTest: true, MinBounds: c.low, MaxBounds: c.high, ZMax: 1}
			if err := s.Prepare(); err != nil {
				t.Fatal(err)
			}
			if got := newTests(t, s, false, false).run(t, s, row{0}, row{stored}, nil, nil)[0]; (got != 0) != c.pass {
				t.Errorf("format %d, %v between %v and %v: passes %#x, want %v", f, c.stored, c.low, c.high, got, c.pass)
			}
		}
	}
}
