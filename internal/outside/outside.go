// Package outside gives tests what is not part of this module: a C compiler, and programs of other people.
//
// What go test ./... says depends on Go alone. A C compiler is used where one works; nothing else on PATH, in a home
// folder or beside the repository is. Comparisons with other programs have the build tag "outside" and names that begin
// with TestOutside:
//
//	go test -tags outside -run '^TestOutside' ./...
//
// What they found for good is recorded in testdata, so that it holds without the program, too.
package outside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Tool is a program of somebody else that a test compares with.
type Tool struct {
	Name    string   // of the program, as on PATH
	Other   []string // names that some versions have instead
	Debian  string   // the package of Debian's that has it
	From    string   // how to get it where Debian has none
	Version []string // arguments that make it tell its version; --version for nil; where it tells none, NoVersion
	Why     string   // what the comparison shows, in a few words
}

// NoVersion is for programs that tell no version: that of their package of Debian's is taken.
var NoVersion = []string{}

// Path returns where the program is. The test is skipped where it is not installed; else the test's log has its
// version and what it is for.
func (p Tool) Path(t testing.TB) string {
	t.Helper()
	for _, name := range append([]string{p.Name}, p.Other...) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t.Logf("outside: %s (%s): %s", p.Name, p.version(path), p.Why)
		return path
	}
	from := p.From
	if from == "" {
		from = "Debian's " + p.Debian
	}
	t.Skipf("%s is not installed (%s): %s is not compared", p.Name, from, p.Why)
	return ""
}

// version is the first line of what the program tells of itself that has a digit, or what it says instead.
func (p Tool) version(path string) string {
	args := p.Version
	switch {
	case args == nil:
		args = []string{"--version"}
	case len(args) == 0:
		out, err := exec.Command("dpkg-query", "-W", p.Debian).Output()
		if err != nil {
			return fmt.Sprintf("version not known: %v", err)
		}
		return strings.Join(strings.Fields(string(out)), " ")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second // of what it has started
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.ContainsAny(line, "0123456789") {
			return line
		}
	}
	return fmt.Sprintf("version not told: %v", err)
}

// File skips the test where a file of an installed package is missing, such as the manifest of a layer.
func File(t testing.TB, path, debian, why string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not installed (Debian's %s): %s is not compared", path, debian, why)
	}
	return path
}

// compiler is Go's C compiler, tried once.
var compiler = sync.OnceValues(func() (command []string, err error) {
	if enabled, err := goEnv("CGO_ENABLED"); err != nil || enabled != "1" {
		return nil, errors.Join(errors.New("no C compiler is used: there is none, or CGO_ENABLED is 0"), err)
	}
	text, err := goEnv("CC")
	if err != nil {
		return nil, err
	}
	command = strings.Fields(text) // CC may have flags behind it
	if len(command) == 0 {
		return nil, errors.New("there is no C compiler: go env CC is empty")
	}
	if command[0], err = exec.LookPath(command[0]); err != nil {
		return nil, fmt.Errorf("there is no C compiler: %w", err)
	}
	dir, err := os.MkdirTemp("", "pumice-cc-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	source, program := filepath.Join(dir, "try.c"), filepath.Join(dir, "try")
	const try = "#include <dlfcn.h>\n#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\n" +
		"int main(int argc, char **argv) { return dlopen(0, RTLD_NOW) && !pthread_equal(pthread_self(), 0) && floor(argc) == 1 ? puts(\"works\") < 0 : 1; }\n"
	if err := os.WriteFile(source, []byte(try), 0o600); err != nil {
		return nil, err
	}
	if out, err := compile(command, "-o", program, source, "-ldl", "-lpthread", "-lm"); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("the C compiler %s cannot make a program of one line: %w: %s", text, err, first)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil || string(out) != "works\n" {
		return nil, fmt.Errorf("what the C compiler %s makes does not run: %w: %.100q", text, err, out)
	}
	return command, nil
})

func compile(command []string, args ...string) (out []byte, err error) {
	return exec.Command(command[0], append(command[1:len(command):len(command)], args...)...).CombinedOutput()
}

func goEnv(name string) (string, error) {
	out, err := exec.Command("go", "env", name).Output()
	return strings.TrimSpace(string(out)), err
}

// skipped counts the tests that had no C compiler.
var skipped struct {
	sync.Mutex
	n int
}

// Compiler skips the test where Go has no C compiler (go env CC) that can make a program, with the reason.
func Compiler(t testing.TB) {
	t.Helper()
	if _, err := compiler(); err != nil {
		skipped.Lock()
		skipped.n++
		skipped.Unlock()
		t.Skip(err)
	}
}

// Compile runs Go's C compiler, as Compiler finds it, and fails the test where that does not go well in silence.
func Compile(t testing.TB, args ...string) {
	t.Helper()
	Compiler(t)
	command, _ := compiler()
	if out, err := compile(command, args...); err != nil || len(out) > 0 {
		t.Fatalf("%s %s: %v\n%s", strings.Join(command, " "), strings.Join(args, " "), err, out)
	}
}

// Run runs the tests of a package, for its TestMain, and tells in one line what was skipped for want of a C compiler.
func Run(m *testing.M) int {
	code := m.Run()
	if skipped.n > 0 {
		_, err := compiler()
		fmt.Printf("skipped %d tests: %v\n", skipped.n, err)
	}
	return code
}

// GoBuild runs go build with arguments, without a version control system's word, and fails the test where that fails.
func GoBuild(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", append([]string{"build", "-buildvcs=false"}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
