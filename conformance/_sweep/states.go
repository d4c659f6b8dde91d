package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/vk"
)

// side is the width and height of targets; layers is how many times a draw covers them.
const (
	side   = 512
	layers = 8
)

// State is what client.c calls struct state, word by word.
type State struct {
	Compute, Side, Samples                                          uint32
	Colors                                                          uint32
	ColorFormat, DepthFormat                                        vk.Format
	Blend                                                           uint32
	SrcColor, DstColor                                              vk.BlendFactor
	ColorOp                                                         vk.BlendOp
	SrcAlpha, DstAlpha                                              vk.BlendFactor
	AlphaOp                                                         vk.BlendOp
	Mask, Logic                                                     uint32
	LogicOp                                                         vk.LogicOp
	DepthTest, DepthWrite                                           uint32
	DepthCompare                                                    vk.CompareOp
	DepthBounds, StencilTest                                        uint32
	Fail, Pass, DepthFail                                           vk.StencilOp
	StencilCompare                                                  vk.CompareOp
	CompareMask, WriteMask, Reference                               uint32
	Topology                                                        vk.PrimitiveTopology
	Restart                                                         uint32
	Cull                                                            vk.CullModeFlags
	Vertices, Instances, Indices                                    uint32
	Attributes                                                      uint32
	AttributeFormats                                                [8]vk.Format
	AttributeOffsets                                                [8]uint32
	Stride                                                          uint32
	TextureFormat                                                   vk.Format
	View                                                            vk.ImageViewType
	Width, Height, Depth, Levels, Layers                            uint32
	LevelOffsets                                                    [16]uint32
	Linear, LinearMips, Mips                                        uint32
	WrapU, WrapV, WrapW                                             vk.SamplerAddressMode
	Anisotropy, Compare                                             uint32
	CompareOp                                                       vk.CompareOp
	Border                                                          vk.BorderColor
	Constant, Groups                                                uint32
	VertexBytes, FragmentBytes, DataBytes, IndexBytes, TextureBytes uint32
}

// state is a random state: its words, what goes with them, what it is called, and how many units of its class a repetition is.
type state struct {
	State
	vertex, fragment string // GLSL; the vertex shader is the compute shader where there is one
	data, texels     []byte
	indices          []uint32
	name             string
	units            float64
}

// pick is one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// word is a condition as a VkBool32.
func word(c bool) uint32 {
	if c {
		return 1
	}
	return 0
}

// short is a constant's name without what all of its kind begin with.
func short(s fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), prefix))
}

// name is a format's.
func name(f vk.Format) string { return strings.TrimPrefix(f.String(), "VK_FORMAT_") }

// pickFormat is a random format of Vulkan 1.0 that is drawn with numbers of 32 bits at most and fulfils a condition.
func pickFormat(r *rand.Rand, fits func(*format.Info) bool) *format.Info {
	for {
		f, ok := format.Lookup(vk.Format(1 + r.IntN(int(vk.FormatAstc12x12SrgbBlock))))
		if ok && f.Supported() == nil && f.Components[0].Bits <= 32 && fits(f) {
			return f
		}
	}
}

// optimal says whether images of a format have a feature on our driver.
func optimal(f *format.Info, feature vk.FormatFeatureFlags2) bool {
	return f.ImageFeatures(vk.ImageTilingOptimal)&feature == feature
}

// over is a state that covers targets with triangles which cross, one an instance.
func over(samples uint32) *state {
	x := &state{State: State{Side: side, Samples: samples, Topology: vk.PrimitiveTopologyTriangleList, Vertices: 3, Instances: layers, Mask: 15}, units: side * side * layers * float64(samples)}
	x.vertex = `#version 450
layout(location = 0) out vec2 at;
void main()
{
    vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    at = p * 2;
    float slope = (gl_InstanceIndex & 1) == 0 ? p.x : p.y;
    gl_Position = vec4(p * 4 - 1, 0.1 + 0.3 * slope + 0.02 * gl_InstanceIndex, 1);
}
`
	return x
}

// outputs is a fragment shader that writes n colours of a class.
func outputs(c format.Class, n uint32) string {
	vector, scale := "vec4", "1.1"
	switch c {
	case format.ClassSint:
		vector, scale = "ivec4", "90"
	case format.ClassUint:
		vector, scale = "uvec4", "90"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#version 450\nlayout(location = 0) in vec2 at;\n")
	for i := range n {
		fmt.Fprintf(&b, "layout(location = %d) out %s c%d;\n", i, vector, i)
	}
	fmt.Fprintf(&b, "void main()\n{\n    vec4 c = vec4(at, 0.5, at.x * 0.7) * %s;\n", scale)
	for i := range n {
		fmt.Fprintf(&b, "    c%d = %s(c.%s);\n", i, vector, []string{"xyzw", "yzwx", "zwxy", "wxyz"}[i])
	}
	return b.String() + "}\n"
}

// colors is a state of colour attachments.
func colors(r *rand.Rand) *state {
	f := pickFormat(r, func(f *format.Info) bool { return optimal(f, vk.FormatFeature2ColorAttachmentBit) })
	blendable := optimal(f, vk.FormatFeature2ColorAttachmentBlendBit)
	x := over(pick[uint32](r, 1, 1, 1, 4))
	x.Colors, x.ColorFormat = pick[uint32](r, 1, 1, 1, 2, 4), f.Format
	x.Mask = pick[uint32](r, 15, 15, 15, uint32(r.IntN(16)))
	x.name = fmt.Sprintf("%d × %s, %d samples", x.Colors, name(f.Format), x.Samples)
	switch {
	case !blendable && r.IntN(2) == 0 || r.IntN(8) == 0 && f.Class != format.ClassFloat:
		x.Logic, x.LogicOp = 1, vk.LogicOp(r.IntN(16))
		x.name += ", " + short(x.LogicOp, "VK_LOGIC_OP_")
	case blendable && r.IntN(4) != 0:
		factor := func() vk.BlendFactor { return vk.BlendFactor(r.IntN(int(vk.BlendFactorSrcAlphaSaturate) + 1)) }
		x.Blend = 1
		x.SrcColor, x.DstColor, x.SrcAlpha, x.DstAlpha = factor(), factor(), factor(), factor()
		x.ColorOp, x.AlphaOp = vk.BlendOp(r.IntN(5)), vk.BlendOp(r.IntN(5))
		const prefix = "VK_BLEND_FACTOR_"
		x.name += fmt.Sprintf(", %s %s %s / %s %s %s", short(x.SrcColor, prefix), short(x.ColorOp, "VK_BLEND_OP_"), short(x.DstColor, prefix),
			short(x.SrcAlpha, prefix), short(x.AlphaOp, "VK_BLEND_OP_"), short(x.DstAlpha, prefix))
	}
	if x.Mask != 15 {
		x.name += fmt.Sprintf(", mask %04b", x.Mask)
	}
	x.fragment = outputs(f.Class, x.Colors)
	return x
}

// tests is a state of depth and stencil.
func tests(r *rand.Rand) *state {
	f := pick(r, vk.FormatD16Unorm, vk.FormatX8D24UnormPack32, vk.FormatD32Sfloat, vk.FormatD24UnormS8Uint, vk.FormatD32SfloatS8Uint, vk.FormatS8Uint)
	x := over(pick[uint32](r, 1, 1, 1, 4))
	x.DepthFormat, x.name = f, fmt.Sprintf("%s, %d samples", name(f), x.Samples)
	op := func() vk.StencilOp { return vk.StencilOp(r.IntN(8)) }
	compare := func() vk.CompareOp { return vk.CompareOp(r.IntN(8)) }
	if f != vk.FormatS8Uint {
		x.DepthTest, x.DepthWrite, x.DepthCompare, x.DepthBounds = word(r.IntN(8) != 0), word(r.IntN(4) != 0), compare(), word(r.IntN(4) == 0)
	}
	if strings.Contains(f.String(), "S8") {
		x.StencilTest = word(r.IntN(4) != 0)
		x.Fail, x.Pass, x.DepthFail, x.StencilCompare = op(), op(), op(), compare()
		x.CompareMask, x.WriteMask, x.Reference = pick[uint32](r, 255, 15), pick[uint32](r, 255, 3), uint32(r.IntN(4))
	}
	if x.DepthTest != 0 {
		x.name += fmt.Sprintf(", %s, write %d", short(x.DepthCompare, "VK_COMPARE_OP_"), x.DepthWrite)
	}
	if x.DepthBounds != 0 {
		x.name += ", bounds"
	}
	if x.StencilTest != 0 {
		const prefix = "VK_STENCIL_OP_"
		x.name += fmt.Sprintf(", stencil %s %s %s %s", short(x.StencilCompare, "VK_COMPARE_OP_"), short(x.Fail, prefix), short(x.Pass, prefix), short(x.DepthFail, prefix))
	}
	if r.IntN(3) != 0 {
		x.name += ", with colour"
		x.fragment, x.Colors, x.ColorFormat = outputs(format.ClassFloat, 1), 1, vk.FormatR8G8B8A8Unorm
	}
	return x
}

// vertices is a state of many vertices of random formats in small primitives.
func vertices(r *rand.Rand) *state {
	x := &state{State: State{Side: side, Samples: pick[uint32](r, 1, 1, 1, 4), Instances: 1, Mask: 15, Colors: 1, ColorFormat: vk.FormatR8G8B8A8Unorm}}
	x.Topology = pick(r, vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleStrip,
		vk.PrimitiveTopologyTriangleFan, vk.PrimitiveTopologyLineList, vk.PrimitiveTopologyLineStrip, vk.PrimitiveTopologyPointList)
	x.Cull = pick(r, vk.CullModeFlags(0), 0, vk.CullModeFrontBit, vk.CullModeBackBit)
	x.Vertices = 3 * pick[uint32](r, 5000, 20000, 60000)
	size := pick(r, 1.5, 4, 12) / (side / 2) // of a primitive
	formats := []*format.Info{}
	position, _ := format.Lookup(pick(r, vk.FormatR32G32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32A32Sfloat, vk.FormatR16G16Snorm, vk.FormatR16G16Sfloat, vk.FormatR16G16B16A16Snorm, vk.FormatR16G16B16A16Sfloat))
	formats = append(formats, position)
	for range r.IntN(5) {
		formats = append(formats, pickFormat(r, func(f *format.Info) bool { return f.BufferFeatures()&vk.FormatFeature2VertexBufferBit != 0 }))
	}
	var in, sum strings.Builder
	for i, f := range formats {
		x.AttributeFormats[i], x.AttributeOffsets[i] = f.Format, x.Stride
		x.Stride += uint32(f.BlockBytes+3) &^ 3
		fmt.Fprintf(&in, "layout(location = %d) in %s a%d;\n", i, map[format.Class]string{format.ClassFloat: "vec4", format.ClassSint: "ivec4", format.ClassUint: "uvec4"}[f.Class], i)
		if i > 0 {
			fmt.Fprintf(&sum, "    c = c * 0.5 + vec4(a%d) * %s;\n", i, map[format.Class]string{format.ClassFloat: "0.5", format.ClassSint: "0.004", format.ClassUint: "0.004"}[f.Class])
		}
	}
	x.Attributes = uint32(len(formats))
	restart := 0
	if x.Topology != vk.PrimitiveTopologyPointList && r.IntN(2) == 0 || x.Topology == vk.PrimitiveTopologyTriangleFan {
		switch x.Topology {
		case vk.PrimitiveTopologyTriangleStrip, vk.PrimitiveTopologyTriangleFan, vk.PrimitiveTopologyLineStrip:
			x.Restart, restart = 1, 3+r.IntN(30)
		}
		for v := range x.Vertices {
			x.indices = append(x.indices, v)
			if restart > 0 && int(v)%restart == restart-1 {
				x.indices = append(x.indices, math.MaxUint32)
			}
		}
		if restart == 0 && r.IntN(2) == 0 { // half of the primitives once more
			for i := range len(x.indices) / 12 * 3 {
				x.indices[len(x.indices)/6*3+i] = x.indices[i]
			}
		}
	}
	x.name = fmt.Sprintf("%d vertices, %s of %.1f pixels, %d samples", x.Vertices, short(x.Topology, "VK_PRIMITIVE_TOPOLOGY_"), size*side/2, x.Samples)
	if len(x.indices) > 0 {
		x.name += ", indexed"
	}
	if restart > 0 {
		x.name += fmt.Sprintf(", restart after %d", restart)
	}
	if x.Cull != 0 {
		x.name += fmt.Sprintf(", cull %d", x.Cull)
	}
	if r.IntN(2) == 0 {
		x.DepthFormat, x.DepthTest, x.DepthWrite, x.DepthCompare = pick(r, vk.FormatD16Unorm, vk.FormatD32Sfloat, vk.FormatX8D24UnormPack32), 1, 1, vk.CompareOpLessOrEqual
		x.name += ", " + name(x.DepthFormat)
	}
	for i, f := range formats {
		x.name += []string{"; ", " "}[min(i, 1)] + name(f.Format)
	}
	flat := pick(r, "", "", "flat ")
	g := &writer{r: r, floats: 4, ints: 2, vectors: 2}
	body := g.block(pick(r, 0, 0, 2, 6), 1)
	x.vertex = "#version 450\n" + in.String() + "layout(location = 0) " + flat + `out vec4 color;
void main()
{
    vec4 c = vec4(0.3, 0.5, 0.7, 1);
` + sum.String() + g.declare("a0.x", "a0.y", "c.x", "gl_VertexIndex") + body + `
    color = c * 0.9 + 0.1 * clamp(` + g.total() + `, 0, 1);
    gl_Position = vec4(a0.xy, fract(c.x) * 0.5 + 0.2, 1);
}
`
	x.fragment = "#version 450\nlayout(location = 0) " + flat + "in vec4 c;\nlayout(location = 0) out vec4 color;\nvoid main() { color = c; }\n"
	x.data = make([]byte, x.Vertices*x.Stride)
	u, v := 0.0, 0.0 // where the primitive is
	n, list := 3, false
	switch x.Topology {
	case vk.PrimitiveTopologyTriangleList, vk.PrimitiveTopologyPointList:
		list = true
	case vk.PrimitiveTopologyLineList:
		n, list = 2, true
	default:
		n = max(restart, 1)
	}
	for i := range int(x.Vertices) {
		switch {
		case (restart > 0 || list) && i%n == 0 || i%1000 == 0:
			u, v = r.Float64()*1.9-0.95, r.Float64()*1.9-0.95
		case !list:
			u, v = u+(r.Float64()-0.5)*size, v+(r.Float64()-0.5)*size
		}
		for k, f := range formats {
			var t format.Texel
			for j := range t {
				switch {
				case k == 0 && j == 0:
					t[j] = math.Float32bits(float32(u + (r.Float64()-0.5)*size))
				case k == 0 && j == 1:
					t[j] = math.Float32bits(float32(v + (r.Float64()-0.5)*size))
				case f.Class == format.ClassFloat:
					t[j] = math.Float32bits(r.Float32())
				default:
					t[j] = uint32(r.IntN(100))
				}
			}
			f.Encode(x.data[i*int(x.Stride)+int(x.AttributeOffsets[k]):], t)
		}
	}
	x.units = float64(max(len(x.indices), int(x.Vertices)))
	return x
}

// compute is a state of a compute shader: how it finds its way through buffers, and a loop around random arithmetic.
func compute(r *rand.Rand) *state {
	const invocations = 1 << 18
	local := pick(r, [2]int{32, 1}, [2]int{64, 1}, [2]int{128, 1}, [2]int{256, 1}, [2]int{8, 8}, [2]int{16, 16})
	n := local[0] * local[1]
	kind, loops, shared := pick(r, "float", "float", "vec4", "uint"), pick(r, 1, 1, 4, 16), r.IntN(3) == 0
	walk := pick(r, "i + k", "i + k", "i * 4u + k", "i + k * 512u", "(i * 2654435761u) >> 14", "(i ^ k * 37u) * 3u")
	x := &state{State: State{Compute: 1, Groups: uint32(invocations / n)}, units: invocations}
	words := invocations
	if kind == "vec4" {
		words *= 4
	}
	for range words {
		w := math.Float32bits(r.Float32())
		if kind == "uint" {
			w = r.Uint32() >> 8
		}
		x.data = binary.LittleEndian.AppendUint32(x.data, w)
	}
	g := &writer{r: r, floats: 5, ints: 3, vectors: 2}
	body := g.block(pick(r, 1, 3, 8, 16), 2) + "    f0 = f0 * 0.5 + " + g.total() + ";\n    i0 += int(k);\n"
	x.name = fmt.Sprintf("%s, groups of %d × %d, %d times [%s]", kind, local[0], local[1], loops, walk)
	first := map[string]string{"float": "v", "vec4": "dot(v, vec4(0.25))", "uint": "float(v) * 5.9e-8"}[kind]
	last := map[string]string{"float": "f0", "vec4": "vec4(f0, f1, p0.x, f2)", "uint": "uint(clamp(f0, 0, 100) * 1000)"}[kind]
	var b strings.Builder
	fmt.Fprintf(&b, `#version 450
layout(local_size_x = %d, local_size_y = %d) in;
layout(constant_id = 0) const uint LOOPS = 1;
layout(binding = 1) readonly buffer From { %s from[]; };
layout(binding = 2) buffer To { %s to[]; };
shared float s[%d];
void main()
{
    uint i = gl_WorkGroupID.x * %du + gl_LocalInvocationIndex;
    %s v = from[i];
%s`, local[0], local[1], kind, kind, n, n, kind, g.declare(first, "float(i & 1023u) * 0.001", "0.3", "i"))
	fmt.Fprintf(&b, "    for (uint k = 0; k < LOOPS; k++) {\n        v = from[(%s) & %du];\n        f1 = mix(f1, %s, 0.3);\n%s    }\n", walk, invocations-1, first, body)
	if shared {
		x.name += ", reduced in shared memory"
		fmt.Fprintf(&b, "    s[gl_LocalInvocationIndex] = f0;\n    barrier();\n    for (uint o = %du; o > 0; o >>= 1) {\n        if (gl_LocalInvocationIndex < o)\n            s[gl_LocalInvocationIndex] += s[gl_LocalInvocationIndex + o] * 0.5;\n        barrier();\n    }\n    f0 = s[gl_LocalInvocationIndex];\n", n/2)
	}
	if kind == "uint" && r.IntN(3) == 0 {
		word := pick(r, "i & 63u", "i & 4095u", "i >> 8", "i")
		x.name += ", atomics [" + word + "]"
		fmt.Fprintf(&b, "    atomicAdd(to[%s], %s);\n}\n", word, last)
	} else {
		fmt.Fprintf(&b, "    to[i] = %s;\n}\n", last)
	}
	x.Constant = uint32(loops)
	x.vertex, x.name = b.String(), x.name+", "+g.used()
	return x
}

// shaders is a state of a fragment shader of random arithmetic.
func shaders(r *rand.Rand) *state {
	x := over(1)
	x.Colors, x.ColorFormat = 1, vk.FormatR8G8B8A8Unorm
	g := &writer{r: r, floats: 3 + r.IntN(5), ints: 2 + r.IntN(3), vectors: 1 + r.IntN(4)}
	body := g.block(pick(r, 3, 6, 12, 24, 40), 3)
	x.name = g.used()
	x.fragment = "#version 450\nlayout(location = 0) in vec2 at;\nlayout(location = 0) out vec4 color;\nvoid main()\n{\n" + g.declare("at.x", "at.y", "gl_FragCoord.x * 0.002", "int(gl_FragCoord.x) + int(gl_FragCoord.y) * 512") +
		body + "    color = vec4(f0, f1, p0.x, " + g.total() + ");\n}\n"
	return x
}

// compare says which share of the texels, or of the words of a dispatch, differ by more than 1/100 and than a code of a small
// component, and by how much on average.
func (x *state) compare(a, b []byte) (share, mean float64) {
	var differ, n int
	one := func(u, v format.Texel, c format.Class, bound float64) {
		worst := 0.0
		for i := range u {
			d := math.Abs(float64(int32(u[i])) - float64(int32(v[i])))
			if c == format.ClassFloat {
				p, q := float64(math.Float32frombits(u[i])), float64(math.Float32frombits(v[i]))
				if d = math.Abs(p-q) / max(1, min(math.Abs(p), 1e30)); p == q || math.IsNaN(p) && math.IsNaN(q) {
					d = 0
				}
			}
			if d = min(d, 1); math.IsNaN(d) {
				d = 1
			}
			worst = max(worst, d)
		}
		if worst > bound {
			differ++
		}
		mean += worst
		n++
	}
	if x.Compute != 0 {
		class := format.ClassFloat
		if strings.HasPrefix(x.name, "uint") {
			class = format.ClassUint
		}
		for i := 0; i < len(a); i += 4 {
			one(format.Texel{binary.LittleEndian.Uint32(a[i:])}, format.Texel{binary.LittleEndian.Uint32(b[i:])}, class, 0.01)
		}
		return float64(differ) / float64(n), mean / float64(n)
	}
	attachments := slices.Repeat([]vk.Format{x.ColorFormat}, int(x.Colors))
	if f, ok := format.Lookup(x.DepthFormat); ok {
		for _, aspect := range []vk.ImageAspectFlags{vk.ImageAspectDepthBit, vk.ImageAspectStencilBit} {
			one, ok := f.ForAspect(aspect)
			if !ok || x.Samples > 1 {
				attachments = append(attachments, vk.FormatUndefined)
			} else {
				attachments = append(attachments, one.Format)
			}
		}
	}
	const plane = side * side * 24
	for i, which := range attachments {
		f, ok := format.Lookup(which)
		if !ok {
			continue
		}
		bound := 0.01
		for _, c := range f.Components[:f.ComponentCount] {
			if c.Bits > 1 {
				bound = max(bound, 1.01/float64(uint64(1)<<(c.Bits-1)-1)) // SNORM's codes are half as many
			}
		}
		var u, v [side]format.Texel
		for y := range side {
			from := i*plane + y*side*f.BlockBytes
			f.DecodeRow(u[:], a[from:])
			f.DecodeRow(v[:], b[from:])
			for i := range u {
				one(u[i], v[i], f.Class, bound)
			}
		}
	}
	if n == 0 {
		return 0, 0
	}
	return float64(differ) / float64(n), mean / float64(n)
}
