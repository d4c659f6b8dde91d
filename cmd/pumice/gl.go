package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func glCommand() *cobra.Command {
	o := observed{opengl: true}
	cmd := &cobra.Command{
		Use: "gl [--capture FILE.gfxr [--frames A-B]] [--explain frame=N,pixel=X,Y] [--] " +
			"PROGRAM [ARGS...]",
		Short: "Run an OpenGL program on Pumice",
		Long: "gl is pumice run for programs that draw with OpenGL or OpenGL ES: the system's Mesa\n" +
			"turns that into Vulkan (zink). gl says what to install where there is no such Mesa;\n" +
			"LIBGL_DRIVERS_PATH names the folder of one elsewhere. It sets\n" +
			strings.Join(zink, ", ") + ",\n" +
			"with which Mesa draws with nothing else.",
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return o.start(cmd, args) },
	}
	o.addShared(cmd)
	cmd.Flags().SetInterspersed(false)
	return cmd
}

// mesaFolders are where distributions have Mesa's drivers; * is the name of an architecture.
var mesaFolders = [...]string{
	"usr/lib/*/dri", "usr/lib/dri", "usr/lib64/dri", "usr/lib/*/GL/default/lib/dri", "usr/lib/*",
	"usr/lib64", "usr/lib", "usr/lib/xorg/modules/dri", "run/opengl-driver/lib/dri",
	"run/opengl-driver/lib",
}

// hasZink says whether there is a Mesa with zink in one of the system's folders, or in those of
// LIBGL_DRIVERS_PATH: as a driver of its own, or in the library of all drivers (from Mesa 24.2 on).
func hasZink(root fs.FS, driversPath string) bool {
	folders := mesaFolders[:]
	for _, f := range filepath.SplitList(driversPath) {
		f = strings.Trim(filepath.ToSlash(f), "/")
		folders = append(slices.Clip(folders), f, path.Dir(f))
	}
	for _, f := range folders {
		if files, _ := fs.Glob(root, path.Join(f, "zink_dri.so")); len(files) > 0 {
			return true
		}
		files, _ := fs.Glob(root, path.Join(f, "libgallium-*.so*"))
		for _, file := range files {
			if text, err := fs.ReadFile(root, file); err == nil && bytes.Contains(text, []byte("zink")) {
				return true
			}
		}
	}
	return false
}

// zinkPackages are what has Mesa with zink, by the ID of /etc/os-release.
var zinkPackages = map[string]string{
	"debian":   "apt install libgl1-mesa-dri libglx-mesa0 libegl-mesa0",
	"ubuntu":   "apt install libgl1-mesa-dri libglx-mesa0 libegl-mesa0",
	"fedora":   "dnf install mesa-dri-drivers mesa-libGL mesa-libEGL",
	"rhel":     "dnf install mesa-dri-drivers mesa-libGL mesa-libEGL",
	"arch":     "pacman -S mesa",
	"alpine":   "apk add mesa-dri-gallium mesa-gl mesa-egl",
	"suse":     "zypper install Mesa-dri Mesa-libGL1 Mesa-libEGL1",
	"opensuse": "zypper install Mesa-dri Mesa-libGL1 Mesa-libEGL1",
	"gentoo":   "emerge media-libs/mesa with VIDEO_CARDS=zink",
	"void":     "xbps-install mesa-dri",
	"nixos":    "set hardware.graphics.enable = true",
}

// needsZink says what to install where there is no Mesa with zink.
func needsZink(root fs.FS, driversPath string) error {
	if hasZink(root, driversPath) {
		return nil
	}
	how := "install your distribution's Mesa with zink"
	release, _ := fs.ReadFile(root, "etc/os-release")
	ids := map[string]string{}
	for line := range strings.Lines(string(release)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		ids[name] = strings.Trim(value, `"'`)
	}
	for _, id := range append([]string{ids["ID"]}, strings.Fields(ids["ID_LIKE"])...) {
		if command, ok := zinkPackages[id]; ok {
			how = command
			break
		}
	}
	return fmt.Errorf("OpenGL on Vulkan takes Mesa with zink, of which there is none here; %s, "+
		"or name its folder in LIBGL_DRIVERS_PATH", how)
}

// systemFiles are all files of this machine.
func systemFiles() fs.FS { return os.DirFS("/") }
