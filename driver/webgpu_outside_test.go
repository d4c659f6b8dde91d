//go:build linux && outside

package main_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/outside"
)

var deno = outside.Tool{Name: "deno", From: "npm install deno", Why: "WebGPU in a JavaScript runtime"}

// wgpuEnv hides windows from programs on wgpu.
var wgpuEnv = []string{"DISPLAY=", "WAYLAND_DISPLAY="}

// TestOutside_Deno is the task of testdata/wgpu in JavaScript.
func TestOutside_Deno(t *testing.T) {
	program := deno.Path(t)
	webGPUTask(t, []string{"DENO_WEBGPU_BACKEND=vulkan", "DENO_NO_UPDATE_CHECK=1"},
		program, "run", "--unstable-webgpu", "--allow-read", "--allow-write", "--no-config", "testdata/wgpu/deno.js", "testdata/wgpu/task/shader.wgsl")
}

// TestOutside_WebGPUInGo is the same in Go: on wgpu-native, and on a WebGPU that is written in Go.
func TestOutside_WebGPUInGo(t *testing.T) {
	download := exec.Command("go", "mod", "download")
	download.Dir = "testdata/wgpu"
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("the Go module proxy does not give what testdata/wgpu/go.mod names: %v\n%s", err, out)
	}
	for _, name := range []string{"native", "gogpu"} {
		t.Run(name, func(t *testing.T) {
			outside.Compiler(t) // wgpu-native is C's
			program := filepath.Join(t.TempDir(), name)
			build := exec.Command("go", "build", "-o", program, "./"+name)
			build.Dir = "testdata/wgpu"
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			webGPUTask(t, nil, program)
		})
	}
}

// TestOutside_WebGPUWithoutDriver runs the tests of the module webgpu, in which the same WebGPU runs
// on the Go API.
func TestOutside_WebGPUWithoutDriver(t *testing.T) {
	const folder = "../webgpu"
	download := exec.Command("go", "mod", "download")
	download.Dir = folder
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("the Go module proxy does not give what webgpu/go.mod names: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"vet", "-tags", "outside", "./..."},
		{"test", "-timeout", "20m", "-tags", "outside", "./..."},
	} {
		run := exec.Command("go", args...)
		run.Dir = folder
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// webGPUTask runs a program that does what testdata/wgpu/task says, and compares what it gives.
func webGPUTask(t *testing.T, env []string, program string, args ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out")
	out, errs, err := onDriver(t, append(wgpuEnv[:len(wgpuEnv):len(wgpuEnv)], env...), program, append(args, file)...)
	if err != nil || strings.Contains(errs, "pumice:") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if out != "adapter: Pumice (CPU)\n" {
		t.Errorf("it says %q", out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const numbers, size = 256, 64
	if len(data) != numbers*4+size*size*4 {
		t.Fatalf("%d bytes", len(data))
	}
	for i := range numbers {
		if got, want := binary.LittleEndian.Uint32(data[4*i:]), collatz(i+1); got != want {
			t.Errorf("%d takes %d steps, want %d", i+1, got, want)
		}
	}
	got := &image.RGBA{Pix: data[numbers*4:], Stride: size * 4, Rect: image.Rect(0, 0, size, size)}
	keep(t, "webgpu", got)
	if want := slope(size); !bytes.Equal(got.Pix, want.Pix) {
		for i := 0; i < len(got.Pix); i += 4 {
			if g, w := got.Pix[i:i+4], want.Pix[i:i+4]; !bytes.Equal(g, w) {
				t.Fatalf("pixel (%d, %d) is %v, want %v", i/4%size, i/4/size, g, w)
			}
		}
	}
}

func collatz(n int) (steps uint32) {
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

// slope is the picture of the task. The triangle's corners are those of the picture at the lower left (red), lower right
// (green) and upper left (blue), so that its weights at the middle of pixel (x, y) are multiples of 1/128. The diagonal
// goes through middles of pixels: it is no left edge, and no top edge, so that they are the ground's.
func slope(size int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			at := img.Pix[img.PixOffset(x, y):]
			copy(at, []byte{0, 0, 51, 255})
			if x >= y {
				continue
			}
			green, blue := 2*x+1, 2*(size-y)-1
			for i, weight := range []int{2*size - green - blue, green, blue} {
				at[i] = unorm8(big.NewRat(int64(weight), int64(2*size)))
			}
		}
	}
	return img
}

// unorm8 is the nearest code of a number from 0 to 1.
func unorm8(v *big.Rat) byte {
	v = new(big.Rat).Add(new(big.Rat).Mul(v, big.NewRat(255, 1)), big.NewRat(1, 2))
	return byte(new(big.Int).Quo(v.Num(), v.Denom()).Int64())
}
