package house

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/internal/processor"
)

const module = "github.com/pumice-gpu/pumice"

// triangleFigure is what Triangle counts, before it has.
var triangleFigure = Figure{
	Name: "functions a triangle runs", Step: 1,
	What: "of `internal/render`, for one opaque triangle, on one thread with AVX2",
}

// ErrOtherMachine says that the triangle was not drawn by machine code for AVX2.
var ErrOtherMachine = errors.New("no machine code, or not for AVX2")

// Triangle builds the program _triangle with render under coverage, runs it, and counts the
// functions of render that ran. Which do depends on the processor: the number is that of AVX2, and
// ErrOtherMachine says that there is none. scratch is a folder for what is built.
func Triangle(root, scratch string) (Figure, error) {
	f := triangleFigure
	if runtime.GOARCH != "amd64" || processor.Vectors() < 256 {
		return f, ErrOtherMachine
	}
	program, data := filepath.Join(scratch, "triangle"), filepath.Join(scratch, "coverage")
	if err := os.Mkdir(data, 0o777); err != nil {
		return f, err
	}
	pkg, render := "./internal/house/_triangle", module+"/internal/render"
	build := exec.Command("go", "build", "-buildvcs=false", "-cover", "-coverpkg="+render+"/...,"+pkg, "-o", program, pkg)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return f, fmt.Errorf("%w: %s", err, out)
	}
	run := exec.Command(program, "testdata/triangle.vert.spv", "testdata/triangle.frag.spv")
	run.Dir = root
	ours := func(v string) bool { return strings.HasPrefix(v, "PUMICE_") || strings.HasPrefix(v, "GOCOVERDIR=") }
	run.Env = append(slices.DeleteFunc(os.Environ(), ours), "PUMICE_VECTORS=256", "GOCOVERDIR="+data)
	out, err := run.CombinedOutput()
	if strings.HasPrefix(string(out), "vm ") {
		return f, ErrOtherMachine
	}
	if err != nil || string(out) != "native {255 128 0 255}\n" {
		return f, fmt.Errorf("the triangle's pixel is %q, %w", out, err)
	}
	list := exec.Command("go", "tool", "covdata", "func", "-i", data)
	list.Dir = root
	if out, err = list.CombinedOutput(); err != nil {
		return f, fmt.Errorf("%w: %s", err, out)
	}
	f.Detail = ran(string(out), render)
	f.Value = len(f.Detail)
	return f, nil
}

var covered = regexp.MustCompile(`(?m)^(\S+\.go):\d+:\s+(\S+)\s+([0-9.]+)%$`)

// ran are the functions below a package of which at least one statement ran, as covdata lists them.
func ran(list, below string) (functions []string) {
	for _, m := range covered.FindAllStringSubmatch(list, -1) {
		if strings.HasPrefix(m[1], below+"/") && m[3] != "0.0" {
			functions = append(functions, strings.TrimPrefix(m[1], below+"/")+": "+m[2])
		}
	}
	return functions
}
