package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

// toy runs the tool over its toy package.
func toy(t *testing.T, change func(*config)) *Result {
	t.Helper()
	c := config{dir: ".", pkg: "./testdata/toy", slow: 10 * time.Second, budget: time.Minute, log: io.Discard}
	if change != nil {
		change(&c)
	}
	res, err := run(c)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRun_Toy(t *testing.T) {
	res := toy(t, nil)
	if len(res.Left) != 0 {
		t.Fatalf("with all mutants off: %v", res.Left)
	}
	got := map[string]string{}
	for _, o := range res.Outcomes {
		got[o.Key] = o.Result + " " + o.By
	}
	for key, want := range map[string]string{
		"Clamp x < lo → true":          "killed TestClamp",
		"Clamp x < lo → >=":            "killed TestClamp",
		"Clamp x < lo → <=":            "survived ", // for x == lo both give lo
		"Clamp return hi → zero":       "killed TestClamp",
		"Sum n > 0 → >=":               "survived ", // adds 0
		"Sum loop while n > 0 → never": "killed TestSum",
		"Sum n-- deleted":              "timeout ",
		"Sum s += n → -=":              "killed TestSum",
		"Untested x + 1 → x - 1":       "not reached ",
		"Loose x * 3 → x / 3":          "survived ",
		"Zoo a & b → a | b":            "killed TestZoo",
		"Zoo a &= 13 → |=":             "survived ",
		"Zoo -a → a":                   "killed TestZoo",
		`Zoo m["x"] += 2 deleted`:      "killed TestZoo",
		"Zoo continue deleted":         "killed TestZoo",
		"Zoo l = high deleted":         "killed TestZoo",
		"Zoo p != nil && (*p > limit || !(b < 0)) → left only": "survived ",
		"Zoo p != nil && (*p > limit || !(b < 0)) → ||":        "survived ",
		"Zoo *p > limit || !(b < 0) → &&":                      "survived ",
		" 1 << 3 → 1 << 3 + 1":                                 "survived ", // its turn is skipped
		" -4 → -4 - 1":                                         "killed TestZoo",
	} {
		key = "conformance/_mutate/testdata/toy/toy.go " + key
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if t.Failed() {
		for k, v := range got {
			t.Log(k, "=", v)
		}
	}
}

// A sample is the same for a seed; a second run is over what the first left.
func TestRun_SampleAndAgain(t *testing.T) {
	sample := func(c *config) { c.n, c.seed = 40, 7 }
	a, b := toy(t, sample), toy(t, sample)
	if len(a.Outcomes) != 40 || a.row() != b.row() || !strings.Contains(a.row(), "±") {
		t.Fatalf("%s\n%s", a.row(), b.row())
	}
	for i := range a.Outcomes {
		if a.Outcomes[i] != b.Outcomes[i] {
			t.Errorf("%v, then %v", a.Outcomes[i], b.Outcomes[i])
		}
	}
	again := toy(t, func(c *config) { c.again = a })
	if again.row() != a.row() {
		t.Errorf("again: %s, was %s", again.row(), a.row())
	}
}
