package fragops

import (
	"math/bits"

	"github.com/pumice-gpu/pumice/vk"
)

// DepthStencil is the depth bounds, stencil and depth state of a draw. Fill in
// the fields, then call Prepare.
type DepthStencil struct {
	Format      DepthFormat // of the depth plane
	DepthTest   bool
	DepthWrite  bool
	Compare     vk.CompareOp
	BoundsTest  bool
	MinBounds   float32
	MaxBounds   float32
	StencilTest bool // false too where there is no stencil plane
	Faces       [2]Face
	// ZMin and ZMax are the ends of the viewport's depth range, ordered: zf
	// is clamped to them, which is the rule with depth clamp and our choice
	// without it (RAS-326).
	ZMin, ZMax float32
	// Tails are the caller's: numbers of programs that do the same for front and
	// back faces, 0 for none.
	Tails [2]int
}

// Prepare normalises the state: tests without an attachment are off. It changes no result.
func (d *DepthStencil) Prepare() error {
	if err := CheckCompare(d.Compare); err != nil && d.DepthTest {
		return err
	}
	if d.Format == DepthNone {
		d.DepthTest, d.BoundsTest = false, false // RAS-320, RAS-327
	}
	if d.ZMin != d.ZMin || d.ZMax != d.ZMax { // what is clamped to it is no number, which is stored as 0
		d.ZMin, d.ZMax = 0, 0
	}
	// So that no clamp decides by the sign of a zero.
	d.ZMin, d.ZMax = d.ZMin+0, d.ZMax+0
	if d.ZMin != d.ZMin || d.ZMax != d.ZMax { // clamped to these, depth is no number, and stored as 0
		d.ZMin, d.ZMax = 0, 0
	}
	return nil
}

// Active says whether the tests can clear coverage or write anything.
func (d *DepthStencil) Active() bool { return d.DepthTest || d.BoundsTest || d.StencilTest }

// Quad runs depth bounds, stencil and depth test on the samples of a quad whose
// first pixel is (x, y) and returns those that pass. z[lane*samples+sample] is
// zf of the samples in cover, before clamping; it may be nil unless DepthTest.
// refs replaces the stencil reference by lane; nil keeps the state's. Only
// samples in cover are touched; a sample outside the attachments must not be in
// cover.
func (d *DepthStencil) Quad(depth, stencil *Surface, x, y, samples int, cover uint64, z []float32, back bool, refs *[4]uint8) uint64 {
	if !d.Active() {
		return cover
	}
	pass := cover
	for m := cover; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		lane, s := i>>4, i&15
		px, py := x+lane&1, y+lane>>1
		var dp, sp []byte
		if depth.Data != nil {
			dp = depth.Data[depth.Offset(px, py, s):]
		}
		face := &d.Faces[0]
		if back {
			face = &d.Faces[1]
		}
		ref := face.Reference
		if d.StencilTest {
			sp = stencil.Data[stencil.Offset(px, py, s):]
			if refs != nil {
				ref = refs[lane]
			}
		}
		var zf float32
		if d.DepthTest {
			zf = z[lane*samples+s]
		}
		if !d.sample(dp, sp, face, ref, zf) {
			pass &^= 1 << i
		}
	}
	return pass
}

// sample tests one sample: depth points at its depth code, stencil at its value.
func (d *DepthStencil) sample(depth, stencil []byte, face *Face, ref uint8, z float32) bool {
	var za, zf uint32
	var sa uint8
	if d.DepthTest || d.BoundsTest {
		za = LoadDepth(d.Format, depth)
	}
	if d.DepthTest {
		zf = EncodeDepth(d.Format, d.clamp(z))
	}
	if d.StencilTest {
		sa = stencil[0]
	}
	v, _, sg := d.test(face, ref, sa, za, zf)
	if v == passed && d.DepthTest && d.DepthWrite {
		StoreDepth(d.Format, depth, zf)
	}
	if d.StencilTest && v&passedBounds != 0 {
		stencil[0] = sg
	}
	return v == passed
}

// verdict has a bit for each test that a sample passes, or that is off. Behind one that it fails there are none.
type verdict uint8

const (
	passedBounds verdict = 1 << iota
	passedStencil
	passedDepth
	passed = passedBounds | passedStencil | passedDepth
)

// test runs the tests in their order: sa and za are stored, zf is the fragment's. Where the stencil test is reached, op is
// what is done to the stencil value, and sg what becomes of it.
func (d *DepthStencil) test(face *Face, ref, sa uint8, za, zf uint32) (v verdict, op vk.StencilOp, sg uint8) {
	// RAS-320 fragops-dbt: the stored depth, not the fragment's.
	if d.BoundsTest {
		z := DecodeDepth(d.Format, za)
		if !(float64(d.MinBounds) <= z && z <= float64(d.MaxBounds)) {
			return 0, 0, 0
		}
	}
	// RAS-321..323 fragops-stencil
	if d.StencilTest && !face.test(sa, ref) {
		return passedBounds, face.Fail, face.update(face.Fail, sa, ref)
	}
	// RAS-326..328 fragops-depth
	v = passed
	if d.DepthTest && !compareDepth(d.Format, d.Compare, zf, za) {
		v = passedBounds | passedStencil
	}
	if !d.StencilTest {
		return v, 0, 0
	}
	if op = face.Pass; v != passed {
		op = face.DepthFail
	}
	return v, op, face.update(op, sa, ref)
}

// clamp limits zf to the viewport's depth range; a NaN becomes 0 first, so that
// it is clamped as a number.
//
// RAS-326 fragops-depth
func (d *DepthStencil) clamp(z float32) float32 {
	if z != z {
		z = 0
	}
	return min(max(z, d.ZMin), d.ZMax)
}
