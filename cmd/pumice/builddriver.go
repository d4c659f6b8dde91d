package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// buildVersion builds the driver of a released version, once, from its source in Go's
// module cache.
func buildVersion(ctx context.Context, log io.Writer, version, dir string) (string, error) {
	if path := filepath.Join(dir, libraryName); exists(path) {
		return path, nil
	}
	root, err := download(ctx, version, filepath.Dir(dir))
	if err != nil {
		return "", err
	}
	return build(ctx, log, root, dir, false, "GOWORK=off")
}

// download returns the source of a version in Go's module cache, and fetches it where
// needed. It works in folder dir, which is in no module.
func download(ctx context.Context, version, dir string) (string, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", modulePath+"@"+version)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "GOWORK=off"), &said
	out, err := cmd.Output()
	var m struct{ Dir, Error string } // go mod download tells there why it failed
	if errJSON := json.Unmarshal(out, &m); err == nil && (errJSON != nil || m.Dir == "") {
		err = fmt.Errorf("go mod download named no folder")
	}
	if err != nil {
		return "", &toolchainError{fmt.Errorf("fetching the driver's source, which takes Go: %w", err), said.String() + m.Error}
	}
	return m.Dir, nil
}

// buildingDriver is said while the driver is built for the first time. The time is that of a machine with two cores.
const buildingDriver = "pumice: building the driver: Go compiles it once, for a minute or two"

// build builds the driver from the source at root, which may be read-only, into dir. The
// library in use is never overwritten, programs have it mapped: a new one takes its name. again
// keeps a second copy, by which the go command sees next time that nothing has changed.
func build(ctx context.Context, log io.Writer, root, dir string, again bool, env ...string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	fresh, path := filepath.Join(dir, "fresh"+filepath.Ext(libraryName)), filepath.Join(dir, libraryName)
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-mod=readonly", "-buildvcs=false", "-buildmode=c-shared", "-trimpath", exportsFlag(root), "-o", fresh, "./driver")
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=1"), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // then it starts no more compilers
	cmd.WaitDelay = 5 * time.Second
	s := startStatus(log, buildingDriver, !exists(path))
	said, err := runBuild(cmd, s)
	s.stop()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &toolchainError{fmt.Errorf("building the driver, which takes Go and a C compiler: %w", err), said}
	}
	if !same(fresh, path) {
		err = copyFile(path, fresh)
	}
	if err == nil && isolates() {
		err = buildParts(ctx, root, dir, env)
	}
	if !again {
		_, _ = os.Remove(fresh), os.Remove(strings.TrimSuffix(fresh, filepath.Ext(fresh))+".h")
	}
	return path, err
}

// buildParts builds the front and the helper into dir, where programs may have them in use.
func buildParts(ctx context.Context, root, dir string, env []string) error {
	fresh, err := os.MkdirTemp(dir, "parts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	cmd := exec.CommandContext(ctx, "sh", filepath.Join(root, "driver", "isolate", "build.sh"), fresh)
	cmd.Env = append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return &toolchainError{fmt.Errorf("building the driver's front and helper, which takes Go and a C compiler: %w", err), string(said)}
	}
	for _, name := range []string{frontName, helperName} {
		if from, to := filepath.Join(fresh, name), filepath.Join(dir, name); !same(from, to) {
			if err := copyFile(to, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// runBuild runs go build -v, shows the packages that it compiles, and returns what else it
// says.
func runBuild(cmd *exec.Cmd, s *status) (said string, err error) {
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	done := make(chan string)
	go func() {
		var rest strings.Builder
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadString('\n')
			if name := strings.TrimSuffix(line, "\n"); isPackage(name) {
				s.show(strings.TrimPrefix(name, modulePath+"/"))
			} else {
				rest.WriteString(line)
			}
			if err != nil {
				done <- rest.String()
				return
			}
		}
	}()
	err = cmd.Run()
	_ = w.Close()
	return <-done, err
}

// isPackage tells the lines of go build -v that name a package from what compilers say,
// which has spaces.
func isPackage(line string) bool { return line != "" && !strings.ContainsAny(line, " \t:") }

// same says that two files have the same size and contents.
func same(a, b string) bool {
	x, errX := fileHash(a)
	y, errY := fileHash(b)
	return errX == nil && errY == nil && x == y
}

func fileHash(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// toolchainError is the failure of a tool, with what it said.
type toolchainError struct {
	error
	said string
}

func (e *toolchainError) Unwrap() error { return e.error }

// lastWords are the last lines of what the tool said, where the reason stands.
func (e *toolchainError) lastWords() []string {
	if strings.TrimSpace(e.said) == "" { // there is no such tool
		return nil
	}
	lines := strings.Split(strings.TrimSpace(e.said), "\n")
	const most = 20
	if len(lines) > most {
		lines = append([]string{fmt.Sprintf("(%d lines before)", len(lines)-most)}, lines[len(lines)-most:]...)
	}
	return lines
}
