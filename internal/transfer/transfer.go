// Package transfer executes copy, blit, resolve, fill and clear commands on
// buffers and images.
//
// Every function checks all regions before it writes anything; an error leaves
// the destination untouched, but for that of a context that ends meanwhile. Regions that overlap in one command are the
// caller's mistake and give some mixture of their results. Nothing here orders
// commands: the caller has made sure that nobody else uses the resources.
package transfer

import (
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Error says which region of which command breaks which rule.
type Error struct {
	Op     string // the function
	Region int    // index of the region, or −1
	VUID   string // the rule, as in the specification's VUID-<rule>
	Detail string // what is wrong, with the numbers
}

func (e *Error) Error() string {
	where := ""
	if e.Region >= 0 {
		where = fmt.Sprintf(" region %d", e.Region)
	}
	return fmt.Sprintf("transfer: %s%s: %s (VUID-%s)", e.Op, where, e.Detail, e.VUID)
}

// check collects what errors of one command share.
type check struct {
	op     string
	prefix string // of the command's VUIDs: "vkCmdCopyImage"
	region int

	samples bool // multisampled images may be copied to and from buffers
}

func (c *check) fail(rule, detail string, args ...any) error {
	if !strings.HasPrefix(rule, "Vk") { // the command's own
		rule = c.prefix + "-" + rule
	}
	return &Error{Op: c.op, Region: c.region, VUID: rule, Detail: fmt.Sprintf(detail, args...)}
}

// part is a validated box of one aspect of an image: w×h texels of n slices.
// A slice is a layer, or a slice of a 3D image.
type part struct {
	im           *resource.Image
	plane, level int
	base         int // first slice
	n            int // texels of depth, or layers
	x, y, w, h   int // texels
}

// slice returns the 2D level that slice i of the part lies in, counted in blocks.
func (p *part) slice(i int) resource.Level {
	if p.im.Type == vk.ImageType3D {
		l := p.im.Level(p.plane, p.level, 0)
		return l.Slice(p.base + i*l.BlockDepth)
	}
	return p.im.Level(p.plane, p.level, p.base+i)
}

// sides calls f for the pieces of n texels (blocks, in compressed formats) from
// texel x of l, and from y of m, on that lie side by side in both: m may be l.
func sides(l *resource.Level, x int, m *resource.Level, y, n int, f func(at, n int)) {
	for at := 0; at < n; {
		k := l.Side(x+at*l.BlockWidth, m.Side(y+at*m.BlockWidth, n-at))
		f(at, k)
		at += k
	}
}

// blocks returns the size of the part in blocks: the last counts slices of them, or layers.
func (p *part) blocks() (w, h, n int) {
	info := p.im.Layout.Planes[p.plane].Info
	n = p.n
	if p.im.Type == vk.ImageType3D {
		n = (n + info.BlockDepth - 1) / info.BlockDepth
	}
	return (p.w + info.BlockWidth - 1) / info.BlockWidth, (p.h + info.BlockHeight - 1) / info.BlockHeight, n
}

// side names the rules of one image of a command.
type side struct {
	level, layers string    // of the subresource
	bounds        [3]string // of x, y, z
	// Of whole blocks, where a box begins and where it ends; "" if any texels will do.
	begin, end [3]string
}

// subresource checks a level, layers and one aspect of an image.
func (c *check) subresource(im *resource.Image, aspect vk.ImageAspectFlags, s vk.ImageSubresourceLayers, rules *side) (part, error) {
	if im == nil || im.Data == nil {
		return part{}, c.fail("commonparent", "no image, or no memory bound to it")
	}
	if s.MipLevel >= uint32(im.MipLevels) {
		return part{}, c.fail(rules.level, "level %d of %d", s.MipLevel, im.MipLevels)
	}
	plane := im.PlaneOf(aspect)
	if plane < 0 || aspect == vk.ImageAspectColorBit && im.Info.MultiPlanar() {
		return part{}, &Error{Op: c.op, Region: c.region, VUID: "VkImageSubresourceLayers-aspectMask-parameter",
			Detail: fmt.Sprintf("aspect %v; %v has %v", aspect, im.Format, im.Info.Aspects)}
	}
	n := int64(s.LayerCount)
	if s.LayerCount == vk.RemainingArrayLayers {
		n = int64(im.ArrayLayers) - int64(s.BaseArrayLayer)
	}
	if n <= 0 || int64(s.BaseArrayLayer)+n > int64(im.ArrayLayers) {
		return part{}, c.fail(rules.layers, "layers %d+%d of %d", s.BaseArrayLayer, s.LayerCount, im.ArrayLayers)
	}
	return part{im: im, plane: plane, level: int(s.MipLevel), base: int(s.BaseArrayLayer), n: int(n)}, nil
}

// box adds an offset and extent to a part: inside the level, and made of whole
// blocks unless it ends at the level's edge. Depth selects slices of 3D images.
func (c *check) box(p *part, o vk.Offset3D, e vk.Extent3D, rules *side) error {
	l := &p.im.Layout.Planes[p.plane].Levels[p.level]
	info := p.im.Layout.Planes[p.plane].Info
	if p.im.Type != vk.ImageType3D {
		if o.Z != 0 {
			return c.fail(rules.bounds[2], "z %d in an image that is not 3D", o.Z)
		}
		e.Depth = 1
	}
	for i, d := range [3]struct {
		at           int32
		size         uint32
		limit, block int
	}{
		{o.X, e.Width, l.Width, info.BlockWidth},
		{o.Y, e.Height, l.Height, info.BlockHeight},
		{o.Z, e.Depth, l.Depth, info.BlockDepth},
	} {
		end := int64(d.at) + int64(d.size)
		if d.at < 0 || d.size == 0 || end > int64(d.limit) {
			return c.fail(rules.bounds[i], "%c %d+%d of %d", 'x'+i, d.at, d.size, d.limit)
		}
		rule := ""
		switch {
		case int(d.at)%d.block != 0:
			rule = rules.begin[i]
		case end%int64(d.block) != 0 && end != int64(d.limit):
			rule = rules.end[i]
		}
		if rule != "" {
			return c.fail(rule, "%c %d+%d is not made of whole blocks of %d", 'x'+i, d.at, d.size, d.block)
		}
	}
	p.x, p.y, p.w, p.h = int(o.X), int(o.Y), int(e.Width), int(e.Height)
	if p.im.Type == vk.ImageType3D {
		p.base, p.n = int(o.Z), int(e.Depth)
	}
	return nil
}

// aspects lists the single bits of a mask.
func aspects(m vk.ImageAspectFlags) (list []vk.ImageAspectFlags) {
	for m != 0 {
		bit := m & -m
		list = append(list, bit)
		m &^= bit
	}
	return list
}
