package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pumice-gpu/pumice/explain"
)

// mcpClient asks a server.
type mcpClient struct {
	*mcp.ClientSession
	t *testing.T
}

// ask connects a client to a server until the test ends.
func (s *mcpServer) client(t *testing.T) *mcpClient {
	t.Helper()
	fromClient, toServer := mcpPipe(t)
	fromServer, toClient := mcpPipe(t)
	ended := make(chan error, 1)
	go func() {
		err := s.run(t.Context(), fromClient, toClient)
		toClient.Close()
		ended <- err
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := c.Connect(
		t.Context(),
		&mcp.IOTransport{Reader: fromServer, Writer: toServer},
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return &mcpClient{session, t}
}

func mcpPipe(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// call calls a tool, and takes its answer apart; the text is what people read.
func (c *mcpClient) call(name string, in, answer any) string {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		c.t.Fatalf("%s: %s", name, text)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, answer)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	return text
}

// fails calls a tool that cannot answer, and returns the code of its error.
func (c *mcpClient) fails(name string, in any) *askError {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	var a struct{ Error askError }
	data, _ := json.Marshal(r.StructuredContent)
	if err := json.Unmarshal(data, &a); err != nil || !r.IsError {
		c.t.Fatalf("%s: answered %s", name, data)
	}
	return &a.Error
}

// plantedServer opens scenes of planted, by name.
func plantedServer() *mcpServer {
	s := newMCPServer(".", limits{memory: "256MiB"})
	s.subject = func(ctx context.Context, in openIn) (*subject, *work, error) {
		subject, err := plantedSubject(in.Path)
		if err != nil {
			return nil, nil, err
		}
		w, err := s.limits.begin(ctx, 1)
		return subject, w, err
	}
	return s
}

// A client that knows a scene as it should be finds what is wrong with it: it asks for a pixel that
// differs, tries what is advised, and blames the state whose change makes the pixel right; where
// nothing is advised, it compares the draws.
func TestMCP_ClientFindsPlantedFaults(t *testing.T) {
	want := map[string]string{
		"winding": "frontFace", "cull": "cullMode", "cull both": "cullMode", "depth compare": "depthCompareOp",
		"depth never": "depthCompareOp", "scissor": "scissor", "scissor none": "scissor", "write mask": "colorWriteMask",
		"no write mask": "colorWriteMask", "sample mask": "sampleMask", "viewport": "viewport",
		"viewport far": "viewport", "topology": "topology", "points": "topology", "wireframe": "polygonMode",
		"depth bounds": "depthBoundsTestEnable", "stencil": "stencilTestEnable", "factors": "blendFactor",
		"depth not written": "depthWrite", "depth off": "depthTest", "blend off": "blend",
	}
	c := plantedServer().client(t)
	for name, state := range want {
		right, wrong := c.open(name+"/right"), c.open(name+"/wrong")
		var d DiffAnswer
		c.call("diff", diffIn{A: right.Scene, B: wrong.Scene}, &d)
		if d.Pictures.First == nil {
			t.Errorf("%s: no fault is to be seen", name)
			continue
		}
		if found := c.blame(right.Scene, wrong.Scene, &d); found != state {
			t.Errorf("%s: the client blames %q", name, found)
		}
	}
}

func (c *mcpClient) open(path string) (a OpenAnswer) {
	c.t.Helper()
	c.call("open", openIn{Path: path}, &a)
	return a
}

// blame names the state that makes the first pixel differ.
func (c *mcpClient) blame(right, wrong string, d *DiffAnswer) string {
	c.t.Helper()
	var tried PixelAnswer
	at := pixelIn{sceneIn: sceneIn{wrong}, X: d.Pictures.First.X, Y: d.Pictures.First.Y}
	c.call("try", tryIn{pixelIn: at}, &tried)
	for _, h := range tried.Explanations[0].Hints {
		if h.Tried != nil && h.Tried.After == d.A[0].After {
			return h.Change.State
		}
	}
	var a, b DrawsAnswer
	c.call("draws", sceneIn{right}, &a)
	c.call("draws", sceneIn{wrong}, &b)
	for i, draw := range b.Draws {
		for k, n := range draw.State {
			if n != a.Draws[i].State[k] {
				return n.Name
			}
		}
	}
	return ""
}

// wants checks the error of a call.
func (c *mcpClient) wants(name string, in any, code errorCode, says string) {
	c.t.Helper()
	if e := c.fails(name, in); e.Code != code || !strings.Contains(e.Message, says) {
		c.t.Errorf("%s %+v: %s %q, want %s %q", name, in, e.Code, e.Message, code, says)
	}
}

// What cannot be answered says why, with a code, and the session goes on.
func TestMCP_Refusals(t *testing.T) {
	s := plantedServer()
	c := s.client(t)
	scene := sceneIn{c.open("depth compare/wrong").Scene}
	c.wants("open", openIn{Path: "none"}, codeArgument, "none: no such scene")
	c.wants("pixel", pixelIn{sceneIn: sceneIn{"scene9"}}, codeNotOpen,
		`no scene "scene9" is open; open are: scene1`)
	c.wants("pixel", pixelIn{sceneIn: scene, X: plantedSize}, codeArgument,
		"pixel 32, 0: the picture is 32 × 32 pixels")
	c.wants("pixel", pixelIn{sceneIn: scene, Y: -1}, codeArgument, "pixel 0, -1")
	c.wants("pixel", pixelIn{sceneIn: scene, Sample: new(1)}, codeArgument,
		"sample 1: the picture has 1 samples")
	at := pixelIn{sceneIn: scene, X: 6, Y: 6}
	c.wants("try", tryIn{pixelIn: at, Hint: new(2)}, codeArgument,
		"hint 2: the pixel has 2, from 0")
	c.wants("follow", followIn{pixelIn: pixelIn{sceneIn: scene}, Image: new(7)}, codeArgument,
		"image 7: no draw on the way has read several images but those chosen before")
	c.wants("diff", diffIn{A: scene.Scene, B: "scene7"}, codeNotOpen, `no scene "scene7"`)
	c.wants("diff", diffIn{A: "mcp.go", B: "../main.go"}, codeArgument,
		`"../main.go": want the path of a file within the folder`)
	c.wants(
		"diff",
		diffIn{A: scene.Scene, B: scene.Scene, Tolerance: -1},
		codeArgument,
		"tolerance",
	)
	for _, bad := range []any{map[string]any{"scene": 7}, map[string]any{"x": 1},
		map[string]any{"scene": scene.Scene, "x": 1, "y": 1, "z": 1}, nil} {
		if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "pixel",
			Arguments: bad}); err != nil || !r.IsError {
			t.Errorf("%v: %+v, %v", bad, r, err)
		}
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete"}); err == nil {
		t.Error("a tool that is not there")
	}
	var one PixelAnswer
	c.call("try", tryIn{pixelIn: at, Hint: new(1)}, &one)
	if h := one.Explanations[0].Hints; len(h) != 1 || h[0].Change.State != "depthTestEnable" ||
		h[0].Tried == nil {
		t.Errorf("of one hint %+v is tried", h)
	}
}

// Scenes that were asked least recently are closed for others.
func TestMCP_FewScenesStayOpen(t *testing.T) {
	s := plantedServer()
	closed := map[string]int{}
	plain := s.subject
	s.subject = func(ctx context.Context, in openIn) (*subject, *work, error) {
		subject, w, err := plain(ctx, in)
		if err == nil {
			end, id := subject.close, s.opened+1
			subject.close = func() { closed[fmt.Sprintf("scene%d", id)]++; end() }
		}
		return subject, w, err
	}
	t.Cleanup(func() { // behind the client's end
		if len(closed) != mostScenes+2 {
			t.Errorf("closed %v", closed)
		}
	})
	c := s.client(t)
	for range mostScenes {
		c.open("write mask/right")
	}
	c.call("draws", sceneIn{"scene1"}, new(DrawsAnswer)) // the second is now the one to go
	c.open("write mask/right")
	c.wants("draws", sceneIn{"scene2"}, codeNotOpen, "")
	c.call("draws", sceneIn{"scene1"}, new(DrawsAnswer))
	c.open("write mask/right")
	c.wants("draws", sceneIn{"scene3"}, codeNotOpen, "")
}

// standIn is a server whose scenes answer with draw.
func standInServer(draw func(w *work, points []point) (image.Image, []*explain.Explanation,
	error)) *mcpServer {
	s := newMCPServer(".", limits{memory: "64MiB"})
	s.subject = func(ctx context.Context, _ openIn) (*subject, *work, error) {
		w, err := s.limits.begin(ctx, 1)
		return &subject{title: "a stand-in", draw: draw}, w, err
	}
	return s
}

// A call ends when its time is over, when its client takes it back, and when something is broken;
// the session goes on.
func TestMCP_CallsEnd(t *testing.T) {
	begun := make(chan bool, 9)
	s := standInServer(func(w *work, points []point) (image.Image, []*explain.Explanation, error) {
		switch points[0].x {
		case 1:
			begun <- true
			<-w.ctx.Done()
			return nil, nil, w.ctx.Err()
		case 2:
			panic("a bug")
		case 3:
			return nil, []*explain.Explanation{
				{Verdict: []string{strings.Repeat("x", answerBytes)}},
			}, nil
		}
		return image.NewNRGBA(image.Rect(0, 0, 9, 9)), []*explain.Explanation{{}}, nil
	})
	s.time = 300 * time.Millisecond
	c := s.client(t)
	scene := sceneIn{c.open("").Scene}
	c.wants("pixel", pixelIn{sceneIn: scene, X: 1}, codeTime, "took more than 300ms")
	<-begun
	c.wants("pixel", pixelIn{sceneIn: scene, X: 2}, codeFailed, "a broken invariant: a bug")
	c.wants("pixel", pixelIn{sceneIn: scene, X: 3}, codeTooLarge, "ask for one sample")
	s.at.Lock()
	s.time = time.Hour
	s.at.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "pixel",
		Arguments: pixelIn{sceneIn: scene, X: 1}}); err == nil {
		t.Error("a call that was taken back is answered")
	}
	c.call("pixel", pixelIn{sceneIn: scene}, new(PixelAnswer))
}

// Nothing outside of the folder is opened, whatever its name or link says.
func TestMCP_StaysInItsFolder(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(t.TempDir(), "models")
	model := writeModel(t, triangleModel)
	for _, err := range []error{
		os.MkdirAll(filepath.Join(folder, "sub"), 0o700), os.Symlink(model,
			filepath.Join(folder, "link.gltf")),
		os.Symlink(outside, filepath.Join(folder, "away")), os.Symlink("nowhere",
			filepath.Join(folder, "dangling.gltf")),
		os.WriteFile(filepath.Join(outside, "secret.gltf"), nil, 0o600),
	} {
		if err != nil {
			t.Skip(err) // a system without links
		}
	}
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "sub", "model.gltf"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		t.Fatal(err)
	}
	s := newMCPServer(folder, limits{memory: "1GiB"})
	o := explainOptions{mcp: true, sample: -1}
	o.samples, o.zoom, o.background, o.fov, o.threads, o.animation = 4, 1, "transparent", 30, 1, -1
	s.subject = func(ctx context.Context, in openIn) (*subject, *work, error) {
		return s.file(ctx, o, func(string) bool { return false }, in)
	}
	c := s.client(t)
	small := openIn{Width: new(8), Height: new(8)}
	for _, path := range []string{
		"../x.gltf", "/etc/passwd", model, "link.gltf", "away/secret.gltf", "sub/../../x.gltf", "sub",
		".", "dangling.gltf", "none.gltf", "a\x00b",
	} {
		in := small
		in.Path = path
		c.wants("open", in, codeArgument, "")
	}
	small.Path = "sub/model.gltf"
	var a OpenAnswer
	c.call("open", small, &a)
	if a.Title != "sub/model.gltf" || a.Width != 8 || a.Samples != 4 || a.Draws == 0 {
		t.Errorf("%+v", a)
	}
	small.Frame = new(3)
	c.wants("open", small, codeArgument, "--frame: model.gltf is no capture")
}

// What comes in one piece, as from a file, is answered in order, and then the server ends.
func TestMCP_AnswersAPipe(t *testing.T) {
	var in, out strings.Builder
	in.WriteString(mcpGreeting)
	for i := range 200 {
		fmt.Fprintf(&in,
			`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"open"}}`+"\n", 10+i)
	}
	s := standInServer(func(*work, []point) (image.Image, []*explain.Explanation, error) {
		return image.NewNRGBA(image.Rect(0, 0, 9, 9)), []*explain.Explanation{{}}, nil
	})
	if err := s.run(t.Context(), strings.NewReader(in.String()), &out); err != nil {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 201 {
		t.Fatalf("%d answers", len(lines))
	}
	for i, line := range lines[1:] {
		if want := fmt.Sprintf(`"scene":"scene%d"`, i+1); !strings.Contains(line, want) {
			t.Fatalf("answer %d is %s", i, line)
		}
	}
}

const mcpGreeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// A client that is broken ends its session with one line, and no more.
func TestMCP_BrokenClients(t *testing.T) {
	for _, in := range []string{"hello\n", "{\n", "[]\n", "null\n",
		strings.Repeat(" ", 2*messageBytes), `{"jsonrpc":"2.0","id":"` + strings.Repeat("x",
			2*messageBytes)} {
		err := plantedServer().run(t.Context(), strings.NewReader(mcpGreeting+in), io.Discard)
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v", in, err)
		}
	}
	if err := plantedServer().run(t.Context(), strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("a client that says nothing: %v", err)
	}
}

// The command line of --mcp.
func TestMCP_BadCommandLines(t *testing.T) {
	model := writeModel(t, triangleModel)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--mcp", model}, "--mcp takes a folder"}, {[]string{"--mcp", "nowhere"},
			"--mcp takes a folder"},
		{[]string{"--mcp", "--pixel", "1,2"}, "--mcp and --pixel: the client says"}, {[]string{"--mcp",
			"--serve"}, "--mcp and --serve"},
	} {
		code, stdout, stderr := command(t, append([]string{"explain"}, c.args...)...)
		checkFailure(t, code, exitUsage, stderr)
		if !strings.HasPrefix(stderr, "pumice: "+c.want) || stdout != "" {
			t.Errorf("%q and %q, want %q", stdout, stderr, c.want)
		}
	}
}

// FuzzMCP answers messages of clients: nothing panics, all ends, and what is said is JSON.
func FuzzMCP(f *testing.F) {
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}
`
	f.Add(mcpGreeting + fmt.Sprintf(call, "open", "{}") + fmt.Sprintf(call, "pixel",
		`{"scene":"scene1","x":3,"y":0}`))
	f.Add(mcpGreeting + fmt.Sprintf(call, "try",
		`{"scene":"scene1","x":3,"y":0,"hint":0}`) +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	f.Add(mcpGreeting + fmt.Sprintf(
		call,
		"diff",
		`{"a":"scene1","b":"x.png","tolerance":1e9}`,
	) + `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	f.Add(
		mcpGreeting + fmt.Sprintf(
			call,
			"follow",
			`{"scene":"scene1","x":-3,"y":0,"image":1}`,
		) + "{",
	)
	f.Fuzz(func(t *testing.T, in string) {
		if strings.Contains(in, "subscriptions/listen") {
			return // never answered, and so waits for the client
		}
		s := standInServer(
			func(w *work, points []point) (image.Image, []*explain.Explanation, error) {
				e := &explain.Explanation{Target: explain.Target{X: points[0].x},
					Events: []explain.Event{
						{Kind: explain.Copy, Outcome: explain.Wrote, From: &explain.Target{}},
					}}
				return image.NewNRGBA(image.Rect(0, 0, 9, 9)), []*explain.Explanation{e}, nil
			},
		)
		s.time = 300 * time.Millisecond // for what is never answered
		var out strings.Builder
		_ = s.run(t.Context(), strings.NewReader(in), &out) // any error is a client's
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %s", line)
			}
		}
	})
}

// randomClients says whether TestMCP_RandomClients goes on after n sessions: 60 of them, or what
// PUMICE_CLIENTS says, a number or a time ("1h").
func randomClients(t *testing.T) func(n int) bool {
	s := os.Getenv("PUMICE_CLIENTS")
	if s == "" {
		s = "60"
	}
	if d, err := time.ParseDuration(s); err == nil && d > 0 {
		end := time.Now().Add(d)
		return func(int) bool { return time.Now().Before(end) }
	}
	most, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return func(n int) bool { return n < most }
}

// randomArgument is a value that a client may give where another one is wanted.
func randomArgument(r *rand.Rand) string {
	list := []string{
		"0", "1", "-1", "7", "1e300", "-1e300", "2147483648", "18446744073709551616", "0.5", "null", "true", "[]", "{}", `""`,
		`"scene1"`, `"scene2"`, `"scene99"`, `"winding/right"`, `"winding/wrong"`, `"../x"`, `"\u0000"`, `"\ud800"`, `"x.png"`, `[[[[1]]]]`,
		strconv.Quote(strings.Repeat("x", r.IntN(3000))), `{"x":{"x":{}}}`,
	}
	return list[r.IntN(len(list))]
}

// randomMessage is a message of a client: most often a call of a tool, with arguments that may be
// wrong, and now and then with some of its bytes changed.
func randomMessage(r *rand.Rand, id int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var args []string
	for _, name := range []string{"path", "scene", "x", "y", "sample", "details", "shader", "vertex", "hint", "image", "a", "b", "tolerance", "width", "height", "frame", "samples", "other"} {
		right := map[string]string{"scene": `"scene1"`, "x": "3", "y": "2", "path": `"winding/right"`, "a": `"scene1"`, "b": `"scene2"`}[name]
		switch {
		case right != "" && r.IntN(5) > 0:
			args = append(args, fmt.Sprintf("%q:%s", name, right))
		case r.IntN(6) == 0:
			args = append(args, fmt.Sprintf("%q:%s", name, randomArgument(r)))
		}
	}
	tool := pick("open", "pixel", "draws", "follow", "try", "diff", "open", "pixel", "nothing")
	if allowed := map[string]string{"open": "path", "draws": "scene", "diff": "a b tolerance", "pixel": "scene x y sample details shader vertex",
		"try": "scene x y sample hint", "follow": "scene x y image"}[tool]; r.IntN(
		4,
	) > 0 {
		args = slices.DeleteFunc(
			args,
			func(a string) bool { return !slices.Contains(strings.Fields(allowed), strings.Split(a, `"`)[1]) },
		)
	}
	m := fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{%s}}}`,
		id,
		tool,
		strings.Join(args, ","),
	)
	switch r.IntN(16) {
	case 0:
		m = fmt.Sprintf(
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`,
			pick("1", "2", "3", randomArgument(r)),
		)
	case 1:
		m = fmt.Sprintf(
			`{"jsonrpc":%s,"id":%s,"method":%s,"params":%s}`,
			pick(`"2.0"`, randomArgument(r)),
			randomArgument(r),
			pick(
				`"tools/list"`,
				`"ping"`,
				`"resources/list"`,
				`"initialize"`,
				randomArgument(r),
			),
			randomArgument(r),
		)
	case 2:
		b := []byte(m)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		m = string(b)
	case 3:
		m = m[:r.IntN(len(m))]
	}
	return strings.ReplaceAll(m, "\n", " ") + "\n"
}

// Clients that say anything: nothing panics, every session ends, what is said is JSON, answers are
// bounded, and so are the time that a session takes and the memory that stays.
func TestMCP_RandomClients(t *testing.T) {
	most, messages, sessions, longest := uint64(0), 0, 0, time.Duration(0)
	for more := randomClients(t); more(sessions); sessions++ {
		i := sessions
		r := rand.New(rand.NewPCG(uint64(i), 39))
		in, n := mcpGreeting, 2+r.IntN(12)
		for id := range n {
			in += randomMessage(r, id+2)
		}
		messages += n
		s := plantedServer()
		s.time = 2 * time.Second
		var out strings.Builder
		began := time.Now()
		_ = s.run(t.Context(), strings.NewReader(in), &out) // any error is a client's
		took := time.Since(began)
		// Each message may take the server's time; on a busy machine it takes a while to be stopped.
		if longest = max(longest, took); took > time.Duration(n)*s.time+2*time.Minute {
			t.Fatalf("client %d took %v for %d messages\n%s", i, took, n, in)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) || len(line) > 3*answerBytes {
				t.Fatalf("client %d is answered %d bytes: %.200s\n%s", i, len(line), line, in)
			}
			if strings.Contains(line, "broken invariant") {
				t.Fatalf("client %d: %.500s\n%s", i, line, in)
			}
		}
		if i%16 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if most = max(most, m.HeapAlloc); m.HeapAlloc > 512<<20 {
				t.Fatalf("after client %d %d MiB stay", i, m.HeapAlloc>>20)
			}
		}
	}
	t.Logf("%d sessions, %d messages; the longest session took %v; %d MiB stayed at most",
		sessions, messages, longest.Round(time.Millisecond), most>>20)
}
