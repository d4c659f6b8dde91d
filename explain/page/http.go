package page

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"
)

// What Serve needs of HTTP/1.1 (RFC 9112): one request a connection, without a body, and its answer. The
// standard library's server would bring TLS and HTTP/2 along, a fifth of the command.

// request is what is looked at in a request.
type request struct {
	method, path, host string
	query              url.Values
}

// response is an answer. Header holds names and values in turn.
type response struct {
	status int
	header []string
	body   []byte
}

// The statuses that are answered.
const (
	statusOK               = 200
	statusBadRequest       = 400
	statusNotFound         = 404
	statusMethodNotAllowed = 405
	statusHeaderTooLarge   = 431
	statusInternalError    = 500
	statusUnavailable      = 503
)

var reasons = map[int]string{
	statusOK: "OK", statusBadRequest: "Bad Request", statusNotFound: "Not Found", statusMethodNotAllowed: "Method Not Allowed",
	statusHeaderTooLarge: "Request Header Fields Too Large", statusInternalError: "Internal Server Error", statusUnavailable: "Service Unavailable",
}

// What a connection may take.
const (
	mostConnections = 64
	headerBytes     = 16 << 10 // of a request
	patience        = 5 * time.Second
	writing         = time.Minute
)

// serveHTTP answers the requests of a listener until ctx ends, which is no error.
func serveHTTP(ctx context.Context, listener net.Listener, answer func(context.Context, request) response) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	defer listener.Close()
	connections := make(chan struct{}, mostConnections)
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close()
			}
			return nil
		case passes(err):
			time.Sleep(50 * time.Millisecond) // until others have closed some
			continue
		case err != nil:
			return err
		}
		select {
		case connections <- struct{}{}:
			go func() {
				defer func() { <-connections }()
				serveConnection(ctx, conn, answer)
			}()
		default: // whoever opens as many is no page of ours
			_ = conn.Close()
		}
	}
}

// serveConnection answers one request. Its context ends when the other side goes away.
func serveConnection(ctx context.Context, conn net.Conn, answer func(context.Context, request) response) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer conn.Close()
	wanted, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() { _ = recover() }() // a broken invariant ends this connection, not the program
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	r, status := readRequest(conn)
	if status == 0 {
		return // nothing came
	}
	gone := make(chan struct{})
	_ = conn.SetReadDeadline(time.Time{})
	go func() { // until the other side closes
		_, _ = io.Copy(io.Discard, conn)
		cancel()
		close(gone)
	}()
	a := response{status: status}
	if status == statusOK {
		a = answer(wanted, r)
	}
	_ = conn.SetWriteDeadline(time.Now().Add(writing))
	_, err := conn.Write(a.bytes(time.Now()))
	// Closing at once while something unread is under way could take the answer back.
	if half, ok := conn.(interface{ CloseWrite() error }); ok && err == nil && half.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		<-gone
	}
}

// bytes is the answer as it is sent.
func (a response) bytes(now time.Time) []byte {
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nDate: %s\r\n", a.status, reasons[a.status], now.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	for i := 0; i+1 < len(a.header); i += 2 {
		b = fmt.Appendf(b, "%s: %s\r\n", a.header[i], a.header[i+1])
	}
	b = fmt.Appendf(b, "Content-Length: %d\r\nConnection: close\r\n\r\n", len(a.body))
	return append(b, a.body...)
}

// readRequest reads the head of a request. The status is 200 where it is well-formed, 0 where there
// is none, and else what to answer.
func readRequest(from io.Reader) (request, int) {
	limited := &io.LimitedReader{R: from, N: headerBytes}
	lines := bufio.NewReader(limited)
	line := func() (string, int) {
		text, err := lines.ReadString('\n')
		switch {
		case err != nil && limited.N == 0:
			return "", statusHeaderTooLarge
		case err != nil:
			return "", 0
		}
		text, ok := strings.CutSuffix(text, "\r\n")
		if !ok || strings.ContainsAny(text, "\r\n\x00") {
			return "", statusBadRequest
		}
		return text, statusOK
	}
	first, status := line()
	if status != statusOK {
		return request{}, status
	}
	method, rest, _ := strings.Cut(first, " ")
	target, version, _ := strings.Cut(rest, " ")
	u, err := url.ParseRequestURI(target)
	if !isToken(method) || !strings.HasPrefix(target, "/") || err != nil || version != "HTTP/1.1" && version != "HTTP/1.0" {
		return request{}, statusBadRequest
	}
	r := request{method: method, path: u.Path, query: u.Query()}
	for hosts := 0; ; {
		text, status := line()
		if status != statusOK {
			return request{}, status
		}
		if text == "" {
			if hosts != 1 { // RFC 9112, section "Host and :authority"
				return request{}, statusBadRequest
			}
			return r, statusOK
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || !isToken(name) {
			return request{}, statusBadRequest
		}
		if strings.EqualFold(name, "Host") {
			hosts++
			r.host = strings.Trim(value, " \t")
		}
	}
}

// isToken says that a name is made of the letters that names have in HTTP.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
