package resource

import (
	"cmp"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// PlaneLayoutError says that the planes of an image cannot lie as its description
// wants them to.
type PlaneLayoutError struct {
	Plane  int
	Detail string
}

func (e *PlaneLayoutError) Error() string {
	return fmt.Sprintf("resource: plane %d: %s", e.Plane, e.Detail)
}

// Unwrap returns what vkCreateImage does.
func (e *PlaneLayoutError) Unwrap() error { return vk.ErrorInvalidDrmFormatModifierPlaneLayoutEXT }

// explicitLayout is layoutOf for planes that lie where d.Planes has them
// (VkImageDrmFormatModifierExplicitCreateInfoEXT): images of one level, whose rows,
// slices and layers may have gaps between them. Sizes are ignored, and so are
// pitches of what there is one of. As in layoutOf nothing overflows: a pitch is
// at most MaxImageBytes, so that 2^16 of them are 2^56.
func explicitLayout(d *ImageDesc, whole *format.Info) (Layout, error) {
	if len(d.Planes) != len(whole.Planes) {
		return Layout{}, usage("NewImage", "VkImageDrmFormatModifierExplicitCreateInfoEXT-drmFormatModifierPlaneCount-02265",
			"%d memory planes of %v, which has %d", len(d.Planes), d.Format, len(whole.Planes))
	}
	var l Layout
	for i, plane := range whole.Planes {
		info, ok := format.Lookup(plane.Format)
		if !ok {
			return Layout{}, &UnsupportedError{Op: "NewImage", What: "format " + plane.Format.String()}
		}
		p, err := explicitPlane(d, i, plane, info)
		if err != nil {
			return Layout{}, err
		}
		for j := range l.Planes {
			if other := &l.Planes[j]; !d.disjoint(whole) && p.Offset < other.Offset+other.Size && other.Offset < p.Offset+p.Size {
				return Layout{}, &PlaneLayoutError{Plane: i, Detail: fmt.Sprintf("%d bytes at %d overlap with plane %d, %d bytes at %d", p.Size, p.Offset, j, other.Size, other.Offset)}
			}
		}
		l.Size = max(l.Size, p.Offset+p.Size)
		l.Planes = append(l.Planes, p)
	}
	return l, nil
}

// explicitPlane places one plane.
//
// resources-image-subresource-layout
func explicitPlane(d *ImageDesc, n int, plane format.Plane, info *format.Info) (PlaneLayout, error) {
	if d.MipLevels != 1 || d.Flags&vk.ImageCreateSparseBindingBit != 0 {
		return PlaneLayout{}, &PlaneLayoutError{Plane: n, Detail: fmt.Sprintf("%d levels, or sparse memory; it has one level and is bound whole", d.MipLevels)}
	}
	v, at := placeLevel(d, plane, info, 0), d.Planes[n]
	// Words of a texel lie at multiples of their size.
	grain := uint64(plane.BlockBytes & -plane.BlockBytes)
	fits := func(name string, value uint64, least int64) error {
		if value > MaxImageBytes || int64(value) < least || value%grain != 0 {
			return &PlaneLayoutError{Plane: n, Detail: fmt.Sprintf("%s %d; it is a multiple of %d, at least %d and at most %d", name, value, grain, least, int64(MaxImageBytes))}
		}
		return nil
	}
	if err := cmp.Or(fits("offset", at.Offset, 0), fits("rowPitch", at.RowPitch, v.RowPitch)); err != nil {
		return PlaneLayout{}, err
	}
	v.RowPitch = int64(at.RowPitch)
	v.SlicePitch = v.RowPitch * int64(v.BlocksY)
	if v.BlocksZ > 1 {
		if err := fits("depthPitch", at.DepthPitch, v.SlicePitch); err != nil {
			return PlaneLayout{}, err
		}
		v.SlicePitch = int64(at.DepthPitch)
	}
	v.Size = v.SlicePitch * int64(v.BlocksZ)
	p := PlaneLayout{Info: info, Aspect: plane.Aspect, Offset: int64(at.Offset), Bytes: plane.BlockBytes, LayerPitch: v.Size}
	if d.ArrayLayers > 1 {
		if err := fits("arrayPitch", at.ArrayPitch, v.Size); err != nil {
			return PlaneLayout{}, err
		}
		p.LayerPitch = int64(at.ArrayPitch)
	}
	p.Size = p.LayerPitch*int64(d.ArrayLayers-1) + v.Size
	if v.Size > MaxImageBytes || p.Offset+p.Size > MaxImageBytes {
		return PlaneLayout{}, &PlaneLayoutError{Plane: n, Detail: fmt.Sprintf("%d bytes at %d; an image has at most %d", max(v.Size, p.Size), p.Offset, int64(MaxImageBytes))}
	}
	p.Levels = []LevelLayout{v}
	return p, nil
}
