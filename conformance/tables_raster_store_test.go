package conformance

import (
	"math"
	"sync"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What attachments of every format store of what shaders write.

// edgesKnown are edges by kind, bits and whether that is a colour: searches of rationals take long.
var edgesKnown sync.Map

// edges are the floats next to where the code of component c changes: the last one of a code, and the first of the next.
// Of formats with more than 8 bits a component not all.
func (a *attachmentFormat) edges(c int) (list []float32) {
	bits := a.parts[c].bits
	if bits == 0 || bits == 32 {
		return nil
	}
	key := [3]any{a.kind, bits, c < 3}
	if known, ok := edgesKnown.Load(key); ok {
		return known.([]float32)
	}
	defer func() { edgesKnown.Store(key, list) }()
	if a.kind == "SRGB" && c < 3 {
		for _, v := range srgbFrom() {
			list = append(list, math.Nextafter32(v, 0), v)
		}
		return list
	}
	n := uint64(1) << bits
	if a.signed() {
		n /= 2
	}
	for k := range n - 1 {
		if n > 256 && k > 3 && k < n-4 && k%(n/61) != 5 && k&(k+1) != 0 {
			continue
		}
		low, high := uint32(0), math.Float32bits(1<<17) // the first float of a code above k is above low, and at most high
		for high-low > 1 {
			if mid := (low + high) / 2; a.encoded(math.Float32frombits(mid), c) > k {
				high = mid
			} else {
				low = mid
			}
		}
		x, y := math.Float32frombits(low), math.Float32frombits(high)
		if list = append(list, x, y); a.signed() {
			list = append(list, -x, -y)
		}
	}
	return list
}

// colours are values of which each is in each component that a format has.
func (a *attachmentFormat) colours(more ...float32) (list [][4]float32) {
	inf := float32(math.Inf(1))
	all := append([]float32{0, float32(math.Copysign(0, -1)), 1, -1, .5, -.5, math.Nextafter32(1, 2), math.Nextafter32(-1, -2), 1e-45, -1e-45, 1e30, -1e30, inf, -inf,
		float32(math.NaN()), 0x1p-14, 65504, 65519.996, 65520, -65520, 65536, 0x1p-13, math.Nextafter32(0x1p-13, 0), 0x1p-25, 0x1.000002p-25, 0x1p-24, 0x1p-126, 255.5, 127.5, -128.5, 32768, 2.5, 3.5}, more...)
	seen := [4]int{-1, -1, -1, -1} // equal parts have the same edges
	for c := range 4 {
		for k := range c {
			if a.parts[k].bits == a.parts[c].bits && (a.kind != "SRGB" || c < 3) {
				seen[c] = k
			}
		}
		if seen[c] < 0 {
			all = append(all, a.edges(c)...)
		}
	}
	for i := range all {
		var v [4]float32
		for c := range v {
			v[c] = all[(i+c*7)%len(all)]
		}
		list = append(list, v)
	}
	return list
}

// Every float next to a change of codes, in every component of every format, on each way.
func TestTables_RAS348_FloatsToEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-004", "RAS-005", "RAS-343", "RAS-348", "RAS-362")
	devices := tableDevices(t)
	for i, a := range attachmentFormats(t, devices[0], true) {
		list := a.colours()
		want := make([][]byte, len(list))
		for k, v := range list {
			want[k] = a.texel(v)
		}
		for _, w := range waysOf(i) {
			// Four attachments of the format take all ways that values have through plain.frag.
			d := dots([]vk.Format{a.Format, a.Format, a.Format, a.Format}, list)
			got := w.run(t, d, devices)
			for color := range 4 {
				got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
					return pixel >= len(list) || a.wantTexel(t, texel, want[pixel], "%s, attachment %d, sample %d of %v", w.name, color, sample, list[pixel])
				})
			}
		}
	}
}

// Integers of every size and sign, in every component of every integer and scaled format, on each way.
func TestTables_RAS348_IntegersToEveryFormat(t *testing.T) {
	rules.Covers(t, "RAS-348")
	devices := tableDevices(t)
	var all []uint32
	for k := range 32 {
		for d := range uint32(3) {
			v := uint32(1)<<k + d - 1
			all = append(all, v, -v)
		}
	}
	var list [][4]float32
	for i := range all {
		var v [4]float32
		for c := range v {
			v[c] = math.Float32frombits(all[(i+c*7)%len(all)])
		}
		list = append(list, v)
	}
	n := 0
	for i, a := range attachmentFormats(t, devices[0], false) {
		if !a.integer() && a.kind != "USCALED" && a.kind != "SSCALED" {
			continue
		}
		n++
		for _, w := range waysOf(i) {
			d := dots([]vk.Format{a.Format, a.Format}, list)
			d.pixels = a.integers()
			got := w.run(t, d, devices)
			for color := range 2 {
				got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
					if pixel >= len(list) {
						return true
					}
					return a.wantTexel(t, texel, a.numbers(list[pixel]), "%s, attachment %d, sample %d of %v", w.name, color, sample, list[pixel])
				})
			}
		}
	}
	if n != 60 {
		t.Errorf("%d formats", n)
	}
}

// Every mask of components, of every format: what it leaves out is as it was, and nothing else is.
func TestTables_RAS347_EveryMask(t *testing.T) {
	rules.Covers(t, "RAS-347")
	devices := tableDevices(t)
	v := [4]float32{1, .25, .75, .5}
	for i, a := range attachmentFormats(t, devices[0], false) {
		list := make([][4]float32, 20)
		before := make([]byte, 32*a.bytes*16)
		for k := range before {
			before[k] = byte(k*37 + k/7 + 5)
		}
		for k := range list {
			list[k] = v
		}
		for _, w := range waysOf(i) {
			// Four masks in a draw.
			for mask := vk.ColorComponentFlags(0); mask < 16; mask += 4 {
				d := dots([]vk.Format{a.Format, a.Format, a.Format, a.Format}, list)
				a.written(d)
				source := a.texel(v)
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
					p.Blend = &vk.PipelineColorBlendStateCreateInfo{}
					for color := range vk.ColorComponentFlags(4) {
						p.Blend.Attachments = append(p.Blend.Attachments, vk.PipelineColorBlendAttachmentState{ColorWriteMask: mask + color})
					}
				}
				d.fill = func(int) []byte { return before[:32*a.bytes*w.samples] }
				got := w.run(t, d, devices)
				for color := range 4 {
					written := mask + vk.ColorComponentFlags(color)
					got.texels(color, a.bytes, func(pixel, sample int, texel []byte) bool {
						want := append([]byte(nil), before[a.bytes*(pixel*d.samples+sample):][:a.bytes]...)
						for c := range 4 {
							if pixel < len(list) && written>>c&1 != 0 && a.parts[c].bits > 0 {
								a.put(want, c, a.code(source, c))
							}
						}
						return a.wantTexel(t, texel, want, "%s, mask %#x, pixel %d, sample %d", w.name, uint32(written), pixel, sample)
					})
				}
			}
		}
	}
}

// Outputs with some of the components: the others are (0, 0, 0, 1), in every format, of floats and of integers.
func TestTables_RAS349_ComponentsThatAreNotWritten(t *testing.T) {
	rules.Covers(t, "RAS-349")
	devices := tableDevices(t)
	v := [4]float32{3, 5, 7, 2}
	want := [5][4]float32{{3, 0, 0, 1}, {3, 5, 0, 1}, {3, 5, 7, 1}, {0, 5, 7, 1}, {0, 0, 0, 2}} // of the outputs of narrow.frag
	for i, a := range attachmentFormats(t, devices[0], false) {
		if a.kind == "SINT" {
			continue // of uvec4 it takes what the bits say
		}
		for _, w := range waysOf(i) {
			d := dots([]vk.Format{a.Format, a.Format, a.Format, a.Format, a.Format}, [][4]float32{v, v, v, v, v, v, v})
			d.pixels = "narrow.frag"
			if a.integer() {
				d.pixels = "narrowint.frag"
			}
			got := w.run(t, d, devices)
			for color, v := range want {
				if a.integer() {
					for c := range v {
						v[c] = math.Float32frombits(uint32(v[c]))
					}
				}
				texel := a.texel(v)
				got.texels(color, a.bytes, func(pixel, sample int, got []byte) bool {
					return pixel >= 7 || a.wantTexel(t, got, texel, "%s, output %d, sample %d", w.name, color, sample)
				})
			}
		}
	}
}
