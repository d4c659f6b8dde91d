package lower_test

import (
	"math"
	mathbits "math/bits"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
)

const subgroupWords = 96

// Every instruction under a mask, for subgroups of every size, against sums
// written down here.
func TestSubgroups_Compute_EverySize(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i*73+11) % 256
	}
	for _, size := range []uint32{4, 8, 32, 64, 128} {
		want := make([]uint32, lanes*subgroupWords)
		for lane := range uint32(lanes) {
			copy(want[lane*subgroupWords:], subgroupWant(in, size, lane))
		}
		for _, form := range forms {
			got := runCompute(t, "subgroup.comp"+form, lower.Options{SubgroupSize: size}, in, lanes*subgroupWords)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("size %d%s, lane %d, word %d: %#x, want %#x", size, form, i/subgroupWords, i%subgroupWords, got[i], want[i])
					break
				}
			}
		}
	}
}

// Votes through shared memory, with memory barriers alone between: lanes of a subgroup see them all, however wide
// it is.
func TestSubgroups_MemoryBarrier_EverySize(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i*73+11) % 256
	}
	for _, size := range []uint32{4, 8, 16, 32, 64} {
		for _, form := range forms {
			got := runCompute(t, "subgroupmemory.comp"+form, lower.Options{SubgroupSize: size}, in, lanes*4)
			check(t, got, 4, nil, func(lane uint32) []uint32 {
				want := make([]uint32, 4)
				for k := range size {
					want[k/32] |= in[lane/size*size+k] & 1 << (k % 32)
				}
				return want
			})
		}
	}
}

func subgroupWant(in []uint32, size, lane uint32) []uint32 {
	var out []uint32
	put := func(v ...uint32) { out = append(out, v...) }
	bit := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	id, base := lane%size, lane/size*size
	put(size, id, lane/size, (lanes+size-1)/size)
	mask := func(f func(k uint32) bool) {
		var w [4]uint32
		for k := range size {
			w[k/32] |= bit(f(k)) << (k % 32)
		}
		put(w[:]...)
	}
	mask(func(k uint32) bool { return k == id })
	mask(func(k uint32) bool { return k >= id })
	mask(func(k uint32) bool { return k > id })
	mask(func(k uint32) bool { return k <= id })
	mask(func(k uint32) bool { return k < id })

	var live []uint32 // of the subgroup, ascending
	isLive := func(k uint32) bool { return k < size && base+k < lanes && in[base+k]&3 != 1 }
	for k := range size {
		if isLive(k) {
			live = append(live, k)
		}
	}
	x := in[lane]
	if isLive(id) {
		at := func(k uint32) uint32 { // 0 where the lane is not there
			if isLive(k) {
				return in[base+k]
			}
			return 0
		}
		all, some, equal := true, false, true
		var b [4]uint32
		for _, k := range live {
			v := in[base+k]
			all, some, equal = all && v > 10, some || v > 200, equal && v&8 == in[base+live[0]]&8
			b[k/32] |= bit(v&4 != 0) << (k % 32)
		}
		put(bit(live[0] == id), bit(all), bit(some), bit(equal), in[base+live[0]], at(2))
		put(b[:]...)
		count, upTo, lsb, msb := uint32(0), uint32(0), ^uint32(0), ^uint32(0)
		for k := range size {
			if b[k/32]>>(k%32)&1 != 0 {
				count++
				upTo += bit(k <= id)
				lsb, msb = min(lsb, k), k
			}
		}
		mine := b[id/32] >> (id % 32) & 1
		put(mine, b[0]>>3&1, count, upTo, upTo-mine, lsb, msb)
		put(at(x>>4&3), at(id^1), at(id-1), at(id+2), at(id&^3|1), at(id^1), at(id^2), at(id^3))

		reduce := func(from []uint32, f func(acc, v uint32) uint32, identity uint32, value func(v uint32) uint32) uint32 {
			acc := identity
			for i, k := range from {
				if v := value(in[base+k]); i == 0 {
					acc = v
				} else {
					acc = f(acc, v)
				}
			}
			return acc
		}
		same := func(v uint32) uint32 { return v }
		fl := math.Float32frombits
		float := func(v uint32) uint32 { return math.Float32bits(float32(int32(v)-100) * 0.375) }
		signed := func(v uint32) uint32 { return v - 100 }
		add := func(a, b uint32) uint32 { return a + b }
		smin := func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }
		umax := func(a, b uint32) uint32 { return max(a, b) }
		and := func(a, b uint32) uint32 { return a & b }
		xor := func(a, b uint32) uint32 { return a ^ b }
		fadd := func(a, b uint32) uint32 { return math.Float32bits(fl(a) + fl(b)) }
		fmul := func(a, b uint32) uint32 { return math.Float32bits(fl(a) * fl(b)) }
		fmax := func(a, b uint32) uint32 { return math.Float32bits(max(fl(a), fl(b))) }
		put(reduce(live, add, 0, same), reduce(live, func(a, b uint32) uint32 { return a * b }, 1, func(v uint32) uint32 { return v | 1 }),
			reduce(live, smin, 0, signed), reduce(live, func(a, b uint32) uint32 { return min(a, b) }, 0, same),
			reduce(live, func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }, 0, signed), reduce(live, umax, 0, same),
			reduce(live, and, 0, func(v uint32) uint32 { return v | 3 }), reduce(live, func(a, b uint32) uint32 { return a | b }, 0, same), reduce(live, xor, 0, same),
			reduce(live, fadd, 0, float), reduce(live, fmul, 0, float), reduce(live, func(a, b uint32) uint32 { return math.Float32bits(min(fl(a), fl(b))) }, 0, float), reduce(live, fmax, 0, float))
		inc := live
		for inc[len(inc)-1] > id {
			inc = inc[:len(inc)-1]
		}
		exc := inc[:len(inc)-1]
		put(reduce(inc, add, 0, same), reduce(exc, add, 0, same), reduce(inc, smin, 0, signed), reduce(exc, smin, math.MaxInt32, signed),
			reduce(inc, fadd, 0, float), reduce(exc, fmul, math.Float32bits(1), float), reduce(exc, fmax, math.Float32bits(float32(math.Inf(-1))), float),
			reduce(inc, xor, 0, same), reduce(exc, and, ^uint32(0), same))
		cluster := func(n uint32) (out []uint32) {
			for _, k := range live {
				if k/n == id/n {
					out = append(out, k)
				}
			}
			return out
		}
		put(reduce(cluster(2), add, 0, same), reduce(cluster(4), umax, 0, same), reduce(cluster(4), and, 0, func(v uint32) uint32 { return v >> 4 & 1 }), uint32(len(live)))
	}
	for len(out) < subgroupWords-1 {
		put(0)
	}
	sum := uint32(0)
	for k := range x & 7 {
		for i := range size {
			if base+i < lanes && in[base+i]&7 > k {
				sum++
			}
		}
	}
	put(sum)
	return out
}

// Helpers take part in quad operations and in nothing else, and results do not
// depend on how wide the machine's batches are.
func TestSubgroups_Fragment_QuadsAndHelpers(t *testing.T) {
	p := compile(t, "subgroup.frag", lower.Options{})
	if p.SubgroupSize != 4 || !p.UsesDerivatives {
		t.Fatalf("subgroups of %d, whole quads %v", p.SubgroupSize, p.UsesDerivatives)
	}
	if _, err := lower.Compile(module(t, "subgroup.frag"), "main", lower.Options{SubgroupSize: 16}); err == nil {
		t.Error("a fragment shader with subgroups of 16 compiles")
	}
	const n = 64
	x, live := make([]uint32, n), make([]uint32, n)
	for i := range x {
		x[i] = uint32(i*29+3) % 50
		if mathbits.OnesCount(uint(i*7))%3 != 0 {
			live[i] = ^uint32(0)
		}
	}
	for _, optimize := range []bool{false, true} {
		if optimize {
			ir.Optimize(p)
		}
		for _, width := range []int{4, 12, 64} {
			b := inLanes(t, p, width, x, live)
			for i := range n {
				sum, first, ballot := uint32(0), -1, uint32(0)
				for k := range 4 {
					if q := i&^3 + k; live[q] != 0 {
						if first < 0 {
							first = q
						}
						sum += x[q]
						ballot |= 1 << k
					}
				}
				elected := uint32(0)
				if i == first {
					elected = 1
				}
				from := uint32(0xFF) << (i & 3) & 0xFF // invocations that are not there count, too
				for k, want := range []uint32{
					sum, ballot, x[i^1], elected, 8, from, from << 1 & 0xFF, sum,
				} {
					if got := b.Out[k][i]; got != want {
						t.Errorf("optimized %v, width %d, lane %d, output %d: %d, want %d", optimize, width, i, k, got, want)
					}
				}
			}
		}
	}
}

// Reductions, scans and moves of 64-, 16- and 8-bit values; identities are
// those of the type.
func TestSubgroups_WideAndNarrowValues(t *testing.T) {
	in := make([]uint32, lanes)
	for i := range in {
		in[i] = uint32(i)*0x9E3779B9 + 77
	}
	const words = 32
	// Of 8, as they are by default: 4 are asked for.
	for k, form := range append(forms, forms...) {
		opt, size := lower.Options{}, uint32(8)
		if k >= len(forms) {
			opt.SubgroupSize, size = 4, 4
		}
		got := runCompute(t, "groupwide.comp"+form, opt, in, lanes*words)
		check(t, got, words, nil, func(lane uint32) []uint32 {
			var out []uint32
			put := func(v uint64) { out = append(out, uint32(v), uint32(v>>32)) }
			base, id := lane&^(size-1), lane&(size-1)
			u := func(l uint32) uint64 { return uint64(in[l]) | uint64(in[l]*3)<<32 }
			d := func(l uint32) float64 { return float64(float64(int32(in[l])) * 0.1) }
			h := func(l uint32) float32 { return float32(in[l] & 255) }
			var sum, before uint64
			least := int64(math.MaxInt64)
			running, product := 0.0, d(base)
			bBefore, bMost, bSum := int8(math.MaxInt8), int8(math.MinInt8), int8(0)
			all, uBefore, hSum, same := uint16(math.MaxUint16), uint8(math.MaxUint8), float32(0), true
			for k := range size {
				l := base + k
				sum += u(l)
				least = min(least, int64(u(l)))
				b := int8(in[l])
				bMost, bSum, hSum, same = max(bMost, b), bSum+b, hSum+h(l), same && u(l) == u(base)
				if k < id {
					before = max(before, u(l))
					bBefore = min(bBefore, b)
					all &= uint16(in[l])
					uBefore = min(uBefore, uint8(in[l]))
				}
				if k <= id {
					running += d(l)
				}
				if k > 0 {
					product *= d(l)
				}
			}
			put(sum)
			put(uint64(least))
			put(before)
			put(math.Float64bits(running))
			put(math.Float64bits(d(base + 3)))
			put(u(base))
			out = append(out, uint32(int32(bBefore)), uint32(int32(bMost)), uint32(int32(bSum)), uint32(all),
				halfBits(hSum), truth(size == 4), truth(same), halfBits(h(lane^2)), uint32(uBefore))
			put(math.Float64bits(product))
			for len(out) < words {
				out = append(out, 0)
			}
			return out
		})
	}
}

// inLanes runs a program of one input in lanes that are live or not, on batches of a width.
func inLanes(t *testing.T, p *ir.Program, width int, x, live []uint32) *exec.Batch {
	t.Helper()
	r, err := vm.New(vm.Options{Lanes: width}).Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	b := &exec.Batch{N: len(x), Live: append([]uint32(nil), live...), In: [][]uint32{x}}
	for range p.Outputs {
		b.Out = append(b.Out, make([]uint32, len(x)))
	}
	if err := r.NewThread(len(x)).Run(&exec.Context{}, b); err != nil {
		t.Fatal(err)
	}
	return b
}
