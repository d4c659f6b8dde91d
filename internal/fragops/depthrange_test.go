package fragops

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What is decided from ranges is what the test finds for each pair of depths in them,
// and where the ranges are as close as can be, all is decided that can be.
func TestDecide_RAS327_AsTheTest(t *testing.T) {
	rules.Covers(t, "RAS-325", "RAS-327")
	r := rand.New(rand.NewPCG(31, 32))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	special := []float32{0, float32(math.Copysign(0, -1)), .25, .25 + 0x1p-20, .5, .75, 1, -1, 2, inf, -inf, nan, 0x1p-30}
	decided := 0
	for range 60_000 {
		d := DepthStencil{Format: DepthFormat(1 + r.IntN(3)), DepthTest: true, Compare: vk.CompareOp(r.IntN(8)), ZMin: 0, ZMax: 1}
		if r.IntN(2) == 0 {
			d.ZMin, d.ZMax = -inf, inf
		}
		if r.IntN(50) == 0 {
			d.ZMin = nan
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		stored := &Surface{Data: make([]byte, 32), RowPitch: 16, TexelPitch: 4, SampleBytes: 4}
		if d.Format == DepthD16 {
			stored.TexelPitch, stored.SampleBytes = 2, 2
		}
		for at := range 8 {
			v := special[r.IntN(len(special))]
			code := EncodeDepth(d.Format, v)
			if v != v && d.Format == DepthD32 {
				code = 0x7fc00001 // not drawn, but perhaps loaded
			}
			to := stored.Data[stored.Offset(at%4, at/4, 0):]
			if StoreDepth(d.Format, to, code); d.Format == DepthD24 {
				to[3] = uint8(r.Uint32()) // which is not depth
			}
		}
		x, y, w, h := r.IntN(2), r.IntN(2), 1+r.IntN(2), 1
		low, high := special[r.IntN(11)], special[r.IntN(11)]
		if high < low {
			low, high = high, low
		}
		got := d.Decide(d.Range(low, high), d.Format.Stored(stored, x, y, x+w, y+h, 1))
		all := map[bool]int{}
		for k := range w {
			for _, z := range []float32{low, high} {
				at := stored.Offset(x+k, y, 0)
				all[d.sample(slices.Clone(stored.Data[at:at+stored.SampleBytes]), nil, nil, 0, z)]++
			}
		}
		if got == Passes && all[false] > 0 || got == Fails && all[true] > 0 {
			t.Fatalf("%+v, depths from %v to %v: %v, but %v", d, low, high, got, all)
		}
		if got != Open {
			decided++
			continue
		}
		if b := d.Format.Stored(stored, x, y, x+w, y+h, 1); low == high && w == 1 && d.ZMin == d.ZMin && b.Low == b.Low {
			t.Fatalf("%+v: depth %v against %v is open", d, low, b)
		}
	}
	if decided < 20_000 {
		t.Errorf("only %d are decided", decided)
	}
	open := DepthStencil{Compare: vk.CompareOpLess}
	if any := AnyDepth(); open.Decide(any, any) != Open || open.Decide(DepthRange{-1, -1}, any.Union(DepthRange{0, 0})) != Open || open.Decide(any, DepthRange{0, 0}) != Open {
		t.Error("something is decided of any depth")
	}
}

// What fragments leave that wait for a test lies in the bounds that count with them.
func TestBeforeWrites_HoldsWhatComes(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	closer := 0
	for range 20_000 {
		d := DepthStencil{Compare: vk.CompareOp(r.IntN(8))}
		depth := float64(r.IntN(8))
		stored := DepthRange{depth - float64(r.IntN(3)), depth + float64(r.IntN(3))}
		wide := stored
		var come []float64
		for range r.IntN(4) {
			z := float64(r.IntN(8))
			come, wide = append(come, z), wide.Union(DepthRange{z, z})
		}
		got := d.BeforeWrites(stored, wide)
		for _, z := range come {
			if ordered(d.Compare, z, depth) {
				depth = z
			}
			if depth < got.Low || depth > got.High {
				t.Fatalf("%v: %v of %v and %v does not hold %v", d.Compare, got, stored, wide, depth)
			}
		}
		if got != wide {
			closer++
		}
	}
	if closer == 0 {
		t.Error("bounds are never closer")
	}
}

// Store leaves what a test that always passes leaves.
func TestStore_RAS328_AsTheTest(t *testing.T) {
	rules.Covers(t, "RAS-328")
	r := rand.New(rand.NewPCG(33, 34))
	for range 3000 {
		samples := 1 << r.IntN(5)
		d := DepthStencil{Format: DepthFormat(1 + r.IntN(3)), DepthTest: true, DepthWrite: true, Compare: vk.CompareOpAlways, ZMin: .1, ZMax: .9}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		bytesOf := 4
		if d.Format == DepthD16 {
			bytesOf = 2
		}
		s := Surface{Data: make([]byte, 8*samples*bytesOf), SampleBytes: bytesOf, TexelPitch: samples * bytesOf, RowPitch: 4 * samples * bytesOf}
		for i := range s.Data {
			s.Data[i] = byte(r.IntN(256))
		}
		want := s
		want.Data = slices.Clone(s.Data)
		z := make([]float32, 4*samples)
		for i := range z {
			if z[i] = .1 + .8*r.Float32(); r.IntN(9) == 0 {
				z[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), -1}[r.IntN(3)]
			}
		}
		d.Quad(&want, nil, 2, 0, samples, uint64(1<<samples-1)*0x0001_0001_0001_0001, z, false, nil)
		d.Store(&s, 2, 0, samples, z)
		if !bytes.Equal(s.Data, want.Data) {
			t.Fatalf("%+v, %d samples: %x, want %x", d, samples, s.Data, want.Data)
		}
	}
}

// Never is right about every state of which it says yes, for all that may be stored.
func TestNever_RAS325_NothingHappens(t *testing.T) {
	rules.Covers(t, "RAS-325")
	r := rand.New(rand.NewPCG(35, 36))
	never, writes := 0, 0
	for range 20_000 {
		d := DepthStencil{Format: DepthFormat(r.IntN(4)), DepthTest: r.IntN(3) != 0, DepthWrite: r.IntN(2) == 0, Compare: vk.CompareOp(r.IntN(3)), BoundsTest: r.IntN(4) == 0, MaxBounds: .5,
			StencilTest: r.IntN(2) == 0, ZMax: 1}
		for i := range d.Faces {
			d.Faces[i] = Face{Fail: vk.StencilOp(max(r.IntN(8)-4, 0)), Pass: vk.StencilOp(r.IntN(8)), DepthFail: vk.StencilOp(max(r.IntN(8)-4, 0)), Compare: vk.CompareOp(r.IntN(3)), CompareMask: 255, WriteMask: 255, Reference: 7}
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		depth := Surface{Data: make([]byte, 16), RowPitch: 8, TexelPitch: 4, SampleBytes: 4}
		stencil := Surface{Data: make([]byte, 16), RowPitch: 8, TexelPitch: 4, SampleBytes: 1}
		for i := range depth.Data {
			depth.Data[i], stencil.Data[i] = byte(r.IntN(2)*60), byte(r.IntN(9))
		}
		before := slices.Concat(depth.Data, stencil.Data)
		pass := d.Quad(&depth, &stencil, 0, 0, 1, 0x0001_0001_0001_0001, []float32{0, .25, .5, 1}, r.IntN(2) == 0, nil)
		same := bytes.Equal(before, slices.Concat(depth.Data, stencil.Data))
		if d.Never() {
			if never++; pass != 0 || !same {
				t.Fatalf("%+v: %x passes, something written: %v", d, pass, !same)
			}
		}
		if !d.Writes() {
			if writes++; !same {
				t.Fatalf("%+v writes", d)
			}
		}
	}
	if never < 1000 || writes < 1000 {
		t.Errorf("%d never pass, %d don't write", never, writes)
	}
}

// Depth that is clamped to a range that is no number is none, and stored as 0.
func TestPrepare_RAS326_NoRange(t *testing.T) {
	rules.Covers(t, "RAS-326")
	nan := float32(math.NaN())
	for _, ends := range [][2]float32{{nan, 1}, {0, nan}, {nan, nan}, {.5, nan}} {
		for _, f := range []DepthFormat{DepthD16, DepthD24, DepthD32} {
			d := DepthStencil{Format: f, DepthTest: true, ZMin: ends[0], ZMax: ends[1]}
			if err := d.Prepare(); err != nil {
				t.Fatal(err)
			}
			for _, z := range []float32{0, .5, 1, 2, -1, nan, float32(math.Inf(1))} {
				if code := EncodeDepth(f, d.clamp(z)); code != 0 {
					t.Errorf("format %v, from %v to %v: %v is stored as %#x", f, ends[0], ends[1], z, code)
				}
			}
		}
	}
}
