package fragops

import (
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// numeric is how a colour format's codes stand for numbers, as far as blending
// and logical operations care.
type numeric uint8

const (
	numOther numeric = iota // not a colour attachment
	numUnorm
	numSnorm
	numSrgb
	numFloat
	numInteger
)

// clampRange is the interval to which blending clamps its inputs; lo > hi means
// none.
//
// RAS-339 framebuffer-blending
func (n numeric) clampRange() (lo, hi float32) {
	switch n {
	case numUnorm, numSrgb:
		return 0, 1
	case numSnorm:
		return -1, 1
	default:
		return 1, 0
	}
}

// numericOf classifies a format.
func numericOf(info *format.Info) numeric {
	if info.Aspects != vk.ImageAspectColorBit || info.Compressed {
		return numOther
	}
	switch info.Numeric {
	case format.NumericUnorm:
		return numUnorm
	case format.NumericSnorm:
		return numSnorm
	case format.NumericSrgb:
		return numSrgb
	case format.NumericUfloat, format.NumericSfloat, format.NumericUscaled, format.NumericSscaled:
		return numFloat // the numeric type of scaled formats is floating-point: formats-definition
	case format.NumericUint, format.NumericSint:
		return numInteger
	default:
		return numOther
	}
}
