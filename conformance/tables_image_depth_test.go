package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Depth and stencil of every format that has them, as they read, are cleared and compare.

// depthFormat is a format with depth or stencil: bits of either, and bytes of a depth in copies.
type depthFormat struct {
	vk.Format
	depth, stencil, bytes int
}

var depthFormats = []depthFormat{
	{vk.FormatD16Unorm, 16, 0, 2}, {vk.FormatX8D24UnormPack32, 24, 0, 4}, {vk.FormatD32Sfloat, 32, 0, 4}, {vk.FormatS8Uint, 0, 8, 0},
	{vk.FormatD16UnormS8Uint, 16, 8, 2}, {vk.FormatD24UnormS8Uint, 24, 8, 4}, {vk.FormatD32SfloatS8Uint, 32, 8, 4},
}

// codes are depths to look at.
func (f *depthFormat) codes() (list []uint32) {
	if f.depth == 32 {
		for _, x := range []float32{0, minus0, 1, .5, -.5, 1.5, .25, smallest, 0x1p-126, math.MaxFloat32, -1e9, 1 - 0x1p-24, 1 + 0x1p-23, float32(math.Inf(1)), float32(math.Inf(-1)), nan32, .1, .9} {
			list = append(list, math.Float32bits(x))
		}
		return list
	}
	c := field{numeric: "UNORM", bits: f.depth}
	for _, code := range c.codes() {
		list = append(list, uint32(code))
	}
	return list
}

// number is the depth of a code: IMG-253.
func (f *depthFormat) number(code uint32) float32 {
	if f.depth == 32 {
		return math.Float32frombits(code)
	}
	return nearest32(ratio(int64(code), 1<<f.depth-1))
}

// image holds depths in rows of 64.
func (f *depthFormat) image(t *testing.T, dev *imageDevice, codes []uint32) (im *pumice.Image, height int) {
	t.Helper()
	height = (len(codes) + 63) / 64
	im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 64, Height: height})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for k := range 64 * height {
		code := codes[k%len(codes)]
		if f.depth == 24 {
			code |= uint32(k*37) << 24 // X bits do not count
		}
		data = append(data, binary.LittleEndian.AppendUint32(nil, code)[:f.bytes]...)
	}
	if f.bytes > 0 {
		if err := im.Write(ctx, pumice.Subresource{Aspect: vk.ImageAspectDepthBit}, data); err != nil {
			t.Fatalf("%v: %v", f.Format, err)
		}
	}
	return im, height
}

// view is of one aspect.
func aspectView(t *testing.T, im *pumice.Image, aspect vk.ImageAspectFlags) *pumice.ImageView {
	t.Helper()
	v, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Aspect: aspect})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTables_IMG253_DepthAndStencil(t *testing.T) {
	rules.Covers(t, "IMG-048", "IMG-049", "IMG-253", "IMG-291", "IMG-320", "IMG-322", "IMG-376", "IMG-382", "IMG-516", "IMG-758")
	border := vk.SamplerAddressModeClampToBorder
	for _, dev := range imageDevices(t) {
		for _, f := range depthFormats {
			one := math.Float32bits(1)
			look := func(what, kind string, view pumice.View, height int, color vk.BorderColor, number func(k int) uint32, outside [4]uint32) {
				t.Helper()
				texture := pumice.Texture{View: view, Sampler: ruleSampler(t, dev, pumice.SamplerDesc{AddressModeU: border, AddressModeV: border, BorderColor: color})}
				fill := one
				if kind != "f" {
					fill = 1
				}
				var lanes []imageLane
				for k := range 64 * height {
					lanes = append(lanes, imageLane{at: [4]float32{(float32(k%64) + .5) / 64, (float32(k/64) + .5) / float32(height)}, texel: [3]int32{int32(k % 64), int32(k / 64)}})
				}
				lanes = append(lanes, imageLane{at: [4]float32{1.5, .5}, texel: [3]int32{-1, 0}})
				for how, name := range map[imageHow]string{tableLod: "sample", tableFetch: "fetch"} {
					got := dev.lanes(t, "tablesampled"+kind, how, false, texture, lanes)
					for k := range lanes {
						w := outside
						switch {
						case k < 64*height:
							w = [4]uint32{number(k), 0, 0, fill}
						case how == tableFetch:
							w = [4]uint32{3: fill}
						}
						for c := range w {
							if !sameWord(kind, got[k][c], w[c]) {
								t.Errorf("%v, engine %s, %s, %s %d: %x, want %x", f.Format, dev.Engine(), what, name, k, got[k], w)
								return
							}
						}
					}
				}
				for k := range lanes {
					lanes[k].at[0] += .4375 / 64
					lanes[k].at[1] += .4375 / float32(height)
				}
				for c := range 4 {
					got := dev.lanes(t, "tablesampled"+kind, tableGather+imageHow(c), false, texture, lanes[:64*height])
					for k := range 64 * height {
						texel := func(x, y int) uint32 {
							w := outside
							if x < 64 && y < height {
								w = [4]uint32{number(64*y + x), 0, 0, fill}
							}
							return w[c]
						}
						x, y := k%64, k/64
						w := [4]uint32{texel(x, y+1), texel(x+1, y+1), texel(x+1, y), texel(x, y)}
						for i := range w {
							if !sameWord(kind, got[k][i], w[i]) {
								t.Errorf("%v, engine %s, %s, gather %d of component %d: %x, want %x", f.Format, dev.Engine(), what, k, c, got[k], w)
								return
							}
						}
					}
				}
			}
			if f.depth > 0 {
				codes := f.codes()
				im, height := f.image(t, dev, codes)
				v := aspectView(t, im, vk.ImageAspectDepthBit)
				look("depth", "f", v, height, vk.BorderColorFloatOpaqueWhite, func(k int) uint32 { return math.Float32bits(f.number(codes[k%len(codes)])) }, [4]uint32{one, 0, 0, one})
				v.Close()
				im.Close()
			}
			if f.stencil > 0 {
				im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 64, Height: 4})
				if err != nil {
					t.Fatal(err)
				}
				data := make([]byte, 256)
				for k := range data {
					data[k] = byte(k * 77)
				}
				if err := im.Write(ctx, pumice.Subresource{Aspect: vk.ImageAspectStencilBit}, data); err != nil {
					t.Fatal(err)
				}
				v := aspectView(t, im, vk.ImageAspectStencilBit)
				look("stencil", "u", v, 4, vk.BorderColorIntOpaqueWhite, func(k int) uint32 { return uint32(data[k]) }, [4]uint32{1, 0, 0, 1})
				v.Close()
				im.Close()
			}
			f.clears(t, dev)
		}
	}
}

// clears writes depths and stencils and reads their bytes.
func (f *depthFormat) clears(t *testing.T, dev *imageDevice) {
	t.Helper()
	values := []float32{0, minus0, 1, .5, .25, .1, .9, smallest, 1 - 0x1p-24, 0x1p-17, 0x1p-25}
	c := field{numeric: "UNORM", bits: f.depth}
	if f.depth == 32 {
		c.numeric = "SFLOAT"
	}
	for k := range 8 { // ties
		if f.depth > 0 && f.depth < 32 {
			x := nearest32(ratio(2*(int64(k)*8191%(1<<f.depth))+1, 2*(1<<f.depth-1)))
			values = append(values, math.Nextafter32(x, 0), x, math.Nextafter32(x, 1))
		}
	}
	im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 1, Height: 1, Layers: len(values)})
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	cmd := dev.NewCommandBuffer()
	var aspects vk.ImageAspectFlags
	if f.depth > 0 {
		aspects |= vk.ImageAspectDepthBit
	}
	if f.stencil > 0 {
		aspects |= vk.ImageAspectStencilBit
	}
	for k, v := range values {
		cmd.ClearDepthStencilImage(im, vk.ClearDepthStencilValue{Depth: v, Stencil: uint32(11 * k)}, vk.ImageSubresourceRange{AspectMask: aspects, LevelCount: 1, BaseArrayLayer: uint32(k), LayerCount: 1})
	}
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	for k, v := range values {
		if f.depth > 0 {
			got, err := im.Read(ctx, pumice.Subresource{Layer: k, Aspect: vk.ImageAspectDepthBit})
			if err != nil {
				t.Fatal(err)
			}
			code := uint64(0)
			for i, b := range got[:f.bytes] {
				code |= uint64(b) << (8 * i)
			}
			if want := c.encoded(v); code != want {
				t.Errorf("%v cleared to %v is %#x, want %#x", f.Format, v, code, want)
			}
		}
		if f.stencil > 0 {
			got, err := im.Read(ctx, pumice.Subresource{Layer: k, Aspect: vk.ImageAspectStencilBit})
			if err != nil {
				t.Fatal(err)
			}
			if got[0] != byte(11*k) {
				t.Errorf("%v cleared to %d is %d", f.Format, byte(11*k), got[0])
			}
		}
	}
}

func TestTables_IMG311_EveryComparisonOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-297", "IMG-310", "IMG-311", "IMG-312", "IMG-313", "IMG-314", "IMG-316", "IMG-518")
	passes := func(op vk.CompareOp, r, d float32) float32 {
		ok := op == vk.CompareOpAlways
		switch op {
		case vk.CompareOpLess:
			ok = r < d
		case vk.CompareOpEqual:
			ok = r == d
		case vk.CompareOpLessOrEqual:
			ok = r <= d
		case vk.CompareOpGreater:
			ok = r > d
		case vk.CompareOpNotEqual:
			ok = r != d
		case vk.CompareOpGreaterOrEqual:
			ok = r >= d
		}
		if ok {
			return 1
		}
		return 0
	}
	inf := float32(math.Inf(1))
	border := vk.SamplerAddressModeClampToBorder
	for _, dev := range imageDevices(t) {
		for _, f := range depthFormats {
			if f.depth == 0 {
				continue
			}
			all := f.codes()
			var codes []uint32
			for k := range 64 {
				codes = append(codes, all[k*max(len(all)/64, 1)%len(all)])
			}
			im, _ := f.image(t, dev, codes)
			view := aspectView(t, im, vk.ImageAspectDepthBit)
			depth := func(x, y int) float32 {
				if x < 0 || x > 63 || y != 0 {
					return 1 // of the border
				}
				return f.number(codes[x])
			}
			for op := vk.CompareOpNever; op <= vk.CompareOpAlways; op++ {
				var near, linear, gathers []imageLane
				for x := -1; x < 65; x++ {
					d := depth(x, 0)
					for _, r := range []float32{d, math.Nextafter32(d, inf), math.Nextafter32(d, -inf), 0, minus0, 1, -1, 1.5, .5, inf, -inf, nan32} {
						clamped := r
						if f.depth < 32 && r == r {
							clamped = min(max(r, 0), 1)
						}
						at := [4]float32{(float32(x) + .5) / 64, .5}
						near = append(near, imageLane{at: at, dref: r, want: [4]float32{passes(op, clamped, d)}, one: true})
						// Three quarters of x and a quarter of x+1, and of the row an eighth of what is outside.
						sum := 7*(3*passes(op, clamped, d)+passes(op, clamped, depth(x+1, 0))) + 4*passes(op, clamped, 1)
						at = [4]float32{(float32(x) + .75) / 64, .625}
						linear = append(linear, imageLane{at: at, dref: r, want: [4]float32{sum / 32}, one: true})
						gathers = append(gathers, imageLane{at: at, dref: r, want: [4]float32{passes(op, clamped, 1), passes(op, clamped, 1), passes(op, clamped, depth(x+1, 0)), passes(op, clamped, d)}})
					}
				}
				for _, filter := range []vk.Filter{vk.FilterNearest, vk.FilterLinear} {
					r := imageRule{dev: dev, shader: "shadow2d", view: view, sampler: ruleSampler(t, dev, pumice.SamplerDesc{MagFilter: filter, MinFilter: filter, AddressModeU: border, AddressModeV: border,
						BorderColor: vk.BorderColorFloatOpaqueWhite, CompareEnable: true, CompareOp: op})}
					what := fmt.Sprintf("%v, %v", f.Format, op)
					if filter == vk.FilterNearest {
						r.check(t, what, near)
						r.how = gathered
						r.check(t, what+", gathers", gathers)
					} else {
						r.check(t, what+", linear", linear)
					}
				}
			}
			view.Close()
			im.Close()
		}
	}
}
