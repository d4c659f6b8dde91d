package core

import (
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/vk"
)

// WatchPoint is a sample of an image to watch: X and Y are texels of the level. Shader asks
// for the shader instruction by instruction, Quad for that of the invocation's quad, too.
type WatchPoint struct {
	Image                      *Image
	Aspect                     vk.ImageAspectFlags
	Level, Layer, X, Y, Sample int
	Shader, Quad               bool
}

// Watcher watches samples.
type Watcher struct{}

// Watch watches samples: from now on, everything that the queues carry out tells of them.
func (d *Device) Watch(op string, at []WatchPoint) (*Watcher, error) {
	return nil, &Error{Op: op, Rule: "explain", Detail: "not there yet", Err: ErrUnsupported}
}

// End ends watching after the work submitted so far, and returns an explanation for each point.
func (w *Watcher) End() []*explain.Explanation { return nil }
