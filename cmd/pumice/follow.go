package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/explain/page"
)

// maxLinks is how many places a value is followed through.
const maxLinks = 16

// FollowAnswer is what follow answers.
type FollowAnswer struct {
	Version int `json:"version"` // explain.Version
	// Chain leads from the pixel to where its value was made.
	Chain []Link `json:"chain"`
	// End says why it ends there.
	End string `json:"end"`
}

// Link is a place that a value has been in.
type Link struct {
	Target explain.Target `json:"target"`
	// Value is what the sample holds, or held when it was read; nil: it is not explained.
	Value *explain.Value `json:"value,omitempty"`
	// Event is what wrote it; nil: nothing that was watched.
	Event *LinkEvent `json:"event,omitempty"`
	// Reads are the image instructions of which the draw's shader made it; Read is the one whose texel
	// is the next link, from 0.
	Reads []string `json:"reads,omitempty"`
	Read  int      `json:"read,omitempty"`
}

// LinkEvent names an event.
type LinkEvent struct {
	Kind  explain.Kind `json:"kind"`
	Where string       `json:"where"`
	// Primitive is the one of a draw, such as "triangle 3".
	Primitive string `json:"primitive,omitempty"`
	// Through is that of the event.
	Through string `json:"through,omitempty"`
}

// follow follows the value of a pixel through resolves, copies, blits and textures, to where it was
// uploaded, cleared or computed. reads choose among the image instructions of draws that have
// several, from 0; where there is no choice any more, the first is followed.
func follow(w *work, s *subject, p point, reads []int) (FollowAnswer, error) {
	p.shader = true
	_, es, err := s.draw(w, []point{p})
	if err != nil {
		return FollowAnswer{}, err
	}
	f := follower{w: w, s: s, es: es, reads: reads}
	return f.follow()
}

// followed is follow with the picture, and the explanations that were found on the way: those of
// the point and of what it came from.
func followed(w *work, s *subject, p point, reads []int) (FollowAnswer, *page.Report, error) {
	p.shader = true
	picture, es, err := s.draw(w, []point{p})
	if err != nil {
		return FollowAnswer{}, nil, err
	}
	f := follower{w: w, s: s, es: es, reads: reads}
	a, err := f.follow()
	return a, &page.Report{Title: s.title, Picture: picture, Explanations: es, Followed: f.found}, err
}

// follower is a value on its way back.
type follower struct {
	w  *work
	s  *subject
	es []*explain.Explanation
	// early: what is explained is watched from the first frame on, and not just in the one that is
	// shown.
	early bool
	reads []int
	found []*explain.Explanation // of other images
}

func (f *follower) follow() (FollowAnswer, error) {
	a, err := f.chain()
	if err == nil && len(f.reads) > 0 && f.reads[0] != 0 {
		err = askErrorf(codeArgument, "image %d: no draw on the way has read several images "+
			"but those chosen before", f.reads[0])
	}
	return a, err
}

func (f *follower) chain() (FollowAnswer, error) {
	a := FollowAnswer{Version: explain.Version, Chain: []Link{}, End: "nothing is explained"}
	if len(f.es) == 0 {
		return a, nil
	}
	e := f.es[0]
	var held *explain.Value // what was read or copied of it
	copied := false
	for len(a.Chain) < maxLinks {
		last, fragment := e.Writer(held)
		// What was read may be from before the frame, and written anew since.
		old := held != nil && !e.Wrote(held) && (copied || e.Began(held))
		if (last == nil || old) && !f.early && f.s.watch != nil {
			f.early = true
			next, err := f.watch(&e.Target)
			if err != nil {
				return a, err
			}
			if next != nil {
				e = next
				last, fragment = e.Writer(held)
			}
		}
		if copied && held != nil && !e.Wrote(held) { // the host has exchanged components
			held = nil
			last, fragment = e.Writer(held)
		}
		link := Link{Target: e.Target, Value: &e.After}
		if held != nil {
			link.Value = held
		}
		if last == nil {
			a.Chain = append(a.Chain, link)
			a.End = "no command that was watched wrote it: the host did, or the image held it before"
			return a, nil
		}
		link.Event = &LinkEvent{Kind: last.Kind, Where: last.Where, Through: last.Through}
		if fragment != nil {
			link.Event.Primitive = fragment.Primitive.String()
		}
		to, value := last.From, (*explain.Value)(nil)
		if copied = to != nil && last.Kind == explain.Copy && to.Format == e.Target.Format; copied {
			value = &last.After
		}
		if to == nil {
			reads := fragment.Reads()
			for _, m := range reads {
				link.Reads = append(link.Reads, m.Brief())
			}
			if len(reads) > 1 && len(f.reads) > 0 {
				link.Read, f.reads = f.reads[0], f.reads[1:]
				if link.Read >= len(reads) || link.Read < 0 {
					return a, askErrorf(codeArgument, "image %d: %s read %d, from 0: %s", link.Read, last.Where,
						len(reads), strings.Join(link.Reads, "; "))
				}
			}
			if len(reads) > 0 {
				to, value = reads[link.Read].Source()
			}
		}
		a.Chain = append(a.Chain, link)
		if to == nil {
			a.End = fmt.Sprintf("%s made the value (%s)", last.Where, last.Kind)
			return a, nil
		}
		next, err := f.next(to, last.Kind)
		if err != nil {
			return a, err
		}
		if next == nil {
			a.Chain = append(a.Chain, Link{Target: *to, Value: value})
			a.End = f.unwatched(to)
			return a, nil
		}
		if e, held = next, value; slices.ContainsFunc(a.Chain,
			func(l Link) bool { return l.Target == e.Target }) {
			a.End = "it was copied to and fro"
			return a, nil
		}
	}
	a.End = fmt.Sprintf("it has been in %d places; no more are followed", maxLinks)
	return a, nil
}

// next explains what a value was taken from; nil: that is not to be had.
func (f *follower) next(to *explain.Target, kind explain.Kind) (*explain.Explanation, error) {
	i := slices.IndexFunc(f.es, func(o *explain.Explanation) bool {
		same := o.Target.Sample == to.Sample || kind != explain.Resolve && to.Samples <= 1
		return same && sameTexel(to, &o.Target)
	})
	if i >= 0 {
		return f.es[i], nil
	}
	return f.watch(to)
}

// watch explains a texel of another image; nil: that cannot be watched.
func (f *follower) watch(t *explain.Target) (*explain.Explanation, error) {
	if f.s.watch == nil || ordinal(t.Image) == 0 {
		return nil, nil
	}
	es, err := f.s.watch(f.w, t, f.early)
	if err != nil || len(es) == 0 {
		return nil, err
	}
	f.es, f.found = es, append(f.found, es...)
	return es[0], nil
}

// unwatched says why a value is not followed any farther.
func (f *follower) unwatched(t *explain.Target) string {
	switch {
	case f.s.watch == nil:
		return fmt.Sprintf("of a model, values are followed to the images that its shaders read, such as %s, and no farther", t.Image)
	}
	return "that sample is not explained"
}

// text is the chain for people.
func (a *FollowAnswer) text() string {
	var b strings.Builder
	chosen := ""
	for i, l := range a.Chain {
		t := &l.Target
		fmt.Fprintf(&b, "%d. pixel %d, %d of %s", i+1, t.X, t.Y, t.Image)
		if t.Level > 0 {
			fmt.Fprintf(&b, ", level %d", t.Level)
		}
		if t.Layer > 0 {
			fmt.Fprintf(&b, ", layer %d", t.Layer)
		}
		if t.Samples > 1 {
			fmt.Fprintf(&b, ", sample %d", t.Sample)
		}
		if l.Value != nil {
			fmt.Fprintf(&b, ": %s", l.Value.Text)
		}
		if l.Event != nil {
			fmt.Fprintf(&b, ", by %s", l.Event.Where)
			if l.Event.Primitive != "" {
				fmt.Fprintf(&b, ", %s", l.Event.Primitive)
			}
		}
		if len(l.Reads) > 0 && l.Read < len(l.Reads) {
			fmt.Fprintf(&b, ", of %s", l.Reads[l.Read])
		}
		b.WriteString("\n")
		if l.Event != nil && l.Event.Through != "" {
			fmt.Fprintf(&b, "   %s\n", l.Event.Through)
		}
		if len(l.Reads) > 1 {
			fmt.Fprintf(&b, "   READ of --follow=%sREAD:", chosen)
			chosen += fmt.Sprintf("%d,", l.Read+1)
			for k, r := range l.Reads {
				fmt.Fprintf(&b, "%s %d %s", map[bool]string{true: ";"}[k > 0], k+1, r)
			}
			b.WriteString("\n")
		}
	}
	return b.String() + a.End + "\n"
}

// writeFollowed follows each point, and writes the chains.
func writeFollowed(w *work, o *explainOptions, s *subject, to io.Writer) error {
	all := &page.Report{}
	reads := slices.Clone(o.follow)
	for i := range reads {
		if reads[i]--; reads[i] < 0 {
			return usagef("--follow=%d: want the number of an image instruction, from 1", o.follow[i])
		}
	}
	for i, p := range s.points {
		a, r, err := followed(w, s, p, reads)
		if err != nil {
			return err
		}
		r.Explanations, r.Followed = append(all.Explanations, r.Explanations...), append(all.Followed, r.Followed...)
		all = r
		var out bytes.Buffer
		if o.json {
			enc := json.NewEncoder(&out)
			enc.SetIndent("", "  ")
			if err := enc.Encode(a); err != nil {
				return err
			}
		} else {
			if i > 0 {
				out.WriteString("\n")
			}
			out.WriteString(a.text())
		}
		if o.html != "" && !o.json {
			continue
		}
		if _, err := to.Write(out.Bytes()); err != nil {
			return err
		}
	}
	if o.html == "" {
		return nil
	}
	return writePage(w, o.html, all)
}

// watchCapture explains a texel of an image of a capture.
func watchCapture(w *work, file string, frame int, s sought) ([]*explain.Explanation, error) {
	p, err := newReplay(w, file)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if frame, err = p.number(frame); err != nil {
		return nil, err
	}
	w.doing = fmt.Sprintf("explaining %s in frame %d of %s", s.at.Image, frame, file)
	s.image, s.level, s.layer, s.shader = ordinal(s.at.Image), s.at.Level, s.at.Layer, true
	s.x, s.y, s.sample = s.at.X, s.at.Y, s.at.Sample
	es, _, err := p.explain(w, frame, []sought{s})
	return es, err
}
