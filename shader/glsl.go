package shader

import (
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed glslang.wasm.zst
var glslangWASM []byte

const (
	maxIncludeDepth = 64
	maxDefine       = 64 << 10 // bytes of a macro's value
)

// glslang is the compiler of GLSL. _gen/front.cpp is the part of it that is ours.
func glslang() *program {
	// Of what a C library may ask of a system there is nothing: no environment and no files.
	const badFile = 8 // WASI's errno badf
	none := func(params string) hostFunc {
		return function(params, "i", func(_ *call, stack []uint64) { stack[0] = badFile })
	}
	return &program{
		name: "glslang", wasm: glslangWASM, start: "_initialize", ticks: true, warm: glslWarm,
		imports: map[string]map[string]hostFunc{
			"host": {
				"include": function("iiiii", "i", (*call).glslInclude),
				"tick": function("", "", func(c *call, _ []uint64) {
					if err := c.ctx.Err(); err != nil {
						panic(err)
					}
				}),
			},
			"wasi_snapshot_preview1": {
				"environ_get": none("ii"), "fd_close": none("i"), "fd_fdstat_get": none("ii"), "fd_seek": none("ilii"), "fd_write": none("iiii"),
				"environ_sizes_get": function("ii", "i", func(c *call, stack []uint64) {
					c.put(stack[0], make([]byte, 4))
					c.put(stack[1], make([]byte, 4))
					stack[0] = 0
				}),
				"proc_exit": function("i", "", func(_ *call, stack []uint64) { panic(fmt.Errorf("exit %d", stack[0])) }),
			},
		},
	}
}

// glslVersion finds a source's #version.
var glslVersion = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*version[ \t]+(\d+)(?:[ \t]+(core|compatibility|es))?[ \t]*(?://.*)?\r?$`)

// glslKind is what instances are warm for: a version, whose built-in names take glslang most of a second to
// read. "" is any other.
func glslKind(source string) string {
	m := glslVersion.FindStringSubmatch(source)
	if m == nil {
		return ""
	}
	switch kind := strings.TrimSuffix(m[1]+m[2], "core"); kind {
	case "140", "150", "330", "400", "410", "420", "430", "440", "450", "460", "310es", "320es":
		return kind
	default:
		return ""
	}
}

// glslWarm compiles what is least in a version.
func glslWarm(c *call, kind string) {
	version, es := strings.CutSuffix(kind, "es")
	source := "#version " + version
	if es {
		source += " es"
	}
	u := &glslUnit{options: &Options{Stage: Vertex, Entry: "main", Target: Vulkan13}, base: "-", lines: lines{}, paths: map[string]string{}}
	_, _ = u.compile(c, source+"\nvoid main() {}\n")
}

// glslInclude is host_include of front.cpp.
func (c *call) glslInclude(stack []uint64) {
	name, from, local, depth, length := c.text(stack[0]), c.text(stack[1]), uint32(stack[2]) != 0, int(int32(stack[3])), stack[4]
	stack[0] = 0
	if c.include == nil {
		return
	}
	if data, ok := c.include(name, from, local, depth); ok {
		at := c.alloc(data)
		c.put(length, []byte{byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), byte(len(data) >> 24)})
		stack[0] = at
	}
}

// alloc puts bytes and a zero byte into memory that release takes back.
func (c *call) alloc(data []byte) uint64 {
	at := c.do("alloc", uint64(len(data)+1))[0]
	if at == 0 {
		panic(trap{fmt.Errorf("no memory for %d bytes", len(data))})
	}
	c.put(at, append(slices.Clip(data), 0))
	return at
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

// includes finds directives that include, and the extensions by which a source may have them.
var (
	includes          = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include\b`)
	includeExtensions = regexp.MustCompile(`GL_GOOGLE_include_directive|GL_ARB_shading_language_include|GL_GOOGLE_cpp_style_line_directive`)
)

// preamble is what stands before the source. Nothing is there that it does not need: the
// module lists extensions.
func (o *Options) preamble(source string) (string, error) {
	var b strings.Builder
	if o.Include != nil && includes.MatchString(source) && !includeExtensions.MatchString(source) {
		b.WriteString("#extension GL_GOOGLE_include_directive : require\n")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		value := o.Defines[name]
		if !identifier.MatchString(name) {
			return "", o.fail(fmt.Sprintf("Options.Defines: %q is no name of a macro", name))
		}
		if strings.ContainsAny(value, "\n\r\\\x00") || len(value) > maxDefine {
			return "", o.fail(fmt.Sprintf("Options.Defines: the value of %s is more than a line", name))
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	return b.String(), nil
}

// glslUnit compiles one GLSL source.
type glslUnit struct {
	options *Options
	preamble,
	base string // the source's name for glslang and its includes
	left     int // bytes that may still be included
	included bool
	lines    lines
	// paths are the files of names in directives, which is what glslang calls them by.
	paths map[string]string
}

// include reads a file for glslang. Names never leave Options.Include.
func (u *glslUnit) include(name, from string, local bool, depth int) ([]byte, bool) {
	u.included = true
	if u.options.Include == nil || depth > maxIncludeDepth {
		return nil, false
	}
	candidates := []string{path.Clean(name)}
	if local {
		from = cmp.Or(u.paths[from], from)
		candidates = []string{path.Join(path.Dir(from), name), path.Clean(name)}
	}
	for _, file := range candidates {
		if !fs.ValidPath(file) {
			continue
		}
		f, err := u.options.Include.Open(file)
		if err != nil {
			continue
		}
		data, err := readAll(f, u.left)
		_ = f.Close()
		if err != nil {
			continue
		}
		u.left -= len(data)
		u.lines[name], u.paths[name] = splitLines(string(data)), file
		return data, true
	}
	return nil, false
}

// compile runs glslang.
func (u *glslUnit) compile(c *call, source string) (*result, error) {
	o := u.options
	c.include = u.include
	var args []uint64
	for _, s := range []string{source, u.base, u.preamble, o.Entry} {
		args = append(args, c.alloc([]byte(s)))
	}
	debug := uint64(0)
	if o.Debug {
		debug = 1
	}
	ok := c.do("compile", args[0], args[1], args[2], args[3], stages[o.Stage].number, uint64(o.Target-Vulkan10), spirvMinor[o.Target], debug)[0]
	for _, at := range args {
		c.do("release", at)
	}
	said := u.parse(string(c.bytes(c.do("messages")[0], c.do("messages_bytes")[0])))
	if uint32(ok) == 0 {
		if !slices.ContainsFunc(said, func(d Diagnostic) bool { return !d.Warning }) {
			said = append(said, Diagnostic{File: o.file(), Message: "glslang made nothing of it, and says not why"})
		}
		return nil, &Error{Diagnostics: said}
	}
	return &result{SPIRV: c.bytes(c.do("code")[0], 4*c.do("code_words")[0]), Warnings: said, included: u.included}, nil
}

// glslMessage is a line of glslang's log: what it is, where, and what is said.
var (
	glslMessage = regexp.MustCompile(`^(ERROR|INTERNAL ERROR|UNIMPLEMENTED|WARNING|NOTE): (?:(.*?):(\d+)(?::(\d+))?: )?(.*)$`)
	glslToken   = regexp.MustCompile(`^'(.*?)' : *(.*)$`)
	glslEnd     = regexp.MustCompile(`^(compilation terminated|\d+ compilation errors?\.  No code generated\.)`)
)

// parse reads glslang's log.
func (u *glslUnit) parse(log string) []Diagnostic {
	var list []Diagnostic
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, " \r\n")
		m := glslMessage.FindStringSubmatch(line)
		if m == nil {
			if line != "" && len(list) > 0 { // more of the one before
				list[len(list)-1].Message += "; " + clean(strings.TrimSpace(line))
			}
			continue
		}
		d := Diagnostic{File: m[2], Warning: m[1] == "WARNING" || m[1] == "NOTE", Message: m[5]}
		d.Line, _ = strconv.Atoi(m[3])
		d.Column, _ = strconv.Atoi(m[4])
		token := ""
		if t := glslToken.FindStringSubmatch(d.Message); t != nil {
			if token, d.Message = t[1], t[2]; token != "" {
				d.Message = "'" + token + "': " + t[2]
			}
		}
		if glslEnd.MatchString(strings.TrimPrefix(d.Message, "'': ")) {
			continue
		}
		u.lines.place(&d)
		d.find(token)
		if d.File == u.base || d.Line == 0 {
			d.File = u.options.file()
		} else {
			d.File = cmp.Or(u.paths[d.File], d.File)
		}
		d.Message, d.File = clean(d.Message), clean(d.File)
		list = append(list, d)
	}
	return list
}

// find moves the column, in bytes up to here, to the token that is talked about: glslang often knows only where it noticed.
func (d *Diagnostic) find(token string) {
	at := min(d.Column, len(d.Source)) - 1
	if token != "" && d.Line > 0 {
		best := -1
		for from := 0; ; {
			i := strings.Index(d.Source[from:], token)
			if i < 0 {
				break
			}
			i += from
			if best < 0 || i <= at {
				best = i
			}
			from = i + 1
		}
		if best >= 0 {
			at, d.Width = best, utf8.RuneCountInString(token)
		}
	}
	if at < 0 {
		d.Column = 0
		return
	}
	d.Column = utf8.RuneCountInString(d.Source[:at]) + 1
}
