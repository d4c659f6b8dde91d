package draco

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"github.com/pumice-gpu/pumice/budget"
)

// In a browser its own WebAssembly runs the decoder: another machine inside of this one
// would be slow, and more to load than all the rest of a model's reading.

// compiled returns the decoder of this process, a WebAssembly.Module.
var compiled = sync.OnceValues(func() (js.Value, error) {
	code, err := code()
	if err != nil {
		return js.Undefined(), err
	}
	bytes := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(bytes, code)
	var module js.Value
	err = try(func() { module = js.Global().Get("WebAssembly").Get("Module").New(bytes) })
	return module, err
})

// try makes what JavaScript throws an error.
func try(f func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = errors.New(thrown.Error())
		default:
			panic(thrown)
		}
	}()
	f()
	return nil
}

// machine is one instance: its exports, and its memory, which is charged to a budget as
// it grows. What the budget refuses the decoder sees as a failed allocation.
type machine struct {
	budget  *budget.Budget
	charged int64
	err     error // the last growth's refusal
	fault   error // of an import, that ends the work at the next call
	exports js.Value
	funcs   []js.Func
}

func newMachine(_ context.Context, b *budget.Budget) (*machine, error) {
	module, err := compiled()
	if err != nil {
		return nil, fmt.Errorf("the Draco decoder: %w", err)
	}
	m := &machine{budget: b}
	if err := b.Take(initialPages * pageSize); err != nil {
		return nil, err
	}
	m.charged = initialPages * pageSize
	imports := map[string]any{"c": m.export(m.grow), "d": m.export(m.move)}
	// What aborts has to throw, which a function of Go cannot: no number is a constructor.
	imports["a"] = js.Global().Get("Reflect").Get("construct")
	imports["b"] = imports["a"]
	err = try(func() {
		m.exports = js.Global().Get("WebAssembly").Get("Instance").New(module, map[string]any{"a": imports}).Get("exports")
	})
	if err != nil {
		m.close()
		return nil, errFault
	}
	return m, nil
}

func (m *machine) export(f func(args []uint32) uint32) js.Func {
	g := js.FuncOf(func(_ js.Value, values []js.Value) any {
		args := make([]uint32, len(values))
		for i, v := range values {
			args[i] = uint32(v.Int())
		}
		return f(args)
	})
	m.funcs = append(m.funcs, g)
	return g
}

func (m *machine) close() {
	for _, f := range m.funcs {
		f.Release()
	}
	m.budget.Drop(m.charged)
	m.funcs, m.charged, m.exports = nil, 0, js.Undefined()
}

func (m *machine) memory() js.Value { return m.exports.Get(memoryName) }

// bytes is the memory as it is now; growing replaces it.
func (m *machine) bytes() js.Value {
	return js.Global().Get("Uint8Array").New(m.memory().Get("buffer"))
}

// grow makes the memory at least so large, by a quarter more where there is that much.
func (m *machine) grow(args []uint32) uint32 {
	have, want := int64(m.size())/pageSize, (int64(args[0])+pageSize-1)/pageSize
	for _, pages := range []int64{want + want/4, want} {
		if pages <= have {
			return 1
		}
		more := (pages - have) * pageSize
		if m.err = m.budget.Take(more); m.err != nil {
			continue
		}
		if try(func() { m.memory().Call("grow", pages-have) }) == nil {
			m.charged += more
			return 1
		}
		m.budget.Drop(more)
	}
	return 0
}

// move copies inside the memory.
func (m *machine) move(args []uint32) uint32 {
	to, from, n, size := uint64(args[0]), uint64(args[1]), uint64(args[2]), uint64(m.size())
	if to+n > size || from+n > size {
		m.fault = errFault
		return 0
	}
	m.bytes().Call("copyWithin", to, from, from+n)
	return 0
}

// call runs an export, which has one result or none.
func (m *machine) call(ctx context.Context, name string, args []uint64) (out uint32, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = uint32(a)
	}
	err = try(func() {
		if v := m.exports.Call(name, values...); v.Type() == js.TypeNumber {
			out = uint32(v.Int())
		}
	})
	if err == nil {
		err = m.fault
	}
	return out, err
}

// refused is the budget's error, where there was one.
func (m *machine) refused() error { return m.err }

// size is that of the memory in bytes. read gives a copy of a part of it.
func (m *machine) size() uint32 { return uint32(m.memory().Get("buffer").Get("byteLength").Int()) }

func (m *machine) read(at, size uint32) ([]byte, bool) {
	if uint64(at)+uint64(size) > uint64(m.size()) {
		return nil, false
	}
	out := make([]byte, size)
	js.CopyBytesToGo(out, m.bytes().Call("subarray", at, at+size))
	return out, true
}

func (m *machine) write(at uint32, data []byte) bool {
	if uint64(at)+uint64(len(data)) > uint64(m.size()) {
		return false
	}
	js.CopyBytesToJS(m.bytes().Call("subarray", at, at+uint32(len(data))), data)
	return true
}
