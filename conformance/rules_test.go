package conformance_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/internal/rules/proof"
)

// TestRules prints which tests cover which rule of the catalogues: go test
// ./conformance -run Rules -v. A rule is proven when one of these tests was seen to
// fail where users' code for the rule was changed; the ledger names that test, and it
// has to go on claiming the rule.
func TestRules(t *testing.T) {
	table, errs := proof.Claims("..")
	for _, err := range errs {
		t.Error(err)
	}
	places, err := proof.Places("..", proof.SideOf)
	if err != nil {
		t.Fatal(err)
	}
	if err := proof.AddCases("..", places); err != nil {
		t.Fatal(err)
	}
	ledger, err := proof.ReadLedger(filepath.Join("..", filepath.FromSlash(proof.LedgerFile)))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, prefix := range []string{"IMG", "RAS", "TC", "RC"} {
		all, n := rules.All(prefix), 0
		var missing []string
		for _, id := range all {
			known[id] = true
			if tests := table[id]; tests != nil {
				n++
				t.Logf("%s: %s", rules.Name(id), strings.Join(tests, ", "))
			} else {
				missing = append(missing, id)
			}
		}
		for _, id := range missing {
			t.Errorf("not covered: %s", rules.Name(id))
		}
		t.Logf("%s covered %d of %d", prefix, n, len(all))
		proven(t, prefix, all, ledger, table, places)
	}
	for id := range ledger {
		if !known[id] {
			t.Errorf("%s: the ledger has it, and no catalogue", id)
		}
	}
	for id, tests := range table {
		if !known[id] {
			t.Errorf("%s: no catalogue has rule %s", tests[0], id)
		}
	}
}

// proven holds the ledger of a catalogue's rules against claims and places: a rule that is not proven is
// not covered.
func proven(t *testing.T, prefix string, all []string, ledger map[string]proof.Entry, claims map[string][]string, places map[string][]proof.Place) {
	changed, errs := proof.Check(all, ledger, claims, places)
	for _, err := range errs {
		t.Error(err)
	}
	n := 0
	for _, id := range all {
		if e := ledger[id]; e.Proven {
			n++
		} else {
			t.Errorf("not covered: %s: %s", rules.Name(id), e.Note)
		}
	}
	t.Logf("%s proven %d of %d; the code of %d has changed since", prefix, n, len(all), len(changed))
}
