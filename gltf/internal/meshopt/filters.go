package meshopt

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
)

// filter turns decoded attributes into values, in place.
func filter(ctx context.Context, data []byte, l Layout) error {
	var each func(element []byte)
	switch {
	case l.Filter == Octahedral && l.Stride == 4:
		each = octahedral8
	case l.Filter == Octahedral:
		each = octahedral16
	case l.Filter == Quaternion:
		each = quaternion
	case l.Filter == Exponential:
		each = exponential
	case l.Filter == Color && l.Stride == 4:
		each = color8
	case l.Filter == Color:
		each = color16
	default:
		return nil
	}
	for i := range l.Count {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		each(data[i*l.Stride:][:l.Stride])
	}
	return nil
}

func int16At(b []byte, i int) float32 {
	return float32(int16(binary.LittleEndian.Uint16(b[2*i:])))
}

// round returns the nearest integer, halves away from zero, inside lo … hi. What is
// no number becomes 0.
func round(v float32, lo, hi int) int {
	switch d := float64(v); {
	case d >= float64(hi):
		return hi
	case d <= float64(lo):
		return lo
	case d != d:
		return 0
	default:
		return int(d + math.Copysign(0.5, d))
	}
}

// unit returns the unit vector of octahedral coordinates, all scaled by one.
func unit(x, y, one float32) (ux, uy, uz float32) {
	if one <= 0 {
		return 0, 0, 0 // no valid encoding
	}
	x, y = x/one, y/one
	z := 1 - abs(x) - abs(y)
	// Below the equator the corners are folded over.
	if fold := min(z, 0); fold != 0 {
		x -= copysign(fold, x)
		y -= copysign(fold, y)
	}
	length := sqrt(float32(x*x) + float32(y*y) + float32(z*z))
	return x / length, y / length, z / length
}

func abs(v float32) float32         { return float32(math.Abs(float64(v))) }
func copysign(v, s float32) float32 { return float32(math.Copysign(float64(v), float64(s))) }
func sqrt(v float32) float32        { return float32(math.Sqrt(float64(v))) }

func octahedral8(b []byte) {
	x, y, z := unit(float32(int8(b[0])), float32(int8(b[1])), float32(int8(b[2])))
	for i, v := range [3]float32{x, y, z} {
		b[i] = byte(round(v*127, -127, 127))
	}
}

func octahedral16(b []byte) {
	x, y, z := unit(int16At(b, 0), int16At(b, 1), int16At(b, 2))
	for i, v := range [3]float32{x, y, z} {
		binary.LittleEndian.PutUint16(b[2*i:], uint16(round(v*32767, -32767, 32767)))
	}
}

func quaternion(b []byte) {
	last := int16(binary.LittleEndian.Uint16(b[6:]))
	one, largest := float32(last|3), int(last&3)
	var v [4]float32
	sum := float32(1)
	for i := range 3 {
		// The others are at most √½, which stands for 1.
		c := float32(int16At(b, i)/one) * float32(math.Sqrt2/2)
		v[i] = c
		sum -= float32(c * c)
	}
	v[3] = sqrt(max(sum, 0))
	for i := range v {
		at := (largest + 1 + i) % 4
		binary.LittleEndian.PutUint16(b[2*at:], uint16(round(v[i]*32767, -32767, 32767)))
	}
}

func exponential(b []byte) {
	for ; len(b) >= 4; b = b[4:] {
		v := int32(binary.LittleEndian.Uint32(b))
		f := float32(math.Ldexp(float64(v<<8>>8), int(v>>24)))
		binary.LittleEndian.PutUint32(b, math.Float32bits(f))
	}
}

// rgba returns the colour of YCoCg and an alpha whose highest bit tells the scale, in
// 0 … most.
func rgba(y, co, cg int, alpha uint16, most int) (out [4]int) {
	scale := 1<<bits.Len16(alpha) - 1
	if scale == 0 {
		return out // no valid encoding
	}
	a := int(alpha) & (scale >> 1)
	a = a<<1 | a&1
	factor := float32(most) / float32(scale)
	for i, v := range [4]int{y + co - cg, y + cg, y - co - cg, a} {
		out[i] = round(float32(v)*factor, 0, most)
	}
	return out
}

func color8(b []byte) {
	for i, v := range rgba(int(b[0]), int(int8(b[1])), int(int8(b[2])), uint16(b[3]), 255) {
		b[i] = byte(v)
	}
}

func color16(b []byte) {
	u := func(i int) uint16 { return binary.LittleEndian.Uint16(b[2*i:]) }
	for i, v := range rgba(int(u(0)), int(int16(u(1))), int(int16(u(2))), u(3), 65535) {
		binary.LittleEndian.PutUint16(b[2*i:], uint16(v))
	}
}
