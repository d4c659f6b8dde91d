package main

import (
	"bytes"
	"crypto/md5" // what dpkg's lists of files hold
	"fmt"
	"strings"
	"time"
)

// debInfo is what a Debian package says of itself.
type debInfo struct {
	version, arch string
	depends       string
}

// debName is the name of a package's file. Servers of releases do not take Debian's ~.
func debName(v semver, arch string) string { return fmt.Sprintf("pumice_%s_%s.deb", v.plain(), arch) }

// deb makes a Debian package, deb(5): an ar archive of the format's version, the control files
// and the files.
func deb(info debInfo, files []file, at time.Time) ([]byte, error) {
	var size int
	var md5sums strings.Builder
	for _, f := range inOrder(files) {
		size += (len(f.data) + 1023) / 1024
		fmt.Fprintf(&md5sums, "%x  %s\n", md5.Sum(f.data), f.name)
	}
	control := fmt.Sprintf(`Package: pumice
Version: %s
Architecture: %s
Maintainer: The Pumice authors
Installed-Size: %d
Depends: %s
Recommends: libvulkan1, libxcb1, libxcb-shm0, libx11-xcb1, libwayland-client0
Suggests: vulkan-tools, gfxreconstruct
Provides: vulkan-icd
Section: graphics
Priority: optional
Homepage: https://%s
Description: Vulkan without a GPU
 Renders glTF models to pictures, and runs Vulkan programs, on an implementation
 of Vulkan in Go that needs no GPU and no display and gives the same bytes on
 every machine. This package has the command and the driver.
`, info.version, info.arch, size, info.depends, modulePath)
	controlTar, err := tarball("./", []file{{name: "control", data: []byte(control)}, {name: "md5sums", data: []byte(md5sums.String())}}, at)
	if err != nil {
		return nil, err
	}
	dataTar, err := tarball("./", files, at)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []struct {
		name string
		data []byte
	}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", controlTar}, {"data.tar.gz", dataTar}} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, at.Unix(), 0, 0, "100644", len(member.data))
		b.Write(member.data)
		if len(member.data)%2 != 0 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes(), nil
}
