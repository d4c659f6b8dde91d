package watch

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// TexelOf returns a copy of the bytes of the watched sample in a colour attachment, nil where there is none.
func (v *Watch) TexelOf(pl *tile.Plan) []byte {
	if v.Attachment < 0 || v.Attachment >= len(pl.Color) || pl.Color[v.Attachment] == nil {
		return nil
	}
	a := pl.Color[v.Attachment]
	if v.Resolved {
		return bytesAt(a.Resolve, v, a.Bytes, 0)
	}
	return bytesAt(a.Surfaces, v, a.Bytes, v.Sample)
}

func (v *Watch) DepthOf(pl *tile.Plan) []byte { return planeOf(pl.Depth, v) }

func (v *Watch) StencilOf(pl *tile.Plan) []byte { return planeOf(pl.Stencil, v) }

func planeOf(a *tile.Attachment, v *Watch) []byte {
	switch {
	case a == nil:
		return nil
	case v.Resolved:
		return bytesAt(a.Resolve, v, a.Bytes, 0)
	}
	return bytesAt(a.Surfaces, v, a.Bytes, min(v.Sample, a.Samples-1))
}

func bytesAt(list []fragops.Surface, v *Watch, n, sample int) []byte {
	if v.Layer >= len(list) {
		return nil
	}
	s := &list[v.Layer]
	at := s.Offset(int(v.X), int(v.Y), sample)
	if s.Data == nil || at < 0 || at+n > len(s.Data) {
		return nil
	}
	return slices.Clone(s.Data[at : at+n])
}

// Area2 is twice the signed area of a polygon, subpixels squared: positive where it is counterclockwise.
func Area2(p *raster.Polygon) (sum float64) {
	for i := range p.N {
		a, b := &p.C[i], &p.C[(i+1)%p.N]
		sum += float64(float64(a.X)*float64(b.Y)) - float64(float64(b.X)*float64(a.Y))
	}
	return -sum
}

// Value is what the watched sample holds now.
func (v *Watch) Value(pl *tile.Plan) explain.Value {
	return v.ValueOf(pl, v.TexelOf(pl), v.DepthOf(pl), v.StencilOf(pl))
}

// ValueOf is value of given bytes.
func (v *Watch) ValueOf(pl *tile.Plan, texel, depth, stencil []byte) explain.Value {
	if v.Attachment < 0 {
		return DepthValue(pl.DepthFormat, depth, stencil)
	}
	if pl.Color[v.Attachment] == nil {
		return explain.Value{}
	}
	return ColorValue(pl.Color[v.Attachment].Info, texel)
}

// WordsValue writes words as the class of a format's, or a variable's, numbers.
func WordsValue(class format.Class, words ...uint32) explain.Value {
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
	v := ColorOf(info, t)
	v.Text = WordsValue(info.Class, t[:n]...).Text
	v.Bits = hex.EncodeToString(texel)
	return v
}

// ColorOf is the value of a colour for an attachment of a format.
func ColorOf(info *format.Info, t format.Texel) explain.Value {
	v := WordsValue(info.Class, t[:]...)
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
		v = explain.Value{Bits: hex.EncodeToString(depth), Text: DepthText(f, fragops.LoadDepth(f, depth))}
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

// DepthText is the number that a code stands for.
func DepthText(f fragops.DepthFormat, code uint32) string {
	if f == fragops.DepthD32 {
		return explain.Float(math.Float32frombits(code))
	}
	return strconv.FormatFloat(fragops.DecodeDepth(f, code), 'g', 7, 64)
}

// CodeValue is a depth as stored.
func CodeValue(f fragops.DepthFormat, code uint32) explain.Value {
	digits := 8
	switch f {
	case fragops.DepthD16:
		digits = 4
	case fragops.DepthD24:
		digits = 6
	}
	return explain.Value{Bits: fmt.Sprintf("%0*x", digits, code), Text: DepthText(f, code)}
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

// Variables writes the components of interface variables, which follow each other, as variables; value gives the word
// of a slot, names are those of locations.
func Variables(list []ir.IO, names map[uint32]string, value func(slot int) (word uint32, ok bool)) (out []explain.Named) {
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
		v := WordsValue(numbers, bits...)
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
