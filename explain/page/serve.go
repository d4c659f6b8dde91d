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
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

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
}

// What the server takes at most.
const (
	mostWaiting  = 4        // pixels that wait for the one that is being explained
	mostRequests = 32       // requests under way
	headerBytes  = 16 << 10 // of a request
	patience     = 5 * time.Second
)

// Serve offers a page on this machine alone: on 127.0.0.1, a port that is free, and a
// path that nobody can guess, which the URL has. It returns when the page can be asked
// for, and ends with ctx, or when it fails; wait waits for that and returns why it failed.
func Serve(ctx context.Context, o ServeOptions) (url string, wait func() error, err error) {
	if o.Explain == nil {
		return "", nil, errors.New("page: a page that is served takes ServeOptions.Explain")
	}
	var html bytes.Buffer
	if err := write(&html, &o.Report, true); err != nil {
		return "", nil, err
	}
	var secret [16]byte
	rand.Read(secret[:]) // never fails
	s := &server{
		o: o, html: html.Bytes(), token: hex.EncodeToString(secret[:]), policy: policy(sheet, script(), true),
		turn: make(chan struct{}, 1), waiting: make(chan struct{}, mostWaiting+1), requests: make(chan struct{}, mostRequests),
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("page: cannot listen on this machine: %w", err)
	}
	serving := &http.Server{
		Handler: s, DisableGeneralOptionsHandler: true, MaxHeaderBytes: headerBytes, ReadHeaderTimeout: patience, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0),
	}
	stopped := context.AfterFunc(ctx, func() { _ = serving.Close() })
	done := make(chan error, 1)
	go func() {
		err := serving.Serve(listener)
		stopped()
		if errors.Is(err, http.ErrServerClosed) || ctx.Err() != nil {
			err = nil
		}
		done <- err
	}()
	wait = func() error {
		err := <-done
		done <- err // for whoever asks again
		return err
	}
	return "http://" + listener.Addr().String() + "/" + s.token + "/", wait, nil
}

// server answers requests.
type server struct {
	o             ServeOptions
	html          []byte
	token, policy string
	turn          chan struct{} // has one element while a pixel is being explained
	waiting       chan struct{} // has one for each pixel that is being explained or waits
	requests      chan struct{}
}

// ServeHTTP answers GET of the page and of explanations, under the token. To all that
// do not know it, and to names that only lead here (DNS rebinding), there is nothing.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case s.requests <- struct{}{}:
		defer func() { <-s.requests }()
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	token, path, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !ok || subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 || !loopback(r.Host) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Content-Security-Policy", s.policy+"; frame-ancestors 'none'")
	if r.Method != http.MethodGet {
		header.Set("Allow", "GET")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	switch path {
	case "":
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.html)
	case "explain":
		s.explain(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
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

func (s *server) explain(w http.ResponseWriter, r *http.Request) {
	x, y, sample, err := s.pixel(r.URL.Query())
	if err != nil {
		reply(w, http.StatusBadRequest, answer{Error: err.Error()})
		return
	}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		reply(w, http.StatusServiceUnavailable, answer{Error: "too many pixels are being asked for; wait for one to be explained"})
		return
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-r.Context().Done():
		return
	}
	es, err := s.one(r.Context(), x, y, sample)
	if err != nil {
		reply(w, http.StatusInternalServerError, answer{Error: strings.Join(strings.Fields(err.Error()), " ")})
		return
	}
	reply(w, http.StatusOK, answer{Explanations: es, Rules: rulesOf(es)})
}

// one explains a pixel; what panics there is an answer, too.
func (s *server) one(ctx context.Context, x, y, sample int) (es []*explain.Explanation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("explaining pixel %d, %d failed: %v", x, y, p)
		}
	}()
	return s.o.Explain(ctx, x, y, sample)
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

func reply(w http.ResponseWriter, status int, a answer) {
	data, err := json.Marshal(a)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the explanation cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
