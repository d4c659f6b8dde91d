// Command release makes the files of a release from a checkout, into the folder dist:
//
//	go run ./internal/release
//
// Archives and packages (deb, rpm, apk, npm) with the command, and the driver where it is for Linux or Windows;
// recipes by which others install them; a list of what the binaries hold; checksums. The same checkout
// and the same Go and C compiler give the same bytes. -check installs the Debian package for this machine in a
// clean root and uses it there. docs/releasing.md tells more. Nothing is published.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const modulePath = "github.com/pumice-gpu/pumice"

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("o", "dist", "folder for the files")
	only := flag.String("targets", "",
		"systems to build for, such as linux/amd64,windows/amd64 (default: all)")
	version := flag.String("version", "",
		"version to build, such as v1.2.3 (default: what git describe says)")
	check := flag.Bool(
		"check",
		false,
		"build the packages of this machine alone, into a temporary folder, install Debian's in a clean root and npm's in an empty folder, and use them there",
	)
	runs := flag.Int("runs", 3,
		"with -check: how often to open a web page, with one to eight threads")
	hosts := flag.String(
		"hosts",
		"",
		"use the drivers in roots of several systems and processors, and write a table into this page",
	)
	twice := flag.Bool("twice", false, "with -check: build once more, and compare the bytes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errors.New("unexpected arguments")
	switch {
	case flag.NArg() > 0:
	case *check:
		err = checkInstalled(ctx, *version, *runs, *twice)
	case *hosts != "":
		err = checkHosts(ctx, *version, *hosts)
	default:
		err = release(ctx, *out, *only, *version)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// target is a system to build for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

var targets = []target{
	{
		"linux",
		"amd64",
	}, {"linux", "arm64"}, {"linux", "riscv64"}, {"windows", "amd64"}, {"windows", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
}

// chosen returns the targets that -targets names.
func chosen(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	var out []target
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("-targets: no %q; there are %v", name, targets)
		}
		out = append(out, targets[i])
	}
	return out, nil
}

// release makes all files. They come to out when all are made.
func release(ctx context.Context, out, only, version string) error {
	list, err := chosen(only)
	if err != nil {
		return err
	}
	b, err := newBuilder(ctx, version)
	if err != nil {
		return err
	}
	defer b.close()
	files, linked := map[string][]byte{}, map[string]string{}
	for _, t := range list {
		made, err := b.target(t)
		if missing := (*noCompiler)(nil); errors.As(err, &missing) && only == "" {
			log.Printf("%s is left out: %v", t, missing)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		for name, data := range made.files {
			files[name] = data
		}
		for module, version := range made.modules {
			linked[module] = version
		}
	}
	if files[npmFile(npmScope+"pumice", b.version)], err = npmMain(b.version, b.time, b.license); err != nil {
		return err
	}
	if err := recipes(b.version, files); err != nil {
		return err
	}
	bom, err := billOfMaterials(b.version, b.time, b.licenses, linked, files)
	if err != nil {
		return err
	}
	files[fmt.Sprintf("pumice_%s.cdx.json", b.version.plain())] = bom
	files["SHA256SUMS"] = sums(files)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
	}
	log.Printf("%d files of %s in %s", len(files), b.version, out)
	return nil
}

// sums are the checksums of files as sha256sum prints them.
func sums(files map[string][]byte) []byte {
	var out strings.Builder
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return []byte(out.String())
}

// host is the system of this machine.
func host() target { return target{runtime.GOOS, runtime.GOARCH} }

// took prints how long a step of the work has taken.
func took(since time.Time, format string, args ...any) {
	log.Printf("%5.1f s  %s", time.Since(since).Seconds(), fmt.Sprintf(format, args...))
}
