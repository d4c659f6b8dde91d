package core

import (
	"slices"
	"sync"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/vk"
)

// ShaderObject is a shader that is bound without a pipeline (VkShaderEXT). What a
// draw needs is put together from the shaders bound, the attachments of its pass
// and state, all of which is dynamic; the first shader of a draw keeps the results.
//
// shaders-objects
type ShaderObject struct {
	object
	bit    vk.ShaderStageFlags
	stage  Stage
	sets   []*DescriptorSetLayout
	mapped []HeapMapping // of a shader that uses heaps
	single *Pipeline     // of a compute shader

	mu   sync.Mutex
	made map[objectKey]*Pipeline
}

// maxGraphicsStages is the number of stages that a draw may have shaders for.
const maxGraphicsStages = 7

// graphicsStages are those stages: without a mesh shader, the first begins.
var graphicsStages = [maxGraphicsStages]vk.ShaderStageFlags{
	vk.ShaderStageVertexBit, vk.ShaderStageTessellationControlBit, vk.ShaderStageTessellationEvaluationBit, vk.ShaderStageGeometryBit,
	vk.ShaderStageTaskBitEXT, vk.ShaderStageMeshBitEXT, vk.ShaderStageFragmentBit,
}

// The places of stages that draws begin with.
const vertexStage, taskStage, meshStage = 0, 4, 5

// boundObjects are the graphics shaders that are bound. active says that they,
// and no pipeline, are what draws use.
type boundObjects struct {
	stages [maxGraphicsStages]*ShaderObject
	active bool
	drawn  objectKey // of the pipeline recorded last
}

// objectKey is what a pipeline is made from.
type objectKey struct {
	stages         [maxGraphicsStages]*ShaderObject
	colors         [render.MaxColorAttachments]vk.Format
	count          int
	depth, stencil vk.Format
	viewMask       uint32
	clip           bool // depth clip is set by commands
	locations      [render.MaxColorAttachments]uint32
	located        int // locations that count
}

// NewShaderObject compiles a shader for one stage. sets may have nil elements.
func (d *Device) NewShaderObject(bit vk.ShaderStageFlags, s Stage, sets []*DescriptorSetLayout) (*ShaderObject, error) {
	const op Op = "vkCreateShadersEXT"
	layout, err := d.NewPipelineLayout(sets)
	if err != nil {
		return nil, err
	}
	o := &ShaderObject{bit: bit, stage: s, sets: layout.sets}
	o.dev, o.kind = d, "shader object"
	if bit == vk.ShaderStageComputeBit {
		if o.single, err = d.NewComputePipeline(&ComputePipelineInfo{Stage: s, Layout: layout}); err == nil && s.Heap {
			o.mapped = o.single.mapped[0]
		}
		return o, err
	}
	if !slices.Contains(graphicsStages[:], bit) {
		return nil, d.unsupported(op, "VkShaderCreateInfoEXT-stage-parameter", "", "%v", bit)
	}
	as, _ := irStage(bit)
	r, err := d.compile(op, s, as)
	if err == nil && s.Heap {
		o.mapped, err = d.mapResources(op, r.Program(), s.Mappings)
	}
	return o, err
}

// Mappings are those that the shader uses, each for one resource, in the order of its resources.
func (o *ShaderObject) Mappings() []HeapMapping {
	return slices.DeleteFunc(slices.Clone(o.mapped), func(m HeapMapping) bool { return m.Count == 0 })
}

// Close gives the shader up.
func (o *ShaderObject) Close() error {
	if o == nil || o.closed.Swap(true) {
		return nil
	}
	o.dev.executor.Forget(o.single.routines()...)
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.made {
		o.dev.executor.Forget(p.routines()...)
	}
	return nil
}

// BindShader binds a shader to a stage, or unbinds what is there. Any graphics
// shader takes the place of a pipeline.
//
// vkCmdBindShadersEXT
func (c *CommandBuffer) BindShader(op Op, bit vk.ShaderStageFlags, o *ShaderObject) {
	if !c.ok(op, 0) || o != nil && !c.try(o.use(c.dev, op)) {
		return
	}
	if o != nil && o.bit != bit {
		c.misuse(op, "vkCmdBindShadersEXT-pShaders-08469", "", "a shader of stage %v at stage %v", o.bit, bit)
		return
	}
	if bit == vk.ShaderStageComputeBit {
		if o == nil {
			c.pipelines[vk.PipelineBindPointCompute] = nil
		} else {
			c.BindPipeline(op, vk.PipelineBindPointCompute, o.single)
		}
		return
	}
	at := slices.Index(graphicsStages[:], bit)
	if at < 0 {
		if o != nil {
			c.misuse(op, "vkCmdBindShadersEXT-pStages-parameter", "", "stage %v", bit)
		}
		return
	}
	b := &c.objects
	if !b.active { // a pipeline's shaders go, whatever their stages
		c.pipelines[vk.PipelineBindPointGraphics] = nil
		*b = boundObjects{active: true}
	}
	b.stages[at] = o
}

// useObjects makes the shaders bound the pipeline of the next draw.
func (c *CommandBuffer) useObjects(op Op) bool {
	b := &c.objects
	if !b.active {
		return true
	}
	stages := b.stages
	if stages[meshStage] != nil {
		clear(stages[:taskStage]) // those that feed vertices
	} else {
		stages[taskStage] = nil
	}
	first := stages[meshStage]
	if first == nil {
		first = stages[vertexStage]
	}
	if first == nil {
		c.misuse(op, op.command()+"-None-08684", "bind a vertex or mesh shader before", "no shader is bound to the first stage")
		return false
	}
	if len(c.pass.colors) > render.MaxColorAttachments {
		return true // the pass has been reported
	}
	k := objectKey{stages: stages, count: len(c.pass.colors), depth: c.pass.depth, stencil: c.pass.stencil, viewMask: c.pass.ViewMask, clip: c.dynamic.has(dynDepthClip)}
	copy(k.colors[:], c.pass.colors)
	k.located = copy(k.locations[:], c.pass.locations)
	if c.pipelines[vk.PipelineBindPointGraphics] != nil && k == b.drawn {
		return true
	}
	p, err := first.pipeline(k)
	if !c.try(err) {
		return false
	}
	b.drawn = k
	c.pipelines[vk.PipelineBindPointGraphics], c.checked[vk.PipelineBindPointGraphics] = p, false
	c.emit(opBindPipeline, c.object(p))
	return true
}

// pipeline makes the pipeline of a key, or returns the one made before.
func (o *ShaderObject) pipeline(k objectKey) (*Pipeline, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.made[k]; p != nil {
		return p, nil
	}
	info := &GraphicsPipelineInfo{Name: "from shader objects", Rendering: vk.PipelineRenderingCreateInfo{
		ViewMask: k.viewMask, ColorAttachmentFormats: slices.Clone(k.colors[:k.count]), DepthAttachmentFormat: k.depth, StencilAttachmentFormat: k.stencil,
	}}
	info.Rasterization.LineWidth = 1
	info.Locations = slices.Clone(k.locations[:k.located])
	info.DynamicStates = []vk.DynamicState{vk.DynamicStateViewportWithCount, vk.DynamicStateScissorWithCount}
	for i := range dynamicStates {
		switch s := dynamicStates[i].state; {
		case s == vk.DynamicStateViewport || s == vk.DynamicStateScissor: // above
		case s == vk.DynamicStateDepthClipEnableEXT && !k.clip: // the opposite of depth clamp
		default:
			info.DynamicStates = append(info.DynamicStates, s)
		}
	}
	layout := &PipelineLayout{}
	layout.dev, layout.kind = o.dev, "layout of shader objects"
	for _, s := range k.stages {
		if s == nil {
			continue
		}
		*info.stageOf(s.bit) = s.stage
		for n, set := range s.sets {
			if n == len(layout.sets) {
				layout.sets = append(layout.sets, nil)
			}
			if set != nil {
				layout.sets[n] = set
			}
		}
	}
	info.Layout = layout
	p, err := o.dev.NewGraphicsPipeline(info)
	if err != nil {
		return nil, err
	}
	// Which states have to be set depends on others, nearly all: those that are
	// not are neutral.
	p.must = p.must.and(dynSetOf(dynTopology, dynVertexInput))
	if len(o.made) >= maxVariants || o.made == nil {
		o.made = map[objectKey]*Pipeline{}
	}
	o.made[k] = p
	return p, nil
}

// stageOf is where the shader of a graphics stage stands.
func (info *GraphicsPipelineInfo) stageOf(bit vk.ShaderStageFlags) *Stage {
	switch bit {
	case vk.ShaderStageTessellationControlBit:
		return &info.Control
	case vk.ShaderStageTessellationEvaluationBit:
		return &info.Evaluation
	case vk.ShaderStageGeometryBit:
		return &info.Geometry
	case vk.ShaderStageTaskBitEXT:
		return &info.Task
	case vk.ShaderStageMeshBitEXT:
		return &info.Mesh
	case vk.ShaderStageFragmentBit:
		return &info.Fragment
	default:
		return &info.Vertex
	}
}
