// Command platforms tries every system and processor that Go knows, without cgo:
//
//	go run ./internal/platforms                          # types of all packages and their tests
//	go run ./internal/platforms -share 3/16              # and go build for the fourth of sixteen shares of the pairs
//	go run ./internal/platforms -share 0/1               # and for all: a minute each
//	go run ./internal/platforms -types 1/3 -share 5/48   # types of the second third, and a build
//
// With -out docs/platforms.md it writes the page, too.
//
// Types are what differs: names that a system does not have, integers that an int of 32 bits does not hold. The same
// rules check them as in Go's compiler, without its work of making machine code: all pairs take two minutes of a
// processor, where builds take an hour.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("platforms: ")
	share := flag.String("share", "", "build for a share of the pairs, such as 3/16: those with numbers 3, 19, 35")
	types := flag.String("types", "",
		"check the types of a share of the pairs, such as 1/3, and of what is built")
	only := flag.String("pairs", "", "pairs to try, such as linux/arm,plan9/386 (default: all that Go knows)")
	out := flag.String("out", "", "write what came of all pairs to this file")
	flag.Parse()
	if flag.NArg() > 0 || *out != "" && (*only != "" || *types != "") {
		log.Fatal("unexpected arguments; -out is for all pairs")
	}
	builds, err := shareOf(*share, false)
	checks, bad := shareOf(*types, true)
	if err = cmp.Or(err, bad); err != nil {
		log.Fatal(err)
	}
	list, err := pairs(*only)
	if err == nil {
		var some []pair
		built := map[pair]bool{}
		for i, p := range list {
			if built[p] = builds(i); built[p] || checks(i) {
				some = append(some, p)
			}
		}
		err = try(some, func(i int) bool { return built[some[i]] }, *out)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// shareOf says which numbers a share such as 3/16 has: 3, 19, 35; all or none where there is none.
func shareOf(share string, all bool) (func(i int) bool, error) {
	k, n := 0, 1
	if share == "" {
		return func(int) bool { return all }, nil
	}
	if _, err := fmt.Sscanf(share, "%d/%d", &k, &n); err != nil || k < 0 || k >= n {
		return nil, fmt.Errorf("%q is no share such as 3/16", share)
	}
	return func(i int) bool { return i%n == k }, nil
}

// A pair is a system and a processor.
type pair struct{ GOOS, GOARCH string }

func (p pair) String() string { return p.GOOS + "/" + p.GOARCH }

// command is the go command for a pair, without cgo, in a folder.
func (p pair) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+p.GOOS, "GOARCH="+p.GOARCH, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	return cmd
}

// pairs are those that Go knows, or those that a list names.
func pairs(only string) ([]pair, error) {
	list, err := exec.Command("go", "tool", "dist", "list", "-json").Output()
	if err != nil {
		return nil, fmt.Errorf("go tool dist list: %w", err)
	}
	var known, chosen []pair
	if err := json.Unmarshal(list, &known); err != nil {
		return nil, fmt.Errorf("go tool dist list: %w", err)
	}
	if only == "" {
		return known, nil
	}
	for name := range strings.SplitSeq(only, ",") {
		n := len(chosen)
		for _, p := range known {
			if p.String() == name {
				chosen = append(chosen, p)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("-pairs: Go knows no %q", name)
		}
	}
	return chosen, nil
}

// try checks the types of pairs, builds for some of them, prints what came of each, and writes a page.
func try(list []pair, builds func(i int) bool, page string) error {
	failed := 0
	table := typesOf(".", list)
	for i := range table {
		r := &table[i]
		if r.err == nil && builds(i) {
			r.what, r.err = r.pair.build(".")
		}
		if r.err != nil {
			failed++
			fmt.Printf("%-16s fails:\n%v\n", r.pair, r.err)
		} else {
			fmt.Printf("%-16s %s\n", r.pair, r.what)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d pairs fail", failed, len(list))
	}
	if page != "" {
		old, err := os.ReadFile(page)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.WriteFile(page, document(table, runtime.Version(), hosts(old)), 0o644)
	}
	return nil
}

// typesOf checks the types of pairs, as many at once as there are processors.
func typesOf(dir string, all []pair) []row {
	table, check := make([]row, len(all)), newChecker(dir)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range all {
		work.Go(func() error {
			table[i] = row{pair: p, what: "types hold", err: check.pair(p)}
			return nil
		})
	}
	_ = work.Wait()
	return table
}

// build builds all packages. Where Go wants a C toolchain to link programs, it tells so, and builds what
// is no program.
func (p pair) build(dir string) (what string, err error) {
	what = "builds"
	if text, err := p.command(dir, "build", "./...").CombinedOutput(); err != nil {
		reason, only := wantsLinker(string(text))
		if !only {
			return "", fmt.Errorf("go build ./...: %w\n%s", err, text)
		}
		what = "packages build; programs do not: " + reason
		// -e: to load such a program is an error already.
		list, err := p.command(dir, "list", "-e", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, "./...").Output()
		if err != nil {
			return "", fmt.Errorf("go list: %w", err)
		}
		if text, err := p.command(dir, append([]string{"build"}, strings.Fields(string(list))...)...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build, without programs: %w\n%s", err, text)
		}
	}
	return what, nil
}

// wantsLinker says whether all that go told is that programs for a pair need another linker.
func wantsLinker(text string) (reason string, only bool) {
	for line := range strings.Lines(text) {
		if reason = strings.TrimSpace(line); !strings.HasSuffix(reason, "requires external (cgo) linking, but cgo is not enabled") {
			return "", false
		}
	}
	return reason, reason != ""
}

// row is what came of a pair.
type row struct {
	pair pair
	what string
	err  error
}

// hosts is the part of a page about the driver, which internal/release writes.
func hosts(page []byte) []byte {
	const begin, end = "<!-- hosts:", "<!-- end of hosts -->\n"
	from, to := bytes.Index(page, []byte(begin)), bytes.Index(page, []byte(end))
	if from < 0 || to < from {
		return []byte(begin + " written by go run ./internal/release -hosts -->\n" + end)
	}
	return page[from : to+len(end)]
}

// document is the page of docs. driver is its part about the driver.
func document(table []row, version string, driver []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Systems and processors

All that %s knows, without cgo. "types hold": those of all packages and their tests, by the rules of Go's compiler. "builds":
`+"`CGO_ENABLED=0 go build ./...`"+`, too. What cannot be linked needs a C toolchain for that system; the reason is Go's.
`+"`go run ./internal/platforms -share 0/4 -out docs/platforms.md`"+` wrote this page, with builds for a fourth of the pairs (0/1: for
all). CI checks the types of a third of the pairs each time, and builds for one of them in turn.

Tests run on linux/amd64, on linux/386 where the system runs its programs (elsewhere some of linux/arm under qemu-user), on linux/arm64 under qemu-user, and on js/wasm those of what WebAssembly has of its own.

| pair | |
|---|---|
`, version)
	for _, r := range table {
		fmt.Fprintf(&b, "| %s | %s |\n", r.pair, r.what)
	}
	fmt.Fprintf(&b, `
## The Vulkan driver

The driver is for Linux, and needs cgo. `+"`go run ./internal/release -hosts docs/platforms.md`"+` builds it for all processors, puts the files of
the Debian package into a root of each system, and runs there: `+"`driver/testdata/triangle.c`"+`, which loads the driver itself ("loads") and whose picture must be
the same on all; vulkaninfo, through the system's Vulkan loader; vkcube, five frames in a window of Xvfb. "unrun" is what was not run.

%s`, driver)
	return b.Bytes()
}
