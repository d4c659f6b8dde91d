package icd

import (
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// imageInfo is a VkImageCreateInfo in package vk's terms. A list of view formats makes nothing easier here.
func imageInfo(i *abi.ImageCreateInfo) vk.ImageCreateInfo {
	info := vk.ImageCreateInfo{
		ImageType: i.ImageType, Format: i.Format, Extent: i.Extent, MipLevels: i.MipLevels,
		ArrayLayers: i.ArrayLayers, Samples: i.Samples, Tiling: i.Tiling, InitialLayout: i.InitialLayout,
	}
	info.Flags, _ = imageFlags(i.Flags, i.PNext)
	info.Usage, _ = imageUsage(i.Usage, i.PNext)
	return info
}

// CreateImage is vkCreateImage.
func (d *Device) CreateImage(a *abi.CreateImageArgs) vk.Result {
	im, err := d.newImage(a.PCreateInfo)
	return created(&d.images, a.PImage, im, err)
}

// newImage makes what a VkImageCreateInfo describes, without memory.
func (d *Device) newImage(i *abi.ImageCreateInfo) (*Image, error) {
	im := &Image{info: imageInfo(i), compression: compressionOf(i.PNext), external: forExternal(i)}
	planes, err := imagePlaces(i)
	name, ordinal := d.driver.frames.explain.name("")
	im.ordinal = ordinal
	switch {
	case err != nil:
	case planes != nil:
		im.core, err = d.core.NewPlacedImage(im.info, planes, name)
	default:
		im.core, err = d.core.NewUnboundImage(im.info, name)
	}
	if err == nil && i.Flags&vk.ImageCreateDescriptorHeapCaptureReplayBitEXT != 0 {
		if err = im.core.Capture(replayedImage(i.PNext)); err != nil {
			_ = im.core.Close()
		}
	}
	return im, err
}

// DestroyImage is vkDestroyImage.
func (d *Device) DestroyImage(a *abi.DestroyImageArgs) {
	destroy(&d.images, a.Image, func(im *Image) object { return im.core })
}

// GetImageMemoryRequirements is vkGetImageMemoryRequirements.
func (d *Device) GetImageMemoryRequirements(a *abi.GetImageMemoryRequirementsArgs) {
	*a.PMemoryRequirements = d.imageRequirements(a.Image)
}

// GetImageMemoryRequirements2 is vkGetImageMemoryRequirements2.
func (d *Device) GetImageMemoryRequirements2(a *abi.GetImageMemoryRequirements2Args) {
	r := d.imageRequirements(a.PInfo.Image)
	if p := abi.Find[abi.ImagePlaneMemoryRequirementsInfo](a.PInfo.PNext); p != nil {
		if im := lookup(&d.images, a.PInfo.Image); im != nil {
			r = im.requirements(im.core.PlaneRequirements(memoryPlane(&im.info, p.PlaneAspect)))
		}
	}
	fillRequirements(a.PMemoryRequirements, r)
}

// GetDeviceImageMemoryRequirements is vkGetDeviceImageMemoryRequirements.
func (d *Device) GetDeviceImageMemoryRequirements(a *abi.GetDeviceImageMemoryRequirementsArgs) {
	var r vk.MemoryRequirements // of an image that cannot be made: it fits into no memory type
	info := imageInfo(a.PInfo.PCreateInfo)
	planes, err := imagePlaces(a.PInfo.PCreateInfo)
	if err == nil {
		r, err = d.core.ImageRequirements(info, planes, memoryPlane(&info, a.PInfo.PlaneAspect))
	}
	if err == nil {
		r = imageTypes(r, forExternal(a.PInfo.PCreateInfo))
	}
	fillRequirements(a.PMemoryRequirements, r)
}

func (d *Device) imageRequirements(h abi.Image) vk.MemoryRequirements {
	im := lookup(&d.images, h)
	if im == nil {
		return vk.MemoryRequirements{}
	}
	return im.requirements(im.core.Requirements())
}

// requirements puts the driver's memory types into what package core says of the image or a plane.
func (im *Image) requirements(r vk.MemoryRequirements) vk.MemoryRequirements {
	return imageTypes(r, im.external)
}

// imageTypes is deviceRequirements of an image. Lazily allocated memory is never shared.
func imageTypes(r vk.MemoryRequirements, external bool) vk.MemoryRequirements {
	if r = deviceRequirements(r); external {
		r.MemoryTypeBits &^= lazyTypeBits
	}
	return r
}

// forExternal says that an image is made for memory that is shared.
func forExternal(i *abi.ImageCreateInfo) bool {
	x := abi.Find[abi.ExternalMemoryImageCreateInfo](i.PNext)
	return x != nil && x.HandleTypes != 0
}

// BindImageMemory is vkBindImageMemory.
func (d *Device) BindImageMemory(a *abi.BindImageMemoryArgs) vk.Result {
	return d.bindImage(a.Image, a.Memory, a.MemoryOffset, nil)
}

// BindImageMemory2 is vkBindImageMemory2. Bindings that can be made are made,
// whatever happens to others.
func (d *Device) BindImageMemory2(a *abi.BindImageMemory2Args) vk.Result {
	all := vk.Success
	for _, i := range abi.Slice(a.PBindInfos, a.BindInfoCount) {
		if of := abi.Find[abi.BindImageMemorySwapchainInfoKHR](i.PNext); of != nil && i.Memory == 0 {
			bindStatus(i.PNext, d.bindSwapchainImage(i.Image, of), &all)
		} else {
			plane := abi.Find[abi.BindImagePlaneMemoryInfo](i.PNext)
			bindStatus(i.PNext, d.bindImage(i.Image, i.Memory, i.MemoryOffset, plane), &all)
		}
	}
	return all
}

// bindImage binds an image, or a plane of a disjoint one.
func (d *Device) bindImage(image abi.Image, memory abi.DeviceMemory, offset uint64, plane *abi.BindImagePlaneMemoryInfo) vk.Result {
	im, m := lookup(&d.images, image), lookup(&d.memories, memory)
	if im == nil || m == nil {
		return vk.ErrorValidationFailed
	}
	if plane != nil && im.core.Disjoint() {
		return result(im.core.BindPlane(memoryPlane(&im.info, plane.PlaneAspect), m.core, offset))
	}
	return result(im.core.Bind(m.core, offset))
}

// bindStatus tells the result of one binding of several, and keeps the first
// failure of all.
func bindStatus(next unsafe.Pointer, r vk.Result, all *vk.Result) {
	if s := abi.Find[abi.BindMemoryStatus](next); s != nil && s.PResult != nil {
		*s.PResult = r
	}
	if r != vk.Success && *all == vk.Success {
		*all = r
	}
}

// GetImageSubresourceLayout is vkGetImageSubresourceLayout.
func (d *Device) GetImageSubresourceLayout(a *abi.GetImageSubresourceLayoutArgs) {
	*a.PLayout = vk.SubresourceLayout{}
	if im := lookup(&d.images, a.Image); im != nil {
		*a.PLayout = subresourceLayout(im, a.PSubresource)
	}
}

// GetImageSubresourceLayout2 is vkGetImageSubresourceLayout2.
func (d *Device) GetImageSubresourceLayout2(a *abi.GetImageSubresourceLayout2Args) {
	a.PLayout.SubresourceLayout = vk.SubresourceLayout{}
	if im := lookup(&d.images, a.Image); im != nil {
		fillSubresourceLayout(a.PLayout, im, a.PSubresource)
	}
}

// GetDeviceImageSubresourceLayout is vkGetDeviceImageSubresourceLayout.
func (d *Device) GetDeviceImageSubresourceLayout(a *abi.GetDeviceImageSubresourceLayoutArgs) {
	a.PLayout.SubresourceLayout = vk.SubresourceLayout{}
	im, err := d.newImage(a.PInfo.PCreateInfo)
	if err == nil {
		fillSubresourceLayout(a.PLayout, im, a.PInfo.PSubresource)
		_ = im.core.Close() // it has no memory
	}
}

// subresourceLayout is zero for a subresource that does not exist.
func subresourceLayout(im *Image, s *abi.ImageSubresource) vk.SubresourceLayout {
	l, err := im.core.SubresourceLayout(core.Subresource{Level: int(s.MipLevel), Layer: int(s.ArrayLayer), Aspect: memoryPlane(&im.info, s.AspectMask)})
	if err != nil {
		return vk.SubresourceLayout{}
	}
	return l
}

func fillSubresourceLayout(out *abi.SubresourceLayout2, im *Image, s *abi.ImageSubresource2) {
	fillCompression(out.PNext, im.compression)
	out.SubresourceLayout = subresourceLayout(im, &s.ImageSubresource)
	if o := abi.Find[abi.SubresourceHostMemcpySize](out.PNext); o != nil {
		o.Size = out.SubresourceLayout.Size
	}
}

// CreateImageView is vkCreateImageView.
func (d *Device) CreateImageView(a *abi.CreateImageViewArgs) vk.Result {
	i := a.PCreateInfo
	v, err := &ImageView{image: lookup(&d.images, i.Image)}, error(vk.ErrorValidationFailed)
	if v.image != nil {
		if v.core, err = d.core.NewImageView(v.image.core, d.viewDesc(i), ""); err == nil && i.Flags&vk.ImageViewCreateDescriptorBufferCaptureReplayBitEXT != 0 {
			err = v.core.Capture(replayedNumber(i.PNext))
		}
	}
	return created(&d.imageViews, a.PView, v, err)
}

// viewDesc reads a VkImageViewCreateInfo with its chain.
func (d *Device) viewDesc(i *abi.ImageViewCreateInfo) resource.ViewDesc {
	t := i.ViewType
	desc := resource.ViewDesc{Type: &t, Format: i.Format, Components: i.Components, Range: i.SubresourceRange}
	if s := abi.Find[abi.ImageViewSlicedCreateInfoEXT](i.PNext); s != nil {
		desc.FirstSlice, desc.SliceCount = s.SliceOffset, s.SliceCount
	}
	if m := abi.Find[abi.ImageViewMinLodCreateInfoEXT](i.PNext); m != nil {
		desc.MinLod = m.MinLod
	}
	if m := abi.Find[abi.ImageViewASTCDecodeModeEXT](i.PNext); m != nil {
		desc.DecodeMode = m.DecodeMode
	}
	if w := abi.Find[abi.ImageViewSampleWeightCreateInfoQCOM](i.PNext); w != nil {
		desc.Weights = resource.WeightImage{
			CenterX: int(w.FilterCenter.X), CenterY: int(w.FilterCenter.Y),
			Width: int(w.FilterSize.Width), Height: int(w.FilterSize.Height), Phases: int(w.NumPhases),
		}
	}
	if c := abi.Find[abi.SamplerYcbcrConversionInfo](i.PNext); c != nil {
		if y := lookup(&d.ycbcrConversions, c.Conversion); y != nil {
			desc.Ycbcr = y.conversion
		}
	}
	return desc
}

// DestroyImageView is vkDestroyImageView.
func (d *Device) DestroyImageView(a *abi.DestroyImageViewArgs) {
	destroy(&d.imageViews, a.ImageView, func(v *ImageView) object { return v.core })
}
