package page

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestReadRequest_StatusOfEachForm(t *testing.T) {
	long := strings.Repeat("x", headerBytes)
	for text, want := range map[string]int{
		"GET /a/?x=1 HTTP/1.1\r\nHost: localhost:80\r\n\r\n":                         200,
		"GET /a/ HTTP/1.0\r\nAccept:\r\nhOsT:\tlocalhost \r\nX-Y: a:b\r\n\r\nbehind": 200,
		"":                              0,
		"GET / HT":                      0, // and then it is closed
		"GET / HTTP/1.1\r\nHost: a\r\n": 0,
		"GET / HTTP/1.1\r\n\r\n":        400, // no host
		"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n":                                         400, // two
		"GET / HTTP/1.1\nHost: a\n\n":                                                          400,
		"GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n":                                      400,
		"GET / HTTP/1.1\r\nHost : a\r\n\r\n":                                                   400, // RFC 9112: no space before the colon
		"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n":                                        400,
		"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n":                                              400,
		"GET / HTTP/1.1\r\nHost: a\x00\r\n\r\n":                                                400,
		"GET  / HTTP/1.1\r\nHost: a\r\n\r\n":                                                   400,
		"GET / HTTP/1.1 \r\nHost: a\r\n\r\n":                                                   400,
		"GET / HTTP/2.0\r\nHost: a\r\n\r\n":                                                    400,
		"GET /\r\nHost: a\r\n\r\n":                                                             400,
		"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n":                            400, // for proxies
		"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n":                                                400,
		"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n":                                                 400,
		"G T / HTTP/1.1\r\nHost: a\r\n\r\n":                                                    400,
		"G{T / HTTP/1.1\r\nHost: a\r\n\r\n":                                                    400,
		"GET /" + long + " HTTP/1.1\r\nHost: a\r\n\r\n":                                        431,
		"GET / HTTP/1.1\r\nHost: a\r\nX: " + long + "\r\n\r\n":                                 431,
		"GET / HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", headerBytes/6+1) + "Host: a\r\n\r\n": 431,
	} {
		if _, status := readRequest(strings.NewReader(text)); status != want {
			t.Errorf("%.60q: %d, want %d", text, status, want)
		}
	}
	r, _ := readRequest(strings.NewReader("PUT /a%20b//c/?x=1&y=%3d HTTP/1.1\r\nHost: h:1 \r\n\r\n"))
	if r.method != "PUT" || r.path != "/a b//c/" || r.query.Get("x") != "1" || r.query.Get("y") != "=" || r.host != "h:1" {
		t.Errorf("%+v", r)
	}
}

// FuzzRequest reads what the standard library reads, or refuses it; and never more than it may.
func FuzzRequest(f *testing.F) {
	for _, text := range []string{
		"GET /a/?x=1 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", "POST //t/%41 HTTP/1.0\r\nHost:\r\nX: y\r\n\r\nbody", "GET / HTTP/1.1\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, status := readRequest(strings.NewReader(string(data)))
		if status != statusOK {
			if reasons[status] == "" && status != 0 {
				t.Fatalf("status %d", status)
			}
			return
		}
		theirs, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(data))))
		if err != nil {
			return // bodies, which are not looked at, and letters that it wants spelled otherwise
		}
		if theirs.Method != r.method || theirs.URL.Path != r.path || theirs.Host != r.host || theirs.URL.Query().Encode() != r.query.Encode() {
			t.Errorf("%q: %+v, and %s %s for %s", data, r, theirs.Method, theirs.URL, theirs.Host)
		}
	})
}

// listening serves an answer of one word, with panics for /panic, and returns how to connect.
func listening(t *testing.T) (dial func() net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- serveHTTP(ctx, listener, func(_ context.Context, r request) response {
			if r.path == "/panic" {
				panic("a bug")
			}
			return response{statusOK, []string{"X-Of", "us"}, []byte("answer")}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return func() net.Conn {
		conn, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		return conn
	}
}

const good = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

func TestServeHTTP_AnswersAndCloses(t *testing.T) {
	dial := listening(t)
	for text, want := range map[string]string{
		good:                                     "HTTP/1.1 200 OK\r\n",
		good + good:                              "HTTP/1.1 200 OK\r\n", // the second is not looked at
		"GET / HTTP/1.1\r\n\r\n":                 "HTTP/1.1 400 Bad Request\r\n",
		"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n": "", // and the server lives
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100_000): "HTTP/1.1 200 OK\r\n",
	} {
		conn := dial()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(conn)
		if err != nil && want != "" {
			t.Errorf("%.60q: %v", text, err)
		}
		got := string(all)
		if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Count(got, "HTTP/1.1") > 1 {
			t.Errorf("%.60q: %q", text, got)
		}
		if strings.Contains(want, "200") && !strings.HasSuffix(got, "\r\nX-Of: us\r\nContent-Length: 6\r\nConnection: close\r\n\r\nanswer") {
			t.Errorf("%.60q: %q", text, got)
		}
	}
}

// Connections that say nothing keep nobody else out, but for those past the bound; and they end.
func TestServeHTTP_SilentConnections(t *testing.T) {
	dial := listening(t)
	for range mostConnections - 1 {
		dial()
	}
	conn := dial()
	_, _ = io.WriteString(conn, good)
	if all, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(all), "answer") {
		t.Errorf("%q, %v", all, err)
	}
}

func TestResponse_SpellsItsDate(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	want := "HTTP/1.1 405 Method Not Allowed\r\nDate: Fri, 02 Jan 2026 02:04:05 GMT\r\nAllow: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	if got := string(response{status: statusMethodNotAllowed, header: []string{"Allow", "GET"}}.bytes(at)); got != want {
		t.Errorf("%q", got)
	}
}
