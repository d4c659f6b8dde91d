package core

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/pumice-gpu/pumice/internal/ir"
	"github.com/pumice-gpu/pumice/internal/spirv/dis"
)

// dump prints shaders as they are compiled, for people who look for the reason
// of a picture or of a time. The environment variable PUMICE_DUMP chooses:
// "spirv" for modules, "ir" for the program after each pass, "mir" for the instructions that
// it becomes where it becomes machine code, with inputs, tests, image instructions and stores that were put into it,
// "code" for their bytes, or several with commas between; the text goes to standard error. "perf"
// writes where machine code is into the map of names that perf reads.
type dump struct {
	spirv, ir, mir, code, perf bool

	mu sync.Mutex
	to io.Writer
}

func newDump(setting string, to io.Writer) *dump {
	d := &dump{to: to}
	for what := range strings.SplitSeq(setting, ",") {
		switch strings.TrimSpace(what) {
		case "":
		case "spirv":
			d.spirv = true
		case "ir":
			d.ir = true
		case "mir":
			d.mir = true
		case "code":
			d.code = true
		case "perf":
			d.perf = true
		default:
			fmt.Fprintf(to, "pumice: PUMICE_DUMP=%s: %q is neither spirv, ir, mir, code nor perf\n", setting, what)
		}
	}
	return d
}

// environment's dump is the same for all devices of the process.
var environmentDump = sync.OnceValue(func() *dump { return newDump(os.Getenv("PUMICE_DUMP"), os.Stderr) })

func (c Config) dump() *dump {
	if c.Dump != "" {
		return newDump(c.Dump, os.Stderr)
	}
	return environmentDump()
}

// perfMap returns the file /tmp/perf-PID.map, which perf looks for, or nil where it cannot be made
// anew: what is there, a link say, may be somebody else's.
var perfMap = sync.OnceValue(func() io.Writer {
	f, err := os.OpenFile(fmt.Sprintf("/tmp/perf-%d.map", os.Getpid()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintf(os.Stderr, "pumice: PUMICE_DUMP=perf: %v\n", err)
		return nil
	}
	return f
})

// module prints a module before anything is known of it, so that one that is
// rejected can be read, too.
func (d *dump) module(code []byte) {
	if !d.spirv {
		return
	}
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	d.print(fmt.Sprintf("; a module of %d words\n%s", len(words), dis.Text(words)))
}

// optimize runs the passes over p, and prints what each makes of it where that is asked for.
func (d *dump) optimize(entry string, stage ir.Stage, p *ir.Program) {
	if !d.ir {
		ir.Optimize(p)
		return
	}
	var text strings.Builder
	last := p.String()
	fmt.Fprintf(&text, "; entry point %s, stage %d\n%s", entry, stage, last)
	ir.OptimizeSeen(p, func(pass string) {
		now := p.String()
		if now == last {
			fmt.Fprintf(&text, "; after %s: the same\n", pass)
			return
		}
		fmt.Fprintf(&text, "; after %s\n%s", pass, now)
		last = now
	})
	d.print(text.String())
}

// prints tells whether anything is printed, in the order of the calls.
func (d *dump) prints() bool { return d.spirv || d.ir }

// Write implements io.Writer: p is one text.
func (d *dump) Write(p []byte) (int, error) {
	d.print(string(p))
	return len(p), nil
}

// print writes one text as a whole: devices compile side by side.
func (d *dump) print(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	io.WriteString(d.to, text)
}
