package gltf

import (
	"fmt"

	"github.com/pumice-gpu/pumice/gltf/internal/draco"
)

// rawDraco is KHR_draco_mesh_compression's object of a primitive.
type rawDraco struct {
	BufferView *integer
	Attributes map[string]integer // by name the id in the stream
}

// dracoMesh is a decoded stream: accessors that stand for the primitive's own.
type dracoMesh struct {
	indices    int
	attributes map[string]int
}

// dracoTypes are Draco's names of component types.
var dracoTypes = map[componentType]draco.Type{
	compByte: draco.Int8, compUnsignedByte: draco.Uint8, compShort: draco.Int16,
	compUnsignedShort: draco.Uint16, compUnsignedInt: draco.Uint32, compFloat: draco.Float32,
}

// undraco decodes a primitive's Draco stream, nil where it has none. Accessors say of
// what type the attributes are; the stream says how many there are.
func (l *loader) undraco(raw *rawPrimitive, p *Primitive, place string) (*dracoMesh, error) {
	const name = "KHR_draco_mesh_compression"
	var body rawDraco
	if found, err := l.extension(raw.Extensions, name, place, &body); err != nil || !found {
		return nil, err
	}
	at := place + ".extensions." + name
	if p.Mode != Triangles && p.Mode != TriangleStrip {
		return nil, l.fail(place+".mode", nil, "%d cannot be compressed by Draco, only triangles can", p.Mode)
	}
	p.Mode = Triangles // Streams hold triangles, whatever they were made from.
	v, stream, err := l.viewData(at+".bufferView", body.BufferView)
	if err != nil {
		return nil, err
	}
	var names []string
	var want []draco.Attribute
	key := fmt.Sprint(v)
	for _, attribute := range sortedKeys(body.Attributes) {
		i, where, err := l.attribute(attributeSet{file: raw.Attributes}, attribute, place+".attributes")
		if err != nil {
			return nil, err
		}
		if i == None {
			return nil, l.fail(at+".attributes", nil, "%s is none of the primitive's attributes", quoted(attribute))
		}
		id, a := body.Attributes[attribute], &l.accessors[i]
		if id < 0 || id > maxElements {
			return nil, l.fail(at+".attributes."+attribute, nil, "%d is out of range", id)
		}
		if a.columns != 1 || a.comp == compInt {
			return nil, l.fail(where, nil, "accessors[%d] is %s of %v, which Draco has not", a.index, a.typeName, a.comp)
		}
		names = append(names, attribute)
		want = append(want, draco.Attribute{ID: uint32(id), Type: dracoTypes[a.comp], Components: a.rows})
		key += fmt.Sprintf(" %q:%d:%d", attribute, id, i)
	}
	indices := None // accessors that the stream replaces may be wrong
	if raw.Indices != nil {
		if indices, err = l.inRange(place+".indices", *raw.Indices, l.files, "accessors"); err != nil {
			return nil, err
		}
		l.accessors[indices].used = true
	}
	key += fmt.Sprint(" ", indices)
	if known, ok := l.dracos[key]; ok {
		return known, nil
	}
	if l.draco == nil {
		if l.draco, err = draco.New(l.ctx, l.budget); err != nil {
			return nil, l.fail(at, err, "starting the decoder")
		}
	}
	mesh, err := l.draco.Decode(l.ctx, stream, want)
	if err != nil {
		return nil, l.fail(at, err, "")
	}
	l.held += mesh.Bytes
	l.scratch += mesh.Bytes
	out := &dracoMesh{indices: None, attributes: map[string]int{}}
	for k, attribute := range names {
		a := l.accessors[raw.Attributes[attribute]]
		if mesh.Points != a.count {
			l.warn(place+".attributes."+attribute, "accessors[%d] promises %d elements, the Draco stream has %d", a.index, a.count, mesh.Points)
		}
		if mesh.Points == 0 {
			return nil, l.fail(at, nil, "holds no vertices")
		}
		a.data, a.count, a.stride, a.sparse = mesh.Attributes[k], mesh.Points, a.size, nil
		out.attributes[attribute] = l.append(a)
	}
	if len(mesh.Indices) == 0 {
		return nil, l.fail(at, nil, "holds no triangles")
	}
	out.indices = l.append(accessor{
		index: max(indices, 0), typ: typeScalar, typeName: "SCALAR", comp: compUnsignedInt,
		count: len(mesh.Indices) / 4, columns: 1, rows: 1, columnStep: 4, size: 4, stride: 4, data: mesh.Indices,
	})
	if l.dracos == nil {
		l.dracos = map[string]*dracoMesh{}
	}
	l.dracos[key] = out
	return out, nil
}

// append adds an accessor that the file does not have and returns its number.
func (l *loader) append(a accessor) int {
	l.accessors = append(l.accessors, a)
	return len(l.accessors) - 1
}

// attributeSet is the attributes of a primitive or of a morph target: accessors of the
// file, and those that stand for some of them.
type attributeSet struct {
	file    map[string]integer
	decoded map[string]int
}

// has reports whether an attribute is there.
func (s attributeSet) has(name string) bool {
	_, ok := s.file[name]
	return ok
}

// names returns what is there, in order.
func (s attributeSet) names() []string { return sortedKeys(s.file) }
