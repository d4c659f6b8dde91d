// Package draco decodes the meshes of KHR_draco_mesh_compression: Google's own decoder
// as WebAssembly, run inside the process by wazero, and in a browser by the browser.
//
// The decoder is taken to be as hostile as its input. It sees its own memory only,
// which is charged to a budget page by page, and ends with the context (in a browser, which
// interrupts nothing, before the next call); its four
// imports reach nothing outside. It is compiled once a process, when it is first
// needed. The same stream gives the same bytes on every CPU, compiled or interpreted.
package draco

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"github.com/pumice-gpu/pumice/budget"
)

//go:embed decoder.wasm.gz
var packed []byte

// pageSize is WebAssembly's, initialPages what the decoder starts with.
const (
	pageSize     = 64 << 10
	initialPages = 256
)

// code unpacks the decoder.
func code() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// errFault is what the decoder gives up with.
var errFault = errors.New("the decoder gave up")

// Decoder is one instance of the decoder. It is not safe for concurrent use.
type Decoder struct {
	budget  *budget.Budget
	machine *machine
}

// New makes an instance whose memory, 16 MiB at least, is charged to the budget until
// Close.
func New(ctx context.Context, b *budget.Budget) (*Decoder, error) {
	m, err := newMachine(ctx, b)
	if err != nil {
		return nil, err
	}
	d := &Decoder{budget: b, machine: m}
	if _, err := d.call(ctx, fnInit); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the instance and gives its memory back.
func (d *Decoder) Close() { d.machine.close() }

// call runs an export. Its error is the context's, the budget's or one short line.
func (d *Decoder) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := d.machine.call(ctx, name, args)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case d.machine.refused() != nil:
		return 0, d.machine.refused()
	}
	return 0, errFault // with a trace of WebAssembly, which tells users nothing
}

// Attribute asks for an attribute of a mesh.
type Attribute struct {
	ID         uint32 // Draco's unique id
	Type       Type   // of the components that are wanted
	Components int
}

// Mesh is what a stream holds. Its memory is charged to the Decoder's budget; ending
// that charge, of Bytes, is the caller's part.
type Mesh struct {
	Points     int      // vertices
	Indices    []byte   // of triangles, 32 bits each, little-endian
	Attributes [][]byte // of those that were asked for: Points elements, little-endian, tightly packed
	Bytes      int64
}

// Decode decodes a triangle mesh and the attributes that are wanted of it. After an
// error the Decoder can only be closed.
func (d *Decoder) Decode(ctx context.Context, data []byte, want []Attribute) (_ *Mesh, err error) {
	m := &Mesh{}
	defer func() {
		if err != nil {
			d.budget.Drop(m.Bytes)
		}
	}()
	var failed error
	call := func(name string, args ...uint64) uint64 {
		if failed != nil {
			return 0
		}
		var v uint32
		v, failed = d.call(ctx, name, args...)
		return uint64(v)
	}
	for _, w := range want {
		if w.Type.size() == 0 {
			return nil, fmt.Errorf("attribute %d: type %d is unknown", w.ID, w.Type)
		}
	}
	stream := call(fnMalloc, uint64(len(data)))
	decoder, mesh := call(fnNew), call(fnNewMesh)
	if failed != nil {
		return nil, failed
	}
	if !d.machine.write(uint32(stream), data) || stream == 0 {
		return nil, d.refusal()
	}
	status := call(fnDecode, decoder, stream, uint64(len(data)), mesh)
	ok := call(fnOK, status)
	if failed != nil {
		return nil, failed
	}
	if ok&0xff == 0 {
		return nil, d.message(uint32(call(fnMessage, status)))
	}
	call(fnFree, stream)
	faces, points := call(fnFaces, mesh), call(fnPoints, mesh)
	if failed != nil {
		return nil, failed
	}
	m.Points = int(points)
	if m.Indices, err = d.array(ctx, m, 12*int64(faces), fnIndices, decoder, mesh); err != nil {
		return nil, fmt.Errorf("indices: %w", err)
	}
	for _, w := range want {
		attribute := call(fnByID, decoder, mesh, uint64(w.ID))
		if failed == nil && attribute == 0 {
			return nil, fmt.Errorf("has no attribute with the id %d", w.ID)
		}
		if n := call(fnWidth, attribute); failed == nil && n&0xff != uint64(w.Components) {
			return nil, fmt.Errorf("attribute %d has %d components, not %d", w.ID, n&0xff, w.Components)
		}
		if failed != nil {
			return nil, failed
		}
		values, err := d.array(ctx, m, int64(points)*int64(w.Components*w.Type.size()), fnValues, decoder, mesh, attribute, uint64(w.Type))
		if err != nil {
			return nil, fmt.Errorf("attribute %d: %w", w.ID, err)
		}
		m.Attributes = append(m.Attributes, values)
	}
	call(fnDelMesh, mesh)
	call(fnDelete, decoder)
	return m, failed
}

// array lets an export fill size bytes inside the memory and copies them out.
func (d *Decoder) array(ctx context.Context, m *Mesh, size int64, name string, args ...uint64) ([]byte, error) {
	if size > int64(1)<<31 {
		return nil, fmt.Errorf("%d bytes are too many", size)
	}
	if size == 0 {
		return nil, nil
	}
	at, err := d.call(ctx, fnMalloc, uint64(size))
	if err != nil {
		return nil, err
	}
	if at == 0 {
		return nil, d.refusal()
	}
	ok, err := d.call(ctx, name, append(args, uint64(size), uint64(at))...)
	if err != nil {
		return nil, err
	}
	b, inside := d.machine.read(at, uint32(size))
	if ok&0xff == 0 || !inside {
		return nil, errors.New("cannot be had in the accessor's type")
	}
	if err := d.budget.Take(size); err != nil {
		return nil, err
	}
	m.Bytes += size
	b = bytes.Clone(b)
	_, err = d.call(ctx, fnFree, uint64(at))
	return b, err
}

// refusal is why an allocation failed.
func (d *Decoder) refusal() error {
	if err := d.machine.refused(); err != nil {
		return err
	}
	return errors.New("the decoder's 2 GiB of memory are not enough")
}

// message returns what the decoder says of a stream.
func (d *Decoder) message(at uint32) error {
	const most = 200
	size := d.machine.size()
	text, ok := d.machine.read(at, min(most, size-min(at, size)))
	if end := bytes.IndexByte(text, 0); ok && end > 0 {
		return fmt.Errorf("the decoder says %q", text[:end])
	}
	return errors.New("is not a Draco mesh")
}
