package gltf

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// Path is the property that a channel animates.
type Path uint8

const (
	PathTranslation Path = iota
	PathRotation
	PathScale
	PathWeights
	PathVisibility // KHR_node_visibility: 0 hides
	PathPointer    // KHR_animation_pointer: what Channel.Pointer says
)

// Interpolation says what a channel does between keyframes.
type Interpolation uint8

const (
	InterpolateLinear Interpolation = iota // rotations: spherical
	InterpolateStep
	InterpolateCubicSpline
)

// Animation is a set of channels with a common clock.
type Animation struct {
	Name     string
	Channels []Channel
	Duration float32 // seconds, the last keyframe of all channels

	// fault is why the animation cannot be played, where a part of it cannot be read.
	fault error
}

// Channel animates one property of one node, or what Pointer leads to.
type Channel struct {
	Node          int // or None
	Path          Path
	Pointer       string // JSON pointer, where the file has one
	Interpolation Interpolation
	// Times are seconds, increasing, at least one. Of equal ones, which glTF forbids, the last
	// holds; one that would decrease is that before it.
	Times []float32
	// Values holds Width numbers a keyframe, or three times Width for
	// InterpolateCubicSpline: in-tangent, value, out-tangent.
	Values []float32
	Width  int

	property property
}

// sample evaluates the channel at a time into out, which has Width elements.
// Before the first and after the last keyframe it holds their values.
func (c *Channel) sample(time float64, out []float32) {
	n := len(c.Times)
	// The last keyframe at or before time, by bisection.
	lo, hi := 0, n
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); float64(c.Times[mid]) <= time {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	k := lo - 1
	if k < 0 || k == n-1 || c.Interpolation == InterpolateStep || float64(c.Times[k]) == time {
		copy(out, c.value(max(k, 0)))
		return
	}
	dt := float64(c.Times[k+1]) - float64(c.Times[k])
	t := (time - float64(c.Times[k])) / dt
	a, b := c.value(k), c.value(k+1)
	switch {
	case c.Interpolation == InterpolateCubicSpline:
		c.hermite(k, t, dt, out)
	case c.Path == PathRotation:
		q := mat.Slerp(mat.Quat(a), mat.Quat(b), t)
		copy(out, q[:])
	default:
		for i := range out {
			out[i] = float32(float64(float64(a[i])*(1-t)) + float64(float64(b[i])*t))
		}
	}
}

// value returns keyframe k's value.
func (c *Channel) value(k int) []float32 {
	if c.Interpolation == InterpolateCubicSpline {
		k = 3*k + 1
	}
	return c.Values[k*c.Width:][:c.Width]
}

// hermite evaluates the cubic spline of glTF's appendix C between keyframes k
// and k+1; t in [0, 1], dt their distance in seconds.
func (c *Channel) hermite(k int, t, dt float64, out []float32) {
	w := c.Width
	v0, b0 := c.Values[(3*k+1)*w:][:w], c.Values[(3*k+2)*w:][:w]
	a1, v1 := c.Values[(3*k+3)*w:][:w], c.Values[(3*k+4)*w:][:w]
	t2 := float64(t * t)
	t3 := float64(t2 * t)
	h00 := float64(2*t3) - float64(3*t2) + 1
	h10 := float64((t3 - float64(2*t2) + t) * dt)
	h01 := float64(3*t2) - float64(2*t3)
	h11 := float64((t3 - t2) * dt)
	for i := range out {
		out[i] = float32(float64(h00*float64(v0[i])) + float64(h10*float64(b0[i])) +
			float64(h01*float64(v1[i])) + float64(h11*float64(a1[i])))
	}
}

// loadAnimations resolves the animations; nodes and meshes are loaded. One that is wrong cannot be
// played, which is no reason not to draw the model at rest.
func (l *loader) loadAnimations() error {
	var raws []json.RawMessage
	if list, ok := l.top["animations"]; ok {
		if err := l.value(list, "animations", &raws); err != nil {
			l.lose("", "%s: no animation can be played", here(err))
			return nil
		}
	}
	if err := l.take(int64(len(raws)), sizeOf[Animation]()); err != nil {
		return l.fail("animations", err, "%d elements", len(raws))
	}
	for i, raw := range raws {
		place := fmt.Sprintf("animations[%d]", i)
		a := Animation{}
		if err := l.animation(raw, &a, place); err != nil {
			if l.fatal(err) {
				return err
			}
			l.lose("", "%s: the animation cannot be played", here(err))
			a.Channels, a.fault = nil, err
		}
		l.doc.Animations = append(l.doc.Animations, a)
	}
	return nil
}

// animation resolves the channels of one. Of two with one target, which glTF forbids, the later holds.
func (l *loader) animation(text json.RawMessage, a *Animation, place string) error {
	var raw rawAnimation
	if err := l.element(text, place, &raw); err != nil {
		return err
	}
	a.Name = raw.Name
	samplers, err := parseList[rawAnimationSampler](l, raw.Samplers, place+".samplers")
	if err != nil {
		return err
	}
	channels, err := parseList[rawChannel](l, raw.Channels, place+".channels")
	if err != nil {
		return err
	}
	type target struct {
		node    int
		path    Path
		pointer string // of PathPointer
	}
	seen := map[target]int{}
	for k := range channels {
		at := fmt.Sprintf("%s.channels[%d]", place, k)
		c, err := l.channel(&channels[k], samplers, place, at)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		key := target{node: c.Node, path: c.Path}
		if c.Path == PathPointer {
			key.pointer = c.Pointer
		}
		if first, dup := seen[key]; dup {
			l.lose(at+".target", "animates the same property as channels[%d], and holds", first)
		}
		seen[key] = k
		a.Duration = max(a.Duration, c.Times[len(c.Times)-1])
		a.Channels = append(a.Channels, *c)
	}
	return nil
}

// channel resolves one channel; nil where it is to be ignored.
func (l *loader) channel(raw *rawChannel, samplers []rawAnimationSampler, place, at string) (*Channel, error) {
	if raw.Target == nil {
		return nil, l.fail(at+".target", nil, "is missing")
	}
	s, err := l.required(at+".sampler", raw.Sampler, len(samplers), "samplers")
	if err != nil {
		return nil, err
	}
	c := &Channel{}
	var pointed struct{ Pointer string }
	if found, err := l.extension(raw.Target.Extensions, "KHR_animation_pointer", at+".target", &pointed); err != nil {
		return nil, err
	} else if found && raw.Target.Path == "pointer" {
		if !l.pointerChannel(c, pointed.Pointer) {
			l.lose(at+".target", "%s leads to nothing that can be animated here: channel ignored", quoted(pointed.Pointer))
			return nil, nil
		}
		return c, l.keyframes(c, &samplers[s], fmt.Sprintf("%s.samplers[%d]", place, s))
	}
	if raw.Target.Node == nil {
		// The target is an extension's; core glTF ignores such a channel.
		l.lose(at+".target", "names no node: channel ignored")
		return nil, nil
	}
	if c.Node, err = l.required(at+".target.node", raw.Target.Node, len(l.doc.Nodes), "nodes"); err != nil {
		return nil, err
	}
	node := &l.doc.Nodes[c.Node]
	switch raw.Target.Path {
	case "translation":
		c.Path, c.Width = PathTranslation, 3
	case "rotation":
		c.Path, c.Width = PathRotation, 4
	case "scale":
		c.Path, c.Width = PathScale, 3
	case "weights":
		c.Path = PathWeights
		if node.Mesh != None {
			c.Width = len(l.doc.Meshes[node.Mesh].Weights)
		}
		if c.Width == 0 {
			l.warn(at+".target", "nodes[%d] has no morph targets: channel ignored", c.Node)
			return nil, nil
		}
	default:
		l.warn(at+".target.path", "%s is unknown: channel ignored", quoted(raw.Target.Path))
		return nil, nil
	}
	if node.HasMatrix && c.Path != PathWeights {
		l.warn(at+".target", "nodes[%d] has a matrix, which cannot be animated: channel ignored", c.Node)
		return nil, nil
	}
	if err := l.keyframes(c, &samplers[s], fmt.Sprintf("%s.samplers[%d]", place, s)); err != nil {
		return nil, err
	}
	return c, nil
}

// keyframes resolves a channel's sampler.
func (l *loader) keyframes(c *Channel, s *rawAnimationSampler, at string) error {
	if s.Interpolation != nil {
		switch *s.Interpolation {
		case "LINEAR":
		case "STEP":
			c.Interpolation = InterpolateStep
		case "CUBICSPLINE":
			c.Interpolation = InterpolateCubicSpline
		default:
			l.lose(at+".interpolation", "%s is not STEP, LINEAR or CUBICSPLINE: LINEAR stands for it", quoted(*s.Interpolation))
		}
	}
	in, err := l.accessorAt(at+".input", s.Input)
	if err != nil {
		return err
	}
	out, err := l.accessorAt(at+".output", s.Output)
	if err != nil {
		return err
	}
	if a := &l.accessors[in]; a.blank() && a.count > 1 {
		return l.fail(at+".input", nil, "accessors[%d] has no data, keyframe times must strictly increase", in)
	}
	if c.Times, err = l.scalars(in, at+".input", accept{types: typeScalar, floats: true}); err != nil {
		return err
	}
	if c.Times, err = l.increasing(in, c.Times, at+".input"); err != nil {
		return err
	}
	// By number of components; pointers allow all of them, and integers.
	types := [...]elementType{1: typeScalar, 2: typeVec2, 3: typeVec3, 4: typeVec4}
	allowed, wantCount := accept{floats: true}, len(c.Times)
	if c.Path == PathWeights || c.property.array {
		allowed.types = typeScalar
		wantCount *= c.Width
	} else {
		allowed.types = types[c.Width]
	}
	if c.Pointer != "" {
		allowed.normalized, allowed.integers = true, true
	}
	if c.Path == PathRotation || c.Path == PathWeights {
		allowed.normalized, allowed.loosely = true, true
	}
	if c.Path == PathVisibility && c.Interpolation != InterpolateStep {
		l.lose(at+".interpolation", "must be STEP for what is true or false, and was taken so")
		c.Interpolation = InterpolateStep
	}
	if c.Interpolation == InterpolateCubicSpline {
		wantCount *= 3
	}
	if have := l.accessors[out].count; have > wantCount {
		l.lose(at+".output", "accessors[%d] has %d elements, %d keyframes need %d: the rest was ignored", out, have, len(c.Times), wantCount)
		out = l.cut(out, wantCount)
	} else if have < wantCount {
		return l.fail(at+".output", nil, "accessors[%d] has %d elements, %d keyframes need %d", out, have, len(c.Times), wantCount)
	}
	if c.Values, err = l.scalars(out, at+".output", allowed); err != nil {
		return err
	}
	if c.Path == PathRotation && c.Interpolation != InterpolateCubicSpline {
		c.Values, err = l.unitQuaternions(out, c.Values, at)
	}
	return err
}

// increasing returns keyframe times that do not decrease: one that does is that before it, so that of
// several keyframes at a time the last holds.
func (l *loader) increasing(accessor int, times []float32, at string) ([]float32, error) {
	own, told := false, false
	for i, t := range times {
		if !told && (t < 0 || i > 0 && t <= times[i-1]) {
			told = true
			l.lose(at, "accessors[%d]: keyframe times must be at least 0 and strictly increase; element %d is %v (the last at a time holds)", l.accessors[accessor].index, i, t)
		}
		if i == 0 || t >= times[i-1] {
			continue
		}
		if !own {
			own = true
			if err := l.take(int64(len(times)), 4); err != nil {
				return nil, l.fail(at, err, "")
			}
			times = slices.Clone(times)
		}
		times[i] = times[i-1]
	}
	return times, nil
}

// unitQuaternions returns the keyframes at length 1: normalised integers do
// not quite reach it.
func (l *loader) unitQuaternions(accessor int, v []float32, at string) ([]float32, error) {
	if err := l.take(int64(len(v)), 4); err != nil {
		return nil, l.fail(at+".output", err, "")
	}
	unit, told := make([]float32, 0, len(v)), false
	for i := 0; i+3 < len(v); i += 4 {
		q, ok := mat.Quat(v[i : i+4]).Normalize()
		if !ok {
			if !told {
				told = true
				l.lose(at+".output", "accessors[%d]: rotation %d has length 0: nothing is turned", accessor, i/4)
			}
			q = mat.Identity()
		}
		unit = append(unit, q[:]...)
	}
	return unit, nil
}
