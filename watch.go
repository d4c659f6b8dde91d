package pumice

import (
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/core"
)

// WatchPoint is a sample whose history is asked for. X and Y are texels of the level.
type WatchPoint struct {
	// Image is what is drawn to, copied to or stored to: of a colour or depth/stencil format.
	Image *Image
	// Layer is the array layer, or the slice of a 3D image.
	X, Y, Level, Layer, Sample int
	// Buffer instead of Image is what shaders store to: the word of 32 bits from byte Offset on, a
	// multiple of 4, is watched.
	Buffer *Buffer
	Offset uint64
	// Shader asks for what shaders compute, instruction by instruction: those of all stages that the
	// primitives at the sample came from, and the invocation of a dispatch, or of a stage of a draw,
	// that stored the value last, up to the store. Workgroups of a dispatch then run one behind the
	// other, and passes that may store there have one worker. Quad asks for the same of the three
	// other invocations of the fragment's quad.
	Shader, Quad bool
}

// Watcher watches samples; see Device.Watch.
type Watcher struct{ core *core.Watcher }

// Watch watches samples: whatever the device carries out from now on is recorded as far as it touches
// them or could have, until End. What is drawn has the same bits, watched or not; passes that draw to a watched
// image are slower. One Watcher at a time; MaxWatches samples at most.
//
// Where a pass resolves samples to a watched texel, those samples are watched, too.
func (d *Device) Watch(at ...WatchPoint) (*Watcher, error) {
	const op = "Device.Watch"
	points := make([]core.WatchPoint, len(at))
	for i, p := range at {
		if p.Image == nil && p.Buffer == nil {
			return nil, &Error{Op: op, Rule: "nil object", Detail: fmt.Sprintf("the image of point %d is nil", i)}
		}
		if p.Image == nil {
			points[i] = core.WatchPoint{Buffer: p.Buffer.object(), Offset: p.Offset, Shader: p.Shader, Stages: p.Shader}
			continue
		}
		points[i] = core.WatchPoint{Image: p.Image.object(), X: p.X, Y: p.Y, Level: p.Level, Layer: p.Layer, Sample: p.Sample, Shader: p.Shader, Quad: p.Quad, Stages: p.Shader}
	}
	w, err := d.object().Watch(op, points)
	if err != nil {
		return nil, err
	}
	return &Watcher{w}, nil
}

// Change makes a draw have a piece of its state otherwise: its ordinal and the change are those of a
// hint of an explanation of the same commands. It is called before they are submitted. What the
// commands leave behind is then as the change has it.
func (w *Watcher) Change(ordinal int, c explain.Change) error {
	const op = "Watcher.Change"
	if w == nil || w.core == nil {
		return &Error{Op: op, Rule: "Watch", Detail: "nothing is watched any more", Hint: "change draws before Watcher.End"}
	}
	return w.core.Change(op, ordinal, c)
}

// End waits for the work submitted so far, stops watching and returns an explanation for each point, in their order,
// and after them one for each sample that was resolved to one of them.
func (w *Watcher) End() []*explain.Explanation {
	if w == nil || w.core == nil {
		return nil
	}
	es := w.core.End()
	w.core = nil
	return es
}

// MaxWatches is how many samples can be watched at once, those that resolves bring in among them.
const MaxWatches = 1024

// The engine's limit is this one: the line does not compile where they differ.
var _ [MaxWatches]struct{} = [core.MaxWatches]struct{}{}

// Explain submits command buffers, as Submit does, and tells of the samples at the given places how these commands
// made them what they are.
func (d *Device) Explain(ctx context.Context, at []WatchPoint, cmds ...*CommandBuffer) ([]*explain.Explanation, error) {
	w, err := d.Watch(at...)
	if err != nil {
		return nil, err
	}
	err = d.Submit(ctx, cmds...)
	es := w.End()
	if err != nil {
		return nil, err
	}
	return es, nil
}
