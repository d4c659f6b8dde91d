package render

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// The scalar pass: depth bounds, stencil and depth tests.

// depthBits is the size of the depth attachment's numbers; 0: there is none.
func (r *scalar) depthBits() int {
	if r.s.depth == nil {
		return 0
	}
	switch r.s.depth.Image.Format {
	case vk.FormatD16Unorm, vk.FormatD16UnormS8Uint:
		return 16
	case vk.FormatX8D24UnormPack32, vk.FormatD24UnormS8Uint:
		return 24
	case vk.FormatS8Uint:
		return 0
	}
	return 32
}

// plane is the memory of a sample of an aspect of a view, or nil.
func plane(v *resource.ImageView, aspect vk.ImageAspectFlags, layer int, x, y int32, sample int) []byte {
	if v == nil {
		return nil
	}
	l := v.Level(0, layer)
	if aspect != vk.ImageAspectColorBit {
		p := v.Image.PlaneOf(aspect)
		if p < 0 {
			return nil
		}
		l = v.Image.Level(p, v.BaseLevel, v.BaseLayer+layer)
	}
	return l.Data[l.Offset(int(x), int(y), 0, sample):]
}

// code is the depth as stored.
// RAS-006, RAS-326, RAS-366
func (r *scalar) code(z float32, n int) uint32 {
	if z != z {
		z = 0
	}
	if n == 32 {
		return math.Float32bits(z)
	}
	return uint32(math.RoundToEven(float64(min(max(z, 0), 1)) * float64(uint32(1)<<n-1)))
}

func loadCode(p []byte, n int) uint32 {
	switch n {
	case 16:
		return uint32(binary.LittleEndian.Uint16(p))
	case 24:
		return binary.LittleEndian.Uint32(p) & 0xffffff
	}
	return binary.LittleEndian.Uint32(p)
}

func storeCode(p []byte, n int, code uint32) {
	if n == 16 {
		binary.LittleEndian.PutUint16(p, uint16(code))
		return
	}
	if n == 24 {
		code |= uint32(p[3]) << 24
	}
	binary.LittleEndian.PutUint32(p, code)
}

// depthOf is the number that a code stands for.
func depthOf(code uint32, n int) float64 {
	if n == 32 {
		return float64(math.Float32frombits(code))
	}
	return float64(code) / float64(uint32(1)<<n-1)
}

// compare is RAS-325: bits 1, 2, 4 are less, equal, greater.
func compare(op vk.CompareOp, less, equal bool) bool {
	switch {
	case less:
		return op&1 != 0
	case equal:
		return op&2 != 0
	}
	return op&4 != 0
}

// tests are depth bounds, stencil and depth test of every covered sample.
// RAS-320 – RAS-328
func (d *drawing) tests(f *scalarFragment, out *shaded) {
	st, n := d.st, d.depthBits()
	face := &st.Front
	if !d.s.FrontFacing {
		face = &st.Back
	}
	ref := uint8(face.Reference)
	if out != nil && d.spec.stencil {
		ref = uint8(out.stencil)
	}
	for p := range f.size.Pixels() {
		x, y := f.place(p)
		at := d.set.Of(x, y)
		for k := range d.samples {
			bit := uint64(1) << k
			if f.mask[p]&bit == 0 {
				continue
			}
			depth := plane(d.scalar.s.depth, vk.ImageAspectDepthBit, d.layer, x, y, k)
			stencil := plane(d.scalar.s.depth, vk.ImageAspectStencilBit, d.layer, x, y, k)
			if st.DepthBoundsTestEnable && n != 0 {
				if za := depthOf(loadCode(depth, n), n); za < float64(st.MinDepthBounds) || za > float64(st.MaxDepthBounds) {
					f.mask[p] &^= bit
					continue
				}
			}
			var sa uint8
			tested := st.StencilTestEnable && stencil != nil
			if tested {
				sa = stencil[0]
				a, b := ref&uint8(face.CompareMask), sa&uint8(face.CompareMask)
				if !compare(face.CompareOp, a < b, a == b) {
					stencil[0] = stencilled(face, face.FailOp, sa, ref)
					f.mask[p] &^= bit
					continue
				}
			}
			pass := true
			if st.DepthTestEnable && n != 0 {
				var z [1]float32
				d.s.DepthAt([]int32{x<<8 + at.X[k]}, []int32{y<<8 + at.Y[k]}, z[:])
				if out != nil && d.spec.depth {
					z[0] = out.depth // RAS-310
				}
				zf, za := d.code(d.clamp(z[0], n), n), loadCode(depth, n)
				v, w := depthOf(zf, n), depthOf(za, n)
				pass = compare(st.DepthCompareOp, v < w, v == w)
				if pass && st.DepthWriteEnable {
					storeCode(depth, n, zf)
				}
			}
			if tested {
				op := face.PassOp
				if !pass {
					op = face.DepthFailOp
				}
				stencil[0] = stencilled(face, op, sa, ref)
			}
			if !pass {
				f.mask[p] &^= bit
			}
		}
	}
}

// clamp is step 1 of RAS-326.
func (d *drawing) clamp(z float32, n int) float32 {
	if z != z {
		z = 0
	}
	v := d.st.Viewports[d.viewport]
	switch {
	case d.st.DepthClampEnable && d.st.DepthClampUser:
		return min(max(z, d.st.DepthClampRange[0]), d.st.DepthClampRange[1])
	case d.st.DepthClampEnable:
		return min(max(z, min(v.MinDepth, v.MaxDepth)), max(v.MinDepth, v.MaxDepth))
	case d.st.DepthUnrestricted && n == 32:
		return z
	}
	return min(max(z, 0), 1)
}

// stencilled is RAS-322 and RAS-323.
func stencilled(f *vk.StencilOpState, op vk.StencilOp, sa, ref uint8) uint8 {
	v := int(sa)
	switch op {
	case vk.StencilOpZero:
		v = 0
	case vk.StencilOpReplace:
		v = int(ref)
	case vk.StencilOpIncrementAndClamp:
		v = min(v+1, 255)
	case vk.StencilOpDecrementAndClamp:
		v = max(v-1, 0)
	case vk.StencilOpInvert:
		v = 255 - v
	case vk.StencilOpIncrementAndWrap:
		v = (v + 1) % 256
	case vk.StencilOpDecrementAndWrap:
		v = (v + 255) % 256
	}
	m := uint8(f.WriteMask)
	return sa&^m | uint8(v)&m
}
