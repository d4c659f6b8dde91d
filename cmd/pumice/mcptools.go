package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/pixels"
)

// The arguments of the tools. What a tag says is what clients are told.

type openIn struct {
	Path string `json:"path,omitempty" jsonschema:"a model or capture in the folder; none: a teapot"`

	Width   *int     `json:"width,omitempty" jsonschema:"of the picture of a model, in pixels; 1024"`
	Height  *int     `json:"height,omitempty" jsonschema:"of the picture of a model, in pixels; 1024"`
	Samples *int     `json:"samples,omitempty" jsonschema:"a pixel of a model has: 1, 4 or 8; 4"`
	Yaw     *float64 `json:"yaw,omitempty" jsonschema:"of the camera around a model, in degrees; 30"`
	Pitch   *float64 `json:"pitch,omitempty" jsonschema:"of the camera, in degrees up; 15"`
	Zoom    *float64 `json:"zoom,omitempty" jsonschema:"size of the model in the picture; 1"`
	Frame   *int     `json:"frame,omitempty" jsonschema:"of a capture, from 1; its last"`
}

// apply sets the flags that a client has chosen, and returns their names.
func (in *openIn) apply(o *explainOptions) (set map[string]bool) {
	set = map[string]bool{}
	choose(set, "width", in.Width, &o.width)
	choose(set, "height", in.Height, &o.height)
	choose(set, "samples", in.Samples, &o.samples)
	choose(set, "yaw", in.Yaw, &o.yaw)
	choose(set, "pitch", in.Pitch, &o.pitch)
	choose(set, "zoom", in.Zoom, &o.zoom)
	choose(set, "frame", in.Frame, &o.frame)
	return set
}

func choose[T any](set map[string]bool, name string, from, to *T) {
	if from != nil {
		*to, set[name] = *from, true
	}
}

type sceneIn struct {
	Scene string `json:"scene" jsonschema:"what open has answered as scene"`
}

type pixelIn struct {
	sceneIn
	X      int  `json:"x" jsonschema:"from the left, from 0"`
	Y      int  `json:"y" jsonschema:"from the top, from 0"`
	Sample *int `json:"sample,omitempty" jsonschema:"one sample; none: the pixel and all its samples"`

	Details bool `json:"details,omitempty" jsonschema:"every step with its rule and numbers: large"`
	Shader  bool `json:"shader,omitempty" jsonschema:"each instruction of fragment shaders, and their texels"`
	Vertex  *int `json:"vertex,omitempty" jsonschema:"each instruction of the stages that made this vertex of each primitive, 0 to 2"`
}

type tryIn struct {
	pixelIn
	Hint *int `json:"hint,omitempty" jsonschema:"of one of hints, from 0; none: all are tried"`
}

type followIn struct {
	pixelIn
	Image  *int  `json:"image,omitempty" jsonschema:"which read of the first draw with several to follow, from 0"`
	Images []int `json:"images,omitempty" jsonschema:"the same for each draw that read several"`
}

type diffIn struct {
	A         string  `json:"a" jsonschema:"a scene that is open, or the path of a picture"`
	B         string  `json:"b" jsonschema:"a scene that is open, or the path of a picture"`
	Tolerance float64 `json:"tolerance,omitempty" jsonschema:"of 255, by which a channel may differ"`
}

// The answers. docs/explain.schema.json is made of them.

// OpenAnswer is what open answers.
type OpenAnswer struct {
	Version int `json:"version"` // explain.Version
	// Scene is the name by which the other tools know it. The eighth before it is closed by then.
	Scene  string `json:"scene"`
	Title  string `json:"title"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	// Samples is how many a pixel of a model has; 0: of a capture.
	Samples int `json:"samples"`
	// Draws counts those of passes that draw to the picture.
	Draws int `json:"draws"`
	// Warnings say what the picture lacks.
	Warnings []string `json:"warnings,omitempty"`
}

// PixelAnswer is what pixel and try answer.
type PixelAnswer struct {
	// Explanations are the pixel's first, then those of its samples, or of where the value was copied
	// from.
	Explanations []*explain.Explanation `json:"explanations"`
}

// DrawsAnswer is what draws answers.
type DrawsAnswer struct {
	Version int          `json:"version"` // explain.Version
	Draws   []ListedDraw `json:"draws"`
}

// ListedDraw is a draw of a pass that draws to the picture, or to what is resolved or copied to it.
type ListedDraw struct {
	Image      string          `json:"image"` // the label of what it draws to
	Where      string          `json:"where"`
	Pass       int             `json:"pass"`  // as in events
	Index      int             `json:"index"` // as in events
	Labels     []string        `json:"labels,omitempty"`
	Primitives int             `json:"primitives"`
	State      []explain.Named `json:"state"` // by Vulkan's names
}

// DiffAnswer is what diff answers.
type DiffAnswer struct {
	Version int `json:"version"` // explain.Version
	// Pictures counts what differs, and names the first pixel that does.
	Pictures *diffReport `json:"pictures"`
	// EventA and EventB are the first events, one beside the other, after which that pixel differs;
	// nil: that scene has no more, or two picture files were compared. Why says why there are none.
	EventA *explain.Event `json:"eventA,omitempty"`
	EventB *explain.Event `json:"eventB,omitempty"`
	Why    string         `json:"why,omitempty"`
	// A and B are the explanations of the pixel.
	A []*explain.Explanation `json:"a,omitempty"`
	B []*explain.Explanation `json:"b,omitempty"`
}

// addMCPTools adds the tools to a server.
func addMCPTools(server *mcp.Server, s *mcpServer) {
	addTool(server, s, "open", "Open a model or a capture, and draw it.", s.open)
	addTool(server, s, "pixel",
		"Why a pixel has its value: verdict, history and hints. Samples tell more than their resolve.",
		s.pixel)
	addTool(server, s, "draws", "List the draws of the frame, with the state of their pipelines.",
		s.draws)
	addTool(server, s, "follow",
		"Follow a pixel's value through resolves, copies, blits and textures to where it was made.", s.follow)
	addTool(server, s, "try",
		"Do what each hint of a pixel's verdict advises, and tell what becomes of the pixel (tried).",
		s.try)
	addTool(server, s, "diff",
		"Compare two open scenes, or two picture files: which pixels differ, and why the first one does.",
		s.diff)
}

func (s *mcpServer) open(ctx context.Context, in openIn) (any, string, error) {
	subject, w, err := s.subject(context.WithoutCancel(ctx), in)
	if err != nil {
		return nil, "", err
	}
	c := &mcpScene{s: subject, w: w}
	if c.picture, c.first, err = subject.draw(c.work(ctx), subject.at(0, 0, -1, false)); err != nil {
		c.close()
		return nil, "", err
	}
	s.opened++
	c.id = fmt.Sprintf("scene%d", s.opened)
	if s.scenes = append(s.scenes, c); len(s.scenes) > mostScenes {
		s.scenes[0].close()
		s.scenes = slices.Delete(s.scenes, 0, 1)
	}
	size := c.picture.Bounds().Size()
	a := OpenAnswer{
		Version: explain.Version, Scene: c.id, Title: subject.title, Width: size.X, Height: size.Y,
		Samples: subject.samples, Draws: len(drawsOf(c.first)),
	}
	if subject.warned != nil {
		for line := range strings.Lines(subject.warned.String()) {
			a.Warnings = append(a.Warnings, strings.TrimPrefix(strings.TrimSpace(line), "pumice: warning: "))
		}
	}
	return a, fmt.Sprintf("%s is %s: %d × %d pixels, %d draws\n%s", a.Scene, a.Title, a.Width,
		a.Height, a.Draws,
		strings.Join(a.Warnings, "\n")), nil
}

func (s *mcpServer) pixel(ctx context.Context, in pixelIn) (any, string, error) {
	c, err := s.scene(in.Scene)
	if err != nil {
		return nil, "", err
	}
	es, _, err := c.explain(ctx, in)
	if err != nil {
		return nil, "", err
	}
	return in.answer(es)
}

// answer is explanations with as much of them as is asked for.
func (in *pixelIn) answer(es []*explain.Explanation) (any, string, error) {
	var b bytes.Buffer
	var of []int
	if in.Vertex != nil {
		of = append(of, *in.Vertex)
	}
	for _, e := range es {
		e.OfVertices(of...)
	}
	err := writeTexts(&b, es, explain.TextOptions{Verbose: in.Details || in.Shader || of != nil, Vertices: of})
	if !in.Details && !in.Shader && of == nil {
		brief(es)
	}
	return PixelAnswer{es}, b.String(), err
}

// brief leaves out primitives that were nowhere near being drawn, and of the others how that came
// about.
func brief(es []*explain.Explanation) {
	for _, e := range es {
		for i := range e.Events {
			d := e.Events[i].Draw
			if d == nil {
				continue
			}
			d.Fragments = slices.DeleteFunc(d.Fragments, func(f explain.Fragment) bool {
				return f.Outcome == explain.Missed && len(f.Stopped) == 0
			})
			for k := range d.Fragments {
				f := &d.Fragments[k]
				f.Steps, f.Coverage, f.Inputs, f.Outputs, f.Images = nil, nil, nil, nil, nil
				f.Primitive.Vertices = nil
			}
		}
	}
}

func (s *mcpServer) try(ctx context.Context, in tryIn) (any, string, error) {
	c, err := s.scene(in.Scene)
	if err != nil {
		return nil, "", err
	}
	es, at, err := c.explain(ctx, in.pixelIn)
	if err != nil {
		return nil, "", err
	}
	most := 0
	for _, e := range es {
		most = max(most, len(e.Hints))
		if n := in.Hint; n != nil {
			e.Hints = e.Hints[max(min(*n, len(e.Hints)), 0):max(min(*n+1, len(e.Hints)), 0)]
		}
	}
	if in.Hint != nil && (*in.Hint < 0 || *in.Hint >= most) {
		return nil, "", askErrorf(codeArgument, "hint %d: the pixel has %d, from 0", *in.Hint, most)
	}
	if err := tryAll(c.work(ctx), c.s, at, es); err != nil {
		return nil, "", err
	}
	return in.answer(es)
}

// drawsOf are the draws that explanations of one pixel name, whether they reach it or not.
func drawsOf(es []*explain.Explanation) []ListedDraw {
	list := []ListedDraw{}
	for _, e := range es {
		for _, v := range e.Events {
			d := ListedDraw{Image: e.Target.Image, Where: v.Where, Pass: v.Pass, Index: v.Index,
				Labels: v.Labels}
			if v.Draw == nil ||
				slices.ContainsFunc(list, func(o ListedDraw) bool {
					return o.Image == d.Image &&
						o.Where == d.Where
				}) {
				continue
			}
			d.Primitives, d.State = v.Draw.Primitives, v.Draw.State
			list = append(list, d)
		}
	}
	return list
}

func (s *mcpServer) draws(_ context.Context, in sceneIn) (any, string, error) {
	c, err := s.scene(in.Scene)
	if err != nil {
		return nil, "", err
	}
	a := DrawsAnswer{explain.Version, drawsOf(c.first)}
	var b bytes.Buffer
	for _, d := range a.Draws {
		fmt.Fprintf(&b, "%s: %d primitives", d.Where, d.Primitives)
		for _, n := range d.State {
			fmt.Fprintf(&b, ", %s %s", n.Name, n.Value.Text)
		}
		b.WriteString("\n")
	}
	return a, b.String(), nil
}

func (s *mcpServer) follow(ctx context.Context, in followIn) (any, string, error) {
	c, err := s.scene(in.Scene)
	if err != nil {
		return nil, "", err
	}
	at, err := c.point(in.pixelIn)
	if err != nil {
		return nil, "", err
	}
	reads := in.Images
	switch {
	case in.Image != nil && reads != nil:
		return nil, "", askErrorf(codeArgument, "image and images: give one of them")
	case in.Image != nil:
		reads = []int{*in.Image}
	}
	a, err := follow(c.work(ctx), c.s, at[0], reads)
	if err != nil {
		return nil, "", err
	}
	return a, a.text(), nil
}

func (s *mcpServer) diff(ctx context.Context, in diffIn) (any, string, error) {
	if err := pixels.CheckTolerance(in.Tolerance); err != nil {
		return nil, "", askErrorf(codeArgument, "tolerance: %w", err)
	}
	a, errA := s.scene(in.A)
	b, errB := s.scene(in.B)
	switch {
	case errA == nil && errB == nil:
		return diffScenes(ctx, a, b, in.Tolerance)
	case errA == nil:
		return nil, "", errB
	case errB == nil:
		return nil, "", errA
	}
	pathA, err := s.inside(in.A)
	if err != nil {
		return nil, "", err
	}
	pathB, err := s.inside(in.B)
	if err != nil {
		return nil, "", err
	}
	var held []*imagefile.File
	defer func() { runtime.KeepAlive(held) }()
	w, err := s.limits.begin(ctx, 1)
	if err != nil {
		return nil, "", err
	}
	defer w.stop()
	r, _, err := readDifference(w, pathA, pathB, in.Tolerance, &held)
	if err != nil {
		return nil, "", err
	}
	r.A.Path, r.B.Path = in.A, in.B
	return DiffAnswer{Version: explain.Version, Pictures: r,
		Why: "files of pictures have no history"}, r.text(), nil
}

// diffScenes compares the pictures of scenes, and explains the first pixel that differs.
func diffScenes(ctx context.Context, a, b *mcpScene, tolerance float64) (any, string, error) {
	r, d, err := difference(a.work(ctx), a.s.title, b.s.title, pixels.Of(a.picture),
		pixels.Of(b.picture), tolerance)
	if err != nil {
		return nil, "", err
	}
	answer := DiffAnswer{Version: explain.Version, Pictures: r}
	if d == nil || r.First == nil {
		return answer, r.text(), nil
	}
	at := pixelIn{X: r.First.X, Y: r.First.Y}
	if answer.A, _, err = a.explain(ctx, at); err != nil {
		return nil, "", err
	}
	if answer.B, _, err = b.explain(ctx, at); err != nil {
		return nil, "", err
	}
	if answer.EventA, answer.EventB = firstEvents(answer.A, answer.B); answer.EventA == nil &&
		answer.EventB == nil {
		answer.Why = "all commands did the same: the pixel had another value before"
	}
	text := r.text()
	for _, side := range []struct {
		name string
		v    *explain.Event
		es   []*explain.Explanation
	}{{"a", answer.EventA, answer.A}, {"b", answer.EventB, answer.B}} {
		_, said, err := at.answer(side.es)
		if err != nil {
			return nil, "", err
		}
		text += fmt.Sprintf("\n%s: %s\n\n%s", side.name, eventText(side.v), said)
	}
	return answer, text, nil
}
