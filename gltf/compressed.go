package gltf

import (
	"fmt"

	"github.com/pumice-gpu/pumice/gltf/internal/meshopt"
)

// Buffer views that EXT_meshopt_compression or KHR_meshopt_compression compress. The
// two share their members and differ in what streams they allow; either is decoded.

// meshoptNames are the extension's names: later ones win, which no file should need.
var meshoptNames = [...]string{"EXT_meshopt_compression", "KHR_meshopt_compression"}

type rawMeshopt struct {
	Buffer, ByteLength, ByteStride, Count *integer
	ByteOffset                            integer
	Mode, Filter                          string
}

// meshopt returns the view's compressed form and where it is, nil where it has none.
func (l *loader) meshopt(raw *rawView, place string) (*rawMeshopt, string, error) {
	for _, name := range meshoptNames {
		m := &rawMeshopt{}
		if found, err := l.extension(raw.Extensions, name, place, m); err != nil || found {
			return m, place + ".extensions." + name, err
		}
	}
	return nil, "", nil
}

// placeholders says which buffers need not be there: those that stand in views only for
// loaders that cannot decompress.
func (l *loader) placeholders(buffers []rawBuffer, views []rawView) []bool {
	used, standing := make([]bool, len(buffers)), make([]bool, len(buffers))
	note := func(list []bool, i *integer) {
		if i != nil && *i >= 0 && *i < integer(len(list)) {
			list[*i] = true
		}
	}
	for i := range views {
		m, _, err := l.meshopt(&views[i], fmt.Sprintf("bufferViews[%d]", i))
		if err != nil || m == nil { // what is wrong with it is told where it is used
			note(used, views[i].Buffer)
		} else {
			note(standing, views[i].Buffer)
			note(used, m.Buffer)
		}
	}
	for i := range standing {
		standing[i] = standing[i] && !used[i]
	}
	return standing
}

// decompress decodes a view. Its bytes count as a buffer's.
func (l *loader) decompress(raw *rawView, m *rawMeshopt, buffers []bufferBytes, place, at string) (view, error) {
	if _, err := l.required(place+".buffer", raw.Buffer, len(buffers), "buffers"); err != nil {
		return view{}, err
	}
	source, err := l.bufferView(&rawView{Buffer: m.Buffer, ByteOffset: m.ByteOffset, ByteLength: m.ByteLength}, buffers, at)
	if err != nil {
		return view{}, err
	}
	const most = 1<<31 - 1
	layout := meshopt.Layout{}
	for _, n := range []struct {
		key string
		v   *integer
		out *int
	}{{".byteStride", m.ByteStride, &layout.Stride}, {".count", m.Count, &layout.Count}} {
		if n.v == nil {
			return view{}, l.fail(at+n.key, nil, "is missing")
		}
		if *n.v < 0 || *n.v > most {
			return view{}, l.fail(at+n.key, nil, "%d is out of range", *n.v)
		}
		*n.out = int(*n.v)
	}
	switch m.Mode {
	case "ATTRIBUTES":
	case "TRIANGLES":
		layout.Mode = meshopt.Triangles
	case "INDICES":
		layout.Mode = meshopt.Indices
	default:
		return view{}, l.fail(at+".mode", nil, "%s is not ATTRIBUTES, TRIANGLES or INDICES", quoted(m.Mode))
	}
	switch m.Filter {
	case "", "NONE":
	case "OCTAHEDRAL":
		layout.Filter = meshopt.Octahedral
	case "QUATERNION":
		layout.Filter = meshopt.Quaternion
	case "EXPONENTIAL":
		layout.Filter = meshopt.Exponential
	case "COLOR":
		layout.Filter = meshopt.Color
	default:
		return view{}, l.fail(at+".filter", nil, "%s is not NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR", quoted(m.Filter))
	}
	if err := layout.Check(); err != nil {
		return view{}, l.fail(at, err, "")
	}
	size := int64(layout.Count) * int64(layout.Stride)
	if raw.ByteLength == nil || int64(*raw.ByteLength) != size {
		return view{}, l.fail(place+".byteLength", nil, "must be the %d bytes that %d elements of %d bytes have", size, layout.Count, layout.Stride)
	}
	if int64(len(source.data)) < layout.Least() {
		return view{}, l.fail(at, nil, "%d bytes cannot hold %d elements", len(source.data), layout.Count)
	}
	if err := l.take(size, 1); err != nil {
		return view{}, l.fail(at, err, "decompressing %d elements", layout.Count)
	}
	l.buffered += size
	v := view{data: make([]byte, size)}
	if err := meshopt.Decode(l.ctx, v.data, layout, source.data); err != nil {
		return view{}, l.fail(at, err, "decompressing")
	}
	v.stride, err = l.stride(raw, place)
	return v, err
}
