package page

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
)

// ServeOptions say what Serve shows.
type ServeOptions struct {
	// Report is the page as it is opened.
	Report
	// Explain explains further pixels of the picture: a sample of one, or all of
	// them where sample is negative. It is called for one pixel at a time, and ctx ends
	// when the page no longer wants the answer.
	Explain func(ctx context.Context, x, y, sample int) ([]*explain.Explanation, error)
	// Follow explains a texel of an image that an explanation has named: of what was read, or copied
	// from. It is called as Explain is. early: what wrote the texel before the frame is told, too.
	// nil: no texel can be asked for.
	Follow func(ctx context.Context, texel explain.Target, early bool) ([]*explain.Explanation, error)
	// Address is where the page is served: an address of this machine that leads nowhere else, and
	// a port: "127.0.0.1:8080", "[::1]:8080", "localhost:8080". Empty, or port 0: one that is free.
	Address string
}

const mostWaiting = 4 // pixels that wait for the one that is being explained

// Serve offers a page on this machine alone: at ServeOptions.Address, or on 127.0.0.1 and a port
// that is free; and at a path that nobody can guess, which the URL has. It returns when the page can
// be asked for, and ends with ctx, or when it fails; wait waits for that and returns why it failed.
func Serve(ctx context.Context, o ServeOptions) (url string, wait func() error, err error) {
	if o.Explain == nil {
		return "", nil, errors.New("page: a page that is served takes ServeOptions.Explain")
	}
	at, err := listenAt(o.Address)
	if err != nil {
		return "", nil, fmt.Errorf("page: %w", err)
	}
	var html bytes.Buffer
	if err := write(&html, &o.Report, true, o.Follow != nil); err != nil {
		return "", nil, err
	}
	var secret [16]byte
	rand.Read(secret[:]) // never fails
	s := &server{
		o: o, html: html.Bytes(), token: hex.EncodeToString(secret[:]), policy: policy(sheet, script(), true),
		turn: make(chan struct{}, 1), waiting: make(chan struct{}, mostWaiting+1),
	}
	s.learn(o.Explanations)
	s.learn(o.Followed)
	listener, err := net.Listen("tcp", at.String())
	if err != nil {
		return "", nil, fmt.Errorf("page: cannot listen on this machine: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- serveHTTP(ctx, listener, s.answer) }()
	wait = func() error {
		err := <-done
		done <- err // for whoever asks again
		return err
	}
	return "http://" + listener.Addr().String() + "/" + s.token + "/", wait, nil
}

// CheckAddress says whether Serve takes a ServeOptions.Address.
func CheckAddress(address string) error {
	_, err := listenAt(address)
	return err
}

// listenAt reads ServeOptions.Address. Names but localhost are none: what they lead to may change.
func listenAt(address string) (netip.AddrPort, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	if port, ok := strings.CutPrefix(address, "localhost:"); ok {
		address = "127.0.0.1:" + port
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return at, fmt.Errorf("%q: the page is for this machine alone; want 127.0.0.1:PORT", address)
	}
	return at, nil
}

// server answers requests.
type server struct {
	o             ServeOptions
	html          []byte
	token, policy string
	turn          chan struct{} // has one element while a pixel is being explained
	waiting       chan struct{} // has one for each pixel that is being explained or waits
	known         images
}

// answer answers GET of the page and of explanations, under the token. To all that
// do not know it, and to names that only lead here (DNS rebinding), there is nothing.
func (s *server) answer(ctx context.Context, r request) response {
	token, path, ok := strings.Cut(strings.TrimPrefix(r.path, "/"), "/")
	if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 || !loopback(r.host) {
		return response{status: statusNotFound}
	}
	header := []string{
		"X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer", "Cache-Control", "no-store",
		"Cross-Origin-Resource-Policy", "same-origin", "Cross-Origin-Opener-Policy", "same-origin",
		"Content-Security-Policy", s.policy + "; frame-ancestors 'none'",
	}
	a := response{status: statusNotFound}
	switch {
	case r.method != "GET":
		a = response{status: statusMethodNotAllowed, header: []string{"Allow", "GET"}}
	case path == "":
		a = response{status: statusOK, header: []string{"Content-Type", "text/html; charset=utf-8"}, body: s.html}
	case path == "explain":
		a = s.explain(ctx, r)
	case path == "follow" && s.o.Follow != nil:
		a = s.follow(ctx, r)
	}
	a.header = append(a.header, header...)
	return a
}

// loopback tells whether a Host header names this machine to itself.
func loopback(host string) bool {
	u := url.URL{Host: host}
	name := u.Hostname()
	if name == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.IsLoopback()
}

// answer is what an explained pixel comes as.
type answer struct {
	Explanations []*explain.Explanation `json:"explanations,omitempty"`
	Rules        map[string]rule        `json:"rules,omitempty"`
	Error        string                 `json:"error,omitempty"`
}

func (s *server) explain(ctx context.Context, r request) response {
	x, y, sample, err := s.pixel(r.query)
	if err != nil {
		return reply(statusBadRequest, answer{Error: err.Error()})
	}
	return s.inTurn(ctx, func() ([]*explain.Explanation, error) { return s.o.Explain(ctx, x, y, sample) })
}

// inTurn answers with explanations that are made one at a time.
func (s *server) inTurn(ctx context.Context, run func() ([]*explain.Explanation, error)) response {
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return reply(statusUnavailable, answer{Error: "too many pixels are being asked for; wait for one to be explained"})
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return response{status: statusUnavailable} // to nobody
	}
	es, err := s.one(run)
	if err != nil {
		return reply(statusInternalError, answer{Error: strings.Join(strings.Fields(err.Error()), " ")})
	}
	s.learn(es)
	return reply(statusOK, answer{Explanations: es, Rules: rulesOf(es)})
}

// one explains a pixel; what panics there is an answer, too.
func (s *server) one(run func() ([]*explain.Explanation, error)) (es []*explain.Explanation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("explaining it failed: %v", p)
		}
	}()
	return run()
}

// pixel reads which pixel is asked for, and checks that the picture has it.
func (s *server) pixel(q url.Values) (x, y, sample int, err error) {
	size := s.o.Picture.Bounds().Size()
	sample = -1
	for _, p := range []struct {
		name string
		to   *int
		most int
	}{{"x", &x, size.X}, {"y", &y, size.Y}, {"sample", &sample, 64}} {
		text := q.Get(p.name)
		if text == "" && p.to == &sample {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n >= p.most {
			return 0, 0, 0, fmt.Errorf("%s=%q: the picture is %d × %d pixels; want a number from 0 to %d", p.name, text, size.X, size.Y, p.most-1)
		}
		*p.to = n
	}
	return x, y, sample, nil
}

func reply(status int, a answer) response {
	data, err := json.Marshal(a)
	if err != nil {
		status, data = statusInternalError, []byte(`{"error":"the explanation cannot be written as JSON"}`)
	}
	return response{status, []string{"Content-Type", "application/json"}, data}
}
