package studio

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// Shadows on the ground: a plane under the model's lowest point takes the light of the upper half
// of the environment from up to 128 directions, as many from a part of it as it has of the
// light that falls on the plane. The model is thrown on a map of the ground along each of them;
// what it hits loses that direction, a bit of a texel. So shadows are sharp near what throws
// them and soft far from it, as the lights are large, and the same on every machine.

const (
	shadowMapSize  = 1024
	shadowFormat   = vk.FormatR32G32B32A32Uint // a bit a direction
	shadeFormat    = vk.FormatR32Sfloat
	mostDirections = 128
	// Fewer of them where more vertices than this would be thrown.
	leastDirections = 64
	mostThrown      = 10_000_000
	// Shadows are not as dark as no light at all: some comes back from the ground.
	shadowStrength = 0.85
	// The ground reaches as far as the model's height times this beyond the model.
	groundReach = 1.8
)

// ground is where a shadow falls, in the document's unit relative to the pose's Origin.
type ground struct {
	at    mat.DVec3 // its middle
	half  float64   // of its edge
	model float32   // how far the model reaches from the middle, of half
}

// block is the shaders' form, of a middle in their world.
func (g *ground) block(s *sight, at mat.Vec3) [4]float32 {
	return [4]float32{at[0], at[2], float32(1 / float64(g.half*s.unit)), at[1]}
}

// groundTargets are the images of a shadow.
type groundTargets struct {
	bits, shade *pumice.Image
}

func (g *groundTargets) close() {
	for _, im := range []*pumice.Image{g.bits, g.shade} {
		if im != nil {
			im.Close()
		}
	}
	*g = groundTargets{}
}

// groundShading is what shadows need of the device, made when they are first wanted.
type groundShading struct {
	mu           sync.Mutex
	light        *pumice.DescriptorSetLayout
	layout       [2]*pumice.PipelineLayout // for materials of pbr.frag and of layers.frag
	vert         *pumice.ShaderModule
	frag         [2]*pumice.ShaderModule
	shade        *pumice.GraphicsPipeline
	mapLayout    *pumice.DescriptorSetLayout
	groundLayout *pumice.PipelineLayout
	throwing     map[shadowKey]*pumice.GraphicsPipeline
	grounds      map[skyKey]*pumice.GraphicsPipeline
}

// shadowKey is what changes the pipeline that throws a shadow.
type shadowKey struct {
	layered, textured, mask, blend bool
	topology                       vk.PrimitiveTopology
}

// open makes the objects; s.mu is held.
func (s *groundShading) open(r *Renderer) (err error) {
	if s.throwing != nil {
		return nil
	}
	step := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	one := func(t vk.DescriptorType) pumice.DescriptorBinding { return pumice.DescriptorBinding{Type: t} }
	dev := r.dev
	step(func() error {
		s.light, err = dev.NewDescriptorSetLayout(one(vk.DescriptorTypeUniformBuffer))
		return err
	})
	step(func() error {
		s.mapLayout, err = dev.NewDescriptorSetLayout(one(vk.DescriptorTypeCombinedImageSampler))
		return err
	})
	step(func() error { s.layout[0], err = dev.NewPipelineLayout(s.light, r.materialLayout); return err })
	step(func() error { s.layout[1], err = dev.NewPipelineLayout(s.light, r.layers.materials); return err })
	step(func() error { s.groundLayout, err = dev.NewPipelineLayout(r.frameLayout, s.mapLayout); return err })
	step(func() error { s.vert, err = dev.NewShaderModule(shadowVert); return err })
	step(func() error { s.frag[0], err = dev.NewShaderModule(shadowFrag); return err })
	step(func() error { s.frag[1], err = dev.NewShaderModule(shadowLayersFrag); return err })
	step(func() error { s.shade, err = fullscreenPipeline(dev, shadeFrag, shadeFormat); return err })
	if err == nil {
		s.throwing = map[shadowKey]*pumice.GraphicsPipeline{}
		s.grounds = map[skyKey]*pumice.GraphicsPipeline{}
	}
	return err
}

// thrower returns the pipeline that throws the shadow of a draw.
func (s *groundShading) thrower(r *Renderer, k shadowKey) (*pumice.GraphicsPipeline, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(r); err != nil {
		return nil, err
	}
	if p := s.throwing[k]; p != nil {
		return p, nil
	}
	kind := 0
	if k.layered {
		kind = 1
	}
	bindings, attributes := vertexInput()
	attributes = append(attributes[:1:1], attributes[3:]...) // no normals, no tangents
	p, err := r.dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex:         pumice.Shader{Module: s.vert},
		Fragment:       pumice.Shader{Module: s.frag[kind], Constants: pumice.Constants{0: k.textured, 7: k.mask, 8: !k.blend}},
		Layout:         s.layout[kind],
		ColorFormats:   []vk.Format{shadowFormat},
		VertexBindings: bindings, VertexAttributes: attributes,
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: k.topology},
		Blend: &vk.PipelineColorBlendStateCreateInfo{
			LogicOpEnable: true, LogicOp: vk.LogicOpOr, Attachments: []vk.PipelineColorBlendAttachmentState{pumice.Opaque()},
		},
		Name: "shadow",
	})
	if err == nil {
		s.throwing[k] = p
	}
	return p, err
}

// ground returns the pipeline that draws the ground.
func (s *groundShading) ground(r *Renderer, k skyKey) (*pumice.GraphicsPipeline, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.grounds[k]; p != nil {
		return p, nil
	}
	over := pumice.Opaque()
	over.BlendEnable = true
	over.SrcColorBlendFactor, over.DstColorBlendFactor = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha
	over.SrcAlphaBlendFactor, over.DstAlphaBlendFactor = vk.BlendFactorOne, vk.BlendFactorOneMinusSrcAlpha
	p, err := r.dev.NewGraphicsPipeline(pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: groundVert}, Fragment: pumice.Shader{Code: groundFrag}, Layout: s.groundLayout,
		ColorFormats: []vk.Format{passFormat(k.target, k.behind)}, DepthFormat: depthFormat, Samples: k.target.samples,
		Rasterization: &vk.PipelineRasterizationStateCreateInfo{
			CullMode: vk.CullModeBackBit, FrontFace: vk.FrontFaceCounterClockwise, LineWidth: 1,
		},
		DepthStencil: &vk.PipelineDepthStencilStateCreateInfo{DepthTestEnable: true, DepthCompareOp: vk.CompareOpLessOrEqual},
		// What is farther than the model was thought to reach is not cut off.
		DepthClipDisable: true,
		Blend:            &vk.PipelineColorBlendStateCreateInfo{Attachments: []vk.PipelineColorBlendAttachmentState{over}},
		Name:             "ground",
	})
	if err == nil {
		s.grounds[k] = p
	}
	return p, err
}

// shadowed is a shadow that was recorded, to be drawn in passes.
type shadowed struct {
	place ground
	set   *pumice.DescriptorSet // of the map
	light *pumice.Buffer        // the directions
}

func (s *shadowed) close() {
	if s != nil {
		s.set.Close()
		s.light.Close()
	}
}

// groundOf places the ground under the poses that the camera keeps in the picture, or the one
// that is drawn; false: there is nothing to throw a shadow.
func groundOf(s seen) (g ground, ok bool, err error) {
	rough := s.box()
	if rough.Empty() {
		return g, false, nil
	}
	middle := rough.Center()
	box := mat.EmptyBox()
	if err := s.forEachPoint(rough, middle, box.Extend); err != nil {
		return g, false, err
	}
	c := box.Center()
	width, height, depth := box.Max[0]-box.Min[0], box.Max[1]-box.Min[1], box.Max[2]-box.Min[2]
	foot := float64(math.Sqrt(float64(width*width)+float64(depth*depth)) / 2)
	half := foot + float64(groundReach*height)
	if !(half > 0) || math.IsInf(half, 0) {
		return g, false, nil
	}
	// A little lower: what lies on the ground hides it.
	c[1] = box.Min[1] - float64(half/4096)
	return ground{middle.Add(c), half, float32(foot / half)}, true, nil
}

// recordShadow records the map of the view's shadow; nil: it wants none, or there is none.
func (r *Renderer) recordShadow(ctx context.Context, cmd *pumice.CommandBuffer, t *targets, m *Model, pose *gltf.Pose, camera *sight, draws []draw, v *View) (*shadowed, error) {
	if !v.Ground || len(draws) == 0 || v.strength() == 0 {
		return nil, nil
	}
	place, ok, err := groundOf(r.seen(&v.Camera, m.doc, pose))
	if err != nil || !ok {
		return nil, err
	}
	vertices := 0
	for i := range draws {
		vertices += int(draws[i].mesh.count)
	}
	count := mostDirections
	for vertices*count > mostThrown && count > leastDirections { // large models take fewer
		count /= 2
	}
	towards, err := v.light(r).directions(ctx, count)
	if err != nil {
		return nil, fmt.Errorf("shadows on the ground: %w", err)
	}
	var block []byte
	for i := range mostDirections {
		for _, f := range towards[i%count] {
			block = binary.LittleEndian.AppendUint32(block, math.Float32bits(f))
		}
		block = append(block, 0, 0, 0, 0)
	}
	if err := t.ensureGround(r.dev); err != nil {
		return nil, err
	}
	buffer, err := r.dev.NewBufferFrom(block)
	if err != nil {
		return nil, err
	}
	var set *pumice.DescriptorSet
	if err = r.throwShadows(cmd, t, draws, buffer, camera, place, count); err == nil {
		set, err = r.shadeGround(cmd, t, count)
	}
	if err != nil {
		buffer.Close()
		return nil, err
	}
	return &shadowed{place, set, buffer}, nil
}

// ensureGround makes the images where a picture first needs them.
func (t *targets) ensureGround(dev *pumice.Device) (err error) {
	if t.ground.shade != nil {
		return nil
	}
	if t.ground.bits, err = dev.NewImage(pumice.ImageDesc{
		Format: shadowFormat, Width: shadowMapSize, Height: shadowMapSize, Name: "directions of light on the ground",
	}); err != nil {
		return err
	}
	t.ground.shade, err = dev.NewImage(pumice.ImageDesc{
		Format: shadeFormat, Width: shadowMapSize, Height: shadowMapSize, MipLevels: pumice.AllMips, Name: "shadow on the ground",
	})
	return err
}

// throwShadows records the bits of the directions that draws keep off.
func (r *Renderer) throwShadows(cmd *pumice.CommandBuffer, t *targets, draws []draw, directions *pumice.Buffer, camera *sight, place ground, count int) error {
	s := &r.ground
	s.mu.Lock()
	err := s.open(r)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	set, err := r.dev.NewDescriptorSet(s.light)
	if err != nil {
		return err
	}
	defer set.Close()
	if err := set.Bind(0, directions); err != nil {
		return err
	}
	pass := cmd.BeginRendering(pumice.Rendering{Color: []pumice.Attachment{{Target: t.ground.bits, Load: vk.AttachmentLoadOpClear}}})
	for i := range draws {
		d := &draws[i]
		g := d.material.source
		pipeline, err := s.thrower(r, shadowKey{
			layered: d.key.layers != 0, textured: d.key.uses[useBaseColor] || d.key.textures&1 != 0,
			mask: d.key.mask, blend: g.AlphaMode == gltf.AlphaBlend, topology: d.mesh.topology,
		})
		if err != nil {
			return err
		}
		pass.BindPipeline(pipeline)
		pass.BindDescriptorSet(0, set)
		pass.BindDescriptorSet(1, d.material.set)
		w := d.world.Moved(mat.DVec3{}.Sub(place.at)).Scaled(camera.unit).Single() // the map's middle is 0
		pass.PushConstants(0, struct {
			World  [12]float32
			Ground [4]float32
		}{
			[12]float32{w[0], w[4], w[8], w[12], w[1], w[5], w[9], w[13], w[2], w[6], w[10], w[14]},
			place.block(camera, mat.Vec3{}),
		})
		d.drawMesh(pass, uint32(count))
	}
	pass.End()
	return nil
}

// shadeGround records how much light the bits leave, and returns the set of that map.
func (r *Renderer) shadeGround(cmd *pumice.CommandBuffer, t *targets, count int) (*pumice.DescriptorSet, error) {
	s := &r.ground
	bits, err := s.shade.NewDescriptorSet(0)
	if err != nil {
		return nil, err
	}
	defer bits.Close()
	if err := bits.Bind(0, t.ground.bits); err != nil {
		return nil, err
	}
	level, err := t.ground.shade.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Levels: 1})
	if err != nil {
		return nil, err
	}
	pass := cmd.BeginRendering(pumice.Rendering{Color: []pumice.Attachment{{Target: level, Load: vk.AttachmentLoadOpDontCare}}})
	pass.BindPipeline(s.shade)
	pass.BindDescriptorSet(0, bits)
	pass.PushConstants(0, float32(count))
	pass.Draw(3, 1)
	pass.End()
	cmd.GenerateMipmaps(t.ground.shade)
	set, err := r.dev.NewDescriptorSet(s.mapLayout)
	if err != nil {
		return nil, err
	}
	if err := set.Bind(0, pumice.Texture{View: t.ground.shade, Sampler: r.clamp}); err != nil {
		set.Close()
		return nil, err
	}
	return set, nil
}

// drawGround draws the shadow, if there is one, behind what is opaque.
func (r *Renderer) drawGround(pass *pumice.Pass, s *shadowed, camera *sight, frame *pumice.DescriptorSet, target shape, behind bool) error {
	if s == nil {
		return nil
	}
	pipeline, err := r.ground.ground(r, skyOf(target, behind))
	if err != nil {
		return err
	}
	pass.BindPipeline(pipeline)
	pass.BindDescriptorSet(0, frame)
	pass.BindDescriptorSet(1, s.set)
	pass.PushConstants(0, struct {
		Ground   [4]float32
		Strength float32
		Model    float32
	}{s.place.block(camera, camera.point(s.place.at)), shadowStrength, s.place.model})
	pass.Draw(6, 1)
	return nil
}
