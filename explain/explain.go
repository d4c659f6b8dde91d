// Package explain holds what an explained sample tells: every command that touched it
// or could have, in order, and of each fragment why it has the value it has, step by
// step, each with its rule (docs/rules).
//
// pumice.Device.Explain makes explanations, WriteText writes them for people, and
// encoding/json with the names below for programs. The names stay: see Version.
package explain

import (
	"slices"

	"github.com/pumice-gpu/pumice/internal/rules/catalogue"
)

// Version is that of the JSON: docs/explain.schema.json. It grows by one when a name goes or what
// stands under a name changes its meaning; new names leave it as it is.
const Version = 1

// Explanation is the history of one sample of an image.
type Explanation struct {
	// Version is the Version of what made the explanation; Judge fills it in.
	Version int    `json:"version"`
	Target  Target `json:"target"`
	// Verdict is what matters most, in at most three lines.
	Verdict []string `json:"verdict"`
	// Before is the value when the first command began, After when the last had
	// ended: the bytes of the image.
	Before Value   `json:"before"`
	After  Value   `json:"after"`
	Events []Event `json:"events"`
	// Stored is what a texel was decoded from that has no bytes of its own: its block, or a texel of
	// each plane, when the last command had ended.
	Stored []Stored `json:"stored,omitempty"`
	// Hints are changes that the verdict speaks of, in the order of its lines.
	Hints []Hint `json:"hints,omitempty"`
	// Dropped counts events and fragments that were left out, because there were more than are kept.
	Dropped int `json:"dropped,omitempty"`
}

// Target is a sample of an image, or a word of a buffer.
type Target struct {
	// Buffer is the label of the buffer whose 32 bits from byte Offset on it is; then Width is its
	// size, and the names of images say nothing.
	Buffer string `json:"buffer,omitempty"`
	Offset uint64 `json:"offset,omitempty"`

	Image  string `json:"image"`  // its label
	Format string `json:"format"` // VK_FORMAT_…
	Width  int    `json:"width"`
	Height int    `json:"height"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Level  int    `json:"level"`
	Layer  int    `json:"layer"`
	Sample int    `json:"sample"`
	// Samples is how many the image has.
	Samples int `json:"samples"`
}

// Stored is a block of a compressed image, or a texel of a plane.
type Stored struct {
	Plane int `json:"plane"`
	// X and Y count blocks, or texels of the plane; Width by Height texels of the image share it.
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
	// Offset is its first byte in the memory of the image, or of the plane where each has its own.
	Offset uint64 `json:"offset"`
	Bits   string `json:"bits"` // as those of a Value
}

// Value is a value with its exact bits.
type Value struct {
	// Bits are the bytes in memory, in hexadecimal, lowest address first; of
	// numbers that are not in memory 32-bit words, "3f800000".
	Bits string `json:"bits"`
	// Text is for people: "0.50196, 0, 0, 1" (R, G, B, A), "0.51 · stencil 3".
	Text string `json:"text"`
	// Color is the value for a screen, "#80000000" as RRGGBBAA of sRGB; empty: it is no colour.
	Color string `json:"color,omitempty"`
}

// Named is a value with a name.
type Named struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// Kind is what an Event is.
type Kind string

// The kinds.
const (
	Load      Kind = "load"             // load operation of a pass: kept, cleared or undefined
	Draw      Kind = "draw"             // a draw, of which Draw tells more
	ClearRect Kind = "clearAttachments" // vkCmdClearAttachments
	Resolve   Kind = "resolve"          // resolve at the end of a pass, or vkCmdResolveImage
	Clear     Kind = "clear"            // vkCmdClearColorImage, vkCmdClearDepthStencilImage
	Copy      Kind = "copy"             // copies to the image, from an image or a buffer
	Blit      Kind = "blit"
	Dispatch  Kind = "dispatch" // a compute shader that stored to it
	Store     Kind = "store"    // a shader of a draw that stored to it, and was no output
	Host      Kind = "host"     // written by the host
	Barrier   Kind = "barrier"  // a layout transition that loses the contents, or one that is missing
)

// Outcome is what came of an event, a primitive or a fragment for the sample.
type Outcome string

// The outcomes.
const (
	Wrote     Outcome = "wrote"     // the sample was written, be it with the value it had
	Unchanged Outcome = "unchanged" // it was reached, but nothing was written
	Missed    Outcome = "missed"    // it was not reached; Reason says why
)

// Event is one command, or the part of a pass, that touched the sample or could have.
type Event struct {
	Kind Kind `json:"kind"`
	// Where is the command for people: "pass 2, draw 17 (opaque)". Pass, Index count
	// from 0 in the submission: passes, and draws in the pass or other commands.
	Where string `json:"where"`
	Pass  int    `json:"pass"`
	Index int    `json:"index"`
	// Ordinal counts the draws of passes that draw to watched samples, clears among them, since watching
	// began; a Hint names its draw by it. 0 of what is no draw.
	Ordinal int `json:"ordinal,omitempty"`
	// Labels are the debug labels open at the command, outermost first.
	Labels  []string `json:"labels,omitempty"`
	Outcome Outcome  `json:"outcome"`
	// Reason is one line: why the sample was missed, or why it kept its value.
	Reason string `json:"reason,omitempty"`
	Before Value  `json:"before"`
	After  Value  `json:"after"`
	Steps  []Step `json:"steps,omitempty"`
	// From is where a copy, blit or resolve took the value.
	From *Target `json:"from,omitempty"`
	// Through says how the value of From got here where no one command carried it: a buffer had the
	// same texels as an image that was copied to a buffer before, by the host mostly.
	Through string `json:"through,omitempty"`
	// Shader is the invocation of a dispatch or a draw that stored the value, up to the store, if that
	// was asked for.
	Shader *Shader `json:"shader,omitempty"`
	Draw   *Drawn  `json:"draw,omitempty"`
}

// WithoutShaders takes out what shaders computed, instruction by instruction. What the verdict says
// of it stays.
func (e *Explanation) WithoutShaders() {
	for i := range e.Events {
		if d := e.Events[i].Draw; d != nil {
			for k := range d.Fragments {
				d.Fragments[k].Shader, d.Fragments[k].Images, d.Fragments[k].Stages = nil, nil, nil
			}
		}
	}
}

// OfVertices takes out what earlier stages computed for vertices of primitives at other positions.
func (e *Explanation) OfVertices(positions ...int) {
	other := func(s Shader) bool {
		return !slices.ContainsFunc(s.Vertices, func(v int) bool { return slices.Contains(positions, v) })
	}
	for i := range e.Events {
		if d := e.Events[i].Draw; d != nil {
			for k := range d.Fragments {
				d.Fragments[k].Stages = slices.DeleteFunc(d.Fragments[k].Stages, other)
			}
		}
	}
}

// Step is one step of what happened: a rule, and the numbers that came of it.
type Step struct {
	Rule  string `json:"rule,omitempty"` // "RAS-325"; empty: no rule of the catalogues
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
	// Failed: here it ended for the sample.
	Failed bool    `json:"failed,omitempty"`
	Values []Named `json:"values,omitempty"`
}

// NewStep is a step with the title of its rule.
func NewStep(rule, text string) Step {
	return Step{Rule: rule, Title: catalogue.Title(rule), Text: text}
}

// Drawn tells of a draw.
type Drawn struct {
	// Primitives counts those of the draw, Elsewhere those that come nowhere near the pixel.
	Primitives int `json:"primitives"`
	Elsewhere  int `json:"elsewhere"`
	// Unseen are those that no pixel of the whole picture can show, by where they are instead.
	Unseen []Unseen `json:"unseen,omitempty"`
	// State is the pipeline state that matters, by Vulkan's names.
	State []Named `json:"state,omitempty"`
	// Fragments are the primitives that cover the pixel or would, had they not been
	// culled, clipped or scissored, in order.
	Fragments []Fragment `json:"fragments,omitempty"`
}

// Unseen are primitives of a draw that are all in one place where no pixel shows them.
type Unseen struct {
	Where      string    `json:"where"` // "behind the eye (w < 0)"
	Primitives int       `json:"primitives"`
	First      Primitive `json:"first"`
}

// Fragment is a primitive at the sample, and what became of it.
type Fragment struct {
	Primitive Primitive `json:"primitive"`
	Outcome   Outcome   `json:"outcome"`
	// Reason is one line where the sample was not written: "depth 0.51 is not LESS than 0.5".
	Reason string `json:"reason,omitempty"`
	// Stopped is what kept a primitive from being written that covers the sample, or would without the
	// first of them: that is where it ended, and the others would have stopped it next, by what the
	// sample held then. Empty: it was written, or covers nothing.
	Stopped []Stop `json:"stopped,omitempty"`
	// Before and After are the value around this primitive.
	Before Value `json:"before"`
	After  Value `json:"after"`
	// Steps are all that happened, in order: culling, set-up, coverage, tests,
	// shading, blending, writing.
	Steps []Step `json:"steps"`
	// Coverage is which samples of the pixel are inside; nil: not rasterized.
	Coverage *Coverage `json:"coverage,omitempty"`
	// Width and Height are the pixels of the fragment (1, 1 without shading rates).
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Inputs are those of the fragment shader, Outputs what it wrote; nil: it did not run.
	Inputs  []Named `json:"inputs,omitempty"`
	Outputs []Named `json:"outputs,omitempty"`
	// Stages are the invocations of earlier stages that the primitive came from, in the order of the
	// pipeline, if that was asked for.
	Stages []Shader `json:"stages,omitempty"`
	// Shader is the shader, instruction by instruction, if that was asked for.
	Shader  *Shader    `json:"shader,omitempty"`
	Images  []Image    `json:"images,omitempty"`
	Depth   *DepthTest `json:"depth,omitempty"`
	Stencil *Stencil   `json:"stencil,omitempty"`
	Blend   *Blend     `json:"blend,omitempty"`
}

// Primitive is a point, line or triangle.
type Primitive struct {
	// ID is PrimitiveId, Instance the InstanceIndex, View the ViewIndex.
	ID       int `json:"id"`
	Instance int `json:"instance"`
	View     int `json:"view"`
	Layer    int `json:"layer"`
	Viewport int `json:"viewport"`
	// Provoking is the position in Vertices of the provoking vertex.
	Provoking int      `json:"provoking"`
	Vertices  []Vertex `json:"vertices"`
	// Front says that it is front-facing, Area is twice its signed area in pixels (of triangles).
	Front bool    `json:"front"`
	Area  float64 `json:"area"`
}

// Vertex is a vertex as the last stage before rasterization left it.
type Vertex struct {
	// Index is the VertexIndex; -1: not known, as behind geometry shaders.
	Index int `json:"index"`
	// Position is in clip space, Window x, y in pixels (y down) and depth; Window is
	// nil where the vertex is cut away or not finite.
	Position [4]Value    `json:"position"`
	Window   *[3]float64 `json:"window,omitempty"`
	Inputs   []Named     `json:"inputs,omitempty"`
	Outputs  []Named     `json:"outputs,omitempty"`
}

// Coverage is the coverage of the pixel.
type Coverage struct {
	// Samples are all of the pixel.
	Samples []Sample `json:"samples"`
	// Edges are the edge functions that decide, in units of 1/65536 pixel² where exact.
	Edges []Edge `json:"edges,omitempty"`
}

// Sample is a sample of the pixel: where it is in it (0 to 1), whether the primitive
// covers it, and what is left of it after each of the sample mask, the shader and the tests.
type Sample struct {
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Covered bool    `json:"covered"`
	Left    bool    `json:"left"`
}

// Edge is an edge in window coordinates, pixels, with the function's value at the
// sample: positive inside; Tie says what zero would be, inside or not (the top-left rule).
type Edge struct {
	X0     float64 `json:"x0"`
	Y0     float64 `json:"y0"`
	X1     float64 `json:"x1"`
	Y1     float64 `json:"y1"`
	Value  float64 `json:"value"`
	Tie    bool    `json:"tie"`
	Inside bool    `json:"inside"`
}

// DepthTest is depth bounds and depth test of the sample.
type DepthTest struct {
	Fragment Value  `json:"fragment"` // zf, after clamping and as stored
	Stored   Value  `json:"stored"`   // za
	Op       string `json:"op"`       // "LESS"; empty: the test is off
	Pass     bool   `json:"pass"`
	Written  bool   `json:"written"`
}

// Stencil is the stencil test of the sample.
type Stencil struct {
	Face      string `json:"face"` // "front" or "back"
	Reference uint8  `json:"reference"`
	Stored    uint8  `json:"stored"`
	Compare   uint8  `json:"compareMask"`
	WriteMask uint8  `json:"writeMask"`
	Op        string `json:"op"` // the comparison
	Pass      bool   `json:"pass"`
	Action    string `json:"action"` // the operation: "KEEP", "REPLACE", …
	After     uint8  `json:"after"`
}

// Blend is blending or the logical operation, and the write, of the colour attachment.
type Blend struct {
	Enabled bool `json:"enabled"`
	// Source is the shader's output as it takes part, Second the output with index 1
	// where a factor names it, Destination what was there.
	Source      Value `json:"source"`
	Second      Value `json:"second,omitzero"`
	Destination Value `json:"destination"`
	// SourceFactor and DestinationFactor name the factors of colour and alpha
	// ("SRC_ALPHA, ONE"), the next two are their values by component.
	SourceFactor       string `json:"sourceFactor,omitempty"`
	DestinationFactor  string `json:"destinationFactor,omitempty"`
	SourceFactors      Value  `json:"sourceFactors,omitzero"`
	DestinationFactors Value  `json:"destinationFactors,omitzero"`
	// Op names the operations of colour and alpha ("ADD, ADD"), or the logical operation.
	Op     string `json:"op,omitempty"`
	Result Value  `json:"result"` // before it is encoded
	Mask   string `json:"mask"`   // the components written, "RGBA"
	Stored Value  `json:"stored"` // what the sample holds now
}

// Image is one image instruction of the shader.
type Image struct {
	Instruction string `json:"instruction"` // "texture(albedo)", or the SPIR-V name
	// Of is the image that it worked on: the size is that of level 0, X and Y say nothing; nil: a buffer, or none.
	Of     *Target `json:"of,omitempty"`
	Line   string  `json:"line,omitempty"`
	Steps  []Step  `json:"steps"`
	Texels []Texel `json:"texels,omitempty"`
	Result Value   `json:"result"`
}

// Texel is a texel that an instruction read, with its weight.
type Texel struct {
	Level  int     `json:"level"`
	Layer  int     `json:"layer"`
	X      int     `json:"x"`
	Y      int     `json:"y"`
	Z      int     `json:"z"`
	Sample int     `json:"sample,omitempty"`
	Weight float64 `json:"weight"`
	Value  Value   `json:"value"`
}

// Shader is a run of a shader for one invocation.
type Shader struct {
	Stage string `json:"stage"` // "fragment"
	Name  string `json:"name"`
	// Invocation says which one it is, "vertex 17, instance 2"; empty: that of the fragment.
	Invocation string `json:"invocation,omitempty"`
	// Vertices are the positions in Primitive.Vertices of those that it made, or had a part in.
	Vertices []int `json:"vertices,omitempty"`
	// Missing says why there are no steps.
	Missing string `json:"missing,omitempty"`
	// Sources are the source files that debug information holds.
	Sources []Source      `json:"sources,omitempty"`
	Steps   []Instruction `json:"steps"`
	// Dropped counts instructions that were run after the last that is kept.
	Dropped int `json:"dropped,omitempty"`
	// Images are image instructions; those of the fragment's shader are Fragment.Images.
	Images []Image `json:"images,omitempty"`
}

// Source is a source file.
type Source struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// Instruction is a SPIR-V instruction that was run: its text as spirv-dis writes it, the
// place in the source where that is known, and the value; Quad are those of the
// invocation's quad, itself included, where that was asked for.
type Instruction struct {
	Text   string  `json:"text"`
	Name   string  `json:"name,omitempty"` // OpName of the result
	File   string  `json:"file,omitempty"`
	Line   int     `json:"line,omitempty"`
	Column int     `json:"column,omitempty"`
	Value  Value   `json:"value"`
	Quad   []Value `json:"quad,omitempty"`
	// Stores is what an atomic operation left in memory; its Value is what was there.
	Stores Value `json:"stores,omitzero"`
	// Assigns is the variable of the source that has a new value from here on, of the whole of it
	// where that is known, or else the path of a part ("light.color"). Functions that call each other
	// may have variables of one name: Depth tells them apart. Nil: none has, or no debug information
	// says so.
	Assigns *Named `json:"assigns,omitempty"`
	// Depth is how many calls it is in.
	Depth int `json:"depth,omitempty"`
	// Of is what a load read from outside of the shader: "set 0, binding 0, byte 64". Variable numbers
	// the variable of the shader that a load or a store is of, by whatever pointer; 0: it is of none.
	Of       string `json:"of,omitempty"`
	Variable int    `json:"variable,omitempty"`
}
