//go:build linux && outside

package main_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

const validationLayer = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"

// compiledForSystem builds a client with the header and loader of the system.
func compiledForSystem(t *testing.T, name string) (program string) {
	t.Helper()
	outside.File(t, "/usr/include/vulkan/vulkan.h", "libvulkan-dev", "clients built with Vulkan's own header")
	return compiledWith(t, name, nil, "-lvulkan")
}

// checked asks for the validation layer, with checks of synchronization, and tells its version.
func checked(t *testing.T) (env []string) {
	t.Helper()
	text, err := os.ReadFile(outside.File(t, validationLayer, "vulkan-validationlayers", "the layer on our clients"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"api_version"`) {
			t.Logf("outside: VkLayer_khronos_validation: %s", strings.TrimSpace(line))
		}
	}
	return []string{"PUMICE_VALIDATE=1"}
}

// TestOutside_Clients: every client does on the system's loader, built with Vulkan's own header, what it does on ours;
// the validation layer finds nothing wrong with those that it listens to.
func TestOutside_Clients(t *testing.T) {
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			if h, err := os.ReadFile("/usr/include/vulkan/vulkan_core.h"); err == nil && !bytes.Contains(h, []byte(c.needs)) {
				t.Skipf("the system's header is older than %s", c.needs)
			}
			program := compiledForSystem(t, name)
			out := run(t, program, nil)
			if !c.checked {
				return
			}
			if ours := run(t, compiled(t, name), nil); out != ours && name != "commands" { // which tells times
				t.Errorf("%q, on the stand-in for a loader %q", out, ours)
			}
			t.Run("checked", func(t *testing.T) {
				again, errs, err := onDriver(t, checked(t), program, c.args...)
				if err != nil || again != out && name != "commands" {
					t.Errorf("%v, %q, without the layer %q", err, again, out)
				}
				if errs != "" {
					t.Logf("%s", errs)
				}
			})
		})
	}
}

// TestOutside_Layer_Hears: the layer tells of both mistakes of testdata/wrong.c, so silence elsewhere means something.
func TestOutside_Layer_Hears(t *testing.T) {
	_, errs, err := onDriver(t, checked(t), compiledForSystem(t, "wrong"), "testdata")
	heard := map[string]bool{}
	for line := range strings.Lines(errs) {
		if id, text, ok := strings.Cut(strings.TrimPrefix(line, "validation error: "), ": "); ok && !strings.HasPrefix(text, "pumice: ") {
			heard[id] = true
		}
	}
	if err == nil || !heard["VUID-vkCmdFillBuffer-dstOffset-00025"] || !heard["SYNC-HAZARD-WRITE-AFTER-WRITE"] {
		t.Errorf("%v\n%s", err, errs)
	}
}

// TestOutside_Faces: the scenes of conformance/faces on the system's loader, under the validation layer.
func TestOutside_Faces(t *testing.T) {
	for _, words := range sameBytes(t, compiledForSystem(t, "faces"), checked(t)...) {
		t.Log(words)
	}
}
