package shader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// The limits of a Config that says nothing else.
const (
	DefaultMaxSource = 4 << 20
	DefaultMaxMemory = 256 << 20
	DefaultMaxTime   = time.Minute // ten times that where the sandbox interprets: on processors other than amd64 and arm64
)

// Config is how a Compiler works.
type Config struct {
	// CacheDir is the folder of what is kept from run to run: the compilers as machine code (some
	// 15 MiB), and results; "" is pumice/shader in the user's cache folder. What is broken
	// or foreign there is not used. Only this user should be able to write to it.
	CacheDir string
	// NoCache keeps nothing on disk.
	NoCache bool
	// MaxSource bounds the bytes of a source with its includes, MaxMemory those of a compiler's
	// sandbox, and MaxTime a compilation (the context may end it before that); 0 means
	// the default of that name.
	MaxSource, MaxMemory int64
	MaxTime              time.Duration
}

// Compiler compiles sources. Its methods may be called at the same time: each has a
// sandbox of its own.
type Compiler struct {
	config  Config
	code    string // folder of machine code; "" for none
	results results
	glslang *program
	naga    *program
	glsl    starter
	wgsl    starter
}

// NewCompiler makes a compiler. It costs nothing before it is used.
func NewCompiler(config Config) *Compiler {
	if config.MaxSource <= 0 {
		config.MaxSource = DefaultMaxSource
	}
	if config.MaxMemory <= 0 {
		config.MaxMemory = DefaultMaxMemory
	}
	config.MaxMemory = max(16<<20, min(config.MaxMemory, 4<<30)) // less is too little for the compilers themselves
	if config.MaxTime <= 0 {
		config.MaxTime = DefaultMaxTime
		if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
			config.MaxTime *= 10 // the sandbox interprets there
		}
	}
	c := &Compiler{config: config, glslang: glslang(), naga: naga()}
	if config.NoCache {
		return c
	}
	if c.code = config.CacheDir; c.code == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return c
		}
		c.code = filepath.Join(base, "pumice", "shader")
	}
	c.results = results(filepath.Join(c.code, "spirv"))
	return c
}

// Close gives back what the compiler holds. It must not be in use.
func (c *Compiler) Close() error { return errors.Join(c.glsl.close(), c.wgsl.close()) }

// shared is the compiler of Compile: what it holds, the compilers as machine code, belongs to
// the process, as that of any package does.
var shared = sync.OnceValue(func() *Compiler { return NewCompiler(Config{}) })

// Compile compiles a source with a Compiler of the default Config, which all calls share.
func Compile(ctx context.Context, source string, options Options) ([]byte, error) {
	return shared().Compile(ctx, source, options)
}

// Compile returns the SPIR-V, little-endian, that a source is compiled to. Errors are *Error.
func (c *Compiler) Compile(ctx context.Context, source string, options Options) ([]byte, error) {
	o := &options
	if err := c.check(o, source); err != nil {
		return nil, err
	}
	if err := o.fill(source); err != nil {
		return nil, err
	}
	if source = latin1(source, o.Language); !utf8.ValidString(source) {
		return nil, o.notUTF8(source)
	}
	preamble, err := o.preamble(source)
	if err != nil {
		return nil, err
	}
	p := c.glslang
	if o.Language == WGSL {
		p = c.naga
	}
	key := c.results.key(p.version(), mendVersion, source, preamble, o.file(), o.Folder, o.Entry, fmt.Sprint(o.Stage, o.Target, o.Debug, o.VulkanClip, o.Constants))
	r, ok := c.results.get(key)
	if !ok {
		if r, err = c.run(ctx, p, o, source, preamble); err != nil {
			return nil, err
		}
		if !r.included {
			c.results.put(key, r)
		}
	}
	if o.Warn != nil {
		for _, w := range r.Warnings {
			o.Warn(w)
		}
	}
	return r.SPIRV, nil
}

// check refuses what no compiler should see.
func (c *Compiler) check(o *Options, source string) error {
	switch {
	case int64(len(source)) > c.config.MaxSource:
		return o.fail(fmt.Sprintf("the source has %d bytes; Config.MaxSource is %d", len(source), c.config.MaxSource))
	case strings.HasPrefix(source, "\x03\x02\x23\x07") || strings.HasPrefix(source, "\x07\x23\x02\x03"):
		return o.fail("this is SPIR-V already: give it to pumice.Shader.Code")
	case strings.ContainsRune(source, 0):
		return o.fail("the source holds a zero byte")
	}
	return nil
}

// run compiles in a sandbox.
func (c *Compiler) run(ctx context.Context, p *program, o *Options, source, preamble string) (r *result, err error) {
	late := fmt.Errorf("%s ran for Config.MaxTime, %v: %w", p.name, c.config.MaxTime, context.DeadlineExceeded)
	l, kind := &c.glsl, glslKind(source)
	if o.Language == WGSL {
		l, kind = &c.wgsl, ""
	}
	box, err := l.get(ctx, p, c.code, c.config.MaxMemory)
	if err == nil {
		ctx, cancel := context.WithTimeoutCause(ctx, c.config.MaxTime, late)
		defer cancel()
		err = box.run(ctx, kind, func(call *call) (err error) {
			if o.Language == WGSL {
				r, err = compileWGSL(call, o, source)
				return err
			}
			u := &glslUnit{options: o, preamble: preamble, base: path.Join(o.Folder, path.Base(filepath.ToSlash(o.file()))), left: int(c.config.MaxSource) - len(source), lines: lines{}, paths: map[string]string{}}
			u.lines[u.base] = splitLines(source)
			r, err = u.compile(call, source)
			return err
		})
	}
	if err == nil {
		r.SPIRV, err = mend(r.SPIRV)
	}
	var said *Error
	if ended := (*errSandbox)(nil); o.Language == WGSL && errors.As(err, &ended) {
		if why := o.broke(source); why != nil {
			return nil, why
		}
	}
	if err != nil && !errors.As(err, &said) {
		said = o.fail(err.Error())
		said.Err = err
	}
	if said != nil {
		return nil, said
	}
	return r, nil
}

// readAll reads a file of at most n bytes.
func readAll(f fs.File, n int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, int64(n)+1))
	if err == nil && len(data) > n {
		err = errors.New("too large")
	}
	return data, err
}
