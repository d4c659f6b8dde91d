package core

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Descriptors of heaps are made of descriptions, not of objects. The view or the sampler that a description stands for is
// made once, and its number is a hash of the description: the same description gives the same descriptor, in every
// device, as capture and replay want it. Views live as long as their image, samplers as long as the device.

const (
	// describedNumber is set in the numbers that are hashes.
	describedNumber = 1 << 63
	// maxDescribedViews is how many views of an image descriptors of heaps may name, and
	// maxDescribedSamplers how many samplers of a device.
	maxDescribedViews    = 1 << 16
	maxDescribedSamplers = 1 << 20
)

// described is the number of a description.
type described []byte

func (h *described) word(v ...uint32) {
	for _, v := range v {
		*h = binary.LittleEndian.AppendUint32(*h, v)
	}
}

func (h *described) float(v ...float32) {
	for _, v := range v {
		h.word(math.Float32bits(v))
	}
}

func (h *described) flag(v ...bool) {
	for _, v := range v {
		if v {
			h.word(1)
		} else {
			h.word(0)
		}
	}
}

func (h *described) components(m vk.ComponentMapping) {
	h.word(uint32(m.R), uint32(m.G), uint32(m.B), uint32(m.A))
}

func (h described) number() uint64 {
	sum := sha256.Sum256(h)
	return binary.LittleEndian.Uint64(sum[:]) | describedNumber
}

func describeSampler(i *vk.SamplerCreateInfo, x *SamplerExtra) uint64 {
	var h described
	h.word(uint32(i.Flags), uint32(i.MagFilter), uint32(i.MinFilter), uint32(i.MipmapMode), uint32(i.AddressModeU), uint32(i.AddressModeV), uint32(i.AddressModeW))
	h.float(i.MipLodBias, i.MaxAnisotropy, i.MinLod, i.MaxLod)
	h.flag(i.AnisotropyEnable, i.CompareEnable, i.UnnormalizedCoordinates, x.HasBorder, x.Window.Max, x.BorderMapping != nil)
	h.word(uint32(i.CompareOp), uint32(i.BorderColor), uint32(x.Reduction), uint32(x.Cubic), uint32(x.BorderFormat), uint32(x.Window.Width), uint32(x.Window.Height))
	h.float(x.Border.Float32[:]...)
	h.word(x.Border.Uint32[:]...)
	for _, v := range x.Border.Int32 {
		h.word(uint32(v))
	}
	if m := x.BorderMapping; m != nil {
		h.components(m.Components)
		h.flag(m.Srgb)
	}
	return h.number()
}

func describeView(image uint64, d *resource.ViewDesc) uint64 {
	var h described
	h.word(lo(image), hi(image))
	if h.flag(d.Type != nil); d.Type != nil {
		h.word(uint32(*d.Type))
	}
	h.word(uint32(d.Format), uint32(d.DecodeMode), d.FirstSlice, d.SliceCount)
	h.components(d.Components)
	r, w := &d.Range, &d.Weights
	h.word(uint32(r.AspectMask), r.BaseMipLevel, r.LevelCount, r.BaseArrayLayer, r.LayerCount)
	h.float(d.MinLod)
	h.word(uint32(w.CenterX), uint32(w.CenterY), uint32(w.Width), uint32(w.Height), uint32(w.Phases))
	if y := d.Ycbcr; y != nil {
		h.word(uint32(y.Format), uint32(y.Model), uint32(y.Range), uint32(y.XChromaOffset), uint32(y.YChromaOffset), uint32(y.ChromaFilter))
		h.components(y.Components)
		h.flag(y.ForceExplicit)
		h.flag(y.YDegamma)
		h.flag(y.CbCrDegamma)
	}
	return h.number()
}

// DescribedSampler is the sampler of a description, for PutDescriptor. It has no Y′CBCR conversion, which only samplers
// of a pipeline have.
func (d *Device) DescribedSampler(info vk.SamplerCreateInfo, extra SamplerExtra) (*Sampler, error) {
	const op Op = "vkWriteSamplerDescriptorsEXT"
	if extra.Ycbcr != nil {
		return nil, d.misuse(op, "vkWriteSamplerDescriptorsEXT-pSamplers-11204", "embed it in the pipeline", "a sampler with a Y′CBCR conversion")
	}
	number := describeSampler(&info, &extra)
	n := &d.numbered
	n.mu.RLock()
	s, count := n.samplers[number], n.described
	n.mu.RUnlock()
	switch {
	case s != nil:
		return s, nil
	case count >= maxDescribedSamplers:
		return nil, d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: "too many samplers in descriptors", Err: ErrOutOfMemory})
	}
	s, err := d.NewSamplerWith(info, extra)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if other := n.samplers[number]; other != nil {
		return other, nil
	}
	s.numbered.number = number
	n.described++
	put(&n.samplers, number, s)
	n.changes.Add(1)
	return s, nil
}

// describedViews are the views of an image that descriptors of heaps name.
type describedViews struct {
	numbered numberedObject // of the image
	list     []*ImageView   // with objectNumbers.mu
}

// DescribedView is the view of a description, for PutDescriptor. It is closed with the image.
func (d *Device) DescribedView(im *Image, desc resource.ViewDesc) (*ImageView, error) {
	const op Op = "vkWriteResourceDescriptorsEXT"
	if im == nil {
		return nil, d.misuse(op, "VkImageViewCreateInfo-image-parameter", "", "the image is nil")
	}
	n := &d.numbered
	number := describeView(addNumber(n, &n.images, im, &im.object, &im.described.numbered), &desc)
	n.mu.RLock()
	v, count := n.views[number], len(im.described.list)
	n.mu.RUnlock()
	switch {
	case v != nil && v.image == im && !v.closed.Load():
		return v, nil
	case v != nil:
		return nil, d.report(&Error{Op: string(op), Rule: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", Detail: im.label(), Err: ErrAddressTaken})
	case count >= maxDescribedViews:
		return nil, d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: "too many views of " + im.label() + " in descriptors", Err: ErrOutOfMemory})
	}
	v, err := d.NewImageView(im, desc, "")
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if other := n.views[number]; other != nil {
		return other, nil
	}
	if im.closed.Load() {
		return nil, im.use(d, op)
	}
	v.numbered.number = number
	im.described.list = append(im.described.list, v)
	put(&n.views, number, v)
	n.changes.Add(1)
	return v, nil
}

// Capture gives an image that was just made the number in descriptors of heaps that it had when it was captured, or with 0
// one to be captured. It fails where the number is taken.
func (im *Image) Capture(replayed uint64) error {
	return addCaptured(im.dev, "vkGetImageOpaqueCaptureDescriptorDataEXT", &im.dev.numbered.images, im, &im.object, &im.described.numbered, replayed)
}

// CapturedNumber is what Capture gave the image; 0 without.
func (im *Image) CapturedNumber() uint64 {
	im.dev.numbered.mu.RLock()
	defer im.dev.numbered.mu.RUnlock()
	return im.described.numbered.number
}

// dropViews closes the views of descriptors with their image.
func (im *Image) dropViews() {
	n := &im.dev.numbered
	n.mu.Lock()
	list := im.described.list
	im.described.list = nil
	n.mu.Unlock()
	for _, v := range list {
		_ = v.Close()
	}
	dropNumber(n, &n.images, &im.described.numbered)
}
