package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/sampling"
)

// image tells how an image instruction came to its result in lane i: the reference does the lane once
// more, step by step. Where that gives other bits than the engine, the last step says so.
func image(t *exec.Told, i int) explain.Image {
	p := t.Program
	tr := &p.Traces[t.Index]
	op := &p.ImageOps[tr.Image-1]
	x, r := newInstruction(t, op, i), &p.Resources[op.Image]
	out := explain.Image{
		Instruction: instructionName(op) + "(" + cmp.Or(r.Name, r.Place()) + ")",
		Line:        tr.Source.String(),
	}
	if v := x.descriptor.View; v != nil && v.Image != nil && op.Dim != ir.DimBuffer {
		im := v.Image
		out.Of = &explain.Target{
			Image: im.Name, Format: im.Format.String(), Width: int(im.Extent.Width),
			Height: int(im.Extent.Height), Samples: im.Samples,
		}
	}
	say := func(text string, args ...any) {
		out.Steps = append(out.Steps, explain.Step{Text: fmt.Sprintf(text, args...)})
	}
	say("%s", x.view(p))
	if x.sampler != nil {
		say("%s", x.samplerText(p))
	}
	for _, n := range x.operands() {
		out.Steps = append(out.Steps,
			explain.Step{Text: n.Name + " " + n.Value.Text, Values: []explain.Named{n}})
	}
	got := x.results(op.Results)
	out.Result = texel(classOf(op), got)
	switch op.Kind {
	case ir.ImageWrite:
		out.Result = out.Steps[len(out.Steps)-1].Values[0].Value // what was written, the last operand
		return out
	case ir.ImageAtomic:
		return out // which must not happen twice
	default:
	}
	steps := x.run()
	for _, s := range steps.Steps {
		out.Steps = append(out.Steps, explain.NewStep(s.Rule, s.Text))
	}
	for _, s := range steps.Texels {
		out.Texels = append(
			out.Texels,
			explain.Texel{
				Level:  s.Level,
				Layer:  s.Layer,
				X:      s.At[0],
				Y:      s.At[1],
				Z:      s.At[2],
				Sample: s.Sample,
				Weight: s.Weight,
				Value:  texel(s.Class, s.Value[:]),
			},
		)
	}
	if want := x.again[:op.Results]; !slices.Equal(got, want) {
		out.Steps = append(out.Steps, explain.Step{
			Text: fmt.Sprintf(
				"these steps give (%s), but the engine gave (%s): memory has changed in between, or this is a defect of the implementation",
				texel(classOf(op), want).Text,
				out.Result.Text,
			),
			Failed: true,
		})
	}
	return out
}

// instruction is an image instruction of one lane.
type instruction struct {
	t           *exec.Told
	op          *ir.ImageOp
	lane        int // of args
	args        sampling.Args
	descriptor  exec.Descriptor
	sampler     *resource.Sampler
	elements    [3]uint32 // of image, sampler and second image
	gave, again []uint32
}

// newInstruction takes the operands of lane i, and with derivatives those of its quad: a lane that does
// not run has the coordinates of lane i.
func newInstruction(t *exec.Told, op *ir.ImageOp, i int) *instruction {
	x := &instruction{t: t, op: op, again: make([]uint32, 4)}
	from := []int{i}
	if t.Program.HasQuads() && sampling.Derives(op) {
		x.lane = i & 3
		from = []int{i &^ 3, i&^3 + 1, i&^3 + 2, i&^3 + 3}
		for k, l := range from {
			if l >= len(t.Mask) || t.Mask[l] == 0 {
				from[k] = i
			}
		}
	}
	words := t.Words
	next := func() []uint32 {
		if len(words) == 0 {
			return nil
		}
		w := make([]uint32, len(from))
		for k, l := range from {
			w[k] = words[0][l]
		}
		words = words[1:]
		return w
	}
	results := words[len(words)-op.Results:]
	words = slices.Clone(words[:len(words)-op.Results])
	x.elements[0] = next()[x.lane]
	if op.Sampler >= 0 {
		x.elements[1] = next()[x.lane]
	}
	if op.Kind.Takes2() {
		x.elements[2] = words[op.Coords][i]
		words = slices.Delete(words, op.Coords, op.Coords+1)
	}
	x.args = sampling.Args{
		Op:     op,
		Quads:  len(from) == 4,
		Mask:   make([]uint32, len(from)),
		Trace:  new(sampling.Trace),
		Sparse: t.Context.Sparse,
	}
	x.args.Mask[x.lane] = ^uint32(0)
	x.args.Spread(next)
	for _, w := range results {
		x.gave = append(x.gave, w[i])
	}
	x.descriptor = t.Context.Descriptor(int64(op.Image), x.elements[0])
	if op.Sampler >= 0 {
		x.sampler = t.Context.Descriptor(int64(op.Sampler), x.elements[1]).Sampler
	}
	if op.Kind.Takes2() {
		x.args.Second = t.Context.Descriptor(int64(op.Second), x.elements[2]).View
	}
	return x
}

// results are what the engine gave.
func (x *instruction) results(n int) []uint32 { return x.gave[:n] }

// run does the lane on the reference.
func (x *instruction) run() *sampling.Trace {
	n := len(x.args.Mask)
	for c := range x.op.Results {
		x.args.Out[c] = make([]uint32, n)
	}
	if x.op.Dim == ir.DimBuffer {
		sampling.RunBuffer(&x.args, x.descriptor.Texel, 0, n)
	} else {
		sampling.Run(&x.args, x.descriptor.View, x.sampler, n)
	}
	for c := range x.op.Results {
		x.again[c] = x.args.Out[c][x.lane]
	}
	return x.args.Trace
}

// view says what the instruction works on.
func (x *instruction) view(p *ir.Program) string {
	name := element(p, x.op.Image, x.elements[0])
	switch v, b := x.descriptor.View, x.descriptor.Texel; {
	case x.op.Dim == ir.DimBuffer && b != nil && b.Info != nil:
		return fmt.Sprintf("%s: a texel buffer of %v, %d bytes", name, b.Info.Format, len(b.Data))
	case v != nil && v.Image != nil && v.Info != nil:
		w, h, d := v.Extent(0)
		return fmt.Sprintf("%s: a view %v of %v, %d×%d×%d texels, levels %d to %d, layers %d to %d",
			name, short(v.Type), v.Info.Format, w, h, d, v.BaseLevel, v.BaseLevel+v.Levels-1,
			v.BaseLayer, v.BaseLayer+v.Layers-1)
	}
	return name + ": a null descriptor"
}

func element(p *ir.Program, r int, e uint32) string {
	name := p.Resources[r].String()
	if p.Resources[r].Count != 1 {
		name += fmt.Sprintf("[%d]", e)
	}
	return name
}

// samplerText says how the sampler samples.
func (x *instruction) samplerText(p *ir.Program) string {
	s := x.sampler
	parts := []string{
		fmt.Sprintf("magnification %v, minification %v, levels %v", short(s.MagFilter),
			short(s.MinFilter), short(s.MipmapMode)),
		fmt.Sprintf("addresses %v, %v, %v", short(s.AddressModeU), short(s.AddressModeV),
			short(s.AddressModeW)),
	}
	if s.AnisotropyEnable {
		parts = append(parts, "anisotropy up to "+explain.Float(s.MaxAnisotropy))
	}
	if s.CompareEnable {
		parts = append(parts, fmt.Sprintf("compares %v", short(s.CompareOp)))
	}
	parts = append(
		parts,
		fmt.Sprintf("LOD bias %s, from %s to %s", explain.Float(s.MipLodBias),
			explain.Float(s.MinLod), explain.Float(s.MaxLod)),
	)
	return element(p, x.op.Sampler, x.elements[1]) + ": a sampler, " + strings.Join(parts, ", ")
}

// short is the name of an enumerant without that of its type.
func short(v fmt.Stringer) string {
	s := v.String()
	for _, prefix := range []string{"VK_FILTER_", "VK_SAMPLER_MIPMAP_MODE_", "VK_SAMPLER_ADDRESS_MODE_", "VK_COMPARE_OP_", "VK_IMAGE_VIEW_TYPE_"} {
		s = strings.TrimPrefix(s, prefix)
	}
	return s
}

// operands are the operands of the lane by name.
func (x *instruction) operands() []explain.Named {
	var list []explain.Named
	add := func(name string, float bool, operands ...[]uint32) {
		var words []uint32
		for _, o := range operands {
			if o != nil {
				words = append(words, o[x.lane])
			}
		}
		if words == nil {
			return
		}
		class := format.ClassSint
		if float {
			class = format.ClassFloat
		}
		list = append(list, explain.Named{Name: name, Value: texel(class, words)})
	}
	a, op := &x.args, x.op
	integers := op.Kind == ir.ImageFetch || op.Kind == ir.ImageRead || op.Kind == ir.ImageWrite ||
		op.Kind == ir.ImageAtomic ||
		op.Kind == ir.ImageBlockMatch
	add("coordinates", !integers, a.Coord[:]...)
	if a.Quads && x.op.Lod != ir.LodGrad {
		for c := range op.Coords {
			list = append(
				list,
				explain.Named{
					Name:  fmt.Sprintf("component %d of the quad's coordinates", c),
					Value: texel(format.ClassFloat, a.Coord[c]),
				},
			)
		}
	}
	add("reference", true, a.Dref)
	lod := "level of detail"
	if op.Lod == ir.LodBias {
		lod = "bias"
	}
	add(lod, !integers && op.Kind != ir.ImageQuerySize, a.Lod)
	add("gradient to x", true, a.DX[:]...)
	add("gradient to y", true, a.DY[:]...)
	add("offset", false, a.Offset[:]...)
	add("least level of detail", true, a.MinLod)
	add("sample", false, a.SampleIndex)
	add("reference coordinates", false, a.RefCoord[:]...)
	add("block", op.Kind == ir.ImageBoxFilter, a.Block[:]...)
	add("value", op.Result == ir.ClassFloat, a.Texel[:]...)
	return list
}

// classOf is the class of the results.
func classOf(op *ir.ImageOp) format.Class {
	switch {
	case op.Kind == ir.ImageQuerySize || op.Kind == ir.ImageQueryLevels || op.Kind == ir.ImageQuerySamples || op.Wide:
		return format.ClassUint
	case op.Dref || op.Kind == ir.ImageQueryLod:
		return format.ClassFloat
	case op.Result == ir.ClassSint:
		return format.ClassSint
	case op.Result == ir.ClassUint:
		return format.ClassUint
	}
	return format.ClassFloat
}

// texel is a value of words of a class.
func texel(class format.Class, words []uint32) explain.Value {
	t := &ir.TraceType{Kind: ir.TraceParts}
	leaf := &ir.TraceType{Kind: ir.TraceFloat, Width: 32}
	switch class {
	case format.ClassSint:
		leaf.Kind = ir.TraceInt
	case format.ClassUint:
		leaf.Kind = ir.TraceUint
	default:
	}
	for range words {
		t.Parts = append(t.Parts, leaf)
	}
	return valueOf(&ir.Trace{Type: t}, words)
}

// instructionName is what GLSL calls the instruction.
func instructionName(op *ir.ImageOp) string {
	switch op.Kind {
	case ir.ImageSample:
		switch op.Lod {
		case ir.LodExplicit:
			return "textureLod"
		case ir.LodGrad:
			return "textureGrad"
		case ir.LodImplicit, ir.LodBias, ir.LodZero:
		}
		return "texture"
	case ir.ImageFetch:
		return "texelFetch"
	case ir.ImageGather:
		return "textureGather"
	case ir.ImageRead:
		return "imageLoad"
	case ir.ImageWrite:
		return "imageStore"
	case ir.ImageAtomic:
		return "imageAtomic"
	case ir.ImageQuerySize:
		return "textureSize"
	case ir.ImageQueryLod:
		return "textureQueryLod"
	case ir.ImageQueryLevels:
		return "textureQueryLevels"
	case ir.ImageQuerySamples:
		return "textureSamples"
	case ir.ImageWeighted:
		return "textureWeightedQCOM"
	case ir.ImageBoxFilter:
		return "textureBoxFilterQCOM"
	case ir.ImageBlockMatch:
		return "textureBlockMatchQCOM"
	case ir.ImageFootprint:
		return "textureFootprintNV"
	}
	return "image"
}
