package core

import (
	"context"
	"errors"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/memory"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Sparse resources have addresses from the beginning, and memory page by page,
// whenever the queue binds it. Pages without memory read as zero and drop what is
// written (residencyNonResidentStrict): shaders ask before they write, and what
// other commands leave behind is discarded when they end.
//
// sparsememory

const (
	// SparseAlignment is the unit of binding.
	SparseAlignment = resource.SparseBlockBytes
	// MaxSparseBytes bounds the addresses of all sparse resources of a device, if its memory is
	// not more: 64 GiB, and the 2 GiB that Vulkan wants where an address has 32 bits.
	MaxSparseBytes = 1 << (31 + ^uint(0)>>63*5)

	bufferSparse = vk.BufferCreateSparseBindingBit | vk.BufferCreateSparseResidencyBit | vk.BufferCreateSparseAliasedBit
)

// PagedMemoryTypeBits is MemoryTypeBits of sparse resources: memory of
// NewPagedMemory, NewSharedMemory and ImportShared.
const PagedMemoryTypeBits = 2

// NewPagedMemory allocates size zeroed bytes that can be bound to sparse resources.
func (d *Device) NewPagedMemory(size uint64) (*Memory, error) {
	const op Op = "vkAllocateMemory"
	if err := d.usable(op); err != nil {
		return nil, err
	}
	return d.allocateBy(op, size, d.alloc.AllocPaged)
}

// sparseLimit is sparseAddressSpaceSize: memory that there is can be bound.
func (d *Device) sparseLimit() int64 {
	if d == nil {
		return MaxSparseBytes
	}
	return max(MaxSparseBytes, d.cfg.MemoryLimit)
}

// reserve gives a sparse resource its addresses: size bytes, rounded up to align.
// The memory holds them until its last user is gone.
func (d *Device) reserve(op Op, size, align uint64) (*Memory, *memory.Sparse, error) {
	size = alignUp(size, align)
	most := d.sparseLimit()
	counted := int64(min(size, uint64(most)+1))
	if d.sparseBytes.Add(counted) > most {
		d.sparseBytes.Add(-counted)
		return nil, nil, d.report(&Error{Op: string(op), Rule: "VK_ERROR_OUT_OF_DEVICE_MEMORY", Detail: "the sparse resources take more addresses than there are", Err: ErrOutOfMemory})
	}
	s, err := memory.NewSparse(int64(size))
	if err != nil {
		d.sparseBytes.Add(-int64(size))
		return nil, nil, d.wrap(op, err)
	}
	free := func() error {
		delete(d.sparse, s) // the caller holds d.mu
		d.sparseBytes.Add(-int64(size))
		return s.Free()
	}
	m, err := d.addMemory(op, s.Bytes(), nil, free)
	if err != nil {
		return nil, nil, err
	}
	m.sparse = s
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sparse[s] = struct{}{}
	return m, s, nil
}

func alignUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// unbacked are the device's sparse resources that lack memory somewhere, nil if
// none does.
func (d *Device) unbacked() memory.SparseSet {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sparse) == 0 {
		return nil
	}
	all := make([]*memory.Sparse, 0, len(d.sparse))
	for s := range d.sparse { // NewSparseSet sorts
		all = append(all, s)
	}
	return memory.NewSparseSet(all)
}

// discard undoes writes of the last command to pages without memory.
func (r *runner) discard() {
	for _, s := range r.unbacked {
		s.Discard()
	}
}

func (im *Image) sparse() bool { return im.res.Flags&vk.ImageCreateSparseBindingBit != 0 }

func sparseRequirements(size, align uint64) vk.MemoryRequirements {
	return vk.MemoryRequirements{Size: alignUp(size, align), Alignment: align, MemoryTypeBits: PagedMemoryTypeBits}
}

// SparseRequirements tells how an image with SPARSE_RESIDENCY is bound.
func (im *Image) SparseRequirements() []vk.SparseImageMemoryRequirements {
	if im == nil || im.res.Flags&vk.ImageCreateSparseResidencyBit == 0 {
		return nil
	}
	r := vk.SparseImageMemoryRequirements{FormatProperties: sparseProperties(im.res.Info, im.res.Type, im.res.Samples)}
	if resource.BoundWhole(im.res.Info) {
		r.ImageMipTailSize = alignUp(uint64(im.res.Layout.Size), SparseAlignment)
	} else {
		level, offset, size := im.res.MipTail(0)
		r.ImageMipTailFirstLod, r.ImageMipTailSize = uint32(level), uint64(size)
		r.ImageMipTailOffset, r.ImageMipTailStride = uint64(offset), uint64(im.res.Layout.Planes[0].LayerPitch)
	}
	return []vk.SparseImageMemoryRequirements{r}
}

// ImageSparseRequirements is SparseRequirements of an image before it is made.
func (d *Device) ImageSparseRequirements(info vk.ImageCreateInfo) ([]vk.SparseImageMemoryRequirements, error) {
	im, err := d.newImage("vkGetDeviceImageSparseMemoryRequirements", info, nil, "")
	return im.SparseRequirements(), err
}

// SparseFormatProperties tells which blocks images with SPARSE_RESIDENCY are bound in;
// none where they cannot be sparse.
func (d *Device) SparseFormatProperties(f vk.Format, t vk.ImageType, samples int) []vk.SparseImageFormatProperties {
	info, ok := format.Lookup(f)
	if !ok || !resource.CanBeSparse(info) || d.imageUsage(f) == 0 {
		return nil
	}
	return []vk.SparseImageFormatProperties{sparseProperties(info, t, samples)}
}

// IMG-231 sparsememory-standard-shapes
func sparseProperties(info *format.Info, t vk.ImageType, samples int) vk.SparseImageFormatProperties {
	block, standard := resource.SparseBlock(info, t, samples)
	p := vk.SparseImageFormatProperties{ImageGranularity: block}
	for _, plane := range info.Planes {
		p.AspectMask |= plane.Aspect
	}
	if !standard {
		p.Flags |= vk.SparseImageFormatNonstandardBlockSizeBit
	}
	if resource.BoundWhole(info) {
		p.Flags |= vk.SparseImageFormatSingleMiptailBit
	}
	return p
}

// A PageBind binds Size bytes of a buffer, or of an opaque image or mip tail, to
// memory; or takes it away, if Memory is nil (VkSparseMemoryBind).
type PageBind struct {
	Buffer       *Buffer
	Image        *Image
	Offset, Size uint64
	Memory       *Memory
	MemoryOffset uint64
}

// A BlockBind binds whole blocks of an image subresource (VkSparseImageMemoryBind).
type BlockBind struct {
	Image        *Image
	Sub          Subresource
	Offset       vk.Offset3D
	Extent       vk.Extent3D
	Memory       *Memory
	MemoryOffset uint64
}

// pageRange is a part of a binding that is one piece in both places.
type pageRange struct {
	sparse *memory.Sparse
	at, n  int64
	block  *memory.Block
	from   int64
}

// BindSparse queues bindings (vkQueueBindSparse). Those that break a rule are
// reported and left out.
func (q *Queue) BindSparse(ctx context.Context, op Op, pages []PageBind, blocks []BlockBind) (*Fence, error) {
	d := q.dev
	if err := d.usable(op); err != nil {
		return nil, err
	}
	g := gathering{dev: d, op: op, tolerant: true}
	var ranges []pageRange
	var first error
	for i := range pages {
		r, err := d.pageRange(op, &g, &pages[i])
		if err == nil {
			ranges = append(ranges, r)
		} else if first == nil {
			first = err
		}
	}
	for i := range blocks {
		r, err := d.blockRanges(op, &g, &blocks[i])
		if ranges = append(ranges, r...); err != nil && first == nil {
			first = err
		}
	}
	if first != nil && !droppable(first) {
		releaseAll(g.memories)
		return nil, first
	}
	return q.push(job{ctx: ctx, op: op, memories: g.memories, run: func(context.Context, *stopwatch) error {
		for _, r := range ranges {
			var err error
			if r.block != nil {
				err = r.sparse.Bind(r.at, r.block, r.from, r.n)
			} else {
				err = r.sparse.Unbind(r.at, r.n)
			}
			var bad *memory.BindError
			switch {
			case errors.As(err, &bad):
				_ = d.misuse(op, "VkSparseMemoryBind-memory-01096", "", "%v", err)
			case err != nil:
				return d.wrap(op, err)
			}
		}
		return nil
	}})
}

// BindSparseAndWait is BindSparse, and waits.
func (q *Queue) BindSparseAndWait(ctx context.Context, op Op, pages []PageBind, blocks []BlockBind) error {
	f, err := q.BindSparse(ctx, op, pages, blocks)
	if err != nil {
		return err
	}
	return f.await(ctx, op)
}

// source checks the memory of a binding; nil is none.
func (g *gathering) source(m *Memory, offset uint64) (*memory.Block, error) {
	if m == nil {
		return nil, nil
	}
	if err := g.add(m.use(g.dev, g.op), m); err != nil {
		return nil, err
	}
	if m.block == nil || m.lazy || offset > m.Size() {
		return nil, g.dev.misuse(g.op, "VkSparseMemoryBind-memory-01096", "allocate memory of the type that the resource asks for", "%s cannot be bound to sparse resources", m.label())
	}
	return m.block, nil
}

func (d *Device) pageRange(op Op, g *gathering, b *PageBind) (r pageRange, err error) {
	var m *Memory
	const align = SparseAlignment
	switch {
	case b.Buffer != nil && b.Buffer.mem != nil:
		err, m = b.Buffer.use(d, op), b.Buffer.mem
	case b.Image != nil && b.Image.mem != nil:
		err, m = b.Image.use(d, op), b.Image.mem
	}
	if m == nil || m.sparse == nil {
		return r, d.misuse(op, "VkSparseBufferMemoryBindInfo-buffer-parameter", "", "the resource is not sparse")
	}
	if err := g.add(err, m); err != nil {
		return r, err
	}
	room := m.Size()
	if b.Offset > room || b.Size > room-b.Offset || b.Offset%align != 0 || b.Size%align != 0 || b.Size == 0 || b.MemoryOffset%align != 0 {
		return r, d.misuse(op, "VkSparseMemoryBind-resourceOffset-09491", "", "bytes %d+%d of %d, by %d, to offset %d", b.Offset, b.Size, room, align, b.MemoryOffset)
	}
	block, err := g.source(b.Memory, b.MemoryOffset)
	return pageRange{m.sparse, int64(b.Offset), int64(b.Size), block, int64(b.MemoryOffset)}, err
}

// blockRanges finds the pages of blocks: those of a column lie side by side.
func (d *Device) blockRanges(op Op, g *gathering, b *BlockBind) ([]pageRange, error) {
	im := b.Image
	if im == nil || im.mem == nil || im.mem.sparse == nil || im.res.Flags&vk.ImageCreateSparseResidencyBit == 0 {
		return nil, d.misuse(op, "VkSparseImageMemoryBindInfo-image-02901", "", "the image was made without SPARSE_RESIDENCY")
	}
	if err := g.image(im.use(d, op), im); err != nil {
		return nil, err
	}
	plane, err := im.subresource(op, b.Sub)
	if err != nil {
		return nil, err
	}
	p := &im.res.Layout.Planes[plane]
	l := im.res.Level(plane, b.Sub.Level, b.Sub.Layer)
	tail, _, _ := im.res.MipTail(plane)
	grain, _ := resource.SparseBlock(p.Info, im.res.Type, im.res.Samples)
	x, ok1 := blockSpan(b.Offset.X, b.Extent.Width, int(grain.Width), l.Width)
	y, ok2 := blockSpan(b.Offset.Y, b.Extent.Height, int(grain.Height), l.Height)
	z, ok3 := blockSpan(b.Offset.Z, b.Extent.Depth, int(grain.Depth), l.Depth)
	if !ok1 || !ok2 || !ok3 || b.Sub.Level >= tail || b.MemoryOffset%SparseAlignment != 0 {
		return nil, d.misuse(op, "VkSparseImageMemoryBind-offset-01107", "bind whole blocks", "%v at %v of level %d to offset %d", b.Extent, b.Offset, b.Sub.Level, b.MemoryOffset)
	}
	block, err := g.source(b.Memory, b.MemoryOffset)
	if err != nil {
		return nil, err
	}
	start := p.Offset + int64(b.Sub.Layer)*p.LayerPitch + p.Levels[b.Sub.Level].Offset
	from := int64(b.MemoryOffset)
	var out []pageRange
	for k := z.from; k < z.to; k++ {
		for j := y.from; j < y.to; j++ {
			for i := x.from; i < x.to; i++ {
				at := start + int64(l.Offset(int(i)*int(grain.Width), int(j)*int(grain.Height), int(k)*int(grain.Depth), 0))
				if n := len(out); n > 0 && out[n-1].at+out[n-1].n == at {
					out[n-1].n += SparseAlignment // one column wide
				} else {
					out = append(out, pageRange{im.mem.sparse, at, SparseAlignment, block, from})
				}
				from += SparseAlignment
			}
		}
	}
	return out, nil
}

type blockRange struct{ from, to int64 }

// blockSpan turns texels [at, at+n) of size into blocks: whole ones, but at the end.
func blockSpan(at int32, n uint32, grain, size int) (blockRange, bool) {
	from, to := int64(at), int64(at)+int64(n)
	if from < 0 || n == 0 || from%int64(grain) != 0 || to > int64(size) || to%int64(grain) != 0 && to != int64(size) {
		return blockRange{}, false
	}
	return blockRange{from / int64(grain), (to + int64(grain) - 1) / int64(grain)}, true
}
