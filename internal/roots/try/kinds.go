package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// kind is a kind of machine: what is on it besides Debian's essential packages and Go.
type kind struct {
	name    string
	has     string // in words, for the page
	cc      bool   // a C compiler
	compare bool   // all that comparisons take
	user    string // who runs the commands; root where empty
	path    string // in front of PATH
	prepare func(root string) error
	steps   [][]string
}

var (
	// The README's two commands. The picture goes where it can be looked at.
	render = []string{"go", "run", "./cmd/pumice", "render", "-o", "/tmp of a test/teapot.png"}
	test   = []string{"go", "test", "-json", "./..."}

	compare = []string{"go", "test", "-json", "-tags", "outside", "-run", "^TestOutside", "./..."}
)

var kinds = []kind{
	{name: "bare", has: "Go alone", steps: [][]string{render, test}},
	{name: "gcc", has: "Go and gcc", cc: true, steps: [][]string{render, test}},
	{name: "nobody", has: "Go alone; a tarball in a read-only folder with a space in its name, a user without a home", user: "nobody", steps: [][]string{render, test}},
	{name: "fakes", has: "Go and gcc; programs that answer nonsense and exit with 8, and a `vulkan.h` that is an error", cc: true, path: "/fakes:", prepare: fakes, steps: [][]string{render, test}},
	{name: "full", has: "Go, gcc, and all programs that are compared with", cc: true, compare: true, steps: [][]string{render, test, compare}},
}

func kindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// root is the name of the kind whose packages this one has.
func (k kind) root() string {
	switch {
	case k.compare:
		return "full"
	case k.prepare != nil:
		return k.name
	case k.cc:
		return "gcc"
	}
	return "bare"
}

func (k kind) packages(release string) (list []string) {
	if k.cc {
		list = append(list, "gcc", "libc6-dev")
	}
	if k.compare {
		list = append(list, comparing(release)...)
	}
	return list
}

// comparing lists Debian's packages that comparisons take, and why.
func comparing(release string) (list []string) {
	for _, group := range [][]string{
		{"glslang-tools", "spirv-tools", "llvm", "binutils"},                                                                // shaders and machine code as text, judged by others
		{"gcc", "libc6-dev", "libvulkan-dev", "vulkan-validationlayers", "clang"},                                           // clients of the driver, the validation layer, fuzzers of C
		{"gcc-mingw-w64-x86-64", "wine64"},                                                                                  // the driver for Windows, and programs of Windows
		{"mesa-vulkan-drivers", "vulkan-tools", "xvfb", "weston"},                                                           // another driver, programs, displays to run them on
		{"ffmpeg", "mpv", "vkd3d-demos", "glmark2-es2-x11", "libgl1-mesa-dri", "libsdl2-tests"},                             // filters, videos, Direct3D and OpenGL on the driver
		{"astcenc", "openexr", "chromium", "fonts-dejavu-core", "nodejs", "python3", "groff", "dpkg", "rpm", "curl", "git"}, // blocks, light, pages, hosts with signals, man pages, packages
	} {
		list = append(list, group...)
	}
	if release == "bookworm" { // the recorders are in no later release
		return append(list, "libclang-rt-14-dev", "gfxreconstruct", "renderdoccmd", "python3-renderdoc")
	}
	return append(list, "libclang-rt-dev")
}

// fake are programs that tests might take from PATH.
var fake = strings.Fields(`Xvfb astcenc astcenc-avx2 astcenc-native astcenc-sse2 chromium chromium-browser clang clang++ convert dpkg dpkg-deb exrmaketiled ffmpeg
	ffprobe gdb gfxrecon-compress gfxrecon-info gfxrecon-replay git glmark2-es2 glslang glslangValidator glslc gltf-transform google-chrome
	groff ktx llvm-mc llvm-mc-14 llvm-mc-15 llvm-mc-16 llvm-mc-19 man mmdebstrap mpv node nodejs objdump perf python3 renderdoccmd spirv-as
	spirv-cfg spirv-dis spirv-opt spirv-val strace toktx valgrind vkcube vkcube-wayland vkcubepp vkd3d-gears vkd3d-triangle vulkaninfo
	weston weston-screenshooter weston-simple-egl wine wine64 x86_64-w64-mingw32-gcc xwd`)

// fakes puts them, and headers of Vulkan that do not compile, into a root.
func fakes(root string) error {
	var errs error
	write := func(name, text string) {
		path := filepath.Join(root, name)
		errs = errors.Join(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755))
	}
	for _, name := range fake {
		write("fakes/"+name, "#!/bin/sh\necho 'version 99.9 of nonsense'\nexit 8\n")
	}
	write("usr/include/vulkan/vulkan.h", "#error these are no headers of Vulkan\n")
	write("usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "nonsense")
	write("usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json", "nonsense")
	return errs
}
