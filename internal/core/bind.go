package core

import (
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Resources may be created first and bound to memory later. Until then they can
// be asked for their requirements and layout, and for nothing else.

// MemoryTypeBits and LazyMemoryTypeBits are masks of the kinds of memory that resources can live in: one
// everybody sees, the other is of NewLazyMemory, for transient attachments.
const (
	MemoryTypeBits     = 1
	LazyMemoryTypeBits = 4
)

// unbound is the error of using a resource without memory.
func (d *Device) unbound(op Op, o *object) error {
	return d.misuse(op, "resources-binding", "call Bind before", "%s has no memory", o.label())
}

// requirements rounds a size up to whole units of binding.
func requirements(size uint64) vk.MemoryRequirements {
	return vk.MemoryRequirements{Size: (size + BindAlignment - 1) &^ (BindAlignment - 1), Alignment: BindAlignment, MemoryTypeBits: MemoryTypeBits}
}

// NewUnboundBuffer makes a buffer without memory.
func (d *Device) NewUnboundBuffer(info vk.BufferCreateInfo, name string) (*Buffer, error) {
	return d.newBuffer("vkCreateBuffer", info, name)
}

// BufferRequirements tells what memory a buffer of size bytes and of those flags needs.
func BufferRequirements(size uint64, flags vk.BufferCreateFlags) vk.MemoryRequirements {
	if flags&bufferSparse != 0 {
		return sparseRequirements(size, SparseAlignment)
	}
	return requirements(size)
}

// Requirements tells what memory the buffer needs.
func (b *Buffer) Requirements() vk.MemoryRequirements { return BufferRequirements(b.size, b.flags) }

// Bound says whether the buffer has memory.
func (b *Buffer) Bound() bool { return b.mem != nil }

// Bind gives the buffer its memory, once. Several resources may share bytes. The
// last resource or submission that uses the memory frees it.
func (b *Buffer) Bind(mem *Memory, offset uint64) error {
	const op Op = "vkBindBufferMemory"
	if b == nil {
		return nilObject(op, "buffer")
	}
	if mem.Lazy() {
		return b.dev.misuse(op, "vkBindBufferMemory-memory-01035", "bind it to other memory", "%s and lazily allocated memory", b.label())
	}
	m, data, err := b.dev.bindLate(op, &b.object, b.mem, mem, offset, b.size, "vkBindBufferMemory-buffer-07459", "vkBindBufferMemory-None-10741")
	if err != nil {
		return err
	}
	b.bound(m, data, offset)
	b.addressing.Lock()
	defer b.addressing.Unlock()
	if b.address != 0 {
		b.dev.addresses.put(b.address, b.reach)
		b.dev.numbered.changes.Add(1)
	}
	return nil
}

// bindLate checks a late binding and takes the memory.
func (d *Device) bindLate(op Op, o *object, old, mem *Memory, offset, size uint64, vuidTwice, vuidSize string) (*Memory, []byte, error) {
	if err := d.usable(op); err != nil {
		return nil, nil, err
	}
	if err := o.use(d, op); err != nil {
		return nil, nil, err
	}
	if old != nil {
		return nil, nil, d.misuse(op, vuidTwice, "", "%s has memory already", o.label())
	}
	if mem == nil {
		return nil, nil, d.misuse(op, "vkBindBufferMemory-memory-parameter", "", "the memory is nil")
	}
	return d.bind(op, vuidSize, mem, offset, size)
}

// NewUnboundImage makes an image without memory.
// A sparse one has its addresses at once.
func (d *Device) NewUnboundImage(info vk.ImageCreateInfo, name string) (*Image, error) {
	const op Op = "vkCreateImage"
	im, err := d.newImage(op, info, nil, name)
	if err != nil || !im.sparse() {
		return im, err
	}
	m, s, err := d.reserve(op, uint64(im.res.Layout.Size), SparseAlignment)
	if err != nil {
		return nil, err
	}
	if err := im.res.Bind(s.Bytes()); err != nil {
		m.release()
		return nil, d.wrap(op, err)
	}
	im.mem = m
	return im, nil
}

// NewPlacedImage makes an image without memory, whose planes lie where the layouts
// have them (VkImageDrmFormatModifierExplicitCreateInfoEXT). Layouts that no image can
// have are VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT.
func (d *Device) NewPlacedImage(info vk.ImageCreateInfo, planes []vk.SubresourceLayout, name string) (*Image, error) {
	return d.newImage("vkCreateImage", info, planes, name)
}

// Requirements tells what memory the image needs.
func (im *Image) Requirements() vk.MemoryRequirements {
	if im.sparse() {
		return sparseRequirements(uint64(im.res.Layout.Size), SparseAlignment)
	}
	return im.requirements(im.res.Layout.Size)
}

// requirements are those of so many bytes of an image without sparse binding.
func (im *Image) requirements(size int64) vk.MemoryRequirements {
	r := requirements(uint64(size))
	if im.transient() {
		r.MemoryTypeBits |= LazyMemoryTypeBits
	}
	return r
}

// transient says that the image is a transient attachment, and nothing else.
//
// VUID-VkImageCreateInfo-usage-00963
func (im *Image) transient() bool {
	const attachments = vk.ImageUsageColorAttachmentBit | vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageInputAttachmentBit
	return im.res.Usage&^attachments == vk.ImageUsageTransientAttachmentBit
}

// takes says why the image cannot live in memory of a kind.
func (im *Image) takes(op Op, mem *Memory) error {
	if mem.Lazy() && !im.transient() {
		return im.dev.misuse(op, "vkBindImageMemory-memory-01047", "give it VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT, or bind it to other memory", "%s and lazily allocated memory", im.label())
	}
	return nil
}

// Bound says whether the image has memory.
func (im *Image) Bound() bool { return im.mem != nil }

// Bind gives the image its memory, once. Several resources may share bytes.
// Planes of a disjoint image are bound one by one.
func (im *Image) Bind(mem *Memory, offset uint64) error {
	const op Op = "vkBindImageMemory"
	if im == nil {
		return nilObject(op, "image")
	}
	if im.res.Disjoint() {
		return im.dev.misuse(op, "VkBindImageMemoryInfo-image-07736", "bind each plane", "%s is disjoint", im.label())
	}
	if err := im.takes(op, mem); err != nil {
		return err
	}
	m, data, err := im.dev.bindLate(op, &im.object, im.mem, mem, offset, uint64(im.res.Layout.Size), "vkBindImageMemory-image-07460", "vkBindImageMemory-None-10737")
	if err != nil {
		return err
	}
	if err := im.res.Bind(data); err != nil {
		m.release()
		return im.dev.wrap(op, err)
	}
	im.mem = m
	return nil
}

// PlaneRequirements tells what memory a plane of a disjoint image needs.
func (im *Image) PlaneRequirements(aspect vk.ImageAspectFlags) vk.MemoryRequirements {
	plane := im.res.PlaneOf(aspect)
	if plane < 0 {
		return vk.MemoryRequirements{}
	}
	return im.requirements(im.res.PlaneBytes(plane))
}

// Disjoint says that planes of the image have memory of their own.
func (im *Image) Disjoint() bool { return im.res.Disjoint() }

// BindPlane gives a plane of a disjoint image its memory, once. The image is
// bound when all its planes are (VkBindImagePlaneMemoryInfo).
func (im *Image) BindPlane(aspect vk.ImageAspectFlags, mem *Memory, offset uint64) error {
	const op Op = "vkBindImageMemory2"
	if im == nil {
		return nilObject(op, "image")
	}
	plane := im.res.PlaneOf(aspect)
	if plane < 0 || !im.res.Disjoint() {
		return im.dev.misuse(op, "VkBindImagePlaneMemoryInfo-planeAspect-02283", "", "aspect %v of %s", aspect, im.label())
	}
	if err := im.takes(op, mem); err != nil {
		return err
	}
	size := uint64(im.res.PlaneBytes(plane))
	m, data, err := im.dev.bindLate(op, &im.object, im.planes[plane], mem, offset, size, "VkBindImageMemoryInfo-image-07460", "VkBindImageMemoryInfo-pNext-01621")
	if err != nil {
		return err
	}
	if err := im.res.BindPlane(plane, data); err != nil {
		m.release()
		return im.dev.wrap(op, err)
	}
	im.planes[plane] = m
	if im.res.Bound() {
		im.mem = im.planes[0]
	}
	return nil
}

// SubresourceLayout tells where a subresource lies in the image's memory, bytes.
// Every image is laid out linearly, whatever its tiling; aspects of depth/stencil
// formats are planes of their own.
//
// resources-image-subresource-layout
func (im *Image) SubresourceLayout(sub Subresource) (vk.SubresourceLayout, error) {
	const op Op = "vkGetImageSubresourceLayout"
	if im == nil {
		return vk.SubresourceLayout{}, nilObject(op, "image")
	}
	plane, err := im.subresource(op, sub)
	if err != nil {
		return vk.SubresourceLayout{}, err
	}
	p := &im.res.Layout.Planes[plane]
	l := &p.Levels[sub.Level]
	return vk.SubresourceLayout{
		Offset: uint64(p.Offset + int64(sub.Layer)*p.LayerPitch + l.Offset), Size: uint64(l.Size),
		RowPitch: uint64(l.RowPitch), ArrayPitch: uint64(p.LayerPitch), DepthPitch: uint64(l.SlicePitch),
	}, nil
}

// ImageRequirements tells what memory an image would need, whose planes lie where the
// layouts have them if there are some; of a disjoint image, its plane.
func (d *Device) ImageRequirements(info vk.ImageCreateInfo, planes []vk.SubresourceLayout, plane vk.ImageAspectFlags) (vk.MemoryRequirements, error) {
	im, err := d.newImage("vkGetDeviceImageMemoryRequirements", info, planes, "")
	if err != nil {
		return vk.MemoryRequirements{}, err
	}
	if im.res.Disjoint() {
		return im.PlaneRequirements(plane), nil
	}
	return im.Requirements(), nil
}

// viewable checks that views of the image can be made.
func (im *Image) viewable(d *Device, op Op) error {
	if err := im.use(d, op); err != nil {
		return err
	}
	if im.mem == nil {
		return d.unbound(op, &im.object)
	}
	return nil
}

// MaxImageBytes bounds the memory of one image.
const MaxImageBytes = resource.MaxImageBytes
