package sampling

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// everyLayout are the layouts of all formats whose texels are fields, but shared exponents.
var everyLayout = slices.Concat(layouts8, layouts10, layouts16, layouts32, layoutsPacked, layoutsPadded, []layout{{"B10G11R11", "R11 G11 B10", "UFLOAT", "_PACK32"}})

// Borders of either kind, of each component that a format has, behind every swizzle, by samples, filters, and gathers of every component; a gather
// below the view's least level is zeros. There are more lanes than any path takes at a time, and some that take no part.
func TestTables_IMG291_BordersOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-073", "IMG-290", "IMG-291", "IMG-293", "IMG-294", "IMG-296", "IMG-320", "IMG-321", "IMG-325", "IMG-328", "IMG-329", "IMG-330", "IMG-505", "IMG-516", "IMG-519", "IMG-520", "IMG-523", "IMG-532")
	n := 0
	for _, l := range everyLayout {
		for _, numeric := range strings.Fields(l.numerics) {
			f := named(t, l.prefix+"_"+numeric+l.suffix)
			if f.NeedsConversion() { // IMG-768
				continue
			}
			r := l.texels(numeric)
			im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f.Format, Extent: extent(rowTexels, 1, 1), MipLevels: 2})
			level := im.Level(0, 0, 0)
			copy(level.Data[level.Offset(0, 0, 0, 0):], r.data)
			for k, colour := range borderColours(r.class) {
				n++
				bordersOf(t, im, &l, &r, n, k == 0, colour)
			}
		}
	}
}

// borderColours are two fixed ones and two of a user's own.
func borderColours(c format.Class) [4]format.Texel {
	if c == format.ClassFloat {
		return [4]format.Texel{rgba(1, 1, 1, 1), rgba(0, 0, 0, 1), rgba(.25, -1.5, 3, .7), rgba(-2, 1e-40, 1000, 0)}
	}
	return [4]format.Texel{{1, 1, 1, 1}, {0, 0, 0, 1}, {77, 1 << 31, 65536, 9}, {0xFFFFFFFF, 5, 6, 0}}
}

func bordersOf(t *testing.T, im *resource.Image, l *layout, r *fieldTexels, n int, least bool, colour format.Texel) {
	t.Helper()
	one := uint32(oneFloat)
	fixed := [2]vk.BorderColor{vk.BorderColorFloatOpaqueWhite, vk.BorderColorFloatOpaqueBlack}
	custom := vk.BorderColorFloatCustomEXT
	result := ir.ClassFloat
	if r.class != format.ClassFloat {
		one, custom, fixed = 1, vk.BorderColorIntCustomEXT, [2]vk.BorderColor{vk.BorderColorIntOpaqueWhite, vk.BorderColorIntOpaqueBlack}
		if result = ir.ClassUint; r.class == format.ClassSint {
			result = ir.ClassSint
		}
	}
	smp := resource.Sampler{AddressModeU: border, AddressModeV: border, BorderColor: custom, CustomBorderColor: colour, HasCustomBorder: true}
	if k := n % 4; k == 1 || k == 2 {
		smp.BorderColor, smp.CustomBorderColor, smp.HasCustomBorder = fixed[k-1], format.Texel{}, false
	}
	outside := format.Texel{3: one}
	for _, x := range strings.Fields(l.fields) {
		if c := strings.IndexByte("RGBA", x[0]); c >= 0 {
			outside[c] = colour[c]
		}
	}
	swizzle := func(c int) vk.ComponentSwizzle { return vk.ComponentSwizzle((n + 2*c) % 7) }
	swizzled := func(t format.Texel) (out format.Texel) {
		for c := range out {
			switch s := swizzle(c); s {
			case vk.ComponentSwizzleIdentity:
				out[c] = t[c]
			case vk.ComponentSwizzleZero:
			case vk.ComponentSwizzleOne:
				out[c] = one
			default:
				out[c] = t[s-vk.ComponentSwizzleR]
			}
		}
		return out
	}
	desc := resource.ViewDesc{Components: vk.ComponentMapping{R: swizzle(0), G: swizzle(1), B: swizzle(2), A: swizzle(3)}}
	v := newView(t, im, desc)
	texel := func(x, y int) format.Texel {
		if x < 0 || x >= rowTexels || y != 0 {
			return swizzled(outside)
		}
		return swizzled(r.want[x])
	}
	what := fmt.Sprintf("%v, border %x, %v", im.Format, colour, desc.Components)
	const lanes = 300
	at := func(lane int) (x, y int) { return lane%11 - 2, lane/11%3 - 1 }
	on := func(lane int) bool { return lane%7 != 3 }
	coord := func(lane int, by float32) lane1 {
		x, y := at(lane)
		return lane1{coord: []float32{(float32(x) + by) / rowTexels, float32(y) + by}}
	}
	check := func(how string, got []format.Texel, want func(x, y int) format.Texel) {
		for lane, g := range got {
			w := format.Texel{untouched, untouched, untouched, untouched}
			if on(lane) {
				w = want(at(lane))
			}
			if g != w {
				t.Fatalf("%s, %s, lane %d: %x, want %x", what, how, lane, g, w)
			}
		}
	}
	s := newSampler(t, smp)
	op := sampleOp(ir.Dim2D)
	op.Result = result
	check("sample", masked(op, v, s, lanes, on, func(lane int) lane1 { return coord(lane, .5) }), texel)
	for c := range 4 {
		gather := ir.ImageOp{Kind: ir.ImageGather, Dim: ir.Dim2D, GatherComp: uint8(c), Result: result}
		check(fmt.Sprintf("gather of component %d", c), masked(gather, v, s, lanes, on, func(lane int) lane1 { return coord(lane, .75) }), func(x, y int) format.Texel {
			return format.Texel{texel(x, y+1)[c], texel(x+1, y+1)[c], texel(x+1, y)[c], texel(x, y)[c]}
		})
		if least {
			above := desc
			above.MinLod = 1
			check("gather below the least level", masked(gather, newView(t, im, above), s, lanes, on, func(lane int) lane1 { return coord(lane, .75) }), func(_, _ int) format.Texel { return format.Texel{} })
		}
	}
	if r.class != format.ClassFloat {
		return
	}
	// A quarter of the way to the next column and row.
	smp.MagFilter, smp.MinFilter = linear, linear
	for lane, got := range masked(op, v, newSampler(t, smp), lanes, on, func(lane int) lane1 { return coord(lane, .75) }) {
		if !on(lane) {
			continue
		}
		x, y := at(lane)
		for c := range 4 {
			sum, size := new(big.Rat), 0.0
			special := false
			for tap := range 4 {
				f := floats(texel(x+tap&1, y+tap>>1))[c]
				if special = special || f-f != 0; special {
					break
				}
				part := new(big.Rat).Mul(big.NewRat([]int64{9, 3, 3, 1}[tap], 16), rat(float64(f)))
				size += max(asFloat(part), -asFloat(part))
				sum.Add(sum, part)
			}
			// Codes are rounded once, texels each.
			if g := float64(floats(got)[c]); !special && !(offRat(g, sum) <= ulp32(asFloat(sum))/2+0x1p-24*size) {
				t.Fatalf("%s, linear, lane %d, component %d: %v, want %v", what, lane, c, g, asFloat(sum))
			}
		}
	}
}
