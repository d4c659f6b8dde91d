package proof

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// LedgerFile is where the ledger lies, below the module's root.
const LedgerFile = "conformance/testdata/rules-proven.txt"

// An Entry is what is known of a rule.
type Entry struct {
	Rule string
	// Proven: a test that claims the rule failed when code on the users' path that
	// cites it was changed.
	Proven bool
	Code   string // Hash of the places that were changed
	Note   string // that test, as "folder.TestName"; else why the rule is not proven
}

const ledgerHead = `# Which rules are proven: a test that claims the rule (rules.Covers) failed when code on the users'
# path that cites the rule was changed. A line is the rule, the outcome, a hash of the code that cites
# it, and the test, or why there is none. Written by: go run ./conformance/_mutate -rules -update
`

// ReadLedger reads the ledger.
func ReadLedger(path string) (map[string]Entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]Entry{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		f := strings.Fields(lines.Text())
		if len(f) < 4 || f[1] != "proven" && f[1] != "open" {
			return nil, fmt.Errorf("%s:%d: not a rule, proven or open, a hash and a note", path, n)
		}
		if _, twice := out[f[0]]; twice {
			return nil, fmt.Errorf("%s:%d: %s is there twice", path, n, f[0])
		}
		out[f[0]] = Entry{Rule: f[0], Proven: f[1] == "proven", Code: f[2], Note: strings.Join(f[3:], " ")}
	}
	return out, lines.Err()
}

// WriteLedger writes the ledger, in the order of rules.
func WriteLedger(path string, ledger map[string]Entry) error {
	var out bytes.Buffer
	out.WriteString(ledgerHead)
	var ids []string
	for id := range ledger {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		e := ledger[id]
		outcome := "open  "
		if e.Proven {
			outcome = "proven"
		}
		fmt.Fprintf(&out, "%s %s %s %s\n", id, outcome, e.Code, e.Note)
	}
	return os.WriteFile(path, out.Bytes(), 0o666)
}

// Check holds the ledger against claims and places as they are now. Errors are rules
// without an entry or a claim, and proven ones whose proof is gone: the test claims the
// rule no more, or no code on the users' path cites it. changed are proven rules whose
// code has changed since; conformance/_mutate -rules -changed tries them again.
func Check(ids []string, ledger map[string]Entry, claims map[string][]string, places map[string][]Place) (changed []string, errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, id := range ids {
		e, ok := ledger[id]
		switch {
		case !ok:
			fail("%s has no line in %s: go run ./conformance/_mutate -rules -short -changed -update writes it", id, LedgerFile)
		case len(claims[id]) == 0:
			fail("%s: no test claims it any more", id)
		case !e.Proven:
		case !slices.Contains(claims[id], e.Note):
			fail("%s was proven by %s, which claims it no more", id, e.Note)
		case !slices.ContainsFunc(places[id], func(p Place) bool { return p.Side == Path }):
			fail("%s was proven, and no code on the users' path cites it any more", id)
		case Hash(places[id]) != e.Code:
			changed = append(changed, id)
		}
	}
	return changed, errs
}
