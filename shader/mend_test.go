package shader

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pumice-gpu/pumice/internal/spirv"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// in is an instruction.
func in(op spirv.Op, operands ...uint32) []uint32 {
	return append([]uint32{uint32(len(operands)+1)<<16 | uint32(op)}, operands...)
}

// module is SPIR-V 1.minor with an entry point.
func module(minor uint32, list ...[]uint32) []byte {
	words := []uint32{0x07230203, 1<<16 | minor<<8, 0, 100, 0}
	words = append(words, in(spirv.OpEntryPoint, 5, 60, 0x6D)...)
	for _, instruction := range list {
		words = append(words, instruction...)
	}
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// text is a module as lines, without its entry point.
func text(code []byte) string {
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	_, rest, _ := strings.Cut(dis.Text(words), "\n")
	return rest
}

const (
	inWorkgroup = uint32(spirv.StorageClassWorkgroup)
	inFunction  = uint32(spirv.StorageClassFunction)
	inPrivate   = uint32(spirv.StorageClassPrivate)
	inBuffer    = uint32(spirv.StorageClassStorageBuffer)

	stride, offset = uint32(spirv.DecorationArrayStride), uint32(spirv.DecorationOffset)
)

// sharing has %10, a structure of a number and of %9, an array of two numbers: variables of storage class a and b hold it, %20 and %21.
// The function loads %20 and stores to %21, then the other way round, and stores a constant to %20.
func sharing(minor, a, b uint32) []byte {
	return module(minor,
		in(spirv.OpName, 10, 0x53),
		in(spirv.OpMemberName, 10, 1, 0x76),
		in(spirv.OpDecorate, 9, stride, 4),
		in(spirv.OpMemberDecorate, 10, 0, offset, 0), in(spirv.OpMemberDecorate, 10, 1, offset, 4),
		in(spirv.OpTypeInt, 7, 32, 0), in(spirv.OpConstant, 7, 8, 2),
		in(spirv.OpTypeArray, 9, 7, 8), in(spirv.OpTypeStruct, 10, 7, 9),
		in(spirv.OpTypePointer, 11, a, 10), in(spirv.OpTypePointer, 12, b, 10), in(spirv.OpTypePointer, 13, a, 9),
		in(spirv.OpConstantNull, 9, 14), in(spirv.OpConstantComposite, 10, 15, 8, 14),
		in(spirv.OpVariable, 11, 20, a), in(spirv.OpVariable, 12, 21, b),
		in(spirv.OpLoad, 10, 30, 20), in(spirv.OpStore, 21, 30),
		in(spirv.OpLoad, 10, 31, 21), in(spirv.OpStore, 20, 31),
		in(spirv.OpStore, 20, 15),
		in(spirv.OpAccessChain, 13, 32, 20, 8), in(spirv.OpStore, 32, 14),
	)
}

// common is what sharing begins with once %9 and %10 have twins, for the storage class %20 has.
func common(class string) string {
	return strings.ReplaceAll(`OpName %101 "S"
OpName %10 "S"
OpMemberName %101 1 "v"
OpMemberName %10 1 "v"
OpDecorate %9 ArrayStride 4
OpMemberDecorate %10 0 Offset 0
OpMemberDecorate %10 1 Offset 4
%7 = OpTypeInt 32 0
%8 = OpConstant %7 2
%9 = OpTypeArray %7 %8
%100 = OpTypeArray %7 %8
%10 = OpTypeStruct %7 %9
%101 = OpTypeStruct %7 %100
%11 = OpTypePointer CLASS %101
%12 = OpTypePointer StorageBuffer %10
%13 = OpTypePointer CLASS %100
%14 = OpConstantNull %9
%102 = OpConstantNull %100
%15 = OpConstantComposite %10 %8 %14
%103 = OpConstantComposite %101 %8 %102
%20 = OpVariable %11 CLASS
%21 = OpVariable %12 StorageBuffer
`, "CLASS", class)
}

func TestMend_SharedTypesHaveATwin(t *testing.T) {
	logical := `%104 = OpLoad %101 %20
%30 = OpCopyLogical %10 %104
OpStore %21 %30
%31 = OpLoad %10 %21
%105 = OpCopyLogical %101 %31
OpStore %20 %105
OpStore %20 %103
%32 = OpAccessChain %13 %20 %8
OpStore %32 %102
`
	parts := `%104 = OpLoad %101 %20
%105 = OpCompositeExtract %7 %104 0
%107 = OpCompositeExtract %7 %104 1 0
%108 = OpCompositeExtract %7 %104 1 1
%106 = OpCompositeConstruct %9 %107 %108
%30 = OpCompositeConstruct %10 %105 %106
OpStore %21 %30
%31 = OpLoad %10 %21
%110 = OpCompositeExtract %7 %31 0
%112 = OpCompositeExtract %7 %31 1 0
%113 = OpCompositeExtract %7 %31 1 1
%111 = OpCompositeConstruct %100 %112 %113
%109 = OpCompositeConstruct %101 %110 %111
OpStore %20 %109
OpStore %20 %103
%32 = OpAccessChain %13 %20 %8
OpStore %32 %102
`
	for _, c := range []struct {
		name         string
		minor, class uint32
		want         string
	}{
		{"workgroup memory, SPIR-V 1.0", 0, inWorkgroup, common("Workgroup") + parts},
		{"workgroup memory, SPIR-V 1.3", 3, inWorkgroup, common("Workgroup") + parts},
		{"workgroup memory, SPIR-V 1.4", 4, inWorkgroup, common("Workgroup") + logical},
		{"a function's variables, SPIR-V 1.5", 5, inFunction, common("Function") + logical},
		{"an invocation's variables, SPIR-V 1.6", 6, inPrivate, common("Private") + logical},
		{"a function's variables, SPIR-V 1.4", 4, inFunction, ""}, // they may have a layout
		{"an invocation's variables, SPIR-V 1.0", 0, inPrivate, ""},
	} {
		before := sharing(c.minor, c.class, inBuffer)
		after, err := mend(before)
		if c.want == "" {
			c.want = text(before)
		}
		if diff := cmp.Diff(c.want, text(after)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
		if again, err := mend(after); err != nil || !slices.Equal(again, after) {
			t.Errorf("%s: a mended module changes (%v):\n%s", c.name, err, cmp.Diff(text(after), text(again)))
		}
	}
}

// A type that no buffer holds loses its layout; nothing else changes.
func TestMend_TypesOfWorkgroupsAloneLoseTheirLayout(t *testing.T) {
	before := sharing(0, inWorkgroup, inPrivate)
	want := slices.DeleteFunc(strings.SplitAfter(text(before), "\n"), func(line string) bool { return strings.Contains(line, "Decorate") })
	after, err := mend(before)
	if diff := cmp.Diff(strings.Join(want, ""), text(after)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Where workgroup memory may have a layout, it keeps it.
func TestMend_ExplicitLayoutsOfWorkgroupsStay(t *testing.T) {
	explicit := in(spirv.OpCapability, uint32(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR))
	before := append(module(4, explicit), sharing(4, inWorkgroup, inBuffer)[20:]...)
	if after, err := mend(before); err != nil || !slices.Equal(before, after) {
		t.Errorf("%v:\n%s", err, cmp.Diff(text(before), text(after)))
	}
}

func TestMend_Refuses(t *testing.T) {
	subgroup := in(spirv.OpCapability, uint32(spirv.CapabilityGroupNonUniformVote))
	large := func(n uint32) []byte { // an array of n numbers, copied four times a line
		code := sharing(0, inWorkgroup, inBuffer)
		binary.LittleEndian.PutUint32(code[indexOf(code, in(spirv.OpConstant, 7, 8, 2))+12:], n)
		return code
	}
	for _, c := range []struct {
		name string
		code []byte
		want error
	}{
		{"no entry point", module(0)[:20], errEntry},
		{"subgroups in SPIR-V 1.0", module(0, subgroup), errSubgroup},
		{"subgroups in SPIR-V 1.3", module(3, subgroup), nil},
		{"a large array", large(60_000), nil},
		{"an array of more parts than an instruction has", large(1 << 16), errCopies},
		{"no module", []byte{1, 2, 3}, nil},
	} {
		if _, err := mend(c.code); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// indexOf is where an instruction begins in a module.
func indexOf(code []byte, instruction []uint32) int {
	var b []byte
	for _, w := range instruction {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return strings.Index(string(code), string(b))
}
