package gltf

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/input"
)

const (
	glbMagic     = "glTF"
	glbChunkJSON = 0x4e4f534a
	glbChunkBIN  = 0x004e4942
)

// splitGLB returns a GLB file's JSON and keeps its binary chunk. The chunks say how long they are;
// the header's length is compared with where they end.
func (l *loader) splitGLB(data []byte) ([]byte, error) {
	const place = "GLB header"
	if len(data) < 12 {
		return nil, l.fail(place, nil, "the file is truncated: it has %d bytes, a GLB's header alone has 12", len(data))
	}
	switch v := binary.LittleEndian.Uint32(data[4:]); v {
	case 2:
	case 1:
		return nil, l.fail(place, nil, "%s", oldVersion)
	default:
		return nil, l.fail(place, nil, "version %d is not supported (2 is)", v)
	}
	length := int64(binary.LittleEndian.Uint32(data[8:]))
	end := int64(12)
	var text []byte
	for n := 0; n == 0 || end != length && int64(len(data))-end >= 8; n++ {
		at := fmt.Sprintf("GLB chunk %d", n)
		rest := data[end:]
		if len(rest) < 8 {
			return nil, l.fail(at, nil, "the file is truncated: %d bytes of %d, and no JSON in them", len(data), length)
		}
		size, kind := int64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		switch {
		case n == 0 && kind != glbChunkJSON:
			return nil, l.fail(at, nil, "must be JSON, has type %#08x", kind)
		case n == 0 && size > int64(len(rest)):
			return nil, l.fail(at, nil, "the file is truncated: its JSON has %d bytes, %d are there", size, len(rest))
		case size > int64(len(rest)):
			if kind == glbChunkBIN {
				l.truncated = fmt.Sprintf("; the file is truncated: %d bytes of %d", len(data), max(length, end+8+size))
			}
			l.lose(at, "is truncated: it has %d bytes, %d are there", size, len(rest))
			size = int64(len(rest))
		}
		chunk := rest[:size:size]
		end += 8 + size
		switch {
		case n == 0:
			text = chunk
		case kind == glbChunkBIN && l.bin == nil:
			if n != 1 {
				l.lose(at, "the binary chunk must be the second")
			}
			l.bin = chunk
		}
	}
	switch have := int64(len(data)); {
	case end != length:
		l.lose(place, "the length is %d, the chunks end at %d of the file's %d bytes", length, end, have)
	case end < have:
		l.lose(place, "%d bytes after the end were ignored", have-end)
	}
	return text, nil
}

// view is a buffer view. One that is wrong has err; who uses it returns that.
type view struct {
	data   []byte
	stride int // bytes, 0: elements are tightly packed
	err    error
	used   bool
}

// bufferBytes is what loadViews has of a buffer.
type bufferBytes struct {
	data []byte
	err  error // why there is nothing
	less bool  // than the file promises
}

// loadViews reads the buffers and cuts them into views. What is wrong with one that nothing uses is
// told by tellUnused.
func (l *loader) loadViews() error {
	rawBuffers, wrongBuffers, err := looseList[rawBuffer](l, "buffers")
	if err != nil {
		return err
	}
	raws, wrong, err := looseList[rawView](l, "bufferViews")
	if err != nil {
		return err
	}
	unneeded := l.placeholders(rawBuffers, raws)
	buffers := make([]bufferBytes, len(rawBuffers))
	for i := range rawBuffers {
		if unneeded[i] {
			continue
		}
		if buffers[i].err = wrongBuffers[i]; buffers[i].err != nil {
			continue
		}
		buffers[i].data, buffers[i].less, buffers[i].err = l.buffer(&rawBuffers[i], i)
		if err := buffers[i].err; err != nil && l.fatal(err) {
			return err
		}
	}
	l.views = make([]view, len(raws))
	for i := range raws {
		place := fmt.Sprintf("bufferViews[%d]", i)
		if l.views[i].err = wrong[i]; wrong[i] != nil {
			continue
		}
		m, at, err := l.meshopt(&raws[i], place)
		if err == nil && m != nil {
			l.views[i], err = l.decompress(&raws[i], m, buffers, place, at)
		} else if err == nil {
			l.views[i], err = l.bufferView(&raws[i], buffers, place)
		}
		if err != nil && l.fatal(err) {
			return err
		}
		l.views[i].err = err
	}
	for i := range buffers {
		if buffers[i].err == nil && buffers[i].less {
			l.lose(fmt.Sprintf("buffers[%d].byteLength", i), "%d bytes are declared, %d are there%s", *rawBuffers[i].ByteLength, len(buffers[i].data), l.truncated)
		}
		if buffers[i].err != nil && !slices.ContainsFunc(l.views, func(v view) bool { return v.err == buffers[i].err }) {
			l.lose(here(buffers[i].err), "no buffer view uses it")
		}
	}
	return nil
}

// buffer returns a buffer's bytes, and whether that is less than it promises.
func (l *loader) buffer(raw *rawBuffer, i int) (data []byte, less bool, err error) {
	place := fmt.Sprintf("buffers[%d]", i)
	length := int64(-1)
	if raw.ByteLength != nil && *raw.ByteLength >= 0 {
		length = int64(*raw.ByteLength)
	}
	if length <= 0 {
		l.lose(place+".byteLength", "is missing, 0 or less")
	}
	switch {
	case raw.URI != nil:
		held := l.held
		if data, err = l.resource(*raw.URI, length, place+".uri"); err != nil {
			return nil, false, err
		}
		l.buffered += l.held - held
	case i == 0 && l.bin != nil:
		data = l.bin
	case length == 0:
	default:
		return nil, false, l.fail(place+".uri", nil, "is missing, and there is no GLB binary chunk for it")
	}
	if length < 0 {
		return data, false, nil
	}
	length = min(length, int64(len(data)))
	return data[:length], length < int64(*raw.ByteLength), nil
}

func (l *loader) bufferView(raw *rawView, buffers []bufferBytes, place string) (view, error) {
	b, err := l.required(place+".buffer", raw.Buffer, len(buffers), "buffers")
	if err != nil {
		return view{}, err
	}
	if err := buffers[b].err; err != nil {
		return view{}, err
	}
	if raw.ByteLength == nil {
		return view{}, l.fail(place+".byteLength", nil, "is missing")
	}
	data := buffers[b].data
	less := ""
	if buffers[b].less {
		less = cmp.Or(l.truncated, "; the buffer is truncated")
	}
	offset, length := raw.ByteOffset, *raw.ByteLength
	if offset < 0 || offset > integer(len(data)) {
		return view{}, l.fail(place+".byteOffset", nil, "%d is outside the %d bytes of buffers[%d]%s", offset, len(data), b, less)
	}
	if length < 0 || length > integer(len(data))-offset {
		return view{}, l.fail(place+".byteLength", nil, "%d bytes from offset %d do not fit the %d bytes of buffers[%d]%s", length, offset, len(data), b, less)
	}
	if length == 0 {
		l.lose(place+".byteLength", "is 0")
	}
	stride, err := l.stride(raw, place)
	return view{data: data[offset : offset+length : offset+length], stride: stride}, err
}

// stride returns a view's stride, 0 where it has none. Those that glTF forbids are kept as long as
// they can be walked: exporters pack three 16-bit numbers into 6 bytes.
func (l *loader) stride(raw *rawView, place string) (int, error) {
	if raw.ByteStride == nil {
		return 0, nil
	}
	s := *raw.ByteStride
	if s < 0 || s > maxElements {
		return 0, l.fail(place+".byteStride", nil, "%d is not a multiple of 4 in 4 … 252", s)
	}
	if s < 4 || s > 252 || s%4 != 0 {
		l.lose(place+".byteStride", "%d is not a multiple of 4 in 4 … 252", s)
	}
	return int(s), nil
}

// viewData returns the bytes of a view that is used.
func (l *loader) viewData(place string, p *integer) (int, []byte, error) {
	v, err := l.required(place, p, len(l.views), "buffer views")
	if err != nil {
		return None, nil, err
	}
	l.views[v].used = true
	return v, l.views[v].data, l.views[v].err
}

// tellUnused tells of views and accessors that are wrong and that nothing uses.
func (l *loader) tellUnused() error {
	for i := range l.views {
		if v := &l.views[i]; v.err != nil && !v.used {
			l.lose("", "%s: nothing uses it", here(v.err))
		}
	}
	for i := range l.accessors[:l.files] {
		if a := &l.accessors[i]; a.err != nil && !a.used {
			l.lose("", "%s: no use is made of it", here(a.err))
		}
	}
	return nil
}

// resource returns the content of a URI: data, or a file in the model's folder or in Options.Assets.
// At most the first most bytes are returned; most < 0: all.
func (l *loader) resource(uri string, most int64, place string) ([]byte, error) {
	if len(uri) >= 5 && strings.EqualFold(uri[:5], "data:") {
		return l.dataURI(uri[5:], place)
	}
	fsys, name, err := l.find(uri, place)
	if err != nil {
		return nil, err
	}
	return l.readFile(fsys, name, uri, most, place)
}

// readFile returns the content of a file in a folder, which messages call uri.
func (l *loader) readFile(fsys fs.FS, name, uri string, most int64, place string) ([]byte, error) {
	// The kind is checked before opening: opening a pipe would wait for ever.
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, l.fail(place, withoutPath(err), "%s cannot be read", quoted(uri))
	}
	if !info.Mode().IsRegular() {
		return nil, l.fail(place, nil, "%s is not a regular file", quoted(uri))
	}
	size := info.Size()
	if most >= 0 {
		size = min(size, most)
	}
	if err := l.take(size, 1); err != nil {
		return nil, l.fail(place, err, "%s", quoted(uri))
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, l.fail(place, withoutPath(err), "%s cannot be read", quoted(uri))
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := io.ReadFull(input.Reader(l.ctx, f), data); err != nil {
		return nil, l.fail(place, err, "%s", quoted(uri))
	}
	return data, nil
}

// withoutPath drops the path that package fs puts before the cause: the URI is
// already named.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// dataURI decodes what follows "data:".
func (l *loader) dataURI(s, place string) ([]byte, error) {
	comma := strings.IndexByte(s, ',')
	if comma < 0 {
		return nil, l.fail(place, nil, "data URI without a comma")
	}
	head, body := s[:comma], s[comma+1:]
	if err := l.take(int64(len(body)), 2); err != nil {
		return nil, l.fail(place, err, "decoding a data URI")
	}
	if strings.IndexByte(body, '%') >= 0 {
		plain, err := url.PathUnescape(body)
		if err != nil {
			return nil, l.fail(place, err, "data URI")
		}
		body = plain
	}
	if !strings.HasSuffix(strings.ToLower(head), ";base64") {
		return []byte(body), nil
	}
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
	if err != nil {
		return nil, l.fail(place, err, "data URI")
	}
	return data, nil
}
