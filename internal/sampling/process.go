package sampling

import (
	"math"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// Image processing (§31, VK_QCOM_image_processing and 2). Sums and fractions are
// binary64 (IMG-665, IMG-677), rounded once to binary32.

// processor is what the instructions of one Run share. second is the image of
// weights, or the reference of a block match.
type processor struct {
	sampled
	second *resource.ImageView
	window *resource.BlockMatchWindow
}

func runProcess(a *Args, v *resource.ImageView, s *resource.Sampler, n int) {
	p := processor{sampled: makeSampled(a, v, s), second: a.Second, window: &s.Window}
	second := a.Op.Kind == ir.ImageWeighted || a.Op.Kind == ir.ImageBlockMatch
	if p.dims != 2 || second && (a.Second == nil || a.Second.Image == nil || a.Second.Image.Data == nil || a.Second.Info == nil) {
		zeroLanes(a, n)
		return
	}
	for lane := range n {
		if !a.active(lane) {
			continue
		}
		var t format.Texel
		switch a.Op.Kind {
		case ir.ImageWeighted:
			t = p.weighted(lane)
		case ir.ImageBoxFilter:
			t = p.boxFilter(lane)
		default:
			t = p.blockMatch(lane)
		}
		p.store(lane, t)
	}
}

// fraction is x − floor(x).
func fraction(x float64) float64 { return x - math.Floor(x) }

// spot2 returns (u, v) of a lane on the view's base level.
func (p *processor) spot2(lane int, l *resource.Level) (u, v float64) {
	u = scaleCoord(operand(p.a.Coord[0], lane), l.Width, 0, p.unnorm)
	v = scaleCoord(operand(p.a.Coord[1], lane), l.Height, 0, p.unnorm)
	return reduceCoord(u, modeClampToEdge, l.Width), reduceCoord(v, modeClampToEdge, l.Height)
}

// tapAt reads a texel that wraps by the sampler's modes (IMG-651).
//
// IMG-072
func (p *processor) tapAt(l *resource.Level, i, j int) [4]float32 {
	i, j = wrap(p.modes[0], i, l.Width), wrap(p.modes[1], j, l.Height)
	t := p.border
	if i != borderTexel && j != borderTexel {
		t = texelOf(p.info, p.a.Blocks, l, i, j, 0, 0)
	}
	var f [4]float32
	for c := range f {
		f[c] = math.Float32frombits(t[c])
	}
	return f
}

// kernel sums weighted texels, or reduces them.
type kernel struct {
	p   *processor
	sum sum
}

func (k *kernel) add(f [4]float32, w float64) {
	if k.p.reduces() {
		k.p.reduceInto(&k.sum, f)
		return
	}
	for c := range f {
		k.sum.real[c] += float64(w * float64(f[c]))
	}
}

// result divides by the sum of weights, rounds and swizzles.
func (k *kernel) result(divisor float64) format.Texel {
	var t format.Texel
	for c := range t {
		if k.sum.any {
			t[c] = visible(k.sum.best[c])
		} else {
			t[c] = visible(float32(k.sum.real[c] / divisor))
		}
	}
	return k.p.swizzle.apply(t)
}

// weighted is §31.1 textures-weightimage-filteroperation.
func (p *processor) weighted(lane int) format.Texel {
	w := &p.second.Weights
	l := p.v.Level(0, 0)
	u, v := p.spot2(lane, &l)
	root := w.Root()
	// IMG-652: phases truncate.
	hPhase, vPhase := int(fraction(u-0.5)*float64(root)), int(fraction(v-0.5)*float64(root))
	k := kernel{p: p, sum: newSum()}
	// IMG-650
	i0, j0 := int(math.Floor(u-float64(w.CenterX))), int(math.Floor(v-float64(w.CenterY)))
	for y := range w.Height {
		for x := range w.Width {
			weight := p.weight(w, x, y, hPhase, vPhase, root)
			if weight == 0 && p.reduces() { // IMG-655
				continue
			}
			k.add(p.tapAt(&l, i0+x, j0+y), weight)
		}
	}
	return k.result(1)
}

// weight is that of a tap for the phases of a lane.
func (p *processor) weight(w *resource.WeightImage, x, y, hPhase, vPhase, root int) float64 {
	// IMG-653
	if p.second.Type != vk.ImageViewType1DArray {
		return p.weightTexel(x, y, vPhase*root+hPhase)
	}
	// IMG-654: separable weights in two layers.
	kp := root*4*(x/4) + hPhase*4 + x%4
	lp := root*4*(y/4) + vPhase*4 + y%4
	return float64(p.weightTexel(kp, 0, 0) * p.weightTexel(lp, 0, 1))
}

// weightTexel is IMG-656: red, decoded by its format; 0 outside the image.
func (p *processor) weightTexel(i, j, layer int) float64 {
	v := p.second
	if uint(layer) >= uint(v.Layers) {
		return 0
	}
	l := v.Level(0, layer)
	if !l.Contains(i, j, 0) || v.Info.Compressed || v.Info.NeedsConversion() {
		return 0
	}
	return float64(math.Float32frombits(v.Info.Decode(l.Data[l.Offset(i, j, 0, 0):])[0]))
}

// maxBlock bounds boxes, blocks and windows in each dimension.
const maxBlock = resource.MaxBlock

// boxFilter is §31.2 textures-boxfilter-filteroperation.
//
// IMG-663, IMG-664
func (p *processor) boxFilter(lane int) format.Texel {
	bw, bh := operand(p.a.Block[0], lane), operand(p.a.Block[1], lane)
	if !(bw > 0 && bh > 0 && bw <= maxBlock && bh <= maxBlock) { // IMG-185
		return format.Texel{}
	}
	l := p.v.Level(0, 0)
	u, v := p.spot2(lane, &l)
	i0, h := boxWeights(u, bw)
	j0, w := boxWeights(v, bh)
	k := kernel{p: p, sum: newSum()}
	for j := range w.n {
		for i := range h.n {
			k.add(p.tapAt(&l, i0+i, j0+j), float64(h.at(i)*w.at(j)))
		}
	}
	return k.result(float64(bw * bh)) // IMG-662
}

// box holds the weights of one dimension of a box filter.
type box struct {
	first, last float64
	n           int
}

func (b *box) at(i int) float64 {
	switch {
	case i == 0:
		return b.first
	case i == b.n-1:
		return b.last
	default:
		return 1
	}
}

// boxWeights is IMG-660 and IMG-661.
//
// IMG-664, IMG-665
func boxWeights(u, size float64) (i0 int, b box) {
	half := float64(size / 2)
	start := fraction(u - half)
	end := fraction(start + size)
	b = box{first: 1 - start, last: 1, n: int(math.Ceil(start + size))}
	if end != 0 {
		b.last = end
	}
	return int(math.Floor(u - half)), b
}

// blockMatch is §31.3.
//
// IMG-676, IMG-677
func (p *processor) blockMatch(lane int) format.Texel {
	op := p.a.Op
	x, y := coord32(p.a.Coord[0], lane), coord32(p.a.Coord[1], lane)
	switch op.Match {
	case ir.MatchWindow:
		return p.matchWindow(lane, x, y)
	case ir.MatchGather: // IMG-675
		var t format.Texel
		for c := range t {
			t[c] = visible(p.metric(lane, x+c, y)[0])
		}
		return t
	default:
		m := p.metric(lane, x, y)
		t := format.Texel{3: oneFloat}
		for c := range t { // IMG-672: conversion to RGBA after the sum
			if p.info.Components[c].Kind != format.KindNone {
				t[c] = visible(m[c])
			}
		}
		return p.swizzle.apply(t)
	}
}

// coord32 is an integer operand, kept so small that sums with blocks fit.
func coord32(x []uint32, lane int) int {
	if x == nil {
		return 0
	}
	return min(int(x[lane]), Far)
}

// metric is IMG-671…673: the differences of two blocks.
//
// IMG-676, IMG-677
func (p *processor) metric(lane, x, y int) [4]float32 {
	w, h := coord32(p.a.Block[0], lane), coord32(p.a.Block[1], lane)
	if w > maxBlock || h > maxBlock || w == 0 || h == 0 { // IMG-186, IMG-187
		return [4]float32{}
	}
	rx, ry := coord32(p.a.RefCoord[0], lane), coord32(p.a.RefCoord[1], lane)
	target, reference := p.v.Level(0, 0), p.second.Level(0, 0)
	k := kernel{p: p, sum: newSum()}
	other := *p
	other.info = p.second.Info
	for j := range h {
		for i := range w {
			a, b := p.tapAt(&target, x+i, y+j), other.tapAt(&reference, rx+i, ry+j)
			var d [4]float32
			var exact [4]float64
			for c := range d {
				exact[c] = math.Abs(float64(a[c]) - float64(b[c]))
				if !p.a.Op.SAD && !p.reduces() {
					exact[c] = float64(exact[c] * exact[c])
				}
				d[c] = float32(exact[c])
			}
			if p.reduces() {
				p.reduceInto(&k.sum, d)
				continue
			}
			for c := range exact {
				k.sum.real[c] += exact[c]
			}
		}
	}
	var m [4]float32
	for c := range m {
		m[c] = float32(k.sum.real[c])
		if k.sum.any {
			m[c] = k.sum.best[c]
			if !p.a.Op.SAD {
				m[c] = float32(m[c] * m[c])
			}
		}
	}
	return m
}

// matchWindow is IMG-674: the first optimum, x outer and y inner.
func (p *processor) matchWindow(lane, x, y int) format.Texel {
	best, bx, by := float32(0), 0, 0
	for i := range min(p.window.Width, maxBlock) {
		for j := range min(p.window.Height, maxBlock) {
			m := p.metric(lane, x+i, y+j)[0]
			better := m < best
			if p.window.Max {
				better = m > best
			}
			if better || i == 0 && j == 0 {
				best, bx, by = m, i, j
			}
		}
	}
	return format.Texel{visible(best), math.Float32bits(float32(bx)), math.Float32bits(float32(by)), 0}
}
