package core

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Lazily allocated memory is there for transient attachments alone, and has as many bytes as were touched; what it
// was once told to have, it keeps.
func TestLazyMemory(t *testing.T) {
	d := must(Open(Config{Threads: 1}))(t)
	defer d.Close()
	const pages = 32
	m := must(d.NewLazyMemory(pages * memory.PageBytes))(t)
	if used, _ := d.Memory(); used != pages*memory.PageBytes || m.Commitment() != 0 {
		t.Errorf("%d bytes of the limit are taken and %d committed", used, m.Commitment())
	}
	info := vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Unorm, Extent: vk.Extent3D{Width: 32, Height: 32, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: vk.SampleCount1Bit,
		Usage: vk.ImageUsageColorAttachmentBit}
	plain := must(d.NewUnboundImage(info, "plain"))(t)
	info.Usage |= vk.ImageUsageTransientAttachmentBit
	transient := must(d.NewUnboundImage(info, "transient"))(t)
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 64, Usage: vk.BufferUsageTransferDstBit}, ""))(t)
	if p, l := plain.Requirements().MemoryTypeBits, transient.Requirements().MemoryTypeBits; p != MemoryTypeBits || l != MemoryTypeBits|LazyMemoryTypeBits {
		t.Errorf("memory types %b and %b", p, l)
	}
	if err := plain.Bind(m, 0); err == nil || !strings.Contains(err.Error(), "vkBindImageMemory-memory-01047") {
		t.Errorf("an image that is not transient: %v", err)
	}
	if err := buffer.Bind(m, 0); err == nil || !strings.Contains(err.Error(), "vkBindBufferMemory-memory-01035") {
		t.Errorf("a buffer: %v", err)
	}
	if err := transient.Bind(m, 4*memory.PageBytes); err != nil {
		t.Fatal(err)
	}
	view := must(d.NewImageView(transient, resource.ViewDesc{}, ""))(t)
	c := d.NewCommandBuffer()
	c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: view, Load: vk.AttachmentLoadOpClear, Store: vk.AttachmentStoreOpDontCare}}})
	c.EndRendering("end")
	submit(t, d, c)
	if n := m.Commitment(); n > memory.PageBytes { // 32·32·4 bytes at a page's start
		t.Errorf("%d bytes committed after a pass over a page", n)
	}
	m.committed.Store(7 * memory.PageBytes)
	if n := m.Commitment(); n != 7*memory.PageBytes {
		t.Errorf("the commitment fell to %d", n)
	}
	if n := must(d.NewMemory(100))(t).Commitment(); n != 100 {
		t.Errorf("other memory of 100 bytes: %d", n)
	}
}

// Count follows the limit's bytes, through a handle that is gone until the last resource is.
func TestMemory_Count(t *testing.T) {
	d := must(Open(Config{Threads: 1}))(t)
	defer d.Close()
	var n atomic.Int64
	m := must(d.NewMemory(1000))(t)
	m.Count(&n)
	buffer := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 64, Usage: vk.BufferUsageTransferDstBit}, ""))(t)
	if err := buffer.Bind(m, 0); err != nil || n.Load() != 1000 {
		t.Errorf("%d bytes, %v", n.Load(), err)
	}
	_ = m.Close()
	if n.Load() != 1000 {
		t.Errorf("%d bytes while a buffer has them", n.Load())
	}
	_ = buffer.Close()
	if n.Load() != 0 {
		t.Errorf("%d bytes are left", n.Load())
	}
	host := must(d.ImportMemory(make([]byte, 4096), nil))(t)
	if host.Count(&n); n.Load() != 0 {
		t.Errorf("imported memory has %d bytes of the limit", n.Load())
	}
}
