package fragops

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower/pack"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

// DepthKey is the state of depth bounds, stencil and depth test of fragments of one
// face that a program is made for. Ranges, bounds, masks and references are push
// constants.
type DepthKey struct {
	Format fragops.DepthFormat
	// Test and Write are those of depth. Unit: depth is clamped to a part of [0, 1]. Written: places have it by
	// lane, from the shader.
	Test, Write, Unit, Written bool
	// Grid: samples of places lie where the pixel's cell in a grid says (InGrid). Warped: planes of
	// primitives perhaps are not those of positions (raster.Setup.Warped).
	Grid, Warped bool
	Compare      vk.CompareOp
	Bounds       bool
	// Stencil: there is a stencil test, whose masks have all bits if CompareAll and
	// WriteAll say so. Referenced: references come by lane.
	Stencil, CompareAll, WriteAll, Referenced bool
	StencilCompare                            vk.CompareOp
	Fail, Pass, DepthFail                     vk.StencilOp
}

// DepthKeyOf is the key of a prepared state for front or back faces.
func DepthKeyOf(d *fragops.DepthStencil, back, referenced bool) DepthKey {
	k := DepthKey{Format: d.Format, Bounds: d.BoundsTest}
	if d.DepthTest {
		k.Test, k.Write, k.Compare, k.Unit = true, d.DepthWrite, d.Compare, 0 <= d.ZMin && d.ZMin <= d.ZMax && d.ZMax <= 1
	}
	if f := faceOf(d, back); d.StencilTest {
		k.Stencil, k.StencilCompare, k.CompareAll, k.WriteAll, k.Referenced = true, f.Compare, f.CompareMask == 0xFF, f.WriteMask == 0xFF, referenced
		if f.WriteMask != 0 {
			k.Fail, k.Pass, k.DepthFail = f.Fail, f.Pass, f.DepthFail
		}
	}
	return k
}

// faceOf is the state of stencil for front or back faces (RAS-324).
func faceOf(d *fragops.DepthStencil, back bool) *fragops.Face {
	if back {
		return &d.Faces[1]
	}
	return &d.Faces[0]
}

// Words of the push constants of tests.
const (
	pushZMin = iota
	pushZMax
	pushMinBounds // D32: floats; else codes, from the least that is inside …
	pushMaxBounds // … up to the first that is not
	pushReference
	pushCompareMask
	pushWriteMask
	depthPushWords
)

// depthPush writes the push constants of a state.
func depthPush(d *fragops.DepthStencil, back bool) []byte {
	f := faceOf(d, back)
	w := [depthPushWords]uint32{
		pushZMin: math.Float32bits(d.ZMin), pushZMax: math.Float32bits(d.ZMax),
		pushMinBounds: math.Float32bits(d.MinBounds), pushMaxBounds: math.Float32bits(d.MaxBounds),
		pushReference: uint32(f.Reference), pushCompareMask: uint32(f.CompareMask), pushWriteMask: uint32(f.WriteMask),
	}
	if d.BoundsTest && d.Format != fragops.DepthD32 {
		value := func(code int) float64 { return fragops.DecodeDepth(d.Format, uint32(code)) }
		codes := int(depthLimit(d.Format)) + 1
		w[pushMinBounds] = uint32(sort.Search(codes, func(c int) bool { return float64(d.MinBounds) <= value(c) }))
		w[pushMaxBounds] = uint32(sort.Search(codes, func(c int) bool { return !(value(c) <= float64(d.MaxBounds)) }))
	}
	var p []byte
	for _, v := range w {
		p = binary.LittleEndian.AppendUint32(p, v)
	}
	return p
}

// depthLimit is the largest code of fixed-point depth.
func depthLimit(f fragops.DepthFormat) uint32 {
	if f == fragops.DepthD16 {
		return 1<<16 - 1
	}
	return 1<<24 - 1
}

// LowerDepth makes a program of a key that loads and stores what is in surfaces 0,
// depth, and 1, stencil, itself, of the covered samples of its places, and leaves covered those that
// pass. Records of places begin with a reference point and the plane of depth. Inputs are depth (Written) and
// the reference (Referenced), of those that the key has.
func LowerDepth(k DepthKey, samples Window) (*ir.Program, error) {
	words := 2 * samples.Count
	if k.Grid {
		words *= gridCells
	}
	p := &ir.Program{Stage: ir.StageFragment, Name: "tests", PushBytes: uint32(4 * (depthPushWords + words))}
	b := &depthBuilder{Builder: ir.NewBuilder(p), k: k}
	if k.Written {
		b.written = b.input(ir.F32)
	}
	if k.Referenced {
		b.referenced = b.input(ir.I32)
	}
	b.place(samples, CoverageKey{Samples: samples}.keep(b.Builder, nil))
	b.Finish()
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	ir.Optimize(p)
	return p, nil
}

// Bytes is how large a sample of depth is.
func (k *DepthKey) Bytes() int {
	if k.Format == fragops.DepthD16 {
		return 2
	}
	return 4
}

// place makes the tests of places whose samples are covered so far, and what is left of that.
func (b *depthBuilder) place(of Window, covered []ir.Value) (left []ir.Value) {
	each := new(Reduction).groups(of)
	b.pixels[0] = newPixel(b.Builder, b.surface, b.k.Bytes(), of, each)
	b.pixels[1] = newPixel(b.Builder, b.surface+1, 1, of, each)
	if b.k.Written { // RAS-310
		b.z = b.clamp(b.written)
	}
	for sample, on := range covered {
		b.sample, b.covered = sample, on
		if b.k.Test && !b.k.Written {
			b.z = b.clamp(b.plane(uint32(sample)))
		}
		left = append(left, b.tests())
	}
	b.pixels[0].finish()
	b.pixels[1].finish()
	return left
}

// DepthPush writes the push constants of such a program: those of the state, and where the
// samples of a window are in their pixel, subpixels.
func DepthPush(d *fragops.DepthStencil, back bool, ss *raster.SampleSet, of Window) []byte {
	p := depthPush(d, back)
	for s := of.First; s < of.First+of.Count; s++ {
		p = AppendPlaces(p, ss, s)
	}
	return p
}

// tests makes the tests of a sample whose depth is z, and says what passes.
func (b *depthBuilder) tests() (pass ir.Value) {
	k := &b.k
	if k.Test || k.Bounds {
		b.depth()
	}
	inside := b.bounds()
	if k.Stencil { // RAS-321, RAS-324
		b.sa = b.pixels[1].load(b.sample, 0)
		b.ref = b.push(ir.I32, pushReference)
		if k.Referenced { // RAS-311
			b.ref = b.Op(ir.OpAnd, ir.I32, b.referenced, b.I32(0xFF))
		}
	}
	stencil, depth := b.stencil(), b.Bool(true)
	if k.Test { // RAS-327
		depth = pack.Compare(b.Builder, k.Compare, b.zf, b.za)
	}
	pass = b.and(b.covered, b.and(b.and(inside, stencil), depth))
	b.OpImm(ir.OpCover, ir.Void, uint64(b.sample), pass)
	if k.Test && k.Write { // RAS-328
		b.pixels[0].store(b.sample, 0, pass, b.new)
	}
	if k.Stencil && (k.Fail|k.Pass|k.DepthFail) != vk.StencilOpKeep { // RAS-322
		v := b.Op(ir.OpSelect, ir.I32, depth, b.update(k.Pass), b.update(k.DepthFail))
		v = b.Op(ir.OpSelect, ir.I32, stencil, v, b.update(k.Fail))
		if !k.WriteAll { // RAS-323
			mask := b.push(ir.I32, pushWriteMask)
			v = b.Op(ir.OpOr, ir.I32, b.Op(ir.OpAnd, ir.I32, v, mask), b.Op(ir.OpAnd, ir.I32, b.sa, b.Op(ir.OpNot, ir.I32, mask)))
		}
		b.pixels[1].store(b.sample, 0, b.and(b.covered, inside), v)
	}
	return pass
}

// plane is the plane of depth at a sample, whose place in the pixel stands in the push
// constants: two fused operations, and one rounding to binary32, as raster.Setup.Depth has
// them.
//
// RAS-006, RAS-247, RAS-329
func (b *depthBuilder) plane(sample uint32) ir.Value {
	in := func(axis uint32) ir.Value {
		if b.k.Grid {
			return InGrid(b.Builder, func(cell uint32) ir.Value {
				return b.push(ir.I32, depthPushWords+2*(gridCells*sample+cell)+axis)
			})
		}
		return b.push(ir.I32, depthPushWords+2*sample+axis)
	}
	record := func(t ir.Type, at int) ir.Value { return b.OpImm(ir.OpRecord, t, uint64(at)) }
	var at [2]ir.Value
	for axis := range at {
		v := b.OpImm(ir.OpPixel, ir.I32, uint64(axis))
		v = b.Op(ir.OpShl, ir.I32, v, b.I32(raster.SubpixelBits))
		at[axis] = b.Op(ir.OpIAdd, ir.I32, v, in(uint32(axis)))
	}
	if b.k.Warped {
		at = Snap(b.Builder, record, at)
	}
	for axis, v := range at {
		at[axis] = b.Op(ir.OpISub, ir.I32, v, record(ir.I32, 4*axis))
	}
	var delta [2][2]ir.Value
	if b.k.Warped {
		delta = Unwarp(b.Builder, record, at)
	} else {
		for axis, v := range at {
			d := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideS2D), []ir.Value{v})
			delta[axis] = [2]ir.Value{d, b.OpImm(ir.OpResult, ir.I32, 1, d)}
		}
	}
	double := func(at uint64) []ir.Value {
		return []ir.Value{record(ir.I32, int(at)), record(ir.I32, int(at)+4)}
	}
	fma := func(x, y, z []ir.Value) []ir.Value {
		v := b.OpMore(ir.OpWide, ir.I32, uint64(ir.WideFma), slices.Concat(x, y, z))
		return []ir.Value{v, b.OpImm(ir.OpResult, ir.I32, 1, v)}
	}
	row := fma(delta[1][:], double(planeZ+16), double(planeZ))
	return b.OpMore(ir.OpWide, ir.F32, uint64(ir.WideD2F), fma(delta[0][:], double(planeZ+8), row))
}

// planeZ is where a record has the plane of depth.
const planeZ = 8

// depthBuilder builds the program of a key.
type depthBuilder struct {
	*ir.Builder
	k DepthKey
	z ir.Value // the fragment's depth, clamped
	// word is what is stored, za its depth and zf the fragment's, as numbers that
	// compare, new the word with zf.
	word, za, zf, new ir.Value
	sa, ref           ir.Value
	// What the shader has written, of keys that say so.
	written, referenced ir.Value
	// pixels are those of depth and stencil, and covered is whether the sample is covered there.
	pixels  [2]*pixel
	sample  int
	covered ir.Value
	// surface is that of depth, before that of stencil.
	surface uint8
	// pushAt is where records have what else are push constants, 0 where they do not.
	pushAt int
}

func (b *depthBuilder) input(t ir.Type) ir.Value {
	slot := len(b.P.Inputs)
	b.P.Inputs = append(b.P.Inputs, ir.IO{Location: uint32(slot), Type: t, Interp: ir.Flat})
	return b.OpImm(ir.OpInput, t, uint64(slot))
}

func (b *depthBuilder) push(t ir.Type, word uint32) ir.Value {
	if b.pushAt > 0 {
		return b.OpImm(ir.OpRecord, t, uint64(b.pushAt)+uint64(4*word))
	}
	return b.Op(ir.OpLoadPush, t, b.I32(4*word))
}

func (b *depthBuilder) and(x, y ir.Value) ir.Value { return b.Op(ir.OpAnd, ir.Bool, x, y) }

// clamp limits depth to the viewport's range, and NaN as a 0, which the lower end
// stands for where it is not negative.
//
// RAS-326 fragops-depth
func (b *depthBuilder) clamp(z ir.Value) ir.Value {
	if !b.k.Unit {
		z = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFEq, ir.Bool, z, z), z, b.F32(0))
	}
	// Ends are no NaNs and no -0, nor is z one that the lower end does not take the place of: comparisons do what
	// minima and maxima of any numbers take more for.
	low, high := b.push(ir.F32, pushZMin), b.push(ir.F32, pushZMax)
	z = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLt, ir.Bool, low, z), z, low)
	z = b.Op(ir.OpSelect, ir.F32, b.Op(ir.OpFLe, ir.Bool, z, high), z, high)
	if !b.k.Unit && b.k.Format != fragops.DepthD32 {
		z = b.Op(ir.OpFMin, ir.F32, b.Op(ir.OpFMax, ir.F32, z, b.F32(0)), b.F32(1))
	}
	return z
}

// depth makes the numbers that compare, and the new word.
//
// RAS-006, RAS-363 vertexpostproc-viewport
func (b *depthBuilder) depth() {
	b.word = b.pixels[0].load(b.sample, 0)
	b.za = b.word
	switch b.k.Format {
	case fragops.DepthD32:
		b.za, b.zf = b.Op(ir.OpBitcast, ir.F32, b.word), b.z
		if b.k.Test && b.k.Write {
			b.new = b.Op(ir.OpBitcast, ir.I32, b.z)
		}
		return
	case fragops.DepthD24:
		b.za = b.Op(ir.OpAnd, ir.I32, b.word, b.I32(1<<24-1))
	}
	if !b.k.Test {
		return
	}
	if b.k.Format == fragops.DepthD16 {
		v := b.Op(ir.OpFma, ir.F32, b.z, b.F32(1<<16-1), b.Const(ir.F32, pack.UnormBias))
		b.zf = b.Op(ir.OpISub, ir.I32, b.Op(ir.OpBitcast, ir.I32, v), b.I32(pack.UnormBias))
		b.new = b.zf
		return
	}
	b.zf = b.code24()
	if b.k.Test && b.k.Write {
		b.new = b.Op(ir.OpOr, ir.I32, b.zf, b.Op(ir.OpAnd, ir.I32, b.word, b.I32(0xFF<<24)))
	}
}

// code24 is z·(2^24 − 1) rounded to an integer, ties to even. From 2^23 on that is
// what the product's own rounding does, below that of the sum with 2^23.
func (b *depthBuilder) code24() ir.Value {
	low := b.Op(ir.OpFLe, ir.Bool, b.z, b.F32(0.5))
	limit := b.F32(1<<24 - 1)
	v := b.Op(ir.OpSelect, ir.F32, low, b.Op(ir.OpFma, ir.F32, b.z, limit, b.Const(ir.F32, pack.UnormBias)), b.Op(ir.OpFMul, ir.F32, b.z, limit))
	// A float from 2^23 on has its distance from it in the low bits.
	return b.Op(ir.OpISub, ir.I32, b.Op(ir.OpBitcast, ir.I32, v), b.Op(ir.OpSelect, ir.I32, low, b.I32(pack.UnormBias), b.I32(pack.UnormBias-1<<23)))
}

// bounds tests the stored depth.
//
// RAS-320 fragops-dbt
func (b *depthBuilder) bounds() ir.Value {
	switch {
	case !b.k.Bounds:
		return b.Bool(true)
	case b.k.Format == fragops.DepthD32:
		return b.and(b.Op(ir.OpFLe, ir.Bool, b.push(ir.F32, pushMinBounds), b.za), b.Op(ir.OpFLe, ir.Bool, b.za, b.push(ir.F32, pushMaxBounds)))
	}
	return b.and(b.Op(ir.OpULe, ir.Bool, b.push(ir.I32, pushMinBounds), b.za), b.Op(ir.OpULt, ir.Bool, b.za, b.push(ir.I32, pushMaxBounds)))
}

// stencil compares the masked reference with the masked value.
//
// RAS-321 fragops-stencil
func (b *depthBuilder) stencil() ir.Value {
	if !b.k.Stencil {
		return b.Bool(true)
	}
	ref, sa := b.ref, b.sa
	if !b.k.CompareAll {
		mask := b.push(ir.I32, pushCompareMask)
		ref, sa = b.Op(ir.OpAnd, ir.I32, ref, mask), b.Op(ir.OpAnd, ir.I32, sa, mask)
	}
	return pack.Compare(b.Builder, b.k.StencilCompare, ref, sa)
}

// update is the value after an operation.
//
// RAS-322 fragops-stencil
func (b *depthBuilder) update(op vk.StencilOp) ir.Value {
	two := func(op ir.Op, x ir.Value, y uint32) ir.Value { return b.Op(op, ir.I32, x, b.I32(y)) }
	switch op {
	case vk.StencilOpZero:
		return b.I32(0)
	case vk.StencilOpReplace:
		return b.ref
	case vk.StencilOpIncrementAndClamp:
		return two(ir.OpSMin, two(ir.OpIAdd, b.sa, 1), 0xFF)
	case vk.StencilOpDecrementAndClamp:
		return two(ir.OpSMax, two(ir.OpISub, b.sa, 1), 0)
	case vk.StencilOpInvert:
		return two(ir.OpXor, b.sa, 0xFF)
	case vk.StencilOpIncrementAndWrap:
		return two(ir.OpAnd, two(ir.OpIAdd, b.sa, 1), 0xFF)
	case vk.StencilOpDecrementAndWrap:
		return two(ir.OpAnd, two(ir.OpISub, b.sa, 1), 0xFF)
	default: // Keep; the reference has refused what is none
		return b.sa
	}
}
