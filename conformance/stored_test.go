package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// storedCases are texels without bytes of their own, with values that the specification's formulas
// give.
var storedCases = []struct {
	name    string
	format  vk.Format
	x, y    int
	planes  [][]byte // what is uploaded
	texel   string
	stored  []explain.Stored
	aspects []vk.ImageAspectFlags
}{
	{
		// Two thirds of the first colour and one of the second: code 2 where the first is the larger.
		name: "BC1", format: vk.FormatBc1RgbUnormBlock, x: 5, y: 2,
		planes: [][]byte{
			append(make([]byte, 8), 0x00, 0xF8, 0x1F, 0x00, 0, 0, 2<<2, 0),
		}, texel: "0.6666667, 0, 0.33333334",
		stored: []explain.Stored{{X: 1, Width: 4, Height: 4, Offset: 8, Bits: "00f81f0000000800"}},
	}, {
		// Six sevenths of the first value: code 2 of eight values.
		name: "BC4", format: vk.FormatBc4UnormBlock, x: 0, y: 0,
		planes: [][]byte{
			append([]byte{255, 0, 2, 0, 0, 0, 0, 0}, make([]byte, 8)...),
		}, texel: "0.85714287",
		stored: []explain.Stored{{Width: 4, Height: 4, Bits: "ff00020000000000"}},
	}, {
		// Individual mode: 8 of 15 is 136, to which table 0 adds 2 for code 0.
		name: "ETC2", format: vk.FormatEtc2R8G8B8UnormBlock, x: 4, y: 3,
		planes: [][]byte{
			append(make([]byte, 8), 0x88, 0x44, 0, 0, 0, 0, 0, 0),
		}, texel: fmt.Sprintf("%v, %v, %v", float32(138)/255, float32(70)/255, float32(2)/255),
		stored: []explain.Stored{{X: 1, Width: 4, Height: 4, Offset: 8, Bits: "8844000000000000"}},
	}, {
		// A block of one colour.
		name: "ASTC", format: vk.FormatAstc4x4UnormBlock, x: 7, y: 0,
		planes: [][]byte{
			append(make([]byte, 16), 0xFC, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0,
				0, 0xFF, 0xFF, 0xFF, 0xFF),
		}, texel: "1, 0, 1, 1",
		stored: []explain.Stored{
			{X: 1, Width: 4, Height: 4, Offset: 16, Bits: "fcfdffffffffffffffff0000ffffffff"},
		},
	}, {
		// Y′ of its own, Cb and Cr of two by two texels: R is Cr, G is Y′, B is Cb.
		name: "two planes", format: vk.FormatG8B8R8_2Plane420Unorm, x: 3, y: 1,
		planes: [][]byte{
			append(make([]byte, 11), append([]byte{51}, make([]byte, 20)...)...),
			append([]byte{0, 0, 102, 204}, make([]byte, 12)...),
		}, texel: "0.8, 0.2, 0.4",
		stored: []explain.Stored{
			{Width: 1, Height: 1, X: 3, Y: 1, Offset: 11, Bits: "33"},
			{Plane: 1, X: 1, Width: 2, Height: 2, Bits: "66cc"},
		},
		aspects: []vk.ImageAspectFlags{vk.ImageAspectPlane0Bit, vk.ImageAspectPlane1Bit},
	},
}

// Texels of compressed and planar images are watched as any: what wrote them, what they were
// decoded from, and what they are.
func TestExplain_TexelsWithoutBytesOfTheirOwn(t *testing.T) {
	for _, c := range storedCases {
		t.Run(c.name, func(t *testing.T) {
			dev, err := pumice.Open(&pumice.Config{Explain: true})
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			im, err := dev.NewImage(
				pumice.ImageDesc{Format: c.format, Width: 8, Height: 4, Name: "packed"},
			)
			if err != nil {
				t.Fatal(err)
			}
			defer im.Close()
			cmd := dev.NewCommandBuffer()
			for i, data := range c.planes {
				b, err := dev.NewBuffer(pumice.BufferDesc{Size: uint64(len(data))})
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				if err := b.Write(0, data); err != nil {
					t.Fatal(err)
				}
				g := vk.BufferImageCopy{
					ImageSubresource: vk.ImageSubresourceLayers{
						AspectMask: vk.ImageAspectColorBit,
						LayerCount: 1,
					},
					ImageExtent: vk.Extent3D{Width: 8, Height: 4, Depth: 1},
				}
				if c.aspects != nil {
					if g.ImageSubresource.AspectMask = c.aspects[i]; i > 0 {
						g.ImageExtent = vk.Extent3D{Width: 4, Height: 2, Depth: 1}
					}
				}
				cmd.CopyBufferToImage(b, im, g)
			}
			es, err := dev.Explain(ctx, []pumice.WatchPoint{{Image: im, X: c.x, Y: c.y}}, cmd)
			if err != nil {
				t.Fatal(err)
			}
			e := es[0]
			if e.After.Text != c.texel {
				t.Errorf("the texel is %s, want %s", e.After.Text, c.texel)
			}
			for i := range e.Stored { // where images begin is the implementation's
				if i < len(c.stored) && c.stored[i].Plane > 0 {
					e.Stored[i].Offset = 0
				}
			}
			if d := cmp.Diff(c.stored, e.Stored); d != "" {
				t.Error(d)
			}
			if len(e.Events) != len(c.planes) || e.Events[0].Kind != explain.Copy ||
				e.Events[0].Outcome != explain.Wrote ||
				e.Events[len(e.Events)-1].After != e.After {
				t.Errorf("events %+v", e.Events)
			}
			var text strings.Builder
			if err := explain.WriteText(&text, e, explain.TextOptions{}); err != nil ||
				!strings.Contains(text.String(), c.stored[0].Bits) {
				t.Errorf("%v %s", err, text.String())
			}
		})
	}
}
