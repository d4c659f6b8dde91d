package core

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Image is an image in device memory.
type Image struct {
	object
	res *resource.Image
	mem *Memory // nil until it is bound
	// planes are the memories of a disjoint image; mem is the first once all are
	// bound.
	planes [3]*Memory

	mu      sync.Mutex
	whole   *ImageView // of all levels, for descriptors
	surface *ImageView // of level 0, for attachments

	layouts imageLayouts
	initial vk.ImageLayout

	described describedViews
}

// sampleCounts are the numbers of samples that images and pipelines can have.
const sampleCounts vk.SampleCountFlags = 2*MaxSamples - 1

// LocationSamples are those of which sample locations can be custom: records of fragments have room
// for the locations of a grid of pixels with so many.
const LocationSamples vk.SampleCountFlags = 2*vk.SampleCount16Bit - 1

// Samples turns a sample count flag into a number; 0 means 1.
func Samples(f vk.SampleCountFlags) int {
	if f == 0 {
		return 1
	}
	return int(f)
}

// NewImage makes an image bound to mem at offset, or to memory of its own if mem
// is nil. Usage 0 means all that the format supports; tiling, sharing and initial
// layout make no difference.
func (d *Device) NewImage(info vk.ImageCreateInfo, mem *Memory, offset uint64, name string) (*Image, error) {
	const op Op = "vkCreateImage"
	if info.Flags&vk.ImageCreateSparseBindingBit != 0 {
		return d.NewUnboundImage(info, name)
	}
	im, err := d.newImage(op, info, nil, name)
	if err != nil {
		return nil, err
	}
	mem, data, err := d.bind(op, "vkBindImageMemory-None-10737", mem, offset, uint64(im.res.Layout.Size))
	if err != nil {
		return nil, err
	}
	im.mem = mem
	if err := im.res.Bind(data); err != nil {
		im.mem.release()
		return nil, d.wrap(op, err)
	}
	return im, nil
}

// newImage makes an image without memory.
func (d *Device) newImage(op Op, info vk.ImageCreateInfo, planes []vk.SubresourceLayout, name string) (*Image, error) {
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if n := info.Samples; n != 0 && (n&sampleCounts == 0 || bits.OnesCount32(uint32(n)) != 1) {
		return nil, d.unsupported(op, "VkImageCreateInfo-samples-02258",
			"use a power of two up to 64", "%v", n)
	}
	desc := resource.ImageDesc{
		Type: info.ImageType, Format: info.Format, Extent: info.Extent,
		MipLevels: int(min(info.MipLevels, resource.MaxExtent)), ArrayLayers: int(min(info.ArrayLayers, 2*resource.MaxExtent)),
		Samples: Samples(info.Samples), Flags: info.Flags, Usage: info.Usage, Planes: planes,
	}
	can := d.imageUsage(info.Format)
	if can == 0 {
		return nil, d.unsupported(op, "VkImageCreateInfo-imageCreateMaxMipLevels-02251", "vkGetPhysicalDeviceFormatProperties tells what works", "format %v", info.Format)
	}
	if desc.Usage == 0 {
		desc.Usage = can
		if desc.Type != vk.ImageType2D || desc.Samples > 1 {
			desc.Usage &^= vk.ImageUsageFragmentDensityMapBitEXT
		}
	}
	// With EXTENDED_USAGE the format of a view decides what it is used for.
	if missing := desc.Usage &^ can & formatUsage; missing != 0 && info.Flags&vk.ImageCreateExtendedUsageBit == 0 {
		return nil, d.unsupported(op, "VkImageCreateInfo-imageCreateMaxMipLevels-02251", "vkGetPhysicalDeviceFormatProperties tells what works", "%v with %v", info.Format, missing)
	}
	res, err := resource.NewImage(desc)
	if err != nil {
		return nil, d.wrap(op, err)
	}
	im := &Image{res: res, initial: info.InitialLayout}
	im.dev, im.kind, im.name = d, "image", name
	res.Name = cmp.Or(name, im.kind)
	return im, nil
}

// formatUsage is the usage that a format has to allow.
const formatUsage = vk.ImageUsageTransferSrcBit | vk.ImageUsageTransferDstBit | vk.ImageUsageSampledBit | vk.ImageUsageStorageBit |
	vk.ImageUsageColorAttachmentBit | vk.ImageUsageDepthStencilAttachmentBit | vk.ImageUsageInputAttachmentBit | vk.ImageUsageTransientAttachmentBit |
	vk.ImageUsageFragmentShadingRateAttachmentBitKHR | vk.ImageUsageFragmentDensityMapBitEXT

// Info returns the description with its defaults filled in.
func (im *Image) Info() resource.ImageDesc { return im.res.ImageDesc }

// Format returns the format's table row.
func (im *Image) Format() *format.Info { return im.res.Info }

// eachMemory calls f with all that the image is bound to.
func (im *Image) eachMemory(f func(*Memory)) {
	if im.planes[0] == nil {
		f(im.mem)
		return
	}
	for _, m := range im.planes[:len(im.res.Layout.Planes)] {
		f(m)
	}
}

// memories lists them.
func (im *Image) memories() (list []*Memory) {
	im.eachMemory(func(m *Memory) { list = append(list, m) })
	return list
}

// Close gives the image up.
func (im *Image) Close() error {
	if im == nil || im.closed.Swap(true) {
		return nil
	}
	im.dev.numbered.changes.Add(1)
	im.dropViews()
	im.eachMemory(func(m *Memory) {
		if m != nil {
			m.release()
		}
	})
	return nil
}

// need checks that the image can be used with d, for usage.
func (im *Image) need(d *Device, op Op, rule string, usage vk.ImageUsageFlags) error {
	if im == nil {
		return d.misuse(op, rule, "", "the image is nil")
	}
	if err := im.viewable(d, op); err != nil {
		return err
	}
	if im.res.Usage&usage == 0 {
		refuse := d.misuse
		if usage&^(vk.ImageUsageTransferSrcBit|vk.ImageUsageTransferDstBit) == 0 { // images can be copied however they were made
			refuse = d.harmless
		}
		return refuse(op, rule, "add it to the image's usage", "%s was made without %v", im.label(), usage)
	}
	return nil
}

// Subresource names one aspect of a level of a layer.
type Subresource struct {
	Level, Layer int
	Aspect       vk.ImageAspectFlags // 0: the first that the format has
}

// subresource checks sub and returns its plane.
func (im *Image) subresource(op Op, sub Subresource) (plane int, err error) {
	if sub.Aspect == 0 {
		sub.Aspect = im.res.Layout.Planes[0].Aspect
	}
	if plane = im.res.PlaneOf(sub.Aspect); plane < 0 {
		return 0, im.dev.misuse(op, "VkImageSubresource-aspectMask-parameter", "", "aspect %v of %v", sub.Aspect, im.res.Format)
	}
	copied := "VkCopyImageToMemoryInfo"
	if op == "write of an image" {
		copied = "VkCopyMemoryToImageInfo"
	}
	if sub.Level < 0 || sub.Level >= im.res.MipLevels {
		return 0, im.dev.misuse(op, copied+"-imageSubresource-07967", "", "level %d of %d", sub.Level, im.res.MipLevels)
	}
	if sub.Layer < 0 || sub.Layer >= im.res.ArrayLayers {
		return 0, im.dev.misuse(op, copied+"-imageSubresource-07968", "", "layer %d of %d", sub.Layer, im.res.ArrayLayers)
	}
	return plane, nil
}

// SubresourceSize returns the bytes of one subresource, tightly packed.
func (im *Image) SubresourceSize(op Op, sub Subresource) (int, error) {
	plane, err := im.subresource(op, sub)
	if err != nil {
		return 0, err
	}
	l := &im.res.Layout.Planes[plane].Levels[sub.Level]
	return l.BlocksX * l.BlocksY * l.BlocksZ * im.res.Layout.Planes[plane].Bytes * im.res.Samples, nil
}

// Write copies tightly packed texels into one subresource in the queue's turn.
func (im *Image) Write(ctx context.Context, sub Subresource, data []byte) error {
	const op Op = "write of an image"
	if im == nil {
		return nilObject(op, "image")
	}
	if err := im.dev.usable(op); err != nil {
		return err
	}
	if err := im.viewable(im.dev, op); err != nil {
		return err
	}
	want, err := im.SubresourceSize(op, sub)
	if err != nil {
		return err
	}
	if len(data) != want {
		return im.dev.misuse(op, "size of the data", "rows without padding, slices one after another", "%d bytes for a subresource of %d", len(data), want)
	}
	return im.dev.run(ctx, op, im.memories(), func(context.Context) error {
		im.eachRow(sub, func(row []byte) { data = data[copy(row, data):] })
		return nil
	})
}

// Read returns one subresource tightly packed, in the queue's turn.
func (im *Image) Read(ctx context.Context, sub Subresource) ([]byte, error) {
	const op Op = "read of an image"
	if im == nil {
		return nil, nilObject(op, "image")
	}
	if err := im.dev.usable(op); err != nil {
		return nil, err
	}
	if err := im.viewable(im.dev, op); err != nil {
		return nil, err
	}
	size, err := im.SubresourceSize(op, sub)
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, size)
	err = im.dev.run(ctx, op, im.memories(), func(context.Context) error {
		im.eachRow(sub, func(row []byte) { data = append(data, row...) })
		return nil
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// eachRow calls f with the memory of each row of texels (or blocks), piece by piece
// where it does not lie side by side.
func (im *Image) eachRow(sub Subresource, f func(row []byte)) {
	plane := 0
	if sub.Aspect != 0 {
		plane = im.res.PlaneOf(sub.Aspect)
	}
	l := im.res.Level(plane, sub.Level, sub.Layer)
	lay := &im.res.Layout.Planes[plane].Levels[sub.Level]
	for z := range lay.BlocksZ {
		for y := range lay.BlocksY {
			for x := 0; x < lay.BlocksX; {
				n := l.Columns.Side(x, lay.BlocksX-x)
				f(l.Row(x*l.BlockWidth, y*l.BlockHeight, z*l.BlockDepth, n))
				x += n
			}
		}
	}
}

// ImageView is a part of an image as descriptors and attachments see it.
type ImageView struct {
	object
	image   *Image
	view    *resource.ImageView
	storage *resource.ImageView // as a storage image; differs in sliced views only

	numbered numberedObject
}

// NewImageView makes a view. Zero fields are as resource.ViewDesc says.
func (d *Device) NewImageView(im *Image, desc resource.ViewDesc, name string) (*ImageView, error) {
	const op Op = "vkCreateImageView"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if im == nil {
		return nil, d.misuse(op, "VkImageViewCreateInfo-image-parameter", "", "the image is nil")
	}
	if err := im.viewable(d, op); err != nil {
		return nil, err
	}
	if d.cfg.Mend {
		im.mendLevels(op, &desc.Range)
	}
	storage, err := resource.NewView(im.res, desc)
	if err != nil {
		return nil, d.wrap(op, err)
	}
	if resource.Reinterprets(im.res.Info, storage.Info) {
		_ = d.misuse(op, "VkImageViewCreateInfo-image-01761", "it shows the bits as they are", "view format %v is not compatible with %v", storage.Info.Format, im.res.Info.Format)
	}
	storage.SetID(d.ids.Add(1))
	v := &ImageView{image: im, view: storage, storage: storage}
	if desc.SliceCount != 0 { // which count for storage images only
		desc.FirstSlice, desc.SliceCount = 0, 0
		if v.view, err = resource.NewView(im.res, desc); err != nil {
			return nil, d.wrap(op, err)
		}
		v.view.SetID(d.ids.Add(1))
	}
	v.dev, v.kind, v.name = d, "image view", name
	return v, nil
}

// Close gives the view up.
func (v *ImageView) Close() error {
	if v != nil && !v.closed.Swap(true) {
		dropNumber(&v.dev.numbered, &v.dev.numbered.views, &v.numbered)
	}
	return nil
}

// Format returns the view's format.
func (v *ImageView) Format() vk.Format { return v.view.Format }

// use checks the view and its image.
func (v *ImageView) use(d *Device, op Op) error {
	if err := v.object.use(d, op); err != nil {
		return err
	}
	return v.image.use(d, op)
}

// Whole returns a view of all levels and layers in the plainest type (cube where
// the image is one), of the depth aspect for depth/stencil formats.
func (im *Image) Whole() (*ImageView, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.whole != nil {
		return im.whole, nil
	}
	desc := resource.ViewDesc{}
	desc.Range.AspectMask = im.res.Layout.Planes[0].Aspect
	if im.res.Info.MultiPlanar() {
		desc.Range.AspectMask = vk.ImageAspectColorBit
	}
	if im.res.Flags&vk.ImageCreateCubeCompatibleBit != 0 && im.res.ArrayLayers%6 == 0 {
		t := vk.ImageViewTypeCube
		if im.res.ArrayLayers > 6 {
			t = vk.ImageViewTypeCubeArray
		}
		desc.Type = &t
	}
	v, err := im.dev.NewImageView(im, desc, im.name)
	if err == nil {
		im.whole = v
	}
	return v, err
}

// Surface returns a view of level 0 with all layers and aspects.
func (im *Image) Surface() (*ImageView, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.surface != nil {
		return im.surface, nil
	}
	v, err := im.dev.NewImageView(im, resource.ViewDesc{Range: vk.ImageSubresourceRange{LevelCount: 1}}, im.name)
	if err == nil {
		im.surface = v
	}
	return v, err
}

// Sampler is filter and addressing state.
type Sampler struct {
	object
	state *resource.Sampler

	numbered numberedObject
}

// NewSampler makes a sampler.
func (d *Device) NewSampler(info vk.SamplerCreateInfo, reduction vk.SamplerReductionMode) (*Sampler, error) {
	return d.NewCustomSampler(info, reduction, vk.ClearColorValue{})
}

// NewCustomSampler makes a sampler whose border colour is border where info asks
// for a custom one: Float32, or Int32 or Uint32, which share their bits.
func (d *Device) NewCustomSampler(info vk.SamplerCreateInfo, reduction vk.SamplerReductionMode, border vk.ClearColorValue) (*Sampler, error) {
	return d.NewSamplerWith(info, SamplerExtra{Reduction: reduction, Border: border})
}

// SamplerExtra is what structs of extensions add to a VkSamplerCreateInfo.
type SamplerExtra struct {
	Reduction vk.SamplerReductionMode
	Border    vk.ClearColorValue        // see NewCustomSampler
	Ycbcr     *resource.YcbcrConversion // nil: none
	Cubic     vk.CubicFilterWeightsQCOM
	// BorderFormat is the format that a custom border colour was given for.
	BorderFormat  vk.Format
	HasBorder     bool // a custom border colour was given
	BorderMapping *resource.BorderMapping
	Window        resource.BlockMatchWindow
}

// NewSamplerWith makes a sampler with the state of extensions.
func (d *Device) NewSamplerWith(info vk.SamplerCreateInfo, extra SamplerExtra) (*Sampler, error) {
	const op Op = "vkCreateSampler"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	// What is not used may hold anything.
	if !info.CompareEnable {
		info.CompareOp = vk.CompareOpNever
	}
	if d.cfg.Mend {
		d.mendSampler(op, &info)
	}
	const clamp = vk.SamplerAddressModeClampToBorder
	if info.AddressModeU != clamp && info.AddressModeV != clamp && info.AddressModeW != clamp {
		info.BorderColor = 0
	}
	state, err := resource.NewSampler(resource.Sampler{
		MagFilter: info.MagFilter, MinFilter: info.MinFilter, MipmapMode: info.MipmapMode,
		AddressModeU: info.AddressModeU, AddressModeV: info.AddressModeV, AddressModeW: info.AddressModeW,
		MipLodBias: info.MipLodBias, AnisotropyEnable: info.AnisotropyEnable, MaxAnisotropy: info.MaxAnisotropy,
		CompareEnable: info.CompareEnable, CompareOp: info.CompareOp, MinLod: info.MinLod, MaxLod: info.MaxLod,
		BorderColor: info.BorderColor, UnnormalizedCoordinates: info.UnnormalizedCoordinates, Reduction: extra.Reduction,
		NonSeamless:       info.Flags&vk.SamplerCreateNonSeamlessCubeMapBitEXT != 0,
		CustomBorderColor: customBorder(info.BorderColor, extra.Border),
		Ycbcr:             extra.Ycbcr,
		CubicWeights:      extra.Cubic,
		Subsampled:        info.Flags&vk.SamplerCreateSubsampledBitEXT != 0,

		CustomBorderFormat: extra.BorderFormat, HasCustomBorder: extra.HasBorder, BorderMapping: extra.BorderMapping,
		ImageProcessing: info.Flags&vk.SamplerCreateImageProcessingBitQCOM != 0,
		Window:          extra.Window,
	})
	if err != nil {
		return nil, d.wrap(op, err)
	}
	state.ID = d.ids.Add(1)
	o := &Sampler{state: state}
	o.dev, o.kind = d, "sampler"
	return o, nil
}

// NewYcbcrConversion checks a sampler Y′CBCR conversion.
func (d *Device) NewYcbcrConversion(c resource.YcbcrConversion) (*resource.YcbcrConversion, error) {
	const op Op = "vkCreateSamplerYcbcrConversion"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	y, err := resource.NewYcbcrConversion(c)
	if err != nil {
		return nil, d.wrap(op, err)
	}
	return y, nil
}

// customBorder is the texel of a custom border colour.
func customBorder(c vk.BorderColor, border vk.ClearColorValue) (t format.Texel) {
	for i := range t {
		switch {
		case c == vk.BorderColorFloatCustomEXT:
			t[i] = math.Float32bits(border.Float32[i])
		case border.Int32[i] != 0:
			t[i] = uint32(border.Int32[i])
		default:
			t[i] = border.Uint32[i]
		}
	}
	return t
}

// Close gives the sampler up.
func (s *Sampler) Close() error {
	if s != nil && !s.closed.Swap(true) {
		dropNumber(&s.dev.numbered, &s.dev.numbered.samplers, &s.numbered)
	}
	return nil
}
