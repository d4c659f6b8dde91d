package gltf

import (
	"fmt"
	"math"

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
			return l.fail(at, nil, "nodes[%d] has a parent already, nodes[%d]", child, p)
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
	if n.Skin, err = l.index(place+".skin", raw.Skin, len(l.doc.Skins), "skins"); err != nil {
		return err
	}
	if n.Camera, err = l.index(place+".camera", raw.Camera, len(l.doc.Cameras), "cameras"); err != nil {
		return err
	}
	n.Light = None
	var light struct{ Light *integer }
	found, err := l.extension(raw.Extensions, "KHR_lights_punctual", place, &light)
	if err != nil {
		return err
	}
	if found {
		if n.Light, err = l.required(place+".extensions.KHR_lights_punctual.light", light.Light, len(l.doc.Lights), "lights"); err != nil {
			return err
		}
	}
	if raw.Weights != nil {
		if n.Mesh == None {
			return l.fail(place+".weights", nil, "needs a mesh")
		}
		if have, want := len(raw.Weights), len(l.doc.Meshes[n.Mesh].Weights); have != want {
			return l.fail(place+".weights", nil, "has %d numbers, the mesh has %d morph targets", have, want)
		}
		n.Weights = raw.Weights
	}
	if n.Skin != None && n.Mesh == None {
		l.warn(place+".skin", "has no mesh to move and was ignored")
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
			return l.fail(place+".matrix", nil, "excludes translation, rotation and scale")
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
		return l.fail(place+".rotation", nil, "has length 0")
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
		if math.Abs(x) > math.MaxFloat32 {
			return l.fail(fmt.Sprintf("%s[%d]", place, i), nil, "%v is beyond ±%v", x, float32(math.MaxFloat32))
		}
	}
	copy(out, v)
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
		place := fmt.Sprintf("scenes[%d]", i)
		s := Scene{Name: raws[i].Name}
		seen := map[int]bool{}
		for k, v := range raws[i].Nodes {
			at := fmt.Sprintf("%s.nodes[%d]", place, k)
			n, err := l.inRange(at, v, len(l.doc.Nodes), "nodes")
			if err != nil {
				return err
			}
			if p := l.doc.Nodes[n].Parent; p != None {
				return l.fail(at, nil, "nodes[%d] is not a root, its parent is nodes[%d]", n, p)
			}
			if seen[n] {
				return l.fail(at, nil, "nodes[%d] is listed twice", n)
			}
			seen[n] = true
			s.Nodes = append(s.Nodes, n)
		}
		l.doc.Scenes = append(l.doc.Scenes, s)
	}
	if raw, ok := l.top["scene"]; ok {
		var n *integer
		if err := l.value(raw, "scene", &n); err != nil {
			return err
		}
		if l.doc.DefaultScene, err = l.index("scene", n, len(raws), "scenes"); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) loadSkins() error {
	raws, err := topList[rawSkin](l, "skins")
	if err != nil {
		return err
	}
	// Skins and nodes name each other; the count is enough here.
	nodes, err := l.countOf("nodes")
	if err != nil {
		return err
	}
	for i := range raws {
		place := fmt.Sprintf("skins[%d]", i)
		raw := &raws[i]
		s := Skin{Name: raw.Name}
		if len(raw.Joints) == 0 {
			return l.fail(place+".joints", nil, "is missing or empty")
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
		if s.Skeleton, err = l.index(place+".skeleton", raw.Skeleton, nodes, "nodes"); err != nil {
			return err
		}
		at := place + ".inverseBindMatrices"
		ibm, err := l.index(at, raw.InverseBindMatrices, l.files, "accessors")
		if err != nil {
			return err
		}
		s.Inverse = make([]mat.Mat4, len(s.Joints))
		for k := range s.Inverse {
			s.Inverse[k] = mat.Identity4()
		}
		if ibm != None {
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
		}
		l.doc.Skins = append(l.doc.Skins, s)
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

func (l *loader) camera(raw *rawCamera, place string) (*Camera, error) {
	c := &Camera{Name: raw.Name}
	// number checks a member that must be positive; minimum -1 means it may be 0.
	number := func(at string, v *float32, optional, zero bool, out *float32) error {
		switch {
		case v == nil && optional:
			return nil
		case v == nil:
			return l.fail(at, nil, "is missing")
		case *v < 0 || *v == 0 && !zero:
			return l.fail(at, nil, "%v must be greater than 0", *v)
		}
		*out = *v
		return nil
	}
	switch raw.Type {
	case "perspective":
		p, at := raw.Perspective, place+".perspective"
		if p == nil {
			return nil, l.fail(at, nil, "is missing")
		}
		if err := number(at+".yfov", p.YFov, false, false, &c.YFov); err != nil {
			return nil, err
		}
		if c.YFov >= math.Pi {
			return nil, l.fail(at+".yfov", nil, "%v must be less than π", c.YFov)
		}
		if err := number(at+".aspectRatio", p.AspectRatio, true, false, &c.AspectRatio); err != nil {
			return nil, err
		}
		if err := number(at+".znear", p.ZNear, false, false, &c.ZNear); err != nil {
			return nil, err
		}
		if err := number(at+".zfar", p.ZFar, true, false, &c.ZFar); err != nil {
			return nil, err
		}
		if c.ZFar != 0 && c.ZFar <= c.ZNear {
			return nil, l.fail(at+".zfar", nil, "%v must be greater than znear, %v", c.ZFar, c.ZNear)
		}
	case "orthographic":
		o, at := raw.Orthographic, place+".orthographic"
		c.Orthographic = true
		if o == nil {
			return nil, l.fail(at, nil, "is missing")
		}
		for _, m := range []struct {
			key string
			v   *float32
			out *float32
		}{{".xmag", o.XMag, &c.XMag}, {".ymag", o.YMag, &c.YMag}} {
			// Negative magnitudes mirror; the specification discourages but allows them.
			if m.v == nil {
				return nil, l.fail(at+m.key, nil, "is missing")
			}
			if *m.v == 0 {
				return nil, l.fail(at+m.key, nil, "must not be 0")
			}
			*m.out = *m.v
		}
		if err := number(at+".znear", o.ZNear, false, true, &c.ZNear); err != nil {
			return nil, err
		}
		if err := number(at+".zfar", o.ZFar, false, false, &c.ZFar); err != nil {
			return nil, err
		}
		if c.ZFar <= c.ZNear {
			return nil, l.fail(at+".zfar", nil, "%v must be greater than znear, %v", c.ZFar, c.ZNear)
		}
	default:
		return nil, l.fail(place+".type", nil, "%s is not perspective or orthographic", quoted(raw.Type))
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
	if err := l.vector(place+".color", raw.Color, light.Color[:]); err != nil {
		return nil, err
	}
	if raw.Intensity != nil {
		light.Intensity = *raw.Intensity
	}
	if light.Intensity < 0 {
		return nil, l.fail(place+".intensity", nil, "%v is negative", light.Intensity)
	}
	if raw.Range != nil {
		if !(*raw.Range > 0) {
			return nil, l.fail(place+".range", nil, "%v must be greater than 0", *raw.Range)
		}
		light.Range = *raw.Range
	}
	switch raw.Type {
	case "directional":
		light.Type = LightDirectional
	case "point":
		light.Type = LightPoint
	case "spot":
		light.Type = LightSpot
		light.OuterConeAngle = math.Pi / 4
		if raw.Spot == nil {
			return nil, l.fail(place+".spot", nil, "is missing")
		}
		if v := raw.Spot.InnerConeAngle; v != nil {
			light.InnerConeAngle = *v
		}
		if v := raw.Spot.OuterConeAngle; v != nil {
			light.OuterConeAngle = *v
		}
		if !(light.InnerConeAngle >= 0 && light.InnerConeAngle < light.OuterConeAngle && light.OuterConeAngle <= math.Pi/2) {
			return nil, l.fail(place+".spot", nil, "cone angles %v and %v must satisfy 0 ≤ inner < outer ≤ π/2",
				light.InnerConeAngle, light.OuterConeAngle)
		}
	default:
		return nil, l.fail(place+".type", nil, "%s is not directional, point or spot", quoted(raw.Type))
	}
	return light, nil
}
