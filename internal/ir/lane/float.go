package lane

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/fp"
)

// The float operations on float values, for loops that hold lanes as such. The
// functions on bits are made from them.

func AddF(x, y float32) float32    { return x + y }
func SubF(x, y float32) float32    { return x - y }
func MulF(x, y float32) float32    { return x * y }
func DivF(x, y float32) float32    { return x / y }
func FmaF(x, y, z float32) float32 { return fp.FMA32(x, y, z) }

// MulAddF, MulSubF and SubMulF are a product and the sum or difference that
// uses it, with two roundings: x·y + z, x·y - z and z - x·y.
func MulAddF(x, y, z float32) float32 { return float32(x*y) + z }
func MulSubF(x, y, z float32) float32 { return float32(x*y) - z }
func SubMulF(x, y, z float32) float32 { return z - float32(x*y) }
func SqrtF(x float32) float32         { return float32(math.Sqrt(float64(x))) }
func InvSqrtF(x float32) float32      { return fp.InvSqrt(x) }
func FloorF(x float32) float32        { return float32(math.Floor(float64(x))) }
func CeilF(x float32) float32         { return float32(math.Ceil(float64(x))) }
func TruncF(x float32) float32        { return float32(math.Trunc(float64(x))) }
func RoundEvenF(x float32) float32    { return fp.RoundEven(x) }
func EqF(x, y float32) uint32         { return Mask(x == y) }
func NeF(x, y float32) uint32         { return Mask(x != y) }
func LtF(x, y float32) uint32         { return Mask(x < y) }
func LeF(x, y float32) uint32         { return Mask(x <= y) }

// otherF is the minimum and the maximum where an operand is NaN.
//
//go:noinline
func otherF(x, y float32) float32 { return fp.Min(x, y) }
