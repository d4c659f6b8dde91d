package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// gl finds zink wherever distributions have it, and says what to install where it is missing.
func TestGL_FindsZink(t *testing.T) {
	const multi = "usr/lib/x86_64-linux-gnu/"
	for name, c := range map[string]struct {
		files       map[string]string
		driversPath string
		says        string // "": it is there
	}{
		"Debian 12": {files: map[string]string{multi + "dri/zink_dri.so": ""}},
		"Fedora 40": {files: map[string]string{"usr/lib64/dri/zink_dri.so": ""}},
		"Debian 13": {files: map[string]string{multi + "libgallium-25.0.7-2.so": "...zink..."}},
		"Arch":      {files: map[string]string{"usr/lib/libgallium-25.3.1-arch1.so": "zink"}},
		"NixOS":     {files: map[string]string{"run/opengl-driver/lib/libgallium-25.so": "zink"}},
		"LIBGL": {files: map[string]string{"opt/mesa/lib/dri/zink_dri.so": ""},
			driversPath: "/nowhere:/opt/mesa/lib/dri"},
		"LIBGL, one library": {files: map[string]string{"opt/mesa/lib/libgallium-1.so": "zink"},
			driversPath: "/opt/mesa/lib/dri/"},
		"LIBGL elsewhere": {files: map[string]string{"opt/mesa/lib/dri/zink_dri.so": ""},
			says: "your distribution's Mesa"},
		"without zink": {files: map[string]string{
			multi + "libgallium-25.so": "llvmpipe", "etc/os-release": "ID=debian\n"},
			says: "apt install libgl1-mesa-dri"},
		"no driver": {files: map[string]string{
			multi + "dri/swrast_dri.so": "zink", "etc/os-release": "NAME=x\nID=\"fedora\"\n"},
			says: "dnf install mesa-dri-drivers"},
		"a relative": {files: map[string]string{"etc/os-release": "ID=pop\nID_LIKE=\"ubuntu debian\"\n"},
			says: "apt install"},
		"Alpine": {files: map[string]string{"etc/os-release": "ID=alpine"},
			says: "apk add mesa-dri-gallium"},
		"openSUSE": {files: map[string]string{
			"etc/os-release": "ID='opensuse-tumbleweed'\nID_LIKE='opensuse suse'\n"},
			says: "zypper install Mesa-dri"},
		"an unknown": {files: map[string]string{"etc/os-release": "ID=hurd\n"},
			says: "your distribution's Mesa with zink"},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		err := needsZink(root, c.driversPath)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
