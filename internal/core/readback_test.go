package core

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// Texels that were read back and uploaded again by the host, to another device, lead to the image
// that they are from, whichever way up they are; others lead nowhere.
func TestReadbacks_FindWhatTheHostCarried(t *testing.T) {
	shared := &Readbacks{}
	device := func() *Device {
		d := must(Open(Config{HeapMemory: true, Threads: 1, Explain: true, Readbacks: shared}))(t)
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	a, b := device(), device()
	const w, h, pitch = 3, 2, 5
	var texels []uint32
	for i := range uint32(w * h) {
		texels = append(texels, 0x40302010+0x01020304*i)
	}
	drawn := imageOf(t, a, w, h)
	back := bufferOf(t, a, make([]uint32, 2+pitch*h)...)
	c := a.NewCommandBuffer()
	c.CopyBufferToImage(bufferOf(t, a, texels...), drawn, nil)
	c.CopyImageToBuffer(drawn, back, []vk.BufferImageCopy{{
		BufferOffset: 8, BufferRowLength: pitch, ImageExtent: vk.Extent3D{Width: w, Height: h, Depth: 1},
	}})
	submit(t, a, c)
	read := words(back, 2+pitch*h)[2:]

	flip := func(y int) int { return h - 1 - y }
	same := func(y int) int { return y }
	exchange := func(x uint32) uint32 { return x&0xFF00FF00 | x>>16&0xFF | x&0xFF<<16 }
	plain := func(x uint32) uint32 { return x }
	for name, x := range map[string]struct {
		row   func(int) int
		texel func(uint32) uint32
		says  string
	}{
		"as they are": {same, plain, "to a buffer"},
		"upside down": {flip, plain, "to a buffer, upside down"},
		"exchanged":   {same, exchange, "to a buffer, with red and blue exchanged"},
		"both":        {flip, exchange, "to a buffer, upside down and with red and blue exchanged"},
		"others":      {same, func(x uint32) uint32 { return x + 1 }, ""},
	} {
		var again []uint32
		for y := range h {
			for _, v := range read[pitch*x.row(y):][:w] {
				again = append(again, x.texel(v))
			}
		}
		shown := imageOf(t, b, w, h)
		c := b.NewCommandBuffer()
		c.CopyBufferToImage(bufferOf(t, b, again...), shown, nil)
		watch := must(b.Watch("watch", []WatchPoint{{Image: shown, X: 2, Y: 1}}))(t)
		submit(t, b, c)
		e := watch.End()[0].Events
		switch from := e[0].From; {
		case len(e) != 1:
			t.Errorf("%s: %d events", name, len(e))
		case x.says == "":
			if from != nil || e[0].Through != "" {
				t.Errorf("%s: from %+v, %s", name, from, e[0].Through)
			}
		case from == nil || from.X != 2 || from.Y != x.row(1) || from.Image != "picture":
			t.Errorf("%s: from %+v", name, from)
		case !strings.HasSuffix(e[0].Through, x.says) || !strings.Contains(e[0].Through, "3 × 2 texels") ||
			!strings.Contains(e[0].Through, "transfer 1 (vkCmdCopyImageToBuffer)"):
			t.Errorf("%s: %s", name, e[0].Through)
		}
	}
}

// Of many readbacks the oldest are forgotten.
func TestReadbacks_AreBounded(t *testing.T) {
	d := explaining(t)
	im, b := imageOf(t, d, 1, 1), bufferOf(t, d, 0)
	for range maxReadbacks + 5 {
		c := d.NewCommandBuffer()
		c.CopyImageToBuffer(im, b, nil)
		submit(t, d, c)
	}
	if n := len(d.cfg.Readbacks.list); n != maxReadbacks || d.cfg.Readbacks.rows != n {
		t.Errorf("%d readbacks of %d rows", n, d.cfg.Readbacks.rows)
	}
}

// imageOf makes an image that copies may read and write.
func imageOf(t *testing.T, d *Device, w, h uint32) *Image {
	t.Helper()
	return must(d.NewImage(vk.ImageCreateInfo{
		ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm,
		Extent: vk.Extent3D{Width: w, Height: h, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1,
		Usage: vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit,
	}, nil, 0, "picture"))(t)
}
