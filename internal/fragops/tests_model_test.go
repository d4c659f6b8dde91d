package fragops

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// orders are the comparisons by what they say of less, equal and greater.
var orders = map[vk.CompareOp][3]bool{
	vk.CompareOpNever: {}, vk.CompareOpLess: {0: true}, vk.CompareOpEqual: {1: true}, vk.CompareOpLessOrEqual: {true, true, false},
	vk.CompareOpGreater: {2: true}, vk.CompareOpNotEqual: {true, false, true}, vk.CompareOpGreaterOrEqual: {false, true, true}, vk.CompareOpAlways: {true, true, true},
}

func ordered(op vk.CompareOp, a, b float64) bool {
	switch {
	case a < b:
		return orders[op][0]
	case a == b:
		return orders[op][1]
	}
	return orders[op][2]
}

// stencilAfter is the table of stencil operations in whole numbers.
func stencilAfter(op vk.StencilOp, s, ref int) int {
	return map[vk.StencilOp]int{
		vk.StencilOpKeep: s, vk.StencilOpZero: 0, vk.StencilOpReplace: ref, vk.StencilOpIncrementAndClamp: min(s+1, 255), vk.StencilOpDecrementAndClamp: max(s-1, 0),
		vk.StencilOpInvert: 255 - s, vk.StencilOpIncrementAndWrap: (s + 1) % 256, vk.StencilOpDecrementAndWrap: (s + 255) % 256,
	}[op]
}

// Depth bounds, stencil and depth test in their order, sample by sample, against the
// rules in whole numbers: any state, both faces, references by lane.
func TestQuad_RAS319_AllTestsTogether(t *testing.T) {
	rules.Covers(t, "RAS-320", "RAS-321", "RAS-322", "RAS-323", "RAS-326", "RAS-327", "RAS-328", "RAS-319")
	r := rand.New(rand.NewPCG(320, 328))
	levels := []float32{0, 0.25, 0.5, 0.75, 1}
	for trial := range 6000 {
		samples := 1 << r.IntN(5)
		var states [2]vk.StencilOpState
		var faces [2]Face
		for f := range faces {
			s := &states[f]
			s.FailOp, s.PassOp, s.DepthFailOp = vk.StencilOp(r.IntN(8)), vk.StencilOp(r.IntN(8)), vk.StencilOp(r.IntN(8))
			s.CompareOp, s.CompareMask, s.WriteMask, s.Reference = vk.CompareOp(r.IntN(8)), r.Uint32(), r.Uint32(), r.Uint32()
			if r.IntN(2) == 0 {
				s.CompareMask, s.WriteMask = 0xFF, 0x1FF
			}
			var err error
			if faces[f], err = NewFace(*s); err != nil {
				t.Fatal(err)
			}
		}
		d := DepthStencil{
			Format: DepthFormat(r.IntN(4)), DepthTest: r.IntN(4) != 0, DepthWrite: r.IntN(2) == 0, BoundsTest: r.IntN(2) == 0, StencilTest: r.IntN(3) != 0, Faces: faces,
			Compare: vk.CompareOp(r.IntN(8)), ZMin: levels[r.IntN(3)], ZMax: levels[2+r.IntN(3)], MinBounds: levels[r.IntN(5)], MaxBounds: levels[r.IntN(5)],
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		bpp := 4
		if d.Format == DepthD16 {
			bpp = 2
		}
		const width = 4
		depth := Surface{Data: make([]byte, width*width*samples*bpp), RowPitch: width * samples * bpp, TexelPitch: samples * bpp, SampleBytes: bpp}
		stencil := Surface{Data: make([]byte, width*width*samples+8), RowPitch: width * samples, TexelPitch: samples, SampleBytes: 1}
		for i := 0; i < len(depth.Data); i += bpp {
			StoreDepth(d.Format, depth.Data[i:], EncodeDepth(d.Format, levels[r.IntN(5)]))
		}
		for i := range stencil.Data {
			stencil.Data[i] = []byte{0, 1, 0x7F, 0x80, 0xFE, 0xFF, byte(r.Uint32())}[r.IntN(7)]
		}
		if d.Format == DepthNone {
			depth = Surface{}
		}
		wantDepth, wantStencil := bytes.Clone(depth.Data), bytes.Clone(stencil.Data)
		z := make([]float32, 4*samples)
		for i := range z {
			z[i] = append(levels, -1, 2, float32(math.NaN()))[r.IntN(8)]
		}
		var refs *[4]uint8
		if r.IntN(2) == 0 {
			refs = &[4]uint8{byte(r.Uint32()), 0, 0x80, byte(r.Uint32())}
		}
		back := r.IntN(2) == 0
		x, y := 2*r.IntN(2), 2*r.IntN(2)
		cover := (uint64(1)<<samples - 1) * 0x0001_0001_0001_0001 & r.Uint64()
		want := cover
		for i := range 64 {
			if cover>>i&1 == 0 {
				continue
			}
			lane, s := i/16, i%16
			texel := ((y+lane/2)*width+x+lane%2)*samples + s
			face, ref := states[0], 0
			if back {
				face = states[1]
			}
			if ref = int(face.Reference & 0xFF); refs != nil {
				ref = int(refs[lane])
			}
			stored := 0.0
			if d.Format != DepthNone {
				stored = DecodeDepth(d.Format, LoadDepth(d.Format, wantDepth[texel*bpp:]))
			}
			mask, write := int(face.CompareMask&0xFF), int(face.WriteMask&0xFF)
			old := int(wantStencil[texel])
			put := func(op vk.StencilOp) {
				wantStencil[texel] = byte(old&^write | stencilAfter(op, old, ref)&write)
			}
			if d.Format != DepthNone && d.BoundsTest && (stored < float64(d.MinBounds) || stored > float64(d.MaxBounds)) {
				want &^= 1 << i
				continue
			}
			if d.StencilTest && !ordered(face.CompareOp, float64(ref&mask), float64(old&mask)) {
				put(face.FailOp)
				want &^= 1 << i
				continue
			}
			pass := true
			if d.Format != DepthNone && d.DepthTest {
				zf := float64(z[lane*samples+s])
				if zf != zf {
					zf = 0
				}
				code := EncodeDepth(d.Format, float32(math.Min(math.Max(zf, float64(d.ZMin)), float64(d.ZMax))))
				if pass = ordered(d.Compare, DecodeDepth(d.Format, code), stored); pass && d.DepthWrite {
					StoreDepth(d.Format, wantDepth[texel*bpp:], code)
				}
			}
			if d.StencilTest {
				if pass {
					put(face.PassOp)
				} else {
					put(face.DepthFailOp)
				}
			}
			if !pass {
				want &^= 1 << i
			}
		}
		got := d.Quad(&depth, &stencil, x, y, samples, cover, z, back, refs)
		if got != want || !bytes.Equal(depth.Data, wantDepth) || !bytes.Equal(stencil.Data, wantStencil) {
			t.Fatalf("trial %d, %+v, back %v: mask %#x, want %#x; stencil\n%x\n%x\ndepth\n%x\n%x", trial, d, back, got, want, stencil.Data, wantStencil, depth.Data, wantDepth)
		}
	}
}

// RAS-322: values that are no operation or comparison are refused, with the rule.
func TestFace_RAS322_Refused(t *testing.T) {
	rules.Covers(t, "RAS-322")
	good := vk.StencilOpState{FailOp: vk.StencilOpDecrementAndWrap, CompareOp: vk.CompareOpAlways}
	if _, err := NewFace(good); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(s *vk.StencilOpState){
		"fail": func(s *vk.StencilOpState) { s.FailOp = 8 }, "pass": func(s *vk.StencilOpState) { s.PassOp = -1 }, "depth fail": func(s *vk.StencilOpState) { s.DepthFailOp = 8 },
		"compare": func(s *vk.StencilOpState) { s.CompareOp = 8 }, "compare below": func(s *vk.StencilOpState) { s.CompareOp = -1 },
	} {
		s := good
		change(&s)
		var e *StateError
		if _, err := NewFace(s); !errors.As(err, &e) || e.What == "" || e.Rule == "" || e.Fix == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := DepthStencil{Format: DepthD32, Compare: 8}
	if err := d.Prepare(); err != nil {
		t.Error("a comparison that nothing uses:", err)
	}
	if d.Active() {
		t.Error("no test, and active")
	}
	d.DepthTest = true
	if d.Prepare() == nil {
		t.Error("a comparison that there is not")
	}
	d.Compare = vk.CompareOpEqual
	if err := d.Prepare(); err != nil || !d.Active() {
		t.Error("a depth test is not active:", err)
	}
}

func TestSurface_WhereSamplesLie(t *testing.T) {
	s := Surface{RowPitch: 1000, TexelPitch: 16, SampleBytes: 4}
	if got := s.Offset(3, 2, 1); got != 2052 {
		t.Errorf("offset %d", got)
	}
	for f, want := range map[vk.Format]DepthFormat{
		vk.FormatUndefined: DepthNone, vk.FormatS8Uint: DepthNone, vk.FormatD16Unorm: DepthD16, vk.FormatD16UnormS8Uint: DepthD16, vk.FormatX8D24UnormPack32: DepthD24,
		vk.FormatD24UnormS8Uint: DepthD24, vk.FormatD32Sfloat: DepthD32, vk.FormatD32SfloatS8Uint: DepthD32,
	} {
		if got, err := DepthFormatOf(f); got != want || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	var e *StateError
	if _, err := DepthFormatOf(vk.FormatR8Unorm); !errors.As(err, &e) || e.Error() == "" {
		t.Errorf("R8 as depth: %v", err)
	}
}
