//go:build !js

package draco

import (
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/pumice-gpu/pumice/budget"
)

// engine is the compiled decoder and what it imports.
type engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// compiled returns the decoder of this process.
var compiled = sync.OnceValues(func() (*engine, error) {
	ctx := context.Background()
	code, err := code()
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

// fault brings its error to the caller.
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

// machine is one instance: its code and its memory.
type machine struct {
	sandbox *sandbox
	module  api.Module
}

func newMachine(ctx context.Context, b *budget.Budget) (*machine, error) {
	e, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("the Draco decoder: %w", err)
	}
	m := &machine{sandbox: &sandbox{budget: b}}
	if m.sandbox.Reallocate(initialPages*pageSize) == nil {
		return nil, m.sandbox.err
	}
	m.module, err = e.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, m.sandbox), e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *machine) close() {
	if m.module != nil {
		m.module.Close(context.Background())
	}
	m.sandbox.Free() // Freeing twice is no harm.
}

// call runs an export, which has one result or none.
func (m *machine) call(ctx context.Context, name string, args []uint64) (uint32, error) {
	out, err := m.module.ExportedFunction(name).Call(ctx, args...)
	if err != nil || len(out) == 0 {
		return 0, err
	}
	return uint32(out[0]), nil
}

// refused is the budget's error, where there was one.
func (m *machine) refused() error { return m.sandbox.err }

// size is that of the memory in bytes. read gives a part of it, until the next call.
func (m *machine) size() uint32 { return m.module.ExportedMemory(memoryName).Size() }
func (m *machine) read(at, size uint32) ([]byte, bool) {
	return m.module.ExportedMemory(memoryName).Read(at, size)
}
func (m *machine) write(at uint32, data []byte) bool {
	return m.module.ExportedMemory(memoryName).Write(at, data)
}
