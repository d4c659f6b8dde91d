package transfer

import (
	"context"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
	"github.com/pumice-gpu/pumice/vk"
)

var (
	resolveSrcSide = side{level: "srcSubresource-01709", layers: "srcSubresource-01711", bounds: [3]string{"srcOffset-00269", "srcOffset-00270", "srcOffset-00272"}}
	resolveDstSide = side{level: "dstSubresource-01710", layers: "dstSubresource-01712", bounds: [3]string{"dstOffset-00274", "dstOffset-00275", "dstOffset-00277"}}
)

// ResolveImage is vkCmdResolveImage: the samples of each texel
// become one, by stencil in the stencil aspect and by mode in others.
// ResolveModeNone chooses as the command does: AVERAGE, and
// SAMPLE_ZERO for integers and for depth and stencil. Integer and stencil
// formats have no AVERAGE. Flags may say that the codes of sRGB formats are averaged (RAS-353).
func ResolveImage(ctx context.Context, dst, src *resource.Image, regions []vk.ImageResolve, mode, stencil vk.ResolveModeFlags, flags vk.ResolveImageFlagsKHR) error {
	c, p := check{op: "ResolveImage", prefix: "vkCmdResolveImage", region: -1}, paceOf(ctx)
	for i, m := range [2]vk.ResolveModeFlags{mode, stencil} {
		switch m {
		case vk.ResolveModeNone, vk.ResolveModeSampleZeroBit, vk.ResolveModeAverageBit, vk.ResolveModeMinBit, vk.ResolveModeMaxBit:
		default:
			return &Error{Op: c.op, Region: -1, VUID: "VkResolveImageModeInfoKHR-" + [2]string{"resolveMode", "stencilResolveMode"}[i] + "-parameter", Detail: "resolve mode " + m.String()}
		}
	}
	for pass := range 2 {
		for i := range regions {
			c.region = i
			r := &regions[i]
			for _, a := range aspects(r.SrcSubresource.AspectMask) {
				s, d, err := c.resolveParts(dst, src, r, a)
				if err != nil {
					return err
				}
				info := src.Layout.Planes[s.plane].Info
				// RAS-354, RAS-355
				m := mode
				if a == vk.ImageAspectStencilBit {
					m = stencil
				}
				m = chooseResolve(info, m)

				if m == vk.ResolveModeAverageBit && info.Class != format.ClassFloat {
					rule := "resolveMode"
					if a == vk.ImageAspectStencilBit {
						rule = "stencilResolveMode"
					}
					return &Error{Op: c.op, Region: i, VUID: "VkResolveImageModeInfoKHR-" + rule + "-parameter",
						Detail: "AVERAGE of " + info.Format.String() + "; integers resolve by SAMPLE_ZERO, MIN or MAX (" + catalogue.Name("RAS-355") + ")"}
				}
				if flags&vk.ResolveImageSkipTransferFunctionBitKHR != 0 {
					info = info.WithoutTransfer()
				}
				if pass == 1 {
					if err := resolvePart(&p, &d, &s, info, m); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (c *check) resolveParts(dst, src *resource.Image, r *vk.ImageResolve, a vk.ImageAspectFlags) (s, d part, err error) {
	if s, err = c.subresource(src, a, r.SrcSubresource, &resolveSrcSide); err != nil {
		return s, d, err
	}
	if d, err = c.subresource(dst, a, r.DstSubresource, &resolveDstSide); err != nil {
		return s, d, err
	}
	switch {
	case src.Samples == 1:
		return s, d, c.fail("srcImage-00257", "the source has one sample")
	case dst.Samples != 1:
		return s, d, c.fail("dstImage-00259", "the destination has %d samples", dst.Samples)
	case src.Format != dst.Format:
		return s, d, c.fail("srcImage-01386", "%v into %v", src.Format, dst.Format)
	}
	if err = c.box(&s, r.SrcOffset, r.Extent, &resolveSrcSide); err != nil {
		return s, d, err
	}
	if err = c.box(&d, r.DstOffset, r.Extent, &resolveDstSide); err != nil {
		return s, d, err
	}
	if s.n != d.n {
		return s, d, c.fail("srcImage-04446", "%d layers into %d", s.n, d.n)
	}
	return s, d, nil
}

func chooseResolve(info *format.Info, mode vk.ResolveModeFlags) vk.ResolveModeFlags {
	if mode != vk.ResolveModeNone {
		return mode
	}
	if info.Class == format.ClassFloat && info.Aspects == vk.ImageAspectColorBit {
		return vk.ResolveModeAverageBit
	}
	return vk.ResolveModeSampleZeroBit
}

func resolvePart(p *pace, d, s *part, info *format.Info, mode vk.ResolveModeFlags) error {
	for i := range s.n {
		from, to := s.slice(i), d.slice(i)
		err := p.rows(s.h, s.w*texelPace, func(p *pace, first, end int) error {
			for j := first; j < end; j++ {
				if err := p.spend(s.w * texelPace); err != nil {
					return err
				}
				sides(&to, d.x, &from, s.x, s.w, func(at, n int) {
					row := from.Row(s.x+at, s.y+j, 0, n)
					fragops.ResolveTexels(info, mode, to.Row(d.x+at, d.y+j, 0, n), row, n, from.Samples)
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
