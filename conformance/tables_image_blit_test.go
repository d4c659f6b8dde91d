package conformance

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Blits to every format: numbers of 32 bits become codes, of few texels and of many, as they stand and turned around.
func TestTables_IMG376_BlitsToEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-249", "IMG-375", "IMG-376", "IMG-377", "IMG-378", "IMG-379", "IMG-380", "IMG-381")
	devices := tableDevices(t)
	var integers [][4]float32
	for k := range 32 {
		for d := range uint32(3) {
			var v [4]float32
			for c := range v {
				x := uint32(1)<<((k+c*9)%32) + d - 1
				if (k+c)%2 == 1 {
					x = -x
				}
				v[c] = math.Float32frombits(x)
			}
			integers = append(integers, v)
		}
	}
	for n, a := range attachmentFormats(t, devices[0], false) {
		list, from := a.colours(), vk.FormatR32G32B32A32Sfloat
		if a.integer() {
			list, from = integers, vk.FormatR32G32B32A32Uint
			if a.kind == "SINT" {
				from = vk.FormatR32G32B32A32Sint
			}
		}
		want := make([][]byte, len(list))
		for k, v := range list {
			want[k] = a.texel(v)
		}
		width, height := 129, 128 // more texels than a routine is worth making for
		if testing.Short() && n%5 != 0 {
			width, height = 60, 13
		}
		last := height - 7
		value := func(x, y int) int { return (y*width + x + n) % len(list) }
		data := make([]byte, 0, 16*width*height)
		for k := range width * height {
			for _, x := range list[value(k%width, k/width)] {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		for i, dev := range devices {
			if testing.Short() && n%2 != i {
				continue
			}
			src, err := dev.NewImage(pumice.ImageDesc{Format: from, Width: width, Height: height})
			if err != nil {
				t.Fatal(err)
			}
			dst, err := dev.NewImage(pumice.ImageDesc{Format: a.Format, Width: width, Height: height})
			if err != nil {
				t.Fatal(err)
			}
			if err := src.Write(ctx, pumice.Subresource{}, data); err != nil {
				t.Fatal(err)
			}
			layer := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
			all := [2]vk.Offset3D{{}, {X: int32(width), Y: int32(height), Z: 1}}
			turned := [2]vk.Offset3D{{X: int32(width), Y: int32(height)}, {Z: 1}}
			part := func(x, y, w, h int32) [2]vk.Offset3D { return [2]vk.Offset3D{{X: x, Y: y}, {X: x + w, Y: y + h, Z: 1}} }
			for _, c := range []struct {
				name     string
				from, to [2]vk.Offset3D
				of       func(x, y int) (int, int, bool) // where a texel comes from
			}{
				{"all", all, all, func(x, y int) (int, int, bool) { return x, y, true }},
				{"turned", all, turned, func(x, y int) (int, int, bool) { return width - 1 - x, height - 1 - y, true }},
				{"a part", part(3, 5, 17, 4), part(40, 9, 17, 4), func(x, y int) (int, int, bool) {
					return x - 37, y - 4, x >= 40 && x < 57 && y >= 9 && y < 13
				}},
				{"wider", part(2, 1, 8, 3), part(0, int32(last), 16, 6), func(x, y int) (int, int, bool) {
					return 2 + x/2, 1 + (y-last)/2, x < 16 && y >= last && y < last+6
				}},
			} {
				if err := dst.Write(ctx, pumice.Subresource{}, make([]byte, a.bytes*width*height)); err != nil {
					t.Fatal(err)
				}
				cmd := dev.NewCommandBuffer()
				cmd.BlitImage(src, dst, vk.FilterNearest, vk.ImageBlit{SrcSubresource: layer, SrcOffsets: c.from, DstSubresource: layer, DstOffsets: c.to})
				if err := dev.Submit(ctx, cmd); err != nil {
					t.Fatalf("%v, %s: %v", a.Format, c.name, err)
				}
				got, err := dst.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				empty := make([]byte, a.bytes)
				for k := range width * height {
					wanted, x, y := empty, k%width, k/width
					if sx, sy, ok := c.of(x, y); ok {
						wanted = want[value(sx, sy)]
					}
					if texel := got[k*a.bytes:][:a.bytes]; !bytes.Equal(texel, wanted) && !a.wantTexel(t, texel, wanted, "engine %s, %s, texel (%d, %d)", dev.Engine(), c.name, x, y) {
						break
					}
				}
			}
			src.Close()
			dst.Close()
		}
	}
}
