package studio

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/vk"
)

// Pass is what a picture shows of a model: itself in its light, or numbers of it for compositing, checks and
// training. Blended surfaces count as drawn, whatever their alpha; masked ones where their alpha is. Light,
// background, ground and tones have no part in passes.
type Pass uint8

// The passes. Render gives them as colours, transparent where nothing is drawn, RenderLinear as numbers: in red,
// green and blue of each pixel, with an alpha of 1 where something is drawn and 0 elsewhere. All but PassWireframe
// have one sample a pixel, in its middle.
const (
	// PassPicture is the model in its light.
	PassPicture Pass = iota
	// PassDepth is the distance from the eye along the direction of the view, in the document's unit. Render draws
	// the nearest place in white (255), the farthest in a dark grey (51), and between them it is linear.
	PassDepth
	// PassNormal is the normal that surfaces are lit by, normal textures and the side that is seen included: a unit vector in
	// the document's world, or zero of points and lines that have none. Render draws x, y and z as
	// 255·(0.5·n + 0.5), rounded.
	PassNormal
	// PassID is the number of the node's primitive, as Model.IDs lists them with the colours that Render draws.
	PassID
	// PassWireframe is the edges of all triangles in front of grey surfaces, which hide what is behind them. It is a
	// picture like others: sRGB, of View.Samples, and linear light from RenderLinear.
	PassWireframe
	// PassOverdraw is how many fragments reach a pixel where no depth test keeps them off. Render draws 16 greys a
	// fragment, 255 from 16 fragments on.
	PassOverdraw
	passCount
)

// How Render draws depths and counts.
const (
	farthestGrey = 51
	countGrey    = 16
)

// mostIDs is how many primitives there are colours of 24 bits for, beside black.
const mostIDs = 1<<24 - 1

// shown is what pass.frag puts out.
type shown uint32

const (
	showDepth shown = 1 + iota
	showNormal
	showID
	showSurface
	showEdges
	showOne
)

// steps are the ways in which a pass draws all primitives, one behind the other.
func (p Pass) steps() []shown {
	switch p {
	case PassDepth:
		return []shown{showDepth}
	case PassNormal:
		return []shown{showNormal}
	case PassID:
		return []shown{showID}
	case PassWireframe:
		return []shown{showSurface, showEdges}
	case PassOverdraw:
		return []shown{showOne}
	}
	return nil
}

// isNumbers says that the pass draws no colours.
func (p Pass) isNumbers() bool { return p != PassPicture && p != PassWireframe }

// checkPass refuses what no pass can be drawn with.
func (v *View) checkPass() error {
	switch {
	case v.Pass >= passCount:
		return fmt.Errorf("studio: View.Pass %d: there are %d passes", v.Pass, passCount)
	case v.Pass.isNumbers() && v.Samples > 1:
		return fmt.Errorf("studio: View.Samples %d: this pass has one sample a pixel, for there is no mean of its numbers; want 1 or 0", v.Samples)
	}
	return nil
}

// passKey is what changes the pipeline of a draw in a pass.
type passKey struct {
	shown                  shown
	layered                bool // the material's block is that of layers.frag
	textured, bumped, mask bool
	topology               vk.PrimitiveTopology
	doubleSided, mirrored  bool
	samples                int
	linear                 bool
}

// passKeyOf returns the key of a draw.
func passKeyOf(k *pipelineKey, s shown) passKey {
	out := passKey{
		shown: s, layered: k.layers != 0, mask: k.mask, topology: k.topology,
		doubleSided: k.doubleSided, mirrored: k.mirrored, samples: k.target.samples, linear: k.target.linear,
	}
	out.textured = k.mask && (k.uses[useBaseColor] || k.textures&(1<<useBaseColor) != 0)
	if s == showNormal || s == showSurface {
		out.bumped = k.uses[useNormal] || k.textures&(1<<useNormal) != 0
	}
	return out
}

// passPipeline returns the pipeline for a key.
func (r *Renderer) passPipeline(k passKey) (*pumice.GraphicsPipeline, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.passes[k]; p != nil {
		return p, nil
	}
	layout, frag := r.layout, r.passFrag[0]
	if k.layered {
		layout, frag = r.layers.layout, r.passFrag[1]
	}
	module, err := frag()
	if err != nil {
		return nil, err
	}
	bindings, attributes := vertexInput()
	raster := rasterization(k.doubleSided, k.mirrored)
	depth := &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthWriteEnable: true, DepthCompareOp: vk.CompareOpLessOrEqual}
	blend := pumice.Opaque()
	switch k.shown {
	case showSurface: // a little behind its edges, as far as it falls away beside them
		raster.DepthBiasEnable, raster.DepthBiasConstantFactor, raster.DepthBiasSlopeFactor = true, 1, 1
	case showEdges:
		raster.PolygonMode = vk.PolygonModeLine
	case showOne:
		depth = &vk.PipelineDepthStencilStateCreateInfo{}
		blend.BlendEnable = true
		blend.SrcColorBlendFactor, blend.DstColorBlendFactor = vk.BlendFactorOne, vk.BlendFactorOne
		blend.SrcAlphaBlendFactor, blend.DstAlphaBlendFactor = vk.BlendFactorOne, vk.BlendFactorZero
	}
	p, err := r.dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Module: r.meshVert}, Fragment: pumice.Shader{Module: module, Constants: pumice.Constants{
			0: k.textured, 2: k.bumped, 7: k.mask, 10: uint32(k.shown),
		}},
		Layout:       layout,
		ColorFormats: []vk.Format{shape{linear: k.linear}.format()}, DepthFormat: depthFormat, Samples: k.samples,
		VertexBindings: bindings, VertexAttributes: attributes,
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: k.topology},
		Rasterization: raster, DepthStencil: depth,
		Blend: &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{blend}},
		Name:  "pass",
	})
	if err == nil {
		r.passes[k] = p
	}
	return p, err
}

// recordPass draws the view's pass.
func (r *Renderer) recordPass(ctx context.Context, cmd *pumice.CommandBuffer, t *targets, m *Model, draws []draw, v *View, camera *sight, frame *pumice.DescriptorSet, labels bool) error {
	numbers := m.numbers()
	pass := cmd.BeginRendering(t.rendering(color.NRGBA{}))
	for _, step := range v.Pass.steps() {
		for i := range draws {
			if err := ctx.Err(); err != nil {
				return err
			}
			d := &draws[i]
			pipeline, err := r.passPipeline(passKeyOf(&d.key, step))
			if err != nil {
				return err
			}
			number, err := numbers.of(d.item)
			if err != nil && step == showID {
				return err
			}
			if labels {
				pass.BeginLabel(m.label(d.item))
			}
			pass.BindPipeline(pipeline)
			pass.BindDescriptorSet(0, frame)
			pass.BindDescriptorSet(1, d.material.set)
			pass.PushConstants(0, struct {
				Mesh   [28]float32
				Number float32
			}{pushConstants(camera.place(&d.world)), float32(number)})
			d.drawMesh(pass, 1)
			if labels {
				pass.EndLabel()
			}
		}
	}
	pass.End()
	return nil
}

// along is what the distance from the eye along the view is of places in the shaders' world: the scalar product with
// three of them, and the fourth added, in the document's unit.
func (s *sight) along() [4]float32 {
	back := s.back()
	toward := back.Scale(-1 / s.unit).Single()
	return [4]float32{toward[0], toward[1], toward[2], float32(back.Dot(s.eye))}
}

// finished returns the picture of what was drawn.
func (r *Renderer) finished(ctx context.Context, t *targets, v *View) (*image.NRGBA, error) {
	if v.Pass.isNumbers() {
		return r.encodePass(ctx, t, v.Pass)
	}
	return r.finishPicture(ctx, t)
}

// encodePass reads a pass of numbers back, as colours.
func (r *Renderer) encodePass(ctx context.Context, t *targets, p Pass) (*image.NRGBA, error) {
	pixels := int64(t.width) * int64(t.height)
	if err := r.budget.Take((16 + 4) * pixels); err != nil { // floats and bytes
		return nil, fmt.Errorf("studio: a picture of %d × %d pixels: %w", t.width, t.height, err)
	}
	data, err := t.color.Read(ctx, pumice.Subresource{})
	if err != nil {
		r.budget.Drop((16 + 4) * pixels)
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, t.width, t.height))
	at := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))) }
	// drawn calls f with where the bytes of pixels are that something is drawn to.
	drawn := func(f func(i int)) {
		for y := 0; y < t.height && ctx.Err() == nil; y++ {
			for i := y * img.Stride; i < (y+1)*img.Stride; i += 4 {
				if at(i+3) != 0 {
					f(i)
				}
			}
		}
	}
	near, far := math.Inf(1), math.Inf(-1)
	if p == PassDepth {
		drawn(func(i int) { near, far = math.Min(near, at(i)), math.Max(far, at(i)) })
	}
	drawn(func(i int) {
		c := color.NRGBA{A: 255}
		switch p {
		case PassDepth:
			grey := byte(255)
			if far > near {
				grey = rounded(255 - float64((255-farthestGrey)*((at(i)-near)/(far-near))))
			}
			c.R, c.G, c.B = grey, grey, grey
		case PassNormal:
			c.R, c.G, c.B = normalByte(at(i)), normalByte(at(i+1)), normalByte(at(i+2))
		case PassID:
			c = idColor(int(at(i)))
		default:
			grey := rounded(math.Min(float64(countGrey*at(i)), 255))
			c.R, c.G, c.B = grey, grey, grey
		}
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = c.R, c.G, c.B, c.A
	})
	if err := ctx.Err(); err != nil {
		r.budget.Drop((16 + 4) * pixels)
		return nil, err
	}
	r.budget.Drop(16 * pixels)
	budget.Keep(r.budget, 4*pixels, img)
	return img, nil
}

// rounded is the nearest byte, of a half the larger.
func rounded(v float64) byte { return byte(math.Max(0, math.Min(255, math.Floor(v+0.5)))) }

func normalByte(n float64) byte { return rounded(float64(255 * (float64(0.5*n) + 0.5))) }

// idColor spreads the bits of a number over a colour, the lowest ones to the highest bits of red, green and blue in turn: small
// numbers are far apart, and each has its own colour.
func idColor(number int) color.NRGBA {
	var c [3]byte
	for bit := range 24 {
		c[bit%3] |= byte(number>>bit&1) << (7 - bit/3)
	}
	return color.NRGBA{c[0], c[1], c[2], 255}
}

// ID is a primitive that a view draws, and what PassID has in its place.
type ID struct {
	// Number is RenderLinear's value, from 1 on: it counts the primitives of all nodes and their instances, so that it is the same
	// in all scenes, variants and frames of an animation.
	Number int
	Color  color.NRGBA // Render's
	// Node, Mesh and Primitive are indices of Document.Nodes, of Document.Meshes and of that mesh's Primitives; Instance is
	// one of the node's, 0 where it has none.
	Node, Instance, Mesh, Primitive int
	Material                        *gltf.Material // what the primitive is drawn with
}

// IDs lists the primitives that the view draws, seen in it or not, in the order of their numbers.
func (m *Model) IDs(v View) ([]ID, error) {
	if err := m.usable(); err != nil {
		return nil, err
	}
	pose, err := v.pose(m.doc)
	if err != nil {
		return nil, err
	}
	const size = 96 // of an ID
	need := budget.Mul(int64(len(pose.Items)), size)
	if err := m.r.budget.Take(need); err != nil {
		return nil, fmt.Errorf("%s: numbers of %d primitives: %w", m.doc.File, len(pose.Items), err)
	}
	numbers, list := m.numbers(), make([]ID, 0, len(pose.Items))
	for i := range pose.Items {
		item := &pose.Items[i]
		number, err := numbers.of(item)
		if err != nil {
			m.r.budget.Drop(need)
			return nil, err
		}
		list = append(list, ID{
			Number: number, Color: idColor(number), Material: item.Material,
			Node: item.Node, Instance: item.Instance, Mesh: item.Mesh, Primitive: item.PrimitiveIndex,
		})
	}
	if len(list) == 0 {
		m.r.budget.Drop(need)
		return nil, nil
	}
	slices.SortFunc(list, func(a, b ID) int { return a.Number - b.Number })
	budget.Keep(m.r.budget, need, &list[0])
	return list, nil
}

// numbering is the number of each node's first primitive.
type numbering struct {
	doc   *gltf.Document
	first []int64
}

func (m *Model) numbers() numbering {
	n := numbering{m.doc, make([]int64, len(m.doc.Nodes))}
	next := int64(1)
	for i := range m.doc.Nodes {
		n.first[i] = next
		if node := &m.doc.Nodes[i]; node.Mesh != gltf.None {
			next += int64(len(m.doc.Meshes[node.Mesh].Primitives)) * int64(max(len(node.Instances), 1))
		}
	}
	return n
}

// of returns the number of an item.
func (n numbering) of(item *gltf.Item) (int, error) {
	number := n.first[item.Node] + int64(item.Instance)*int64(len(n.doc.Meshes[item.Mesh].Primitives)) + int64(item.PrimitiveIndex)
	if number > mostIDs {
		return 0, fmt.Errorf("%s: nodes[%d]: its primitives are beyond the first %d, for which there are colours of 24 bits", n.doc.File, item.Node, mostIDs)
	}
	return int(number), nil
}
