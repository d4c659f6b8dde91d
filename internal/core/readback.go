package core

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// Readbacks remembers which images were copied to buffers, so that explanations find the image whose
// texels the host has uploaded again: nothing else tells what a program does with its own memory.
// Devices of a process share one, as programs carry pictures from one to another (ANGLE's canvas
// gets to Chromium's compositor so). The zero value is ready; it is safe for concurrent use.
type Readbacks struct {
	mu   sync.Mutex
	list []*readback // the oldest first
	rows int         // of all of them
}

// Older readbacks are forgotten.
const (
	maxReadbacks    = 256
	maxReadbackRows = 1 << 20
)

// readback is a region of an image that was copied to a buffer, by its rows.
type readback struct {
	region rows
	sums   []uint64
	where  string // the command
	texel  func(x, y, layer int) *explain.Target
}

// bufferCopy is a copy between a buffer and an image.
type bufferCopy struct {
	image   *Image
	buffer  *Buffer
	regions []vk.BufferImageCopy
}

// rows are texels in a buffer: in count rows of width texels, of which height make a layer.
type rows struct{ width, height, count, texel int }

// of reads the rows of a region; false: it has no texels of whole bytes side by side.
func (c *bufferCopy) of(g *vk.BufferImageCopy) (s rows, row func(int) []byte, ok bool) {
	im, data := c.image.res, c.buffer.data
	info := im.Layout.Planes[0].Info
	if len(im.Layout.Planes) > 1 || info.Compressed || im.Info.Aspects != vk.ImageAspectColorBit {
		return s, nil, false
	}
	// Regions that were mended as they were copied may name more than there is.
	if n, err := transfer.BufferBytes(im, g); err != nil || n > len(data) {
		return s, nil, false
	}
	e := g.ImageExtent
	layers := int(e.Depth)
	if im.Type != vk.ImageType3D {
		if layers = int(g.ImageSubresource.LayerCount); g.ImageSubresource.LayerCount == vk.RemainingArrayLayers {
			layers = im.ArrayLayers - int(g.ImageSubresource.BaseArrayLayer)
		}
	}
	s = rows{int(e.Width), int(e.Height), int(e.Height) * layers, info.BlockBytes}
	pitch, height := int(g.BufferRowLength), int(g.BufferImageHeight)
	if pitch == 0 {
		pitch = s.width
	}
	if height == 0 {
		height = s.height
	}
	row = func(y int) []byte {
		at := g.BufferOffset + uint64((y/s.height*height+y%s.height)*pitch*s.texel)
		return data[at:][:s.width*s.texel]
	}
	return s, row, true
}

// seed is that of all sums.
var seed = maphash.MakeSeed()

// note remembers what was copied.
func (b *Readbacks) note(c *bufferCopy, where string) {
	for i := range c.regions {
		g := &c.regions[i]
		s, row, ok := c.of(g)
		if !ok || s.count > maxReadbackRows {
			continue
		}
		r := &readback{region: s, where: where}
		for y := range s.count {
			r.sums = append(r.sums, maphash.Bytes(seed, row(y)))
		}
		im, layers, at := c.image, g.ImageSubresource, g.ImageOffset
		r.texel = func(x, y, layer int) *explain.Target { return im.texel(&layers, at, x, y, layer) }
		b.mu.Lock()
		b.list, b.rows = append(b.list, r), b.rows+s.count
		for len(b.list) > maxReadbacks || b.rows > maxReadbackRows {
			b.rows -= b.list[0].region.count
			b.list = slices.Delete(b.list, 0, 1)
		}
		b.mu.Unlock()
	}
}

// find finds the texel that a sample, which was uploaded, had been read back from: that of the last
// readback with the same texels, as they are, upside down, or with red and blue exchanged. through
// says so; nil: there is none.
func (b *Readbacks) find(c *bufferCopy, p *WatchPoint) (from *explain.Target, through string) {
	for i := range c.regions {
		g := &c.regions[i]
		x, y, layer, in := (&region{g.ImageSubresource, g.ImageOffset, g.ImageExtent}).holds(c.image, p)
		s, row, ok := c.of(g)
		if !in || !ok {
			continue
		}
		plain, swapped := make([]uint64, s.count), []uint64(nil)
		for n := range plain {
			plain[n] = maphash.Bytes(seed, row(n))
			if s.texel == 4 {
				swapped = append(swapped, maphash.Bytes(seed, exchanged(row(n))))
			}
		}
		b.mu.Lock()
		for _, r := range slices.Backward(b.list) {
			if r.region != s {
				continue
			}
			how, at := "", y
			switch {
			case slices.Equal(r.sums, plain):
			case slices.Equal(r.sums, swapped):
				how = ", with red and blue exchanged"
			case s.count == s.height && upsideDown(r.sums, plain):
				how, at = ", upside down", s.height-1-y
			case s.count == s.height && upsideDown(r.sums, swapped):
				how, at = ", upside down and with red and blue exchanged", s.height-1-y
			default:
				continue
			}
			if from = r.texel(x, at, layer); from == nil {
				continue
			}
			through = fmt.Sprintf("the buffer's %d × %d texels are those that %s had copied from %s to a buffer%s",
				s.width, s.count, r.where, from.Image, how)
			break
		}
		b.mu.Unlock()
	}
	return from, through
}

// exchanged is a row of texels of four bytes with the first and the third exchanged.
func exchanged(row []byte) []byte {
	out := bytes.Clone(row)
	for i := 0; i+4 <= len(out); i += 4 {
		out[i], out[i+2] = out[i+2], out[i]
	}
	return out
}

func upsideDown(a, b []uint64) bool {
	for i := range a {
		if len(a) != len(b) || a[i] != b[len(b)-1-i] {
			return false
		}
	}
	return true
}
