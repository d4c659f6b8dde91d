package lower_test

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// SPV_KHR_relaxed_extended_instruction: instructions without semantics may name what
// comes after them, by an instruction of their own.
func TestExtInst_WithForwardRefs(t *testing.T) {
	data, err := os.ReadFile("testdata/forward.spvasm.spv")
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	var glsl, product uint32 // the last set that is imported, and a value that comes late
	for i := 20; i < len(data); i += 4 * int(binary.LittleEndian.Uint16(data[i+2:])) {
		switch spirv.Op(binary.LittleEndian.Uint16(data[i:])) {
		case spirv.OpExtInst:
			at = append(at, i)
		case spirv.OpExtInstImport:
			glsl = binary.LittleEndian.Uint32(data[i+4:])
		case spirv.OpIMul:
			product = binary.LittleEndian.Uint32(data[i+8:])
		}
	}
	copy(data[at[0]+20:][:4], data[at[1]+8:]) // the first names the second,
	binary.LittleEndian.PutUint32(data[at[2]+24:], product)
	if _, err := spirv.ParseBytes(data); err == nil || !strings.Contains(err.Error(), "dominate") {
		t.Errorf("by OpExtInst: %v", err)
	}
	for _, i := range []int{at[0], at[2]} {
		binary.LittleEndian.PutUint16(data[i:], uint16(spirv.OpExtInstWithForwardRefsKHR))
	}
	m, err := spirv.ParseBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Compile(m, "main", lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range runProgram(t, p, nil, make([]uint32, lanes), lanes, nil) {
		if v != uint32(3*i) {
			t.Fatalf("word %d: %d", i, v)
		}
	}
	// Sets with semantics have no such instructions.
	binary.LittleEndian.PutUint32(data[at[0]+12:], glsl)
	if _, err := spirv.ParseBytes(data); err == nil || !strings.Contains(err.Error(), "semantics") {
		t.Errorf("of GLSL.std.450: %v", err)
	}
}
