package spirv

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "lower", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, name string) *Module {
	t.Helper()
	m, err := ParseBytes(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParse_BothByteOrders(t *testing.T) {
	data := read(t, "basic.frag.spv")
	m := parse(t, "basic.frag.spv")
	swapped := make([]byte, len(data))
	for i := 0; i < len(data); i += 4 {
		binary.BigEndian.PutUint32(swapped[i:], binary.LittleEndian.Uint32(data[i:]))
	}
	n, err := ParseBytes(swapped)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Functions) != 1 || len(n.Functions) != 1 || len(m.Functions[0].Blocks) != len(n.Functions[0].Blocks) || m.Bound != n.Bound {
		t.Errorf("the two readings differ")
	}
}

// asm builds a module from words; each instruction is opcode and operands.
func asm(insts ...[]uint32) []uint32 {
	words := []uint32{Magic, 0x00010000, 0, 100, 0}
	for _, in := range insts {
		words = append(words, uint32(len(in))<<16|in[0])
		words = append(words, in[1:]...)
	}
	return words
}

var (
	shader     = []uint32{uint32(OpCapability), uint32(CapabilityShader)}
	model      = []uint32{uint32(OpMemoryModel), 0, 1}
	void       = []uint32{uint32(OpTypeVoid), 1}
	fnType     = []uint32{uint32(OpTypeFunction), 2, 1}
	boolType   = []uint32{uint32(OpTypeBool), 3}
	yes        = []uint32{uint32(OpConstantTrue), 3, 4}
	fnBegin    = []uint32{uint32(OpFunction), 1, 5, 0, 2}
	fnEnd      = []uint32{uint32(OpFunctionEnd)}
	ret        = []uint32{uint32(OpReturn)}
	label10    = []uint32{uint32(OpLabel), 10}
	label11    = []uint32{uint32(OpLabel), 11}
	branch11   = []uint32{uint32(OpBranch), 11}
	mainHeader = [][]uint32{shader, model, void, fnType, boolType, yes}
)

func withMain(body ...[]uint32) []uint32 {
	list := append([][]uint32(nil), mainHeader...)
	list = append(list, fnBegin)
	list = append(list, body...)
	return asm(append(list, fnEnd)...)
}

// undeclared is a module that has a variable of one stage with a built-in, whose
// capability it does not declare.
func undeclared(stage ExecutionModel, b BuiltIn) []uint32 {
	class, modes := StorageClassOutput, [][]uint32(nil)
	if stage == ExecutionModelFragment {
		class, modes = StorageClassInput, [][]uint32{
			{uint32(OpExecutionMode), 5, uint32(ExecutionModeOriginUpperLeft)},
			{uint32(OpDecorate), 8, uint32(DecorationFlat)},
		}
	}
	list := [][]uint32{shader, model, {uint32(OpEntryPoint), uint32(stage), 5, 'm', 8}}
	list = append(append(list, modes...), []uint32{uint32(OpDecorate), 8, uint32(DecorationBuiltIn), uint32(b)},
		[]uint32{uint32(OpTypeInt), 6, 32, 1}, []uint32{uint32(OpTypePointer), 7, uint32(class), 6}, []uint32{uint32(OpVariable), 7, 8, uint32(class)},
		void, fnType, fnBegin, label10, ret, fnEnd)
	return asm(list...)
}

// Fragment shaders of Mesa's zink read these so: the second where it blits samples.
func TestParse_FragmentReadsBuiltInsWithoutCapability(t *testing.T) {
	for _, b := range []BuiltIn{BuiltInViewportIndex, BuiltInSampleId} {
		if _, err := Parse(undeclared(ExecutionModelFragment, b)); err != nil {
			t.Errorf("%v: %v", b, err)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	ok := withMain(label10, ret)
	if _, err := Parse(ok); err != nil {
		t.Fatal(err)
	}
	change := func(i int, v uint32) []uint32 {
		w := append([]uint32(nil), ok...)
		w[i] = v
		return w
	}
	for _, c := range []struct {
		name, want string
		words      []uint32
	}{
		{"empty", "header", nil},
		{"magic", "magic number", change(0, 1)},
		{"version 1.7", "version", change(1, 0x10700)},
		{"bound 0", "bound", change(3, 0)},
		{"bound too large", "bound", change(3, MaxBound+1)},
		{"schema", "schema", change(4, 1)},
		{"word count 0", "word count", change(5, uint32(OpCapability))},
		{"truncated", "word count", ok[:len(ok)-3]},
		{"unknown opcode", "unsupported instruction", asm(shader, []uint32{0xFFF0})},
		{"vendor opcode", "OpTypeRayQueryKHR", asm(shader, []uint32{4472, 9})},
		{"capability", "Kernel", asm(shader, []uint32{uint32(OpCapability), uint32(CapabilityKernel)})},
		{"no shader", "Shader", asm(model)},
		{"defined twice", "defined twice", asm(shader, model, void, void)},
		{"never defined", "never defined", withMain(label10, []uint32{uint32(OpBranch), 40})},
		{"id outside bound", "outside the bound", asm(shader, []uint32{uint32(OpTypeVoid), 100})},
		{"extra operand", "left", asm(shader, []uint32{uint32(OpTypeVoid), 1, 7})},
		{"missing operand", "missing", asm(shader, []uint32{uint32(OpTypeInt), 1})},
		{"type not declared", "not a type", asm(shader, []uint32{uint32(OpConstantTrue), 3, 4})},
		{"vector of 5", "vector", asm(shader, model, []uint32{uint32(OpTypeFloat), 6, 32}, []uint32{uint32(OpTypeVector), 7, 6, 5})},
		{"string without end", "string", asm(shader, []uint32{uint32(OpName), 1, 0x41414141})},
		{"no terminator", "terminator", withMain(label10)},
		{"no function end", "OpFunctionEnd", asm(shader, model, void, fnType, fnBegin, label10, ret)},
		{"instruction outside a block", "outside a block", withMain(ret)},
		{"switch without merge", "OpSelectionMerge", withMain(label10, []uint32{uint32(OpSwitch), 4, 11}, label11, ret)},
		{"back edge without merge", "OpLoopMerge", withMain(label10, branch11, label11, branch11)},
		{"branch to the entry block", "entry block", withMain(label10, []uint32{uint32(OpBranch), 10})},
		{"out of order", "after its section", withMain(label10, ret, []uint32{uint32(OpFunctionEnd)}, []uint32{uint32(OpTypeBool), 20})},
		{"no memory model", "before OpMemoryModel", asm(shader, void)},
		{"enumerant", "no value", asm(shader, model, []uint32{uint32(OpTypePointer), 6, 1000, 1})},
		{"capability of an instruction", "OpEmitVertex: the instruction needs the capability Geometry", withMain(label10, []uint32{uint32(OpEmitVertex)}, ret)},
		{"capability of a built-in", "needs the capability MultiViewport", undeclared(ExecutionModelVertex, BuiltInViewportIndex)},
		{"capability of a built-in without a stage", "needs the capability MultiViewport", asm(shader, model, []uint32{uint32(OpDecorate), 1, uint32(DecorationBuiltIn), uint32(BuiltInViewportIndex)})},
		{"capability of an enumerant", "needs the capability Tessellation", asm(shader, model, void, []uint32{uint32(OpDecorate), 1, uint32(DecorationPatch)})},
		{"width", "does not declare the capability", asm(shader, model, []uint32{uint32(OpTypeInt), 6, 64, 0})},
		{"decoration of a type", "variables and parameters", asm(shader, model, []uint32{uint32(OpDecorate), 1, uint32(DecorationFlat)}, void)},
		{"type as an operand", "the result of OpTypeBool", withMain(label10, []uint32{uint32(OpLogicalNot), 3, 20, 3}, ret)},
		{"label as an operand", "the result of OpLabel", withMain(label10, []uint32{uint32(OpLogicalNot), 3, 20, 10}, ret)},
		{"another shape", "the result type is void", withMain(label10, []uint32{uint32(OpLogicalNot), 1, 20, 4}, ret)},
		{"entry point is no function", "not a function", asm(shader, model, []uint32{uint32(OpEntryPoint), 4, 1, 0x6D}, void)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.words)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; want one that says %q", err, c.want)
			}
			if e != nil && e.Rule == "" {
				t.Error("the error cites no rule")
			}
		})
	}
}

// A module with several faults is refused for the same one each time.
func TestParse_SameErrorEachTime(t *testing.T) {
	const nothing = 0 // a name without bytes
	names, decorations, sets := [][]uint32{shader, model}, [][]uint32{shader, model}, [][]uint32{shader}
	main := [][]uint32{void, fnType, boolType, yes}
	for id := range uint32(8) {
		names = append(names, []uint32{uint32(OpMemberName), 20 + id, 0, nothing})
		decorations = append(decorations, []uint32{uint32(OpMemberDecorate), 20 + id, 0, uint32(DecorationFlat)})
		sets = append(sets, []uint32{uint32(OpExtInstImport), 40 + id, 0x61 + id})
		main = append(main, []uint32{uint32(OpConstantTrue), 3, 20 + id}) // no structure
	}
	main = append(main, fnBegin, label10, ret, fnEnd)
	for name, head := range map[string][][]uint32{"names": names, "decorations": decorations, "sets": append(sets, model)} {
		first := ""
		for range 40 {
			_, err := Parse(asm(append(head[:len(head):len(head)], main...)...))
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			if first == "" {
				first = err.Error()
			}
			if err.Error() != first {
				t.Fatalf("%s: %v, and before %s", name, err, first)
			}
		}
	}
}

func TestParse_NamesMayHoldAnyBytes(t *testing.T) {
	name := []uint32{uint32(OpName), 1, 0x00FFFE41}
	if _, err := Parse(asm(append([][]uint32{shader, model, name, void, fnType, fnBegin, label10}, ret, fnEnd)...)); err != nil {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	if _, err := Parse(asm(shader, []uint32{uint32(OpExtension), 0x00FFFE41}, model)); err == nil {
		t.Error("an extension whose name is not UTF-8 is accepted")
	}
}

func TestReflect_BasicPair(t *testing.T) {
	m := parse(t, "basic.frag.spv")
	r, err := m.Reflect(m.EntryPoint("main"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Descriptors) != 2 || r.Descriptors[0].Kind != DescriptorCombinedImageSampler || r.Descriptors[0].Image.Image.Dim != Dim2D ||
		r.Descriptors[1].Kind != DescriptorUniformBuffer || r.Descriptors[1].Binding != 1 {
		t.Errorf("descriptors %+v", r.Descriptors)
	}
	if len(r.Inputs) != 3 || len(r.Outputs) != 1 {
		t.Errorf("inputs %+v, outputs %+v", r.Inputs, r.Outputs)
	}
	v := parse(t, "basic.vert.spv")
	rv, err := v.Reflect(v.EntryPoint("main"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if rv.PushBytes != 80 {
		t.Errorf("push bytes %d, want 80", rv.PushBytes)
	}
}

func TestReflect_Compute_SpecializationAndLayout(t *testing.T) {
	m := parse(t, "layout.comp.spv")
	r, err := m.Reflect(m.EntryPoint("main"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.LocalSize != [3]uint32{64, 1, 1} || r.PushBytes != 20 {
		t.Errorf("local size %v, push bytes %d", r.LocalSize, r.PushBytes)
	}
	want := map[uint32]uint32{3: 5, 4: 0, 5: 0x40000000}
	if len(r.SpecConstants) != len(want) {
		t.Errorf("specialization constants %+v", r.SpecConstants)
	}
	for _, s := range r.SpecConstants {
		if want[s.SpecID] != s.Default {
			t.Errorf("constant %d is %#x, want %#x", s.SpecID, s.Default, want[s.SpecID])
		}
	}
	var counts []uint32
	for _, d := range r.Descriptors {
		counts = append(counts, d.Count)
	}
	if len(counts) != 4 || counts[0]+counts[1]+counts[2]+counts[3] != 5 {
		t.Errorf("descriptor counts %v, want one array of 2", counts)
	}
	if _, err := m.EvaluateConstants(map[uint32][]byte{3: {1}}); err == nil {
		t.Error("a specialization of one byte is accepted")
	}
}

func TestConstants_SpecOp(t *testing.T) {
	for _, c := range []struct {
		op         Op
		a, b, want uint32
	}{
		{OpIAdd, 3, 4, 7}, {OpISub, 3, 4, 0xFFFFFFFF}, {OpSDiv, 0x80000000, 0xFFFFFFFF, 0x80000000}, {OpUDiv, 7, 0, 0},
		{OpSMod, 0xFFFFFFFB, 3, 1}, {OpSRem, 0xFFFFFFFB, 3, 0xFFFFFFFE}, {OpUMod, 7, 4, 3}, {OpShiftRightArithmetic, 0x80000000, 4, 0xF8000000},
		{OpShiftLeftLogical, 1, 33, 2}, {OpLogicalNot, 1, 0, 0}, {OpSLessThan, 0xFFFFFFFF, 0, 1}, {OpULessThan, 0xFFFFFFFF, 0, 0},
	} {
		t32 := &Type{Kind: KindInt, Width: 32}
		if got, ok := scalarOp(c.op, uint64(c.a), uint64(c.b), t32, t32, floatModes{}); !ok || got != uint64(c.want) {
			t.Errorf("%v(%#x, %#x) = %#x, want %#x", c.op, c.a, c.b, got, c.want)
		}
	}
}

func TestConstants_SpecOp_OtherWidths(t *testing.T) {
	i8, i16, i64 := &Type{Kind: KindInt, Width: 8}, &Type{Kind: KindInt, Width: 16}, &Type{Kind: KindInt, Width: 64}
	f16, f32, f64 := &Type{Kind: KindFloat, Width: 16}, &Type{Kind: KindFloat, Width: 32}, &Type{Kind: KindFloat, Width: 64}
	for _, c := range []struct {
		op         Op
		from, to   *Type
		a, b, want uint64
	}{
		{OpIAdd, i8, i8, 200, 100, 44}, {OpSDiv, i8, i8, 0x80, 0xFF, 0x80}, {OpSConvert, i8, i64, 0xFE, 0, 0xFFFFFFFFFFFFFFFE}, {OpUConvert, i64, i16, 0x12345678, 0, 0x5678},
		{OpIMul, i64, i64, 1 << 40, 1 << 20, 1 << 60}, {OpShiftLeftLogical, i64, i64, 1, 63, 1 << 63}, {OpSLessThan, i16, &Type{Kind: KindBool}, 0x8000, 1, 1},
		{OpFConvert, f16, f64, 0x3E00, 0, 0x3FF8 << 48}, {OpSMod, i64, i64, 1 << 63, 0xFFFFFFFFFFFFFFFF, 0},
		{OpQuantizeToF16, f32, f32, 0x3FC01000, 0, 0x3FC00000}, {OpQuantizeToF16, f32, f32, 0x47800000, 0, 0x7F800000}, {OpQuantizeToF16, f32, f32, 0xC7000000, 0, 0xC7000000},
	} {
		if got, ok := scalarOp(c.op, c.a, c.b, c.from, c.to, floatModes{}); !ok || got != c.want {
			t.Errorf("%v %v(%#x, %#x) = %#x, want %#x", c.op, c.from, c.a, c.b, got, c.want)
		}
	}
}

// Any operation on any constants, with operands that are missing or too many, has a
// value or an error.
func TestConstants_SpecOp_AnyOperands(t *testing.T) {
	const u32, f32, u64, boolean, vec2, array, empty, pair = 20, 21, 22, 3, 23, 24, 25, 26
	const first, last = 30, 38 // constants
	base := [][]uint32{
		shader, {uint32(OpCapability), uint32(CapabilityInt64)}, model, void, fnType, boolType, yes,
		{uint32(OpTypeInt), u32, 32, 0}, {uint32(OpTypeFloat), f32, 32}, {uint32(OpTypeInt), u64, 64, 0}, {uint32(OpTypeVector), vec2, u32, 2},
		{uint32(OpConstant), u32, first, 2}, {uint32(OpTypeArray), array, u32, first}, {uint32(OpTypeStruct), empty}, {uint32(OpTypeStruct), pair, u32, vec2},
		{uint32(OpConstant), f32, 31, 0x3F800000}, {uint32(OpConstant), u64, 32, 5, 1}, {uint32(OpConstantComposite), vec2, 33, first, first},
		{uint32(OpConstantNull), array, 34}, {uint32(OpConstantNull), empty, 35}, {uint32(OpConstantComposite), pair, 36, first, 33},
		{uint32(OpConstantTrue), boolean, 37}, {uint32(OpUndef), u64, last},
	}
	arguments := []uint32{0, 1, 2, math.MaxUint32, 99}
	for id := uint32(first); id <= last; id++ {
		arguments = append(arguments, id)
	}
	evaluated, refused := 0, 0
	r := rand.New(rand.NewPCG(5, 2))
	for round := range 3000 {
		op := []Op{OpCompositeExtract, OpCompositeInsert, OpVectorShuffle, OpSelect, OpIAdd, OpUConvert, OpFConvert, OpShiftLeftLogical, OpBitcast, Op(r.IntN(420))}[round%10]
		in := []uint32{uint32(OpSpecConstantOp), []uint32{u32, f32, u64, boolean, vec2, array, empty, pair}[r.IntN(8)], 50, uint32(op)}
		for range r.IntN(6) {
			in = append(in, arguments[r.IntN(len(arguments))])
		}
		m, err := Parse(asm(append(slices.Clone(base), in, fnBegin, label10, ret, fnEnd)...))
		if err == nil {
			_, err = m.EvaluateConstants(nil)
		}
		if err == nil {
			evaluated++
			continue
		}
		refused++
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%v %d: error of type %T: %v", op, in, err, err)
		}
	}
	if evaluated < 30 || refused < 1000 {
		t.Errorf("%d evaluated, %d refused: the test reaches too little", evaluated, refused)
	}
}

// Entry points of one function share its execution modes, which neither multiply nor
// take time for each pair; nor do their names.
func TestParse_ManyEntryPointsOfOneFunction(t *testing.T) {
	module := func(entries, modes int) []uint32 {
		list := [][]uint32{shader, model}
		for i := range entries {
			name := uint32(33 + i%90 | (33+i/90%90)<<8 | (33+i/(90*90))<<16)
			list = append(list, []uint32{uint32(OpEntryPoint), uint32(ExecutionModelGLCompute), 5, name})
		}
		for range modes {
			list = append(list, []uint32{uint32(OpExecutionMode), 5, uint32(ExecutionModeLocalSize), 1, 1, 1})
		}
		return asm(append(list, void, fnType, fnBegin, label10, ret, fnEnd)...)
	}
	m, err := Parse(module(1000, 1000))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.EntryPoints[0].Modes, m.EntryPoints[999].Modes; len(a) != 1000 || &a[0] != &b[0] {
		t.Errorf("%d and %d modes, each its own", len(a), len(b))
	}
	if _, err := Parse(module(3000, 3000)); err == nil || !strings.Contains(err.Error(), "execution modes") {
		t.Errorf("3000 entry points of 3000 modes: %v", err)
	}
	if _, err := Parse(module(20_000, 0)); err != nil {
		t.Errorf("20,000 entry points: %v", err)
	}
}

// Structures of structures of nothing have no size that could bound them: their parts
// are counted. With offsets they may even all lie in one place.
func TestParse_StructuresThatDouble(t *testing.T) {
	for name, base := range map[string][][]uint32{
		"of nothing": {{uint32(OpTypeStruct), 20}},
		"of numbers": {{uint32(OpTypeInt), 19, 32, 0}, {uint32(OpTypeStruct), 20, 19}},
	} {
		for n, ok := range map[uint32]bool{12: true, 60: false} {
			list := [][]uint32{shader, model}
			var types [][]uint32
			for i := range n {
				types = append(types, []uint32{uint32(OpTypeStruct), 21 + i, 20 + i, 20 + i})
				for k := range uint32(2) {
					list = append(list, []uint32{uint32(OpMemberDecorate), 21 + i, k, uint32(DecorationOffset), 0})
				}
			}
			list = append(append(append(list, void, fnType), base...), types...)
			list = append(list, []uint32{uint32(OpConstantNull), 20 + n, 90}, fnBegin, label10, ret, fnEnd)
			m, err := Parse(asm(list...))
			if err == nil {
				_, err = m.EvaluateConstants(nil)
			}
			if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "65536") {
				t.Errorf("structures %s, doubled %d times: %v", name, n, err)
			}
		}
	}
}

// Pointers can lead to one another in circles, which messages do not follow.
func TestType_String_PointersInCircles(t *testing.T) {
	const physical = uint32(StorageClassPhysicalStorageBuffer)
	for name, between := range map[string][]uint32{
		"pointers": {uint32(OpTypePointer), 21, physical, 20}, "arrays": {uint32(OpTypeRuntimeArray), 21, 20},
	} {
		list := [][]uint32{
			shader, {uint32(OpCapability), uint32(CapabilityPhysicalStorageBufferAddresses)}, {uint32(OpMemoryModel), 5348, 1},
			void, fnType, {uint32(OpTypeForwardPointer), 20, physical}, between, {uint32(OpTypePointer), 20, physical, 21},
			fnBegin, label10, ret, fnEnd,
		}
		m, err := Parse(asm(list...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s := m.Type(20).String(); len(s) > 200 || !strings.HasPrefix(s, "pointer to ") {
			t.Errorf("%s: %q", name, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../lower/testdata/*.spv")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(read(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseBytes(data)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		for _, e := range m.EntryPoints {
			m.Reflect(e, nil)
		}
		if n := len(m.ImageFaults(ImageRules{})); n > 2*maxImageFaults {
			t.Errorf("%d faults", n)
		}
	})
}
