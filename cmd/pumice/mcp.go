package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pumice-gpu/pumice/explain"
)

// What a client may take.
const (
	mostScenes   = 8               // open at once: one more closes the one asked least recently
	messageBytes = 1 << 20         // of the client
	answerBytes  = 8 << 20         // of JSON
	callTime     = 2 * time.Minute // of one call, where --time-limit says nothing
)

// errorCode says what kind of error a tool answers.
type errorCode string

// The codes.
const (
	codeArgument errorCode = "bad_argument" // the call is wrong; the message says what would be right
	codeNotOpen  errorCode = "not_open"     // no such scene, or it has been closed
	codeTooLarge errorCode = "too_large"    // the answer
	codeTime     errorCode = "time_limit"
	codeFailed   errorCode = "failed"
)

// askError is what a tool answers in the place of what was asked for.
type askError struct {
	Code    errorCode `json:"code"`
	Message string    `json:"message"`
}

func (e *askError) Error() string { return e.Message }

func askErrorf(code errorCode, format string, args ...any) error {
	return &askError{code, oneLine(fmt.Errorf(format, args...))}
}

// mcpServer answers one client.
type mcpServer struct {
	// subject checks what a client wants to open, and begins its work.
	subject func(ctx context.Context, in openIn) (*subject, *work, error)
	folder  string        // the real path of what may be opened
	limits  limits        // of memory, for each scene
	time    time.Duration // of one call

	at     sync.Mutex  // work; also where a client gives two calls one name
	scenes []*mcpScene // the one asked most recently stands last
	opened int         // scenes, ever
}

// mcpScene is an open model or capture.
type mcpScene struct {
	id      string
	s       *subject
	w       *work
	picture image.Image
	// first explains the upper left pixel: it names all draws.
	first []*explain.Explanation
}

const mcpInstructions = `Says why pixels of a rendered picture have their values.
open a model or a capture, then ask for a pixel: its verdict says in three lines what decided, its
history what every draw did to it. try does what the verdict's hints advise and says what became of
the pixel. draws lists the draws with their state, follow says where a copied or resolved value came
from, diff compares two scenes or two picture files. Pixels count from the top left. The JSON is
that of docs/explain.schema.json.`

func newMCPServer(folder string, l limits) *mcpServer {
	return &mcpServer{folder: folder, limits: limits{memory: l.memory}, time: cmp.Or(l.time, callTime)}
}

// serveMCP answers a client on standard input and output until it closes its end.
func serveMCP(
	ctx context.Context, o *explainOptions, folder string, changed func(string) bool,
	in io.Reader, out io.Writer,
) error {
	for _, name := range []string{"pixel", "sample", "shader", "try", "json", "html", "serve", "frame",
		"draw", "verbose"} {
		if changed(name) {
			return usagef("--mcp and --%s: the client says what it wants to know; leave one of them out",
				name)
		}
	}
	if folder == "" {
		folder = "."
	}
	if at, err := os.Stat(folder); err != nil || !at.IsDir() {
		return usagef("--mcp takes a folder, whose models and captures clients may open; %s is none",
			folder)
	}
	folder, err := filepath.EvalSymlinks(folder)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return err
	}
	s := newMCPServer(folder, o.limits)
	s.subject = func(ctx context.Context, in openIn) (*subject, *work, error) {
		return s.file(ctx, *o, changed, in)
	}
	return s.run(ctx, in, out)
}

// file is the subject of a file of the folder, seen as the flags and the client say.
func (s *mcpServer) file(
	ctx context.Context, o explainOptions, changed func(string) bool, in openIn,
) (*subject, *work, error) {
	path := ""
	if in.Path != "" {
		var err error
		if path, err = s.inside(in.Path); err != nil {
			return nil, nil, err
		}
	}
	warned := new(bytes.Buffer)
	o.errs = warned
	set := in.apply(&o)
	subject, err := o.subject(path, func(name string) bool { return set[name] || changed(name) })
	if err != nil {
		return nil, nil, err
	}
	subject.warned = warned
	if in.Path != "" {
		subject.title = filepath.ToSlash(filepath.Clean(in.Path))
	}
	w, err := s.limits.begin(ctx, o.threads)
	return subject, w, err
}

// inside is the real path of a file of the folder.
func (s *mcpServer) inside(path string) (string, error) {
	outside := askErrorf(codeArgument,
		"%q: want the path of a file within the folder of the server, relative to it", path)
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", outside
	}
	real, err := filepath.EvalSymlinks(filepath.Join(s.folder, filepath.FromSlash(path)))
	if err != nil {
		return "", askErrorf(codeArgument, "%s: %w", path, cause(err))
	}
	if below, err := filepath.Rel(s.folder, real); err != nil || !filepath.IsLocal(below) {
		return "", outside
	}
	if at, err := os.Stat(real); err != nil || !at.Mode().IsRegular() {
		return "", askErrorf(codeArgument, "%s: not a file", path)
	}
	return real, nil
}

// run answers what comes on in until it ends; that is no error.
func (s *mcpServer) run(ctx context.Context, in io.Reader, out io.Writer) error {
	defer func() {
		s.at.Lock() // until the last call is over
		defer s.at.Unlock()
		for _, scene := range s.scenes {
			scene.close()
		}
	}()
	info, _ := debug.ReadBuildInfo()
	server := mcp.NewServer(&mcp.Implementation{
		Name: "pumice", Title: "Why has this pixel this value?", Version: versionOf(info, stamped),
	}, &mcp.ServerOptions{Instructions: mcpInstructions, Capabilities: &mcp.ServerCapabilities{}})
	addMCPTools(server, s)
	err := server.Run(ctx, inTurn{&mcp.IOTransport{
		Reader: io.NopCloser(in), Writer: unclosed{out}, MaxLineLength: messageBytes,
	}, s.time})
	if err == nil || errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("the client: %w", err)
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func (c *mcpScene) close() {
	if c.s.close != nil {
		c.s.close()
	}
	c.w.stop()
}

// addTool adds a tool whose answers are JSON, and text for people.
func addTool[In any](
	server *mcp.Server, s *mcpServer, name, description string, f func(context.Context, In) (any,
		string, error),
) {
	t := &mcp.Tool{Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	mcp.AddTool(server, t, func(ctx context.Context, _ *mcp.CallToolRequest,
		in In) (*mcp.CallToolResult, any, error) {
		data, text, err := s.call(ctx, func(ctx context.Context) (any, string,
			error) {
			return f(ctx, in)
		})
		if err == nil {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, data, nil
		}
		said := struct {
			Error error `json:"error"`
		}{err}
		text = err.Error()
		return &mcp.CallToolResult{IsError: true,
			Content: []mcp.Content{&mcp.TextContent{Text: text}}}, said, nil
	})
}

// call does what a tool does, as long as it may take. All errors are an askError.
func (s *mcpServer) call(
	ctx context.Context, f func(context.Context) (any, string, error),
) (data json.RawMessage, text string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.time, errTimeLimit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = askErrorf(codeFailed, "a broken invariant: %v", p)
		} else if err != nil {
			data, text, err = nil, "", coded(ctx, s.time, err)
		}
	}()
	s.at.Lock()
	defer s.at.Unlock()
	answer, text, err := f(ctx)
	if err != nil {
		return nil, "", err
	}
	if data, err = json.Marshal(answer); err != nil {
		return nil, "", err
	}
	if len(data) > answerBytes || len(text) > answerBytes {
		return nil, "", askErrorf(codeTooLarge,
			"the answer has more than %d bytes: ask for one sample, without shader and details", answerBytes)
	}
	return data, text, nil
}

// coded gives an error its code.
func coded(ctx context.Context, limit time.Duration, err error) error {
	if known := (*askError)(nil); errors.As(err, &known) {
		return known
	}
	switch usage := (usageError{}); {
	case errors.Is(context.Cause(ctx), errTimeLimit):
		return askErrorf(codeTime, "the call took more than %v; --time-limit sets how long one may",
			limit)
	case errors.As(err, &usage):
		return askErrorf(codeArgument, "%w", err)
	}
	return askErrorf(codeFailed, "%w", err)
}

// scene finds an open scene, which is now the one asked most recently.
func (s *mcpServer) scene(id string) (*mcpScene, error) {
	i := slices.IndexFunc(s.scenes, func(c *mcpScene) bool { return c.id == id })
	if i < 0 {
		var ids []string
		for _, c := range s.scenes {
			ids = append(ids, c.id)
		}
		return nil, askErrorf(codeNotOpen, "no scene %q is open; open are: %s", id,
			strings.Join(ids, ", "))
	}
	c := s.scenes[i]
	s.scenes = append(slices.Delete(s.scenes, i, i+1), c)
	return c, nil
}

// point is a pixel of the scene.
func (c *mcpScene) point(in pixelIn) ([]point, error) {
	if size := c.picture.Bounds().Size(); !image.Pt(in.X, in.Y).In(image.Rectangle{Max: size}) {
		return nil, askErrorf(codeArgument, "pixel %d, %d: the picture is %d × %d pixels", in.X, in.Y,
			size.X, size.Y)
	}
	sample := -1
	if in.Sample != nil {
		if sample = *in.Sample; sample < 0 || c.s.samples > 0 && sample >= c.s.samples {
			return nil, askErrorf(codeArgument, "sample %d: the picture has %d samples a pixel, from 0",
				sample, c.s.samples)
		}
	}
	return c.s.at(in.X, in.Y, sample, in.Shader || in.Vertex != nil), nil
}

// explain explains points, and tries their hints where that is asked for.
func (c *mcpScene) explain(ctx context.Context, in pixelIn) ([]*explain.Explanation, []point,
	error) {
	at, err := c.point(in)
	if err != nil {
		return nil, nil, err
	}
	_, es, err := c.s.draw(c.work(ctx), at)
	return es, at, err
}

// work is the scene's, for one call.
func (c *mcpScene) work(ctx context.Context) *work {
	again := *c.w
	again.ctx = ctx
	return &again
}
