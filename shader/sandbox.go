package shader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const pageBytes = 64 << 10

// A program is a compiler as WebAssembly.
type program struct {
	name  string // for messages
	wasm  []byte // compressed with zstd
	start string // the function that makes an instance ready
	// imports are the functions that it is given, by module and name.
	imports map[string]map[string]hostFunc
	// ticks says that it calls the host now and then, who ends it there; else wazero puts checks into it.
	ticks bool
	// warm, if not nil, brings a new instance into a state that sources of a kind start from.
	warm func(c *call, kind string)
}

// A hostFunc is a function for the guest: it takes its arguments from the stack and puts
// its result there.
type hostFunc struct {
	params, results []api.ValueType
	call            func(c *call, stack []uint64)
}

// function makes a hostFunc of types written as letters, parameters and result: i is i32, l is i64,
// d is f64, r is externref.
func function(params, results string, f func(c *call, stack []uint64)) hostFunc {
	types := func(letters string) (list []api.ValueType) {
		for _, l := range letters {
			list = append(list, map[rune]api.ValueType{'i': api.ValueTypeI32, 'l': api.ValueTypeI64, 'd': api.ValueTypeF64, 'r': api.ValueTypeExternref}[l])
		}
		return list
	}
	return hostFunc{types(params), types(results), f}
}

// version tells one build of a compiler from others.
func (p *program) version() string {
	sum := sha256.Sum256(p.wasm)
	return p.name + "-" + hex.EncodeToString(sum[:8])
}

// A sandbox holds a compiler as machine code, and instances of it that wait for work.
type sandbox struct {
	program *program
	runtime wazero.Runtime
	module  wazero.CompiledModule
	pages   uint32
	states  states

	mu   sync.Mutex
	idle []instance
}

// An instance that waits, the kind of sources that it is warm for, and the strings that it
// has references to (wgsl.go).
type instance struct {
	module  api.Module
	kind    string
	strings []string
}

// newSandbox translates a program to machine code, or takes that from the folder of caches; "" is none.
func newSandbox(ctx context.Context, p *program, folder string, memory int64) (*sandbox, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	wasm, err := decoder.DecodeAll(p.wasm, nil)
	if err != nil {
		return nil, fmt.Errorf("%s, embedded: %w", p.name, err)
	}
	if folder != "" {
		if s, err := startSandbox(ctx, p, wasm, newCodeCache(folder), memory); err == nil {
			s.states = states(filepath.Join(folder, "state"))
			return s, nil
		}
		// Nothing in the folder may keep sources from being compiled.
	}
	return startSandbox(ctx, p, wasm, nil, memory)
}

func startSandbox(ctx context.Context, p *program, wasm []byte, cache *codeCache, memory int64) (s *sandbox, err error) {
	s = &sandbox{program: p, pages: uint32(memory / pageBytes)}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(s.pages).WithCloseOnContextDone(!p.ticks)
	if cache != nil {
		kept, err := cache.open()
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(kept)
	}
	s.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	defer func() {
		if err != nil {
			_ = s.runtime.Close(context.WithoutCancel(ctx))
		}
	}()
	for name, functions := range p.imports {
		host := s.runtime.NewHostModuleBuilder(name)
		for name, f := range functions {
			host.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
				f.call(ctx.Value(callKey{}).(*call), stack)
			}), f.params, f.results).Export(name)
		}
		if _, err = host.Instantiate(ctx); err != nil {
			return nil, err
		}
	}
	if s.module, err = s.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, err
	}
	if cache != nil {
		cache.seal()
	}
	return s, nil
}

// maxIdle is how many instances of a compiler are kept: one holds up to maxKeptBytes.
const maxIdle = 3

// A call is a use of an instance.
type call struct {
	ctx context.Context
	instance
	// objects are what the guest's references name in this call (wgsl.go).
	objects []any
	// include finds files (glsl.go).
	include func(name, from string, local bool, depth int) ([]byte, bool)
}

type callKey struct{}

// A trap is the end of an instance.
type trap struct{ err error }

func (t trap) Error() string { return t.err.Error() }

// run has an instance that is warm for a kind of sources do work, which may end in an error about the
// source. What the guest or its host functions break ends the instance, and is an error, too.
func (s *sandbox) run(ctx context.Context, kind string, work func(*call) error) (err error) {
	c := &call{}
	c.kind = kind
	c.ctx = context.WithValue(ctx, callKey{}, c)
	if err := ctx.Err(); err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			t, ok := r.(trap)
			if !ok {
				panic(r) // of this package, not of the sandbox
			}
			size := uint32(0)
			if c.module != nil {
				size = c.memory().Size()
				_ = c.module.Close(context.WithoutCancel(ctx))
			}
			err = s.explain(ctx, t.err, size)
		}
	}()
	s.obtain(c)
	err = work(c)
	s.giveBack(ctx, c.instance)
	return err
}

// obtain gives a call an instance.
func (s *sandbox) obtain(c *call) {
	s.mu.Lock()
	for i, n := range s.idle {
		if n.kind == c.kind {
			c.instance = n
			s.idle = slices.Delete(s.idle, i, i+1)
			break
		}
	}
	s.mu.Unlock()
	if c.module != nil {
		return
	}
	var err error
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions(s.program.start)
	if c.module, err = s.runtime.InstantiateModule(c.ctx, s.module, config); err != nil {
		panic(trap{err})
	}
	if c.kind == "" || s.program.warm == nil {
		return
	}
	name := s.program.version() + "-" + c.kind
	if s.states.restore(c.memory(), name) {
		return
	}
	s.program.warm(c, c.kind)
	s.states.save(c.memory(), name)
}

// giveBack keeps an instance for later, instead of the one that has waited longest.
func (s *sandbox) giveBack(ctx context.Context, n instance) {
	var old []instance
	s.mu.Lock()
	if n.module.Memory().Size() <= maxKeptBytes {
		s.idle = append(s.idle, n)
		if len(s.idle) > maxIdle {
			old = append(old, s.idle[0])
			s.idle = slices.Delete(s.idle, 0, 1)
		}
	} else {
		old = append(old, n)
	}
	s.mu.Unlock()
	for _, o := range old {
		_ = o.module.Close(context.WithoutCancel(ctx))
	}
}

// maxKeptBytes is the most memory of an instance that is kept: it never shrinks.
const maxKeptBytes = 48 << 20

// errSandbox is what an instance ended with.
type errSandbox struct {
	program, what string
	err           error
}

func (e *errSandbox) Error() string { return e.program + " " + e.what }
func (e *errSandbox) Unwrap() error { return e.err }

// explain says why an instance ended; size is that of its memory.
func (s *sandbox) explain(ctx context.Context, err error, size uint32) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case uint64(size)*4 >= uint64(s.pages)*pageBytes*3:
		return &errSandbox{s.program.name, fmt.Sprintf("wants more than the %d MiB that it may have", uint64(s.pages)*pageBytes>>20), err}
	default:
		return &errSandbox{s.program.name, "broke off: the source is nested too deeply, or it met a fault of its own", err}
	}
}

// do calls a function of the guest.
func (c *call) do(name string, args ...uint64) []uint64 {
	f := c.module.ExportedFunction(name)
	if f == nil {
		panic(trap{fmt.Errorf("no function %s", name)})
	}
	results, err := f.Call(c.ctx, args...)
	if err != nil {
		panic(trap{err})
	}
	return results
}

func (c *call) memory() api.Memory { return c.module.Memory() }

// bytes are a copy of guest memory. Addresses and lengths are 32 bits wide; those above
// mean nothing.
func (c *call) bytes(at, n uint64) []byte {
	b, ok := c.memory().Read(uint32(at), uint32(n))
	if !ok {
		panic(trap{fmt.Errorf("no %d bytes at %d", uint32(n), uint32(at))})
	}
	return append([]byte(nil), b...)
}

// text is the string that ends with a zero byte at an address.
func (c *call) text(at uint64) string {
	const most = 4096
	var out []byte
	for len(out) < most {
		b, ok := c.memory().ReadByte(uint32(at) + uint32(len(out)))
		if !ok || b == 0 {
			break
		}
		out = append(out, b)
	}
	return string(out)
}

// put writes to guest memory.
func (c *call) put(at uint64, b []byte) {
	if !c.memory().Write(uint32(at), b) {
		panic(trap{fmt.Errorf("no %d bytes at %d", len(b), at)})
	}
}

// A starter is a sandbox that is made when it is first wanted.
type starter struct {
	mu sync.Mutex
	s  *sandbox
}

func (l *starter) get(ctx context.Context, p *program, folder string, memory int64) (*sandbox, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.s != nil {
		return l.s, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := newSandbox(context.WithoutCancel(ctx), p, folder, memory)
	l.s = s
	return s, err
}

func (l *starter) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.s == nil {
		return nil
	}
	err := l.s.runtime.Close(context.Background())
	l.s = nil
	return err
}
