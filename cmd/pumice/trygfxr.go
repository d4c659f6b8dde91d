package main

import (
	"slices"

	"github.com/pumice-gpu/pumice/explain"
)

// tryCapture tries the hints of an explanation of a capture: it is replayed once more for the
// explained
// texel alone, whose draws are counted anew, and once for each change. Hints of which that does not
// come out as it did before stay untried.
func tryCapture(w *work, file string, frame int, e *explain.Explanation) error {
	changes := func(h explain.Hint) bool { return h.Change != nil }
	if ordinal(e.Target.Image) == 0 || !slices.ContainsFunc(e.Hints, changes) {
		return nil
	}
	before, err := watchCapture(w, file, frame, sought{at: &e.Target})
	if err != nil || len(before) == 0 {
		return err
	}
	for i := range e.Hints {
		h := &e.Hints[i]
		at := slices.IndexFunc(before[0].Hints, func(o explain.Hint) bool {
			return o.Where == h.Where && h.Change != nil && o.Change != nil && *o.Change == *h.Change
		})
		if at < 0 {
			continue
		}
		own := before[0].Hints[at]
		after, err := watchCapture(w, file, frame, sought{at: &e.Target, try: &own})
		if err != nil {
			return err
		}
		own.Try(before[0], after[0])
		h.Tried = own.Tried
	}
	return nil
}
