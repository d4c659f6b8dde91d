package programs

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pumice-gpu/pumice/internal/spirv"
)

// An operand is a kind and the values that it takes.
type operand struct {
	kind
	values []uint64
}

func of(kinds ...kind) (list []operand) {
	for _, k := range kinds {
		list = append(list, operand{k, edges(k)})
	}
	return list
}

// An operation is what a shader asks for, and what must come of it.
type operation struct {
	name   string
	args   []operand
	result kind
	emit   func(m *module, a []id) id
	// want is the result, by the bits of the operands; false: any.
	want func(a []uint64) (uint64, bool)
	// same says whether a result will do; nil: equal bits.
	same func(got, want uint64) bool
	// once says that it is not an operation on numbers alone: uniform operands and constants are nothing of their own to it.
	once bool
}

// anyNaN takes a NaN for another one.
func anyNaN(k kind) func(got, want uint64) bool {
	return func(got, want uint64) bool {
		return got == want || k.number(got) != k.number(got) && k.number(want) != k.number(want)
	}
}

// most is how many cases an operation has at most.
func most() int {
	if testing.Short() {
		return 500
	}
	return 1000
}

// firsts is how many of these are the first values of two operands.
const firsts = 100

// cases are combinations of the operands: all, or most of them that are spread.
func cases(args []operand) (list [][]uint64) {
	all := 1
	for _, a := range args {
		all *= len(a.values)
	}
	step, most := 1, most()
	if all > most {
		step = all/most | 1
		for gcd(step, all) != 1 {
			step++
		}
	}
	for i := range min(all, most) {
		n := i * step % all
		if i < firsts && all > most && len(args) == 2 { // zeros, infinities and NaN with each other
			n = i%10 + i/10*len(args[0].values)
		}
		one := make([]uint64, len(args))
		for k, a := range args {
			one[k] = a.values[n%len(a.values)]
			n /= len(a.values)
		}
		list = append(list, one)
	}
	return list
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A claim is one result of a module: an operation, and where operands come from.
type claim struct {
	*operation
	uniform int // bit set: this operand is that of the case that the push constants name
	fixed   int // this operand is a constant, -1: none
	bits    uint64
	all     []uint64 // nil, or constants for all operands
}

// check runs operations of the same operands in all forms: operands of each invocation, uniform ones, and constants.
func check(t *testing.T, list []operation, with ...spirv.ExecutionMode) {
	t.Helper()
	args := list[0].args
	var forms, constants []claim
	for i := range list {
		op := &list[i]
		if op.once {
			forms = append(forms, claim{operation: op, fixed: -1}, claim{operation: op, uniform: 1<<len(args) - 1, fixed: -1})
			continue
		}
		for uniform := range 1 << len(args) {
			forms = append(forms, claim{operation: op, uniform: uniform, fixed: -1})
		}
		for k, a := range args {
			for n, bits := range a.values {
				if many := len(a.values) / 64; many > 0 && n%(many+1) != 0 || testing.Short() && n%2 != (i+k)%2 {
					continue // operations by turns
				}
				constants = append(constants, claim{operation: op, fixed: k, bits: bits})
			}
		}
		// Operations on constants alone, which compilers fold.
		for n, c := range cases(args) {
			if n%41 == i%41 {
				constants = append(constants, claim{operation: op, fixed: -1, all: c})
			}
		}
	}
	known := map[asked]answer{}
	all := cases(args)
	picks := []int{len(all) / 3, len(all) - 1}
	if !testing.Short() {
		picks = append(picks, 0, len(all)*2/3)
	}
	run(t, forms, all, picks, known, with)
	// Constants meet each value of the others, or many of them, once or more.
	n := 1
	for _, a := range args {
		n = max(n, min(len(a.values), 64))
	}
	var rest [][]uint64
	for i := range n {
		one := make([]uint64, len(args))
		for k, a := range args {
			one[k] = a.values[(i*(1+2*k)+k)%len(a.values)]
		}
		rest = append(rest, one)
	}
	const chunk = 400
	for len(constants) > 0 {
		n := min(len(constants), chunk)
		run(t, constants[:n], rest, []int{0}, known, with)
		constants = constants[n:]
	}
}

// run runs a module with the claims, once for each pick of the uniform case.
func run(t *testing.T, claims []claim, all [][]uint64, picks []int, known map[asked]answer, with []spirv.ExecutionMode) {
	t.Helper()
	args := claims[0].args
	m := newModule(len(all), 64)
	m.modes = with
	m.pushed(1)
	at := m.invocation()
	m.known["case"] = at
	m.when(m.of(ult, boolean, at, m.word(len(all))), func() {
		u := m.parameter(0)
		var own, shared []id
		for k, a := range args {
			own = append(own, m.operand(a.kind, k, at))
			shared = append(shared, m.operand(a.kind, k, u))
		}
		for n, c := range claims {
			a := make([]id, len(args))
			for k := range a {
				switch a[k] = own[k]; {
				case c.all != nil:
					a[k] = m.constant(args[k].kind, c.all[k])
				case c.fixed == k:
					a[k] = m.constant(args[k].kind, c.bits)
				case c.uniform>>k&1 != 0:
					a[k] = shared[k]
				}
			}
			m.store(c.result, n, at, c.emit(m, a))
		}
	}, nil)
	in := make([]uint32, 2*len(args)*len(all))
	for i, c := range all {
		for k, v := range c {
			in[2*(k*len(all)+i)], in[2*(k*len(all)+i)+1] = uint32(v), uint32(v>>32)
		}
	}
	buffers := [][]byte{inBytes(in), make([]byte, 8*len(claims)*len(all))}
	if m.known["scratch"] != 0 {
		buffers = append(buffers, make([]byte, 8*len(all)))
	}
	first := map[int][]byte{} // what an engine gave that gave what it should
	judge := func(engine string, pick int, out []byte) {
		t.Helper()
		if bytes.Equal(out, first[pick]) {
			return
		}
		good := true
		a := make([]uint64, len(args))
		for n, c := range claims {
			failed := 0
			for i, own := range all {
				for k := range a {
					switch a[k] = own[k]; {
					case c.all != nil:
						a[k] = c.all[k]
					case c.fixed == k:
						a[k] = c.bits
					case c.uniform>>k&1 != 0:
						a[k] = all[pick][k]
					}
				}
				want, ok := c.expect(a, known)
				got := binary.LittleEndian.Uint64(out[8*(n*len(all)+i):])
				if !ok || got == want || c.same != nil && c.same(got, want) {
					continue
				}
				if failed++; failed <= 3 {
					t.Errorf("%s: %s of %#x (uniform %b, constant %d) in invocation %d: %#x, want %#x", engine, c.name, a, c.uniform, c.fixed, i, got, want)
				}
			}
			good = good && failed == 0
		}
		if good {
			first[pick] = out
		}
	}
	lanes := (len(all) + 63) / 64 * 64
	for _, dev := range engines(t) {
		p := load(t, dev, m, buffers...)
		for _, pick := range picks {
			p.run(lanes/64, uint32(pick))
			judge(dev.Engine(), pick, p.bytes(1, len(buffers[1])))
		}
		p.close()
	}
	if o := narrow(); o != nil && m.known["shared"] == 0 { // workgroups of 64 would be one
		program := compiled(t, m)
		for _, pick := range picks {
			clear(buffers[1])
			runLanes(t, program, *o, lanes, []uint32{uint32(pick)}, buffers...)
			judge("native, 256 bits", pick, bytes.Clone(buffers[1]))
		}
	}
}

// asked is an operation with operands, and answer what must come of it, or anything.
type (
	asked struct {
		*operation
		args [4]uint64
	}
	answer struct {
		bits  uint64
		fixed bool
	}
)

// expect is want, which is asked once.
func (o *operation) expect(a []uint64, known map[asked]answer) (uint64, bool) {
	key := asked{operation: o}
	copy(key.args[:], a)
	v, ok := known[key]
	if !ok {
		v.bits, v.fixed = o.want(a)
		known[key] = v
	}
	return v.bits, v.fixed
}
