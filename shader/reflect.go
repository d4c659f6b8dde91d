package shader

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Reflection is what a SPIR-V module says of itself.
type Reflection struct {
	// Version is that of SPIR-V, such as "1.6".
	Version      string       `json:"version"`
	Capabilities []string     `json:"capabilities"`
	EntryPoints  []EntryPoint `json:"entryPoints"`
}

// EntryPoint is what a pipeline has to know about a shader.
type EntryPoint struct {
	Name string `json:"name"`
	// Stage is its word, as Stage.String has it, or SPIR-V's where Pumice has no such stage.
	Stage string `json:"stage"`
	// Workgroup is the invocations of a workgroup in x, y and z; zero in stages without.
	Workgroup [3]uint32  `json:"workgroup,omitzero"`
	Inputs    []Variable `json:"inputs,omitempty"`
	Outputs   []Variable `json:"outputs,omitempty"`
	// Bindings are ordered by set and binding.
	Bindings []Binding `json:"bindings,omitempty"`
	// PushConstants is the block of push constants, nil for none.
	PushConstants *Block     `json:"pushConstants,omitempty"`
	Constants     []Constant `json:"constants,omitempty"`
	// Unsupported says why a Pumice device would not take it; "" means that it does.
	Unsupported string `json:"unsupported,omitempty"`
}

// Variable is an input or output, or a member of a block of them. It has a location, or is a built-in.
type Variable struct {
	Name      string `json:"name,omitempty"`
	Type      string `json:"type"`
	BuiltIn   string `json:"builtIn,omitempty"`
	Location  uint32 `json:"location"`
	Component uint32 `json:"component,omitempty"`
}

// Binding is a descriptor, or an array of them.
type Binding struct {
	Set     uint32 `json:"set"`
	Binding uint32 `json:"binding"`
	// Kind is Vulkan's word, such as "uniform buffer".
	Kind string `json:"kind"`
	// Count is that of the array, 1 for none, 0 where it is a runtime array.
	Count    uint32 `json:"count"`
	Name     string `json:"name,omitempty"`
	ReadOnly bool   `json:"readOnly,omitempty"`
	// Image is the dimensions and texels of an image.
	Image string `json:"image,omitempty"`
	// Block is what a buffer holds.
	Block *Block `json:"block,omitempty"`
}

// Block is a structure in memory.
type Block struct {
	Name string `json:"name,omitempty"`
	// Bytes are its size without the runtime array at its end, whose elements have Stride bytes each.
	Bytes   uint32   `json:"bytes"`
	Stride  uint32   `json:"stride,omitempty"`
	Members []Member `json:"members"`
}

// Member is a member of a Block. Offset is in bytes.
type Member struct {
	Offset uint32 `json:"offset"`
	Type   string `json:"type"`
	Name   string `json:"name,omitempty"`
}

// Constant is a specialization constant; Default is a bool, an int64, a uint64 or a float64.
type Constant struct {
	ID      uint32 `json:"id"`
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Default any    `json:"default"`
}

// Reflect reads a SPIR-V module, validates it as a device does, and describes it. For each entry
// point it says whether a Pumice device takes it, as it is without specialization.
func Reflect(code []byte) (*Reflection, error) {
	m, err := spirv.ParseBytes(code)
	if err != nil {
		return nil, err
	}
	r := &Reflection{Version: fmt.Sprintf("%d.%d", m.Version>>16&0xff, m.Version>>8&0xff), Capabilities: []string{}, EntryPoints: []EntryPoint{}}
	for _, c := range m.Capabilities {
		r.Capabilities = append(r.Capabilities, c.String())
	}
	k, err := m.EvaluateConstants(nil)
	if err != nil {
		return nil, err
	}
	for _, e := range m.EntryPoints {
		p, err := reflectEntry(m, k, e)
		if err != nil {
			return nil, err
		}
		r.EntryPoints = append(r.EntryPoints, *p)
	}
	return r, nil
}

// models are the stages of SPIR-V's execution models.
var models = map[spirv.ExecutionModel]struct {
	stage Stage
	ir    ir.Stage
}{
	spirv.ExecutionModelVertex:                 {Vertex, ir.StageVertex},
	spirv.ExecutionModelTessellationControl:    {TessControl, ir.StageControl},
	spirv.ExecutionModelTessellationEvaluation: {TessEvaluation, ir.StageEvaluation},
	spirv.ExecutionModelGeometry:               {Geometry, ir.StageGeometry},
	spirv.ExecutionModelFragment:               {Fragment, ir.StageFragment},
	spirv.ExecutionModelGLCompute:              {Compute, ir.StageCompute},
	spirv.ExecutionModelTaskEXT:                {Task, ir.StageTask},
	spirv.ExecutionModelMeshEXT:                {Mesh, ir.StageMesh},
}

func reflectEntry(m *spirv.Module, k *spirv.Constants, e *spirv.EntryPoint) (*EntryPoint, error) {
	r, err := m.Reflect(e, nil)
	if err != nil {
		return nil, err
	}
	p := &EntryPoint{Name: e.Name, Stage: e.Model.String(), Workgroup: r.LocalSize}
	if model, ok := models[e.Model]; !ok {
		p.Unsupported = "there is no such stage"
	} else {
		p.Stage = model.stage.String()
		if _, err := lower.CompileStage(m, model.ir, e.Name, lower.Options{}); err != nil {
			p.Unsupported = err.Error()
		}
	}
	p.Inputs, p.Outputs = variables(m, k, r.Inputs), variables(m, k, r.Outputs)
	for _, d := range r.Descriptors {
		if !d.Bound {
			continue
		}
		b := Binding{Set: d.Set, Binding: d.Binding, Kind: kinds[d.Kind], Count: d.Count, Name: d.Name, ReadOnly: d.ReadOnly}
		if d.Image != nil {
			b.Image = imageText(m, k, d.Image)
		}
		if d.Block != nil {
			b.Block = block(m, k, d.Block)
		}
		p.Bindings = append(p.Bindings, b)
	}
	slices.SortStableFunc(p.Bindings, func(a, b Binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding))
	})
	if r.PushBytes > 0 {
		for _, v := range m.Globals {
			if t := m.Pointee(v); spirv.StorageClass(v.Operands[0]) == spirv.StorageClassPushConstant && t.Kind == spirv.KindStruct {
				p.PushConstants = block(m, k, t)
			}
		}
	}
	for _, c := range r.SpecConstants {
		p.Constants = append(p.Constants, Constant{c.SpecID, c.Name, typeText(m, k, c.Type), constant(c.Type, c.Default)})
	}
	slices.SortFunc(p.Constants, func(a, b Constant) int { return cmp.Compare(a.ID, b.ID) })
	return p, nil
}

var kinds = [...]string{
	spirv.DescriptorNone:                 "none",
	spirv.DescriptorUniformBuffer:        "uniform buffer",
	spirv.DescriptorStorageBuffer:        "storage buffer",
	spirv.DescriptorSampledImage:         "sampled image",
	spirv.DescriptorStorageImage:         "storage image",
	spirv.DescriptorSampler:              "sampler",
	spirv.DescriptorCombinedImageSampler: "combined image sampler",
	spirv.DescriptorUniformTexelBuffer:   "uniform texel buffer",
	spirv.DescriptorStorageTexelBuffer:   "storage texel buffer",
	spirv.DescriptorInputAttachment:      "input attachment",
}

func variables(m *spirv.Module, k *spirv.Constants, list []spirv.InterfaceVariable) (out []Variable) {
	for _, v := range list {
		if members := builtIns(m, k, v.Type); members != nil {
			out = append(out, members...)
			continue
		}
		x := Variable{Name: v.Name, Type: typeText(m, k, v.Type), Location: v.Location, Component: v.Component}
		if v.IsBuiltIn {
			x.BuiltIn = v.BuiltIn.String()
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Variable) int {
		return cmp.Or(cmp.Compare(a.BuiltIn, b.BuiltIn), cmp.Compare(a.Location, b.Location), cmp.Compare(a.Component, b.Component))
	})
	return out
}

// builtIns are the members of a block of built-ins, such as gl_PerVertex, or of an array of it.
func builtIns(m *spirv.Module, k *spirv.Constants, t *spirv.Type) (out []Variable) {
	for t.Kind == spirv.KindArray || t.Kind == spirv.KindRuntimeArray {
		t = t.Elem
	}
	for i, mt := range t.Members {
		if d, ok := m.MemberDecoration(t.ID, uint32(i), spirv.DecorationBuiltIn); ok && len(d) == 1 {
			out = append(out, Variable{Name: m.MemberName(t.ID, uint32(i)), Type: typeText(m, k, mt), BuiltIn: spirv.BuiltIn(d[0]).String()})
		}
	}
	return out
}

// constant is a specialization constant's value, of its bits.
func constant(t *spirv.Type, bits uint32) any {
	switch {
	case t.Kind == spirv.KindBool:
		return bits != 0
	case t.Kind == spirv.KindFloat && t.Width == 32:
		return float64(math.Float32frombits(bits))
	case t.Kind == spirv.KindInt && t.Signed:
		return int64(int32(bits))
	default:
		return uint64(bits)
	}
}

func block(m *spirv.Module, k *spirv.Constants, t *spirv.Type) *Block {
	for len(t.Members) == 1 && t.Members[0].Kind == spirv.KindStruct { // naga puts a structure around each
		if d, ok := m.MemberDecoration(t.ID, 0, spirv.DecorationOffset); !ok || len(d) != 1 || d[0] != 0 {
			break
		}
		t = t.Members[0]
	}
	b := &Block{Name: m.Name(t.ID), Members: []Member{}}
	b.Bytes, _ = m.BlockBytes(k, t)
	for i, mt := range t.Members {
		x := Member{Type: typeText(m, k, mt), Name: m.MemberName(t.ID, uint32(i))}
		if d, ok := m.MemberDecoration(t.ID, uint32(i), spirv.DecorationOffset); ok && len(d) == 1 {
			x.Offset = d[0]
		}
		if d, ok := m.Decoration(mt.ID, spirv.DecorationArrayStride); ok && len(d) == 1 && mt.Kind == spirv.KindRuntimeArray {
			b.Stride = d[0]
		}
		b.Members = append(b.Members, x)
	}
	return b
}

// typeText is a type in GLSL's words.
func typeText(m *spirv.Module, k *spirv.Constants, t *spirv.Type) string {
	dims := ""
	for t.Kind == spirv.KindArray || t.Kind == spirv.KindRuntimeArray {
		if n, ok := k.ArrayLen(t); ok && t.Kind == spirv.KindArray {
			dims += fmt.Sprintf("[%d]", n)
		} else {
			dims += "[]"
		}
		t = t.Elem
	}
	switch t.Kind {
	case spirv.KindBool, spirv.KindInt, spirv.KindFloat:
		return scalarText(t) + dims
	case spirv.KindVector:
		prefix := map[string]string{"float": "", "int": "i", "uint": "u", "bool": "b", "double": "d"}
		if p, ok := prefix[scalarText(t.Elem)]; ok && t.Count >= 2 {
			return fmt.Sprintf("%svec%d%s", p, t.Count, dims)
		}
		return t.String() + dims
	case spirv.KindMatrix:
		if prefix, ok := map[string]string{"float": "", "double": "d"}[scalarText(t.Elem.Elem)]; ok {
			return fmt.Sprintf("%smat%dx%d%s", prefix, t.Count, t.Elem.Count, dims)
		}
		return t.String() + dims
	case spirv.KindStruct:
		return "struct " + cmp.Or(m.Name(t.ID), fmt.Sprint(t.ID)) + dims
	default:
		return t.String() + dims
	}
}

func scalarText(t *spirv.Type) string {
	switch s := t.String(); s {
	case "float32":
		return "float"
	case "float64":
		return "double"
	case "int32":
		return "int"
	case "uint32":
		return "uint"
	default:
		return s
	}
}

// imageText is an image's dimensions and what its texels are.
func imageText(m *spirv.Module, k *spirv.Constants, t *spirv.Type) string {
	i := t.Image
	words := []string{strings.TrimPrefix(i.Dim.String(), "Dim")}
	if i.Arrayed {
		words = append(words, "array")
	}
	if i.MS {
		words = append(words, "multisampled")
	}
	if i.Depth == 1 {
		words = append(words, "depth")
	}
	words = append(words, "of", typeText(m, k, i.Sampled))
	if i.Format != 0 {
		words = append(words, spirv.ImageFormat(i.Format).String())
	}
	return strings.Join(words, " ")
}
