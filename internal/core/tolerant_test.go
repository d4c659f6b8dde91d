package core

import (
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

func TestTolerate_BrokenRules_AreLeftOut(t *testing.T) {
	var told []string
	d, err := Open(Config{Threads: 1, Debug: func(m Message) { told = append(told, m.Rule) }})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.NewBuffer(vk.BufferCreateInfo{Size: 8, Usage: vk.BufferUsageTransferDstBit}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	im, err := d.NewImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Unorm, Extent: vk.Extent3D{Width: 1, Height: 1, Depth: 1}}, nil, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.Tolerate()
	c.FillBuffer(b, 1, 4, 7) // when recorded
	c.Drop()
	c.Misuse("vkCmdX", "vkCmdX-y", "z")
	c.Drop()
	c.FillBuffer(b, 0, 4, 7)
	c.ClearColorImage(im, vk.ClearColorValue{}, []vk.ImageSubresourceRange{{BaseMipLevel: 5}}) // when carried out
	c.FillBuffer(b, 4, 4, 7)
	if err := d.Queue().SubmitAndWait(ctx, "Submit", []*CommandBuffer{c}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if err := b.Read(ctx, 0, got); err != nil || got[0] != 7 || got[4] != 7 {
		t.Errorf("commands after a broken one were left out: %v %v", got, err)
	}
	if len(told) != 3 || told[0] != "VUID-vkCmdFillBuffer-dstOffset-00025" || told[1] != "VUID-vkCmdX-y" {
		t.Errorf("told of %v", told)
	}
	c.Fail(ErrOutOfMemory)
	if c.Drop(); c.Err() == nil {
		t.Error("a lack of memory was dropped")
	}
}
