package render

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// outKind is what a shader writes at a location.
type outKind uint8

const (
	outNone outKind = iota
	outFloat
	outInteger
)

// shaderInput is a built-in whose value, as a number, is added to a component.
type shaderInput struct {
	io    ir.IO
	to    int
	scale float32
}

// interpolation is an interpolateAt instruction on a component of the colour, added
// to the next one.
type interpolation struct {
	component int
	mode      uint64 // 1 centroid, 2 sample, 3 offset
	sample    uint32
	dx, dy    float32
}

// shaderSpec says what a fragment shader of the random pipelines does; program
// makes it for the device, drawing.shade is its meaning.
type shaderSpec struct {
	interp     [4]ir.Interpolation // of the colour's components
	aux        [4]ir.Auxiliary
	inputs     []shaderInput
	derivative bool
	demote     bool
	mask       bool // writes SampleMask
	maskBits   uint32
	override   bool // of coverage by SampleMask
	depth      bool
	stencil    bool
	dual       bool
	outputs    [3]outKind
	early      bool
	postDepth  bool
	sampleRate bool
	at         []interpolation
	tile       bool // adds a quarter of what colour attachment 0 has there
}

// shaded is what an invocation writes.
type shaded struct {
	color   [3][4]float32
	integer [3][4]uint32
	second  [4]float32
	depth   float32
	stencil uint32
	mask    uint32
	demoted bool
}

// shade runs the shader for a fragment, or for one of its samples.
func (d *drawing) shade(f *fragment, sample int) (out shaded) {
	sp := d.spec
	var c [4]float32
	at := func(aux ir.Auxiliary) (x, y int32) {
		if aux == ir.AtCentroid {
			return d.centroid(f, sample)
		}
		return d.centre(f.x, f.y, f.size, sample)
	}
	for k := range c {
		x, y := at(sp.aux[k])
		c[k] = d.attribute(k, sp.interp[k], x, y)
	}
	if sp.derivative { // RAS-293, RAS-294: of red, which is at the centre or sample
		w, h := int32(1)<<f.size.w, int32(1)<<f.size.h
		x0, y0 := f.x&^(2*w-1), f.y&^(2*h-1)
		red := func(x, y int32) float32 {
			px, py := d.centre(x, y, f.size, sample)
			return d.attribute(0, sp.interp[0], px, py)
		}
		c[1] += abs32(red(x0+w, f.y) - red(x0, f.y))
		c[2] += abs32(red(f.x, y0+h) - red(f.x, y0))
	}
	for _, in := range sp.inputs {
		x, y := at(in.io.Aux)
		c[in.to] += float32(d.builtin(f, &in.io, sample, x, y) * in.scale)
	}
	for _, in := range sp.at { // RAS-286
		x, y := f.x<<8+128<<f.size.w, f.y<<8+128<<f.size.h
		switch in.mode {
		case 1:
			x, y = d.centroid(f, sample)
		case 2:
			n := d.samples * f.size.pixels()
			i := min(int(in.sample), n-1)
			p := i / d.samples
			if !f.major {
				p = f.size.pixels() - 1 - p
			}
			px, py := f.place(p)
			at := d.set.Of(px, py)
			x, y = px<<8+at.X[i%d.samples], py<<8+at.Y[i%d.samples]
		default:
			x, y = x+int32(math.Floor(float64(in.dx)*256+.5)), y+int32(math.Floor(float64(in.dy)*256+.5))
		}
		c[(in.component+1)%4] += d.attribute(in.component, sp.interp[in.component], x, y)
	}
	if sp.tile { // RAS-312
		v := d.scene().pass.Color[0].View
		t := v.Info.Decode(plane(v, vk.ImageAspectColorBit, d.layer, f.x, f.y, 0))
		c[0] += float32(math.Float32frombits(t[0]) * .25)
	}
	out.demoted = sp.demote && c[0] < .5
	out.mask = d.p.id ^ sp.maskBits
	out.depth = float32(abs32(c[2]) * .5)
	out.stencil = d.p.id
	for l := range out.color {
		for k := range 4 {
			v := c[(k+l)%4]
			out.color[l][k] = v
			out.integer[l][k] = uint32(min(float32(abs32(v)*200), 4000))
		}
	}
	for k := range 3 {
		out.second[k] = c[(k+1)%4]
	}
	return out
}

func abs32(f float32) float32 { return math.Float32frombits(math.Float32bits(f) &^ (1 << 31)) }

// builtin is the value of an input as a number.
func (d *drawing) builtin(f *fragment, io *ir.IO, sample int, x, y int32) float32 {
	number := func(u uint32) float32 { return float32(u & 0xff) }
	truth := func(b bool) float32 {
		if b {
			return 1
		}
		return .25
	}
	one := []int32{x}
	switch io.Builtin {
	case ir.BuiltinNone: // RAS-180: of a vertex
		n := uint8(len(d.p.v))
		first := uint8(0)
		if d.last() {
			first = uint8(d.p.provoking+1) % n
		}
		return d.float(d.p.v[(min(io.Vertex-1, n-1)+first)%n], 4+int(io.Component))
	case ir.BuiltinFragCoord:
		cx, cy := d.centre(f.x, f.y, f.size, sample)
		var v [4][1]float32
		d.s.FragCoordAt([]int32{cx}, []int32{cy}, v[0][:], v[1][:], v[2][:], v[3][:])
		return v[io.Component][0]
	case ir.BuiltinFrontFacing:
		return truth(d.s.FrontFacing)
	case ir.BuiltinPointCoord:
		var u, v [1]float32
		d.s.PointCoordAt(one, []int32{y}, u[:], v[:])
		if io.Component == 0 {
			return u[0]
		}
		return v[0]
	case ir.BuiltinSampleID:
		return number(uint32(max(sample, 0)))
	case ir.BuiltinSamplePosition:
		at := d.set.Of(f.x, f.y)
		if io.Component == 0 {
			return float32(at.X[max(sample, 0)]) / 256
		}
		return float32(at.Y[max(sample, 0)]) / 256
	case ir.BuiltinSampleMask:
		word := uint32(0)
		for p := range f.size.pixels() {
			m := f.full[p] & d.st.SampleMask
			if d.spec.postDepth {
				m = f.mask[p]
			}
			for k := range d.samples {
				if i := f.index(p, k, d.samples); i < 32 && m>>k&1 != 0 {
					word |= 1 << i
				}
			}
		}
		return number(word)
	case ir.BuiltinPrimitiveID:
		return number(d.p.id)
	case ir.BuiltinLayer:
		return number(uint32(d.layer))
	case ir.BuiltinViewportIndex:
		return number(uint32(d.viewport))
	case ir.BuiltinViewIndex:
		return number(uint32(d.view))
	case ir.BuiltinFullyCovered:
		all := true
		for p := range f.size.pixels() {
			px, py := f.place(p)
			all = all && d.s.FullyCovered(d.extra, px, py)
		}
		return truth(all)
	case ir.BuiltinShadingRate:
		return number(uint32(f.size.w)<<2 | uint32(f.size.h))
	case ir.BuiltinBaryCoord: // RAS-184
		n := uint32(len(d.p.v))
		if io.Component >= n {
			return 0
		}
		first := uint32(0)
		if d.last() {
			first = uint32(d.p.provoking+1) % n
		}
		i, j := d.pair(io.Interp, x, y)
		return [3]float32{float32(1-i) - j, i, j}[(io.Component+first)%n]
	}
	panic("an input without a meaning")
}

// program makes the shader for the device.
func (sp *shaderSpec) program() *ir.Program {
	p := &ir.Program{Stage: ir.StageFragment, Name: "random", UsesDerivatives: sp.derivative, EarlyFragmentTests: sp.early,
		PostDepthCoverage: sp.postDepth, SampleRate: sp.sampleRate, Demotes: sp.demote, OverrideCoverage: sp.override}
	b := ir.NewBuilder(p)
	input := func(io ir.IO) ir.Value {
		p.Inputs = append(p.Inputs, io)
		return b.OpImm(ir.OpInput, io.Type, uint64(len(p.Inputs)-1))
	}
	output := func(io ir.IO, v ir.Value) {
		p.Outputs = append(p.Outputs, io)
		b.OpImm(ir.OpOutput, ir.Void, uint64(len(p.Outputs)-1), v)
	}
	var c [4]ir.Value
	for k := range c {
		io := inout(ir.BuiltinNone, 0, uint32(k), ir.F32)
		io.Interp, io.Aux = sp.interp[k], sp.aux[k]
		c[k] = input(io)
	}
	add := func(to int, v ir.Value) { c[to] = b.Op(ir.OpFAdd, ir.F32, c[to], v) }
	red := c[0]
	if sp.derivative {
		add(1, b.Op(ir.OpFAbs, ir.F32, b.Op(ir.OpDdxFine, ir.F32, red)))
		add(2, b.Op(ir.OpFAbs, ir.F32, b.Op(ir.OpDdyFine, ir.F32, red)))
	}
	for _, in := range sp.inputs {
		v := input(in.io)
		switch in.io.Type {
		case ir.Bool:
			v = b.Op(ir.OpSelect, ir.F32, v, b.F32(1), b.F32(.25))
		case ir.I32:
			v = b.Op(ir.OpU2F, ir.F32, b.Op(ir.OpAnd, ir.I32, v, b.I32(0xff)))
		}
		add(in.to, b.Op(ir.OpFMul, ir.F32, v, b.F32(in.scale)))
	}
	for _, in := range sp.at {
		imm := uint64(in.component) | in.mode<<32
		var v ir.Value
		switch in.mode {
		case 1:
			v = b.OpImm(ir.OpInterpolateAt, ir.F32, imm)
		case 2:
			v = b.OpImm(ir.OpInterpolateAt, ir.F32, imm, b.I32(in.sample))
		default:
			v = b.OpImm(ir.OpInterpolateAt, ir.F32, imm, b.F32(in.dx), b.F32(in.dy))
		}
		add((in.component+1)%4, v)
	}
	if sp.tile {
		p.Resources = []ir.Resource{{Kind: ir.TileImage, Count: 1}}
		p.ImageOps = []ir.ImageOp{{Kind: ir.ImageFetch, Dim: ir.Dim2D, Arrayed: true, MS: true, Sampler: -1, Coords: 3, GradCoords: 2, HasSample: true, Results: 4}}
		var at [2]ir.Value
		for k := range at {
			at[k] = b.Op(ir.OpF2S, ir.I32, input(inout(ir.BuiltinFragCoord, 0, uint32(k), ir.F32)))
		}
		texel := b.OpMore(ir.OpImage, ir.F32, 0, []ir.Value{b.I32(0), at[0], at[1], b.I32(0), b.I32(0)})
		add(0, b.Op(ir.OpFMul, ir.F32, texel, b.F32(.25)))
	}
	var id ir.Value
	if sp.mask || sp.stencil {
		id = input(inout(ir.BuiltinPrimitiveID, 0, 0, ir.I32))
	}
	if sp.demote {
		b.If(b.Op(ir.OpFLt, ir.Bool, c[0], b.F32(.5)), func() { b.Op(ir.OpDemote, ir.Void) }, nil)
	}
	for l, kind := range sp.outputs {
		for k := range uint32(4) {
			v := c[(int(k)+l)%4]
			switch kind {
			case outFloat:
				output(inout(ir.BuiltinNone, uint32(l), k, ir.F32), v)
			case outInteger:
				v = b.Op(ir.OpFMin, ir.F32, b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpFAbs, ir.F32, v), b.F32(200)), b.F32(4000))
				output(inout(ir.BuiltinNone, uint32(l), k, ir.I32), b.Op(ir.OpF2U, ir.I32, v))
			}
		}
	}
	if sp.dual {
		for k := range 3 {
			io := inout(ir.BuiltinNone, 0, uint32(k), ir.F32)
			io.Index = 1
			output(io, c[(k+1)%4])
		}
	}
	if sp.mask {
		output(inout(ir.BuiltinSampleMask, 0, 0, ir.I32), b.Op(ir.OpXor, ir.I32, id, b.I32(sp.maskBits)))
	}
	if sp.depth {
		output(inout(ir.BuiltinFragDepth, 0, 0, ir.F32), b.Op(ir.OpFMul, ir.F32, b.Op(ir.OpFAbs, ir.F32, c[2]), b.F32(.5)))
	}
	if sp.stencil {
		output(inout(ir.BuiltinFragStencilRef, 0, 0, ir.I32), id)
	}
	b.Finish()
	return p
}

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
func (d *drawing) tests(f *fragment, out *shaded) {
	st, n := d.st, d.depthBits()
	face := &st.Front
	if !d.s.FrontFacing {
		face = &st.Back
	}
	ref := uint8(face.Reference)
	if out != nil && d.spec.stencil {
		ref = uint8(out.stencil)
	}
	for p := range f.size.pixels() {
		x, y := f.place(p)
		at := d.set.Of(x, y)
		for k := range d.samples {
			bit := uint32(1) << k
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

// write stores the colours of a pixel, sample by sample; whole is the coverage of
// all invocations of the pixel.
// RAS-332 – RAS-334, RAS-336 – RAS-349
func (d *drawing) write(x, y int32, mask, whole uint32, out *shaded) {
	for i := range d.scalar.s.pass.Color {
		a := &d.scalar.s.pass.Color[i]
		if a.View == nil || i >= len(out.color) || d.spec.outputs[i] == outNone || d.st.ColorWrite>>i&1 == 0 {
			continue
		}
		group := 1 // coverage samples of a colour sample
		if d.st.CoverageReduction == vk.CoverageReductionModeMergeNV {
			group = d.samples / a.View.Image.Samples
		}
		for k := range a.View.Image.Samples {
			part := whole >> (k * group) & (1<<group - 1)
			if part == 0 || mask>>(k*group+bits.TrailingZeros32(part))&1 == 0 {
				continue
			}
			scaled := *out
			if d.st.CoverageToColor && d.st.CoverageToColorLocation == uint32(i) { // RAS-331
				scaled.integer[i][0] = whole
			}
			if m := d.st.CoverageModulation; d.st.CoverageReduction == vk.CoverageReductionModeMergeNV {
				r := float32(bits.OnesCount32(part)) / float32(group)
				for c := range 4 {
					if c < 3 && m&vk.CoverageModulationModeRgbNV != 0 || c == 3 && m&vk.CoverageModulationModeAlphaNV != 0 {
						scaled.color[i][c] = float32(scaled.color[i][c] * r)
					}
				}
			}
			mem := plane(a.View, vk.ImageAspectColorBit, d.layer, x, y, k)[:a.View.Info.BlockBytes]
			copy(mem, d.texel(i, a.View.Info, mem, &scaled))
		}
	}
}

// texel is what a sample becomes.
func (d *drawing) texel(i int, info *format.Info, old []byte, out *shaded) []byte {
	st := &d.st.Blend[i]
	integer := info.Class != format.ClassFloat
	var src format.Texel
	for c := range src {
		src[c] = math.Float32bits(out.color[i][c])
		if integer {
			src[c] = out.integer[i][c]
		}
	}
	unlogical := info.Numeric == format.NumericSfloat || info.Numeric == format.NumericUfloat || info.Numeric == format.NumericSrgb
	if st.BlendEnable && !d.st.LogicOpEnable && !integer {
		src = d.blended(i, info, src, info.Decode(old), out)
	}
	fresh := make([]byte, len(old))
	info.Encode(fresh, src)
	if d.st.LogicOpEnable && !unlogical {
		for n := range fresh { // RAS-346: bit 3-2s-d of the operation, but in its own order
			v := byte(0)
			for bit := range 8 {
				s, o := fresh[n]>>bit&1, old[n]>>bit&1
				if logicBit(d.st.LogicOp, s, o) {
					v |= 1 << bit
				}
			}
			fresh[n] = v
		}
	}
	// RAS-347: the bits of the components that are written.
	var keep [maxTexel]byte
	for n := range old {
		keep[n] = 0xff
	}
	for c, comp := range info.Components {
		if comp.Kind == format.KindNone || st.ColorWriteMask>>c&1 == 0 {
			continue
		}
		for bit := comp.Shift; bit < comp.Shift+comp.Bits; bit++ {
			keep[bit/8] &^= 1 << (bit % 8)
		}
	}
	for n := range fresh {
		fresh[n] = old[n]&keep[n] | fresh[n]&^keep[n]
	}
	return fresh
}

// logicBit is RAS-346: the operations' names spell their truth tables.
func logicBit(op vk.LogicOp, s, d byte) bool {
	a, b := s == 1, d == 1
	return [16]bool{
		false, a && b, a && !b, a, !a && b, b, a != b, a || b,
		!(a || b), a == b, !b, a || !b, !a, !a || b, !(a && b), true,
	}[op]
}

// blended is RAS-339 to RAS-341.
func (d *drawing) blended(i int, info *format.Info, src, dst format.Texel, out *shaded) (t format.Texel) {
	st := &d.st.Blend[i]
	lo, hi := float32(math.Inf(-1)), float32(math.Inf(1))
	switch info.Numeric {
	case format.NumericUnorm, format.NumericSrgb:
		lo, hi = 0, 1
	case format.NumericSnorm:
		lo, hi = -1, 1
	}
	load := func(v [4]float32) fragops.Vec4 {
		for c := range v {
			v[c] = min(max(v[c], lo), hi)
		}
		return v
	}
	floats := func(x format.Texel) (v [4]float32) {
		for c := range v {
			v[c] = math.Float32frombits(x[c])
		}
		return v
	}
	s, o, k, s1 := load(floats(src)), load(floats(dst)), load(d.st.BlendConstants), load(out.second)
	if !d.spec.dual {
		s1 = fragops.Vec4{}
	}
	if st.ColorBlendOp >= vk.BlendOpZeroEXT { // the oracle of package fragops holds these
		b := fragops.BlendState{ColorOp: st.ColorBlendOp, AlphaOp: st.AlphaBlendOp, Advanced: d.st.Advanced[i], Lo: 1}
		for c, v := range b.Blend(s, s1, o) {
			t[c] = math.Float32bits(v)
		}
		return t
	}
	for c := range t {
		sf, df, op := st.SrcColorBlendFactor, st.DstColorBlendFactor, st.ColorBlendOp
		if c == 3 {
			sf, df, op = st.SrcAlphaBlendFactor, st.DstAlphaBlendFactor, st.AlphaBlendOp
		}
		p, q := float32(s[c]*scalarFactor(sf, c, s, s1, o, k)), float32(o[c]*scalarFactor(df, c, s, s1, o, k))
		var v float32
		switch op {
		case vk.BlendOpAdd:
			v = p + q
		case vk.BlendOpSubtract:
			v = p - q
		case vk.BlendOpReverseSubtract:
			v = q - p
		case vk.BlendOpMin:
			v = min(s[c], o[c])
		default:
			v = max(s[c], o[c])
		}
		t[c] = math.Float32bits(v)
		if v != v {
			t[c] = fp.CanonicalNaN
		}
	}
	return t
}

// scalarFactor is RAS-340.
func scalarFactor(f vk.BlendFactor, c int, s, s1, d, k fragops.Vec4) float32 {
	plain := func(v float32, inverse vk.BlendFactor) float32 {
		if f == inverse {
			return 1 - v
		}
		return v
	}
	switch f {
	case vk.BlendFactorOne:
		return 1
	case vk.BlendFactorSrcColor, vk.BlendFactorOneMinusSrcColor:
		return plain(s[c], vk.BlendFactorOneMinusSrcColor)
	case vk.BlendFactorDstColor, vk.BlendFactorOneMinusDstColor:
		return plain(d[c], vk.BlendFactorOneMinusDstColor)
	case vk.BlendFactorSrcAlpha, vk.BlendFactorOneMinusSrcAlpha:
		return plain(s[3], vk.BlendFactorOneMinusSrcAlpha)
	case vk.BlendFactorDstAlpha, vk.BlendFactorOneMinusDstAlpha:
		return plain(d[3], vk.BlendFactorOneMinusDstAlpha)
	case vk.BlendFactorConstantColor, vk.BlendFactorOneMinusConstantColor:
		return plain(k[c], vk.BlendFactorOneMinusConstantColor)
	case vk.BlendFactorConstantAlpha, vk.BlendFactorOneMinusConstantAlpha:
		return plain(k[3], vk.BlendFactorOneMinusConstantAlpha)
	case vk.BlendFactorSrc1Color, vk.BlendFactorOneMinusSrc1Color:
		return plain(s1[c], vk.BlendFactorOneMinusSrc1Color)
	case vk.BlendFactorSrc1Alpha, vk.BlendFactorOneMinusSrc1Alpha:
		return plain(s1[3], vk.BlendFactorOneMinusSrc1Alpha)
	case vk.BlendFactorSrcAlphaSaturate:
		if c == 3 {
			return 1
		}
		return min(s[3], 1-d[3])
	}
	return 0
}

// each calls f for every sample of an aspect of a view in a rectangle.
func each(v *resource.ImageView, aspect vk.ImageAspectFlags, layer int, area vk.Rect2D, f func(mem []byte)) {
	if v == nil {
		return
	}
	r := rectOf(area).Intersect(raster.Rect{X1: int32(v.Level(0, 0).Width), Y1: int32(v.Level(0, 0).Height)})
	for y := r.Y0; y < r.Y1; y++ {
		for x := r.X0; x < r.X1; x++ {
			for k := range v.Image.Samples {
				if mem := plane(v, aspect, layer, x, y, k); mem != nil {
					f(mem)
				}
			}
		}
	}
}

// load does the load operations of a layer.
func (r *scalar) load(layer int) {
	p := &r.s.pass
	for i := range p.Color {
		if a := &p.Color[i]; a.Load == vk.AttachmentLoadOpClear && a.View != nil {
			each(a.View, vk.ImageAspectColorBit, layer, p.Area, func(mem []byte) { a.View.Info.Encode(mem, a.ClearColor) })
		}
	}
	if a := p.Depth; a != nil && a.Load == vk.AttachmentLoadOpClear {
		n := r.depthBits()
		each(a.View, vk.ImageAspectDepthBit, layer, p.Area, func(mem []byte) {
			if n == 24 {
				mem[3] = 0 // what clears leave in the byte without meaning
			}
			storeCode(mem, n, r.code(a.ClearDepth, n))
		})
	}
	if a := p.Stencil; a != nil && a.Load == vk.AttachmentLoadOpClear {
		each(a.View, vk.ImageAspectStencilBit, layer, p.Area, func(mem []byte) { mem[0] = byte(a.ClearStencil) })
	}
}

// clear is vkCmdClearAttachments.
func (r *scalar) clear(c *Clear, layers int) {
	p := &r.s.pass
	for _, cr := range c.Rects {
		for layer := range layers {
			if p.ViewMask != 0 && p.ViewMask>>layer&1 == 0 || p.ViewMask == 0 && (layer < int(cr.BaseArrayLayer) || layer >= int(cr.BaseArrayLayer+cr.LayerCount)) {
				continue
			}
			area := rectOf(cr.Rect).Intersect(rectOf(p.Area))
			rect := vk.Rect2D{Offset: vk.Offset2D{X: area.X0, Y: area.Y0}, Extent: vk.Extent2D{Width: uint32(max(area.X1-area.X0, 0)), Height: uint32(max(area.Y1-area.Y0, 0))}}
			if c.Aspect&vk.ImageAspectColorBit != 0 {
				v := p.Color[c.ColorAttachment].View
				each(v, vk.ImageAspectColorBit, layer, rect, func(mem []byte) { v.Info.Encode(mem, c.Color) })
			}
			if n := r.depthBits(); c.Aspect&vk.ImageAspectDepthBit != 0 && n != 0 {
				each(r.s.depth, vk.ImageAspectDepthBit, layer, rect, func(mem []byte) {
					if n == 24 {
						mem[3] = 0
					}
					storeCode(mem, n, r.code(c.Depth, n))
				})
			}
			if c.Aspect&vk.ImageAspectStencilBit != 0 {
				each(r.s.depth, vk.ImageAspectStencilBit, layer, rect, func(mem []byte) { mem[0] = byte(c.Stencil) })
			}
		}
	}
}

// resolve is the end of the pass in a layer.
// RAS-350 – RAS-354
func (r *scalar) resolve(layer int) {
	p := &r.s.pass
	area := rectOf(p.Area)
	for i := range p.Color {
		a := &p.Color[i]
		if a.View == nil || a.Resolve == nil || a.ResolveMode == vk.ResolveModeNone {
			continue
		}
		info := a.View.Info
		for y := area.Y0; y < area.Y1; y++ {
			for x := area.X0; x < area.X1; x++ {
				to := plane(a.Resolve, vk.ImageAspectColorBit, layer, x, y, 0)[:info.BlockBytes]
				if info.Class != format.ClassFloat || a.ResolveMode == vk.ResolveModeSampleZeroBit {
					copy(to, plane(a.View, vk.ImageAspectColorBit, layer, x, y, 0))
					continue
				}
				var t format.Texel
				for c := range t {
					sum, best := 0.0, 0.0
					for k := range a.View.Image.Samples {
						v := float64(math.Float32frombits(info.Decode(plane(a.View, vk.ImageAspectColorBit, layer, x, y, k))[c]))
						sum += v
						if k == 0 || a.ResolveMode == vk.ResolveModeMinBit && v < best || a.ResolveMode == vk.ResolveModeMaxBit && v > best {
							best = v
						}
					}
					if a.ResolveMode == vk.ResolveModeAverageBit {
						best = sum / float64(a.View.Image.Samples)
					}
					t[c] = math.Float32bits(float32(best))
				}
				info.Encode(to, t)
			}
		}
	}
	a := p.Depth
	if a == nil || a.Resolve == nil || a.ResolveMode == vk.ResolveModeNone {
		return
	}
	n := r.depthBits()
	for y := area.Y0; y < area.Y1; y++ {
		for x := area.X0; x < area.X1; x++ {
			sum, best := 0.0, 0.0
			code := uint32(0)
			for k := range r.samples {
				c := loadCode(plane(a.View, vk.ImageAspectDepthBit, layer, x, y, k), n)
				v := depthOf(c, n)
				sum += v
				if k == 0 || a.ResolveMode == vk.ResolveModeMinBit && v < best || a.ResolveMode == vk.ResolveModeMaxBit && v > best {
					best, code = v, c
				}
			}
			if a.ResolveMode == vk.ResolveModeAverageBit {
				code = r.code(float32(sum/float64(r.samples)), n)
			}
			storeCode(plane(a.Resolve, vk.ImageAspectDepthBit, layer, x, y, 0), n, code)
		}
	}
}
