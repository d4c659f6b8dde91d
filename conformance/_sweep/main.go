// Command _sweep draws and computes with random states, as a Vulkan client, and tells what a fragment, a vertex or an invocation
// costs in each: whether a state is much dearer than others of its class, and how our driver stands to another one, whose pictures
// it compares, too. It writes a page for docs. It takes gcc, glslangValidator and Vulkan's loader and headers.
//
//	go run ./conformance/_sweep -beside lavapipe.json -n 300 -seed 1 -out docs/sweep.md
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// class is a kind of states: what is counted in it, and how a random one is made.
type class struct {
	name, unit string
	make       func(r *rand.Rand) *state
}

var classes = []class{
	{"colour", "sample of a fragment", colors},
	{"tests", "sample of a fragment", tests},
	{"samplers", "fragment", samplers},
	{"shaders", "fragment", shaders},
	{"vertices", "vertex", vertices},
	{"compute", "invocation", compute},
}

// result is a state and what came of it.
type result struct {
	*state
	number          int
	class           string
	ours, peer      times
	differ, meanOff float64 // share of texels or words that differ, and by how much on average
}

// wall and cpu are how much faster we are than the peer.
func (x *result) wall() float64 { return x.peer.wall / x.ours.wall }
func (x *result) cpu() float64  { return x.peer.cpu / x.ours.cpu }

func main() {
	log.SetFlags(0)
	var o options
	flag.IntVar(&o.n, "n", 300, "how many states")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random numbers")
	flag.StringVar(&o.driver, "driver", "", "the manifest of our driver; the one of this tree, which is built, if empty")
	flag.StringVar(&o.beside, "beside", "", "the manifest of another driver")
	flag.StringVar(&o.class, "class", "", "only states of this class")
	flag.IntVar(&o.rounds, "rounds", 7, "how often a state is measured on each driver, in turn")
	flag.IntVar(&o.threads, "threads", 2, "workers of our driver, and of lavapipe")
	flag.DurationVar(&o.limit, "for", time.Hour, "after how long no more states are drawn")
	flag.StringVar(&o.machine, "machine", "", "what the page calls the machine")
	flag.StringVar(&o.keep, "keep", "", "a folder for the states: N.state for the client's standard input, N.txt with the shaders")
	out := flag.String("out", "", "where the page goes; standard output if empty")
	flag.Parse()
	page, err := o.run()
	if err == nil {
		if *out == "" {
			_, err = os.Stdout.Write(page)
		} else {
			err = os.WriteFile(*out, page, 0o666)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

// options are the command's.
type options struct {
	n, rounds, threads          int
	seed                        uint64
	driver, beside, class, keep string
	machine                     string
	limit                       time.Duration
	folder, program             string // where the client is, and the client
}

// run measures all states and returns the page.
func (o *options) run() ([]byte, error) {
	var err error
	if o.folder, err = os.MkdirTemp("", "sweep"); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(o.folder) }()
	o.program = filepath.Join(o.folder, "client")
	if o.keep != "" {
		o.program = filepath.Join(o.keep, "client")
	}
	if text, err := exec.Command("gcc", "-O1", "-o", o.program, "conformance/_sweep/client/client.c", "-lvulkan").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the client in the project's folder: %w\n%s", err, text)
	}
	if o.driver == "" {
		text, err := exec.Command("go", "run", "./cmd/pumice", "run", "sh", "-c", "echo $VK_DRIVER_FILES").Output()
		if err != nil {
			return nil, fmt.Errorf("building our driver: %w", err)
		}
		o.driver = strings.TrimSpace(string(text))
	}
	of := slices.Clone(classes)
	if o.class != "" {
		of = slices.DeleteFunc(of, func(c class) bool { return c.name != o.class })
		if len(of) == 0 {
			return nil, fmt.Errorf("no class %q", o.class)
		}
	}
	var all []*result
	redrawn, start := 0, time.Now()
	for i := 0; i < o.n && time.Since(start) < o.limit; i++ {
		for again := uint64(0); ; again++ {
			c := of[i%len(of)]
			x := &result{state: c.make(rand.New(rand.NewPCG(o.seed<<32+uint64(i), again))), number: i, class: c.name}
			ok, err := o.measure(x)
			if err != nil {
				return nil, fmt.Errorf("state %d, %s, %s: %w", i, x.class, x.name, err)
			}
			if ok {
				all = append(all, x)
				log.Printf("%4d %-8s %9.2f ns, wall %5.2f, CPU %5.2f, %.4f differ by %.4f: %s", i, x.class, x.ours.cpu, x.wall(), x.cpu(), x.differ, x.meanOff, x.name)
				break
			}
			redrawn++
		}
	}
	return o.page(all, redrawn), nil
}
