package gltf

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/pumice-gpu/pumice/internal/input"
)

const (
	glbMagic     = "glTF"
	glbChunkJSON = 0x4e4f534a
	glbChunkBIN  = 0x004e4942
)

// splitGLB returns a GLB file's JSON and keeps its binary chunk.
func (l *loader) splitGLB(data []byte) ([]byte, error) {
	const place = "GLB header"
	if len(data) < 12 {
		return nil, l.fail(place, nil, "has %d bytes, must have 12", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != 2 {
		return nil, l.fail(place, nil, "version %d is not supported (2 is)", v)
	}
	length := binary.LittleEndian.Uint32(data[8:])
	if int64(length) > int64(len(data)) {
		return nil, l.fail(place, nil, "the file is truncated: %d bytes of %d", len(data), length)
	}
	if int64(length) < int64(len(data)) {
		l.warn(place, "%d bytes after the end were ignored", int64(len(data))-int64(length))
	}
	if length < 12 {
		return nil, l.fail(place, nil, "length %d is less than the header's", length)
	}
	rest := data[12:length]
	var text []byte
	for n := 0; len(rest) > 0; n++ {
		at := fmt.Sprintf("GLB chunk %d", n)
		if len(rest) < 8 {
			return nil, l.fail(at, nil, "is truncated: %d bytes of an 8-byte header", len(rest))
		}
		size, kind := binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		if int64(size) > int64(len(rest)) {
			return nil, l.fail(at, nil, "is truncated: %d bytes of %d", len(rest), size)
		}
		chunk := rest[:size:size]
		rest = rest[size:]
		switch {
		case n == 0 && kind != glbChunkJSON:
			return nil, l.fail(at, nil, "must be JSON, has type %#08x", kind)
		case n == 0:
			text = chunk
		case n == 1 && kind == glbChunkBIN:
			l.bin = chunk
		}
	}
	if text == nil {
		return nil, l.fail("GLB chunk 0", nil, "is missing")
	}
	return text, nil
}

// view is a checked buffer view.
type view struct {
	data   []byte
	stride int // bytes, 0: elements are tightly packed
}

// loadViews reads the buffers and cuts them into views.
func (l *loader) loadViews() error {
	rawBuffers, err := topList[rawBuffer](l, "buffers")
	if err != nil {
		return err
	}
	raws, err := topList[rawView](l, "bufferViews")
	if err != nil {
		return err
	}
	unneeded, err := l.placeholders(rawBuffers, raws)
	if err != nil {
		return err
	}
	buffers := make([][]byte, len(rawBuffers))
	for i := range rawBuffers {
		if unneeded[i] {
			continue
		}
		if buffers[i], err = l.buffer(&rawBuffers[i], i); err != nil {
			return err
		}
	}
	l.views = make([]view, len(raws))
	for i := range raws {
		place := fmt.Sprintf("bufferViews[%d]", i)
		m, at, err := l.meshopt(&raws[i], place)
		if err == nil && m != nil {
			l.views[i], err = l.decompress(&raws[i], m, buffers, place, at)
		} else if err == nil {
			l.views[i], err = l.bufferView(&raws[i], buffers, place)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) buffer(raw *rawBuffer, i int) ([]byte, error) {
	place := fmt.Sprintf("buffers[%d]", i)
	if raw.ByteLength == nil {
		return nil, l.fail(place+".byteLength", nil, "is missing")
	}
	length := *raw.ByteLength
	if length < 1 {
		return nil, l.fail(place+".byteLength", nil, "%d is less than 1", length)
	}
	var data []byte
	var err error
	switch {
	case raw.URI != nil:
		held := l.held
		if data, err = l.resource(*raw.URI, int64(length), place+".uri"); err != nil {
			return nil, err
		}
		l.buffered += l.held - held
	case i == 0 && l.bin != nil:
		data = l.bin
	default:
		return nil, l.fail(place+".uri", nil, "is missing, and there is no GLB binary chunk for it")
	}
	if integer(len(data)) < length {
		return nil, l.fail(place+".byteLength", nil, "%d bytes are declared, %d are there", length, len(data))
	}
	return data[:length], nil
}

func (l *loader) bufferView(raw *rawView, buffers [][]byte, place string) (view, error) {
	b, err := l.required(place+".buffer", raw.Buffer, len(buffers), "buffers")
	if err != nil {
		return view{}, err
	}
	if raw.ByteLength == nil {
		return view{}, l.fail(place+".byteLength", nil, "is missing")
	}
	data := buffers[b]
	offset, length := raw.ByteOffset, *raw.ByteLength
	if offset < 0 || offset > integer(len(data)) {
		return view{}, l.fail(place+".byteOffset", nil, "%d is outside the %d bytes of buffers[%d]", offset, len(data), b)
	}
	if length < 1 || length > integer(len(data))-offset {
		return view{}, l.fail(place+".byteLength", nil, "%d bytes from offset %d do not fit the %d bytes of buffers[%d]", length, offset, len(data), b)
	}
	stride, err := l.stride(raw, place)
	return view{data[offset : offset+length : offset+length], stride}, err
}

// stride returns a view's stride, 0 where it has none.
func (l *loader) stride(raw *rawView, place string) (int, error) {
	if raw.ByteStride == nil {
		return 0, nil
	}
	if s := *raw.ByteStride; s < 4 || s > 252 || s%4 != 0 {
		return 0, l.fail(place+".byteStride", nil, "%d is not a multiple of 4 in 4 … 252", s)
	}
	return int(*raw.ByteStride), nil
}

// resource returns the content of a URI: data, or a file in the model's folder.
// At most the first most bytes are returned; most < 0: all.
func (l *loader) resource(uri string, most int64, place string) ([]byte, error) {
	if len(uri) >= 5 && strings.EqualFold(uri[:5], "data:") {
		return l.dataURI(uri[5:], place)
	}
	name, err := localPath(uri)
	if err != nil {
		return nil, l.fail(place, err, "%s", quoted(uri))
	}
	if l.fsys == nil {
		return nil, l.fail(place, nil, "%s: other files cannot be read here", quoted(uri))
	}
	return l.readFile(name, uri, most, place)
}

// readFile returns the content of a file in the model's folder, which messages call uri.
func (l *loader) readFile(name, uri string, most int64, place string) ([]byte, error) {
	// The kind is checked before opening: opening a pipe would wait for ever.
	info, err := fs.Stat(l.fsys, name)
	if err != nil {
		return nil, l.fail(place, withoutPath(err), "%s cannot be read", quoted(uri))
	}
	if !info.Mode().IsRegular() {
		return nil, l.fail(place, nil, "%s is not a regular file", quoted(uri))
	}
	size := info.Size()
	if most >= 0 {
		if size < most {
			return nil, l.fail(place, nil, "%s is truncated: %d bytes of %d", quoted(uri), size, most)
		}
		size = most
	}
	if err := l.take(size, 1); err != nil {
		return nil, l.fail(place, err, "%s", quoted(uri))
	}
	f, err := l.fsys.Open(name)
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

var (
	errURIScheme   = errors.New("a URI with a scheme is not allowed, only files in the model's folder")
	errURIAbsolute = errors.New("an absolute path is not allowed, only files in the model's folder")
	errURIEscape   = errors.New("leaves the model's folder")
	errURIInvalid  = errors.New("is not a valid relative path")
)

// localPath turns a relative URI into a path for fs.FS, or says why it must
// not be followed. A reserved character that should have been escaped ("#") is
// taken literally, as exporters write it.
func localPath(uri string) (string, error) {
	// RFC 3986: a scheme is a letter, then letters, digits, + - . up to a colon.
	if colon := strings.IndexByte(uri, ':'); colon > 0 {
		first := uri[0] | 0x20
		rest := strings.Trim(strings.ToLower(uri[:colon]), "abcdefghijklmnopqrstuvwxyz0123456789+-.")
		if first >= 'a' && first <= 'z' && rest == "" {
			return "", errURIScheme
		}
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		return "", err
	}
	if name == "" || strings.ContainsAny(name, "\\\x00") {
		return "", errURIInvalid
	}
	if name[0] == '/' {
		return "", errURIAbsolute
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", errURIEscape
		}
	}
	name = path.Clean(name)
	if name == "." || !fs.ValidPath(name) {
		return "", errURIInvalid
	}
	return name, nil
}
