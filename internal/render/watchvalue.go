package render

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
)

// wordsValue writes words as the class of a format's, or a variable's, numbers.
func wordsValue(class format.Class, words ...uint32) explain.Value {
	switch class {
	case format.ClassSint:
		list := make([]int32, len(words))
		for i, w := range words {
			list[i] = int32(w)
		}
		return explain.Ints(list...)
	case format.ClassUint:
		return explain.Uints(words...)
	}
	list := make([]float32, len(words))
	for i, w := range words {
		list[i] = math.Float32frombits(w)
	}
	return explain.Floats(list...)
}

// ColorValue is the value of a texel of a colour format: its bytes, its components in the order R, G, B, A, and what it is on a screen.
func ColorValue(info *format.Info, texel []byte) explain.Value {
	if len(texel) == 0 {
		return explain.Value{}
	}
	t := info.Decode(texel)
	n := 0
	for c, f := range info.Components {
		if f.Kind != format.KindNone {
			n = c + 1
		}
	}
	v := colorOf(info, t)
	v.Text = wordsValue(info.Class, t[:n]...).Text
	v.Bits = hex.EncodeToString(texel)
	return v
}

// colorOf is the value of a colour for an attachment of a format.
func colorOf(info *format.Info, t format.Texel) explain.Value {
	v := wordsValue(info.Class, t[:]...)
	if info.Class == format.ClassFloat {
		v.Color = screen(t, info.Numeric == format.NumericUnorm || info.Numeric == format.NumericSnorm)
	}
	return v
}

// screen is a colour as RRGGBBAA: linear ones are encoded, others taken as they are.
func screen(t format.Texel, encoded bool) string {
	var b strings.Builder
	b.WriteByte('#')
	for c, bits := range t {
		f := math.Float32frombits(bits)
		code := fp.FloatToUnorm(f, 8)
		if c < 3 && !encoded {
			code = fp.FloatToUnorm(srgbOf(f), 8)
		}
		fmt.Fprintf(&b, "%02x", code)
	}
	return b.String()
}

// srgbOf is about the sRGB code of a linear value, for screens.
func srgbOf(f float32) float32 {
	if !(f > 0.0031308) {
		return 12.92 * f
	}
	return float32(1.055*math.Pow(float64(f), 1/2.4)) - 0.055
}

// DepthValue is the value of the sample's depth and stencil; either may be nil.
func DepthValue(f fragops.DepthFormat, depth, stencil []byte) explain.Value {
	var v explain.Value
	if len(depth) > 0 {
		v = explain.Value{Bits: hex.EncodeToString(depth), Text: depthText(f, fragops.LoadDepth(f, depth))}
	}
	if len(stencil) > 0 {
		if v.Bits != "" {
			v.Bits, v.Text = v.Bits+" ", v.Text+" · "
		}
		v.Bits += hex.EncodeToString(stencil[:1])
		v.Text += fmt.Sprintf("stencil %d", stencil[0])
	}
	return v
}

// depthText is the number that a code stands for.
func depthText(f fragops.DepthFormat, code uint32) string {
	if f == fragops.DepthD32 {
		return explain.Float(math.Float32frombits(code))
	}
	return strconv.FormatFloat(fragops.DecodeDepth(f, code), 'g', 7, 64)
}

// codeValue is a depth as stored.
func codeValue(f fragops.DepthFormat, code uint32) explain.Value {
	digits := 8
	switch f {
	case fragops.DepthD16:
		digits = 4
	case fragops.DepthD24:
		digits = 6
	}
	return explain.Value{Bits: fmt.Sprintf("%0*x", digits, code), Text: depthText(f, code)}
}

// builtinNames are the names of what shaders are given and give.
var builtinNames = map[ir.Builtin]string{
	ir.BuiltinVertexIndex: "VertexIndex", ir.BuiltinInstanceIndex: "InstanceIndex", ir.BuiltinBaseVertex: "BaseVertex",
	ir.BuiltinBaseInstance: "BaseInstance", ir.BuiltinDrawIndex: "DrawIndex", ir.BuiltinPosition: "Position", ir.BuiltinPointSize: "PointSize", ir.BuiltinClipDistance: "ClipDistance", ir.BuiltinCullDistance: "CullDistance",
	ir.BuiltinLayer: "Layer", ir.BuiltinViewportIndex: "ViewportIndex", ir.BuiltinPrimitiveID: "PrimitiveId", ir.BuiltinViewportMask: "ViewportMaskNV",
	ir.BuiltinPositionPerView: "PositionPerViewNV", ir.BuiltinViewportMaskPerView: "ViewportMaskPerViewNV", ir.BuiltinFragCoord: "FragCoord",
	ir.BuiltinFrontFacing: "FrontFacing", ir.BuiltinPointCoord: "PointCoord", ir.BuiltinSampleID: "SampleId", ir.BuiltinSamplePosition: "SamplePosition",
	ir.BuiltinSampleMask: "SampleMask", ir.BuiltinHelperInvocation: "HelperInvocation", ir.BuiltinFullyCovered: "FullyCoveredEXT",
	ir.BuiltinBaryCoord: "BaryCoordKHR", ir.BuiltinPrimitiveShadingRate: "PrimitiveShadingRateKHR", ir.BuiltinShadingRate: "ShadingRateKHR",
	ir.BuiltinFragSize: "FragSizeEXT", ir.BuiltinFragInvocationCount: "FragInvocationCountEXT", ir.BuiltinFragDepth: "FragDepth",
	ir.BuiltinFragStencilRef: "FragStencilRefEXT", ir.BuiltinViewIndex: "ViewIndex", ir.BuiltinCullPrimitive: "CullPrimitiveEXT",
}

// variables writes the components of interface variables, which follow each other, as variables; value gives the word
// of a slot, names are those of locations.
func variables(list []ir.IO, names map[uint32]string, value func(slot int) (word uint32, ok bool)) (out []explain.Named) {
	var bits []uint32
	for i := 0; i < len(list); {
		io := &list[i]
		first, class := i, io.Type
		bits = bits[:0]
		for ; i < len(list) && sameVariable(io, &list[i]); i++ {
			if v, ok := value(i); ok {
				bits = append(bits, v)
			}
		}
		if len(bits) == 0 {
			continue
		}
		numbers := format.ClassUint
		if class == ir.F32 {
			numbers = format.ClassFloat
		}
		v := wordsValue(numbers, bits...)
		if class == ir.Bool {
			if v.Text = "true"; bits[0] == 0 {
				v.Text = "false"
			}
		}
		out = append(out, explain.Named{Name: variableName(&list[first], names, len(bits)), Value: v})
	}
	return out
}

func sameVariable(a, b *ir.IO) bool {
	return a.Builtin == b.Builtin && a.Location == b.Location && a.Index == b.Index && a.Vertex == b.Vertex && a.Type == b.Type && a.Interp == b.Interp && a.Aux == b.Aux
}

// variableName is the name of a built-in, or the location.
func variableName(io *ir.IO, names map[uint32]string, n int) string {
	name, ok := builtinNames[io.Builtin]
	switch {
	case io.Builtin == ir.BuiltinNone && names[io.Location] != "" && io.Index == 0:
		name = fmt.Sprintf("%s (location %d)", names[io.Location], io.Location)
	case !ok && io.Builtin != ir.BuiltinNone:
		name = fmt.Sprintf("built-in %d", io.Builtin)
	case !ok:
		name = fmt.Sprintf("location %d", io.Location)
		if io.Index > 0 {
			name += fmt.Sprintf(", index %d", io.Index)
		}
		if first := io.Component & 3; first > 0 || n < 4 {
			name += "." + "xyzw"[first:min(int(first)+n, 4)]
		}
	}
	if io.Vertex > 0 {
		name += fmt.Sprintf(" of vertex %d", io.Vertex-1)
	}
	switch {
	case io.Interp == ir.Linear:
		name += " (noperspective)"
	case io.Aux == ir.AtCentroid:
		name += " (centroid)"
	}
	return name
}
