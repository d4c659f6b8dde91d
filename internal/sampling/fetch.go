package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
)

// texelRef names a texel by integer coordinates (§1, IMG-022), counted from the
// view's first level and layer.
type texelRef struct{ i, j, k, layer, level, sample int }

// integerCoord reads a lane's integer coordinates: offsets are added before the
// bounds test, in 64 bits so that nothing wraps.
//
// IMG-030
func integerCoord(a *Args, lane int) texelRef {
	var c [3]int64
	dims := spatial(a.Op.Dim)
	for d := range dims {
		if a.Coord[d] != nil {
			c[d] = int64(int32(a.Coord[d][lane]))
		}
		if a.Offset[d] != nil {
			c[d] += int64(int32(a.Offset[d][lane])) // IMG-203, IMG-576
		}
	}
	r := texelRef{i: clampInt(c[0]), j: clampInt(c[1]), k: clampInt(c[2])}
	if a.Op.Dim == ir.DimCube { // storage cubes address faces as layers
		r.layer, r.k = r.k, 0
	} else if a.Op.Arrayed && a.Coord[dims] != nil {
		r.layer = int(int32(a.Coord[dims][lane]))
	}
	if a.Lod != nil {
		r.level = int(int32(a.Lod[lane]))
	}
	if a.SampleIndex != nil {
		r.sample = int(int32(a.SampleIndex[lane]))
	}
	return r
}

// clampInt brings a sum of two int32 back into an int of any size; what it
// changes lies outside every image.
func clampInt(x int64) int { return int(min(max(x, math.MinInt32), math.MaxInt32)) }

// spatial is the number of spatial components of a coordinate.
func spatial(d ir.ImageDim) int {
	switch d {
	case ir.Dim1D, ir.DimBuffer:
		return 1
	case ir.Dim2D, ir.DimSubpass:
		return 2
	case ir.Dim3D, ir.DimCube:
		return 3
	}
	return 0
}

// subresourceValid is integer coordinate validation (§6) of level and layer
// (IMG-200, IMG-201).
func subresourceValid(v *resource.ImageView, r texelRef) bool {
	return uint(r.level) < uint(v.Levels) && uint(r.layer) < uint(v.Layers) &&
		float64(v.BaseLevel+r.level) >= math.Floor(float64(v.MinLod))
}

// texelAt is integer coordinate validation: the bytes of the texel, or nil
// where it is invalid.
//
// IMG-205, IMG-301
func texelAt(v *resource.ImageView, r texelRef) []byte {
	if !subresourceValid(v, r) {
		return nil
	}
	l := v.Level(r.level, r.layer)
	if uint(r.sample) >= uint(l.Samples) || !l.Contains(r.i, r.j, r.k) {
		return nil
	}
	return l.Data[l.Offset(r.i, r.j, r.k, r.sample):]
}

// invalidTexel is IMG-300: zero in every component that the format has, one in
// a missing alpha.
func invalidTexel(info *format.Info) format.Texel {
	var t format.Texel
	if info.Components[3].Kind == format.KindNone {
		t[3] = 1
		if info.Class == format.ClassFloat {
			t[3] = oneFloat
		}
	}
	return t
}

// runFetch is IMG-575…580: OpImageFetch, and OpImageRead, whose views have the
// identity swizzle.
func runFetch(a *Args, v *resource.ImageView, n int) {
	w := makeSwizzle(a.Op, v)
	invalid := w.apply(invalidTexel(v.Info))
	// The level and layer of the last lane serve the next: most share them.
	var l resource.Level
	level, layer := -1, -1
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		t := invalid
		var raw format.Texel
		inside := false
		r := integerCoord(a, lane)
		if r.level != level || r.layer != layer {
			level, layer = -1, -1
			if subresourceValid(v, r) {
				level, layer = r.level, r.layer
				l = v.Level(level, layer)
			}
		}
		if level >= 0 && uint(r.sample) < uint(l.Samples) && l.Contains(r.i, r.j, r.k) { // IMG-205, IMG-575, IMG-580
			a.noteTexel(&l, r.i, r.j, r.k, r.sample)
			raw, inside = texelOf(v.Info, a.Blocks, &l, r.i, r.j, r.k, r.sample), true
			t = w.apply(raw)
		}
		if trace := a.Trace; trace != nil {
			trace.fetched(a, v, lane, r, raw, inside, t)
		}
		storeTexel(a, lane, t)
	}
}

// wideTexel is a number of 64 bits as ir.ImageOp wants it: red, with alpha one. Outside of the buffer src is nil.
func wideTexel(info *format.Info, src []byte) format.Texel {
	var w format.Wide
	if src != nil {
		w, _ = info.Decode64(src)
	}
	return format.Texel{uint32(w[0]), uint32(w[0] >> 32), 1 << 0, 1 << 3}
}

func storeTexel(a *Args, lane int, t format.Texel) {
	for c := range t {
		if a.Out[c] != nil {
			a.Out[c][lane] = t[c]
		}
	}
}
