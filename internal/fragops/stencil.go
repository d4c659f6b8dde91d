package fragops

import (
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// Face is the stencil state of front- or back-facing fragments.
type Face struct {
	Fail, Pass, DepthFail  vk.StencilOp
	Compare                vk.CompareOp
	CompareMask, WriteMask uint8
	Reference              uint8
}

// NewFace takes the low 8 bits of masks and reference and checks the
// operations.
func NewFace(s vk.StencilOpState) (Face, error) {
	for _, op := range [3]vk.StencilOp{s.FailOp, s.PassOp, s.DepthFailOp} {
		if op < vk.StencilOpKeep || op > vk.StencilOpDecrementAndWrap {
			return Face{}, &StateError{What: "stencil operation " + op.String(), Rule: "RAS-322", Fix: "use one of VkStencilOp's eight values"}
		}
	}
	if err := CheckCompare(s.CompareOp); err != nil {
		return Face{}, err
	}
	return Face{
		Fail: s.FailOp, Pass: s.PassOp, DepthFail: s.DepthFailOp, Compare: s.CompareOp,
		CompareMask: uint8(s.CompareMask), WriteMask: uint8(s.WriteMask), Reference: uint8(s.Reference),
	}, nil
}

// stencilOp returns the new value sg of a stencil sample with value sa and
// reference sr.
//
// RAS-322 fragops-stencil
func stencilOp(op vk.StencilOp, sa, sr uint8) uint8 {
	switch op {
	case vk.StencilOpKeep:
		return sa
	case vk.StencilOpZero:
		return 0
	case vk.StencilOpReplace:
		return sr
	case vk.StencilOpIncrementAndClamp:
		if sa == 0xFF {
			return sa
		}
		return sa + 1
	case vk.StencilOpDecrementAndClamp:
		if sa == 0 {
			return sa
		}
		return sa - 1
	case vk.StencilOpInvert:
		return ^sa
	case vk.StencilOpIncrementAndWrap:
		return sa + 1
	case vk.StencilOpDecrementAndWrap:
		return sa - 1
	default:
		return sa // NewFace has refused it
	}
}

// test compares the masked reference, on the left, with the masked value.
//
// RAS-321 fragops-stencil
func (f *Face) test(sa, sr uint8) bool {
	return fp.Compare(f.Compare, sr&f.CompareMask, sa&f.CompareMask)
}

// update applies an operation under the write mask.
//
// RAS-323 fragops-stencil
func (f *Face) update(op vk.StencilOp, sa, sr uint8) uint8 {
	return sa&^f.WriteMask | stencilOp(op, sa, sr)&f.WriteMask
}
