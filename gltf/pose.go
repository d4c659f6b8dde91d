package gltf

import (
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Pose is one scene of a document at one point in time.
type Pose struct {
	Document *Document
	// Origin is the point of the world that the pose's world space has its zero at: all that is
	// called world space in a pose is relative to it. It is 0 but in poses of PoseNear.
	Origin  mat.DVec3
	World   []mat.DMat4 // of every node of the document, column-major
	Items   []Item      // what to draw, in scene order
	Lights  []PosedLight
	Cameras []PosedCamera
}

// Item is one primitive to draw. A vertex reaches world space as
//
//	World · (Σ weight·JointMatrices[joint]) · (position + Σ MorphWeights·target)
//
// where an item without skin has no middle factor.
type Item struct {
	Node, Mesh, PrimitiveIndex int
	Primitive                  *Primitive

	// World is the node's world matrix; for a skinned item, whose joints lead to world space
	// themselves (glTF ignores the node's own transform there), a move alone: to where the
	// skin's first joint is, from which its joints' matrices count.
	World mat.DMat4
	// Material is what the primitive is drawn with: its own, or what a variant or the
	// animation makes of it. Its textures are those of materials of the Document.
	Material      *Material
	Instance      int         // of Node.Instances; 0 where it has none
	JointMatrices []mat.DMat4 // nil: no skin; shared between items of one skin
	MorphWeights  []float32   // nil: no targets; length = number of targets
	// Mirrored says that the transform turns shapes into their mirror image:
	// front faces are then the clockwise ones.
	Mirrored bool
}

// PosedLight is a light in its place.
type PosedLight struct {
	Light     *Light // the Document's, or what the animation makes of it
	Node      int
	World     mat.DMat4
	Position  mat.DVec3 // world space
	Direction mat.Vec3  // unit vector along which the light shines (the node's -z)
}

// PosedCamera is a camera in its place.
type PosedCamera struct {
	Camera *Camera // the Document's
	Lens   *Camera // Camera, or what the animation makes of it
	Node   int
	World  mat.DMat4 // camera to world, scale removed
	View   mat.DMat4 // world to camera, the inverse of World
}

// NoAnimation is the animation number of the model at rest.
const NoAnimation = None

// Pose evaluates a scene at a time in seconds. scene None means all root nodes,
// animation NoAnimation the model at rest. Times before the first or after the
// last keyframe hold the nearest; to loop, pass the time modulo
// Animation.Duration. Errors: an index out of range, a NaN time, more items
// than Options.Budget has memory for.
func (d *Document) Pose(scene int, animation int, time float64) (*Pose, error) {
	return d.PoseVariant(scene, animation, time, None)
}

// PoseVariant is Pose with the materials of a variant, or with the primitives' own for
// None.
func (d *Document) PoseVariant(scene, animation int, time float64, variant int) (*Pose, error) {
	return d.pose(scene, animation, time, variant, false)
}

// PoseNear is PoseVariant with an Origin near what is drawn. Roots are moved before transforms are
// multiplied, so that a model keeps its shape to the last bit however far from the world's origin it is.
func (d *Document) PoseNear(scene, animation int, time float64, variant int) (*Pose, error) {
	return d.pose(scene, animation, time, variant, true)
}

func (d *Document) pose(scene, animation int, time float64, variant int, near bool) (*Pose, error) {
	if d == nil {
		return nil, &Error{Place: "pose", Message: "the document is nil; check the error of the call that read it"}
	}
	fail := func(err error, format string, args ...any) error {
		return &Error{File: d.File, Place: "pose", Message: fmt.Sprintf(format, args...), Err: err}
	}
	if scene != None && (scene < 0 || scene >= len(d.Scenes)) {
		return nil, fail(nil, "scene %d out of range (%d scenes)", scene, len(d.Scenes))
	}
	if animation != NoAnimation && (animation < 0 || animation >= len(d.Animations)) {
		return nil, fail(nil, "animation %d out of range (%d animations)", animation, len(d.Animations))
	}
	if animation != NoAnimation {
		if err := d.Animations[animation].fault; err != nil {
			return nil, err
		}
	}
	if variant != None && (variant < 0 || variant >= len(d.Variants)) {
		return nil, fail(nil, "variant %d out of range (%d variants)", variant, len(d.Variants))
	}
	if time != time {
		return nil, fail(nil, "time is not a number")
	}
	shown := d.shown(scene)
	need := d.poseCost(shown, animation)
	if err := d.budget.Take(need); err != nil {
		return nil, fail(err, "%d nodes", len(shown))
	}
	e := evaluator{doc: d, variant: variant, state: make([]nodeState, len(d.Nodes)), world: make([]mat.DMat4, len(d.Nodes))}
	e.rest()
	if animation != NoAnimation {
		e.animate(&d.Animations[animation], time)
		e.settle()
	}
	p := &Pose{Document: d, World: e.world}
	budget.Keep(d.budget, need, p)
	if near {
		p.Origin = e.origin(shown)
	}
	e.place(p.Origin)
	e.collect(p, shown)
	return p, nil
}

// shown lists the nodes of a scene in depth-first order, without recursion.
func (d *Document) shown(scene int) []int {
	var stack, order []int
	push := func(list []int) {
		for i := len(list) - 1; i >= 0; i-- {
			stack = append(stack, list[i])
		}
	}
	if scene != None {
		push(d.Scenes[scene].Nodes)
	} else {
		for i := len(d.Nodes) - 1; i >= 0; i-- {
			if d.Nodes[i].Parent == None {
				stack = append(stack, i)
			}
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, n)
		push(d.Nodes[n].Children)
	}
	return order
}

// poseCost returns the memory of a pose: a small file can name the same large
// mesh or skin from many nodes.
func (d *Document) poseCost(shown []int, animation int) int64 {
	need := budget.Mul(int64(len(d.Nodes)), 512)
	add := func(count int, size int64) {
		if need += budget.Mul(int64(count), size); need < 0 {
			need = math.MaxInt64
		}
	}
	for i := range d.Skins {
		add(len(d.Skins[i].Joints), sizeOf[mat.DMat4]())
	}
	if animation != NoAnimation {
		// Copies of materials, cameras and lights, and of weights that pointers change.
		add(len(d.Animations[animation].Channels), sizeOf[Material]()+8*sizeOf[TextureRef]())
		for i := range d.Animations[animation].Channels {
			if c := &d.Animations[animation].Channels[i]; c.property.weights > 0 {
				add(c.property.weights, 4)
			}
		}
	}
	for _, n := range shown {
		if m := d.Nodes[n].Mesh; m != None {
			// Twice: the list doubles as it grows.
			items := budget.Mul(int64(len(d.Meshes[m].Primitives)), int64(max(len(d.Nodes[n].Instances), 1)))
			add(int(min(items, maxElements)), 2*sizeOf[Item]())
			add(len(d.Meshes[m].Weights), 4)
		}
	}
	return need
}

// nodeState is what an animation may change of a node.
type nodeState struct {
	translation mat.DVec3
	rotation    mat.Quat
	scale       mat.DVec3
	weights     []float32
	hidden      bool // its own, and once place was called its ancestors', too
}

type evaluator struct {
	doc     *Document
	variant int
	state   []nodeState
	world   []mat.DMat4
	// What pointers changed, by index in the document.
	materials map[int]*Material
	cameras   map[int]*Camera
	lights    map[int]*Light
}

// rest sets every node to the file's own transform and weights.
func (e *evaluator) rest() {
	for i := range e.doc.Nodes {
		n := &e.doc.Nodes[i]
		s := nodeState{n.Translation, n.Rotation, n.Scale, n.Weights, n.Hidden}
		if s.weights == nil && n.Mesh != None {
			s.weights = e.doc.Meshes[n.Mesh].Weights
		}
		e.state[i] = s
	}
}

func (e *evaluator) animate(a *Animation, time float64) {
	for i := range a.Channels {
		c := &a.Channels[i]
		if c.Path == PathPointer {
			v := make([]float32, c.Width)
			c.sample(time, v)
			c.property.set(e, v)
			continue
		}
		s := &e.state[c.Node]
		switch c.Path {
		case PathVisibility:
			var visible [1]float32
			c.sample(time, visible[:])
			s.hidden = visible[0] == 0
		case PathTranslation:
			var v mat.Vec3
			c.sample(time, v[:])
			s.translation = v.Double()
		case PathScale:
			var v mat.Vec3
			c.sample(time, v[:])
			s.scale = v.Double()
		case PathRotation:
			var q mat.Quat
			c.sample(time, q[:])
			// A spline does not stay on the unit sphere; where it passes through
			// the centre the rotation at rest stands in.
			if unit, ok := q.Normalize(); ok {
				s.rotation = unit
			}
		case PathWeights:
			s.weights = make([]float32, c.Width)
			c.sample(time, s.weights)
		case PathPointer:
		}
	}
}

// local returns the transform of a node in its parent.
func (e *evaluator) local(i int) mat.DMat4 {
	if n := &e.doc.Nodes[i]; n.HasMatrix {
		return n.Matrix
	}
	s := &e.state[i]
	return mat.FromTRS(s.translation, s.rotation, s.scale)
}

// origin returns where in the world the first of the shown meshes is, or its first joint where
// it has a skin. It need not be visible: any point near what is drawn will do.
func (e *evaluator) origin(shown []int) mat.DVec3 {
	for _, i := range shown {
		n := &e.doc.Nodes[i]
		if n.Mesh == None || len(e.doc.Meshes[n.Mesh].Primitives) == 0 {
			continue
		}
		var at mat.DVec3
		if n.Skin != None {
			i = e.doc.Skins[n.Skin].Joints[0]
		} else {
			at = e.doc.Meshes[n.Mesh].Primitives[0].Origin().Double()
			if len(n.Instances) > 0 {
				instance := n.Instances[0].Double()
				at = instance.Point(at)
			}
		}
		for ; i != None; i = e.doc.Nodes[i].Parent {
			local := e.local(i)
			at = local.Point(at)
		}
		if at.Finite() {
			return at
		}
	}
	return mat.DVec3{}
}

// place computes all world matrices, parents first. Roots are moved, so that numbers below
// them are small before they are rounded.
func (e *evaluator) place(origin mat.DVec3) {
	for _, i := range e.doc.order {
		n, s := &e.doc.Nodes[i], &e.state[i]
		local := e.local(i)
		if n.Parent != None {
			local = e.world[n.Parent].Mul(local)
			s.hidden = s.hidden || e.state[n.Parent].hidden
		} else {
			local = local.Moved(mat.DVec3{}.Sub(origin))
		}
		e.world[i] = local
	}
}

// collect lists items, lights and cameras of the shown nodes.
func (e *evaluator) collect(p *Pose, shown []int) {
	skins := make([][]mat.DMat4, len(e.doc.Skins))
	for _, i := range shown {
		n := &e.doc.Nodes[i]
		if n.Mesh != None && !e.state[i].hidden {
			item := Item{Node: i, Mesh: n.Mesh, World: p.World[i], MorphWeights: e.state[i].weights}
			if len(item.MorphWeights) == 0 {
				item.MorphWeights = nil
			}
			item.Mirrored = item.World.Determinant3() < 0
			if n.Skin != None {
				s := &e.doc.Skins[n.Skin]
				base := e.world[s.Joints[0]].Translation()
				if !base.Finite() {
					base = mat.DVec3{}
				}
				if skins[n.Skin] == nil {
					skins[n.Skin] = e.joints(s, base)
				}
				item.JointMatrices = skins[n.Skin]
				item.World = mat.Translate(base)
				item.Mirrored = mostlyMirrored(item.JointMatrices)
			}
			for k, prim := range e.doc.Meshes[n.Mesh].Primitives {
				if len(prim.Positions) == 0 {
					continue
				}
				it := item
				it.PrimitiveIndex, it.Primitive, it.Material = k, prim, e.material(prim)
				if prim.Joints == nil && n.Skin != None {
					// Without joints the primitive is not skinned.
					it.JointMatrices, it.World = nil, p.World[i]
					it.Mirrored = it.World.Determinant3() < 0
				}
				if n.Instances == nil {
					p.Items = append(p.Items, it)
				}
				for k := range n.Instances {
					it.Instance, it.World = k, e.world[i].Mul(n.Instances[k].Double())
					it.Mirrored = it.World.Determinant3() < 0
					p.Items = append(p.Items, it)
				}
			}
		}
		if n.Light != None && !e.state[i].hidden {
			w := p.World[i]
			light := e.lights[n.Light]
			if light == nil {
				light = &e.doc.Lights[n.Light]
			}
			p.Lights = append(p.Lights, PosedLight{
				Light: light, Node: i, World: w,
				Position:  w.Translation(),
				Direction: w.Direction(mat.DVec3{0, 0, -1}).Normalize().Single(),
			})
		}
		if n.Camera != None {
			w := unscaled(e.world[i])
			view, _ := w.Inverse()
			lens := e.cameras[n.Camera]
			if lens == nil {
				lens = &e.doc.Cameras[n.Camera]
			}
			p.Cameras = append(p.Cameras, PosedCamera{
				Camera: &e.doc.Cameras[n.Camera], Lens: lens, Node: i, World: w, View: view,
			})
		}
	}
}

// material returns what a primitive is drawn with.
func (e *evaluator) material(p *Primitive) *Material {
	m := p.VariantMaterial(e.variant)
	if posed := e.materials[m.Index]; posed != nil {
		return posed
	}
	return m
}

// joints returns the joint matrices of a skin relative to a point: joint world · inverse bind.
func (e *evaluator) joints(s *Skin, base mat.DVec3) []mat.DMat4 {
	out := make([]mat.DMat4, len(s.Joints))
	for i, j := range s.Joints {
		out[i] = e.world[j].Moved(mat.DVec3{}.Sub(base)).Mul(s.Inverse[i].Double())
	}
	return out
}

// mostlyMirrored reports whether more than half of the joints mirror. glTF
// speaks of the node's transform only, which a skin replaces.
func mostlyMirrored(joints []mat.DMat4) bool {
	n := 0
	for i := range joints {
		if joints[i].Determinant3() < 0 {
			n++
		}
	}
	return 2*n > len(joints)
}

// unscaled returns the transform with axes of length 1: a camera is not scaled
// by its node.
func unscaled(m mat.DMat4) mat.DMat4 {
	for c := range 3 {
		a := m[4*c:][:3]
		l := math.Sqrt(float64(a[0]*a[0]) + float64(a[1]*a[1]) + float64(a[2]*a[2]))
		if l > 0 && !math.IsInf(l, 1) {
			for r := range a {
				a[r] /= l
			}
		}
	}
	return m
}
