package fragops

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/vk"
)

// DepthFormat is how a depth plane stores depth.
type DepthFormat uint8

// Depth plane formats. D24 is the low 24 bits of a 32-bit word; its high byte is
// kept.
const (
	DepthNone DepthFormat = iota // no depth attachment
	DepthD16
	DepthD24
	DepthD32
)

// DepthFormatOf returns the plane format of a depth or depth/stencil format.
func DepthFormatOf(f vk.Format) (DepthFormat, error) {
	switch f {
	case vk.FormatUndefined, vk.FormatS8Uint:
		return DepthNone, nil
	case vk.FormatD16Unorm, vk.FormatD16UnormS8Uint:
		return DepthD16, nil
	case vk.FormatX8D24UnormPack32, vk.FormatD24UnormS8Uint:
		return DepthD24, nil
	case vk.FormatD32Sfloat, vk.FormatD32SfloatS8Uint:
		return DepthD32, nil
	default:
		return DepthNone, &StateError{What: "depth attachment of format " + f.String(), Rule: "RAS-006", Fix: "use a depth format"}
	}
}

// EncodeDepth converts depth to the code of the plane: a NaN becomes 0; fixed point is clamped to
// [0, 1] and rounded to nearest even.
//
// RAS-006 vertexpostproc-viewport, RAS-326 fragops-depth
func EncodeDepth(f DepthFormat, z float32) uint32 {
	switch f {
	case DepthD16:
		return fp.FloatToUnorm(z, 16)
	case DepthD24:
		return fp.FloatToUnorm(z, 24)
	case DepthD32:
		if z != z {
			return 0
		}
		return math.Float32bits(z)
	default:
		return 0
	}
}

// DecodeDepth is the value of a code, exact for D32 and rounded to float64 for
// fixed point.
func DecodeDepth(f DepthFormat, code uint32) float64 {
	switch f {
	case DepthD16:
		return float64(code) / 65535
	case DepthD24:
		return float64(code) / 16777215
	case DepthD32:
		return float64(math.Float32frombits(code))
	default:
		return 0
	}
}

// LoadDepth reads the code at the start of p.
func LoadDepth(f DepthFormat, p []byte) uint32 {
	switch f {
	case DepthD16:
		return uint32(binary.LittleEndian.Uint16(p))
	case DepthD24:
		return binary.LittleEndian.Uint32(p) & 0xFFFFFF
	case DepthD32:
		return binary.LittleEndian.Uint32(p)
	default:
		return 0
	}
}

// StoreDepth writes a code at the start of p.
func StoreDepth(f DepthFormat, p []byte, code uint32) {
	switch f {
	case DepthD16:
		binary.LittleEndian.PutUint16(p, uint16(code))
	case DepthD24:
		binary.LittleEndian.PutUint32(p, binary.LittleEndian.Uint32(p)&0xFF000000|code)
	case DepthD32:
		binary.LittleEndian.PutUint32(p, code)
	case DepthNone:
	}
}

// compareDepth compares codes as the numbers they stand for.
//
// RAS-327 fragops-depth
func compareDepth(f DepthFormat, op vk.CompareOp, zf, za uint32) bool {
	if f == DepthD32 {
		return fp.Compare(op, math.Float32frombits(zf), math.Float32frombits(za))
	}
	return fp.Compare(op, zf, za)
}
