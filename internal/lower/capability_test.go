package lower_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// undeclared lists the capabilities that are accepted without a module of
// testdata, or of the corpus of package conformance, that declares them, and why lowering has nothing to do for them or
// which other module holds the instructions.
var undeclared = map[spirv.Capability]string{
	spirv.CapabilityUniformBufferArrayDynamicIndexing:           "caps.frag indexes so; glslang declares nothing",
	spirv.CapabilitySampledImageArrayDynamicIndexing:            "caps.frag indexes so; glslang declares nothing",
	spirv.CapabilityStorageBufferArrayDynamicIndexing:           "caps.frag indexes so; glslang declares nothing",
	spirv.CapabilityStorageImageArrayDynamicIndexing:            "caps.frag indexes so; glslang declares nothing",
	spirv.CapabilityShaderViewportIndexLayerEXT:                 "caps.vert writes both under the names of SPIR-V 1.5",
	spirv.CapabilityFragmentShaderSampleInterlockEXT:            "interlock.frag with another mode",
	spirv.CapabilityFragmentShaderShadingRateInterlockEXT:       "interlock.frag with another mode",
	spirv.CapabilityTileImageColorReadAccessEXT:                 "newer than the assembler; package render reads attachments so",
	spirv.CapabilityTileImageDepthReadAccessEXT:                 "newer than the assembler; package render reads attachments so",
	spirv.CapabilityTileImageStencilReadAccessEXT:               "newer than the assembler; package render reads attachments so",
	spirv.CapabilityDescriptorHeapEXT:                           "newer than the assembler; package core reads heaps so",
	spirv.CapabilityMatrix:                                      "implied by Shader",
	spirv.CapabilityFloat8CooperativeMatrixEXT:                  newerMatrices,
	spirv.CapabilityCooperativeMatrixNV:                         newerMatrices,
	spirv.CapabilityCooperativeMatrixReductionsEXT:              newerMatrices,
	spirv.CapabilityCooperativeMatrixConversionsNV:              newerMatrices,
	spirv.CapabilityCooperativeMatrixPerElementOperationsEXT:    newerMatrices,
	spirv.CapabilityCooperativeMatrixTensorAddressingNV:         newerMatrices,
	spirv.CapabilityCooperativeMatrixBlockLoadsNV:               newerMatrices,
	spirv.CapabilityTensorAddressingNV:                          newerMatrices,
	spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR: "the accesses of narrow.comp in the layout of small.comp",
	spirv.CapabilityUniformAndStorageBuffer16BitAccess:          "the accesses of narrow.comp",
}

const newerMatrices = "newer than the assembler; the modules of cooperative2_test.go and tensor_test.go declare it"

// The validator accepts a capability exactly if lowering can do it: each one
// accepted is declared by a module that compiles, or excused above.
func TestCapabilities_AcceptedAreCompiled(t *testing.T) {
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := filepath.Glob("../../conformance/testdata/shaders/*/*.spv")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[spirv.Capability]bool{}
	for _, f := range append(files, corpus...) {
		if strings.Contains(f, "unsupported") || strings.Contains(f, "hostile") {
			continue
		}
		if source, err := os.ReadFile(strings.TrimSuffix(f, ".spv")); err == nil && bytes.Contains(source, []byte("\n;! error ")) {
			continue // refused on purpose
		}
		code, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.ParseBytes(code)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		for _, e := range m.EntryPoints {
			if _, err := lower.Compile(m, e.Name, lower.Options{}); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
		for _, c := range m.Capabilities {
			declared[c] = true
		}
	}
	for c := range spirv.Capability(8192) {
		_, excused := undeclared[c]
		switch {
		case !c.Supported() && (declared[c] || excused):
			t.Errorf("%v is refused and has a module or an excuse", c)
		case c.Supported() && !declared[c] && !excused:
			t.Errorf("%v is accepted and nothing shows that it compiles", c)
		case declared[c] && excused:
			t.Errorf("%v needs no excuse: a module declares it", c)
		}
	}
}

// Programs that declare nothing of the kind ask for nothing of the kind.
func TestPrograms_PlainOnesAskForNothingMore(t *testing.T) {
	for _, name := range []string{"basic.vert", "basic.frag", "glsl.comp"} {
		p := compile(t, name, lower.Options{})
		if p.SubgroupSize != 0 || p.UsesAddresses || slices.ContainsFunc(p.Insts, func(in ir.Inst) bool {
			return in.Op == ir.OpWide || in.Op == ir.OpLoadMem || in.Op == ir.OpStoreMem || in.Op == ir.OpAtomicMem || in.Op == ir.OpGroup
		}) {
			t.Errorf("%s has operations that its source has no need of", name)
		}
	}
}
