//go:build outside

package lower_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

// TestOutside_SpirvVal_Agrees compares our verdict on modules with that of spirv-val. PUMICE_MUTANTS asks for
// another number of mutants a module, PUMICE_MUTANTS_DIR for a folder that gets those with two verdicts.
func TestOutside_SpirvVal_Agrees(t *testing.T) {
	tool := outside.Tool{Name: "spirv-val", Debian: "spirv-tools", Why: "which modules are refused"}
	path := tool.Path(t)
	said := func(words []uint32) (bool, string) {
		cmd := exec.Command(path, "--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout", "-")
		cmd.Stdin = bytes.NewReader(bytesOf(words))
		out, err := cmd.CombinedOutput()
		return err == nil, string(out)
	}
	n := 6
	if v, err := strconv.Atoi(os.Getenv("PUMICE_MUTANTS")); err == nil {
		n = v
	}
	old, r := outside.ReadRecord(t, recordedVerdicts), tool.NewRecord(path)
	version := regexp.MustCompile(`\d{4}\.\d+`).FindString(r.Tool)
	var a agreement
	for _, s := range subjects(t) {
		verdicts := "0"
		if ok, message := said(s.words); !ok { // an older tool does not know all that modules here hold
			t.Logf("not compared: %s: %s", s.path, strings.TrimSpace(message))
		} else {
			if err := accepts(s.words); err != nil {
				t.Errorf("spirv-val accepts %s: %v", s.path, err)
			}
			verdicts = "1"
			for k, w := range s.mutants(n) {
				ours := accepts(w)
				theirs, message := said(w)
				a.add(ours, theirs, message)
				if theirs {
					verdicts += "1"
				} else {
					verdicts += "0"
				}
				if dir := os.Getenv("PUMICE_MUTANTS_DIR"); dir != "" && (ours == nil) != theirs {
					file := filepath.Join(dir, fmt.Sprintf("%s-%d.spv", filepath.Base(s.path), k))
					if err := os.WriteFile(file, bytesOf(w), 0o644); err != nil {
						t.Error(err)
					}
				}
			}
		}
		r.Values[s.path] = s.digest() + " " + version + " " + verdicts
		if was := old.Values[s.path]; strings.HasPrefix(was, s.digest()) { // it may be of a version that knows more
			r.Values[s.path] = was
		}
	}
	a.check(t)
	if outside.Recording() && !t.Failed() {
		r.Tool = "spirv-val: the module's digest, the version, the verdicts on it and on mutants; without this file all are recorded anew"
		r.Write(t, recordedVerdicts)
	}
}

// refused are modules of this repository that spirv-val does not take, in one version or another, and why they are here.
var refused = map[string]string{
	"conformance/testdata/shaders/memory/unsized.comp.spvasm.spv":            "a runtime array in a uniform block, which VK_EXT_shader_uniform_buffer_unsized_array allows: versions of before 2026 refuse it",
	"conformance/testdata/shaders/composite/long.comp.spvasm.spv":            "long vectors in subgroup operations: the tool knows those of cooperative vectors only",
	"conformance/testdata/shaders/control/hostile_dominance.comp.spvasm.spv": "is refused here, too",
	"conformance/testdata/shaders/control/hostile_order.comp.spvasm.spv":     "is refused here, too",
	"conformance/testdata/shaders/control/hostile_phi.comp.spvasm.spv":       "is refused here, too",
	"conformance/testdata/shaders/control/hostile_variable.comp.spvasm.spv":  "is refused here, too",
	"conformance/testdata/shaders/conversion/encodings.comp.spvasm.spv":      "OpNop between types, which has no meaning",
	"conformance/testdata/shaders/float/nanconstant.comp.spvasm.spv":         "OpNop between types, which has no meaning",
	"conformance/testdata/shaders/image/projarray.comp.spvasm.spv":           "is refused here, too",
	"conformance/testdata/shaders/image/projcube.comp.spvasm.spv":            "is refused here, too",
	"conformance/testdata/shaders/memory/untyped.comp.spvasm.spv":            "OpNop between types, which has no meaning",
	"conformance/testdata/shaders/special/fastmath.comp.spvasm.spv":          "a capability that Vulkan does not have (UniformDecoration), which says nothing of values",
	"conformance/testdata/rules/quads.spvasm.spv":                            "derivatives in mesh and task shaders, as SPV_KHR_compute_shader_derivatives has them: versions of before 2024 know compute alone",
	"conformance/testdata/shaders/special/modes.comp.spvasm.spv":             "a decoration that names itself: what compilers leave in modules is skipped",
	"internal/lower/testdata/bitfield.spvasm.spv":                            "bit fields of other widths than 32, as maintenance9 has them",
	"internal/lower/testdata/layout.comp.spv":                                "glslang 12 gives a function's array the stride of a buffer's (VUID-StandaloneSpirv-None-10684)",
	"internal/lower/testdata/modes.spvasm.spv":                               "OpUConvert to a signed type: the bits are the same",
	"internal/lower/testdata/nested.spvasm.spv":                              "matrices in arrays of arrays without MatrixStride, as naga wrote them",
	"internal/core/testdata/heap.comp.spvasm.spv":                            "OpNop between types, which has no meaning",
	"internal/lower/testdata/oddflow.spvasm.spv":                             "control flow at the edge of what is structured",
	"internal/lower/testdata/process.qcom.spv":                               "SPIR-V 1.0 with an extension that needs 1.4",
	"internal/lower/testdata/process2.qcom.spv":                              "SPIR-V 1.0 with an extension that needs 1.4",
	"internal/lower/testdata/small.comp.opt.spv":                             "arrays of arrays of blocks, which GLSL has and Vulkan does not",
	"internal/lower/testdata/small.comp.spv":                                 "arrays of arrays of blocks, which GLSL has and Vulkan does not",
	"internal/lower/testdata/strings.spvasm.spv":                             "a decoration that names itself: what compilers leave in modules is skipped",
	"internal/lower/testdata/switch64.spvasm.spv":                            "OpUConvert to a signed type: the bits are the same",
	"internal/lower/testdata/unsupported.spvasm.spv":                         "what is not supported, whether valid or not",
	"internal/lower/testdata/untyped.spvasm.spv":                             "OpNop between types, which has no meaning",
}

// Every module of this repository is valid for some version of Vulkan, or it is known why not.
func TestOutside_SpirvVal_TakesModules(t *testing.T) {
	tool := outside.Tool{Name: "spirv-val", Debian: "spirv-tools", Why: "the modules of this repository"}.Path(t)
	root, n := os.DirFS("../.."), 0
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".spv" {
			return err
		}
		module, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		n++
		message := ""
		if slices.ContainsFunc([]string{"vulkan1.3", "vulkan1.0", "vulkan1.1", "vulkan1.1spv1.4", "vulkan1.2", "vulkan1.4"}, func(env string) bool {
			cmd := exec.Command(tool, "--target-env", env, "--scalar-block-layout", "--workgroup-scalar-block-layout", "-")
			cmd.Stdin = bytes.NewReader(module)
			out, err := cmd.CombinedOutput()
			if message == "" {
				message = string(out)
			}
			return err == nil
		}) {
			return nil
		}
		switch reason := refused[path]; {
		case strings.Contains(message, "Invalid capability operand"):
			t.Logf("not compared: this spirv-val does not know what %s holds: %s", path, message)
		case reason == "":
			t.Errorf("%s: %s", path, message)
		default:
			t.Logf("%s (%s): %s", path, reason, message)
		}
		return nil
	})
	if err != nil || n < 300 {
		t.Errorf("%d modules, %v", n, err)
	}
}
