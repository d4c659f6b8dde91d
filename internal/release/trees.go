package main

import (
	"path"
	"strings"
)

const (
	libraryName = "libvulkan_pumice.so"
	dllName     = "pumice_vulkan.dll"         // of Windows
	frontName   = "libvulkan_pumice_front.so" // loads with any C library, and starts
	helperName  = "pumice-driver"             // this one, which is beside it
)

// names of architectures: in Debian's library folders, and in names of manifests.
var (
	triplets = map[string]string{
		"amd64":   "x86_64-linux-gnu",
		"arm64":   "aarch64-linux-gnu",
		"riscv64": "riscv64-linux-gnu",
	}
	manifests = map[string]string{
		"amd64":   "pumice_icd.x86_64.json",
		"arm64":   "pumice_icd.aarch64.json",
		"riscv64": "pumice_icd.riscv64.json",
	}
)

// Manifests name the front everywhere: it loads the library that is beside it, or, where that
// cannot be or a program is to have the driver in a process of its own, starts the helper.

// unixTree is what a tarball holds, to be unpacked into /usr/local or a folder of its own. The
// manifest names the front from where it is itself.
func unixTree(b *builder, t target, command, driver []byte, i isolated) []file {
	files := append(b.terms("share/doc/pumice"), under("share/man", b.pages)...)
	files = append(
		files,
		b.completions("share/bash-completion/completions/pumice",
			"share/zsh/site-functions/_pumice", "share/fish/vendor_completions.d/pumice.fish",
			"")...)
	files = append(files, file{name: "bin/pumice", exec: true, data: command})
	if driver != nil {
		files = append(
			files,
			file{name: "lib/pumice/" + libraryName, data: driver},
			file{name: "lib/pumice/" + frontName, data: i.front},
			file{name: "lib/pumice/" + helperName, exec: true, data: i.helper},
			file{
				name: "share/vulkan/icd.d/" + manifests[t.arch],
				data: manifest("../../../lib/pumice/" + frontName),
			},
		)
	}
	return files
}

// debianTree is what a Debian package holds.
func debianTree(b *builder, t target, command, driver []byte, i isolated) []file {
	files := append(
		under("usr/share/man", b.gzipped),
		b.completions("usr/share/bash-completion/completions/pumice",
			"usr/share/zsh/vendor-completions/_pumice",
			"usr/share/fish/vendor_completions.d/pumice.fish", "")...)
	return append(append(files, debianDriver(t, driver, i)...),
		file{name: "usr/bin/pumice", exec: true, data: command},
		file{name: "usr/share/doc/pumice/copyright", data: []byte(b.copyright())},
	)
}

// debianDriver is what of it is the driver. Programs are not where libraries are.
func debianDriver(t target, driver []byte, i isolated) []file {
	dir := path.Join("usr/lib", triplets[t.arch])
	return []file{
		{name: path.Join(dir, libraryName), data: driver},
		{name: path.Join(dir, frontName), data: i.front},
		{name: path.Join(dir, "pumice", helperName), exec: true, data: i.helper},
		{
			name: "usr/share/vulkan/icd.d/" + manifests[t.arch],
			data: manifest("/" + path.Join(dir, frontName)),
		},
	}
}

// rpmTree is what an RPM package holds. Where an architecture's libraries are differs between systems that use these: the driver
// is in a folder of its own, which the command knows.
func rpmTree(b *builder, t target, command, driver []byte, i isolated) []file {
	return append(alpineTree(b, t, command, i),
		file{name: "usr/lib/pumice/" + libraryName, data: driver})
}

// alpineTree is what a package for Alpine holds: the driver as a process of its own, since a program
// of musl cannot load it.
func alpineTree(b *builder, t target, command []byte, i isolated) []file {
	return append(
		systemTree(b, command),
		file{name: "usr/lib/pumice/" + frontName, data: i.front},
		file{name: "usr/lib/pumice/" + helperName, exec: true, data: i.helper},
		file{
			name: "usr/share/vulkan/icd.d/" + manifests[t.arch],
			data: manifest("/usr/lib/pumice/" + frontName),
		},
	)
}

// systemTree is what packages hold besides the driver, where they keep licences in a folder of their own.
func systemTree(b *builder, command []byte) []file {
	files := append(
		under("usr/share/man", b.gzipped),
		b.completions("usr/share/bash-completion/completions/pumice",
			"usr/share/zsh/site-functions/_pumice",
			"usr/share/fish/vendor_completions.d/pumice.fish", "")...)
	return append(append(files, b.terms("usr/share/licenses/pumice")...),
		file{name: "usr/bin/pumice", exec: true, data: command})
}

// windowsTree is what the archive for Windows holds. The manifest names the library beside it: a name without a folder
// would be looked up where Windows has its own.
func windowsTree(b *builder, command, driver []byte) []file {
	files := append(b.terms("."), b.completions("", "", "", "pumice.ps1")...)
	if driver != nil {
		files = append(files, file{name: dllName, exec: true, data: driver},
			file{name: "pumice_icd.json", data: manifest(`.\` + dllName)})
	}
	return append(files, file{name: "pumice.exe", exec: true, data: command})
}

// completions puts the scripts of shells where their names say; "" leaves one out.
func (b *builder) completions(bash, zsh, fish, powershell string) []file {
	var files []file
	places := map[string]string{
		"bash":       bash,
		"zsh":        zsh,
		"fish":       fish,
		"powershell": powershell,
	}
	for _, f := range b.shells {
		if to := places[f.name]; to != "" {
			files = append(files, file{name: to, data: f.data})
		}
	}
	return files
}

// terms are the licences, of Pumice and of what it holds of others.
func (b *builder) terms(folder string) []file {
	return []file{
		{name: path.Join(folder, "LICENSE"), data: b.license},
		{name: path.Join(folder, "LICENSES.txt"), data: []byte(b.licenses)},
	}
}

// copyright is the file that Debian wants of every package.
func (b *builder) copyright() string {
	var out strings.Builder
	out.WriteString(
		"Pumice is under the Apache License, Version 2.0, which is in\n/usr/share/common-licenses/Apache-2.0.\n\n",
	)
	out.WriteString(b.licenses)
	return out.String()
}
