package conformance

import (
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Border colours, texels outside and swizzles of every format, by every instruction that has them.

// one is what stands for 1 in a format: IMG-321.
func (f *tableFormat) one() uint32 {
	if f.kind == "f" {
		return math.Float32bits(1)
	}
	return 1
}

// has says which components a format has.
func (f *tableFormat) has() (of [4]bool) {
	for _, c := range f.fields {
		if c.of < 4 {
			of[c.of] = true
		}
	}
	return of
}

// bordered is a border colour as a texel of the format: IMG-291, IMG-320. rgb and a are 0 or 1.
func (f *tableFormat) bordered(rgb, a uint32) (t [4]uint32) {
	for c, has := range f.has() {
		switch {
		case has && c < 3:
			t[c] = rgb * f.one()
		case has:
			t[c] = a * f.one()
		case c == 3:
			t[c] = f.one()
		}
	}
	return t
}

// swizzles are mappings in which each component takes each of the seven swizzles.
func swizzles() (list []vk.ComponentMapping) {
	for m := range 7 {
		s := func(c int) vk.ComponentSwizzle { return vk.ComponentSwizzle((m + 2*c) % 7) }
		list = append(list, vk.ComponentMapping{R: s(0), G: s(1), B: s(2), A: s(3)})
	}
	return list
}

// swizzled is IMG-325.
func (f *tableFormat) swizzled(m vk.ComponentMapping, t [4]uint32) (out [4]uint32) {
	for c, s := range [4]vk.ComponentSwizzle{m.R, m.G, m.B, m.A} {
		switch s {
		case vk.ComponentSwizzleIdentity:
			out[c] = t[c]
		case vk.ComponentSwizzleZero:
			out[c] = 0
		case vk.ComponentSwizzleOne:
			out[c] = f.one()
		default:
			out[c] = t[s-vk.ComponentSwizzleR]
		}
	}
	return out
}

func TestTables_IMG291_BordersAndSwizzlesOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-073", "IMG-202", "IMG-290", "IMG-291", "IMG-294", "IMG-295", "IMG-296", "IMG-300", "IMG-320", "IMG-321", "IMG-325", "IMG-326", "IMG-328", "IMG-329", "IMG-330", "IMG-516", "IMG-523")
	borders := map[string][3]vk.BorderColor{
		"f": {vk.BorderColorFloatTransparentBlack, vk.BorderColorFloatOpaqueBlack, vk.BorderColorFloatOpaqueWhite},
		"i": {vk.BorderColorIntTransparentBlack, vk.BorderColorIntOpaqueBlack, vk.BorderColorIntOpaqueWhite},
	}
	borders["u"] = borders["i"]
	edge := vk.SamplerAddressModeClampToBorder
	// The texel at (63, 0), the border beside it, and both: column 63 and 64 of rows −1 and 0.
	place := func(x, y float32) imageLane {
		return imageLane{at: [4]float32{x / 64, y}, texel: [3]int32{int32(math.Floor(float64(x))), int32(math.Floor(float64(y)))}}
	}
	lanes := []imageLane{place(63.5, .5), place(64.5, .5), place(-.5, .5), place(3.5, -.25), place(3.5, 1.25)}
	for _, dev := range imageDevices(t) {
		for n, f := range tableFormats(t) {
			data := make([]byte, 64*f.bytes)
			for k := range data {
				data[k] = byte(0x21 + 7*k + n) // no infinities, no NaN in the texel that counts
			}
			for i := range f.fields {
				f.fields[i].put(data[63*f.bytes:], uint64(5+2*i)&(1<<f.fields[i].bits-1))
			}
			texel := f.texel(data[63*f.bytes:])
			im := f.image(t, dev, data, 1)
			for m, mapping := range swizzles() {
				view, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Components: mapping})
				if err != nil {
					t.Fatal(err)
				}
				for b, border := range borders[f.kind] {
					outside := f.swizzled(mapping, f.bordered(uint32(b/2), uint32(min(b, 1))))
					inside := f.swizzled(mapping, texel)
					texture := pumice.Texture{View: view, Sampler: ruleSampler(t, dev, pumice.SamplerDesc{AddressModeU: edge, AddressModeV: edge, BorderColor: border})}
					check := func(what string, got [][4]uint32, want ...[4]uint32) {
						for k, w := range want {
							for c := range w {
								if !sameWord(f.kind, got[k][c], w[c]) {
									t.Errorf("%s, engine %s, mapping %v, %v, %s, lane %d: %x, want %x", f.name, dev.Engine(), mapping, border, what, k, got[k], w)
									return
								}
							}
						}
					}
					check("sample", dev.lanes(t, "tablesampled"+f.kind, tableLod, false, texture, lanes), inside, outside, outside, outside, outside)
					if b == m%3 {
						corner := []imageLane{place(63.9375, .0625)} // of texels (63, −1), (64, −1), (63, 0), (64, 0)
						for c := range 4 {
							check(fmt.Sprintf("gather of component %d", c), dev.lanes(t, "tablesampled"+f.kind, tableGather+imageHow(c), false, texture, corner),
								[4]uint32{inside[c], outside[c], outside[c], outside[c]})
						}
						// Outside of the image a fetch finds zeros in what the format has.
						none := f.swizzled(mapping, f.bordered(0, 0))
						check("fetch", dev.lanes(t, "tablesampled"+f.kind, tableFetch, false, texture, lanes), inside, none, none, none, none)
					}
				}
				view.Close()
			}
			if f.stored() {
				got := dev.lanes(t, "tablestored"+f.kind, tableLoad, false, im, lanes)
				for k, g := range got[1:len(lanes)] {
					if w := f.bordered(0, 0); g != w {
						t.Errorf("%s, engine %s, read outside, lane %d: %x, want %x", f.name, dev.Engine(), k+1, g, w)
						break
					}
				}
			}
			im.Close()
		}
	}
}
