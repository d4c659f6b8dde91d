package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// Exact arithmetic for tables of attachments: formats as their names spell them, and numbers to codes by
// comparisons of rationals.

// attachmentFormat is a colour format as its name says: components in memory, or in words from the highest bit down.
type attachmentFormat struct {
	vk.Format
	kind  string // UNORM, SFLOAT and so on
	bytes int
	parts [4]part // of R, G, B and A; without bits where the format has none
}

// part is where a component is: bits from a place of the texel on, as a little-endian number.
type part struct{ at, bits int }

var formatName = regexp.MustCompile(`^VK_FORMAT_([A-Z0-9]+)_(UNORM|SNORM|USCALED|SSCALED|UINT|SINT|SFLOAT|UFLOAT|SRGB)(?:_([0-9]?)PACK([0-9]+))?$`)
var formatPart = regexp.MustCompile(`([RGBAX])([0-9]+)`)

// formatOf reads the name of a format; nil where it is none of plain components.
func formatOf(f vk.Format) *attachmentFormat {
	m := formatName.FindStringSubmatch(f.String())
	if m == nil || strings.HasPrefix(m[1], "E") {
		return nil
	}
	a := &attachmentFormat{Format: f, kind: m[2]}
	word, _ := strconv.Atoi(m[4])
	parts := formatPart.FindAllStringSubmatch(m[1], -1)
	bits := 0
	for _, p := range parts {
		n, _ := strconv.Atoi(p[2])
		at := bits
		if word > 0 { // the first one in the highest bits of its word
			at = bits/word*word + word - bits%word - n
		}
		if c := strings.Index("RGBA", p[1]); c >= 0 {
			a.parts[c] = part{at, n}
		}
		bits += n
	}
	a.bytes = bits / 8
	return a
}

// attachmentFormats are all formats of colour attachments; blended says that only those are wanted that blend.
func attachmentFormats(t *testing.T, dev *pumice.Device, blended bool) (list []*attachmentFormat) {
	t.Helper()
	want := vk.FormatFeatureColorAttachmentBit
	if blended {
		want = vk.FormatFeatureColorAttachmentBlendBit
	}
	for _, r := range [][2]vk.Format{{1, 185}, {1_000_156_000, 1_000_156_034}, {1_000_340_000, 1_000_340_002}, {1_000_470_000, 1_000_470_002}} {
		for f := r[0]; f < r[1]; f++ {
			if dev.FormatProperties(f).OptimalTilingFeatures&want == 0 {
				continue
			}
			a := formatOf(f)
			if a == nil {
				t.Errorf("%v cannot be read", f)
				continue
			}
			list = append(list, a)
		}
	}
	if n := map[bool]int{false: 119, true: 85}[blended]; len(list) != n {
		t.Errorf("%d formats of colour attachments, want %d", len(list), n)
	}
	return list
}

// integer says that shaders write integers to the format.
func (a *attachmentFormat) integer() bool { return a.kind == "UINT" || a.kind == "SINT" }

// signed says that components hold numbers below zero.
func (a *attachmentFormat) signed() bool {
	return a.kind == "SNORM" || a.kind == "SSCALED" || a.kind == "SINT" || a.kind == "SFLOAT"
}

// fixed says that blending clamps what it takes: normalized formats.
func (a *attachmentFormat) fixed() bool {
	return a.kind == "UNORM" || a.kind == "SNORM" || a.kind == "SRGB"
}

// code is a component of a texel, its bits.
func (a *attachmentFormat) code(texel []byte, c int) uint64 {
	p := a.parts[c]
	var word [16]byte
	copy(word[:], texel[p.at/8:min(len(texel), p.at/8+8)])
	return binary.LittleEndian.Uint64(word[:]) >> (p.at % 8) & (1<<p.bits - 1)
}

// put writes the bits of a component.
func (a *attachmentFormat) put(texel []byte, c int, code uint64) {
	for i := range a.parts[c].bits {
		at := a.parts[c].at + i
		texel[at/8] = texel[at/8]&^(1<<(at%8)) | byte(code>>i&1)<<(at%8)
	}
}

// rational is a finite number.
func rational(v float32) *big.Rat { return new(big.Rat).SetFloat64(float64(v)) }

// nearest is an integer next to r, of two the even one.
func nearest(r *big.Rat) int64 {
	twice := new(big.Int).Mul(r.Num(), big.NewInt(2))
	q, m := new(big.Int).DivMod(twice, r.Denom(), new(big.Int)) // floor(2r): q odd means at or above a half
	n := new(big.Int).Rsh(q, 1)
	if q.Bit(0) == 1 && (m.Sign() != 0 || n.Bit(0) == 1) {
		n.Add(n, big.NewInt(1))
	}
	return n.Int64()
}

// power is r to the n.
func power(r *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil))
}

// srgbAtLeast says that light of the linear value l is of sRGB value c or more, that is c/12.92 <= l, or ((c + 0.055)/1.055)^2.4 <= l:
// both sides to the fifth are rational.
//
// RAS-343
func srgbAtLeast(l, c *big.Rat) bool {
	if c.Cmp(big.NewRat(4045, 100000)) <= 0 {
		return new(big.Rat).Quo(c, big.NewRat(1292, 100)).Cmp(l) <= 0
	}
	base := new(big.Rat).Quo(new(big.Rat).Add(c, big.NewRat(55, 1000)), big.NewRat(1055, 1000))
	return power(base, 12).Cmp(power(l, 5)) <= 0
}

// srgbFrom are the least floats of each sRGB code above 0: those of a value of half a code more than the one before.
var srgbFrom = sync.OnceValue(func() (list [255]float32) {
	for k := range list {
		c := big.NewRat(2*int64(k)+1, 510)
		bits := sort.Search(int(math.Float32bits(1)), func(bits int) bool { return srgbAtLeast(rational(math.Float32frombits(uint32(bits))), c) })
		list[k] = math.Float32frombits(uint32(bits))
	}
	return list
})

// encoded is the code of a float: RAS-004, RAS-005, RAS-343, IMG-380.
func (a *attachmentFormat) encoded(v float32, c int) uint64 {
	bits := a.parts[c].bits
	all := uint64(1)<<bits - 1
	if a.kind == "SFLOAT" || a.kind == "UFLOAT" {
		return smallFloat(v, bits, a.kind == "SFLOAT")
	}
	if v != v {
		return 0
	}
	low, high := -int64(1)<<(bits-1), int64(1)<<(bits-1)-1
	switch a.kind {
	case "SNORM":
		low = -high
	case "UNORM", "USCALED", "SRGB":
		low, high = 0, int64(all)
	}
	unit := int64(1)
	if a.fixed() {
		unit = high
	}
	if a.kind == "SRGB" && c < 3 {
		return uint64(sort.Search(255, func(k int) bool { return v < srgbFrom()[k] }))
	}
	r := rational(max(-1<<20, min(v, 1<<20))) // beyond all of them
	return uint64(max(low, min(high, nearest(r.Mul(r, big.NewRat(unit, 1)))))) & all
}

// saturated is the code of an integer in an integer or scaled format: the nearest that it holds.
func (a *attachmentFormat) saturated(bits uint32, c int) uint64 {
	n := a.parts[c].bits
	if a.kind == "SINT" || a.kind == "SSCALED" {
		v := int64(int32(bits))
		return uint64(max(-1<<(n-1), min(v, 1<<(n-1)-1))) & (1<<n - 1)
	}
	return min(uint64(bits), 1<<n-1)
}

// texel is what a value is stored as; of integer formats, the bits of the value as integers.
func (a *attachmentFormat) texel(v [4]float32) []byte {
	if a.integer() {
		return a.numbers(v)
	}
	texel := make([]byte, a.bytes)
	for c := range v {
		if a.parts[c].bits > 0 {
			a.put(texel, c, a.encoded(v[c], c))
		}
	}
	return texel
}

// numbers is what the bits of a value are stored as, which are integers.
func (a *attachmentFormat) numbers(v [4]float32) []byte {
	texel := make([]byte, a.bytes)
	for c := range v {
		if a.parts[c].bits > 0 {
			a.put(texel, c, a.saturated(math.Float32bits(v[c]), c))
		}
	}
	return texel
}

// integers is the shader that writes a value's bits as integers of the format's sign.
func (a *attachmentFormat) integers() string {
	if a.signed() {
		return "signed.frag"
	}
	return "unsigned.frag"
}

// written makes a draw write integers where the format has them.
func (a *attachmentFormat) written(d *ruleDraw) {
	if a.integer() {
		d.pixels = a.integers()
	}
}

// smallFloat is the nearest float of 10, 11, 16 or 32 bits, of two the even one. Numbers of 2^16 − 2^(15−mantissa−1) or more are infinite.
func smallFloat(v float32, bits int, signed bool) uint64 {
	if bits == 32 {
		if v != v {
			return 0x7FC00000
		}
		return uint64(math.Float32bits(v))
	}
	mantissa, sign := bits-5, uint64(0)
	if signed {
		mantissa--
	}
	infinite := uint64(31) << mantissa
	switch {
	case v != v:
		return infinite | 1<<(mantissa-1)
	case math.Signbit(float64(v)) && !signed:
		return 0
	case math.Signbit(float64(v)):
		sign, v = 1<<(bits-1), -v
	}
	if v >= 1<<17 {
		return sign | infinite
	}
	// The least exponent is −14, of numbers below 2^−14 too; their mantissa is without a leading one.
	e := -14
	for e < 16 && v >= float32(math.Ldexp(1, e+1)) {
		e++
	}
	r := rational(v)
	r.Mul(r, power(big.NewRat(2, 1), int64(mantissa+30))) // no negative powers
	r.Quo(r, power(big.NewRat(2, 1), int64(e+30)))
	code := int64(e+14)<<mantissa + nearest(r)
	return sign | min(uint64(code), infinite)
}

// decoded is the number that blending reads of a code, as the nearest binary32.
//
// RAS-004, RAS-338, RAS-343
func (a *attachmentFormat) decoded(code uint64, c int) float32 {
	bits := a.parts[c].bits
	if bits == 0 {
		return float32(c / 3) // RAS-337
	}
	sign := int64(code<<(64-bits)) >> (64 - bits)
	var r *big.Rat
	switch a.kind {
	case "UNORM":
		r = big.NewRat(int64(code), int64(1)<<bits-1)
	case "SNORM":
		r = big.NewRat(max(sign, -(int64(1)<<(bits-1)-1)), int64(1)<<(bits-1)-1)
	case "USCALED":
		r = big.NewRat(int64(code), 1)
	case "SSCALED":
		r = big.NewRat(sign, 1)
	case "SRGB":
		if c < 3 {
			return srgbLinear()[code]
		}
		r = big.NewRat(int64(code), 255)
	default:
		return floatOf(code, bits, a.kind == "SFLOAT")
	}
	v, _ := r.Float32()
	return v
}

// floatOf is a float of 10, 11, 16 or 32 bits.
func floatOf(code uint64, bits int, signed bool) float32 {
	if bits == 32 {
		return math.Float32frombits(uint32(code))
	}
	mantissa, negative := bits-5, false
	if signed {
		mantissa--
		negative = code>>(bits-1) == 1
		code &= 1<<(bits-1) - 1
	}
	e, m := int(code>>mantissa), code&(1<<mantissa-1)
	v := math.Ldexp(float64(m), -14-mantissa)
	switch {
	case e == 31 && m != 0:
		return float32(math.NaN())
	case e == 31:
		v = math.Inf(1)
	case e > 0:
		v = math.Ldexp(float64(m+1<<mantissa), e-15-mantissa)
	}
	if negative {
		v = -v
	}
	return float32(v)
}

// srgbLinear are the linear values of codes.
var srgbLinear = sync.OnceValue(func() (list [256]float32) {
	for k := range list {
		list[k] = linear(big.NewRat(int64(k), 255))
	}
	return list
})

// linear is the binary32 nearest to the linear value of an sRGB value: the one between whose neighbours' middles that is.
func linear(c *big.Rat) float32 {
	low, high := uint32(0), math.Float32bits(1) // low is at most c's value
	for high-low > 1 {
		if mid := (low + high) / 2; srgbAtLeast(rational(math.Float32frombits(mid)), c) {
			high = mid
		} else {
			low = mid
		}
	}
	if c.Sign() == 0 {
		return 0
	}
	a, b := math.Float32frombits(low), math.Float32frombits(high)
	middle := new(big.Rat).Add(rational(a), rational(b))
	if srgbAtLeast(middle.Mul(middle, big.NewRat(1, 2)), c) {
		return a
	}
	return b
}

// dots is a draw of a point a pixel, 16 in a row, each of which writes its value to all attachments.
func dots(formats []vk.Format, list [][4]float32) *ruleDraw {
	d := values(vk.PrimitiveTopologyPointList, 16, (len(list)+15)/16)
	d.pixels = "plain.frag"
	d.formats = formats
	for i, v := range list {
		d.vertices = append(d.vertices, at(float32(i%16)+.5, float32(i/16)+.5, v[:]...))
	}
	return d
}

// tableWay is how colours come to attachments; each takes other programs.
type tableWay struct {
	name     string
	samples  int
	warm     bool
	portable bool // on the engine without machine code
	change   func(*pumice.GraphicsPipelineDesc)
}

var tableWays = []tableWay{
	{name: "one sample", samples: 1},
	{name: "one sample, often", samples: 1, warm: true},
	{name: "2 samples", samples: 2},
	{name: "4 samples", samples: 4},
	{name: "4 samples, often", samples: 4, warm: true},
	{name: "8 samples", samples: 8},
	{name: "16 samples", samples: 16},
	{name: "sample by sample", samples: 4, change: func(p *pumice.GraphicsPipelineDesc) {
		if p.Multisample == nil {
			p.Multisample = &vk.PipelineMultisampleStateCreateInfo{}
		}
		p.Multisample.SampleShadingEnable, p.Multisample.MinSampleShading = true, 1
	}},
	{name: "without machine code", samples: 1, portable: true},
	{name: "without machine code, 4 samples", samples: 4, portable: true},
	{name: "fragments of 2×2", samples: 1, change: rate(2)},
	{name: "fragments of 2×2, 4 samples", samples: 4, change: rate(2)},
}

// wayDevices are devices for ways: the second one is portable.
type wayDevices [2]*pumice.Device

func tableDevices(t *testing.T) (list wayDevices) {
	t.Helper()
	for i, engine := range []string{"", "vm"} {
		dev, err := pumice.Open(&pumice.Config{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		list[i] = dev
	}
	return list
}

// run draws on a way.
func (w *tableWay) run(t *testing.T, d *ruleDraw, devices wayDevices) *ruleImages {
	t.Helper()
	w.take(d)
	if w.portable {
		return d.run(t, devices[1])
	}
	return d.run(t, devices[0])
}

// wayOf is one of the ways besides the first: by number, in no order.
func wayOf(i int) tableWay {
	return tableWays[1+int(uint32(i)*2654435761>>16)%(len(tableWays)-1)]
}

// waysOf are the first way and one or two of the others.
func waysOf(i int) []tableWay {
	list := []tableWay{tableWays[0], wayOf(i)}
	if !testing.Short() {
		list = append(list, wayOf(i+1000))
	}
	return list
}

// take makes a draw go this way.
func (w *tableWay) take(d *ruleDraw) {
	d.samples, d.warm = w.samples, w.warm
	if before := d.pipeline; w.change != nil {
		d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
			if before != nil {
				before(p)
			}
			w.change(p)
		}
	}
}

// texels calls f with each sample of an attachment; it ends where f is false.
func (r *ruleImages) texels(color, bytes int, f func(pixel, sample int, texel []byte) bool) {
	for k := range r.d.size[0] * r.d.size[1] * r.d.samples {
		if !f(k/r.d.samples, k%r.d.samples, r.color[color][bytes*k:][:bytes]) {
			return
		}
	}
}

// wantTexel compares a texel; NaNs of floats are all the same.
func (a *attachmentFormat) wantTexel(t *testing.T, got, want []byte, what string, args ...any) bool {
	t.Helper()
	for c := range 4 {
		if a.parts[c].bits == 0 {
			continue
		}
		if g, w := a.code(got, c), a.code(want, c); g != w {
			t.Errorf("%v, "+what+": component %d is %#x, want %#x", append(append([]any{a.Format}, args...), c, g, w)...)
			return false
		}
	}
	return true
}
