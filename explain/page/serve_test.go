package page

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/explain"
)

// serve serves until the test ends.
func serve(t *testing.T, o ServeOptions) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	address, wait, err := Serve(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := wait(); err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return address
}

// ask sends a request and returns its status and body.
func ask(t *testing.T, method, address, host string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body), answer.Header
}

// at is an explanation of testdata, moved to a pixel.
func at(t *testing.T, x, y int) []*explain.Explanation {
	e := read(t, "glass")
	e.Target.X, e.Target.Y = x, y
	return []*explain.Explanation{e}
}

func TestServe_OnlyTheTokenOpensIt(t *testing.T) {
	asked := atomic.Int32{}
	address := serve(t, ServeOptions{Report: *report(t), Explain: func(_ context.Context, x, y, _ int) ([]*explain.Explanation, error) {
		asked.Add(1)
		return at(t, x, y), nil
	}})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Trim(u.Path, "/")
	if len(token) != 32 || u.Hostname() != "127.0.0.1" {
		t.Fatalf("served at %s", address)
	}
	base := "http://" + u.Host
	other := strings.Repeat("0", 32)
	for _, c := range []struct {
		method, address, host string
		status                int
	}{
		{"GET", address, "", 200},
		{"GET", address, "localhost:" + u.Port(), 200},
		{"GET", address, "[::1]:" + u.Port(), 200},
		{"GET", address + "explain?x=1&y=2", "", 200},
		{"GET", base + "/", "", 404},
		{"GET", base + "/" + token, "", 404}, // the page's addresses are relative to a folder
		{"GET", base + "/" + other + "/", "", 404},
		{"GET", base + "/" + token[:31] + "/", "", 404},
		{"GET", base + "/explain?x=1&y=2", "", 404},
		{"GET", base + "//" + token + "/", "", 404},
		{"GET", address, "evil.example", 404}, // a name that leads here: DNS rebinding
		{"GET", address, "127.0.0.1.evil.example:" + u.Port(), 404},
		{"GET", address, "localhost.evil.example", 404},
		{"GET", address, "10.0.0.1", 404},
		{"POST", base + "/", "", 404},
		{"OPTIONS", base + "/", "", 404},
		{"POST", address, "", 405},
		{"HEAD", address, "", 405},
		{"PUT", address + "explain?x=1&y=2", "", 405},
		{"GET", address + "favicon.ico", "", 404},
	} {
		status, body, header := ask(t, c.method, c.address, c.host)
		if status != c.status || status != 200 && body != "" {
			t.Errorf("%s %s for %q: %d %.80q, want %d", c.method, c.address, c.host, status, body, c.status)
		}
		if status == 404 && c.address != address+"favicon.ico" && len(header) > 3 { // its date and length, and that it closes
			t.Errorf("%s %s tells %v", c.method, c.address, header)
		}
		if policy := header.Get("Content-Security-Policy"); status == 200 && !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q", c.address, policy)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d pixels were explained, want the one of the good request", n)
	}
	second := serve(t, ServeOptions{Report: *report(t), Explain: func(context.Context, int, int, int) ([]*explain.Explanation, error) { return nil, nil }})
	if strings.Contains(second, token) {
		t.Error("two servers have one token")
	}
}

func TestServe_AnswersAreTheExplanationsWithTheirRules(t *testing.T) {
	type call struct{ x, y, sample int }
	var last call
	address := serve(t, ServeOptions{Report: *report(t), Explain: func(_ context.Context, x, y, sample int) ([]*explain.Explanation, error) {
		last = call{x, y, sample}
		return at(t, x, y), nil
	}})
	status, body, _ := ask(t, "GET", address+"explain?x=23&y=15&sample=3", "")
	var got answer
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 {
		t.Fatalf("%d: %v in %.200q", status, err, body)
	}
	if d := cmp.Diff(at(t, 23, 15), got.Explanations); d != "" || last != (call{23, 15, 3}) {
		t.Errorf("%v was asked for:\n%s", last, d)
	}
	if text := got.Rules["RAS-327"].Text; !strings.Contains(text, "zf") {
		t.Errorf("RAS-327 comes as %q", text)
	}
	if ask(t, "GET", address+"explain?x=0&y=0", ""); last != (call{0, 0, -1}) {
		t.Errorf("without a sample, %v was asked for", last)
	}
}

func TestServe_WrongPixelsAndFailuresAreToldInOneLine(t *testing.T) {
	address := serve(t, ServeOptions{Report: *report(t), Explain: func(_ context.Context, x, _, _ int) ([]*explain.Explanation, error) {
		if x == 1 {
			panic("a bug")
		}
		return nil, errors.New("the device\nwas lost")
	}})
	for query, want := range map[string]struct {
		status int
		text   string
	}{
		"x=24&y=0":             {400, `x="24": the picture is 24 × 16 pixels; want a number from 0 to 23`},
		"x=0&y=16":             {400, `y="16": the picture is 24 × 16 pixels; want a number from 0 to 15`},
		"x=-1&y=0":             {400, `x="-1": the picture is 24 × 16 pixels; want a number from 0 to 23`},
		"x=99999999999999&y=0": {400, `x="99999999999999": the picture is 24 × 16 pixels; want a number from 0 to 23`},
		"y=0":                  {400, `x="": the picture is 24 × 16 pixels; want a number from 0 to 23`},
		"x=0&y=0":              {500, "the device was lost"},
		"x=1&y=0":              {500, "explaining it failed: a bug"},
	} {
		status, body, _ := ask(t, "GET", address+"explain?"+query, "")
		var got answer
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != want.status || got.Error != want.text {
			t.Errorf("%s: %d %q (%v), want %d %q", query, status, body, err, want.status, want.text)
		}
	}
}

// One pixel is explained at a time, few wait, and who goes away is not waited for.
func TestServe_OneAtATime(t *testing.T) {
	begun, release := make(chan int, 2*mostWaiting), make(chan bool)
	var running, most atomic.Int32
	address := serve(t, ServeOptions{Report: *report(t), Explain: func(ctx context.Context, x, y, _ int) ([]*explain.Explanation, error) {
		n := running.Add(1)
		defer running.Add(-1)
		most.Store(max(most.Load(), n))
		begun <- x
		select {
		case <-release:
			return at(t, x, y), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	statuses := make(chan int, 2*mostWaiting)
	leave, goAway := context.WithCancel(t.Context())
	send := func(ctx context.Context, x int) {
		r, err := http.NewRequestWithContext(ctx, "GET", address+"explain?y=0&x="+strconv.Itoa(x), nil)
		if err != nil {
			t.Error(err)
		}
		if a, err := http.DefaultClient.Do(r); err != nil {
			statuses <- 0
		} else {
			a.Body.Close()
			statuses <- a.StatusCode
		}
	}
	next := func(c chan int) int {
		t.Helper()
		select {
		case n := <-c:
			return n
		case <-time.After(10 * time.Second):
			t.Fatal("nothing happens any more")
			return 0
		}
	}
	go send(leave, 0)
	next(begun)
	for x := range mostWaiting + 3 {
		go send(t.Context(), x+1)
	}
	for range 3 {
		if s := next(statuses); s != http.StatusServiceUnavailable {
			t.Errorf("one too many is answered %d", s)
		}
	}
	goAway() // the one that is being explained
	if s := next(statuses); s != 0 {
		t.Errorf("who went away got %d", s)
	}
	for range mostWaiting {
		next(begun)
		release <- true
		if s := next(statuses); s != 200 {
			t.Errorf("one that waited got %d", s)
		}
	}
	if n := most.Load(); n != 1 {
		t.Errorf("%d pixels were explained at once", n)
	}
}

// Serving ends with its context, be a pixel under way or not; then nothing listens.
func TestServe_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan bool, 1)
	address, wait, err := Serve(ctx, ServeOptions{Report: *report(t), Explain: func(ctx context.Context, _, _, _ int) ([]*explain.Explanation, error) {
		begun <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if a, err := http.Get(address + "explain?x=0&y=0"); err == nil {
			a.Body.Close()
		}
	}()
	<-begun
	cancel()
	for range 2 { // and whoever asks again is told, too
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	client := http.Client{Timeout: 5 * time.Second}
	if a, err := client.Get(address); err == nil {
		a.Body.Close()
		t.Error("it still answers")
	}
}

func TestServe_WithoutExplainIsAnError(t *testing.T) {
	if _, _, err := Serve(t.Context(), ServeOptions{Report: *report(t)}); err == nil {
		t.Error("a page that cannot explain is served")
	}
	if _, _, err := Serve(t.Context(), ServeOptions{Explain: func(context.Context, int, int, int) ([]*explain.Explanation, error) { return nil, nil }}); err == nil {
		t.Error("a page without picture is served")
	}
}

// Who chooses an address gets it, on this machine alone.
func TestServe_ChosenAddress(t *testing.T) {
	explained := func(_ context.Context, x, y, _ int) ([]*explain.Explanation, error) {
		return at(t, x, y), nil
	}
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	chosen := free.Addr().String()
	free.Close()
	o := ServeOptions{Report: *report(t), Explain: explained, Address: chosen}
	address := serve(t, o)
	if !strings.HasPrefix(address, "http://"+chosen+"/") {
		t.Errorf("served at %s, not at %s", address, chosen)
	}
	if status, _, _ := ask(t, "GET", address, ""); status != 200 {
		t.Errorf("answers %d", status)
	}
	if _, _, err := Serve(t.Context(), o); err == nil || !strings.Contains(err.Error(), chosen) {
		t.Errorf("a port that is taken: %v", err)
	}
	for _, bad := range []string{"0.0.0.0:80", ":80", "192.0.2.1:80", "[::]:80", "example.org:80",
		"127.0.0.1", "127.0.0.1:65536", "localhost"} {
		o.Address = bad
		if _, _, err := Serve(t.Context(), o); err == nil ||
			!strings.Contains(err.Error(), "for this machine alone; want 127.0.0.1:PORT") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Texels are asked for by the names of images that an explanation has given, and no others.
func TestServe_FollowsOnlyKnownImages(t *testing.T) {
	of := explain.Target{Image: "#7", Width: 8, Height: 4, Samples: 1}
	named := &explain.Explanation{Events: []explain.Event{{From: &of}}}
	s := &server{o: ServeOptions{Report: Report{Picture: picture()}}}
	s.learn([]*explain.Explanation{named})
	for query, want := range map[string]string{
		"image=%237&x=7&y=3&level=0&layer=0&sample=0": "",
		"image=%237&x=8&y=3&level=0&layer=0&sample=0": `x="8": want a number from 0 to 7`,
		"image=%237&x=1&y=3&level=0&layer=0":          `sample="": want a number from 0 to 0`,
		"image=%238&x=0&y=0&level=0&layer=0&sample=0": `image="#8": no explanation has named such an image`,
		"x=0":                          `image="": no explanation has named such an image`,
		"image=%237&x=-1&y=0&level=99": `level="99": want a number from 0 to 31`,
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := s.texel(q); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
