// Package draco decodes the meshes of KHR_draco_mesh_compression: Google's own decoder
// as WebAssembly, run inside the process by wazero.
//
// The decoder is taken to be as hostile as its input. It sees its own memory only,
// which is charged to a budget page by page, and ends with the context; its four
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
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pumice-gpu/pumice/budget"
)

//go:embed decoder.wasm.gz
var packed []byte

// pageSize is WebAssembly's, initialPages what the decoder starts with.
const (
	pageSize     = 64 << 10
	initialPages = 256
)

// engine is the compiled decoder and what it imports.
type engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// compiled returns the decoder of this process.
var compiled = sync.OnceValues(func() (*engine, error) {
	ctx := context.Background()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	e := &engine{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCloseOnContextDone(true))}
	i32 := api.ValueTypeI32
	host := e.runtime.NewHostModuleBuilder("a")
	for _, f := range []struct {
		name            string
		params, results []api.ValueType
		body            api.GoModuleFunc
	}{
		{"a", nil, nil, fault},                            // abort
		{"b", []api.ValueType{i32, i32, i32}, nil, fault}, // throw
		{"c", []api.ValueType{i32}, []api.ValueType{i32}, grow},
		{"d", []api.ValueType{i32, i32, i32}, nil, move},
	} {
		host.NewFunctionBuilder().WithGoModuleFunction(f.body, f.params, f.results).Export(f.name)
	}
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	e.module, err = e.runtime.CompileModule(ctx, code)
	return e, err
})

// errFault is what the decoder gives up with; wazero brings it to the caller.
var errFault = errors.New("the decoder gave up")

func fault(context.Context, api.Module, []uint64) { panic(errFault) }

// grow makes the memory larger, by a quarter more than is asked for where there is
// that much, so that it is not copied for each page.
func grow(_ context.Context, m api.Module, stack []uint64) {
	mem := m.ExportedMemory(memoryName)
	have, want := int64(mem.Size())/pageSize, (int64(uint32(stack[0]))+pageSize-1)/pageSize
	stack[0] = 0
	for _, pages := range []int64{want + want/4, want} {
		if pages <= have {
			stack[0] = 1
			return
		}
		if _, ok := mem.Grow(uint32(pages - have)); ok {
			stack[0] = 1
			return
		}
	}
}

// move copies inside the memory.
func move(_ context.Context, m api.Module, stack []uint64) {
	mem := m.ExportedMemory(memoryName)
	src, ok := mem.Read(uint32(stack[1]), uint32(stack[2]))
	if !ok || !mem.Write(uint32(stack[0]), src) {
		panic(errFault)
	}
}

// Decoder is one instance of the decoder. It is not safe for concurrent use.
type Decoder struct {
	budget  *budget.Budget
	sandbox *sandbox
	module  api.Module
}

// New makes an instance whose memory, 16 MiB at least, is charged to the budget until
// Close.
func New(ctx context.Context, b *budget.Budget) (*Decoder, error) {
	e, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("the Draco decoder: %w", err)
	}
	d := &Decoder{budget: b, sandbox: &sandbox{budget: b}}
	if d.sandbox.Reallocate(initialPages*pageSize) == nil {
		return nil, d.sandbox.err
	}
	d.module, err = e.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, d.sandbox), e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err == nil {
		_, err = d.call(ctx, fnInit)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the instance and gives its memory back.
func (d *Decoder) Close() {
	if d.module != nil {
		d.module.Close(context.Background())
	}
	d.sandbox.Free() // Freeing twice is no harm.
}

// call runs an export. Its error is the context's, the budget's or one short line.
func (d *Decoder) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := d.module.ExportedFunction(name).Call(ctx, args...)
	switch {
	case err == nil && len(out) == 0:
		return 0, nil
	case err == nil:
		return uint32(out[0]), nil
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case d.sandbox.err != nil:
		return 0, d.sandbox.err
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
	if !d.module.ExportedMemory(memoryName).Write(uint32(stream), data) || stream == 0 {
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
	b, inside := d.module.ExportedMemory(memoryName).Read(at, uint32(size))
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
	if d.sandbox.err != nil {
		return d.sandbox.err
	}
	return errors.New("the decoder's 2 GiB of memory are not enough")
}

// message returns what the decoder says of a stream.
func (d *Decoder) message(at uint32) error {
	const most = 200
	mem := d.module.ExportedMemory(memoryName)
	text, ok := mem.Read(at, min(most, mem.Size()-min(at, mem.Size())))
	if end := bytes.IndexByte(text, 0); ok && end > 0 {
		return fmt.Errorf("the decoder says %q", text[:end])
	}
	return errors.New("is not a Draco mesh")
}
