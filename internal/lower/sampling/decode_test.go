package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// plansOf makes a LINEAR plan for a small image of every format, of random bytes.
func plansOf(t *testing.T, r *rand.Rand, f func(p *plan, offsets []int32)) {
	t.Helper()
	n := 0
	for _, vf := range format.All() {
		info, _ := format.Lookup(vf)
		if info.Supported() != nil || info.NeedsConversion() || info.BlockDepth > 1 || info.BlockWidth > 1 && !info.Compressed {
			continue
		}
		im, err := resource.NewImage(resource.ImageDesc{Type: vk.ImageType2D, Format: vf, Extent: extent(30, 20, 1)})
		if err != nil {
			continue
		}
		if err := im.Bind(make([]byte, im.Layout.Size)); err != nil {
			t.Fatal(err)
		}
		for i := range im.Data {
			im.Data[i] = byte(r.Uint32())
		}
		v, err := resource.NewView(im, resource.ViewDesc{})
		if err != nil {
			continue // of two aspects
		}
		how := vk.FilterLinear
		if v.Info.Class != format.ClassFloat {
			how = vk.FilterNearest
		}
		var p plan
		if p.make(&ir.ImageOp{Kind: ir.ImageSample, Dim: ir.Dim2D}, v, must(resource.NewSampler(resource.Sampler{MagFilter: how, MinFilter: how}))); !p.ok {
			t.Errorf("%v is not lowered", vf)
			continue
		}
		l := &p.levels[0]
		offsets := make([]int32, 1+r.IntN(chunk))
		for i := range offsets {
			x, y := int32(r.IntN(30))/p.block[0], int32(r.IntN(20))/p.block[1]
			offsets[i] = l.start + l.along(0, x) + y*l.pitch[1]
		}
		f(&p, offsets)
		n++
	}
	if n < 150 {
		t.Errorf("only %d formats", n)
	}
}

// Every class of texels reads what the formats' codec reads, of every format: all
// components at once, one alone, and as codes.
func TestDecode_EveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-251", "IMG-252", "IMG-253")
	rules.Covers(t, "IMG-240", "IMG-241", "IMG-242", "IMG-257", "IMG-320", "IMG-321")
	r := rand.New(rand.NewPCG(8, 16))
	for _, portable := range []bool{false, true} {
		u := Unit{Portable: portable}
		u.Sites(1, chunk)
		plansOf(t, r, func(p *plan, offsets []int32) {
			if p.key.Texel == TexelBlock {
				return // TestBlocks
			}
			u.poison()
			copy(u.off[:], offsets)
			data, n := p.v.Image.Data, len(offsets)
			check := func(what string, c int, got *[chunk]uint32, want func(bits uint32) uint32) {
				for k, o := range offsets {
					if x := want(p.info.Decode(data[o:])[c]); got[k] != x {
						t.Fatalf("%v, %s, component %d of %x: %#x, want %#x", p.v.Format, what, c, data[o:int(o)+p.info.BlockBytes], got[k], x)
					}
				}
			}
			same := func(x uint32) uint32 { return x }
			u.decode(p, &u.texels, data, n)
			for c, stored := range p.stored {
				if stored {
					check("all", c, &u.texels[c], same)
				}
			}
			for c, stored := range p.stored {
				if stored && u.decodeOne(p, &u.texels[c], c, data, n) {
					check("one", c, &u.texels[c], same)
				}
			}
			if p.st.CodeMax != 0 {
				u.decodeCodes(p, &u.texels, data, n)
				for c, stored := range p.stored {
					if stored {
						check("code", c, &u.texels[c], func(x uint32) uint32 {
							return math.Float32bits(float32(math.RoundToEven(float64(math.Float32frombits(x)) * p.st.CodeMax)))
						})
					}
				}
			}
		})
	}
}

// Sums of integers in codes, or of finite texels, are for formats that have nothing else:
// their texels, of any bytes, are finite and not negative zeros.
func TestSumOf_EveryFormat(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 32))
	for range 4 {
		plansOf(t, r, func(p *plan, offsets []int32) {
			if p.key.Sum == SumNone || p.key.Sum == SumFloat {
				return
			}
			for _, o := range offsets {
				for c, bits := range p.info.Decode(p.v.Image.Data[o:]) {
					x := math.Float32frombits(bits)
					if x != x || math.IsInf(float64(x), 0) || bits == 1<<31 {
						t.Fatalf("%v is summed as class %d and has %v in component %d", p.v.Format, p.key.Sum, x, c)
					}
					code := float64(x) * p.st.CodeMax
					if p.key.Sum == SumBytes && (x < 0 || x > 1) || p.key.Sum != SumFinite && p.stored[c] && math.Abs(code-math.RoundToEven(code)) > 0.01 {
						t.Fatalf("%v is summed as class %d of codes up to %v and has %v in component %d", p.v.Format, p.key.Sum, p.st.CodeMax, x, c)
					}
				}
			}
		})
	}
}
