package shader

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Language is the language of a source.
type Language uint8

// The languages. The zero value is that of the source's name.
const (
	WGSL Language = iota + 1
	GLSL
)

func (l Language) String() string {
	switch l {
	case WGSL:
		return "WGSL"
	case GLSL:
		return "GLSL"
	default:
		return "no language"
	}
}

// Stage is the stage that a GLSL source is for. WGSL says it itself.
type Stage uint8

// The stages. The zero value is that of the source's name, or of its #pragma shader_stage.
const (
	Vertex Stage = iota + 1
	TessControl
	TessEvaluation
	Geometry
	Fragment
	Compute
	Task
	Mesh
)

// stages are the names of stages: suffix of files, word of #pragma shader_stage, and
// number in glslang.
var stages = [...]struct {
	suffix, word string
	number       uint64
}{
	Vertex:         {".vert", "vertex", 0},
	TessControl:    {".tesc", "tesscontrol", 1},
	TessEvaluation: {".tese", "tesseval", 2},
	Geometry:       {".geom", "geometry", 3},
	Fragment:       {".frag", "fragment", 4},
	Compute:        {".comp", "compute", 5},
	Task:           {".task", "task", 12},
	Mesh:           {".mesh", "mesh", 13},
}

func (s Stage) String() string {
	if s == 0 || int(s) >= len(stages) {
		return "no stage"
	}
	return stages[s].word
}

// ParseStage finds a stage by its word ("vertex", "tesscontrol", "tesseval", "geometry",
// "fragment", "compute", "task", "mesh") or its suffix ("vert", ".vert").
func ParseStage(word string) (Stage, bool) {
	word = strings.ToLower(word)
	for s := Vertex; int(s) < len(stages); s++ {
		if word == stages[s].word || "."+strings.TrimPrefix(word, ".") == stages[s].suffix {
			return s, true
		}
	}
	return 0, false
}

// Target is the version of Vulkan whose SPIR-V glslang writes. naga writes SPIR-V 1.0. A module is valid for its version of
// Vulkan and for all later ones.
type Target uint8

// The targets. The zero value means Vulkan13.
const (
	Vulkan10 Target = iota + 1 // SPIR-V 1.0
	Vulkan11                   // SPIR-V 1.3
	Vulkan12                   // SPIR-V 1.5
	Vulkan13                   // SPIR-V 1.6
)

// spirvMinor is the minor version of SPIR-V that goes with a target.
var spirvMinor = [...]uint64{Vulkan10: 0, Vulkan11: 3, Vulkan12: 5, Vulkan13: 6}

// Options are what a source is compiled with. Mostly Name is enough.
type Options struct {
	// Name is the file's name, for messages, and for what the next two do not say: ".wgsl" is
	// WGSL; ".vert", ".tesc", ".tese", ".geom", ".frag", ".comp", ".task" and ".mesh", with
	// ".glsl" behind or not, are GLSL.
	Name     string
	Language Language
	// Stage is that of a GLSL source.
	Stage Stage
	// Entry is the name that the entry point of a GLSL source, its main, gets in the module; ""
	// means "main". A WGSL module has all its entry points under their own names; one that is
	// named here has to be among them.
	Entry string
	// Defines are macros of GLSL, by name.
	Defines map[string]string
	// Constants are values of WGSL's overrides, by name or, where one has an @id, by that number, as WebGPU's pipelines
	// have them: true is 1. What the type of one does not have is an error. An override that functions and
	// @workgroup_size alone have becomes a specialization constant, too, which begins with that value: its SpecId is its
	// @id, else the lowest number that is free, in the order of the source (Reflect lists them). Lengths of arrays and
	// values of other overrides are settled here.
	Constants map[string]float64
	// Include has the files that GLSL includes (as GL_GOOGLE_include_directive has it): "x" is beside the file
	// that includes it, or at the root; <x> is at the root. nil: there are none. Folder is the source's in it; ""
	// is its root.
	Include fs.FS
	Folder  string
	// Target is the version to compile GLSL for.
	Target Target
	// Debug keeps the source and its lines in the module, so that explanations show them, with the
	// values that variables get. Names are always there. WGSL takes twice the time.
	Debug bool
	// VulkanClip leaves the positions of a WGSL vertex shader as they are, y down, as Vulkan has
	// clip space. Otherwise their y is negated, so that pictures are what WebGPU draws.
	VulkanClip bool
	// Warn, if not nil, is called for each warning before Compile returns.
	Warn func(Diagnostic)
}

// pragma finds the stage that a source names itself, as glslc has it.
var pragma = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*pragma[ \t]+shader_stage\([ \t]*([a-z]+)[ \t]*\)`)

// fill completes the options with what the name and the source say.
func (o *Options) fill(source string) error {
	name, glsl := strings.CutSuffix(strings.ToLower(path.Base(strings.ReplaceAll(o.Name, `\`, "/"))), ".glsl")
	byName, _ := ParseStage(path.Ext(name))
	if o.Language == 0 {
		switch {
		case path.Ext(name) == ".wgsl":
			o.Language = WGSL
		case byName != 0 || o.Stage != 0 || glsl:
			o.Language = GLSL
		default:
			return o.fail("set Options.Language, or a Name that tells it, such as x.wgsl or x.frag: the language is not known")
		}
	}
	if o.Language > GLSL {
		return o.fail("Options.Language is none of the languages")
	}
	if o.Entry == "" && o.Language == GLSL {
		o.Entry = "main"
	}
	if strings.ContainsRune(o.Entry, 0) {
		return o.fail("Options.Entry holds a zero byte")
	}
	if o.Target == 0 {
		o.Target = Vulkan13
	}
	if o.Target > Vulkan13 {
		return o.fail("Options.Target is none of the targets")
	}
	if o.Language == WGSL {
		return nil
	}
	if len(o.Constants) > 0 {
		return o.fail("Options.Constants are WGSL's overrides: a pipeline gives GLSL's constant_id their values (pumice.Shader.Constants)")
	}
	if o.Stage == 0 {
		o.Stage = byName
	}
	if m := pragma.FindStringSubmatch(source); o.Stage == 0 && m != nil {
		o.Stage, _ = ParseStage(m[1])
	}
	if o.Stage == 0 {
		return o.fail("set Options.Stage, or a Name that tells it, such as x.vert: the stage of the GLSL is not known")
	}
	if int(o.Stage) >= len(stages) {
		return o.fail("Options.Stage is none of the stages")
	}
	return nil
}

// fail is an error about the whole source.
func (o *Options) fail(message string) *Error {
	return &Error{Diagnostics: []Diagnostic{{File: o.file(), Message: message}}}
}

// file is the source's name in messages.
func (o *Options) file() string {
	if o.Name == "" {
		return "shader"
	}
	return o.Name
}
