package core

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/transfer"
	"github.com/pumice-gpu/pumice/vk"
)

// Programs break rules that do no harm, and other drivers do not notice: ranges that end behind their buffers, scissors that begin
// left of the screen. With Config.Mend these are told and cut to what there is; what would read or write elsewhere, or has no
// meaning, stays an error.

// harmless is misuse for a broken rule that a device with Config.Mend goes on from: nil then.
func (d *Device) harmless(op Op, rule, hint, detail string, args ...any) error {
	if d == nil || !d.cfg.Mend {
		return d.misuse(op, rule, hint, detail, args...)
	}
	d.mended(op, rule, hint, detail, args...)
	return nil
}

// maxMended is how often a device tells of a rule that it goes on from: programs break it in each frame.
const maxMended = 10

// mended tells of a broken rule that the device goes on from.
func (d *Device) mended(op Op, rule, hint, detail string, args ...any) {
	n, _ := d.mends.LoadOrStore(rule, new(atomic.Int32))
	if n.(*atomic.Int32).Add(1) <= maxMended {
		_ = d.misuse(op, rule, hint, detail, args...)
	}
}

// plainBufferUsage is what buffers can be used for however they were made; others have addresses of their own.
const plainBufferUsage = vk.BufferUsageFlags(vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit | vk.BufferUsageUniformTexelBufferBit | vk.BufferUsageStorageTexelBufferBit |
	vk.BufferUsageUniformBufferBit | vk.BufferUsageStorageBufferBit | vk.BufferUsageIndexBufferBit | vk.BufferUsageVertexBufferBit | vk.BufferUsageIndirectBufferBit)

// inside cuts [offset, offset+size) to what lies in the buffer.
func (b *Buffer) inside(op Op, offsetRule, rangeRule string, offset, size uint64) (uint64, uint64, error) {
	if offset > b.Size() {
		if err := b.dev.harmless(op, offsetRule, "", "offset %d in %s of %d bytes", offset, b.label(), b.Size()); err != nil {
			return 0, 0, err
		}
		offset = b.Size()
	}
	if left := b.Size() - offset; size > left {
		if err := b.dev.harmless(op, rangeRule, "", "%d bytes at offset %d in %s of %d", size, offset, b.label(), b.Size()); err != nil {
			return 0, 0, err
		}
		size = left
	}
	return offset, size, nil
}

// part is inside for a size of which 0 and vk.WholeSize mean to the end.
func (b *Buffer) part(op Op, offsetRule, rangeRule string, offset, size uint64) (uint64, uint64, error) {
	if size != 0 && size != vk.WholeSize {
		return b.inside(op, offsetRule, rangeRule, offset, size)
	}
	offset, _, err := b.inside(op, offsetRule, rangeRule, offset, 0)
	return offset, b.Size() - offset, err
}

// inRegions carries out a transfer of n regions, which are all checked before the first is. A region that breaks a rule is told and
// left out with Config.Mend; otherwise the whole transfer is.
func (d *Device) inRegions(op Op, n int, run func(from, to int) error) error {
	err := run(0, n)
	var broken *transfer.Error
	if !d.cfg.Mend || n < 2 || !errors.As(err, &broken) || broken.Region < 0 {
		return err
	}
	for i := range n {
		err := run(i, i+1)
		if errors.As(err, &broken) && broken.Region >= 0 {
			one := *broken
			one.Region = i
			_ = d.transferError(op, &one)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// mendSampler cuts numbers of a sampler to their limits.
func (d *Device) mendSampler(op Op, s *vk.SamplerCreateInfo) {
	limit := func(v *float32, low, high float32, rule, name string) {
		if *v >= low && *v <= high || *v != *v {
			return
		}
		d.mended(op, rule, fmt.Sprintf("it is taken for %v", min(max(*v, low), high)), "%s %v outside %v…%v", name, *v, low, high)
		*v = min(max(*v, low), high)
	}
	limit(&s.MipLodBias, -resource.MaxSamplerLodBias, resource.MaxSamplerLodBias, "VkSamplerCreateInfo-mipLodBias-01069", "mipLodBias")
	if s.AnisotropyEnable {
		limit(&s.MaxAnisotropy, 1, resource.MaxSamplerAnisotropy, "VkSamplerCreateInfo-anisotropyEnable-01071", "maxAnisotropy")
	}
	if s.MinLod > s.MaxLod {
		d.mended(op, "VkSamplerCreateInfo-maxLod-01973", "minLod is taken for maxLod", "maxLod %v below minLod %v", s.MaxLod, s.MinLod)
		s.MinLod = s.MaxLod
	}
	if s.UnnormalizedCoordinates && (s.MinLod != 0 || s.MaxLod != 0) {
		d.mended(op, "VkSamplerCreateInfo-unnormalizedCoordinates-01074", "both are taken for 0", "levels %v…%v of unnormalized coordinates, which have one", s.MinLod, s.MaxLod)
		s.MinLod, s.MaxLod = 0, 0
	}
}

// mendLevels cuts the levels and layers of a view to those that the image has.
func (im *Image) mendLevels(op Op, r *vk.ImageSubresourceRange) {
	cut := func(base uint32, n *uint32, have int, rule, what string) {
		if *n == 0 || *n == math.MaxUint32 || uint64(base) >= uint64(have) || uint64(base)+uint64(*n) <= uint64(have) {
			return
		}
		im.dev.mended(op, rule, fmt.Sprintf("it has those to the last one, %d", uint32(have)-base), "%s %d+%d of %d of %s", what, base, *n, have, im.label())
		*n = uint32(have) - base
	}
	cut(r.BaseMipLevel, &r.LevelCount, im.res.MipLevels, "VkImageViewCreateInfo-subresourceRange-01718", "levels")
	if im.res.Type != vk.ImageType3D {
		cut(r.BaseArrayLayer, &r.LayerCount, im.res.ArrayLayers, "VkImageViewCreateInfo-subresourceRange-06725", "layers")
	}
}

// scissorRules are those of scissors that begin before 0, and of those that end too far in x and y.
type scissorRules [3]string

var (
	commandScissor = scissorRules{
		"vkCmdSetScissor-x-00595", "vkCmdSetScissor-offset-00596", "vkCmdSetScissor-offset-00597",
	}
	pipelineScissor = scissorRules{
		"VkPipelineViewportStateCreateInfo-x-02821", "VkPipelineViewportStateCreateInfo-offset-02822",
		"VkPipelineViewportStateCreateInfo-offset-02823",
	}
)

// mendScissor cuts a scissor to the coordinates that there are.
func (d *Device) mendScissor(op Op, rules *scissorRules, s *vk.Rect2D) error {
	axis := func(offset *int32, extent *uint32) {
		from := max(int64(*offset), 0)
		to := max(min(int64(*offset)+int64(*extent), math.MaxInt32), from)
		*offset, *extent = int32(from), uint32(to-from)
	}
	if s.Offset.X < 0 || s.Offset.Y < 0 {
		if err := d.harmless(op, rules[0], "", "scissor at %d,%d", s.Offset.X, s.Offset.Y); err != nil {
			return err
		}
	} else {
		for i, end := range [2]int64{
			int64(s.Offset.X) + int64(s.Extent.Width), int64(s.Offset.Y) + int64(s.Extent.Height),
		} {
			if end <= math.MaxInt32 {
				continue
			}
			if err := d.harmless(op, rules[1+i], "", "scissor ends beyond 2^31"); err != nil {
				return err
			}
		}
	}
	axis(&s.Offset.X, &s.Extent.Width)
	axis(&s.Offset.Y, &s.Extent.Height)
	return nil
}

// mendDepth cuts a depth to [0, 1]. NaN has no meaning.
func (d *Device) mendDepth(op Op, rule, what string, depths ...*float32) error {
	for _, z := range depths {
		if d.depth(*z) {
			continue
		}
		if *z != *z {
			return d.misuse(op, rule, "", "%s %v", what, *z)
		}
		if err := d.harmless(op, rule, "", "%s %v", what, *z); err != nil {
			return err
		}
		*z = min(max(*z, 0), 1)
	}
	return nil
}

// intersect is what two rectangles share; an extent of 0 for nothing.
func intersect(a, b vk.Rect2D) vk.Rect2D {
	axis := func(x int32, w uint32, y int32, v uint32) (int32, uint32) {
		from := max(int64(x), int64(y))
		to := min(int64(x)+int64(w), int64(y)+int64(v))
		if to <= from {
			return x, 0
		}
		return int32(from), uint32(to - from)
	}
	var out vk.Rect2D
	out.Offset.X, out.Extent.Width = axis(a.Offset.X, a.Extent.Width, b.Offset.X, b.Extent.Width)
	out.Offset.Y, out.Extent.Height = axis(a.Offset.Y, a.Extent.Height, b.Offset.Y, b.Extent.Height)
	return out
}
