package sampling

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// fastKind chooses how the fast loop reads and weighs texels.
type fastKind uint8

const (
	fastNone   fastKind = iota
	fastBytes           // UNORM bytes, 1, 2 or 4 of them: integer sums
	fastSRGB            // four bytes, sRGB: binary64 sums
	fastReal            // any other float-class format: binary64 sums
	fastHalf4           // the same for four binary16
	fastFloat4          // and four binary32
)

// fastLevel is a level of one layer, ready to be sampled.
type fastLevel struct {
	data   []byte
	w, h   int
	fw, fh float64 // w, h; 1 where coordinates are unnormalized
	row    int     // bytes between rows
	layer  int     // 1 + layer; 0 where the entry is empty
}

// fast is the state of the fast loop: 2D images and cubes of float class,
// without comparison, reduction, anisotropy or offsets. It gives the reference's bits; lanes that it does not handle
// (border texels, cube seams) it hands to the reference.
type fast struct {
	unit
	kind    fastKind
	pixel   int // bytes of a texel
	shift   [4]uint8
	missing uint32  // the bits of a texel's word that memory lacks: alpha
	scale   float64 // 1/(255·2^24)
	noLod   bool    // one level, one filter: the LOD decides nothing
	// The last ρ² and its λ: neighbouring lanes often share them.
	rho2, lambda float64
	levels       [resource.MaxLevels]fastLevel
}

// fastKindOf says whether and how the fast loop runs.
func (u *unit) fastKindOf() fastKind {
	op := u.a.Op
	if op.Dim != ir.Dim2D && op.Dim != ir.DimCube || u.cube && !u.seams || u.compare || u.aniso > 1 ||
		u.reduce != vk.SamplerReductionModeWeightedAverage || u.info.Class != format.ClassFloat ||
		u.info.Compressed || u.info.NeedsConversion() || u.v.Image.Samples != 1 || u.a.Offset[0] != nil || u.a.Offset[1] != nil {
		return fastNone
	}
	bytes := u.info.BlockBytes
	for i, c := range u.info.Components {
		inOrder := bytes == 4 && c.Shift%8 == 0 || c.Shift == 8*i // A8 is not
		if c.Kind != format.KindNone && (c.Bits != 8 || !inOrder) {
			bytes = 0
		}
	}
	switch {
	case bytes != 0 && bytes != 3 && u.codeMax == 255:
		return fastBytes
	case u.codeMax != 0:
		return fastNone // 16-bit codes: the reference
	case bytes == 4 && u.info.Numeric == format.NumericSrgb:
		return fastSRGB
	case u.info.Numeric == format.NumericSfloat && u.info.BlockBytes == 8 && u.info.Components[3].Bits == 16:
		return fastHalf4
	case u.info.Numeric == format.NumericSfloat && u.info.BlockBytes == 16 && u.info.Components[3].Bits == 32:
		return fastFloat4
	default:
		return fastReal
	}
}

// prepare fills in what the loop keeps beside the unit.
func (f *fast) prepare(u *unit, kind fastKind) {
	f.unit, f.kind, f.pixel, f.scale = *u, kind, u.info.BlockBytes, 1.0/(255<<24)
	f.rho2 = math.NaN()
	f.noLod = u.v.Levels == 1 && u.mag == u.min
	for c, comp := range u.info.Components {
		f.shift[c] = uint8(comp.Shift)
		if comp.Kind == format.KindNone {
			// Bytes that no component has: G, B read zeros, A the
			// byte that missing adds.
			f.shift[c] = uint8(8 * c)
		}
	}
	if u.info.Components[3].Kind == format.KindNone {
		f.missing = 0xFF000000
	}
}

// runFast is the loop over lanes.
func (u *unit) runFast(kind fastKind, n int) {
	var f fast
	f.prepare(u, kind)
	a := u.a
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		t, ok := f.sample(lane, n)
		if !ok {
			t = u.sample(lane, n)
		} else {
			t = f.swizzle.apply(t)
		}
		u.store(lane, t)
	}
}

// sample is unit.sample for the fast keys; false sends the lane there.
func (f *fast) sample(lane, n int) (format.Texel, bool) {
	a := f.a
	s, t, layer := operand(a.Coord[0], lane), operand(a.Coord[1], lane), 0
	if f.layer >= 0 {
		layer = layerIndex(operand(a.Coord[f.layer], lane), f.layers)
	}
	var lv levels
	if f.cube {
		var ok bool
		if s, t, layer, lv, ok = f.cubeSpot(s, t, lane, n, layer); !ok {
			return format.Texel{}, false
		}
	} else if f.noLod {
		lv.mag = true
	} else {
		lv = f.select2D(lane, n)
	}
	linear := f.min
	if lv.mag {
		linear = f.mag
	}
	return f.filter(lv, layer, s, t, linear)
}

// filter is §22–25 for one spot; false sends it to the reference.
func (f *fast) filter(lv levels, layer int, s, t float64, linear bool) (format.Texel, bool) {
	switch {
	case !linear && lv.delta == 0:
		o, l, ok := f.nearestAt(lv.hi, layer, s, t)
		if !ok {
			return format.Texel{}, false
		}
		return f.info.Decode(l.data[o:]), true
	case f.kind == fastBytes:
		return f.sampleBytes(lv, layer, s, t, linear)
	default:
		return f.sampleReal(lv, layer, s, t, linear)
	}
}

// select2D is §17–21 for a lane of a 2D image.
func (f *fast) select2D(lane, n int) levels {
	a := f.a
	base, bias := 0.0, 0.0
	switch a.Op.Lod {
	case ir.LodImplicit, ir.LodBias:
		if q := lane &^ 3; a.Quads && q+3 < n {
			row, column := q+lane&2, q+lane&1
			c0, c1 := a.Coord[0][q:q+4:q+4], a.Coord[1][q:q+4:q+4]
			row, column = row-q, column-q
			base = f.lambdaOf(difference(c0[row], c0[row+1]), difference(c1[row], c1[row+1]),
				difference(c0[column], c0[column+2]), difference(c1[column], c1[column+2]))
		}
		if a.Op.Lod == ir.LodBias {
			bias = operand(a.Lod, lane)
		}
	case ir.LodGrad:
		base = f.lambdaOf(operand(a.DX[0], lane), operand(a.DX[1], lane), operand(a.DY[0], lane), operand(a.DY[1], lane))
	case ir.LodExplicit:
		base = operand(a.Lod, lane)
	case ir.LodZero:
	}
	return f.lod.selectLevels(f.lod.clampLod(f.lod.biasLod(base, bias), f.minLod(lane)))
}

// lambdaOf is texelLength2 and log2 for two 2D derivatives, remembering the
// last result.
func (f *fast) lambdaOf(sx, tx, sy, ty float64) float64 {
	mx, nx := float64(sx*f.base[0]), float64(tx*f.base[1])
	my, ny := float64(sy*f.base[0]), float64(ty*f.base[1])
	rho2 := max(float64(mx*mx)+float64(nx*nx), float64(my*my)+float64(ny*ny))
	if rho2 != f.rho2 {
		f.rho2, f.lambda = rho2, 0.5*log2(rho2)
	}
	return f.lambda
}

// cubeSpot is §18 with level selection; layer comes in as the cube's index.
func (f *fast) cubeSpot(x, y float64, lane, n, layer int) (s, t float64, layer2 int, lv levels, ok bool) {
	a := f.a
	if m := a.Op.Lod; !f.noLod && (m == ir.LodImplicit || m == ir.LodBias || m == ir.LodGrad) {
		at, g := f.locate(lane, n)
		lambda, _ := f.lambdaPrime(lane, n, &g)
		lv = f.lod.selectLevels(f.lod.clampLod(lambda, f.minLod(lane)))
		return at.c[0], at.c[1], at.layer + at.face, lv, true
	}
	z := operand(a.Coord[2], lane)
	if x != x || y != y || z != z {
		return 0, 0, 0, lv, false
	}
	face := cubeFace(x, y, z)
	sc, tc, rc := cubeSelect(face, x, y, z)
	lv.mag = true
	if !f.noLod {
		lv = f.select2D(lane, n) // explicit or zero
	}
	return cubeCoord(sc, rc), cubeCoord(tc, rc), 6*layer + face, lv, true
}

// at returns a level of a layer, prepared on first use.
func (f *fast) at(level, layer int) *fastLevel {
	l := &f.levels[level]
	if l.layer != layer+1 {
		r := f.v.Level(level, layer)
		*l = fastLevel{data: r.Data, w: r.Width, h: r.Height, fw: float64(r.Width), fh: float64(r.Height), row: r.RowPitch, layer: layer + 1}
		if f.unnorm {
			l.fw, l.fh = 1, 1
		}
	}
	return l
}

// nearestAt finds the texel of NEAREST filtering; false is a border texel.
func (f *fast) nearestAt(level, layer int, s, t float64) (int, *fastLevel, bool) {
	l := f.at(level, layer)
	mu, mv := f.modes[0], f.modes[1]
	if f.cube {
		mu, mv = modeClampToEdge, modeClampToEdge
	}
	i := wrap(mu, nearestTexel(reduceCoord(scaleCoord(s, l.w, 0, f.unnorm), mu, l.w)), l.w)
	j := wrap(mv, nearestTexel(reduceCoord(scaleCoord(t, l.h, 0, f.unnorm), mv, l.h)), l.h)
	return j*l.row + i*f.pixel, l, i|j >= 0
}

// corners are the byte offsets of a bilinear footprint and its two fractions.
type corners struct {
	o00, o10, o01, o11 int
	fx, fy             uint64
}

// cornersAt is the LINEAR footprint; false where it leaves a cube face or
// reads a border texel.
func (f *fast) cornersAt(l *fastLevel, s, t float64) (c corners, ok bool) {
	u, v := float64(s*l.fw), float64(t*l.fh)
	if !(u > -far && u < far && v > -far && v < far) {
		u = reduceCoord(scaleCoord(s, l.w, 0, f.unnorm), f.modes[0], l.w)
		v = reduceCoord(scaleCoord(t, l.h, 0, f.unnorm), f.modes[1], l.h)
	}
	i0, fx := linearTexels(u)
	j0, fy := linearTexels(v)
	c.fx, c.fy = uint64(fx), uint64(fy)
	if uint(i0) < uint(l.w-1) && uint(j0) < uint(l.h-1) {
		c.o00 = j0*l.row + i0*f.pixel
		c.o10 = c.o00 + f.pixel
		c.o01, c.o11 = c.o00+l.row, c.o10+l.row
		return c, true
	}
	if f.cube {
		return c, false
	}
	i0, i1 := wrapPair(f.modes[0], i0, l.w)
	j0, j1 := wrapPair(f.modes[1], j0, l.h)
	c.o00, c.o10 = j0*l.row+i0*f.pixel, j0*l.row+i1*f.pixel
	c.o01, c.o11 = j1*l.row+i0*f.pixel, j1*l.row+i1*f.pixel
	return c, i0|i1|j0|j1 >= 0
}

// wrapPair wraps taps i and i+1.
func wrapPair(mode addressMode, i, size int) (a, b int) {
	switch mode {
	case modeRepeat:
		a = floorMod(i, size)
		if b = a + 1; b == size {
			b = 0
		}
		return a, b
	case modeClampToEdge:
		return clampIndex(i, size), clampIndex(i+1, size)
	case modeMirroredRepeat, modeClampToBorder, modeMirrorClampToEdge:
	}
	return wrap(mode, i, size), wrap(mode, i+1, size)
}

// Two 16-bit lanes of a 64-bit word, 32 bits apart.
const evenLanes = 0x0000FFFF0000FFFF

// spread moves the bytes of x into 16-bit lanes.
func spread(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & evenLanes
	return (v | v<<8) & 0x00FF00FF00FF00FF
}

// sampleBytes filters UNORM bytes in integers. A level's sum of a component is
// below 2^24, so two lie in one word, 32 bits apart, and two levels' sum is
// below 255·2^24 < 2^32.
func (f *fast) sampleBytes(lv levels, layer int, s, t float64, linear bool) (format.Texel, bool) {
	even, odd, ok := f.levelBytes(f.at(lv.hi, layer), lv.hi, layer, s, t, linear)
	if !ok {
		return format.Texel{}, false
	}
	if lv.delta == 0 {
		even, odd = even<<8, odd<<8
	} else {
		e, o, ok := f.levelBytes(f.at(lv.lo, layer), lv.lo, layer, s, t, linear)
		if !ok {
			return format.Texel{}, false
		}
		d := uint64(lv.delta)
		even, odd = even*(one8-d)+e*d, odd*(one8-d)+o*d
	}
	bytes := [4]uint32{uint32(even), uint32(odd), uint32(even >> 32), uint32(odd >> 32)}
	var r format.Texel
	for c := range r {
		// The nearest binary32 to S/(255·2^24): the quotient of 32-bit S
		// is no closer to a tie than 2^-41 of itself, far more than the
		// error of the binary64 product.
		r[c] = math.Float32bits(float32(float64(float64(int64(bytes[f.shift[c]>>3&3])) * f.scale)))
	}
	return r, true
}

// levelBytes returns the weighted sums of bytes 0 and 2, and 1 and 3, of one
// level, on a scale of 2^16.
func (f *fast) levelBytes(l *fastLevel, level, layer int, s, t float64, linear bool) (even, odd uint64, ok bool) {
	if !linear {
		o, l, ok := f.nearestAt(level, layer, s, t)
		if !ok {
			return 0, 0, false
		}
		x := spread(f.word(l, o))
		return x & evenLanes << 16, x >> 16 & evenLanes << 16, true
	}
	c, ok := f.cornersAt(l, s, t)
	if !ok {
		return 0, 0, false
	}
	var t00, t10, t01, t11 uint32
	if f.pixel == 4 {
		d := l.data
		t00, t10 = binary.LittleEndian.Uint32(d[c.o00:]), binary.LittleEndian.Uint32(d[c.o10:])
		t01, t11 = binary.LittleEndian.Uint32(d[c.o01:]), binary.LittleEndian.Uint32(d[c.o11:])
	} else {
		t00, t10, t01, t11 = f.word(l, c.o00), f.word(l, c.o10), f.word(l, c.o01), f.word(l, c.o11)
	}
	// Rows first: sums of four 16-bit lanes, at most 255·256 each.
	top := spread(t00)*(one8-c.fx) + spread(t10)*c.fx
	bottom := spread(t01)*(one8-c.fx) + spread(t11)*c.fx
	even = (top&evenLanes)*(one8-c.fy) + (bottom&evenLanes)*c.fy
	odd = (top>>16&evenLanes)*(one8-c.fy) + (bottom>>16&evenLanes)*c.fy
	return even, odd, true
}

// word reads a texel of 1, 2 or 4 bytes.
func (f *fast) word(l *fastLevel, o int) uint32 {
	switch f.pixel {
	case 4:
		return binary.LittleEndian.Uint32(l.data[o:])
	case 2:
		return uint32(binary.LittleEndian.Uint16(l.data[o:])) | f.missing
	default:
		return uint32(l.data[o]) | f.missing
	}
}

// sampleReal filters decoded texels in binary64.
func (f *fast) sampleReal(lv levels, layer int, s, t float64, linear bool) (format.Texel, bool) {
	var hi, lo [4]float64
	if !f.levelReal(&hi, lv.hi, layer, s, t, linear) {
		return format.Texel{}, false
	}
	w := float64(one8 - lv.delta)
	for c := range hi {
		hi[c] = float64(w * hi[c])
	}
	if lv.delta != 0 {
		if !f.levelReal(&lo, lv.lo, layer, s, t, linear) {
			return format.Texel{}, false
		}
		w = float64(lv.delta)
		for c := range hi {
			hi[c] += float64(w * lo[c])
		}
	}
	var r format.Texel
	for c := range r {
		r[c] = visible(float32(float64(hi[c] * (1.0 / (1 << 24)))))
	}
	return r, true
}

// levelReal is filterLevel with weights of 2^16.
func (f *fast) levelReal(sum *[4]float64, level, layer int, s, t float64, linear bool) bool {
	if !linear {
		o, l, ok := f.nearestAt(level, layer, s, t)
		if !ok {
			return false
		}
		for c, b := range f.info.Decode(l.data[o:]) {
			sum[c] = float64((1 << 16) * float64(math.Float32frombits(b)))
		}
		return true
	}
	l := f.at(level, layer)
	c, ok := f.cornersAt(l, s, t)
	if !ok {
		return false
	}
	o := [4]int{c.o00, c.o10, c.o01, c.o11}
	w := [4]uint64{(one8 - c.fx) * (one8 - c.fy), c.fx * (one8 - c.fy), (one8 - c.fx) * c.fy, c.fx * c.fy}
	if f.kind == fastSRGB {
		f.sumSRGB(sum, l.data, &o, &w)
		return true
	}
	f.sumReal(sum, l.data, &o, &w)
	return true
}

// sumReal adds four texels of any format, skipping weights of 0 (IMG-533).
func (f *fast) sumReal(sum *[4]float64, data []byte, o *[4]int, w *[4]uint64) {
	nz := math.Copysign(0, -1)
	s0, s1, s2, s3 := nz, nz, nz, nz
	for i := range o {
		if w[i] == 0 {
			continue
		}
		var a, b, c, d float32
		switch f.kind {
		case fastFloat4:
			t := data[o[i] : o[i]+16 : o[i]+16]
			a, b = math.Float32frombits(binary.LittleEndian.Uint32(t)), math.Float32frombits(binary.LittleEndian.Uint32(t[4:]))
			c, d = math.Float32frombits(binary.LittleEndian.Uint32(t[8:])), math.Float32frombits(binary.LittleEndian.Uint32(t[12:]))
		case fastHalf4:
			x := binary.LittleEndian.Uint64(data[o[i]:])
			a, b, c, d = fp.HalfToFloat(uint16(x)), fp.HalfToFloat(uint16(x>>16)), fp.HalfToFloat(uint16(x>>32)), fp.HalfToFloat(uint16(x>>48))
		default:
			t := f.info.Decode(data[o[i]:])
			a, b, c, d = math.Float32frombits(t[0]), math.Float32frombits(t[1]), math.Float32frombits(t[2]), math.Float32frombits(t[3])
		}
		k := float64(int64(w[i]))
		s0 += float64(k * float64(a))
		s1 += float64(k * float64(b))
		s2 += float64(k * float64(c))
		s3 += float64(k * float64(d))
	}
	*sum = [4]float64{s0, s1, s2, s3}
}

// sumSRGB adds four sRGB texels. None is negative or infinite, so taps of
// weight 0 add nothing.
func (f *fast) sumSRGB(sum *[4]float64, data []byte, o *[4]int, w *[4]uint64) {
	r, g, b, a := f.shift[0]&31, f.shift[1]&31, f.shift[2]&31, f.shift[3]&31
	var s0, s1, s2, s3 float64
	for i := range o {
		x := binary.LittleEndian.Uint32(data[o[i]:])
		k := float64(int64(w[i]))
		s0 += float64(k * float64(fp.SrgbToLinear(uint8(x>>r))))
		s1 += float64(k * float64(fp.SrgbToLinear(uint8(x>>g))))
		s2 += float64(k * float64(fp.SrgbToLinear(uint8(x>>b))))
		s3 += float64(k * float64(fp.Unorm8ToFloat(uint8(x>>a))))
	}
	*sum = [4]float64{s0, s1, s2, s3}
}
