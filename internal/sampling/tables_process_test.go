package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice/internal/format"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// A board is an image of floats of one to four components, whose texels the test knows.
type board struct {
	view       *resource.ImageView
	components int
	texels     [8][4][4]float64 // x, y, component; missing ones are 0, 0, 0 and 1
}

const boardWidth, boardHeight = 8, 4

// newBoard draws one of quarters, in which sums are exact; odd ones hold what is no ordinary number.
func newBoard(t *testing.T, r *rand.Rand, odd bool, components vk.ComponentMapping) *board {
	b := &board{components: 1 + r.IntN(4)}
	f := [...]vk.Format{vk.FormatR32Sfloat, vk.FormatR32G32Sfloat, vk.FormatR32G32B32Sfloat, vk.FormatR32G32B32A32Sfloat}[b.components-1]
	im := newImage(t, resource.ImageDesc{Type: vk.ImageType2D, Format: f, Extent: extent(boardWidth, boardHeight, 1)})
	l := im.Level(0, 0, 0)
	few := r.IntN(2) == 0
	for x := range b.texels {
		for y := range b.texels[x] {
			b.texels[x][y][3] = 1
			for c := range b.components {
				v := float64(r.IntN(41)-20) / 4
				if few { // zeros of one sign or both, and ties
					v = []float64{math.Copysign(0, -1), 0, 1, -2.5}[r.IntN(2+b.components/2)]
				}
				if odd && r.IntN(12) == 0 {
					v = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
				}
				b.texels[x][y][c] = v
				copy(l.Data[l.Offset(x, y, 0, 0)+4*c:], float32Bytes(float32(v)))
			}
		}
	}
	b.view = newView(t, im, resource.ViewDesc{Components: components})
	return b
}

// at is a texel, or what is beyond: the edge's, or a border of transparent black.
func (b *board) at(s *resource.Sampler, x, y int) [4]float64 {
	for _, d := range []struct {
		i    *int
		size int
		mode vk.SamplerAddressMode
	}{{&x, boardWidth, s.AddressModeU}, {&y, boardHeight, s.AddressModeV}} {
		if *d.i < 0 || *d.i >= d.size {
			if d.mode == border {
				out := [4]float64{}
				if b.components < 4 {
					out[3] = 1 // IMG-291
				}
				return out
			}
			*d.i = min(max(*d.i, 0), d.size-1)
		}
	}
	return b.texels[x][y]
}

// A tally is what a component comes to: a sum, and the extremes of what are numbers.
type tally struct {
	n                int
	sum, least, most float64
	minus, plus      bool // zeros of a sign are among them
	number           bool
}

func (a *tally) add(v, w float64) {
	if a.n++; a.n == 1 {
		a.sum = w * v
	} else {
		a.sum += w * v
	}
	if v != v {
		return
	}
	if !a.number {
		a.least, a.most, a.number = v, v, true
	}
	a.least, a.most = min(a.least, v), max(a.most, v)
	if v == 0 {
		a.minus, a.plus = a.minus || math.Signbit(v), a.plus || !math.Signbit(v)
	}
}

// holds says that got is the result of a reduction; of zeros of both signs it is any.
func (a *tally) holds(reduce vk.SamplerReductionMode, got float32, of func(v float64) float64) bool {
	v := a.sum
	if reduce != average {
		v = math.NaN()
		if a.number {
			v = a.least
			if reduce == largest {
				v = a.most
			}
		}
	}
	w := float32(of(v))
	if w == 0 && a.minus && a.plus {
		return got == 0
	}
	return math.Float32bits(got) == math.Float32bits(w) || got != got && w != w
}

// processLanes is how many lanes a use has.
const processLanes = 8

// Image processing by lot: filters and matches of every component, tap, phase, window and lane, by the catalogue's sums.
func TestTables_IMG650_ProcessingByLot(t *testing.T) {
	rules.Covers(t, "IMG-072", "IMG-650", "IMG-651", "IMG-652", "IMG-653", "IMG-654", "IMG-655", "IMG-656", "IMG-660", "IMG-661", "IMG-662", "IMG-665", "IMG-670", "IMG-671", "IMG-672", "IMG-673", "IMG-674", "IMG-675", "IMG-677",
		"IMG-187", "IMG-291", "IMG-325", "IMG-551")
	r := rand.New(rand.NewPCG(650, 0))
	for range rules.Cases(5000, 40_000) {
		odd := r.IntN(3) == 0
		swizzle := func() vk.ComponentSwizzle { return vk.ComponentSwizzle(max(0, r.IntN(14)-7)) }
		b := newBoard(t, r, odd, vk.ComponentMapping{R: swizzle(), G: swizzle(), B: swizzle(), A: swizzle()})
		modes := []vk.SamplerAddressMode{edge, border}
		s := newSampler(t, resource.Sampler{AddressModeU: modes[r.IntN(2)], AddressModeV: modes[r.IntN(2)], UnnormalizedCoordinates: true, ImageProcessing: true, Reduction: []vk.SamplerReductionMode{average, smallest, largest}[r.IntN(3)]})
		s.Window = resource.BlockMatchWindow{Width: 1 + r.IntN(3), Height: 1 + r.IntN(3), Max: r.IntN(2) == 0}
		u := &processUse{board: b, s: s, r: r}
		u.args = &Args{Op: &u.op}
		for _, list := range [][]*[]uint32{{&u.args.Coord[0], &u.args.Coord[1], &u.args.Block[0], &u.args.Block[1], &u.args.RefCoord[0], &u.args.RefCoord[1]}, {&u.args.Out[0], &u.args.Out[1], &u.args.Out[2], &u.args.Out[3]}} {
			for _, p := range list {
				*p = make([]uint32, processLanes)
			}
		}
		u.op.Dim = ir.Dim2D
		switch r.IntN(3) {
		case 0:
			u.box(t)
		case 1:
			u.weighted(t, odd)
		default:
			u.match(t, odd)
		}
	}
}

// A processUse is an instruction on some lanes.
type processUse struct {
	*board
	s    *resource.Sampler
	r    *rand.Rand
	op   ir.ImageOp
	args *Args
}

// place draws eighths of a texel for a lane.
func (u *processUse) place(lane int) (x, y float64) {
	x, y = float64(u.r.IntN(8*boardWidth+32)-16)/8, float64(u.r.IntN(8*boardHeight+32)-16)/8
	in := [2]float64{x, y}
	if !u.s.UnnormalizedCoordinates {
		in[0], in[1] = x/boardWidth, y/boardHeight
	}
	for d, v := range in {
		u.args.Coord[d][lane] = one(float32(v))[0]
	}
	return x, y
}

// swizzled is a result behind the view's mapping.
func (u *processUse) swizzled(check func(c int, got float32) bool, got [4]float32) bool {
	m := u.view.Components
	for i, s := range [4]vk.ComponentSwizzle{m.R, m.G, m.B, m.A} {
		ok := false
		switch s {
		case vk.ComponentSwizzleIdentity:
			ok = check(i, got[i])
		case vk.ComponentSwizzleZero:
			ok = math.Float32bits(got[i]) == 0
		case vk.ComponentSwizzleOne:
			ok = got[i] == 1
		default:
			ok = check(int(s-vk.ComponentSwizzleR), got[i])
		}
		if !ok {
			return false
		}
	}
	return true
}

func (u *processUse) run() (out [processLanes][4]float32) {
	both(u.args, u.view, u.s, processLanes)
	for lane := range out {
		out[lane] = floats(format.Texel{u.args.Out[0][lane], u.args.Out[1][lane], u.args.Out[2][lane], u.args.Out[3][lane]})
	}
	return out
}

func (u *processUse) box(t *testing.T) {
	u.op.Kind, u.s.UnnormalizedCoordinates = ir.ImageBoxFilter, u.r.IntN(2) == 0
	var want [processLanes][4]tally
	var area [processLanes]float64
	for lane := range processLanes {
		x, y := u.place(lane)
		w, h := 1+float64(u.r.IntN(13))/4, 1+float64(u.r.IntN(13))/4
		u.args.Block[0][lane], u.args.Block[1][lane] = one(float32(w))[0], one(float32(h))[0]
		area[lane] = w * h
		// IMG-661: what of each texel lies in the box, and the first and last of them.
		in := func(i int, at, size float64) float64 {
			return math.Min(float64(i+1), at+size/2) - math.Max(float64(i), at-size/2)
		}
		for j := -8; j < boardHeight+8; j++ {
			for i := -8; i < boardWidth+8; i++ {
				if p, q := in(i, x, w), in(j, y, h); p > 0 && q > 0 {
					for c, v := range u.at(u.s, i, j) {
						want[lane][c].add(v, p*q)
					}
				}
			}
		}
	}
	for lane, got := range u.run() {
		if !u.swizzled(func(c int, x float32) bool {
			return want[lane][c].holds(u.s.Reduction, x, func(v float64) float64 {
				if u.s.Reduction == average {
					v /= area[lane]
				}
				return v
			})
		}, got) {
			t.Fatalf("box, lane %d: %v, want %+v of area %v; %+v, %+v, %v", lane, got, want[lane], area[lane], u.s, u.view.Components, u.components)
		}
	}
}

func (u *processUse) weighted(t *testing.T, odd bool) {
	r := u.r
	u.op.Kind, u.s.UnnormalizedCoordinates = ir.ImageWeighted, r.IntN(2) == 0
	root := 1 << r.IntN(3)
	w := resource.WeightImage{Width: 1 + r.IntN(6), Height: 1 + r.IntN(6), Phases: root * root}
	w.CenterX, w.CenterY = r.IntN(w.Width), r.IntN(w.Height)
	draw := func(first bool) float32 {
		switch {
		case u.s.Reduction != average && first:
			return 1
		case u.s.Reduction != average:
			return float32(r.IntN(2))
		case odd && r.IntN(20) == 0:
			return []float32{nan, inf, -inf, float32(math.Copysign(0, -1))}[r.IntN(4)]
		}
		return float32(r.IntN(9)-4) / 2
	}
	var weight func(k, l, across, down int) float64
	if r.IntN(2) == 0 {
		var known [6][6][16]float64
		u.args.Second = weightView(t, vk.ImageViewType2DArray, 6, 6, root*root, w, func(x, y, layer int) float32 {
			v := draw(x == 0 && y == 0)
			known[x][y][layer] = float64(v)
			return v
		})
		weight = func(k, l, across, down int) float64 { return known[k][l][down*root+across] }
	} else {
		known := make([][2]float64, 8*root*root)
		u.args.Second = weightView(t, vk.ImageViewType1DArray, uint32(len(known)), 1, 2, w, func(x, _, layer int) float32 {
			v := draw(x%4 == 0 && x < 4*root)
			known[x][layer] = float64(v)
			return v
		})
		weight = func(k, l, across, down int) float64 { // IMG-654
			return known[root*4*(k/4)+across*4+k%4][0] * known[root*4*(l/4)+down*4+l%4][1]
		}
	}
	var want [processLanes][4]tally
	for lane := range processLanes {
		x, y := u.place(lane)
		phase := func(at float64) int { return int((at - .5 - math.Floor(at-.5)) * float64(root)) }
		for l := range w.Height {
			for k := range w.Width {
				f := weight(k, l, phase(x), phase(y))
				if u.s.Reduction != average && f == 0 {
					continue
				}
				for c, v := range u.at(u.s, int(math.Floor(x))-w.CenterX+k, int(math.Floor(y))-w.CenterY+l) {
					want[lane][c].add(v, f)
				}
			}
		}
	}
	for lane, got := range u.run() {
		if !u.swizzled(func(c int, x float32) bool {
			a := want[lane][c]
			a.minus, a.plus = a.minus && u.s.Reduction != average, a.plus && u.s.Reduction != average
			return a.holds(u.s.Reduction, x, func(v float64) float64 { return v }) || a.sum == 0 && x == 0 && u.s.Reduction == average
		}, got) {
			t.Fatalf("weighted, lane %d: %v, want %+v; %+v, %+v, %+v", lane, got, want[lane], w, u.s, u.view.Components)
		}
	}
}

func (u *processUse) match(t *testing.T, odd bool) {
	r := u.r
	u.op.Kind, u.op.SAD, u.op.Match = ir.ImageBlockMatch, r.IntN(2) == 0, ir.MatchForm(r.IntN(3))
	ref := newBoard(t, r, odd, vk.ComponentMapping{})
	u.args.Second = ref.view
	type block struct{ x, y, rx, ry, w, h int }
	var blocks [processLanes]block
	for lane := range blocks {
		k := block{w: 1 + r.IntN(3), h: 1 + r.IntN(3), x: r.IntN(boardWidth + 2), y: r.IntN(boardHeight + 2)}
		k.rx, k.ry = r.IntN(boardWidth-k.w+1), r.IntN(boardHeight-k.h+1)
		if r.IntN(16) == 0 {
			k.w = 0
		}
		if r.IntN(16) == 0 {
			k.h = 0
		}
		blocks[lane] = k
		for p, v := range map[*uint32]int{&u.args.Coord[0][lane]: k.x, &u.args.Coord[1][lane]: k.y, &u.args.RefCoord[0][lane]: k.rx, &u.args.RefCoord[1][lane]: k.ry, &u.args.Block[0][lane]: k.w, &u.args.Block[1][lane]: k.h} {
			*p = uint32(v)
		}
	}
	metric := func(k block, dx, dy int) (m [4]float32) {
		var sums [4]tally
		for j := range k.h {
			for i := range k.w {
				a, b := u.at(u.s, k.x+dx+i, k.y+dy+j), ref.texels[k.rx+i][k.ry+j]
				for c := range m {
					d := math.Abs(a[c] - b[c])
					if u.s.Reduction == average && !u.op.SAD {
						d *= d
					}
					sums[c].add(d, 1)
				}
			}
		}
		for c := range m {
			v := sums[c].sum
			if u.s.Reduction != average && k.w*k.h > 0 {
				if v = math.NaN(); sums[c].number {
					v = sums[c].least
					if u.s.Reduction == largest {
						v = sums[c].most
					}
				}
				if !u.op.SAD {
					v *= v
				}
			}
			m[c] = float32(v)
		}
		return m
	}
	same := func(a, b float32) bool { return a == b || a != a && b != b }
	for lane, got := range u.run() {
		k, ok := blocks[lane], true
		var want [4]float32
		switch u.op.Match {
		case ir.MatchPlain:
			want = metric(k, 0, 0)
			ok = u.swizzled(func(c int, x float32) bool {
				if c >= u.components {
					return x == float32(btoi(c == 3))
				}
				return same(x, want[c])
			}, got)
		case ir.MatchGather:
			for c := range want {
				want[c] = metric(k, c, 0)[0]
				ok = ok && same(got[c], want[c])
			}
		default:
			best, first := float32(0), true
			for x := range u.s.Window.Width {
				for y := range u.s.Window.Height {
					if m := metric(k, x, y)[0]; first || !u.s.Window.Max && m < best || u.s.Window.Max && m > best {
						best, want, first = m, [4]float32{m, float32(x), float32(y)}, false
					}
				}
			}
			for c := range want {
				ok = ok && same(got[c], want[c])
			}
		}
		if !ok {
			t.Fatalf("match %d, SAD %v, lane %d, %+v: %v, want %v; %+v, %v, %d components", u.op.Match, u.op.SAD, lane, k, got, want, u.s, u.view.Components, u.components)
		}
	}
}
