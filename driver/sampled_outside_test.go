//go:build linux && outside

package main_test

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:generate glslangValidator -V --target-env vulkan1.0 -o testdata/sampled.comp.spv testdata/sampled.comp

// TestOutside_Sampled_LikeAPeer samples whole images of noise, in [0, 1], on this driver and on
// lavapipe, where that is installed. Both round each of two weights, and the one
// between levels, to 8 bits or more: half a step each moves a result by at most that
// half step. A peer may also filter 8-bit formats in 8 bits, a code a step of the
// filter, and decode sRGB to within half a code. NEAREST may differ where a
// coordinate lies between two texels as far as its rounding can tell.
func TestOutside_Sampled_LikeAPeer(t *testing.T) {
	manifests, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	if len(manifests) == 0 {
		t.Skip("lavapipe is not installed (Debian's mesa-vulkan-drivers): sampling is not compared")
	}
	program := compiledForSystem(t, "sampled")
	ours, errs, err := onDriver(t, nil, program, "testdata")
	if err != nil || errs != "" {
		t.Fatalf("%v\n%s", err, errs)
	}
	cmd := exec.Command(program, "testdata")
	cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+manifests[0], "VK_ICD_FILENAMES="+manifests[0])
	cmd.Stderr = os.Stderr
	peer, err := cmd.Output()
	if err != nil {
		t.Fatalf("lavapipe: %v", err)
	}
	const places, samplers = 64 * 64, 12
	if len(ours) != len(peer) || len(ours) != 3*samplers*places*16 {
		t.Fatalf("%d and %d bytes", len(ours), len(peer))
	}
	for n := range 3 * samplers {
		format, filter := []string{"UNORM8", "SRGB8", "SFLOAT32"}[n/samplers], []string{"nearest", "linear", "linear, mip linear"}[n%3]
		worst, sum, apart := 0.0, 0.0, 0
		for i := range places * 4 {
			at := (n*places*4 + i) * 4
			a, b := float64(math.Float32frombits(binary.LittleEndian.Uint32([]byte(ours[at:at+4])))), float64(math.Float32frombits(binary.LittleEndian.Uint32(peer[at:])))
			d := math.Abs(a - b)
			worst, sum = max(worst, d), sum+d
			if d > 1./512 {
				apart++
			}
		}
		mean, share := sum/(places*4), float64(apart)/(places*4)
		bound := []float64{0, 4 * 0x1p-9, 6 * 0x1p-9}[n%3]
		switch n / samplers {
		case 0:
			bound += []float64{0, 2, 3}[n%3] / 255
		case 1:
			bound += 0.5 / 255
		}
		if n%3 == 0 && share > 1e-3 || n%3 != 0 && worst > bound {
			t.Errorf("%s, %s, address mode %d: off by %v, the bound is %v; %v of the components are apart", format, filter, n/3%4, worst, bound, share)
		}
		t.Logf("%s, %s, address mode %d: largest difference %.5f, mean %.6f, apart %.5f", format, filter, n/3%4, worst, mean, share)
	}
}
