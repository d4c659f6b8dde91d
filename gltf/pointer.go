package gltf

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// KHR_animation_pointer: a channel's target is a JSON pointer into the document. The
// pointers to nodes' transforms and weights are channels as core glTF has them; the
// others are set on copies that a pose makes of materials, cameras and lights.

// property is what a pointer leads to.
type property struct {
	width int
	array bool // of numbers one by one, not a vector
	// weights is how many morph weights are copied to set the property.
	weights int
	set     func(e *evaluator, v []float32)
}

// pointerChannel resolves a pointer into c; false where it leads to nothing known.
func (l *loader) pointerChannel(c *Channel, pointer string) bool {
	c.Node, c.Pointer = None, pointer
	if !strings.HasPrefix(pointer, "/") {
		return false
	}
	parts := strings.Split(pointer[1:], "/")
	if parts[0] == "extensions" && len(parts) > 4 && parts[1] == "KHR_lights_punctual" && parts[2] == "lights" {
		parts = parts[2:]
	}
	if len(parts) < 3 {
		return false
	}
	kind, rest := parts[0], strings.Join(parts[2:], "/")
	count := map[string]int{
		"nodes": len(l.doc.Nodes), "meshes": len(l.doc.Meshes), "materials": len(l.doc.Materials),
		"cameras": len(l.doc.Cameras), "lights": len(l.doc.Lights),
	}[kind]
	index, ok := pointerIndex(parts[1], count)
	if !ok {
		return false
	}
	var p property
	switch kind {
	case "nodes":
		return l.nodeProperty(c, index, rest)
	case "meshes":
		p, ok = l.weightsProperty(index, rest)
	case "materials":
		p, ok = materialProperty(l.doc.Materials[index], index, rest)
	case "cameras":
		p, ok = cameraProperty(&l.doc.Cameras[index], index, rest)
	case "lights":
		p, ok = lightProperty(&l.doc.Lights[index], index, rest)
	}
	c.Path, c.Width, c.property = PathPointer, p.width, p
	return ok
}

// pointerIndex reads an index below count; it has one spelling only.
func pointerIndex(s string, count int) (int, bool) {
	if len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	i, err := strconv.ParseUint(s, 10, 31)
	return int(i), err == nil && int(i) < count
}

// nodeProperty resolves a node's.
func (l *loader) nodeProperty(c *Channel, index int, rest string) bool {
	n := &l.doc.Nodes[index]
	c.Node = index
	switch rest {
	case "translation":
		c.Path, c.Width = PathTranslation, 3
	case "rotation":
		c.Path, c.Width = PathRotation, 4
	case "scale":
		c.Path, c.Width = PathScale, 3
	case "extensions/KHR_node_visibility/visible":
		c.Path, c.Width = PathVisibility, 1
		return true
	default:
		if n.Mesh == None {
			return false
		}
		targets := len(l.doc.Meshes[n.Mesh].Weights)
		if rest == "weights" {
			c.Path, c.Width = PathWeights, targets
			return targets > 0
		}
		element, found := strings.CutPrefix(rest, "weights/")
		k, ok := pointerIndex(element, targets)
		c.Path, c.Width = PathPointer, 1
		c.property = property{width: 1, weights: targets, set: func(e *evaluator, v []float32) {
			w := slices.Clone(e.state[index].weights)
			w[k] = v[0]
			e.state[index].weights = w
		}}
		return found && ok
	}
	return !n.HasMatrix
}

// weightsProperty resolves a mesh's weights, which are those of the nodes that have none
// of their own.
func (l *loader) weightsProperty(mesh int, rest string) (property, bool) {
	targets := len(l.doc.Meshes[mesh].Weights)
	first, width := 0, targets
	if element, found := strings.CutPrefix(rest, "weights/"); found {
		k, ok := pointerIndex(element, targets)
		if !ok {
			return property{}, false
		}
		first, width = k, 1
	} else if rest != "weights" {
		return property{}, false
	}
	return property{width: width, array: true, weights: targets, set: func(e *evaluator, v []float32) {
		var w []float32
		for i := range e.doc.Nodes {
			n := &e.doc.Nodes[i]
			if n.Mesh != mesh || n.Weights != nil {
				continue
			}
			if w == nil {
				w = slices.Clone(e.state[i].weights)
				copy(w[first:], v)
			}
			e.state[i].weights = w
		}
	}}, targets > 0
}

// numbers are a property's: where they are, and what they may be.
type numbers struct {
	least float32
	most  float32 // 0: none
	any   bool    // may be negative
	at    []*float32
}

// layerPrefix begins the pointers to what materials' extensions have.
const layerPrefix = "extensions/KHR_materials_"

// materialNumbers finds a factor of a material by the rest of its pointer.
func materialNumbers(m *Material, rest string) (n numbers, ok bool) {
	c, e := &m.BaseColorFactor, &m.EmissiveFactor
	switch rest {
	case "alphaCutoff":
		n = numbers{at: []*float32{&m.AlphaCutoff}}
	case "emissiveFactor":
		n = numbers{most: 1, at: []*float32{&e[0], &e[1], &e[2]}}
	case "normalTexture/scale":
		n = numbers{any: true, at: []*float32{&m.NormalScale}}
	case "occlusionTexture/strength":
		n = numbers{most: 1, at: []*float32{&m.OcclusionStrength}}
	case "pbrMetallicRoughness/baseColorFactor":
		n = numbers{most: 1, at: []*float32{&c[0], &c[1], &c[2], &c[3]}}
	case "pbrMetallicRoughness/metallicFactor":
		n = numbers{most: 1, at: []*float32{&m.MetallicFactor}}
	case "pbrMetallicRoughness/roughnessFactor":
		n = numbers{most: 1, at: []*float32{&m.RoughnessFactor}}
	default:
		if n, ok = transformNumbers(m, rest); ok {
			return n, ok
		}
		if layer, found := strings.CutPrefix(rest, layerPrefix); found {
			return layerNumbers(m, layer)
		}
		return n, false
	}
	return n, true
}

// textureRefs finds a material's use of a texture by its pointer.
func textureRefs(m *Material, path string) **TextureRef {
	switch path {
	case "pbrMetallicRoughness/baseColorTexture":
		return &m.BaseColorTexture
	case "pbrMetallicRoughness/metallicRoughnessTexture":
		return &m.MetallicRoughnessTexture
	case "normalTexture":
		return &m.NormalTexture
	case "occlusionTexture":
		return &m.OcclusionTexture
	case "emissiveTexture":
		return &m.EmissiveTexture
	}
	if layer, found := strings.CutPrefix(path, layerPrefix); found {
		return layerTextures(m, layer)
	}
	return nil
}

// transformNumbers finds a number of KHR_texture_transform. The reference becomes the
// material's own: others may share it.
func transformNumbers(m *Material, rest string) (n numbers, ok bool) {
	path, name, found := strings.Cut(rest, "/extensions/KHR_texture_transform/")
	if !found {
		return n, false
	}
	slot := textureRefs(m, path)
	if slot == nil || *slot == nil {
		return n, false
	}
	r := split(slot)
	r.HasTransform = true
	switch name {
	case "offset":
		n = numbers{any: true, at: []*float32{&r.Offset[0], &r.Offset[1]}}
	case "rotation":
		n = numbers{any: true, at: []*float32{&r.Rotation}}
	case "scale":
		n = numbers{any: true, at: []*float32{&r.Scale[0], &r.Scale[1]}}
	default:
		return n, false
	}
	return n, true
}

// put stores values, each brought into its range.
func (n numbers) put(v []float32) {
	for i, out := range n.at {
		x := v[i]
		if !n.any {
			x = max(x, n.least)
		}
		if n.most != 0 {
			x = min(x, n.most)
		}
		*out = x
	}
}

func materialProperty(m *Material, index int, rest string) (property, bool) {
	probe := *m
	n, ok := materialNumbers(&probe, rest)
	return property{width: len(n.at), set: func(e *evaluator, v []float32) {
		if n, ok := materialNumbers(own(&e.materials, index, e.doc.Materials[index]), rest); ok {
			n.put(v)
		}
	}}, ok
}

// own returns the pose's copy of element index, made from what the document has.
func own[T any](copies *map[int]*T, index int, original *T) *T {
	if c := (*copies)[index]; c != nil {
		return c
	}
	if *copies == nil {
		*copies = map[int]*T{}
	}
	c := new(T)
	*c = *original
	(*copies)[index] = c
	return c
}

// cameraNumber finds a number of a camera; nil where the file does not define it.
func cameraNumber(c *Camera, rest string) *float32 {
	kind, name, _ := strings.Cut(rest, "/")
	if kind == "orthographic" != c.Orthographic || kind != "perspective" && kind != "orthographic" {
		return nil
	}
	switch {
	case name == "znear":
		return &c.ZNear
	case name == "zfar" && c.ZFar != 0:
		return &c.ZFar
	case name == "xmag" && c.Orthographic:
		return &c.XMag
	case name == "ymag" && c.Orthographic:
		return &c.YMag
	case name == "yfov" && !c.Orthographic:
		return &c.YFov
	case name == "aspectRatio" && c.AspectRatio != 0:
		return &c.AspectRatio
	}
	return nil
}

// valid reports whether a camera can project.
func (c *Camera) valid() bool {
	if c.Orthographic {
		return c.XMag != 0 && c.YMag != 0 && c.ZNear >= 0 && c.ZFar > c.ZNear
	}
	return c.YFov > 0 && c.YFov < math.Pi && c.AspectRatio >= 0 && c.ZNear > 0 && (c.ZFar == 0 || c.ZFar > c.ZNear)
}

func cameraProperty(c *Camera, index int, rest string) (property, bool) {
	return property{width: 1, set: func(e *evaluator, v []float32) {
		if p := cameraNumber(own(&e.cameras, index, &e.doc.Cameras[index]), rest); p != nil {
			*p = v[0]
		}
	}}, cameraNumber(c, rest) != nil
}

// lightNumbers finds numbers of a light; none where the file does not define them.
func lightNumbers(l *Light, rest string) []*float32 {
	switch {
	case rest == "color":
		return []*float32{&l.Color[0], &l.Color[1], &l.Color[2]}
	case rest == "intensity":
		return []*float32{&l.Intensity}
	case rest == "range" && l.Range != 0:
		return []*float32{&l.Range}
	case rest == "spot/innerConeAngle" && l.Type == LightSpot:
		return []*float32{&l.InnerConeAngle}
	case rest == "spot/outerConeAngle" && l.Type == LightSpot:
		return []*float32{&l.OuterConeAngle}
	}
	return nil
}

// valid reports whether a light can shine.
func (l *Light) valid() bool {
	return l.Intensity >= 0 && l.Range >= 0 && (l.Type != LightSpot ||
		l.InnerConeAngle >= 0 && l.InnerConeAngle < l.OuterConeAngle && l.OuterConeAngle <= math.Pi/2)
}

func lightProperty(l *Light, index int, rest string) (property, bool) {
	at := lightNumbers(l, rest)
	return property{width: len(at), set: func(e *evaluator, v []float32) {
		for i, p := range lightNumbers(own(&e.lights, index, &e.doc.Lights[index]), rest) {
			*p = v[i]
		}
	}}, at != nil
}

// settle takes back what left a camera or a light impossible: it is then as at rest.
func (e *evaluator) settle() {
	for i, c := range e.cameras {
		if !c.valid() {
			delete(e.cameras, i)
		}
	}
	for i, l := range e.lights {
		if !l.valid() {
			delete(e.lights, i)
		}
	}
}
