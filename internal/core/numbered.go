package core

import (
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/vk"
)

// Descriptors that lie in memory name image views and samplers by numbers, as shaders
// name buffers by device addresses: no number that a program makes up leads to anything
// but an object that is there. An object has its number from the first descriptor made of it,
// and no other one has the same before or after it.

// firstReplayed is where the numbers begin of objects that are captured and replayed: nothing
// else takes their place in the replay.
const firstReplayed = 1 << 32

// objectNumbers knows the objects by their numbers.
type objectNumbers struct {
	mu        sync.RWMutex
	views     map[uint64]*ImageView
	samplers  map[uint64]*Sampler
	images    map[uint64]*Image // that descriptors of heaps name views of
	described int               // of samplers, those of DescribedSampler
	last      [2]uint64         // numbers given: to objects, and to those of captures

	// changes counts what may give descriptors another meaning: numbers and addresses that come to lead
	// somewhere or cease to, images that are closed. It has counted before memory goes.
	changes atomic.Uint64
}

// numberedObject is the part of an object that objectNumbers guards.
type numberedObject struct{ number uint64 }

// next is a number that nobody has had; the caller holds mu.
func (n *objectNumbers) next(captured bool) uint64 {
	if !captured {
		n.last[0]++
		return n.last[0]
	}
	n.last[1]++
	for n.taken(firstReplayed + n.last[1]) {
		n.last[1]++
	}
	return firstReplayed + n.last[1]
}

func (n *objectNumbers) taken(number uint64) bool {
	return n.views[number] != nil || n.samplers[number] != nil || n.images[number] != nil
}

// addNumber gives an object its number in a table, unless it has one; 0 once it is closed.
func addNumber[T any](n *objectNumbers, table *map[uint64]T, v T, o *object, at *numberedObject) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.number == 0 && !o.closed.Load() {
		at.number = n.next(false)
		put(table, at.number, v)
	}
	return at.number
}

// addCaptured gives an object that was just made the number that it had when it was captured, or
// one to be captured.
func addCaptured[T any](d *Device, op Op, table *map[uint64]T, v T, o *object, at *numberedObject, replayed uint64) error {
	n := &d.numbered
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case replayed == 0:
		replayed = n.next(true)
	case replayed < firstReplayed || n.taken(replayed):
		return d.report(&Error{Op: string(op), Rule: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS", Detail: o.label(), Err: ErrAddressTaken})
	}
	at.number = replayed
	put(table, replayed, v)
	n.changes.Add(1)
	return nil
}

func put[T any](table *map[uint64]T, number uint64, v T) {
	if *table == nil {
		*table = map[uint64]T{}
	}
	(*table)[number] = v
}

// dropNumber ends a number with its object.
func dropNumber[T any](n *objectNumbers, table *map[uint64]T, at *numberedObject) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at.number != 0 {
		delete(*table, at.number)
		n.changes.Add(1)
	}
}

// Capture gives a view that was just made the number in descriptors that it had when it was captured,
// or with 0 one to be captured. It fails where the number is taken.
func (v *ImageView) Capture(replayed uint64) error {
	return addCaptured(v.dev, "vkGetImageViewOpaqueCaptureDescriptorDataEXT", &v.dev.numbered.views, v, &v.object, &v.numbered, replayed)
}

// Capture is ImageView.Capture for samplers.
func (s *Sampler) Capture(replayed uint64) error {
	return addCaptured(s.dev, "vkGetSamplerOpaqueCaptureDescriptorDataEXT", &s.dev.numbered.samplers, s, &s.object, &s.numbered, replayed)
}

// Number is the number of a view in descriptors; 0 once it is closed.
func (v *ImageView) Number() uint64 {
	return addNumber(&v.dev.numbered, &v.dev.numbered.views, v, &v.object, &v.numbered)
}

// Number is the number of a sampler in descriptors; 0 once it is closed.
func (s *Sampler) Number() uint64 {
	return addNumber(&s.dev.numbered, &s.dev.numbered.samplers, s, &s.object, &s.numbered)
}

// view is the view behind a number that can be used, nil if there is none. The caller holds mu.
func (n *objectNumbers) view(number uint64, usage vk.ImageUsageFlags) *ImageView {
	v := n.views[number]
	if v == nil || v.closed.Load() || v.image.closed.Load() || v.image.mem == nil || v.image.res.Usage&usage == 0 {
		return nil
	}
	return v
}

// sampler is the sampler behind a number, nil if there is none. The caller holds mu.
func (n *objectNumbers) sampler(number uint64) *Sampler {
	if s := n.samplers[number]; s != nil && !s.closed.Load() {
		return s
	}
	return nil
}
