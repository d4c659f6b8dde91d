package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// tensorCase is a layout and a view, in numbers.
type tensorCase struct {
	mode                              spirv.TensorClamp
	block, size, stride, offset, span []int64
	clamp                             uint32
	// view says that there is one; sizes of it mean that it has its own dimensions.
	view                  bool
	permutation           []uint32
	viewSize, viewStride  []int64
	clip                  []int64 // nil: all
	strided, viewStriding bool    // whether strides are set by themselves
}

// place is what the specification computes of a row and a column (SPV_NV_cooperative_matrix2): the
// index of the element, the coordinates of its block and in it, and what becomes of it.
func (t *tensorCase) place(row, column, columns int64, store bool) (index int64, block,
	inBlock []int64, outside, skipped bool) {
	width := columns
	if t.clip != nil {
		if row < t.clip[0] || row >= t.clip[0]+t.clip[1] || column < t.clip[2] ||
			column >= t.clip[2]+t.clip[3] {
			return 0, make([]int64, len(t.span)), make([]int64, len(t.span)), false, true
		}
		row, column, width = row-t.clip[0], column-t.clip[2], min(columns, t.clip[3])
	}
	index = row*width + column
	if t.view {
		size, stride := t.viewSize, t.viewStride
		if size == nil {
			size, stride = t.span, rowMajor(t.span)
		}
		x := make([]int64, len(size))
		for k := len(size) - 1; k >= 0; k-- {
			i := t.permutation[k]
			x[i] = index % size[i]
			index /= size[i]
		}
		index = 0
		for i := range x {
			index += x[i] * stride[i]
		}
	}
	x := make([]int64, len(t.span))
	for i := len(x) - 1; i >= 0; i-- {
		x[i] = index % t.span[i]
		index /= t.span[i]
	}
	index = 0
	mod := func(a, b int64) int64 { return ((a % b) + b) % b }
	for i := range x {
		k, n := x[i]+t.offset[i], t.size[i]
		if k < 0 || k >= n {
			switch {
			case t.mode == spirv.TensorClampConstant || store:
				outside = true
				k = 0
			case t.mode == spirv.TensorClampToEdge:
				k = min(max(k, 0), n-1)
			case t.mode == spirv.TensorClampRepeat:
				k = mod(k, n)
			default:
				if k = mod(k, 2*n-2); k >= n {
					k = 2*n - 2 - k
				}
			}
		}
		block, inBlock = append(block, k/t.block[i]), append(inBlock, k%t.block[i])
		index += k / t.block[i] * t.stride[i]
	}
	return index, block, inBlock, outside, false
}

func rowMajor(size []int64) []int64 {
	stride, next := make([]int64, len(size)), int64(1)
	for i := len(size) - 1; i >= 0; i-- {
		stride[i], next = next, next*size[i]
	}
	return stride
}

// randomTensor makes a layout whose elements are in memory of so many, and a view.
func randomTensor(r *rand.Rand, elements int64, rows, columns int64, blocks bool) *tensorCase {
	t := &tensorCase{mode: spirv.TensorClamp(r.IntN(4) + 1), clamp: r.Uint32(), strided: r.IntN(2) == 0}
	n := r.IntN(5) + 1
	number := func(from, to int64) int64 { return from + r.Int64N(to-from+1) }
	total := int64(1)
	for range n {
		size := number(2, 7)
		block := int64(1)
		if blocks {
			block = number(1, 3)
		}
		if total*size > elements {
			size = 2
		}
		total *= size
		t.size, t.block = append(t.size, size), append(t.block, block)
		t.span, t.offset = append(t.span, number(1, 9)), append(t.offset, number(-9, 9))
	}
	up := make([]int64, n)
	for i := range up {
		up[i] = (t.size[i] + t.block[i] - 1) / t.block[i]
	}
	t.stride = rowMajor(up)
	if t.strided {
		for i := range t.stride[:n-1] {
			t.stride[i] += number(0, 3)
		}
	}
	if t.view = r.IntN(3) > 0; !t.view {
		return t
	}
	m := n
	if r.IntN(2) == 0 {
		m = r.IntN(5) + 1
		for range m {
			t.viewSize = append(t.viewSize, number(1, 9))
		}
		t.viewStride = rowMajor(t.viewSize)
		if t.viewStriding = r.IntN(2) == 0; t.viewStriding {
			t.viewStride[0] += number(0, 5)
		}
	}
	for _, k := range r.Perm(m) {
		t.permutation = append(t.permutation, uint32(k))
	}
	if r.IntN(2) == 0 {
		t.clip = []int64{number(0, rows-1), number(1, rows), number(0, columns-1), number(1, columns)}
	}
	return t
}

// layout declares the layout, and the view as the operand of an access.
func (t *tensorCase) layout(b *matrixBuilder) (layout uint32, view []uint32) {
	n := uint32(len(t.size))
	list := func(lists ...[]int64) (ids []uint32) {
		for i := range lists[0] {
			for _, l := range lists {
				ids = append(ids, b.unknown(uint32(l[i])))
			}
		}
		return ids
	}
	lt := b.declare(spirv.OpTypeTensorLayoutNV, b.constant(n), b.constant(uint32(t.mode)))
	l := b.op(spirv.OpCreateTensorLayoutNV, lt)
	set := func(op spirv.Op, ids []uint32) { l = b.op(op, lt, append([]uint32{l}, ids...)...) }
	set(spirv.OpTensorLayoutSetBlockSizeNV, list(t.block))
	set(spirv.OpTensorLayoutSetDimensionNV, list(t.size))
	if t.strided {
		set(spirv.OpTensorLayoutSetStrideNV, list(t.stride))
	}
	half := make([]int64, n) // slices add up
	rest := make([]int64, n)
	for i, k := range t.offset {
		half[i], rest[i] = k/2, k-k/2
	}
	set(spirv.OpTensorLayoutSliceNV, list(half, t.size))
	set(spirv.OpTensorLayoutSliceNV, list(rest, t.span))
	set(spirv.OpTensorLayoutSetClampValueNV, []uint32{b.constant(t.clamp)})
	v := b.variable(lt)
	b.add(spirv.OpStore, v, l)
	l = b.op(spirv.OpLoad, lt, v)
	if !t.view {
		return l, []uint32{0}
	}
	boolean := b.declare(spirv.OpTypeBool)
	has := b.declare(spirv.OpConstantNull, boolean)
	if t.viewSize != nil {
		has = b.declare(spirv.OpConstantTrue, boolean)
	}
	operands := []uint32{b.constant(uint32(len(t.permutation))), has}
	for _, k := range t.permutation {
		operands = append(operands, b.constant(k))
	}
	vt := b.declare(spirv.OpTypeTensorViewNV, operands...)
	x := b.op(spirv.OpCreateTensorViewNV, vt)
	if t.viewSize != nil {
		x = b.op(spirv.OpTensorViewSetDimensionNV, vt, append([]uint32{x}, list(t.viewSize)...)...)
	}
	if t.viewStriding {
		x = b.op(spirv.OpTensorViewSetStrideNV, vt, append([]uint32{x}, list(t.viewStride)...)...)
	}
	if t.clip != nil {
		x = b.op(spirv.OpTensorViewSetClipNV, vt, append([]uint32{x}, list(t.clip)...)...)
	}
	return l, []uint32{spirv.TensorOperandView, x}
}

var tensorCapabilities = []spirv.Capability{spirv.CapabilityTensorAddressingNV,
	spirv.CapabilityCooperativeMatrixTensorAddressingNV}

// Loads through layouts and views of all kinds, against what the specification computes. What is
// outside of the layout is clamped, what is clipped stays, and nothing is read outside of the buffer.
func TestTensor_Loads(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 21))
		spread := spreads[seed%uint64(len(spreads))]
		s, a, m, c, want := integerShader(r, spread[0], spread[1], [3]uint32{32, 48, 16})
		x := randomTensor(r, 400, 32, 48, seed%2 == 0)
		s.extra = append(s.extra, tensorCapabilities...)
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			l, view := x.layout(b)
			return b.op(spirv.OpCooperativeMatrixLoadTensorNV, b.result, append([]uint32{b.summand, product,
				l, 0}, view...)...)
		}
		for e, got := range s.run(t, spread[1], a, m, c) {
			row, column := int64(uint32(e)/s.N%s.M), int64(uint32(e)%s.N)
			at, _, _, outside, skipped := x.place(row, column, int64(s.N), false)
			w := uint32(0)
			switch {
			case skipped:
				w = want.bits[e]
			case outside:
				w = x.clamp
			case at < int64(len(c.bits)):
				w = c.bits[at]
			}
			if got != w {
				t.Fatalf("%d, %v, %+v: element %d, %d is %#x, not %#x", seed, spread, x, row, column, got, w)
			}
		}
	}
}

// Stores leave out what is clipped or outside of the layout, whatever its mode.
func TestTensor_Stores(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 22))
		spread := [][2]uint32{{scopeWorkgroup, 4}, {scopeSubgroup, 64}}[seed%2]
		s, a, m, c, want := integerShader(r, spread[0], spread[1], [3]uint32{32, 48, 16})
		x := randomTensor(r, 400, 32, 48, false)
		n := int64(32 * 48)
		x.span[0] = n // each element at a place of its own
		x.view, x.clip = false, nil
		s.extra = append(s.extra, tensorCapabilities...)
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			l, view := x.layout(b)
			b.add(spirv.OpCooperativeMatrixStoreTensorNV, append([]uint32{b.summand, product, l, 0},
				view...)...)
			workgroup := b.constant(scopeWorkgroup)
			b.add(spirv.OpControlBarrier, workgroup, workgroup, b.constant(0x48))
			return b.op(spirv.OpCooperativeMatrixLoadKHR, b.result, b.summand, b.constant(0),
				b.constant(s.N))
		}
		memory := append([]uint32(nil), c.bits...)
		for e := range n {
			at, _, _, outside, _ := x.place(e/48, e%48, 48, true)
			if !outside && at < n {
				memory[at] = want.bits[e]
			}
		}
		for e, got := range s.run(t, spread[1], a, m, c) {
			if got != memory[e] {
				t.Fatalf("%d, %v, %+v: word %d is %#x, not %#x", seed, spread, x, e, got, memory[e])
			}
		}
	}
}

// blocks are the members of the blocks that functions decode: of 8, 2, 4, 8 and 8 bytes, since blocks
// follow each other as in an array, of multiples of their largest scalar. The last one is a runtime
// array, which has no size: all blocks begin where the first does.
var blocks = [][2]spirv.Component{{spirv.Signed32, spirv.Signed32}, {spirv.Signed8, spirv.Signed8},
	{signed16, spirv.Signed8}, {spirv.Signed32, spirv.Signed8}, {spirv.Signed32, signed16},
	{spirv.Signed32}}

var signed16 = spirv.Component{Kind: spirv.KindInt, Width: 16, Signed: true}

// Functions decode blocks of a storage buffer, of which they get a pointer; they may keep it in a
// variable.
func TestTensor_Decoding(t *testing.T) {
	for seed := range uint64(48) {
		members := blocks[seed/8]
		r := rand.New(rand.NewPCG(seed, 23))
		spread := spreads[seed%uint64(len(spreads))]
		s, a, m, c, want := integerShader(r, spread[0], spread[1], [3]uint32{16, 48, 16})
		x := randomTensor(r, 200, 16, 48, true)
		s.extra = append(append(s.extra, tensorCapabilities...), spirv.CapabilityCooperativeMatrixBlockLoadsNV,
			spirv.CapabilityPhysicalStorageBufferAddresses, spirv.CapabilityInt16)
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			f := decoder(b, uint32(len(x.size)), seed%3 == 0, members)
			l, view := x.layout(b)
			view[0] |= spirv.TensorOperandDecode
			return b.op(spirv.OpCooperativeMatrixLoadTensorNV, b.result, append([]uint32{b.summand, product,
				l, 0}, append(view, f)...)...)
		}
		for e, got := range s.run(t, spread[1], a, m, c) {
			row, column := int64(uint32(e)/s.N%s.M), int64(uint32(e)%s.N)
			at, block, inBlock, outside, skipped := x.place(row, column, int64(s.N), false)
			w := uint32(3*block[0] + 5*inBlock[len(inBlock)-1])
			first, second := int64(members[0].Width/8), int64(members[1].Width/8)
			largest := max(first, second)
			by := at*((first+second+largest-1)/largest*largest) + first
			if members[1].Width == 0 {
				w += c.bits[1]
			} else if by/4 < int64(len(c.bits)) {
				unused := 32 - members[1].Width
				w += uint32(int32(c.bits[by/4]>>(by%4*8)<<unused) >> unused)
			}
			switch {
			case skipped:
				w = want.bits[e]
			case outside:
				w = x.clamp
			}
			if got != w {
				t.Fatalf("%d, %v, %+v: element %d, %d is %#x, not %#x", seed, spread, x, row, column, got, w)
			}
		}
	}
}

// decoder declares a function that adds the second member of a block, or of an array in it, three times
// the first coordinate of the block and five times the last one in it.
func decoder(b *matrixBuilder, dimensions uint32, keeps bool, members [2]spirv.Component) uint32 {
	word, second := b.component(spirv.Signed32), uint32(0)
	d, size, block := &builder{}, members[1].Width/8, uint32(0)
	if size == 0 {
		second, size = word, 4
		array := b.declare(spirv.OpTypeRuntimeArray, word)
		block = b.declare(spirv.OpTypeStruct, array)
		d.add(spirv.OpDecorate, array, uint32(spirv.DecorationArrayStride), 4)
	} else {
		second = b.component(members[1])
		block = b.declare(spirv.OpTypeStruct, b.component(members[0]), second)
		d.add(spirv.OpMemberDecorate, block, 1, uint32(spirv.DecorationOffset), members[0].Width/8)
	}
	d.add(spirv.OpDecorate, block, uint32(spirv.DecorationBlock))
	d.add(spirv.OpMemberDecorate, block, 0, uint32(spirv.DecorationOffset), 0)
	b.deferred = append(b.deferred, d.words...)
	pointer := func(t uint32) uint32 {
		return b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassPhysicalStorageBuffer), t)
	}
	array := b.declare(spirv.OpTypeArray, b.word, b.constant(dimensions))
	to := pointer(block)
	return b.function(word, []uint32{to, array, array}, func(f *builder, x []uint32) uint32 {
		p := x[0]
		if keeps {
			v := b.id()
			f.add(spirv.OpVariable, b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassFunction), to),
				v, uint32(spirv.StorageClassFunction))
			d := &builder{}
			d.add(spirv.OpDecorate, v, uint32(spirv.DecorationAliasedPointer))
			b.deferred = append(b.deferred, d.words...)
			f.add(spirv.OpStore, v, p)
			p = b.op(spirv.OpLoad, to, v)
		}
		index := []uint32{b.constant(1)}
		if members[1].Width == 0 {
			index = []uint32{b.constant(0), b.constant(1)}
		}
		q := b.op(spirv.OpAccessChain, pointer(second), append([]uint32{p}, index...)...)
		sum := b.op(spirv.OpLoad, second, q, 2, size)
		if second != word {
			sum = b.op(spirv.OpSConvert, word, sum)
		}
		times := func(k, x, i uint32) {
			c := b.op(spirv.OpCompositeExtract, b.word, x, i)
			c = b.op(spirv.OpIMul, word, c, b.declare(spirv.OpConstant, word, k))
			sum = b.op(spirv.OpIAdd, word, sum, c)
		}
		times(3, x[1], 0)
		times(5, x[2], dimensions-1)
		return sum
	})
}

// Tensors that there are not.
func TestTensor_Wrong(t *testing.T) {
	type body func(b *matrixBuilder, product uint32)
	layout := func(b *matrixBuilder, n, mode uint32) uint32 {
		return b.declare(spirv.OpTypeTensorLayoutNV, b.constant(n), b.constant(mode))
	}
	for name, c := range map[string]struct {
		want string
		body body
	}{
		"six dimensions": {"a tensor without 1 to 5 dimensions", func(b *matrixBuilder, product uint32) {
			b.op(spirv.OpCreateTensorLayoutNV, layout(b, 6, 0))
		}},
		"a mode": {"with a clamp mode or a permutation", func(b *matrixBuilder, product uint32) {
			b.op(spirv.OpCreateTensorLayoutNV, layout(b, 1, 5))
		}},
		"a permutation": {"permutation that does not exist", func(b *matrixBuilder, product uint32) {
			boolean := b.declare(spirv.OpTypeBool)
			b.declare(spirv.OpTypeTensorViewNV, b.constant(2), b.declare(spirv.OpConstantNull, boolean),
				b.constant(1), b.constant(1))
		}},
		"too few sizes": {"1 operands for a tensor of 2 dimensions", func(b *matrixBuilder, product uint32) {
			t := layout(b, 2, 0)
			l := b.op(spirv.OpCreateTensorLayoutNV, t)
			b.op(spirv.OpTensorLayoutSetDimensionNV, t, l, b.constant(4))
		}},
		"another layout": {"operand 0 is tensor layout", func(b *matrixBuilder, product uint32) {
			l := b.op(spirv.OpCreateTensorLayoutNV, layout(b, 2, 0))
			b.op(spirv.OpTensorLayoutSetDimensionNV, layout(b, 1, 0), l, b.constant(4))
		}},
		"a layout in a buffer": {"storage class", func(b *matrixBuilder, product uint32) {
			b.declare(spirv.OpTypePointer, uint32(spirv.StorageClassStorageBuffer), layout(b, 2, 0))
		}},
		"a layout as a number": {"not for cooperative matrices", func(b *matrixBuilder, product uint32) {
			l := b.op(spirv.OpCreateTensorLayoutNV, layout(b, 2, 0))
			b.op(spirv.OpConvertUToPtr, b.word, l)
		}},
		"no layout": {"the layout is", func(b *matrixBuilder, product uint32) {
			b.op(spirv.OpCooperativeMatrixLoadTensorNV, b.result, b.summand, product, product, 0, 0)
		}},
		"a store that decodes": {"is the result of OpFunction", func(b *matrixBuilder, product uint32) {
			l := b.op(spirv.OpCreateTensorLayoutNV, layout(b, 2, 0))
			b.add(spirv.OpCooperativeMatrixStoreTensorNV, b.summand, product, l, 0,
				spirv.TensorOperandDecode, decoder(b, 2, false, blocks[0]))
		}},
		"coordinates of another tensor": {"a parameter of 3 coordinates", func(b *matrixBuilder,
			product uint32) {
			l := b.op(spirv.OpCreateTensorLayoutNV, layout(b, 2, 0))
			b.op(spirv.OpCooperativeMatrixLoadTensorNV, b.result, b.summand, product, l, 0,
				spirv.TensorOperandDecode, decoder(b, 3, false, blocks[0]))
		}},
	} {
		s, _, _, _, _ := integerShader(rand.New(rand.NewPCG(1, 1)), scopeWorkgroup, 8, [3]uint32{16, 16, 16})
		s.extra = append(append(s.extra, tensorCapabilities...), spirv.CapabilityCooperativeMatrixBlockLoadsNV,
			spirv.CapabilityPhysicalStorageBufferAddresses)
		s.body = func(b *matrixBuilder, product, acc uint32) uint32 {
			c.body(b, product)
			return product
		}
		m, err := spirv.Parse(s.module())
		if err == nil {
			_, err = lower.Compile(m, "main", lower.Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
