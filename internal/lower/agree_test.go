package lower_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/outside"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Of 100 mutants the verdicts may differ for disagreements at most: fewer than one
// differs today, and docs/spirv-validation.md says on what.
const disagreements = 3

// instructionsOf cuts a module into instructions.
func instructionsOf(words []uint32) (list [][]uint32) {
	for at := 5; at < len(words); {
		n := max(int(words[at]>>16), 1)
		list = append(list, words[at:min(at+n, len(words))])
		at += n
	}
	return list
}

// mutant changes one instruction of a module: an operand, its opcode, its place
// or whether it is there.
func mutant(r *rand.Rand, words []uint32) []uint32 {
	list := instructionsOf(words)
	var from int // not the capabilities, memory model and so on
	for i, in := range list {
		if op := spirv.Op(in[0]); op == spirv.OpEntryPoint || op == spirv.OpMemoryModel {
			from = i
		}
	}
	i := from + r.IntN(len(list)-from)
	in := slices.Clone(list[i])
	out := slices.Clone(list)
	operand := func() *uint32 {
		if len(in) == 1 {
			return &in[0]
		}
		return &in[1+r.IntN(len(in)-1)]
	}
	switch r.IntN(8) {
	case 0:
		out = slices.Delete(out, i, i+1)
	case 1:
		k := from + r.IntN(len(list)-from)
		out[i], out[k] = out[k], out[i]
	case 2:
		in[0] += uint32(r.IntN(7)) - 3
		out[i] = in
	case 3:
		*operand() = uint32(r.IntN(9))
		out[i] = in
	case 4: // the same operand of another instruction
		other := list[from+r.IntN(len(list)-from)]
		if k := 1 + r.IntN(max(len(in)-1, 1)); k < len(in) && k < len(other) {
			in[k] = other[k]
		}
		out[i] = in
	default:
		*operand() = 1 + r.Uint32N(words[3]-1)
		out[i] = in
	}
	w := slices.Clone(words[:5])
	for _, in := range out {
		w = append(w, in...)
	}
	return w
}

// accepts says whether all entry points of a module compile, or why not.
func accepts(words []uint32) error {
	m, err := spirv.Parse(words)
	if err != nil {
		return err
	}
	for _, e := range m.EntryPoints {
		if _, err := lower.Compile(m, e.Name, lower.Options{}); err != nil {
			return err
		}
	}
	return nil
}

// subject is a module whose mutants have verdicts.
type subject struct {
	path  string // from the root
	words []uint32
}

// subjects are the modules of tests, but those that are there to be refused.
func subjects(t *testing.T) (list []subject) {
	t.Helper()
	root := os.DirFS("../..")
	for _, pattern := range []string{"internal/lower/testdata/*.spv", "conformance/testdata/shaders/*/*.spv"} {
		files, err := fs.Glob(root, pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			data, err := fs.ReadFile(root, f)
			if err != nil {
				t.Fatal(err)
			}
			words := make([]uint32, len(data)/4)
			for i := range words {
				words[i] = binary.LittleEndian.Uint32(data[4*i:])
			}
			if !strings.Contains(f, "hostile") {
				list = append(list, subject{f, words})
			}
		}
	}
	return list
}

// digest tells a module from another.
func (s subject) digest() string {
	sum := sha256.Sum256(bytesOf(s.words))
	return hex.EncodeToString(sum[:8])
}

func bytesOf(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// mutants are n of the module, the same in every run.
func (s subject) mutants(n int) (list [][]uint32) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.path))
	r := rand.New(rand.NewPCG(5, h.Sum64()))
	for range n {
		list = append(list, mutant(r, s.words))
	}
	return list
}

// agreement counts verdicts, and keeps an example of each kind that differs.
type agreement struct {
	both, neither int
	lax, strict   map[string]*disagreement
}

type disagreement struct {
	n       int
	example string
}

// add takes two verdicts on a mutant: ours, and that of spirv-val with its message.
func (a *agreement) add(ours error, theirs bool, message string) {
	note := func(m *map[string]*disagreement, message string) {
		if *m == nil {
			*m = map[string]*disagreement{}
		}
		key := class(message)
		if (*m)[key] == nil {
			(*m)[key] = &disagreement{example: message}
		}
		(*m)[key].n++
	}
	switch {
	case ours == nil && theirs:
		a.both++
	case ours != nil && !theirs:
		a.neither++
	case ours == nil:
		note(&a.lax, message)
	default:
		note(&a.strict, ours.Error())
	}
}

var idInMessage = regexp.MustCompile(`'?\d+\[%[^\]]*\]'?|%\w+|\b\d+\b|'[^']*'|line`)

// class is a message of a tool without names and numbers.
func class(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return idInMessage.ReplaceAllString(first, "_")
}

// check fails where more verdicts differ than may.
func (a *agreement) check(t *testing.T) {
	t.Helper()
	differ := 0
	show := func(what string, m map[string]*disagreement) {
		total := 0
		for _, d := range m {
			total += d.n
		}
		differ += total
		t.Logf("%s: %d", what, total)
		for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b string) int { return m[b].n - m[a].n }) {
			t.Logf("%5d %s", m[k].n, strings.TrimSpace(m[k].example))
		}
	}
	show("only we accept", a.lax)
	show("only spirv-val accepts", a.strict)
	n := a.both + a.neither + differ
	t.Logf("%d mutants: both accept %d, both refuse %d", n, a.both, a.neither)
	if 100*differ > disagreements*n {
		t.Errorf("the verdicts on %d of %d mutants differ; %d of 100 may", differ, n, disagreements)
	}
	if n == 0 || a.both < n/20 || a.neither < n/20 {
		t.Errorf("of %d mutants both accept %d and refuse %d: the test reaches nothing", n, a.both, a.neither)
	}
}

// recordedVerdicts has what spirv-val said, by the module's path: the module's digest, the tool's version, and for the module
// and each of its mutants 1 where it was accepted and 0 where not. A module that was not has no mutants.
const recordedVerdicts = "testdata/spirv-val.txt"

// Our verdict on modules, the parser's, the validator's and lowering's together, is that of spirv-val: on
// the modules of tests, and on nearly all mutants of them.
func TestAgreement_AsRecorded(t *testing.T) {
	r := outside.ReadRecord(t, recordedVerdicts)
	var a agreement
	for _, s := range subjects(t) {
		recorded := strings.Fields(r.Values[s.path])
		if len(recorded) != 3 || recorded[0] != s.digest() {
			t.Errorf("%s is new or was changed: %s", s.path, outside.Anew)
			continue
		}
		verdicts := recorded[2]
		if verdicts[0] != '1' {
			continue
		}
		if err := accepts(s.words); err != nil {
			t.Errorf("spirv-val accepts %s: %v", s.path, err)
		}
		for i, w := range s.mutants(len(verdicts) - 1) {
			a.add(accepts(w), verdicts[1+i] == '1', "the tool's reason is not recorded")
		}
	}
	a.check(t)
}
