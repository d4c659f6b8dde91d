package page

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync"

	"github.com/pumice-gpu/pumice/explain"
)

// mostImages is how many images a served page can ask about.
const mostImages = 4096

// images are those that explanations have named, by their labels: of others no texel is asked for.
type images struct {
	mu sync.Mutex
	by map[string]explain.Target // with the size of level 0
}

// learn notes the images that explanations name.
func (s *server) learn(es []*explain.Explanation) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	note := func(t *explain.Target) {
		if s.known.by == nil {
			s.known.by = map[string]explain.Target{}
		}
		if t == nil || t.Image == "" || len(s.known.by) >= mostImages {
			return
		}
		of := *t
		of.Width, of.Height = of.Width<<of.Level, of.Height<<of.Level
		if old, ok := s.known.by[t.Image]; ok { // odd sizes lose something on the way down
			of.Width, of.Height = max(of.Width, old.Width), max(of.Height, old.Height)
		}
		s.known.by[t.Image] = of
	}
	for _, e := range es {
		for i := range e.Events {
			v := &e.Events[i]
			if note(v.From); v.Draw == nil {
				continue
			}
			for k := range v.Draw.Fragments {
				for m := range v.Draw.Fragments[k].Images {
					note(v.Draw.Fragments[k].Images[m].Of)
				}
			}
		}
	}
}

// follow answers a question about a texel.
func (s *server) follow(ctx context.Context, r request) response {
	t, err := s.texel(r.query)
	if err != nil {
		return reply(statusBadRequest, answer{Error: err.Error()})
	}
	return s.inTurn(
		ctx,
		func() ([]*explain.Explanation, error) { return s.o.Follow(ctx, t, r.query.Get("early") != "") },
	)
}

// texel reads which texel is asked for.
func (s *server) texel(q url.Values) (t explain.Target, err error) {
	name := q.Get("image")
	s.known.mu.Lock()
	t, ok := s.known.by[name]
	s.known.mu.Unlock()
	if !ok {
		return t, fmt.Errorf("image=%q: no explanation has named such an image", name)
	}
	for _, p := range []struct {
		name string
		to   *int
		most int
	}{{"level", &t.Level, 32}, {"layer", &t.Layer, 1 << 16}, {"x", &t.X, t.Width}, {"y", &t.Y, t.Height}, {"sample", &t.Sample, max(t.Samples, 1)}} {
		n, err := strconv.Atoi(q.Get(p.name))
		if err != nil || n < 0 || n >= max(p.most, 1) {
			return t, fmt.Errorf("%s=%q: want a number from 0 to %d", p.name, q.Get(p.name),
				max(p.most, 1)-1)
		}
		*p.to = n
	}
	t.Width, t.Height = max(t.Width>>t.Level, 1), max(t.Height>>t.Level, 1)
	return t, nil
}
