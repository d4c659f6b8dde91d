package gltf

import (
	"fmt"
	"math"
	"slices"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// loadNodes resolves the hierarchy. Every node has at most one parent and no
// node is its own ancestor; there is no limit on depth.
func (l *loader) loadNodes() error {
	raws, err := topList[rawNode](l, "nodes")
	if err != nil {
		return err
	}
	if err := l.take(int64(len(raws)), sizeOf[Node]()); err != nil {
		return l.fail("nodes", err, "")
	}
	l.doc.Nodes = make([]Node, len(raws))
	for i := range l.doc.Nodes {
		l.doc.Nodes[i].Parent = None
	}
	for i := range raws {
		if err := l.node(&raws[i], i); err != nil {
			return err
		}
	}
	for _, err := range slices.Concat(l.wrongMeshes, l.wrongSkins) {
		if err != nil {
			l.lose("", "%s: no node has it", here(err))
		}
	}
	return l.orderNodes()
}

func (l *loader) node(raw *rawNode, i int) error {
	place := fmt.Sprintf("nodes[%d]", i)
	n := &l.doc.Nodes[i]
	n.Name = raw.Name
	for k, c := range raw.Children {
		at := fmt.Sprintf("%s.children[%d]", place, k)
		child, err := l.inRange(at, c, len(l.doc.Nodes), "nodes")
		if err != nil {
			return err
		}
		if p := l.doc.Nodes[child].Parent; p != None {
			l.lose(at, "nodes[%d] has a parent already, nodes[%d], and is drawn there alone", child, p)
			continue
		}
		l.doc.Nodes[child].Parent = i
		n.Children = append(n.Children, child)
	}
	if err := l.transform(raw, n, place); err != nil {
		return err
	}
	var err error
	if n.Mesh, err = l.index(place+".mesh", raw.Mesh, len(l.doc.Meshes), "meshes"); err != nil {
		return err
	}
	if n.Mesh != None && l.wrongMeshes[n.Mesh] != nil {
		return l.wrongMeshes[n.Mesh]
	}
	if n.Skin, err = l.index(place+".skin", raw.Skin, len(l.doc.Skins), "skins"); err != nil {
		return err
	}
	if n.Skin != None && n.Mesh != None && l.wrongSkins[n.Skin] != nil {
		return l.wrongSkins[n.Skin]
	}
	n.Camera = l.lostIndex(place+".camera", raw.Camera, len(l.doc.Cameras), "cameras")
	n.Light = None
	var light struct{ Light *integer }
	found, err := l.extension(raw.Extensions, "KHR_lights_punctual", place, &light)
	if err != nil {
		return err
	}
	if found {
		n.Light = l.lostIndex(place+".extensions.KHR_lights_punctual.light", light.Light, len(l.doc.Lights), "lights")
	}
	if raw.Weights != nil {
		if n.Mesh == None {
			l.lose(place+".weights", "has no mesh and was ignored")
		} else if targets := len(l.doc.Meshes[n.Mesh].Weights); len(raw.Weights) == targets {
			n.Weights = raw.Weights
		} else {
			if err := l.take(int64(targets), 4); err != nil {
				return l.fail(place+".weights", err, "")
			}
			n.Weights = make([]float32, targets)
			l.nearVector(place+".weights", raw.Weights, n.Weights)
		}
	}
	if n.Skin != None && n.Mesh == None {
		l.lose(place+".skin", "has no mesh to move and was ignored")
		n.Skin = None
	}
	visibility := struct{ Visible bool }{true}
	if _, err := l.extension(raw.Extensions, "KHR_node_visibility", place, &visibility); err != nil {
		return err
	}
	n.Hidden = !visibility.Visible
	return l.instances(raw, n, place)
}

func (l *loader) transform(raw *rawNode, n *Node, place string) error {
	n.Matrix, n.Rotation, n.Scale = mat.DIdentity4(), mat.Identity(), mat.DVec3{1, 1, 1}
	if raw.Matrix != nil {
		if raw.Translation != nil || raw.Rotation != nil || raw.Scale != nil {
			l.lose(place+".matrix", "excludes translation, rotation and scale, which were ignored")
		}
		n.HasMatrix = true
		return l.places(place+".matrix", raw.Matrix, n.Matrix[:])
	}
	if err := l.places(place+".translation", raw.Translation, n.Translation[:]); err != nil {
		return err
	}
	if err := l.vector(place+".rotation", raw.Rotation, n.Rotation[:]); err != nil {
		return err
	}
	var ok bool
	if n.Rotation, ok = n.Rotation.Normalize(); !ok {
		l.lose(place+".rotation", "has length 0: nothing is turned")
		n.Rotation = mat.Identity()
	}
	return l.places(place+".scale", raw.Scale, n.Scale[:])
}

// places is vector for what says where things are: places far from the origin need binary64, in
// which JSON has them. What lies beyond binary32 is refused, as it is of all other numbers.
func (l *loader) places(place string, v []float64, out []float64) error {
	if v == nil {
		return nil
	}
	if len(v) != len(out) {
		return l.fail(place, nil, "has %d numbers, must have %d", len(v), len(out))
	}
	for i, x := range v {
		if out[i] = x; math.Abs(x) > math.MaxFloat32 {
			out[i] = math.Copysign(math.MaxFloat32, x)
			l.lose(place, "%v is out of range: the largest number stands for it", x)
		}
	}
	return nil
}

// orderNodes lists parents before children. As every node has at most one
// parent, a node that no root reaches is on, or below, a cycle.
func (l *loader) orderNodes() error {
	nodes := l.doc.Nodes
	order := make([]int, 0, len(nodes))
	for i := range nodes {
		if nodes[i].Parent == None {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		order = append(order, nodes[order[k]].Children...)
	}
	l.doc.order = order
	if len(order) == len(nodes) {
		return nil
	}
	reached := make([]bool, len(nodes))
	for _, i := range order {
		reached[i] = true
	}
	for i := range nodes {
		if reached[i] {
			continue
		}
		// Walking up from here must end in the cycle; len(nodes) steps get there.
		on := i
		for range nodes {
			on = nodes[on].Parent
		}
		// Name the cycle by its lowest node.
		first := on
		for n := nodes[on].Parent; n != on; n = nodes[n].Parent {
			first = min(first, n)
		}
		return l.fail(fmt.Sprintf("nodes[%d]", first), nil, "is its own ancestor")
	}
	return nil
}

func (l *loader) loadScenes() error {
	raws, err := topList[rawScene](l, "scenes")
	if err != nil {
		return err
	}
	for i := range raws {
		s, err := l.scene(&raws[i], fmt.Sprintf("scenes[%d]", i))
		if err != nil {
			return err
		}
		l.doc.Scenes = append(l.doc.Scenes, *s)
	}
	if raw, ok := l.top["scene"]; ok {
		var n *integer
		if err := l.value(raw, "scene", &n); err != nil {
			return err
		}
		l.doc.DefaultScene = l.lostIndex("scene", n, len(raws), "scenes")
	}
	return nil
}

// scene resolves a scene's nodes. One that has a parent is drawn by it where the scene has that, too,
// and else stands on its own, with the parent's transform.
func (l *loader) scene(raw *rawScene, place string) (*Scene, error) {
	s := &Scene{Name: raw.Name}
	listed := map[int]bool{}
	children := false
	for k, v := range raw.Nodes {
		at := fmt.Sprintf("%s.nodes[%d]", place, k)
		n, err := l.inRange(at, v, len(l.doc.Nodes), "nodes")
		if err != nil {
			return nil, err
		}
		if listed[n] {
			l.lose(at, "nodes[%d] is listed twice, and drawn once", n)
			continue
		}
		if p := l.doc.Nodes[n].Parent; p != None {
			children = true
			l.lose(at, "nodes[%d] is not a root, its parent is nodes[%d]: it is drawn once, in its place there", n, p)
		}
		listed[n] = true
		s.Nodes = append(s.Nodes, n)
	}
	if children {
		s.Nodes = l.outermost(s.Nodes)
	}
	return s, nil
}

// outermost returns those of the nodes, in their order, that are below no other of them.
func (l *loader) outermost(nodes []int) []int {
	if l.spans == nil {
		l.spans = l.doc.spans()
	}
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, func(a, b int) int { return l.spans[a].begin - l.spans[b].begin })
	keep := map[int]bool{}
	end := 0
	for _, n := range sorted {
		if l.spans[n].begin >= end {
			keep[n], end = true, l.spans[n].end
		}
	}
	return slices.DeleteFunc(nodes, func(n int) bool { return !keep[n] })
}

// span is where a node and all below it are in a walk through the hierarchy, depth first.
type span struct{ begin, end int }

// spans returns the nodes' spans.
func (d *Document) spans() []span {
	spans := make([]span, len(d.Nodes))
	for k := len(d.order) - 1; k >= 0; k-- { // children before parents: end is how many there are
		n := d.order[k]
		spans[n].end++
		if p := d.Nodes[n].Parent; p != None {
			spans[p].end += spans[n].end
		}
	}
	next := 0
	for _, n := range d.order { // parents before children
		count := spans[n].end
		if d.Nodes[n].Parent == None {
			spans[n].begin, next = next, next+count
		}
		spans[n].end = spans[n].begin + count
		at := spans[n].begin + 1
		for _, c := range d.Nodes[n].Children {
			spans[c].begin, at = at, at+spans[c].end
		}
	}
	return spans
}

// loadSkins resolves skins. One that is wrong is an error of the nodes that have it.
func (l *loader) loadSkins() error {
	raws, wrong, err := looseList[rawSkin](l, "skins")
	if err != nil {
		return err
	}
	// Skins and nodes name each other; the count is enough here.
	nodes, err := l.countOf("nodes")
	if err != nil {
		return err
	}
	l.wrongSkins = wrong
	for i := range raws {
		s := Skin{Name: raws[i].Name, Skeleton: None}
		if wrong[i] == nil {
			wrong[i] = l.skin(&raws[i], &s, fmt.Sprintf("skins[%d]", i), nodes)
		}
		if err := wrong[i]; err != nil {
			if l.fatal(err) {
				return err
			}
			s = Skin{Name: raws[i].Name, Skeleton: None}
		}
		l.doc.Skins = append(l.doc.Skins, s)
	}
	return nil
}

func (l *loader) skin(raw *rawSkin, s *Skin, place string, nodes int) error {
	if len(raw.Joints) == 0 {
		l.lose(place+".joints", "is missing or empty: the skin moves nothing")
		return nil
	}
	if err := l.take(int64(len(raw.Joints)), 8+sizeOf[mat.Mat4]()); err != nil {
		return l.fail(place, err, "")
	}
	for k, j := range raw.Joints {
		n, err := l.inRange(fmt.Sprintf("%s.joints[%d]", place, k), j, nodes, "nodes")
		if err != nil {
			return err
		}
		s.Joints = append(s.Joints, n)
	}
	s.Skeleton = l.lostIndex(place+".skeleton", raw.Skeleton, nodes, "nodes")
	s.Inverse = make([]mat.Mat4, len(s.Joints))
	for k := range s.Inverse {
		s.Inverse[k] = mat.Identity4()
	}
	if raw.InverseBindMatrices == nil {
		return nil
	}
	at := place + ".inverseBindMatrices"
	ibm, err := l.accessorAt(at, raw.InverseBindMatrices)
	if err != nil {
		return err
	}
	if n := l.accessors[ibm].count; n < len(s.Joints) {
		return l.fail(at, nil, "accessors[%d] has %d matrices for %d joints", ibm, n, len(s.Joints))
	}
	m, err := vectors[[16]float32](l, l.cut(ibm, len(s.Joints)), at, accept{types: typeMat4, floats: true})
	if err != nil {
		return err
	}
	for k := range s.Inverse {
		s.Inverse[k] = m[k]
	}
	return nil
}

// bindSkins checks that no vertex names a joint that its skin lacks.
func (l *loader) bindSkins() error {
	for i := range l.doc.Nodes {
		n := &l.doc.Nodes[i]
		if n.Skin == None {
			continue
		}
		joints := len(l.doc.Skins[n.Skin].Joints)
		if joints == 0 {
			n.Skin = None
			continue
		}
		for k, p := range l.doc.Meshes[n.Mesh].Primitives {
			if p.maxJoint >= joints {
				return l.fail(fmt.Sprintf("nodes[%d].skin", i), nil,
					"meshes[%d].primitives[%d] uses joint %d, skins[%d] has %d joints", n.Mesh, k, p.maxJoint, n.Skin, joints)
			}
		}
	}
	return nil
}

func (l *loader) loadCameras() error {
	raws, err := topList[rawCamera](l, "cameras")
	if err != nil {
		return err
	}
	for i := range raws {
		c, err := l.camera(&raws[i], fmt.Sprintf("cameras[%d]", i))
		if err != nil {
			return err
		}
		l.doc.Cameras = append(l.doc.Cameras, *c)
	}
	return nil
}

// camera resolves a camera. What it lacks, and what no camera can have, is replaced: nothing is lost
// unless the picture is taken with it.
func (l *loader) camera(raw *rawCamera, place string) (*Camera, error) {
	c := &Camera{Name: raw.Name}
	switch {
	case raw.Type == "perspective":
	case raw.Type == "orthographic":
		c.Orthographic = true
	default:
		c.Orthographic = raw.Perspective == nil && raw.Orthographic != nil
		kind := "perspective"
		if c.Orthographic {
			kind = "orthographic"
		}
		l.lose(place+".type", "%s is not perspective or orthographic: it was taken for %s", quoted(raw.Type), kind)
	}
	// number reads a member that must be greater than 0; a missing one is instead.
	number := func(at string, v *float32, instead float32, optional, zero bool, out *float32) {
		switch *out = instead; {
		case v == nil && optional:
		case v == nil:
			l.lose(at, "is missing: %v stands for it", instead)
		case *v < 0 || *v == 0 && !zero:
			l.lose(at, "%v must be greater than 0: %v stands for it", *v, instead)
		default:
			*out = *v
		}
	}
	const yfov, znear = math.Pi / 4, 1e-3
	if !c.Orthographic {
		at := place + ".perspective"
		p := raw.Perspective
		if p == nil {
			p = new(rawPerspective)
		}
		number(at+".yfov", p.YFov, yfov, false, false, &c.YFov)
		if c.YFov >= math.Pi {
			l.lose(at+".yfov", "%v must be less than π: %v stands for it", c.YFov, float32(yfov))
			c.YFov = yfov
		}
		number(at+".aspectRatio", p.AspectRatio, 0, true, false, &c.AspectRatio)
		number(at+".znear", p.ZNear, znear, false, false, &c.ZNear)
		number(at+".zfar", p.ZFar, 0, true, false, &c.ZFar)
		if c.ZFar != 0 && c.ZFar <= c.ZNear {
			l.lose(at+".zfar", "%v must be greater than znear, %v: it was taken for infinite", c.ZFar, c.ZNear)
			c.ZFar = 0
		}
		return c, nil
	}
	o, at := raw.Orthographic, place+".orthographic"
	if o == nil {
		o = new(rawOrthographic)
	}
	// Negative magnitudes mirror; the specification discourages but allows them.
	for _, m := range []struct {
		key      string
		v, other *float32
		out      *float32
	}{{".xmag", o.XMag, o.YMag, &c.XMag}, {".ymag", o.YMag, o.XMag, &c.YMag}} {
		switch {
		case m.v != nil && *m.v != 0:
			*m.out = *m.v
			continue
		case m.other != nil && *m.other != 0:
			*m.out = *m.other
		default:
			*m.out = 1
		}
		l.lose(at+m.key, "is missing or 0: %v stands for it", *m.out)
	}
	number(at+".znear", o.ZNear, 0, false, true, &c.ZNear)
	number(at+".zfar", o.ZFar, c.ZNear+100, false, false, &c.ZFar)
	if c.ZFar <= c.ZNear {
		instead := max(2*c.ZNear, c.ZNear+100)
		if !(instead > c.ZNear && instead <= math.MaxFloat32) { // nothing is beyond znear
			c.ZNear, instead = 0, math.MaxFloat32
		}
		l.lose(at+".zfar", "%v must be greater than znear, %v: %v stands for it", c.ZFar, c.ZNear, instead)
		c.ZFar = instead
	}
	return c, nil
}

// loadLights reads KHR_lights_punctual's lights.
func (l *loader) loadLights() error {
	const place = "extensions.KHR_lights_punctual.lights"
	var body lightList
	if found, err := l.extension(l.root, "KHR_lights_punctual", "", &body); err != nil || !found {
		return err
	}
	raws, err := parseList[rawLight](l, body.Lights, place)
	if err != nil {
		return err
	}
	for i := range raws {
		light, err := l.light(&raws[i], fmt.Sprintf("%s[%d]", place, i))
		if err != nil {
			return err
		}
		l.doc.Lights = append(l.doc.Lights, *light)
	}
	return nil
}

func (l *loader) light(raw *rawLight, place string) (*Light, error) {
	light := &Light{Name: raw.Name, Color: [3]float32{1, 1, 1}, Intensity: 1}
	l.nearVector(place+".color", raw.Color, light.Color[:])
	if raw.Intensity != nil {
		if light.Intensity = *raw.Intensity; light.Intensity < 0 {
			l.lose(place+".intensity", "%v is negative: 0 stands for it", light.Intensity)
			light.Intensity = 0
		}
	}
	if raw.Range != nil {
		if light.Range = *raw.Range; !(light.Range > 0) {
			l.lose(place+".range", "%v must be greater than 0: the light is endless", light.Range)
			light.Range = 0
		}
	}
	switch raw.Type {
	case "directional":
		light.Type = LightDirectional
	case "point":
		light.Type = LightPoint
	case "spot":
		l.spot(raw, light, place+".spot")
	default:
		l.lose(place+".type", "%s is not directional, point or spot: the light does not shine", quoted(raw.Type))
		light.Type, light.Intensity = LightPoint, 0
	}
	return light, nil
}

// spot reads a spot's cone; angles that no cone has are brought to some that one has.
func (l *loader) spot(raw *rawLight, light *Light, place string) {
	light.Type, light.OuterConeAngle = LightSpot, math.Pi/4
	if raw.Spot == nil {
		l.lose(place, "is missing: the default angles stand for it")
		return
	}
	if v := raw.Spot.InnerConeAngle; v != nil {
		light.InnerConeAngle = *v
	}
	if v := raw.Spot.OuterConeAngle; v != nil {
		light.OuterConeAngle = *v
	}
	inner, outer := light.InnerConeAngle, light.OuterConeAngle
	if inner >= 0 && inner < outer && outer <= math.Pi/2 {
		return
	}
	if light.OuterConeAngle = min(outer, math.Pi/2); !(outer > 0) {
		light.OuterConeAngle = math.Pi / 4
	}
	// An edge without fall-off is what is meant where they are equal.
	light.InnerConeAngle = within(inner, 0, math.Nextafter32(light.OuterConeAngle, 0))
	l.lose(place, "cone angles %v and %v must satisfy 0 ≤ inner < outer ≤ π/2: %v and %v stand for them",
		inner, outer, light.InnerConeAngle, light.OuterConeAngle)
}
