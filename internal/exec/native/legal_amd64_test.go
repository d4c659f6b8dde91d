package native

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/pumice-gpu/pumice/internal/exec/amd64"
	"github.com/pumice-gpu/pumice/internal/exec/code"
)

// Tests of what stands in for instructions of AVX-512: each is written as emitters write it, made
// legal, and run on numbers for which a few lines of Go say what the manual has the instruction do.

// legalRow is what an instruction finds, and leaves: vectors a, b and d, memory m, and masks.
type legalRow struct {
	a, b, d [8]uint32
	m       [64]uint32
	k, k2   uint8
	g       uint64
}

// Where a frame has a row, behind all else.
const (
	legalA = frameSlots + 64*iota
	legalB
	legalD
	legalK // k, and k2 behind it; then g
	legalM
	legalBytes = legalM + 4*64 + 64
)

// Registers of a row.
const (
	legalZA = scratch0
	legalZB = scratch1
	legalZD = scratch2
)

// legalForm is what the last operand is.
type legalForm uint8

const (
	formRegister legalForm = iota
	formMemory
	formEvery // the first word, or pair of words, of memory, for all lanes
)

// of is b of a row as an operand, and in what of the row it has then.
func (f legalForm) of() amd64.Arg {
	return [...]amd64.Arg{amd64.R(legalZB), amd64.M(regFrame, legalB), amd64.All(regFrame, legalB)}[f]
}

func (f legalForm) in(r legalRow, wide bool) legalRow {
	step := 1
	if wide {
		step = 2
	}
	for i := range r.b {
		if f == formEvery {
			r.b[i] = r.b[i%step]
		}
	}
	return r
}

// legalCode is code that loads a row, does what write appends, and keeps the row.
func legalCode(t *testing.T, write func(e *emitter)) *code.Code {
	t.Helper()
	u := Divide(sumsOfLoads(2), &vectors256)
	b := u.blocks[0]
	b.code, b.once, b.in, b.out, b.rows = nil, nil, nil, nil, nil
	w := vectors256.newWriter(plan(u, b, 64)).(stripsAMD64)
	defer w.done()
	e := w.emitter
	e.labels, e.save, e.restore = []int{e.NewLabel()}, e.NewLabel(), e.NewLabel()
	e.Mov1(amd64.VMOVDQU, legalZA, amd64.M(regFrame, legalA))
	e.Mov1(amd64.VMOVDQU, legalZB, amd64.M(regFrame, legalB))
	e.Mov1(amd64.VMOVDQU, legalZD, amd64.M(regFrame, legalD))
	e.KMem(amd64.KLOAD, maskStep, amd64.M(regFrame, legalK))
	e.KMem(amd64.KLOAD, maskStep2, amd64.M(regFrame, legalK+1))
	e.W(amd64.MOVQ, amd64.RDX, amd64.M(regFrame, legalK+8))
	e.W(amd64.XORL, regStrip, amd64.GArg(regStrip))
	write(e)
	e.Mov1(amd64.VMOVDQUTo, legalZA, amd64.M(regFrame, legalA))
	e.Mov1(amd64.VMOVDQUTo, legalZD, amd64.M(regFrame, legalD))
	e.KMem(amd64.KSTORE, maskStep, amd64.M(regFrame, legalK))
	e.KMem(amd64.KSTORE, maskStep2, amd64.M(regFrame, legalK+1))
	e.W(amd64.MOVQTo, amd64.RDX, amd64.M(regFrame, legalK+8))
	e.Return()
	e.endSteps(-1)
	legalise(e)
	e.allocate()
	w.comeBack()
	if err := e.check(); err != nil {
		t.Fatal(err)
	}
	e.resolve()
	text, ok := w.bytes()
	if !ok || e.fail {
		t.Fatal("there is no code")
	}
	c, err := code.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run is what code makes of a row.
func (r legalRow) run(c *code.Code) legalRow {
	f := make([]uint64, legalBytes/8)
	x86{}.fillFrame(f)
	f[frameTailAt/8] = 0 // the last strip, whose lanes count
	p := unsafe.Pointer(&f[0])
	at := func(to int) *[8]uint32 { return (*[8]uint32)(unsafe.Add(p, to)) }
	*at(legalA), *at(legalB), *at(legalD) = r.a, r.b, r.d
	k := (*[2]uint8)(unsafe.Add(p, legalK))
	*k = [2]uint8{r.k, r.k2}
	f[legalK/8+1] = r.g
	m := (*[64]uint32)(unsafe.Add(p, legalM))
	*m = r.m
	c.Call(uintptr(p))
	out := legalRow{*at(legalA), *at(legalB), *at(legalD), *m, k[0], k[1], f[legalK/8+1]}
	runtime.KeepAlive(f)
	return out
}

// legalWords are words that instructions treat differently, as numbers or as floats.
var legalWords = [...]uint32{
	0, 1, 2, 31, 32, 33, 63, 64, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32, math.MaxUint32 - 1,
	0x3F800000, 0xBF800000, 0x4EFFFFFF, 0x4F000000, 0x4F000001, 0x4F7FFFFF, 0x4F800000, 0x7F7FFFFF,
	0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0x00800000, 0x007FFFFF, 0x80000001, 0x3F000000,
	0x00FFFFFF, 0x01000001, 0x41EFFFFF, 0x41F00000, 0x43300000, 0x7FF00000, 0x7FF80000, 0xFFF00000,
	0xFFFF, 0x10000, 0x8000,
}

func legalRandom(r *rand.Rand) (x legalRow) {
	word := func() uint32 {
		if r.IntN(2) == 0 {
			return legalWords[r.IntN(len(legalWords))]
		}
		return r.Uint32() >> r.IntN(32)
	}
	for i := range x.a {
		x.a[i], x.b[i], x.d[i] = word(), word(), word()
		if r.IntN(4) == 0 {
			x.b[i] = x.a[i]
		}
	}
	for i := range x.m {
		x.m[i] = word()
	}
	x.k, x.k2, x.g = uint8(r.Uint32()), uint8(r.Uint32()), r.Uint64()
	switch r.IntN(6) {
	case 0:
		x.k = 0
	case 1:
		x.k = 255
	}
	return x
}

// pairsOf are words as numbers of 64 bits, and wordsOf the contrary.
func pairsOf(x [8]uint32) (q [4]uint64) {
	for i := range q {
		q[i] = uint64(x[2*i]) | uint64(x[2*i+1])<<32
	}
	return q
}

func wordsOfPairs(q [4]uint64) (x [8]uint32) {
	for i, p := range q {
		x[2*i], x[2*i+1] = uint32(p), uint32(p>>32)
	}
	return x
}

// legalTest runs code on many rows, and compares.
func legalTest(
	t *testing.T, name string, fix func(r *legalRow), write func(e *emitter),
	want func(r *legalRow),
) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		c := legalCode(t, write)
		r := rand.New(rand.NewPCG(8, 9))
		for range 400 {
			x := legalRandom(r)
			if fix != nil {
				fix(&x)
			}
			y := x
			want(&y)
			if got := x.run(c); got != y {
				x.m, y.m, got.m = [64]uint32{}, [64]uint32{}, [64]uint32{}
				t.Fatalf("of %x\nwant %x\ngot  %x", x, y, got)
			}
		}
	})
}

func needsAVX2(t *testing.T) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasBMI1 || code.Refused() != nil {
		t.Skip("no AVX2, or no code may run")
	}
}

func boolWord(b bool) uint32 {
	if b {
		return math.MaxUint32
	}
	return 0
}

// Comparisons of words, floats and numbers of 64 bits set masks, also in the lanes of another mask.
func TestLegal_Comparisons(t *testing.T) {
	needsAVX2(t)
	f32, f64 := math.Float32frombits, math.Float64frombits
	signed := func(p int, a, b int64) bool {
		return [...]bool{a == b, a < b, a <= b, false, a != b, a >= b, a > b}[p]
	}
	float := func(p int, a, b float64) bool {
		un := a != a || b != b
		return map[int]bool{
			0: a == b, 3: un, 4: a != b, 7: !un, 17: a < b, 18: a <= b, 29: a >= b,
		}[p]
	}
	for _, c := range []struct {
		name       string
		op         amd64.Op
		wide       bool
		predicates []int
		of         func(p int, a, b uint64) bool
	}{
		{"VPCMPD", amd64.VPCMPD, false, []int{0, 1, 2, 4, 5, 6}, func(p int, a, b uint64) bool {
			return signed(p, int64(int32(a)), int64(int32(b)))
		}},
		{"VPCMPUD", amd64.VPCMPUD, false, []int{1, 2, 5}, func(p int, a, b uint64) bool {
			return signed(p, int64(a), int64(b))
		}},
		{"VCMPPS", amd64.VCMPPS, false, []int{0, 3, 4, 7, 17, 18, 29}, func(p int, a, b uint64) bool {
			return float(p, float64(f32(uint32(a))), float64(f32(uint32(b))))
		}},
		{"VPCMPQ", amd64.VPCMPQ, true, []int{0, 1, 2, 4, 5, 6}, func(p int, a, b uint64) bool {
			return signed(p, int64(a), int64(b))
		}},
		{"VPCMPUQ", amd64.VPCMPUQ, true, []int{1, 2}, func(p int, a, b uint64) bool {
			return p == 1 && a < b || p == 2 && a <= b
		}},
		{"VCMPPD", amd64.VCMPPD, true, []int{0, 3, 4, 7, 17, 18}, func(p int, a, b uint64) bool {
			return float(p, f64(a), f64(b))
		}},
		{"VPTESTMQ", amd64.VPTESTMQ, true, []int{-1}, func(_ int, a, b uint64) bool { return a&b != 0 }},
	} {
		for _, p := range c.predicates {
			for form := formRegister; form <= formEvery; form++ {
				for _, in := range []amd64.K{0, maskStep2} {
					if in != 0 && c.wide {
						continue // masks of words are none of pairs
					}
					fix := func(r *legalRow) {
						if c.op == amd64.VPTESTMQ { // of one bit
							for i := range r.b {
								r.b[i] = [2]uint32{1 << (r.g & 31), 0}[i%2^int(r.g>>5&1)]
							}
						}
					}
					legalTest(t, fmt.Sprintf("%s_%d/%d/%v", c.name, p, form, in != 0), fix, func(e *emitter) {
						e.ToMask(c.op, maskStep, legalZA, form.of(), p, in)
						e.V(amd64.VPMOVM2D, legalZD, 0, amd64.KArg(maskStep))
					}, func(r *legalRow) {
						x := form.in(*r, c.wide)
						r.k = 0
						for i := range r.d {
							a, b := uint64(x.a[i]), uint64(x.b[i])
							if c.wide {
								a, b = pairsOf(x.a)[i/2], pairsOf(x.b)[i/2]
							}
							r.d[i] = boolWord(c.of(p, a, b) && (in == 0 || r.k2>>i&1 != 0))
							r.k |= uint8(r.d[i]&1) << i
						}
					})
				}
			}
		}
	}
	legalTest(t, "VPMOVD2M", nil, func(e *emitter) {
		e.V(amd64.VPMOVD2M, amd64.Z(maskStep), 0, amd64.R(legalZA))
	}, func(r *legalRow) {
		r.k = 0
		for i, a := range r.a { // masks are zeros or ones here: only the sign counts
			r.k |= uint8(a>>31) << i
		}
	})
}

// Logic on masks, and their ways to general registers and back.
func TestLegal_Masks(t *testing.T) {
	needsAVX2(t)
	for name, c := range map[string]struct {
		op amd64.Op
		of func(x, y uint8) uint8
	}{
		"KAND":  {amd64.KAND, func(x, y uint8) uint8 { return x & y }},
		"KOR":   {amd64.KOR, func(x, y uint8) uint8 { return x | y }},
		"KXOR":  {amd64.KXOR, func(x, y uint8) uint8 { return x ^ y }},
		"KANDN": {amd64.KANDN, func(x, y uint8) uint8 { return ^x & y }},
		"KMOV":  {amd64.KMOV, func(_, y uint8) uint8 { return y }},
		"KNOT":  {amd64.KNOT, func(_, y uint8) uint8 { return ^y }},
	} {
		x := maskStep
		if name == "KMOV" || name == "KNOT" {
			x = 0
		}
		legalTest(t, name, nil, func(e *emitter) { e.K(c.op, maskStep, x, maskStep2) },
			func(r *legalRow) { r.k = c.of(r.k, r.k2) })
	}
	legalTest(t, "KXNOR", nil, func(e *emitter) { e.K(amd64.KXNOR, maskStep, maskStep2, maskStep2) },
		func(r *legalRow) { r.k = 255 })
	legalTest(t, "KMOVTo", nil, func(e *emitter) { e.KTO(amd64.RDX, maskStep) },
		func(r *legalRow) { r.g = uint64(r.k) })
	for name, cond := range map[string]byte{"KTEST_none": amd64.IfZero, "KTEST_all": amd64.IfBelow} {
		legalTest(t, name, nil, func(e *emitter) {
			e.K(amd64.KTEST, maskStep, 0, maskStep)
			e.WI(amd64.MOVLImm, amd64.GArg(amd64.RDX), 0)
			on := e.NewLabel()
			e.JIf(cond^1, on)
			e.WI(amd64.MOVLImm, amd64.GArg(amd64.RDX), 1)
			e.Here(on)
		}, func(r *legalRow) {
			r.g = 0
			if name == "KTEST_none" && r.k == 0 || name == "KTEST_all" && r.k == 255 {
				r.g = 1
			}
		})
	}
}

// Steps that stand for an instruction, with the last operand in a register, in memory, and for all
// lanes.
func TestLegal_Steps(t *testing.T) {
	needsAVX2(t)
	f32, f64 := math.Float32frombits, math.Float64frombits
	bits32, bits64 := math.Float32bits, math.Float64bits
	for name, c := range map[string]struct {
		op    amd64.Op
		unary bool
		fix   func(b uint32) uint32
		of    func(a, b uint32) uint32
	}{
		"VCVTUDQ2PS": {amd64.VCVTUDQ2PS, true, nil, func(_, b uint32) uint32 {
			return bits32(float32(b))
		}},
		"VCVTTPS2UDQ": {amd64.VCVTTPS2UDQ, true, func(b uint32) uint32 { // neither negative nor a NaN
			if b &^= 1 << 31; b > 0x7F800000 {
				return 0x7F800000
			}
			return b
		}, func(_, b uint32) uint32 {
			if f32(b) >= 1<<32 {
				return math.MaxUint32
			}
			return uint32(f32(b))
		}},
		"VPLZCNTD": {amd64.VPLZCNTD, true, nil, func(_, b uint32) uint32 {
			return uint32(bits.LeadingZeros32(b))
		}},
		"VPOPCNTD": {amd64.VPOPCNTD, true, nil, func(_, b uint32) uint32 {
			return uint32(bits.OnesCount32(b))
		}},
		"VPADDD":    {amd64.VPADDD, false, nil, func(a, b uint32) uint32 { return a + b }},
		"VMOVDQU64": {amd64.VMOVDQU64, true, nil, func(_, b uint32) uint32 { return b }},
	} {
		for form := formRegister; form <= formEvery; form++ {
			if form == formEvery && c.op == amd64.VMOVDQU64 {
				continue
			}
			fix := func(r *legalRow) {
				for i := range r.b {
					if c.fix != nil {
						r.b[i] = c.fix(r.b[i])
					}
				}
			}
			for _, d := range []amd64.Z{legalZD, legalZA} { // the result may be where an operand was
				legalTest(t, fmt.Sprintf("%s/%d/%d", name, form, d-scratch0), fix, func(e *emitter) {
					v := legalZA
					if c.unary {
						v = 0
					}
					e.V(c.op, d, v, form.of())
				}, func(r *legalRow) {
					x := form.in(*r, false)
					to := map[amd64.Z]*[8]uint32{legalZD: &r.d, legalZA: &r.a}[d]
					for i := range to {
						to[i] = c.of(x.a[i], x.b[i])
					}
				})
			}
		}
	}
	for name, c := range map[string]struct {
		op    amd64.Op
		unary bool
		of    func(a, b uint64) uint64
	}{
		"VCVTQQ2PD": {amd64.VCVTQQ2PD, true, func(_, b uint64) uint64 {
			return bits64(float64(int64(b)))
		}},
		"VCVTUQQ2PD": {amd64.VCVTUQQ2PD, true, func(_, b uint64) uint64 { return bits64(float64(b)) }},
		"VPMULLQ":    {amd64.VPMULLQ, false, func(a, b uint64) uint64 { return a * b }},
		"VPSRAVQ": {amd64.VPSRAVQ, false, func(a, b uint64) uint64 {
			return uint64(int64(a) >> min(b, 63))
		}},
	} {
		for form := formRegister; form <= formEvery; form++ {
			fix := func(r *legalRow) {
				if c.op == amd64.VPSRAVQ {
					for i := range r.b {
						r.b[i] = r.b[i] % 64 * uint32(1-i%2)
					}
				}
			}
			for _, d := range []amd64.Z{legalZD, legalZA} {
				legalTest(t, fmt.Sprintf("%s/%d/%d", name, form, d-scratch0), fix, func(e *emitter) {
					v := legalZA
					if c.unary {
						v = 0
					}
					e.V(c.op, d, v, form.of())
				}, func(r *legalRow) {
					x := form.in(*r, true)
					a, b := pairsOf(x.a), pairsOf(x.b)
					for i := range a {
						a[i] = c.of(a[i], b[i])
					}
					*map[amd64.Z]*[8]uint32{legalZD: &r.d, legalZA: &r.a}[d] = wordsOfPairs(a)
				})
			}
		}
	}
	legalTest(t, "VCVTUDQ2PD", nil, func(e *emitter) {
		e.V(amd64.VCVTUDQ2PD, legalZD, 0, amd64.R(legalZB))
	}, func(r *legalRow) {
		var q [4]uint64
		for i := range q {
			q[i] = bits64(float64(r.b[i]))
		}
		r.d = wordsOfPairs(q)
	})
	legalTest(t, "VCVTTPD2UDQ", func(r *legalRow) {
		for i := range r.b {
			r.b[i] &^= uint32(i%2) << 31 // not negative
		}
	}, func(e *emitter) { e.V(amd64.VCVTTPD2UDQ, legalZD, 0, amd64.R(legalZB)) }, func(r *legalRow) {
		r.d = [8]uint32{}
		for i, b := range pairsOf(r.b) {
			if r.d[i] = math.MaxUint32; f64(b) < 1<<32 {
				r.d[i] = uint32(f64(b))
			}
		}
	})
	legalTest(t, "VPMOVDW", nil, func(e *emitter) { // the other half is anything
		e.V(amd64.VPMOVDW, legalZA, 0, amd64.R(legalZD))
		e.V(amd64.VPMOVZXWD, legalZD, 0, amd64.R(legalZD))
	}, func(r *legalRow) {
		for i, a := range r.a {
			r.d[i] = a & 0xFFFF
		}
	})
	legalTest(t, "VPBROADCASTG", nil, func(e *emitter) {
		e.V(amd64.VPBROADCASTG, legalZD, 0, amd64.GArg(amd64.RDX))
	}, func(r *legalRow) {
		for i := range r.d {
			r.d[i] = uint32(r.g)
		}
	})
	legalTest(t, "VPERMD", nil, func(e *emitter) {
		e.V(amd64.VPERMD, legalZD, legalZA, amd64.M(regFrame, legalM))
	}, func(r *legalRow) {
		for i, a := range r.a { // of 16 words
			r.d[i] = r.m[a&15]
		}
	})
	for n := range 2 {
		legalTest(t, fmt.Sprintf("VEXTRACTHALF/%d", n), nil, func(e *emitter) {
			e.VI(amd64.VEXTRACTHALF, legalZA, 0, amd64.R(legalZD), n)
		}, func(r *legalRow) {
			r.d = [8]uint32{}
			copy(r.d[:4], r.a[4*n:])
		})
		legalTest(t, fmt.Sprintf("VINSERTHALF/%d", n), nil, func(e *emitter) {
			e.VI(amd64.VINSERTHALF, legalZD, legalZA, amd64.R(legalZB), n)
		}, func(r *legalRow) {
			r.d = r.a
			copy(r.d[4*n:], r.b[:4])
		})
	}
}

// What is done in the lanes of a mask: others keep what they have, or become zero.
func TestLegal_Lanes(t *testing.T) {
	needsAVX2(t)
	lanes := func(r *legalRow, to *[8]uint32, zero bool, of func(i int) uint32) {
		for i := range to {
			switch {
			case r.k>>i&1 != 0:
				to[i] = of(i)
			case zero:
				to[i] = 0
			}
		}
	}
	for name, c := range map[string]struct {
		op amd64.Op
		of func(a, b uint32) uint32
	}{
		"VPADDD": {amd64.VPADDD, func(a, b uint32) uint32 { return a + b }},
		"VPSUBD": {amd64.VPSUBD, func(a, b uint32) uint32 { return a - b }},
		"VPORD":  {amd64.VPORD, func(a, b uint32) uint32 { return a | b }},
		"VPANDD": {amd64.VPANDD, func(a, b uint32) uint32 { return a & b }},
	} {
		for form := formRegister; form <= formEvery; form++ {
			for _, d := range []amd64.Z{legalZD, legalZA} {
				for _, zero := range []bool{false, true} {
					legalTest(t, fmt.Sprintf("%s/%d/%d/%v", name, form, d-scratch0, zero), nil, func(e *emitter) {
						if zero {
							e.VZ(c.op, d, legalZA, form.of(), maskStep)
						} else {
							e.VK(c.op, d, legalZA, form.of(), maskStep)
						}
					}, func(r *legalRow) {
						x := form.in(*r, false)
						to := map[amd64.Z]*[8]uint32{legalZD: &r.d, legalZA: &r.a}[d]
						lanes(r, to, zero, func(i int) uint32 { return c.of(x.a[i], x.b[i]) })
					})
				}
			}
		}
	}
	legalTest(t, "VPBLENDMD", nil, func(e *emitter) {
		e.VK(amd64.VPBLENDMD, legalZD, legalZA, formEvery.of(), maskStep)
	}, func(r *legalRow) {
		was := r.a
		lanes(r, &was, false, func(int) uint32 { return r.b[0] })
		r.d = was
	})
	legalTest(t, "VFMADD231PS", nil, func(e *emitter) { // reads what it writes
		e.V(amd64.VCVTDQ2PS, legalZA, 0, amd64.R(legalZA))
		e.V(amd64.VCVTDQ2PS, legalZD, 0, amd64.R(legalZD))
		e.VK(amd64.VFMADD231PS, legalZD, legalZA, amd64.R(legalZA), maskStep)
	}, func(r *legalRow) {
		for i := range r.a {
			a, d := float32(int32(r.a[i])), float32(int32(r.d[i]))
			if r.a[i], r.d[i] = math.Float32bits(a), math.Float32bits(d); r.k>>i&1 != 0 {
				// Rounded twice, which for none of these numbers differs from once.
				r.d[i] = math.Float32bits(float32(math.FMA(float64(a), float64(a), float64(d))))
			}
		}
	})
	for _, zero := range []bool{false, true} {
		moves := func(name string, o amd64.Op, x amd64.Arg, of func(r *legalRow, i int) uint32) {
			legalTest(t, fmt.Sprintf("%s/%v", name, zero), nil, func(e *emitter) {
				if zero {
					e.VZ(o, legalZD, 0, x, maskStep)
				} else {
					e.VK(o, legalZD, 0, x, maskStep)
				}
			}, func(r *legalRow) {
				lanes(r, &r.d, zero, func(i int) uint32 { return of(r, i) })
			})
		}
		own := amd64.M(regFrame, legalM+8)
		moves("register", amd64.VMOVDQU, amd64.R(legalZB), func(r *legalRow, i int) uint32 {
			return r.b[i]
		})
		word := amd64.M(regFrame, legalB)
		moves("VPBROADCASTD", amd64.VPBROADCASTD, word, func(r *legalRow, _ int) uint32 {
			return r.b[0]
		})
		for reach := amd64.ReachLanes; zero && reach <= amd64.ReachAll; reach++ {
			name := fmt.Sprintf("memory_%d", reach)
			moves(name, amd64.VMOVDQU, own.Reaching(reach), func(r *legalRow, i int) uint32 {
				return r.m[2+i]
			})
		}
	}
	legalTest(t, "gather", func(r *legalRow) { offsets(r) }, func(e *emitter) {
		e.W(amd64.MOVQ, amd64.R12, amd64.GArg(regFrame))
		e.VK(amd64.VPGATHERDD, legalZD, 0, amd64.Each(amd64.R12, legalZA), maskStep)
		e.K(amd64.KXOR, maskStep, maskStep, maskStep) // it is lost
	}, func(r *legalRow) {
		lanes(r, &r.d, false, func(i int) uint32 { return r.m[(r.a[i]-legalM)/4] })
		r.k = 0
	})
	for name, base := range map[string]amd64.G{"scatter": amd64.R12, "scatter_R11": amd64.R11} {
		legalTest(t, name, func(r *legalRow) { offsets(r) }, func(e *emitter) {
			e.W(amd64.MOVQ, base, amd64.GArg(regFrame))
			e.VK(amd64.VPSCATTERDD, legalZD, 0, amd64.Each(base, legalZA), maskStep)
		}, func(r *legalRow) {
			for i := range r.d { // of equal offsets the last one stays
				if r.k>>i&1 != 0 {
					r.m[(r.a[i]-legalM)/4] = r.d[i]
				}
			}
		})
	}
	// Memory that is not the frame's: only lanes of the mask are stored.
	for reach := amd64.ReachLanes; reach <= amd64.ReachAll; reach++ {
		legalTest(t, fmt.Sprintf("store_%d", reach), nil, func(e *emitter) {
			e.W(amd64.MOVQ, amd64.R12, amd64.GArg(regFrame))
			e.VK(amd64.VMOVDQUTo, legalZD, 0, amd64.M(amd64.R12, legalM+8).Reaching(reach), maskStep)
		}, func(r *legalRow) {
			for i := range r.d {
				if r.k>>i&1 != 0 {
					r.m[2+i] = r.d[i]
				}
			}
		})
	}
}

// offsets makes offsets of words of the memory, from the frame on.
func offsets(r *legalRow) {
	for i := range r.a {
		r.a[i] = legalM + 4*(r.a[i]%64)
	}
}
