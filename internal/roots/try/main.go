// Command try runs the README's two commands on machines that are not this one: in clean roots of Debian releases, with
// nothing but Go, with a C compiler, in bad surroundings, and with all that comparisons with other programs take, where it
// makes those, too.
//
//	go run ./internal/roots/try                                  # all cells, and docs/machines.md with -o
//	go run ./internal/roots/try -releases host -kinds gcc        # as .ci/run does
//	go run ./internal/roots/try -releases host -kinds bare -short
//
// It clones this repository's last commit. A test that fails is printed, and the exit code is 1.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pumice-gpu/pumice/internal/roots"
)

func main() {
	log.SetFlags(log.Ltime)
	releases := flag.String("releases", "bookworm,trixie,sid", "Debian's releases; host is that of this machine")
	names := flag.String("kinds", strings.Join(kindNames(), ","), "kinds of machines; none where it is empty, for the table of -results")
	dir := flag.String("dir", "", "a folder in which roots are kept for the next run; one that goes where it is empty")
	cache := flag.String("cache", "", "a folder for what Go has built, for all cells; each cell builds all where it is empty")
	short := flag.Bool("short", false, "fewer cases, and only of tests that may start a program, where another cell takes them all")
	out := flag.String("o", "", "write the table to this page (docs/machines.md)")
	results := flag.String("results", "", "a file with what earlier runs have found, for the table; cells of this run replace theirs")
	packages := flag.Bool("packages", false, "print Debian's packages that comparisons take on this machine, and end")
	flag.Parse()
	if *packages {
		fmt.Println(strings.Join(comparing(roots.Host()), "\n"))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cells, err := run(ctx, strings.Split(strings.Replace(*releases, "host", roots.Host(), 1), ","), strings.Split(*names, ","), *dir, *cache, *short)
	all := cells
	if err == nil && *results != "" {
		if all, err = withResults(*results, cells); err == nil {
			err = writeResults(*results, all)
		}
	}
	if err == nil && *out != "" {
		err = os.WriteFile(*out, []byte(page(all, *cache != "")), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
	passed, failed, skipped := 0, 0, 0
	for _, c := range cells {
		for _, s := range c.Steps {
			passed, failed, skipped = passed+s.Passed, failed+s.broken(), skipped+len(s.Skipped)
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 {
		os.Exit(1)
	}
}

// cell is one kind of machine of one release, and what happened there.
type cell struct {
	Release string
	Kind    string
	Steps   []step
}

func (c cell) kind() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == c.Kind })]
}

// withResults puts cells to those in a file, in the order of releases and kinds.
func withResults(file string, cells []cell) ([]cell, error) {
	var old []cell
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &old)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	all := slices.Clone(cells)
	for _, c := range old {
		if !slices.ContainsFunc(cells, func(x cell) bool { return x.Release == c.Release && x.Kind == c.Kind }) {
			all = append(all, c)
		}
	}
	place := func(c cell) int { return slices.Index(kindNames(), c.Kind) }
	slices.SortFunc(all, func(a, b cell) int { return cmp.Or(cmp.Compare(a.Release, b.Release), place(a)-place(b)) })
	return all, nil
}

func writeResults(file string, cells []cell) error {
	data, err := json.MarshalIndent(cells, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// run makes the roots one after the other and runs the steps in them.
func run(ctx context.Context, releases, names []string, dir, cache string, short bool) (cells []cell, err error) {
	if why := roots.Cannot("git"); why != "" {
		return nil, fmt.Errorf("not tried: %s", why)
	}
	work, err := os.MkdirTemp("", "pumice-try-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if dir == "" {
		dir = filepath.Join(work, "roots")
	}
	t := trial{dir: dir, cache: cache, short: short, work: work, source: filepath.Join(work, "source")}
	if t.goroot, err = output("go", "env", "GOROOT"); err != nil {
		return nil, err
	}
	if t.modules, err = output("go", "env", "GOMODCACHE"); err != nil {
		return nil, err
	}
	top, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	if _, err := output("git", "clone", "--quiet", "--no-hardlinks", top, t.source); err != nil {
		return nil, err
	}
	if err := os.Chmod(work, 0o755); err != nil { // nobody reads there
		return nil, err
	}
	for _, release := range releases {
		for _, name := range names {
			if name == "" { // the table of earlier runs alone
				continue
			}
			i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
			if i < 0 {
				return nil, fmt.Errorf("there is no kind %q: %s", name, strings.Join(kindNames(), ", "))
			}
			c, err := t.cell(ctx, release, kinds[i])
			if err != nil {
				return nil, err
			}
			cells = append(cells, c)
		}
	}
	return cells, nil
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// trial is what all cells share.
type trial struct {
	dir, cache, work, source, goroot, modules string
	short                                     bool
}

// cell makes the root of a kind, if it is not there, and runs the steps in it.
func (t trial) cell(ctx context.Context, release string, k kind) (cell, error) {
	c := cell{Release: release, Kind: k.name}
	root := filepath.Join(t.dir, release+"-"+k.root())
	if _, err := os.Stat(root); err != nil {
		start := time.Now()
		if err := os.MkdirAll(t.dir, 0o755); err != nil {
			return c, err
		}
		if err := roots.Make(ctx, root, release, k.packages(release)...); err != nil {
			return c, err
		}
		log.Printf("%s %s: a root in %s", release, k.root(), time.Since(start).Round(time.Second))
	}
	cache, temporary := t.cache, filepath.Join(t.work, "tmp of "+k.name)
	if cache == "" || k.user != "" { // whose files are another user's
		cache = filepath.Join(t.work, "cache")
		if err := removeAll(cache); err != nil {
			return c, err
		}
	}
	for _, d := range []string{cache, temporary} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return c, err
		}
		if err := os.Chmod(d, 0o777); err != nil { // nobody writes there
			return c, err
		}
	}
	source := "/src/pumice"
	in := roots.Inside{Root: root, User: k.user, Env: []string{
		"PATH=" + k.path + "/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
		"GOCACHE=/go cache", "GOMODCACHE=/modules", "GOPROXY=off", "GOTOOLCHAIN=local", "GOENV=off",
	}}
	if k.user == "" {
		in.Env = append(in.Env, "HOME=/root")
	} else {
		source = "/read only/pumice of a tarball"
	}
	if k.prepare != nil {
		if err := k.prepare(root); err != nil {
			return c, err
		}
	}
	in.Env = append(in.Env, "TMPDIR=/tmp of a test")
	in.Dir = source
	in.Mounts = []roots.Mount{
		{From: t.goroot, To: "/usr/local/go", ReadOnly: true}, {From: t.modules, To: "/modules", ReadOnly: true},
		{From: t.source, To: source, ReadOnly: k.user != ""}, {From: cache, To: "/go cache"}, {From: temporary, To: "/tmp of a test"},
	}
	for _, s := range k.steps {
		if t.short && slices.Contains(s, "test") {
			packages, err := starting(t.source)
			if err != nil {
				return c, err
			}
			s = slices.Concat([]string{"go", "test", "-json", "-short"}, packages)
		}
		if t.cache != "" && slices.Contains(s, "test") {
			s = slices.Insert(slices.Clone(s), 2, "-count=1") // what was found in another cell is not taken for this one
		}
		log.Printf("%s %s: %s", release, k.name, abridged(s))
		start := time.Now()
		cmd := in.Command(ctx, s...)
		result := runStep(cmd, s)
		result.Took = time.Since(start)
		log.Printf("%s %s: %s", release, k.name, result)
		result.print(os.Stdout)
		c.Steps = append(c.Steps, result)
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
	}
	c.Steps[0].Picture = digest(filepath.Join(temporary, "teapot.png"))
	return c, removeAll(temporary)
}

// starting lists the packages whose tests may start a program. Nothing else tells machines with the same Go apart.
func starting(source string) ([]string, error) {
	const each = `{{if .ForTest}}{{range .Deps}}{{if eq . "os/exec"}}{{$.ForTest}}{{"\n"}}{{end}}{{end}}{{end}}`
	list, err := output("go", "list", "-C", source, "-test", "-f", each, "./...")
	names := strings.Fields(list)
	slices.Sort(names)
	return slices.Compact(names), err
}

// abridged is a command for the log: of many arguments, the first, and how many more there are.
func abridged(args []string) string {
	const most = 8
	if len(args) <= most {
		return strings.Join(args, " ")
	}
	return fmt.Sprintf("%s … and %d more", strings.Join(args[:most], " "), len(args)-most)
}

// digest is the beginning of a file's SHA-256, or why it cannot be read.
func digest(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))[:12]
}

// removeAll removes a folder with what tests have left read-only.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = exec.Command("chmod", "-R", "u+w", path).Run()
	return os.RemoveAll(path)
}
