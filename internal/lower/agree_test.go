package lower_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/lower"
	"github.com/pumice-gpu/pumice/internal/spirv"
)

// Mutants of a run of TestAgreement_Mutants; PUMICE_MUTANTS asks for another
// number, PUMICE_MUTANTS_DIR for a folder that gets those with two verdicts. Of
// 100 mutants the verdicts may differ for disagreements at most: one differs
// today, and docs/spirv-validation.md says on what.
const (
	mutantsOfATest = 300
	disagreements  = 3
)

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

// toolAccepts is the verdict of spirv-val.
func toolAccepts(t *testing.T, tool string, words []uint32) (bool, string) {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout", "-")
	cmd.Stdin = &b
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

var idInMessage = regexp.MustCompile(`'?\d+\[%[^\]]*\]'?|%\w+|\b\d+\b|'[^']*'|line`)

// class is a message of a tool without names and numbers.
func class(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return idInMessage.ReplaceAllString(first, "_")
}

// TestAgreement_Mutants compares our verdict on modules, the parser's, the
// validator's and lowering's together, with that of spirv-val: on the modules of
// the tests, and on mutants of them.
func TestAgreement_Mutants(t *testing.T) {
	tool, err := exec.LookPath("spirv-val")
	if err != nil {
		t.Skip("spirv-val is not installed (Debian: spirv-tools)")
	}
	files, _ := filepath.Glob("testdata/*.spv")
	more, _ := filepath.Glob("../../conformance/testdata/shaders/*/*.spv")
	n := mutantsOfATest
	if v, err := strconv.Atoi(os.Getenv("PUMICE_MUTANTS")); err == nil {
		n = v
	}
	var modules [][]uint32
	for _, f := range append(files, more...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		// An older tool does not know all that modules here hold, and some are
		// there to be refused.
		if ok, _ := toolAccepts(t, tool, words); ok && !strings.Contains(f, "hostile") {
			if err := accepts(words); err != nil {
				t.Errorf("spirv-val accepts %s: %v", f, err)
				continue
			}
			modules = append(modules, words)
		}
	}
	r := rand.New(rand.NewPCG(5, 7))
	both, neither := 0, 0
	type disagreement struct {
		n       int
		example string
	}
	lax, strict := map[string]*disagreement{}, map[string]*disagreement{}
	note := func(m map[string]*disagreement, key, example string) {
		if m[key] == nil {
			m[key] = &disagreement{example: example}
		}
		m[key].n++
	}
	for k := range n {
		w := mutant(r, modules[r.IntN(len(modules))])
		ours := accepts(w)
		theirs, message := toolAccepts(t, tool, w)
		switch {
		case ours == nil && theirs:
			both++
		case ours != nil && !theirs:
			neither++
		case ours == nil:
			note(lax, class(message), message)
		default:
			note(strict, class(ours.Error()), ours.Error())
		}
		if dir := os.Getenv("PUMICE_MUTANTS_DIR"); dir != "" && (ours == nil) != theirs {
			var b bytes.Buffer
			binary.Write(&b, binary.LittleEndian, w)
			os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.spv", k)), b.Bytes(), 0o644)
		}
	}
	t.Logf("%d mutants of %d modules: both accept %d, both refuse %d", n, len(modules), both, neither)
	show := func(what string, m map[string]*disagreement) {
		var keys []string
		total := 0
		for k, d := range m {
			keys = append(keys, k)
			total += d.n
		}
		slices.SortFunc(keys, func(a, b string) int { return m[b].n - m[a].n })
		t.Logf("%s: %d", what, total)
		for _, k := range keys {
			t.Logf("%5d %s", m[k].n, strings.TrimSpace(m[k].example))
		}
	}
	show("only we accept", lax)
	show("only spirv-val accepts", strict)
	if differ := n - both - neither; 100*differ > disagreements*n {
		t.Errorf("the verdicts on %d of %d mutants differ; %d of 100 may", differ, n, disagreements)
	}
	if both < n/20 || neither < n/20 {
		t.Errorf("of %d mutants both accept %d and refuse %d: the test reaches nothing", n, both, neither)
	}
}
