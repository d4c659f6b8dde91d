package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// runSample is the reference for sampled instructions, lane by lane.
func (u *sampled) runSample(n int) {
	for lane := range n {
		if u.a.active(lane) {
			u.store(lane, u.sample(lane, n))
		}
	}
}

// store writes the components that the instruction has (IMG-317: a comparison
// has one).
func (u *sampled) store(lane int, t format.Texel) {
	for c := range t {
		if u.a.Out[c] != nil {
			u.a.Out[c][lane] = t[c]
		}
	}
}

// sample runs the steps of IMG-070 for one lane of n.
//
// IMG-075
func (u *sampled) sample(lane, n int) format.Texel {
	at, g := u.locate(lane, n)
	prime, f := u.lambdaPrime(lane, n, &g)
	lambda := u.lod.clampLod(prime, u.minLod(lane))
	lv := u.lod.selectLevels(lambda)
	if t := u.a.Trace; t != nil {
		t.levels(u, prime, u.lod.allBias(u.shaderBias(lane)), u.minLod(lane), lambda, lv, f)
	}
	how := u.how(lv)
	if how == filterNearest && lv.delta == 0 && f.probes == 1 {
		return u.final(u.nearest(&at, lv.hi), how, lv.delta, f.probes)
	}
	total := newSum()
	for i := range f.probes {
		p := u.probe(&at, &f, i)
		if t := u.a.Trace; t != nil && f.probes > 1 {
			t.probe(u, i, f, at, p)
		}
		u.scale(one8-float64(lv.delta), f.probes)
		hi := newSum()
		u.filterLevel(&hi, &p, lv.hi, how)
		if lv.delta == 0 { // IMG-466
			u.combine(&total, &hi, nil, 0)
			continue
		}
		u.scale(float64(lv.delta), f.probes)
		lo := newSum()
		u.filterLevel(&lo, &p, lv.lo, how)
		u.combine(&total, &hi, &lo, int64(lv.delta))
	}
	return u.final(u.result(&total, f.probes), how, lv.delta, f.probes)
}

// how is the filter of the levels.
//
// IMG-451
func (u *sampled) how(lv levels) filter {
	if lv.mag {
		return u.mag
	}
	return u.min
}

// scale says which part of the sample a level with weight w/256 is, in one of so many probes.
func (u *sampled) scale(w float64, probes int) {
	if t := u.a.Trace; t != nil {
		t.scale = math.Ldexp(w/float64(probes), -MipmapBits-SubTexelBits*u.dims)
	}
}

// final is the component swizzle, the last step; the rest is for traces.
func (u *sampled) final(t format.Texel, how filter, delta uint32, probes int) format.Texel {
	out := u.swizzle.apply(t) // IMG-326, IMG-330
	if trace := u.a.Trace; trace != nil {
		trace.result(u, how, delta, probes, t, out)
	}
	return out
}

// nearest is IMG-530: one texel, its bits unchanged.
func (u *sampled) nearest(at *spot, level int) format.Texel {
	l := u.v.Level(level, at.layer+at.face)
	size := [3]int{l.Width, l.Height, l.Depth}
	var i, asked [3]int
	outside := false
	if t := u.a.Trace; t != nil {
		t.from(u.v, level, at.layer+at.face)
		t.cornerSampled(u, size)
	}
	for d := range u.dims {
		mode := u.modes[d]
		if u.seams {
			mode = modeClampToEdge // IMG-215
		}
		from := u.texels(at, d, size[d])
		x := reduceCoord(from, mode, size[d])
		if t := u.a.Trace; t != nil {
			t.nearest(u, d, level, from, x, size[d], mode)
		}
		asked[d] = nearestTexel(x)
		if i[d] = wrap(mode, asked[d], size[d]); i[d] == borderTexel {
			outside = true
		}
	}
	if outside {
		return u.outside(at, asked)
	}
	return u.load(&l, i[0], i[1], i[2], at.ref)
}

// locate reads a lane's coordinates, gradients, layer, offset and reference,
// and takes directions to their face (IMG-022…025, §18).
func (u *sampled) locate(lane, n int) (spot, gradients) {
	a := u.a
	var at spot
	for d := range u.coords {
		at.c[d] = operand(a.Coord[d], lane)
	}
	if u.layer >= 0 {
		at.layer = layerIndex(operand(a.Coord[u.layer], lane), u.layers)
	}
	for d := range at.delta {
		if a.Offset[d] != nil && !u.cube {
			at.delta[d] = int32(a.Offset[d][lane])
		}
	}
	at.ref = u.reference(lane)
	g := u.gradients(lane, n)
	if t := u.a.Trace; t != nil {
		t.coordinates(u, at, u.layerOperand(lane), math.Float32frombits(u.dref(lane)))
		if g.given {
			t.derivatives(u, g, lodMode(a) == ir.LodGrad)
		}
	}
	if u.cube {
		at.layer *= 6
		u.toFace(&at, &g)
	}
	return at, g
}

// toFace is §18: face selection, face coordinates and their derivatives.
//
// IMG-410, IMG-415, IMG-416, IMG-417
func (u *sampled) toFace(at *spot, g *gradients) {
	for d := range at.c {
		if at.c[d] != at.c[d] { // IMG-005
			at.c[d] = 0
		}
	}
	x, y, z := at.c[0], at.c[1], at.c[2]
	at.face = cubeFace(x, y, z)
	sc, tc, rc := cubeSelect(at.face, x, y, z)
	at.c = [3]float64{cubeCoord(sc, rc), cubeCoord(tc, rc), 0}
	if t := u.a.Trace; t != nil {
		t.face(*at, sc, tc, rc)
	}
	if !g.given {
		return
	}
	for _, d := range [2]*[3]float64{&g.x, &g.y} {
		dsc, dtc, drc := cubeSelect(at.face, d[0], d[1], d[2])
		*d = [3]float64{cubeGrad(sc, rc, dsc, drc), cubeGrad(tc, rc, dtc, drc), 0}
	}
	if t := u.a.Trace; t != nil {
		t.faceDerivatives(*g)
	}
}

// layerOperand is the layer coordinate of a lane, 0 where there is none.
func (u *sampled) layerOperand(lane int) float64 {
	if u.layer < 0 {
		return 0
	}
	return operand(u.a.Coord[u.layer], lane)
}

// operand widens a float operand of a lane; absent ones are 0.
func operand(x []uint32, lane int) float64 {
	if x == nil {
		return 0
	}
	return float64(math.Float32frombits(x[lane]))
}

// minLod is the MinLod operand, 0 where absent (IMG-447).
func (u *sampled) minLod(lane int) float64 { return operand(u.a.MinLod, lane) }

// gradients are the derivatives of the coordinates to x and y, normalized
// units a pixel. given is false where the level of detail is an operand.
type gradients struct {
	x, y  [3]float64
	given bool
}

// gradients is §17 textures-derivatives: operands, or differences in the quad,
// in binary32 as the shader itself would compute them (IMG-397, IMG-398).
//
// IMG-396, IMG-399, IMG-404
func (u *sampled) gradients(lane, n int) gradients {
	a := u.a
	var g gradients
	switch lodMode(a) {
	case ir.LodGrad:
		for d := range u.coords {
			g.x[d], g.y[d] = operand(a.DX[d], lane), operand(a.DY[d], lane)
		}
		g.given = true
	case ir.LodImplicit, ir.LodBias:
		q := lane &^ 3
		if !a.Quads || q+3 >= n {
			return g
		}
		row, column := q+lane&2, q+lane&1
		for d := range u.coords {
			c := a.Coord[d]
			g.x[d] = difference(c[row], c[row+1])
			g.y[d] = difference(c[column], c[column+2])
		}
		g.given = true
	case ir.LodExplicit, ir.LodZero:
	}
	return g
}

// lodMode is the mode of a sample; a LOD query is an implicit sample.
func lodMode(a *Args) ir.LodMode {
	if a.Op.Kind == ir.ImageQueryLod { // IMG-609
		return ir.LodImplicit
	}
	return a.Op.Lod
}

func difference(from, to uint32) float64 {
	return float64(float32(math.Float32frombits(to) - math.Float32frombits(from)))
}

// footprint says how many probes a sample takes, and along which axis.
type footprint struct {
	probes     int
	eta        float64
	axis       [3]float64 // normalized coordinates, one footprint long
	max2, min2 float64    // squares of ρ_max and ρ_min
}

// lambdaPrime is §19 and IMG-445, 446: λ' of a lane, and its probes.
func (u *sampled) lambdaPrime(lane, n int, g *gradients) (float64, footprint) {
	f := footprint{probes: 1, eta: 1}
	base := 0.0
	switch {
	case g.given && u.aniso > 1:
		base, f = u.anisotropic(g)
		if t := u.a.Trace; t != nil {
			t.anisotropic(u, base, f)
		}
	case g.given:
		base = 0.5 * log2(max(u.texelLength2(&g.x), u.texelLength2(&g.y)))
		if t := u.a.Trace; t != nil {
			t.isotropic(u, *g, base)
		}
	case lodMode(u.a) == ir.LodExplicit:
		base = operand(u.a.Lod, lane)
		if t := u.a.Trace; t != nil {
			t.add("IMG-400", "λ_base = %g, the operand", base)
		}
	}
	return u.lod.biasLod(base, u.shaderBias(lane)), f
}

// shaderBias is the bias that the instruction gives.
func (u *sampled) shaderBias(lane int) float64 {
	if lodMode(u.a) != ir.LodBias {
		return 0
	}
	return operand(u.a.Lod, lane)
}

// texelLength2 is IMG-425 and IMG-429: ρ² of a derivative in base-level texels.
// Squares of binary32 numbers times sizes fit binary64.
func (u *sampled) texelLength2(d *[3]float64) float64 {
	s := 0.0
	for i := range u.dims {
		m := float64(d[i] * u.base[i])
		s += float64(m * m)
	}
	return s
}
