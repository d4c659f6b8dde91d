package icd

import (
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/vk"
)

// Structures of maintenance10 that leave the transfer function of sRGB out of resolves reach a pass and a command:
// codes of 10 to 40 have the mean 25, and what they stand for the mean 27.15.
func TestResolve_TransferFunctionStructures(t *testing.T) {
	f := newTest(t)
	const texels = 64
	usage := vk.ImageUsageColorAttachmentBit | vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit
	im := func(samples vk.SampleCountFlags) (im abi.Image, v abi.ImageView, bytes []byte) {
		call(f, abi.OpCreateImage, &abi.CreateImageArgs{Device: f.device, PImage: &im, PCreateInfo: &abi.ImageCreateInfo{
			ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Srgb, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: samples, Usage: usage,
		}})
		size := uint64(4 * texels * samples)
		m, at := f.memory(size)
		call(f, abi.OpBindImageMemory, &abi.BindImageMemoryArgs{Device: f.device, Image: im, Memory: m})
		call(f, abi.OpCreateImageView, &abi.CreateImageViewArgs{Device: f.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{
			Image: im, ViewType: vk.ImageViewType2D, Format: vk.FormatR8G8B8A8Srgb, SubresourceRange: vk.ImageSubresourceRange{AspectMask: vk.ImageAspectColorBit, LevelCount: 1, LayerCount: 1},
		}})
		return im, v, unsafe.Slice((*byte)(at), size)
	}
	src, srcView, samples := im(4)
	for i := range samples {
		samples[i] = byte(10 * (i/4%4 + 1))
	}
	area := vk.Rect2D{Extent: vk.Extent2D{Width: 8, Height: 8}}
	part := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	region := abi.ImageResolve2{SrcSubresource: part, DstSubresource: part, Extent: vk.Extent3D{Width: 8, Height: 8, Depth: 1}}
	for bits, want := range map[uint32]byte{0: 27, 1: 25, 2: 27} { // of commands; those of attachments stand a bit higher
		_, passView, passed := im(1)
		byCommand, _, commanded := im(1)
		flags := abi.RenderingAttachmentFlagsInfoKHR{Flags: vk.RenderingAttachmentFlagsKHR(bits << 1)}
		flags.SType = flags.StructureType()
		a := abi.RenderingAttachmentInfo{PNext: unsafe.Pointer(&flags), ImageView: srcView, LoadOp: vk.AttachmentLoadOpLoad, ResolveMode: vk.ResolveModeAverageBit, ResolveImageView: passView}
		how := abi.ResolveImageModeInfoKHR{Flags: vk.ResolveImageFlagsKHR(bits), ResolveMode: vk.ResolveModeAverageBit}
		how.SType = how.StructureType()
		cb := f.begin()
		record(f, cb, abi.OpCmdBeginRendering, &abi.CmdBeginRendering{PRenderingInfo: &abi.RenderingInfo{RenderArea: area, LayerCount: 1, ColorAttachmentCount: 1, PColorAttachments: &a}})
		record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
		record(f, cb, abi.OpCmdResolveImage2, &abi.CmdResolveImage2{PResolveImageInfo: &abi.ResolveImageInfo2{PNext: unsafe.Pointer(&how), SrcImage: src, DstImage: byCommand, RegionCount: 1, PRegions: &region}})
		f.run(cb)
		for i := range 4 * texels {
			want := want
			if i%4 == 3 {
				want = 25 // alpha has no transfer function
			}
			if passed[i] != want || commanded[i] != want {
				t.Fatalf("bits %d, byte %d: %d by a pass and %d by a command, want %d", bits, i, passed[i], commanded[i], want)
			}
		}
	}
}
