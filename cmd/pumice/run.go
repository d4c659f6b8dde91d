package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

func runCommand() *cobra.Command {
	var o observed
	cmd := &cobra.Command{
		Use:   "run [--capture FILE.gfxr [--frames A-B]] [--explain frame=N,pixel=X,Y] [--] PROGRAM [ARGS...]",
		Short: "Run a Vulkan program on Pumice",
		Long: "run starts PROGRAM with Pumice as its only Vulkan driver. The driver is, in this order: the file\n" +
			"that PUMICE_DRIVER names; " + libraryName + " beside this command or where its package has it\n" +
			"(../lib/pumice, or ../lib/ and the architecture's name); built from the source tree around the current\n" +
			"folder; the one built for this command before; built from the source of this command: the folder that\n" +
			"go install was run in, or this version in Go's module cache. Building takes Go and a C compiler, and is\n" +
			"done once. The exit code is PROGRAM's, and where PROGRAM made no device on Pumice, run says so at the end:\n" +
			"OpenGL takes pumice gl, and programs that pass over CPUs (mpv, Chromium) PUMICE_DEVICE_TYPE=discrete.\n\n" +
			"--capture records what PROGRAM asks of Vulkan, with the layer of gfxreconstruct, for pumice replay,\n" +
			"pumice explain and pumice diff. --explain tells, when PROGRAM has ended, why a pixel of a frame that it\n" +
			"has presented has the colour that it has. Frames count from 1.",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return o.start(cmd, args) },
	}
	o.add(cmd)
	cmd.Flags().SetInterspersed(false) // flags behind PROGRAM are PROGRAM's
	return cmd
}

// start finds a program and the driver, and runs the one on the other.
func (o *observed) start(cmd *cobra.Command, args []string) error {
	needs := needsDriver(cmd.Name())
	if o.opengl {
		needs = linuxOnly(cmd.Name())
	}
	if err := cmp.Or(needs, o.check()); err != nil {
		return err
	}
	program, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return usageError{err}
	}
	if o.opengl {
		if err := needsZink(systemFiles(), os.Getenv("LIBGL_DRIVERS_PATH")); err != nil {
			return err
		}
	}
	library, err := findDriver(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	manifest, err := manifestFor(library)
	if err != nil {
		return err
	}
	if err := takenFromEnvironment(manifest); err != nil {
		return err
	}
	env := driverEnvironment(os.Environ(), manifest)
	return o.run(cmd.Context(), program, args, env, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// driverEnvironment is env with the manifest as the only driver. Loaders before
// 1.3.207 know VK_ICD_FILENAMES only, later ones prefer VK_DRIVER_FILES;
// VK_ADD_DRIVER_FILES would bring others back.
func driverEnvironment(env []string, manifest string) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch strings.ToUpper(name) { // on Windows names may be written in any way
		case "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES":
		default:
			out = append(out, v)
		}
	}
	return append(out, "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest)
}

// manifestFor is the manifest of a driver library: the one that was installed with it, or
// one in the user's cache, which it writes.
func manifestFor(library string) (string, error) {
	if path := installedManifest(executable(), runtime.GOARCH, library); path != "" {
		return path, nil
	}
	return cachedManifest(library)
}

// installedManifest is the manifest that a package put beside the command exe, or "" where
// there is none that names the library.
func installedManifest(exe, arch, library string) string {
	if exe == "" {
		return ""
	}
	path := manifestPlace(exe, arch)
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var m driverManifest
	if err := json.Unmarshal(text, &m); err != nil {
		return ""
	}
	names := m.ICD.LibraryPath
	if !filepath.IsAbs(names) {
		names = filepath.Join(filepath.Dir(path), names)
	}
	if names != library && names != filepath.Join(filepath.Dir(library), frontName) { // the front loads what is beside it
		return ""
	}
	return path
}

// cachedManifest writes the manifest of a driver library into the user's cache
// and returns its path.
func cachedManifest(library string) (string, error) {
	dir, err := cacheFolder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("icd-%s.json", shortHash(library)))
	return path, writeManifest(path, library)
}
