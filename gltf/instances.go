package gltf

import "github.com/pumice-gpu/pumice/gltf/mat"

// What EXT_mesh_gpu_instancing takes for each attribute; files that are compressed have
// quantised translations and scales too.
var instanceAttributes = []struct {
	name string
	use  accept
}{
	{"TRANSLATION", accept{types: typeVec3, floats: true, normalized: true, integers: true}},
	{"ROTATION", accept{types: typeVec4, floats: true, normalized: true, loosely: true}},
	{"SCALE", accept{types: typeVec3, floats: true, normalized: true, integers: true}},
}

// instances reads a node's EXT_mesh_gpu_instancing.
func (l *loader) instances(raw *rawNode, n *Node, place string) error {
	const name = "EXT_mesh_gpu_instancing"
	var body struct{ Attributes map[string]integer }
	if found, err := l.extension(raw.Extensions, name, place, &body); err != nil || !found || n.Mesh == None {
		return err
	}
	place += ".extensions." + name + ".attributes"
	count := None
	var columns [3][][4]float32
	for k, a := range instanceAttributes {
		v, ok := body.Attributes[a.name]
		if !ok {
			continue
		}
		at := place + "." + a.name
		i, err := l.accessorAt(at, &v)
		if err != nil {
			return err
		}
		if have := l.accessors[i].count; count == None {
			count = have
		} else if have != count {
			return l.fail(at, nil, "accessors[%d] has %d elements, must have %d", i, have, count)
		}
		if columns[k], err = vectors[[4]float32](l, i, at, a.use); err != nil {
			return err
		}
	}
	if count == None {
		// Attributes of the application alone: they still say how many there are.
		for _, key := range sortedKeys(body.Attributes) {
			v := body.Attributes[key]
			i, err := l.accessorAt(place+"."+key, &v)
			if err != nil {
				return err
			}
			count = l.accessors[i].count
		}
	}
	if count == None {
		return nil // no attributes, no instancing
	}
	if n.Skin != None {
		l.lose(place, "the mesh has a skin: its instances are not drawn apart")
		return nil
	}
	if err := l.take(int64(count), sizeOf[mat.Mat4]()); err != nil {
		return l.fail(place, err, "%d instances", count)
	}
	n.Instances = make([]mat.Mat4, count)
	for i := range n.Instances {
		translation, rotation, scale := mat.DVec3{}, mat.Identity(), mat.DVec3{1, 1, 1}
		if c := columns[0]; c != nil {
			translation = mat.Vec3(c[i][:3]).Double()
		}
		if c := columns[1]; c != nil {
			if q, ok := mat.Quat(c[i]).Normalize(); ok {
				rotation = q
			}
		}
		if c := columns[2]; c != nil {
			scale = mat.Vec3(c[i][:3]).Double()
		}
		n.Instances[i] = mat.FromTRS(translation, rotation, scale).Single()
	}
	return nil
}
