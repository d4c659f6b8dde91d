//go:build outside

package shader_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/shader"
)

// validator is spirv-val.
var validator = outside.Tool{Name: "spirv-val", Debian: "spirv-tools", Why: "that modules are valid"}

// older are messages of versions that do not know what a module holds: a capability at all, or that Vulkan 1.2 has it
// (InputAttachmentArrayDynamicIndexing, up to 2025.1).
var older = regexp.MustCompile(`Unrecognized target env|Invalid capability operand|Capability InputAttachmentArrayDynamicIndexing is not allowed by Vulkan 1.2`)

// valid has spirv-val look at a module, for Vulkan 1.from and all later versions that it knows.
func valid(t *testing.T, tool, what string, from shader.Target, code []byte) {
	t.Helper()
	for minor := int(from - shader.Vulkan10); minor <= 4; minor++ {
		env := fmt.Sprintf("vulkan1.%d", minor)
		cmd := exec.Command(tool, "--target-env", env, "-")
		cmd.Stdin = bytes.NewReader(code)
		switch out, err := cmd.CombinedOutput(); {
		case err == nil:
		case older.Match(out):
			t.Logf("not compared: %s, for %s: %s", what, env, out)
		default:
			t.Errorf("%s, for %s: %s", what, env, out)
		}
	}
}

// spirv-val has nothing against what is made of the sources here.
func TestOutside_SpirvVal_TakesWhatIsCompiled(t *testing.T) {
	tool := validator.Path(t)
	r := validator.NewRecord(tool)
	compiled(t, func(key, _ string, target shader.Target, code []byte) { valid(t, tool, key, target, code) })
	if outside.Recording() && !t.Failed() {
		old, version := outside.ReadRecord(t, validated), regexp.MustCompile(`\d{4}\.\d+`).FindString(r.Tool)
		for _, d := range digests(t) {
			r.Values[d.Key] = d.Value + " " + version
			if was := old.Values[d.Key]; strings.HasPrefix(was, d.Value) { // it may be of a version that asks for more
				r.Values[d.Key] = was
			}
		}
		r.Tool = "spirv-val: the digests of modules that are valid, and the version; without this file all are recorded anew"
		r.Write(t, validated)
	}
}

// spirv-val has nothing against what is made of the GLSL of this repository, for every target that it can be compiled for.
// Sources of which the compiler warns that they are none for Vulkan are left out.
func TestOutside_SpirvVal_TakesTheRepositorysGLSL(t *testing.T) {
	tool := validator.Path(t)
	root, n := os.DirFS(".."), 0
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		stage, ok := shader.ParseStage(path.Ext(strings.TrimSuffix(file, ".glsl")))
		if err != nil || !ok || d.IsDir() {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		for target := shader.Vulkan10; target <= shader.Vulkan13; target++ {
			warned := false
			folder := path.Dir(file)
			code, err := compiler(t).Compile(context.Background(), string(source), shader.Options{
				Name: file, Stage: stage, Language: shader.GLSL, Target: target, Include: root, Folder: folder,
				Warn: func(d shader.Diagnostic) { warned = warned || strings.Contains(d.Message, "Vulkan only supports") },
			})
			if err != nil || warned { // it needs a later version, or other limits
				continue
			}
			n++
			valid(t, tool, fmt.Sprintf("%s, Vulkan 1.%d", file, target-shader.Vulkan10), target, code)
		}
		return nil
	})
	if err != nil || n < 800 {
		t.Errorf("%d modules, %v", n, err)
	}
}
