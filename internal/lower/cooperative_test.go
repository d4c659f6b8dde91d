package lower_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// matrixShader is a compute shader of 64 invocations, whose subgroups compute A·B + C each, of
// matrices one after the other in binding 0 (A), 2 (B) and 3 (C), to binding 1.
type matrixShader struct {
	spirv.CooperativeProduct
	columns [4]bool // whether A, B, C and the result lie column by column
	vector  uint32  // components of what pointers point to
	// through is what A and B go through before the product, body what the product does.
	through func(b *matrixBuilder, matrix, t, rows, columns uint32, c spirv.Component) uint32
	body    func(b *matrixBuilder, product, c uint32) uint32
	// pointer replaces that to B.
	pointer func(b *matrixBuilder, p, pointer uint32) uint32
	signs   uint32 // operands of the product beside those of its types
	untyped bool   // pointers say no types, strides count bytes, unknown ones for B and the result
	options lower.Options
	cut     uint32 // bytes that there are of C; 0: all
	scope   uint32 // scopeWorkgroup: the workgroup holds the matrices; 0: each subgroup
	local   uint32 // invocations of the workgroup; 0: 64
	extra   []spirv.Capability
	older   bool // of SPV_NV_cooperative_matrix
}

// flags are the operands of the product.
func (s *matrixShader) flags() (flags uint32) {
	for i, c := range []spirv.Component{s.A, s.B, s.C, s.Result} {
		if c.Signed {
			flags |= 1 << i
		}
	}
	if s.Saturating {
		flags |= spirv.CooperativeSaturating
	}
	return flags | s.signs
}

// Uses and other constants of SPIR-V.
const useA, useB, useAccumulator = 0, 1, 2

// matrixBuilder numbers what a module declares.
type matrixBuilder struct {
	*builder
	last      uint32
	types     map[string]uint32
	deferred  []uint32 // decorations
	decls     *builder // types and constants
	word      uint32   // type
	result    uint32   // type of the product
	subgroup  uint32   // its number
	lane      uint32   // in its subgroup
	variables *builder // of the function
	functions *builder // behind it
	globals   []uint32
	factors   []uint32 // A and B
	extra     []spirv.Capability
	scope     uint32
	older     bool
	summand   uint32            // pointer to the first element of C
	arrays    map[uint32]uint32 // types of what is in the blocks of buffers, by their variables
}

// newMatrixBuilder begins a shader.
func newMatrixBuilder() *matrixBuilder {
	return &matrixBuilder{builder: &builder{}, decls: &builder{}, types: map[string]uint32{},
		variables: &builder{}, functions: &builder{}, arrays: map[uint32]uint32{}}
}

func (b *matrixBuilder) id() uint32 {
	b.last++
	return b.last
}

// declare adds a type or a constant, once.
func (b *matrixBuilder) declare(op spirv.Op, operands ...uint32) uint32 {
	key := fmt.Sprint(op, operands)
	if id := b.types[key]; id != 0 {
		return id
	}
	id := b.id()
	switch op {
	case spirv.OpConstant, spirv.OpConstantComposite, spirv.OpConstantNull, spirv.OpConstantTrue:
		b.decls.add(op, append([]uint32{operands[0], id}, operands[1:]...)...)
	default:
		b.decls.add(op, append([]uint32{id}, operands...)...)
	}
	b.types[key] = id
	return id
}

func (b *matrixBuilder) constant(w uint32) uint32 { return b.declare(spirv.OpConstant, b.word, w) }

func (b *matrixBuilder) component(c spirv.Component) uint32 {
	switch {
	case c.Kind == spirv.KindInt && c.Signed:
		return b.declare(spirv.OpTypeInt, c.Width, 1)
	case c.Kind == spirv.KindInt:
		return b.declare(spirv.OpTypeInt, c.Width, 0)
	case c.Coded != 0:
		return b.declare(spirv.OpTypeFloat, c.Width, uint32(c.Coded)-1)
	}
	return b.declare(spirv.OpTypeFloat, c.Width)
}

const scopeWorkgroup, scopeSubgroup = 2, 3

func (b *matrixBuilder) matrix(c spirv.Component, rows, columns, use uint32) uint32 {
	if b.older {
		return b.declare(spirv.OpTypeCooperativeMatrixNV, b.component(c), b.constant(b.scope),
			b.constant(rows), b.constant(columns))
	}
	return b.declare(spirv.OpTypeCooperativeMatrixKHR, b.component(c), b.constant(b.scope),
		b.constant(rows), b.constant(columns), b.constant(use))
}

// op adds an instruction with a result.
func (b *matrixBuilder) op(op spirv.Op, t uint32, operands ...uint32) uint32 {
	id := b.id()
	b.add(op, append([]uint32{t, id}, operands...)...)
	return id
}

// buffer declares a storage buffer of an array, and returns the variable and the type of a pointer
// to elements.
func (b *matrixBuilder) buffer(binding uint32, c spirv.Component, vector uint32) (variable,
	pointer uint32) {
	e := b.component(c)
	if vector > 1 {
		e = b.declare(spirv.OpTypeVector, e, vector)
	}
	array, block := b.id(), b.id()
	b.decls.add(spirv.OpTypeRuntimeArray, array, e)
	b.decls.add(spirv.OpTypeStruct, block, array)
	variable = b.id()
	b.arrays[variable] = array
	b.decls.add(spirv.OpVariable, b.declare(spirv.OpTypePointer,
		uint32(spirv.StorageClassStorageBuffer), block), variable,
		uint32(spirv.StorageClassStorageBuffer))
	d := &builder{}
	d.add(spirv.OpDecorate, array, uint32(spirv.DecorationArrayStride), vector*c.Width/8)
	d.add(spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
	d.add(spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
	d.add(spirv.OpDecorate, variable, uint32(spirv.DecorationDescriptorSet), 0)
	d.add(spirv.OpDecorate, variable, uint32(spirv.DecorationBinding), binding)
	b.deferred = append(b.deferred, d.words...)
	return variable, b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassStorageBuffer), e)
}

func layoutOf(columns bool) uint32 {
	if columns {
		return 1
	}
	return 0
}

func (b *matrixBuilder) boolean(v bool) uint32 {
	op := spirv.OpConstantNull
	if v {
		op = spirv.OpConstantTrue
	}
	return b.declare(op, b.declare(spirv.OpTypeBool))
}

// module writes the shader.
func (s *matrixShader) module() []uint32 {
	b := newMatrixBuilder()
	b.scope, b.older = cmp.Or(s.scope, scopeSubgroup), s.older
	s.vector = max(s.vector, 1)
	main, id, laneID := b.id(), b.id(), b.id()
	void := b.declare(spirv.OpTypeVoid)
	b.word = b.declare(spirv.OpTypeInt, 32, 0)
	input := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassInput), b.word)
	for _, v := range []uint32{id, laneID} {
		b.decls.add(spirv.OpVariable, input, v, uint32(spirv.StorageClassInput))
	}
	m, n, k := s.M, s.N, s.K
	a, pa := b.buffer(0, s.A, s.vector)
	out, pout := b.buffer(1, s.Result, 1)
	mb, pb := b.buffer(2, s.B, s.vector)
	acc, pc := b.buffer(3, s.C, 1)
	ta, tb := b.matrix(s.A, m, k, useA), b.matrix(s.B, k, n, useB)
	tc, tr := b.matrix(s.C, m, n, useAccumulator), b.matrix(s.Result, m, n, useAccumulator)
	head, code := &builder{}, b.builder
	head.add(spirv.OpFunction, void, main, 0, b.declare(spirv.OpTypeFunction, void))
	head.add(spirv.OpLabel, b.id())
	subgroup := b.op(spirv.OpLoad, b.word, id)
	if b.scope == scopeWorkgroup {
		subgroup = b.constant(0)
	}
	b.subgroup, b.lane, b.result = subgroup, b.op(spirv.OpLoad, b.word, laneID), tr
	stride := func(i int, rows, columns uint32) uint32 {
		if s.columns[i] {
			columns = rows
		}
		return columns
	}
	reached := func(i int, p uint32, c spirv.Component, stride uint32) (uint32, uint32) {
		if !s.untyped {
			return p, b.constant(stride)
		}
		bytes := stride * c.Width / 8
		t := b.declare(spirv.OpTypeUntypedPointerKHR, uint32(spirv.StorageClassStorageBuffer))
		p = b.op(spirv.OpUntypedAccessChainKHR, t, b.word, p)
		if i%2 == 1 {
			return p, b.unknown(bytes)
		}
		return p, b.constant(bytes)
	}
	load := func(i int, variable, pointer, t, rows, columns, vector uint32) uint32 {
		at := b.op(spirv.OpIMul, b.word, subgroup, b.constant(rows*columns/vector))
		p := b.op(spirv.OpAccessChain, pointer, variable, b.constant(0), at)
		if s.pointer != nil && i == 1 {
			p = s.pointer(b, p, pointer)
		}
		of := []spirv.Component{s.A, s.B, s.C}[i]
		p, line := reached(i, p, of, stride(i, rows, columns)/vector)
		v := uint32(0)
		if s.older {
			v = b.op(spirv.OpCooperativeMatrixLoadNV, t, p, line, b.boolean(s.columns[i]))
		} else {
			v = b.op(spirv.OpCooperativeMatrixLoadKHR, t, p, b.constant(layoutOf(s.columns[i])), line)
		}
		if s.through != nil && i < 2 {
			v = s.through(b, v, t, rows, columns, of)
		}
		return v
	}
	va := load(0, a, pa, ta, m, k, s.vector)
	vb := load(1, mb, pb, tb, k, n, s.vector)
	vc := load(2, acc, pc, tc, m, n, 1)
	b.summand = b.op(spirv.OpAccessChain, pc, acc, b.constant(0), b.constant(0))
	b.factors = []uint32{va, vb}
	mul, flags := spirv.OpCooperativeMatrixMulAddKHR, []uint32{s.flags()}
	if s.older {
		mul, flags = spirv.OpCooperativeMatrixMulAddNV, nil
		b.extra = append(b.extra, spirv.CapabilityCooperativeMatrixNV)
	}
	v := b.op(mul, tr, append([]uint32{va, vb, vc}, flags...)...)
	if s.body != nil {
		v = s.body(b, v, vc)
	}
	at := b.op(spirv.OpIMul, b.word, subgroup, b.constant(m*n))
	p := b.op(spirv.OpAccessChain, pout, out, b.constant(0), at)
	p, line := reached(3, p, s.Result, stride(3, m, n))
	if s.older {
		b.add(spirv.OpCooperativeMatrixStoreNV, p, v, line, b.boolean(s.columns[3]))
	} else {
		b.add(spirv.OpCooperativeMatrixStoreKHR, p, v, b.constant(layoutOf(s.columns[3])), line)
	}
	b.add(spirv.OpReturn)
	b.add(spirv.OpFunctionEnd)

	b.extra = append(b.extra, s.extra...)
	if s.A.Width == 8 && s.A.Kind == spirv.KindFloat {
		b.extra = append(b.extra, spirv.CapabilityFloat8EXT, spirv.CapabilityFloat8CooperativeMatrixEXT)
	}
	if s.untyped {
		b.extra = append(b.extra, spirv.CapabilityUntypedPointersKHR)
	}
	whole := newMatrixModule(b.last+1, b.extra...)
	whole.add(spirv.OpEntryPoint, append([]uint32{uint32(spirv.ExecutionModelGLCompute), main,
		nameMain, 0, id, laneID, a, out, mb, acc}, b.globals...)...)
	whole.add(spirv.OpExecutionMode, main, uint32(spirv.ExecutionModeLocalSize),
		cmp.Or(s.local, 64), 1, 1)
	whole.add(spirv.OpDecorate, id, uint32(spirv.DecorationBuiltIn), uint32(spirv.BuiltInSubgroupId))
	whole.add(spirv.OpDecorate, laneID, uint32(spirv.DecorationBuiltIn),
		uint32(spirv.BuiltInSubgroupLocalInvocationId))
	return slices.Concat(whole.words, b.deferred, b.decls.words, head.words, b.variables.words,
		code.words, b.functions.words)
}

// newMatrixModule begins a module with all that matrices may need.
func newMatrixModule(bound uint32, more ...spirv.Capability) *builder {
	b := &builder{[]uint32{spirv.Magic, 0x00010600, 0, bound, 0}}
	for _, c := range append([]spirv.Capability{
		spirv.CapabilityShader, spirv.CapabilityFloat16, spirv.CapabilityInt8, spirv.CapabilityInt16,
		spirv.CapabilityGroupNonUniform,
		spirv.CapabilityStorageBuffer16BitAccess, spirv.CapabilityStorageBuffer8BitAccess,
		spirv.CapabilityVulkanMemoryModel,
		spirv.CapabilityCooperativeMatrixKHR, spirv.CapabilityBFloat16TypeKHR,
		spirv.CapabilityBFloat16CooperativeMatrixKHR,
	}, more...) {
		b.add(spirv.OpCapability, uint32(c))
	}
	addressing := uint32(0)
	if slices.Contains(more, spirv.CapabilityPhysicalStorageBufferAddresses) {
		addressing = 5348
	}
	b.add(spirv.OpMemoryModel, addressing, 3)
	return b
}

// variable declares a variable of the function, and returns it.
func (b *matrixBuilder) variable(t uint32) uint32 {
	id := b.id()
	p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassFunction), t)
	b.variables.add(spirv.OpVariable, p, id, uint32(spirv.StorageClassFunction))
	return id
}

// chain is a pointer to a part of a variable of the function.
func (b *matrixBuilder) chain(t, variable uint32, indices ...uint32) uint32 {
	p := b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassFunction), t)
	return b.op(spirv.OpAccessChain, p, append([]uint32{variable}, indices...)...)
}

// unknown is a number that nobody knows before the shader runs.
func (b *matrixBuilder) unknown(k uint32) uint32 {
	zero := b.op(spirv.OpShiftRightLogical, b.word, b.subgroup, b.constant(31))
	return b.op(spirv.OpIAdd, b.word, zero, b.constant(k))
}

// elements are matrices in memory, as bits of numbers: of so many subgroups, row by row.
type elements struct {
	c             spirv.Component
	rows, columns uint32
	bits          []uint32
}

// randomElements makes numbers that use all of their bits, without NaNs and infinities.
func randomElements(r *rand.Rand, c spirv.Component, count, rows, columns uint32) *elements {
	e := &elements{c, rows, columns, make([]uint32, count*rows*columns)}
	for i := range e.bits {
		w := r.Uint32() & mask(c)
		if c.Kind == spirv.KindFloat {
			f := float32((r.Float64() - 0.5) * math.Ldexp(1, r.IntN(9)))
			switch {
			case c.Width == 8:
				w = encode8(f, c.Coded)
			case c.Coded != 0:
				w = math.Float32bits(f) >> 16
			case c.Width == 16:
				w = uint32(fp.FloatToHalf(f))
			default:
				w = math.Float32bits(f)
			}
		}
		e.bits[i] = w
	}
	return e
}

// decode8 is the value of a float of 8 bits, infinite or no number where it has no other.
func decode8(w uint32, e spirv.FPEncoding) float64 {
	mantissa, bias, last := 3, 7, uint32(0x7E)
	if e == spirv.Float8E5M2 {
		mantissa, bias, last = 2, 15, 0x7B
	}
	exponent, rest := int(w&0x7F>>mantissa), float64(w&(1<<mantissa-1))
	if exponent > 0 {
		rest += float64(int(1) << mantissa)
		exponent--
	}
	v := math.Ldexp(rest, exponent+1-bias-mantissa)
	if w&0x7F > last {
		v = math.NaN()
		if e == spirv.Float8E5M2 && w&3 == 0 {
			v = math.Inf(1)
		}
	}
	if w&0x80 != 0 {
		v = -v
	}
	return v
}

// encode8 is the code of the number next to f, of two that are as near the even one; beyond the
// largest one it is what follows it.
func encode8(f float32, e spirv.FPEncoding) uint32 {
	x := math.Abs(float64(f))
	best, sign := uint32(0), math.Float32bits(f)>>24&0x80
	for w := uint32(1); w < 0x7F; w++ {
		near, was := math.Abs(decode8(w, e)-x), math.Abs(decode8(best, e)-x)
		if near < was || near == was && w%2 == 0 {
			best = w
		}
	}
	// The next number that there would be.
	largest, next := 448.0, 480.0
	if e == spirv.Float8E5M2 {
		largest, next = 57344, 65536
	}
	if half := (largest + next) / 2; x > half || x == half && best%2 == 1 {
		return sign | (best + 1)
	}
	return sign | best
}

// memory lays them out.
func (e *elements) memory(columns bool) []byte {
	bytes := e.c.Width / 8
	out := make([]byte, uint32(len(e.bits))*bytes)
	for i, w := range e.bits {
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], w)
		copy(out[e.place(uint32(i), columns)*bytes:], b[:bytes])
	}
	return out
}

func (e *elements) place(i uint32, columns bool) uint32 {
	if !columns {
		return i
	}
	of, at := i/(e.rows*e.columns), i%(e.rows*e.columns)
	return of*e.rows*e.columns + at%e.columns*e.rows + at/e.columns
}

// float is the value of a float, value that of an integer.
func (e *elements) float(i uint32) float32 {
	switch w := e.bits[i]; {
	case e.c.Width == 8:
		return float32(decode8(w, e.c.Coded))
	case e.c.Coded != 0:
		return math.Float32frombits(w << 16)
	case e.c.Width == 16:
		return fp.HalfToFloat(uint16(w))
	default:
		return math.Float32frombits(w)
	}
}

func (e *elements) value(i uint32) int64 {
	shift := 64 - e.c.Width
	if e.c.Signed {
		return int64(uint64(e.bits[i])<<shift) >> shift
	}
	return int64(e.bits[i])
}

// wantProduct computes a product with exact arithmetic: sums of floats are rounded to binary32
// after each product, sums of integers at the end; those that saturate modulo 2³² before C is
// added.
func wantProduct(p *spirv.CooperativeProduct, a, m, c *elements, count uint32) *elements {
	out := &elements{p.Result, p.M, p.N, make([]uint32, count*p.M*p.N)}
	for e := range out.bits {
		of, i, j := uint32(e)/(p.M*p.N), uint32(e)/p.N%p.M, uint32(e)%p.N
		ea := func(k uint32) uint32 { return (of*p.M+i)*p.K + k }
		eb := func(k uint32) uint32 { return (of*p.K+k)*p.N + j }
		if p.Result.Kind == spirv.KindFloat {
			sum := c.float(uint32(e))
			for k := range p.K {
				x := new(big.Float).SetPrec(500).SetFloat64(float64(a.float(ea(k))))
				x.Mul(x, new(big.Float).SetFloat64(float64(m.float(eb(k)))))
				sum, _ = x.Add(x, new(big.Float).SetFloat64(float64(sum))).Float32()
			}
			switch {
			case p.Result.Width == 8:
				out.bits[e] = encode8(sum, p.Result.Coded)
			case p.Result.Coded != 0:
				w := math.Float32bits(sum)
				out.bits[e] = (w + 0x7FFF + w>>16&1) >> 16
			case p.Result.Width == 16:
				out.bits[e] = uint32(fp.FloatToHalf(sum))
			default:
				out.bits[e] = math.Float32bits(sum)
			}
			continue
		}
		sum := int64(0)
		for k := range p.K {
			sum += a.value(ea(k)) * m.value(eb(k)) // below 2⁶⁴, and of 32 bits modulo that
		}
		if p.Saturating {
			switch { // products of bytes are below 2³² anyway
			case p.A.Signed || p.B.Signed:
				sum = int64(int32(sum))
			default:
				sum = int64(uint32(sum))
			}
			least, most := int64(0), int64(1)<<p.Result.Width-1
			if p.Result.Signed {
				least, most = -1<<(p.Result.Width-1), most>>1
			}
			sum = min(max(sum+c.value(uint32(e)), least), most)
		} else {
			sum += c.value(uint32(e))
		}
		out.bits[e] = uint32(sum) & mask(p.Result)
	}
	return out
}

// count is how many products the shader computes.
func (s *matrixShader) count(size uint32) uint32 {
	if s.scope == scopeWorkgroup {
		return 1
	}
	return max(64/size, 1)
}

// addressOfB is where B lies in memory that pointers reach.
const addressOfB = 0x7123_4560_0000_0000

// run runs the shader with matrices for each of its subgroups, and returns those that it stores.
func (s *matrixShader) run(t *testing.T, size uint32, a, m, c *elements) []uint32 {
	t.Helper()
	parsed, err := spirv.Parse(s.module())
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Compile(parsed, "main", lower.Options{SubgroupSize: size,
		Specialization: s.options.Specialization})
	if err != nil {
		t.Fatal(err)
	}
	words := func(b []byte) (w []uint32) {
		for i := 0; i < len(b); i += 4 {
			w = append(w, binary.LittleEndian.Uint32(b[i:]))
		}
		return w
	}
	count := s.count(size)
	n := count * s.M * s.N * s.Result.Width / 32
	acc := c.memory(s.columns[2])
	if s.cut > 0 {
		acc = acc[:s.cut]
	}
	other := m.memory(s.columns[1])
	addresses := exec.NewAddressTable([]exec.AddressRange{{Base: addressOfB, Data: other}})
	run := func() []uint32 {
		return runProgram(t, p, addresses, words(a.memory(s.columns[0])), int(n), [][]byte{other,
			slices.Clone(acc)})
	}
	plain := run()
	ir.Optimize(p)
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	got := run()
	result := &elements{s.Result, s.M, s.N, make([]uint32, count*s.M*s.N)}
	for i := range result.bits {
		at := result.place(uint32(i), s.columns[3]) * s.Result.Width
		result.bits[i] = got[at/32] >> (at % 32) & mask(s.Result)
		if x, y := plain[at/32], got[at/32]; x != y {
			t.Fatalf("word %d: %#x, after ir.Optimize %#x", at/32, x, y)
		}
	}
	return result.bits
}

// Each product that there is, in subgroups of each size, with random matrices in both layouts,
// against exact arithmetic.
func TestCooperative_EveryProduct(t *testing.T) {
	for i, p := range spirv.CooperativeProducts {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		// Each type of each size, in one of the shapes.
		for _, size := range []uint32{4 << (i % 5), 4 << ((i + 2) % 5)} {
			count := 64 / size
			s := &matrixShader{CooperativeProduct: p}
			for k := range s.columns {
				s.columns[k] = r.IntN(2) == 1
			}
			a, m := randomElements(r, p.A, count, p.M, p.K), randomElements(r, p.B, count, p.K, p.N)
			c := randomElements(r, p.C, count, p.M, p.N)
			if p.Saturating && p.Result.Width < 32 { // sums of a number of B and one of C
				for e := range a.bits {
					a.bits[e] = 0
					if uint32(e)%p.K == 3 {
						a.bits[e] = 1
					}
				}
			}
			want := wantProduct(&p, a, m, c, count)
			got := s.run(t, size, a, m, c)
			for e := range got {
				if got[e] != want.bits[e] {
					t.Errorf("product %d %+v, size %d, columns %v: element %d is %#x, not %#x", i, p, size,
						s.columns, e, got[e], want.bits[e])
					break
				}
			}
		}
	}
}

// In subgroups of four, which the vectors of all processors hold, all of it is machine code.
func TestCooperative_IsMachineCode(t *testing.T) {
	for _, p := range spirv.CooperativeProducts {
		m, err := spirv.Parse((&matrixShader{CooperativeProduct: p}).module())
		if err != nil {
			t.Fatal(err)
		}
		program, err := lower.Compile(m, "main", lower.Options{SubgroupSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		ir.Optimize(program)
		r, err := vm.New(vm.Options{Native: true}).Compile(program)
		if err != nil {
			t.Fatal(err)
		}
		if left := r.(exec.Interpreter).Interpreted(); len(left) > 0 {
			t.Fatalf("%+v: %+v", p, left)
		}
	}
}
