// Command _gen compiles the GLSL sources of testdata to SPIR-V with
// glslangValidator, and the compute shaders once more with spirv-opt; both must
// be installed. Run it in internal/lower:
//
//	go run ./_gen
package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	for _, ext := range []string{"vert", "tesc", "tese", "geom", "task", "mesh", "frag", "comp"} {
		files, err := filepath.Glob("testdata/*." + ext)
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range files {
			cmd := exec.Command("glslangValidator", "-V", "--target-env", "vulkan1.2", "-o", f+".spv", f)
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			if err := cmd.Run(); err != nil {
				log.Fatalf("%s: %v", f, err)
			}
			if ext != "comp" {
				continue
			}
			if filepath.Base(f) == "lines.comp" { // with debug information in both forms
				for flag, name := range map[string]string{"-g": ".line", "-gVS": ".debug"} {
					if out, err := exec.Command("glslangValidator", "-V", flag, "--target-env", "vulkan1.2", "-o", f+name+".spv", f).CombinedOutput(); err != nil {
						log.Fatalf("%s: %v\n%s", f, err, out)
					}
				}
			}
			// The optimized form has phis where the plain one has variables.
			cmd = exec.Command("spirv-opt", "-O", f+".spv", "-o", f+".opt.spv")
			cmd.Stderr = os.Stderr
			if err := cmd.Run(); err != nil {
				log.Fatalf("%s: %v", f, err)
			}
		}
	}
	asm, err := filepath.Glob("testdata/*.spvasm")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range asm {
		cmd := exec.Command("spirv-as", "--target-env", version(f), "-o", f+".spv", f)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			log.Fatalf("%s: %v", f, err)
		}
	}
}

// version reads the version that a first line such as "; env spv1.6" asks for.
func version(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if env, ok := strings.CutPrefix(first, "; env "); ok {
		return env
	}
	return "spv1.0"
}
