package render

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/vk"
)

// The shaders of the random pipelines: what they mean, and as programs.

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
	mask    uint64
	demoted bool
}

// shade runs the shader for a fragment, or for one of its samples.
func (d *drawing) shade(f *scalarFragment, sample int) (out shaded) {
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
		w, h := int32(1)<<f.size.W, int32(1)<<f.size.H
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
		x, y := f.x<<8+128<<f.size.W, f.y<<8+128<<f.size.H
		switch in.mode {
		case 1:
			x, y = d.centroid(f, sample)
		case 2:
			n := d.samples * f.size.Pixels()
			i := min(int(in.sample), n-1)
			p := i / d.samples
			if !f.major {
				p = f.size.Pixels() - 1 - p
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
	out.mask = uint64(sp.upperMask())<<32 | uint64(d.p.id^sp.maskBits)
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
func (d *drawing) builtin(f *scalarFragment, io *ir.IO, sample int, x, y int32) float32 {
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
		for p := range f.size.Pixels() {
			m := f.full[p] & d.st.SampleMask
			if d.spec.postDepth {
				m = f.mask[p]
			}
			for k := range d.samples {
				if i := f.index(p, k, d.samples); i/32 == int(io.Component) && m>>k&1 != 0 {
					word |= 1 << (i % 32)
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
		for p := range f.size.Pixels() {
			px, py := f.place(p)
			all = all && d.s.FullyCovered(d.extra, px, py)
		}
		return truth(all)
	case ir.BuiltinShadingRate:
		return number(uint32(f.size.W)<<2 | uint32(f.size.H))
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

// upperMask is the second word of SampleMask, which not all shaders write.
func (sp *shaderSpec) upperMask() uint32 {
	if sp.maskBits&1 == 0 {
		return math.MaxUint32
	}
	return sp.maskBits * 0x9E3779B1
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
		p.TileImages, p.Resources = true, []ir.Resource{{Kind: ir.TileImage, Count: 1}}
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
		if sp.maskBits&1 != 0 {
			output(inout(ir.BuiltinSampleMask, 0, 1, ir.I32), b.I32(sp.upperMask()))
		}
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
