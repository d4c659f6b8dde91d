package pumice_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

type light struct {
	Position [3]float32
	_        float32 // std140
	Color    [4]float32
	On       bool
	_        [3]byte
	Count    int32
}

type named float32

// What Write has put into a buffer is what Read gives back, for everything that Write takes.
func TestBuffer_ReadTakesWhatWriteTakes(t *testing.T) {
	dev := open(t, nil)
	b := must(dev.NewBuffer(pumice.BufferDesc{Size: 256}))(t)
	one := light{Position: [3]float32{1, 2, 3}, Color: [4]float32{0.5, 0, 1, 1}, On: true, Count: -7}
	for _, want := range []any{
		[]byte{1, 2, 3}, []int8{-1, 2}, []uint16{1, 0xFFFE}, []int16{-300}, []uint32{1, 1 << 31}, []int32{-5, 6}, []uint64{1 << 63}, []int64{-1 << 62},
		[]float32{1.5, float32(math.Inf(-1))}, []float64{math.Pi}, []bool{true, false, true}, []complex64{complex(1, -2)},
		[][2]float32{{1, 2}, {3, 4}}, [][2][2]uint16{{{1, 2}, {3, 4}}}, []light{one, {}}, []named{3.25}, []struct{ A, B uint8 }{{1, 2}},
		ptr(uint32(7)), ptr(float32(0.25)), ptr([4]float32{1, 2, 3, 4}), ptr(one), ptr([]uint32{8, 9}), ptr(true),
	} {
		if err := b.Write(16, want); err != nil {
			t.Errorf("writing %T: %v", want, err)
			continue
		}
		got := zeroLike(want)
		if err := b.Read(ctx, 16, got); err != nil {
			t.Errorf("reading %T: %v", want, err)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%T: read %v, wrote %v", want, got, want)
		}
	}
	// The layout is that of encoding/binary: no padding but what _ is.
	if err := b.Write(0, one); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 40)
	if err := b.Read(ctx, 0, raw); err != nil || raw[32] != 1 || !bytes.Equal(raw[36:], []byte{0xF9, 0xFF, 0xFF, 0xFF}) || !bytes.Equal(raw[8:16], []byte{0, 0, 0x40, 0x40, 0, 0, 0, 0}) {
		t.Errorf("the struct lies as % x, %v", raw, err)
	}
	if err := b.Read(ctx, 256, []uint32{}); err != nil {
		t.Errorf("nothing at the end: %v", err)
	}
}

func ptr[T any](v T) *T { return &v }

// zeroLike is a destination of the shape of v.
func zeroLike(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Slice {
		return reflect.MakeSlice(r.Type(), r.Len(), r.Len()).Interface()
	}
	p := reflect.New(r.Type().Elem())
	if r.Elem().Kind() == reflect.Slice {
		p.Elem().Set(reflect.MakeSlice(r.Type().Elem(), r.Elem().Len(), r.Elem().Len()))
	}
	return p.Interface()
}

// What cannot be read into is an error that says why, and nothing of it changes.
func TestBuffer_Read_RefusesOthers(t *testing.T) {
	dev := open(t, nil)
	b := must(dev.NewBufferFrom([]uint32{1, 2, 3, 4}))(t)
	type hidden struct{ A, b uint32 }
	full := []uint32{9, 9, 9}
	for _, c := range []struct {
		what   string
		offset uint64
		dst    any
		rule   string
		words  string
	}{
		{"nothing", 0, nil, "data", "nil"},
		{"a nil pointer", 0, (*uint32)(nil), "data", "nil"},
		{"a value", 0, uint32(0), "data", "uint32 cannot be written to"},
		{"an array", 0, [2]uint32{}, "data", "cannot be written to"},
		{"a string", 0, "text", "data", "cannot be written to"},
		{"a map", 0, map[int]int{}, "data", "cannot be written to"},
		{"a pointer to a string", 0, ptr("text"), "data", "no fixed size"},
		{"ints", 0, []int{1}, "data", "no fixed size"},
		{"a slice of slices", 0, [][]byte{{1}}, "data", "no fixed size"},
		{"a pointer to a pointer", 0, ptr(ptr(uint32(1))), "data", "no fixed size"},
		{"interfaces", 0, []any{uint32(1)}, "data", "no fixed size"},
		{"a field that is not exported", 0, &hidden{}, "data", "field b "},
		{"one too many", 8, full, "VUID-vkMapMemory-size-00681", "12 bytes at offset 8 in buffer of 16"},
		{"a byte too many", 1, make([]byte, 16), "VUID-vkMapMemory-size-00681", "16 bytes at offset 1 in buffer of 16"},
		{"an offset beyond all", math.MaxUint64, []uint32{0}, "VUID-vkMapMemory-size-00681", "of 16"},
	} {
		err := b.Read(ctx, c.offset, c.dst)
		var e *pumice.Error
		if !errors.As(err, &e) || e.Op != "Buffer.Read" || e.Rule != c.rule || !strings.Contains(e.Error(), c.words) {
			t.Errorf("%s: %v, want %s and %q", c.what, err, c.rule, c.words)
		}
	}
	if full[0] != 9 {
		t.Errorf("what could not be read is %v", full)
	}
	_ = hidden{}.b
	for _, data := range []any{nil, (*uint32)(nil), "text", []int{1}} {
		var e *pumice.Error
		if err := b.Write(0, data); !errors.As(err, &e) || e.Rule != "data" {
			t.Errorf("writing %T: %v", data, err)
		}
	}
}

// Each subresource has what Write gave it: levels, layers, aspects, planes and blocks.
func TestImage_WriteAndRead_EachSubresource(t *testing.T) {
	dev := open(t, nil)
	const depth, stencil = vk.ImageAspectDepthBit, vk.ImageAspectStencilBit
	for _, c := range []struct {
		name string
		desc pumice.ImageDesc
		of   []pumice.Subresource
		size []int // bytes of each, from the format's table in the specification
	}{
		{"levels and layers", pumice.ImageDesc{Format: vk.FormatR8G8Unorm, Width: 5, Height: 3, MipLevels: 3, Layers: 2},
			[]pumice.Subresource{{}, {Level: 1}, {Level: 2}, {Layer: 1}, {Level: 1, Layer: 1}, {Level: 2, Layer: 1}}, []int{30, 4, 2, 30, 4, 2}},
		{"slices", pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 3, Height: 2, Depth: 4, MipLevels: 2}, []pumice.Subresource{{}, {Level: 1}}, []int{96, 8}},
		{"one dimension", pumice.ImageDesc{Format: vk.FormatR16Uint, Width: 7}, []pumice.Subresource{{}}, []int{14}},
		{"blocks of 4×4", pumice.ImageDesc{Format: vk.FormatBc7UnormBlock, Width: 10, Height: 5, MipLevels: 3}, []pumice.Subresource{{}, {Level: 1}, {Level: 2}}, []int{96, 32, 16}},
		{"blocks of 8 bytes", pumice.ImageDesc{Format: vk.FormatBc1RgbaUnormBlock, Width: 4, Height: 9, Layers: 2}, []pumice.Subresource{{}, {Layer: 1}}, []int{24, 24}},
		{"ASTC's 6×5", pumice.ImageDesc{Format: vk.FormatAstc6x5UnormBlock, Width: 13, Height: 6}, []pumice.Subresource{{}}, []int{96}},
		{"depth and stencil", pumice.ImageDesc{Format: vk.FormatD32SfloatS8Uint, Width: 3, Height: 2}, []pumice.Subresource{{Aspect: depth}, {Aspect: stencil}}, []int{24, 6}},
		{"24 bits of depth", pumice.ImageDesc{Format: vk.FormatD24UnormS8Uint, Width: 3, Height: 2}, []pumice.Subresource{{Aspect: stencil}}, []int{6}},
		{"three planes", pumice.ImageDesc{Format: vk.FormatG8B8R8_3Plane420Unorm, Width: 6, Height: 4},
			[]pumice.Subresource{{}, {Aspect: vk.ImageAspectPlane1Bit}, {Aspect: vk.ImageAspectPlane2Bit}}, []int{24, 6, 6}},
		{"two planes", pumice.ImageDesc{Format: vk.FormatG8B8R8_2Plane422Unorm, Width: 6, Height: 4}, []pumice.Subresource{{Aspect: vk.ImageAspectPlane0Bit}, {Aspect: vk.ImageAspectPlane1Bit}}, []int{24, 24}},
		{"samples", pumice.ImageDesc{Format: vk.FormatR8Uint, Width: 2, Height: 2, Samples: 4}, []pumice.Subresource{{}}, []int{16}},
	} {
		im, err := dev.NewImage(c.desc)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		written := make([][]byte, len(c.of))
		for i, sub := range c.of {
			written[i] = make([]byte, c.size[i])
			for k := range written[i] {
				written[i][k] = byte(1 + 7*k + 31*i)
			}
			if err := im.Write(ctx, sub, written[i]); err != nil {
				t.Errorf("%s, %+v: %v", c.name, sub, err)
			}
			var e *pumice.Error
			if err := im.Write(ctx, sub, make([]byte, c.size[i]+1)); !errors.As(err, &e) || e.Rule != "size of the data" {
				t.Errorf("%s, %+v: a byte too many is %v", c.name, sub, err)
			}
		}
		for i, sub := range c.of {
			if got, err := im.Read(ctx, sub); err != nil || !bytes.Equal(got, written[i]) {
				t.Errorf("%s, %+v: % x, %v; wrote % x", c.name, sub, got, err, written[i])
			}
		}
	}
	im := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 2, Height: 1}))(t)
	if err := im.Write(ctx, pumice.Subresource{}, []float32{0.25, 1}); err != nil {
		t.Fatal(err)
	}
	if got := must(im.Read(ctx, pumice.Subresource{}))(t); !bytes.Equal(got, []byte{0, 0, 0x80, 0x3E, 0, 0, 0x80, 0x3F}) {
		t.Errorf("floats lie as % x", got)
	}
	for rule, sub := range map[string]pumice.Subresource{
		"VUID-VkCopyMemoryToImageInfo-imageSubresource-07967": {Level: 1}, "VUID-VkCopyMemoryToImageInfo-imageSubresource-07968": {Layer: -1},
		"VUID-VkImageSubresource-aspectMask-parameter": {Aspect: depth},
	} {
		var e *pumice.Error
		if err := im.Write(ctx, sub, make([]byte, 8)); !errors.As(err, &e) || e.Rule != rule || e.Op != "Image.Write" {
			t.Errorf("%+v: %v, want %s", sub, err, rule)
		}
	}
}
