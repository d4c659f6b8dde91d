package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/shader"
)

type shaderOptions struct {
	limits
	stage, language, entry, target, output, include string
	defines, constants                              []string
	debug, vulkanClip, noCache, json                bool
}

func shaderCommand() *cobra.Command {
	var o shaderOptions
	cmd := &cobra.Command{
		Use:   "shader FILE",
		Short: "Compile WGSL or GLSL to SPIR-V, check it, and say what it wants of a pipeline",
		Long: `Compile a shader to SPIR-V, check it as a device does, and print its entry points with their inputs,
outputs, descriptors, push constants and specialization constants, and the instructions that have no
machine code on this machine, which run tens of times slower.

FILE.wgsl is WGSL; FILE.vert, .tesc, .tese, .geom, .frag, .comp, .task and .mesh, with .glsl behind
or not, are GLSL; SPIR-V is known by itself. - reads standard input.`,
		Example: `  pumice shader triangle.wgsl
  pumice shader blur.comp -D RADIUS=4 -o blur.spv
  pumice shader reduce.wgsl --constant N=64
  cat effect.glsl | pumice shader - --stage fragment --json`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := o.begin(cmd.Context(), 1)
			if err != nil {
				return err
			}
			return w.end(o.run(w, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), args[0]))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write the SPIR-V to this file; -: to standard output, instead of the description")
	f.StringVar(&o.stage, "stage", "", "stage of GLSL: vertex, tesscontrol, tesseval, geometry, fragment, compute, task or mesh; default: by FILE's suffix")
	f.StringVar(&o.language, "language", "", "wgsl or glsl; default: by FILE's suffix")
	f.StringVar(&o.entry, "entry", "", "name that the entry point of GLSL gets, or that one of WGSL must have")
	f.StringVar(&o.target, "target", "1.3", "version of Vulkan to compile GLSL for: 1.0, 1.1, 1.2 or 1.3")
	f.StringArrayVarP(&o.defines, "define", "D", nil, "macro of GLSL, NAME or NAME=VALUE; may be given again")
	f.StringArrayVar(&o.constants, "constant", nil, "value of an override of WGSL, NAME=VALUE, or ID=VALUE where it has an @id; may be given again")
	f.StringVar(&o.include, "include", "", "folder whose files GLSL may include; default: the working folder, or FILE's where that is elsewhere")
	f.BoolVarP(&o.debug, "debug", "g", false, "keep source and lines of GLSL in the SPIR-V")
	f.BoolVar(&o.vulkanClip, "vulkan-clip", false, "WGSL: leave positions as they are, y down as in Vulkan")
	f.BoolVar(&o.noCache, "no-cache", false, "keep nothing on disk, and use nothing from there")
	f.BoolVar(&o.json, "json", false, "print the description as JSON")
	o.add(cmd)
	return cmd
}

// maxShaderSource bounds a source, and its includes with it.
const maxShaderSource = shader.DefaultMaxSource

func (o *shaderOptions) run(w *work, stdin io.Reader, stdout, stderr io.Writer, file string) error {
	options, err := o.options(file)
	if err != nil {
		return err
	}
	w.doing = "reading " + file
	source, err := o.read(w, stdin, file)
	if err != nil {
		return err
	}
	code := source
	if isSPIRV(source) && len(o.constants) > 0 {
		return usagef("--constant: %s is SPIR-V, whose specialization constants get their values from a pipeline", file)
	}
	if !isSPIRV(source) {
		w.doing = "compiling " + file
		options.Warn = func(d shader.Diagnostic) { fmt.Fprintln(stderr, d.Detail()) }
		if code, err = o.compile(w, file, string(source), options); err != nil {
			return flagWords(err)
		}
	}
	w.doing = "checking " + file
	r, err := shader.Reflect(code)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if o.output == "-" {
		_, err = stdout.Write(code)
	} else if o.output != "" {
		err = replaceFile(o.output, 0o644, func(f io.Writer) error {
			_, err := f.Write(code)
			return err
		})
		if err != nil {
			err = fmt.Errorf("%s: cannot write: %w", o.output, cause(err))
		}
	}
	if err == nil && o.output != "-" {
		err = o.tell(stdout, file, code, r)
	}
	for _, e := range r.EntryPoints {
		if e.Unsupported != "" && err == nil {
			err = fmt.Errorf("%s: no device of Pumice takes entry point %s: %s", file, e.Name, e.Unsupported)
		}
	}
	return err
}

// isSPIRV looks for the number that SPIR-V begins with, in either byte order.
func isSPIRV(data []byte) bool {
	const magic = 0x07230203
	return len(data) >= 4 && (binary.LittleEndian.Uint32(data) == magic || binary.BigEndian.Uint32(data) == magic)
}

// options are those of the flags.
func (o *shaderOptions) options(file string) (shader.Options, error) {
	s := shader.Options{Name: file, Entry: o.entry, Debug: o.debug, VulkanClip: o.vulkanClip, Defines: map[string]string{}}
	if file == "-" {
		s.Name = "standard input"
	}
	var ok bool
	if o.stage != "" {
		if s.Stage, ok = shader.ParseStage(o.stage); !ok {
			return s, usagef("--stage %s: there are vertex, tesscontrol, tesseval, geometry, fragment, compute, task and mesh", o.stage)
		}
	}
	if s.Language, ok = map[string]shader.Language{"": 0, "wgsl": shader.WGSL, "glsl": shader.GLSL}[strings.ToLower(o.language)]; !ok {
		return s, usagef("--language %s: there are wgsl and glsl", o.language)
	}
	if s.Target, ok = map[string]shader.Target{"1.0": shader.Vulkan10, "1.1": shader.Vulkan11, "1.2": shader.Vulkan12, "1.3": shader.Vulkan13}[o.target]; !ok {
		return s, usagef("--target %s: there are 1.0, 1.1, 1.2 and 1.3", o.target)
	}
	for _, d := range o.defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		s.Defines[name] = value
	}
	for _, c := range o.constants {
		name, text, given := strings.Cut(c, "=")
		value, ok := number(text)
		if name == "" || !given || !ok {
			return s, usagef("--constant %s: NAME=VALUE has a number or true or false behind the =", c)
		}
		if _, twice := s.Constants[name]; twice {
			return s, usagef("--constant %s: %s has a value already", c, name)
		}
		if s.Constants == nil {
			s.Constants = map[string]float64{}
		}
		s.Constants[name] = value
	}
	return s, nil
}

// number reads the value of a constant.
func number(text string) (float64, bool) {
	switch text {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n), true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// flagWords says with the command's flags what package shader says with its options.
func flagWords(err error) error {
	var e *shader.Error
	if errors.As(err, &e) {
		words := strings.NewReplacer(
			"set Options.Language, or a Name that tells it", "give --language or --stage, or a FILE whose name tells it",
			"set Options.Stage, or a Name that tells it", "give --stage, or a FILE whose name tells it",
			"set Options.Target to Vulkan11 or later", "give --target 1.1 or later",
			"Options.Constants are", "--constant is for",
			"Options.Constants", "--constant",
			"Options.Defines", "--define",
		)
		for i := range e.Diagnostics {
			e.Diagnostics[i].Message = words.Replace(e.Diagnostics[i].Message)
		}
	}
	return err
}

// read reads the file, or standard input, whole.
func (o *shaderOptions) read(w *work, stdin io.Reader, file string) ([]byte, error) {
	in, size := stdin, int64(-1)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		at, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if at.IsDir() {
			return nil, fmt.Errorf("%s is a folder", file)
		}
		in = f
	}
	const most = 64 << 20 // SPIR-V is larger than its source
	data, err := input.ReadAll(w.ctx, io.LimitReader(in, most+1), size, w.budget)
	if err == nil && len(data) > most {
		err = errors.New("more than 64 MiB is no shader")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s is empty", file)
	}
	return data, nil
}

// includeRoot is the folder that a source may include from, and the source's in it: what the flag says, or the
// working folder, or that of the source where it lies elsewhere.
func (o *shaderOptions) includeRoot(file string) (root, folder string) {
	root = cmp.Or(o.include, ".")
	if file == "-" {
		return root, ""
	}
	at, err := filepath.Abs(filepath.Dir(file))
	if here, err2 := filepath.Abs(root); err == nil && err2 == nil {
		if rel, err := filepath.Rel(here, at); err == nil && filepath.IsLocal(rel) {
			return root, filepath.ToSlash(rel)
		}
	}
	if o.include != "" {
		return root, ""
	}
	return filepath.Dir(file), ""
}

// compile compiles what is no SPIR-V yet.
func (o *shaderOptions) compile(w *work, file, source string, s shader.Options) ([]byte, error) {
	at, folder := o.includeRoot(file)
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot include from it: %w", at, cause(err))
	}
	defer root.Close()
	s.Include, s.Folder = root.FS(), folder
	memory := min(shader.DefaultMaxMemory, w.budget.Limit()-w.budget.Used())
	c := shader.NewCompiler(shader.Config{NoCache: o.noCache, MaxSource: maxShaderSource, MaxMemory: memory})
	defer c.Close()
	if err := w.budget.Take(memory); err != nil {
		return nil, err
	}
	defer w.budget.Give(memory)
	return c.Compile(w.ctx, source, s)
}

// tell describes the module.
func (o *shaderOptions) tell(out io.Writer, file string, code []byte, r *shader.Reflection) error {
	left, err := shader.Interpreted(code)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			File  string `json:"file"`
			Bytes int    `json:"bytes"`
			*shader.Reflection
			Interpreted []shader.Instructions `json:"interpreted,omitempty"`
		}{file, len(code), r, left})
	}
	var b strings.Builder
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s%s\n", label, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	line("file", "%s (SPIR-V %s, %d bytes)", file, r.Version, len(code))
	line("capabilities", "%s", strings.Join(r.Capabilities, ", "))
	for _, e := range r.EntryPoints {
		taken := "devices take it"
		if e.Unsupported != "" {
			taken = "no device takes it: " + e.Unsupported
		}
		line("entry point", "%s (%s): %s", e.Name, e.Stage, taken)
		if e.Workgroup != [3]uint32{} {
			line("  workgroup", "%d × %d × %d", e.Workgroup[0], e.Workgroup[1], e.Workgroup[2])
		}
		for _, v := range e.Inputs {
			line("  input", "%s", variableText(v))
		}
		for _, v := range e.Outputs {
			line("  output", "%s", variableText(v))
		}
		for _, d := range e.Bindings {
			line("  binding", "%s", bindingText(d))
			blockText(&b, d.Block)
		}
		if p := e.PushConstants; p != nil {
			line("  push", "%d bytes  %s", p.Bytes, p.Name)
			blockText(&b, p)
		}
		for _, c := range e.Constants {
			line("  constant", "%d  %s %s = %v", c.ID, c.Type, c.Name, c.Default)
		}
		for _, x := range left {
			if x.EntryPoint == e.Name {
				line("  interpreted", "%d × %s  %s%s", x.Count, x.Name, x.Why, placeText(x.Source))
			}
		}
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// placeText is a place in a source behind a clause.
func placeText(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

func variableText(v shader.Variable) string {
	if v.BuiltIn != "" {
		return fmt.Sprintf("%s  %s", v.BuiltIn, v.Type)
	}
	at := fmt.Sprintf("location %d", v.Location)
	if v.Component > 0 {
		at += fmt.Sprintf(" component %d", v.Component)
	}
	return fmt.Sprintf("%s  %s %s", at, v.Type, v.Name)
}

func bindingText(d shader.Binding) string {
	s := fmt.Sprintf("set %d binding %d  %s", d.Set, d.Binding, d.Kind)
	switch d.Count {
	case 0:
		s += "[]"
	case 1:
	default:
		s += fmt.Sprintf("[%d]", d.Count)
	}
	if d.Image != "" {
		s += " " + d.Image
	}
	if d.Block != nil {
		s += fmt.Sprintf(" of %d bytes", d.Block.Bytes)
		if d.Block.Stride > 0 {
			s += fmt.Sprintf(" and %d an element", d.Block.Stride)
		}
	}
	if d.ReadOnly && strings.HasPrefix(d.Kind, "storage") {
		s += ", read only"
	}
	return s + "  " + d.Name
}

func blockText(b *strings.Builder, block *shader.Block) {
	if block == nil {
		return
	}
	for _, m := range block.Members {
		fmt.Fprintf(b, "%16s%5d  %s %s\n", "", m.Offset, m.Type, m.Name)
	}
}
