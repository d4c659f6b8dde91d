package studio

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"sort"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/vk"
)

// View is what to draw of a model, and from where. Only the extent has to be given: the
// rest of the zero View is the whole default scene at rest, seen from the front, before
// nothing.
type View struct {
	Width, Height int // pixels
	Samples       int // a pixel: 1, 4 or 8; 0 means 4, or of a Pass that has only one 1
	// Scene is one of Document.Scenes; nil is the document's default.
	Scene *gltf.Scene
	// Variant is one of Document.Variants, by its name; empty is none.
	Variant string
	// Animation is one of Document.Animations, evaluated at Time (seconds); nil is the
	// model at rest.
	Animation  *gltf.Animation
	Time       float64
	Camera     Camera
	Background color.NRGBA // sRGB, not premultiplied; zero is transparent
	// Pass is what the picture shows in the place of the model in its light.
	Pass Pass
	// Exposure brightens the picture by stops, -16 to 16: light is multiplied by two to its power
	// before tones are mapped. Unlit surfaces and Background, which are no light, stay as they are.
	Exposure float64
	// Tone is how light becomes colours, for pictures that are not Linear.
	Tone Tone
	// Environment is what the model is lit by; nil is the built-in studio.
	Environment *Environment
	// Light is the strength of the environment's light, 0 to 1000; nil is 1. The document's own
	// lights keep theirs. Where it is 0 nothing throws a shadow on the ground.
	Light *float64
	// ShowEnvironment draws it as the background, in the place of Background: sharp, or
	// blurred by EnvironmentBlur from 0 to 1, as a surface of that roughness mirrors it.
	ShowEnvironment bool
	EnvironmentBlur float64
	// Ground catches the model's shadow on a plane under its lowest point, which does not show
	// otherwise: over a transparent background shadows are black of some alpha.
	Ground bool
}

// pose evaluates the document as the view wants it.
func (v *View) pose(doc *gltf.Document) (*gltf.Pose, error) {
	scene, animation := doc.FindScene(), gltf.NoAnimation
	if v.Scene != nil {
		if scene = indexOf(doc.Scenes, v.Scene); scene < 0 {
			return nil, fmt.Errorf("%s: View.Scene %q is none of the document's", doc.File, v.Scene.Name)
		}
	}
	if v.Animation != nil {
		if animation = indexOf(doc.Animations, v.Animation); animation < 0 {
			return nil, fmt.Errorf("%s: View.Animation %q is none of the document's", doc.File, v.Animation.Name)
		}
	}
	variant := gltf.None
	if v.Variant != "" {
		if variant = doc.FindVariant(v.Variant); variant == gltf.None {
			return nil, fmt.Errorf("%s: View.Variant %q is none of the document's", doc.File, v.Variant)
		}
	}
	return doc.PoseNear(scene, animation, v.Time, variant)
}

// indexOf returns which element p points to, or -1.
func indexOf[T any](list []T, p *T) int {
	for i := range list {
		if &list[i] == p {
			return i
		}
	}
	return -1
}

// draw is one primitive ready to be recorded.
type draw struct {
	item     *gltf.Item
	mesh     *mesh
	owned    bool // the mesh was made for this frame
	material *material
	made     bool // the material was made for this frame
	key      pipelineKey
	pipeline *pumice.GraphicsPipeline
	rank     drawRank
	world    mat.DMat4 // from the mesh, in the document's unit relative to the pose's Origin
	distance float64   // of the centre along the view direction
}

// release frees what was made for this frame.
func (d *draw) release() {
	if d.owned {
		d.mesh.close()
	}
	if d.made {
		d.material.close()
	}
}

// Render draws the view. The picture is the caller's.
func (r *Renderer) Render(ctx context.Context, m *Model, v View) (*image.NRGBA, error) {
	s, err := v.shape()
	if err != nil {
		return nil, err
	}
	t, err := r.borrow(m, s)
	if err != nil {
		return nil, err
	}
	defer r.giveBack(t)
	if err := r.render(ctx, t, m, v, false); err != nil {
		return nil, err
	}
	return r.finished(ctx, t, &v)
}

// shape is what the view's targets are.
func (v *View) shape() (shape, error) {
	s := shape{width: v.Width, height: v.Height, samples: cmp.Or(v.Samples, 4)}
	if v.Pass.isNumbers() {
		s.samples, s.linear = 1, true
	}
	return s, cmp.Or(v.checkLight(), v.checkPass())
}

// render draws the view into targets, premultiplied; labels name its draws.
func (r *Renderer) render(ctx context.Context, t *targets, m *Model, v View, labels bool) error {
	pose, err := v.pose(m.doc)
	if err != nil {
		return err
	}
	camera, err := r.resolve(&v.Camera, m.doc, pose, float64(v.Width)/float64(v.Height))
	if err != nil {
		return err
	}
	recording := budget.Mul(int64(len(pose.Items)), recordedDraw*int64(max(len(v.Pass.steps()), 1)))
	if err := r.budget.Take(recording); err != nil {
		return fmt.Errorf("%s: %d primitives to draw: %w", m.doc.File, len(pose.Items), err)
	}
	defer r.budget.Drop(recording)
	frame, err := r.frameSet(&v, pose, &camera)
	if err != nil {
		return err
	}
	defer frame.close()

	draws, err := m.draws(ctx, pose, &camera, shape{samples: t.samples, linear: t.linear}, &v)
	defer func() {
		for _, d := range draws {
			d.release()
		}
	}()
	if err != nil {
		return err
	}

	cmd := r.dev.NewCommandBuffer()
	if v.Pass != PassPicture {
		if err := r.recordPass(ctx, cmd, t, m, draws, &v, &camera, frame.set, labels); err != nil {
			return err
		}
		return r.dev.Submit(ctx, cmd)
	}
	shadow, err := r.recordShadow(ctx, cmd, t, m, pose, &camera, draws, &v)
	if err != nil {
		return err
	}
	defer shadow.close()
	if err := r.recordBehind(ctx, cmd, t, frame, m, draws, &v, &camera, shadow); err != nil {
		return err
	}
	pass := cmd.BeginRendering(t.rendering(v.background()))
	if err := r.recordSky(pass, &v, &camera, t.shape, false); err != nil {
		return err
	}
	for i, d := range draws {
		if d.rank != rankOpaque && (i == 0 || draws[i-1].rank == rankOpaque) {
			if err := r.drawGround(pass, shadow, &camera, frame.set, t.shape, false); err != nil {
				return err
			}
		}
		if labels {
			pass.BeginLabel(m.label(d.item))
		}
		pass.BindPipeline(d.pipeline)
		d.record(pass, &camera, frame.set, frame.layers)
		if labels {
			pass.EndLabel()
		}
	}
	if n := len(draws); n > 0 && draws[n-1].rank == rankOpaque {
		if err := r.drawGround(pass, shadow, &camera, frame.set, t.shape, false); err != nil {
			return err
		}
	}
	pass.End()
	return r.dev.Submit(ctx, cmd)
}

// record draws with the pipeline that is bound.
func (d *draw) record(pass *pumice.Pass, s *sight, frame, layers *pumice.DescriptorSet) {
	pass.BindDescriptorSet(0, frame)
	pass.BindDescriptorSet(1, d.material.set)
	if d.key.layers != 0 {
		pass.BindDescriptorSet(2, layers)
	}
	pass.PushConstants(0, pushConstants(s.place(&d.world)))
	d.drawMesh(pass, 1)
}

// drawMesh draws so many instances with the pipeline and sets that are bound.
func (d *draw) drawMesh(pass *pumice.Pass, instances uint32) {
	pass.BindVertexBuffer(0, d.mesh.vertices, 0)
	if d.mesh.indices != nil {
		pass.BindIndexBuffer(d.mesh.indices, 0, vk.IndexTypeUint32)
		pass.DrawIndexed(d.mesh.count, instances, 0, 0, 0)
	} else {
		pass.Draw(d.mesh.count, instances)
	}
}

// recordedDraw is what a draw takes while it is prepared, recorded and run, in bytes:
// measured with 100,000 of them, and a little more.
const recordedDraw = 6 << 10

// rendering describes the pass: cleared to the premultiplied background,
// resolved where there are several samples.
func (t *targets) rendering(background color.NRGBA) pumice.Rendering {
	clear := pumice.ClearColor(colorFormat, color.NRGBA{background.R, background.G, background.B, 255})
	alpha := float32(background.A) / 255
	for i := range 3 {
		clear.Float32[i] = float32(clear.Float32[i] * alpha)
	}
	clear.Float32[3] = alpha
	target := pumice.Rendering{Color: []pumice.Attachment{{
		Target: t.color, Load: vk.AttachmentLoadOpClear, Clear: vk.ClearValue{Color: clear},
	}}}
	if t.resolved != nil {
		target = target.WithResolve(t.resolved)
	}
	return target.WithDepth(t.depth, 1)
}

// draws lists what to record: opaque and masked primitives in scene order, then those that
// show them through themselves, then blended ones from far to near. On error the draws made so far are returned,
// for release.
func (m *Model) draws(ctx context.Context, pose *gltf.Pose, camera *sight, target shape, v *View) ([]draw, error) {
	var list []draw
	for i := range pose.Items {
		if err := ctx.Err(); err != nil {
			return list, err
		}
		item := &pose.Items[i]
		d := draw{item: item}
		var err error
		if d.material, d.made, err = m.material(item); err == nil {
			d.mesh, d.owned, err = m.geometry(item, d.material)
		}
		if err != nil {
			if d.made {
				d.material.close()
			}
			return list, fmt.Errorf("%s: meshes[%d].primitives[%d]: %w", m.doc.File, item.Mesh, item.PrimitiveIndex, err)
		}
		if d.mesh.count == 0 {
			d.release()
			continue
		}
		list = append(list, d)
		last, mt := &list[len(list)-1], d.material
		g := mt.source
		last.rank = rankOf(mt)
		last.world, _ = placed(item)
		last.distance = camera.back().Dot(camera.at.Sub(last.world.Point(d.mesh.center)))
		last.key = pipelineKey{
			uses: mt.flags, occlusionInRed: mt.occlusionInRed,
			unlit: g.Unlit || item.Primitive.Normals == nil,
			mask:  g.AlphaMode == gltf.AlphaMask, blend: last.rank == rankBlend,
			lights: len(pose.Lights) > 0, topology: d.mesh.topology,
			doubleSided: g.DoubleSided || !item.Primitive.IsTriangles(), mirrored: item.Mirrored,
			target: target, tone: v.tone(target), layers: mt.layers, textures: mt.textures,
		}
		if v.Pass != PassPicture { // which has pipelines of its own
			continue
		}
		if last.pipeline, err = m.r.pipeline(last.key); err != nil {
			return list, err
		}
	}
	sort.SliceStable(list, func(a, b int) bool {
		if list[a].rank != list[b].rank {
			return list[a].rank < list[b].rank
		}
		return list[a].rank == rankBlend && list[a].distance > list[b].distance
	})
	return list, nil
}

// geometry returns the device form of an item: shared where it stands as the
// file has it, made for this frame where morph targets or joints move it, or where a
// variant reads other UV sets than the primitive's own material.
func (m *Model) geometry(item *gltf.Item, mt *material) (g *mesh, owned bool, err error) {
	p, uvs := item.Primitive, mt.uvs
	if p.Deforms(item) {
		need := deformedBytes(item, uvs)
		if err := m.r.budget.Take(need); err != nil {
			return nil, false, err
		}
		g, err = m.upload(p, mat.Vec3{}, deformed(item, uvs))
		m.r.budget.Drop(need)
		return g, true, err
	}
	if own := m.materials[materialKey{p, p.Material}]; !slices.Equal(own.uvs.sets, uvs.sets) {
		g, err = m.upload(p, p.Origin(), resting(p, uvs))
		return g, true, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.meshes[p]; g != nil {
		return g, false, nil
	}
	if g, err = m.upload(p, p.Origin(), resting(p, uvs)); err == nil {
		m.meshes[p] = g
	}
	return g, false, err
}

// pushConstants is the push-constant block of mesh.vert.
func pushConstants(world mat.DMat4) [28]float32 {
	var out [28]float32
	for i, v := range world {
		out[i] = float32(v)
	}
	n := world.NormalMatrix()
	largest := 0.0
	for c := range 3 {
		for r := range 3 {
			largest = math.Max(largest, math.Abs(world[4*c+r]))
		}
	}
	out[19] = 1
	if largest > 0 && !math.IsInf(largest, 1) {
		out[19] = float32(math.Ldexp(1, max(-126, min(126, -math.Ilogb(largest)))))
	}
	out[23] = 1
	if world.Determinant3() < 0 {
		out[23] = -1
	}
	for c := range 3 {
		copy(out[16+4*c:], n[3*c:3*c+3])
	}
	return out
}

// frameSet is the descriptor set 0 of a frame and the buffers behind it.
type frameSet struct {
	set             *pumice.DescriptorSet
	uniform, lights *pumice.Buffer
	layers          *pumice.DescriptorSet // of layers.frag; nil where nothing needs it
}

func (f *frameSet) close() {
	f.set.Close()
	if f.layers != nil {
		f.layers.Close()
	}
	f.uniform.Close()
	f.lights.Close()
}

// frameSet uploads camera, environment and lights.
func (r *Renderer) frameSet(v *View, pose *gltf.Pose, camera *sight) (*frameSet, error) {
	e := v.light(r)
	var block []byte
	put := func(fs ...float32) {
		for _, f := range fs {
			block = binary.LittleEndian.AppendUint32(block, math.Float32bits(f))
		}
	}
	viewProjection := camera.viewProjection().Single()
	put(viewProjection[:]...)
	eye, near := camera.eye.Scale(camera.unit).Single(), float32(1)
	if camera.parallel() {
		eye, near = camera.back().Single(), 0
	}
	put(eye[0], eye[1], eye[2], near)
	block = append(block, e.irradiance...)
	block = binary.LittleEndian.AppendUint32(block, uint32(len(pose.Lights)))
	block = append(block, make([]byte, 12)...)
	put(float32(1/camera.unit), v.strength(), v.exposure(), 1/v.exposure())
	along := camera.along()
	put(along[:]...)

	f := &frameSet{}
	var err error
	if f.uniform, err = r.dev.NewBufferFrom(block); err != nil {
		return nil, err
	}
	if f.lights, err = r.dev.NewBufferFrom(lightBlock(pose.Lights, camera)); err != nil {
		f.uniform.Close()
		return nil, err
	}
	if f.set, err = r.dev.NewDescriptorSet(r.frameLayout); err != nil {
		f.uniform.Close()
		f.lights.Close()
		return nil, err
	}
	for binding, resource := range []pumice.Resource{
		f.uniform,
		pumice.Texture{View: e.radiance, Sampler: r.clamp},
		pumice.Texture{View: e.brdf, Sampler: r.clamp},
		f.lights,
	} {
		if err := f.set.Bind(uint32(binding), resource); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// lightBlock packs the lights as pbr.frag reads them; never empty.
func lightBlock(lights []gltf.PosedLight, s *sight) []float32 {
	out := make([]float32, 0, 16*len(lights))
	for _, l := range lights {
		kind, reach, scale, offset := float32(0), float32(0), float32(0), float32(1)
		bright := float64(l.Light.Intensity)
		switch l.Light.Type {
		case gltf.LightDirectional:
		case gltf.LightPoint, gltf.LightSpot:
			kind = 1
			bright = float64(float64(bright*s.unit) * s.unit) // candela: it falls with the square of the distance
			if l.Light.Range > 0 {
				reach = float32(1 / float64(float64(float64(l.Light.Range)*s.unit)*float64(float64(l.Light.Range)*s.unit)))
			}
		}
		if l.Light.Type == gltf.LightSpot {
			kind = 2
			_, inner := mat.SinCos(float64(l.Light.InnerConeAngle))
			_, outer := mat.SinCos(float64(l.Light.OuterConeAngle))
			scale64 := 1 / math.Max(0.001, inner-outer)
			scale, offset = float32(scale64), float32(-outer*scale64)
		}
		c, at := mat.Vec3(l.Light.Color).Double().Scale(bright).Single(), s.point(l.Position)
		out = append(out,
			c[0], c[1], c[2], kind,
			at[0], at[1], at[2], reach,
			l.Direction[0], l.Direction[1], l.Direction[2], 0,
			scale, offset, 0, 0)
	}
	if len(out) == 0 {
		out = make([]float32, 16)
	}
	return out
}
