package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	ref "github.com/pumice-gpu/pumice/internal/sampling"
)

// roundMagic pushes the fraction bits of a sum out of a binary64 significand:
// for |x| < 2^51, float64(x + roundMagic) rounds x to an integer, ties to even,
// which then stands in the low bits.
const roundMagic = 3 << 51

// gradients are the derivatives of a lane's coordinates.
type gradients struct{ x, y [3]float64 }

// quad returns the gradients of a lane from its quad (IMG-397, IMG-398): row
// and column of the lane itself, in binary32.
//
// IMG-396, IMG-404
func (g *gradients) quad(p *plan, a *ref.Args, lane int) {
	q := lane &^ 3
	row, column := lane&2, lane&1
	for d := range p.st.Coords {
		c := a.Coord[d][q : q+4 : q+4]
		g.x[d] = difference(c[row], c[row+1])
		g.y[d] = difference(c[column], c[column+2])
	}
}

// operands takes the gradients of a lane from operands.
//
// IMG-399
func (g *gradients) operands(p *plan, a *ref.Args, lane int) {
	for d := range p.st.Coords {
		g.x[d] = float64(math.Float32frombits(a.DX[d][lane]))
		g.y[d] = float64(math.Float32frombits(a.DY[d][lane]))
	}
}

func difference(from, to uint32) float64 {
	return float64(float32(math.Float32frombits(to) - math.Float32frombits(from)))
}

// locate is the steps before filtering: cube faces, gradients, level selection.
// It returns whether all lanes have one group.
func (u *Unit) locate(p *plan, a *ref.Args, b *batch, n int) (same bool) {
	k := &p.key
	if k.OneLevel {
		if p.st.Cube {
			for i := range b.n {
				b.toFace(i, nil)
			}
		}
		if b.group[0] = groupOf(k.Mag); b.group[0] == groupNearest {
			b.group[0] = groupOne
		}
		clear(b.frac[:b.n])
		return true
	}
	if u.simd && b.base >= 0 && (b.base|b.n|n)&3 == 0 && a.Quads && k.Lod == ir.LodImplicit && a.MinLod == nil && !k.Aniso && !k.Texels &&
		!p.st.Cube && p.st.Dims > 1 {
		if same, ok := u.locateQuads(p, a, b); ok {
			return same
		}
	}
	// IMG-403
	given := k.Lod == ir.LodGrad || a.Quads && (k.Lod == ir.LodImplicit || k.Lod == ir.LodBias)

	var (
		g    gradients
		last = levelMemo{rho2: math.NaN()}
		all  uint32
	)
	for i := range b.n {
		i &= chunk - 1
		lane := b.laneAt(i)
		base, bias, minLod := 0.0, 0.0, 0.0
		b.count[i] = 1
		switch {
		case given && (k.Lod == ir.LodGrad || lane|3 < n): // IMG-070
			if k.Lod == ir.LodGrad {
				g.operands(p, a, lane)
			} else {
				g.quad(p, a, lane)
			}
			if p.st.Cube {
				b.toFace(i, &g)
			}
			if k.Aniso {
				base = b.footprint(p, i, &g)
			} else {
				base = last.lambdaOf(p, &g)
			}
		case p.st.Cube:
			b.toFace(i, nil)
		}
		switch k.Lod {
		case ir.LodExplicit: // IMG-400
			base = float64(math.Float32frombits(a.Lod[lane]))
		case ir.LodBias:
			bias = float64(math.Float32frombits(a.Lod[lane]))
		case ir.LodImplicit, ir.LodGrad, ir.LodZero:
		}
		if a.MinLod != nil {
			minLod = float64(math.Float32frombits(a.MinLod[lane]))
		}
		b.group[i], b.frac[i] = last.selectLevels(p, base, bias, minLod, b.count[i] == 1)
		all |= b.group[i] ^ b.group[0]
	}
	return all == 0
}

// lodRange is what level selection takes from view and sampler, for kernels.
type lodRange struct {
	bias, minLod, maxLod, last, viewMin float64
	linear                              int64 // mipmapMode
}

// locateQuads is locate for whole quads with implicit derivatives; false where a
// ρ² is 0 or not a number.
func (u *Unit) locateQuads(p *plan, a *ref.Args, b *batch) (same, ok bool) {
	var c2 *uint32
	if p.st.Dims > 2 {
		c2 = &a.Coord[2][b.base]
	}
	rho, fixed, magnify := &u.weight, &u.off, &u.start // not in use yet
	rhoAVX2(rho, &a.Coord[0][b.base], &a.Coord[1][b.base], c2, &p.st.Base, b.n)
	if !lambdaAVX2(fixed, magnify, rho, &p.lod, b.n) {
		return false, false
	}
	min, mag := groupOf(p.key.Min), groupOf(p.key.Mag)
	all := uint32(0)
	g, frac, m := b.group[:b.n], b.frac[:b.n], magnify[:b.n]
	for k, x := range fixed[:b.n] {
		f, how := uint32(x)&(one8-1), min
		if m[k] != 0 { // IMG-451
			how = mag
		}
		if f == 0 && how == groupNearest {
			how = groupOne
		}
		g[k], frac[k] = uint32(x)>>8*groups+how, f
		all |= g[k] ^ g[0]
	}
	return all == 0, true
}

// levelMemo remembers the last lane's level selection: neighbours often share
// it.
type levelMemo struct {
	rho2, lambda       float64
	valid              bool
	base, bias, minLod float64
	group, frac        uint32
	one                bool
}

// lambdaOf is λ_base from gradients, unless their ρ² is the last one's.
func (m *levelMemo) lambdaOf(p *plan, g *gradients) float64 {
	if x := p.rho2(g); x != m.rho2 {
		m.rho2, m.lambda = x, 0.5*ref.Log2(x) // IMG-445, IMG-452
	}
	return m.lambda
}

// rho2 is IMG-425 and IMG-429: the larger ρ², squared.
//
// IMG-426, IMG-428, IMG-430
func (p *plan) rho2(g *gradients) float64 {
	x, y := 0.0, 0.0
	for d := range p.st.Dims {
		s := p.st.Base[d]
		dx, dy := float64(g.x[d]*s), float64(g.y[d]*s)
		x += float64(dx * dx)
		y += float64(dy * dy)
	}
	if y > x || y != y {
		x = y
	}
	return x
}

// selectLevels is levelsOf, unless its operands are the last ones.
func (m *levelMemo) selectLevels(p *plan, base, bias, minLod float64, oneProbe bool) (group, frac uint32) {
	if m.valid && base == m.base && bias == m.bias && minLod == m.minLod && oneProbe == m.one {
		return m.group, m.frac
	}
	group, frac = p.levelsOf(base, bias, minLod, oneProbe)
	*m = levelMemo{rho2: m.rho2, lambda: m.lambda, valid: true, base: base, bias: bias, minLod: minLod, group: group, frac: frac, one: oneProbe}
	return group, frac
}

// levelsOf is IMG-446…449, IMG-451 and §21 textures-image-level-selection. Samplers with unnormalized
// coordinates have the range 0 to 0.
//
// IMG-450, IMG-464, IMG-465
func (p *plan) levelsOf(base, bias, minLod float64, oneProbe bool) (group, frac uint32) {
	st := &p.st
	// IMG-446
	b := min(max(st.Bias+bias, -resource.MaxSamplerLodBias), resource.MaxSamplerLodBias)
	lambda, lo := base+b, st.MinLod

	if minLod > lo { // IMG-447
		lo = minLod
	}
	if lambda != lambda || minLod != minLod || lambda < lo { // IMG-448
		lambda = lo
	}
	if lambda > st.MaxLod { // IMG-448, IMG-449
		lambda = st.MaxLod
	}
	// IMG-463
	d := max(min(lambda, st.LastLevel), st.ViewMin)

	how := groupOf(st.Min)
	if lambda <= 0 { // IMG-451
		how = groupOf(st.Mag)
	}
	var hi uint32
	if st.MipLinear { // IMG-461
		x := uint32(math.Float64bits(float64(d*one8) + roundMagic))
		hi, frac = x>>8, x&(one8-1)
	} else {
		hi = uint32(int(math.Ceil(d+0.5)) - 1) // IMG-462
	}
	if how == groupNearest && frac == 0 && oneProbe {
		how = groupOne
	}
	return hi*groups + how, frac
}

// footprint is anisotropic filtering's λ_base and probes (IMG-431…433, 560).
//
// IMG-434, IMG-564, IMG-566
func (b *batch) footprint(p *plan, i int, g *gradients) float64 {
	lambda, probes, eta, axis := ref.Footprint(&g.x, &g.y, &p.st.Base, p.st.Dims, p.st.Aniso)
	b.count[i], b.eta[i] = int32(probes), eta
	for d := range p.st.Dims {
		b.axis[d][i] = axis[d]
	}
	return lambda
}

// toFace is §18: the face of place i, its coordinates, and the derivatives
// there.
//
// IMG-023, IMG-410, IMG-415, IMG-416, IMG-417
func (b *batch) toFace(i int, g *gradients) {
	x, y, z := b.c[0][i], b.c[1][i], b.c[2][i]
	if x != x { // IMG-005
		x = 0
	}
	if y != y {
		y = 0
	}
	if z != z {
		z = 0
	}
	face := ref.CubeFace(x, y, z)
	sc, tc, rc := ref.CubeSelect(face, x, y, z)
	b.face[i] = int32(face)
	b.c[0][i], b.c[1][i] = ref.CubeCoord(sc, rc), ref.CubeCoord(tc, rc)
	if g == nil {
		return
	}
	for _, d := range [2]*[3]float64{&g.x, &g.y} {
		dsc, dtc, drc := ref.CubeSelect(face, d[0], d[1], d[2])
		*d = [3]float64{ref.CubeGrad(sc, rc, dsc, drc), ref.CubeGrad(tc, rc, dtc, drc), 0}
	}
}
