package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The same bits on every CPU: compilers for some of them join x*y + z into one
// operation with one rounding unless a conversion stands between. The assembly for
// such a CPU must have it only where the source says math.FMA.
func TestSameBits_NothingIsFused(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for another CPU")
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-gcflags=-S", "./internal/...", "./gltf/...", "./scene/...", "./imagefile/...", ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	fused := regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\tFN?M(ADD|SUB)[SD]\t`)
	sources := map[string][]string{}
	seen := map[string]bool{}
	joined := 0
	for _, m := range fused.FindAllStringSubmatch(string(out), -1) {
		joined++
		if seen[m[1]+m[2]] {
			continue
		}
		seen[m[1]+m[2]] = true
		file := strings.TrimPrefix(m[1], "github.com/pumice-gpu/pumice/")
		if sources[file] == nil {
			text, err := os.ReadFile(filepath.Join("..", file))
			if err != nil {
				t.Errorf("%s:%s has a fused operation, and there is no such file: %v", m[1], m[2], err)
				continue
			}
			sources[file] = strings.Split(string(text), "\n")
		}
		n := 0
		for _, d := range m[2] {
			n = 10*n + int(d-'0')
		}
		if line := sources[file][n-1]; !strings.Contains(line, "math.FMA(") {
			t.Errorf("%s:%d: a product and a sum are fused on other CPUs; convert the product: %s", file, n, strings.TrimSpace(line))
		}
	}
	if joined == 0 {
		t.Error("no math.FMA was seen: the assembly has another form than this test knows")
	}
}
