package transfer

import (
	"context"
	"sync"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
	"github.com/pumice-gpu/pumice/vk"
)

var (
	blitSrcSide = side{level: "srcSubresource-01705", layers: "srcSubresource-01707", bounds: [3]string{"srcOffset-00243", "srcOffset-00244", "srcOffset-00246"}}
	blitDstSide = side{level: "dstSubresource-01706", layers: "dstSubresource-01708", bounds: [3]string{"dstOffset-00248", "dstOffset-00249", "dstOffset-00251"}}
)

// BlitImage is vkCmdBlitImage: scales and flips regions and converts their
// format. Texels are decoded (sRGB to linear), filtered, and encoded; reads
// clamp to the edge of the source level, not of the region.
//
// IMG-886
func BlitImage(ctx context.Context, dst, src *resource.Image, regions []vk.ImageBlit, filter vk.Filter) error {
	return BlitImageWeights(ctx, dst, src, regions, filter, vk.CubicFilterWeightsCatmullRomQCOM)
}

// BlitImageWeights is BlitImage with weights for VK_FILTER_CUBIC_EXT
// (VkBlitImageCubicWeightsInfoQCOM).
func BlitImageWeights(ctx context.Context, dst, src *resource.Image, regions []vk.ImageBlit, filter vk.Filter, weights vk.CubicFilterWeightsQCOM) error {
	c := check{op: "BlitImage", prefix: "vkCmdBlitImage", region: -1}
	// IMG-886
	if weights < vk.CubicFilterWeightsCatmullRomQCOM || weights > vk.CubicFilterWeightsMitchellNetravaliQCOM {
		return &Error{Op: c.op, Region: -1, VUID: "VkBlitImageCubicWeightsInfoQCOM-cubicWeights-parameter", Detail: weights.String()}
	}

	if err := c.blitFormats(dst, src, filter); err != nil {
		return err
	}
	p := paceOf(ctx)
	for pass := range 2 {
		for i := range regions {
			c.region = i
			r := &regions[i]
			if r.SrcSubresource.AspectMask != r.DstSubresource.AspectMask || r.SrcSubresource.AspectMask == 0 {
				return &Error{Op: c.op, Region: i, VUID: "VkImageBlit-aspectMask-00238", Detail: "the aspects of source and destination differ"}
			}
			for _, a := range aspects(r.SrcSubresource.AspectMask) {
				b, err := c.blitRegion(dst, src, r, a)
				if err != nil {
					return err
				}
				if pass == 1 {
					if err := b.run(&p, filter, weights); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// blitFormats checks what holds for all regions.
func (c *check) blitFormats(dst, src *resource.Image, filter vk.Filter) error {
	if src == nil || src.Data == nil || dst == nil || dst.Data == nil {
		return c.fail("commonparent", "no image, or no memory bound to it")
	}
	from, to := src.Info, dst.Info
	color := from.Aspects == vk.ImageAspectColorBit
	switch {
	case from.NeedsConversion():
		return c.fail("srcImage-06421", "%v can only be sampled through a Y′CBCR conversion", src.Format)
	case to.NeedsConversion():
		return c.fail("dstImage-06422", "%v can only be sampled through a Y′CBCR conversion", dst.Format)
	case src.Samples != 1:
		return c.fail("srcImage-00233", "the source has %d samples", src.Samples)
	case dst.Samples != 1:
		return c.fail("dstImage-00234", "the destination has %d samples", dst.Samples)
	case from.Class != to.Class && from.Class == format.ClassSint:
		return c.fail("srcImage-00229", "%v into %v", src.Format, dst.Format)
	case from.Class != to.Class:
		return c.fail("srcImage-00230", "%v into %v", src.Format, dst.Format)
	case !color && src.Format != dst.Format || from.Aspects != to.Aspects:
		return c.fail("srcImage-00231", "%v into %v", src.Format, dst.Format)
	case !color && filter != vk.FilterNearest:
		return c.fail("srcImage-00232", "%v of %v", filter, src.Format)
	case from.Class != format.ClassFloat && filter != vk.FilterNearest:
		return c.fail("filter-02001", "%v of %v, which does not filter", filter, src.Format)
	case filter == vk.FilterCubicEXT && src.Type != vk.ImageType2D:
		return c.fail("filter-00237", "%v of an image of %v", filter, src.Type)
	case filter != vk.FilterNearest && filter != vk.FilterLinear && filter != vk.FilterCubicEXT:
		return c.fail("filter-02002", "%v", filter)
	case to.Compressed:
		return c.fail("dstImage-02000", "%v cannot be written", dst.Format)
	}
	return nil
}

// axis maps destination texels of one dimension to source coordinates.
type axis struct {
	dst, n         int   // destination texels [dst, dst+n)
	dst0, dst1     int64 // as given: dst0 > dst1 flips
	src0, src1     int64
	srcLow, srcLen int
}

// at returns u for destination texel i: (i + ½ − dst0)·scale + src0, where the
// product is one exact fraction, divided once (blits-scaling).
func (a *axis) at(i int) float64 {
	num := (2*int64(i) + 1 - 2*a.dst0) * (a.src1 - a.src0)
	return float64(num)/float64(2*(a.dst1-a.dst0)) + float64(a.src0)
}

func makeAxis(s0, s1, d0, d1 int32) axis {
	return axis{dst: int(min(d0, d1)), n: int(max(d0, d1)) - int(min(d0, d1)), dst0: int64(d0), dst1: int64(d1),
		src0: int64(s0), src1: int64(s1), srcLow: int(min(s0, s1)), srcLen: int(max(s0, s1)) - int(min(s0, s1))}
}

// blit is one region of one aspect.
type blit struct {
	dst, src part
	x, y, z  axis
	volume   bool // z scales as well: the source is 3D
}

func (c *check) blitRegion(dst, src *resource.Image, r *vk.ImageBlit, a vk.ImageAspectFlags) (b blit, err error) {
	if b.src, err = c.subresource(src, a, r.SrcSubresource, &blitSrcSide); err != nil {
		return b, err
	}
	if b.dst, err = c.subresource(dst, a, r.DstSubresource, &blitDstSide); err != nil {
		return b, err
	}
	s, d := r.SrcOffsets, r.DstOffsets
	b.x, b.y = makeAxis(s[0].X, s[1].X, d[0].X, d[1].X), makeAxis(s[0].Y, s[1].Y, d[0].Y, d[1].Y)
	b.z = makeAxis(s[0].Z, s[1].Z, d[0].Z, d[1].Z)
	b.volume = src.Type == vk.ImageType3D
	if err = c.box(&b.src, b.corner(true), b.extent(true, src), &blitSrcSide); err != nil {
		return b, err
	}
	if err = c.box(&b.dst, b.corner(false), b.extent(false, dst), &blitDstSide); err != nil {
		return b, err
	}
	if !b.volume && b.src.n != b.dst.n {
		return b, c.fail("srcImage-00240", "%d layers into %d", b.src.n, b.dst.n)
	}
	if b.volume && dst.Type != vk.ImageType3D && b.dst.n != 1 {
		return b, c.fail("srcImage-00240", "a 3D image into %d layers", b.dst.n)
	}
	if b.volume && dst.Type != vk.ImageType3D {
		b.z.dst, b.z.n, b.z.dst0, b.z.dst1 = 0, 1, 0, 1 // the one layer
	}
	return b, nil
}

func (b *blit) corner(src bool) vk.Offset3D {
	if src {
		return b.lowZ(vk.Offset3D{X: int32(b.x.srcLow), Y: int32(b.y.srcLow), Z: int32(b.z.srcLow)}, b.src.im)
	}
	return b.lowZ(vk.Offset3D{X: int32(b.x.dst), Y: int32(b.y.dst), Z: int32(b.z.dst)}, b.dst.im)
}

// lowZ drops z in images that have none.
func (b *blit) lowZ(o vk.Offset3D, im *resource.Image) vk.Offset3D {
	if im.Type != vk.ImageType3D {
		o.Z = 0
	}
	return o
}

func (b *blit) extent(src bool, im *resource.Image) vk.Extent3D {
	x, y, z := b.x.n, b.y.n, b.z.n
	if src {
		x, y, z = b.x.srcLen, b.y.srcLen, b.z.srcLen
	}
	return vk.Extent3D{Width: uint32(x), Height: uint32(y), Depth: uint32(z)}
}

// minColumns is from how many texels on a routine is worth making: it takes what the reference takes for a thousand.
const minColumns = 1 << 10

// reader is what one worker writes rows of the destination with.
type reader struct {
	columns *texel.ColumnsThread // nil: the others
	source  *sampling.Source
	row     []format.Texel
}

// run writes the region, row by row.
func (b *blit) run(p *pace, filter vk.Filter, weights vk.CubicFilterWeightsQCOM) error {
	im := b.src.im
	v := resource.LevelView(im, b.src.plane, b.src.level)
	u := make([]float64, b.x.n)
	for i := range u {
		u[i] = b.x.at(b.x.dst + i)
	}
	info := b.dst.im.Layout.Planes[b.dst.plane].Info
	var columns *texel.Columns
	if p.engine != nil && b.x.n*b.y.n*b.dst.n >= minColumns {
		columns = texel.NewColumns(p.engine, v, filter, b.volume, u, info.Format)
	}
	// A reader is large: slices and rows that follow each other share one.
	readers := sync.Pool{New: func() any {
		r := &reader{}
		if columns != nil {
			r.columns = columns.Thread()
		}
		return r
	}}
	for k := range b.dst.n {
		w, layer := 0.0, b.src.base+k
		if b.volume {
			w, layer = b.z.at(b.z.dst+k), 0
		}
		to := b.dst.slice(k)
		err := p.rows(b.y.n, b.x.n*texelPace, func(p *pace, from, end int) error {
			r := readers.Get().(*reader)
			defer readers.Put(r)
			for j := from; j < end; j++ {
				if err := p.spend(b.x.n * texelPace); err != nil {
					return err
				}
				y, read := b.y.at(b.y.dst+j), false
				sides(&to, b.x.dst, &to, b.x.dst, b.x.n, func(at, n int) {
					dst := to.Row(b.x.dst+at, b.y.dst+j, 0, n)
					if r.columns != nil && r.columns.Write(dst, at, y, w, layer) {
						return
					}
					if r.source == nil {
						r.source, r.row = sampling.NewSource(v, filter, weights, b.volume), make([]format.Texel, b.x.n)
					}
					if !read {
						for i := range r.row {
							r.row[i] = r.source.Texel(u[i], y, w, layer)
						}
						read = true
					}
					info.EncodeRow(dst, r.row[at:at+n])
				})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
