package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every kind of corner is made, changes nothing while it is off, is killed where a test looks at it, and is
// reached only where it makes a difference.
func TestCorners_Toy(t *testing.T) {
	res := toy(t, func(c *config) { c.pkg, c.family = "./testdata/cornertoy", byCorner })
	if len(res.Left) != 0 {
		t.Fatalf("with all mutants off: %v", res.Left)
	}
	got, kind := map[string]string{}, map[string]int{}
	for _, o := range res.Outcomes {
		key := strings.TrimPrefix(o.Key, "conformance/_mutate/testdata/cornertoy/corners.go ")
		got[key] = o.Kind + " " + o.Result + " " + o.By
		kind[o.Kind]++
	}
	for key, want := range map[string]string{
		" green → the next row's blue":                                         "row killed TestTables",
		" 6 → the next row's 5":                                                "row killed TestTables",
		" 0.5 → the next row's 0":                                              "row survived ", // nobody asks for weights
		" red is no key":                                                       "row killed TestTables",
		" 8 → the next row's 16":                                               "row killed TestTables",
		" 3 → the next row's 5":                                                "row killed TestTables",
		" 5 → the next row's 2":                                                "row survived ", // the last prime
		"Name case green → as red":                                             "case killed TestName",
		"Name case green → as no case":                                         "case killed TestName",
		"Name case blue → as no case":                                          "case survived ", // blue's name is thrown away
		"Bits e.name == c → && c != green":                                     "condition killed TestTables",
		"Bits e.name == c → || e.name == red":                                  "condition killed TestTables",
		"At i < len(m.list) && m.list[i] == 3 → && i != 3":                     "condition not reached ",
		"Sum range list without its last":                                      "loop killed TestSum",
		"Sum range list without its last #2":                                   "loop killed TestSum",
		"Sum range list without its first":                                     "loop survived ", // adds 0
		"Sum for i < n without its last":                                       "loop killed TestSum",
		"Sum range n without its last":                                         "loop killed TestSum",
		"Sum range n without its last #2":                                      "loop killed TestSum",
		"Sum range n without its first":                                        "loop killed TestSum",
		"Sum range [2]int{1, 2} without its first":                             "loop killed TestSum",
		"Sum s += 100 * i, not for i == 2":                                     "statement not reached ", // of two
		"Fill out[i] = i + 1, not for i == 2":                                  "statement killed TestSum",
		"Fill range out without its last":                                      "loop killed TestSum",
		"Clamp 1 → a unit higher":                                              "end killed TestNumbers",
		"Clamp 0 → a unit lower":                                               "end killed TestNumbers",
		"Above x > 0.5 → the constant a unit lower":                            "end killed TestNumbers",
		"Above x > 0.5 → contrary for NaN":                                     "nan killed TestNumbers",
		"Less x < y → the other way where they are equal":                      "tie killed TestNumbers",
		"Less x < y → contrary for NaN":                                        "nan not reached ",
		"Round math.RoundToEven(x) → halves go up":                             "tie killed TestNumbers",
		"Round math.Floor(x) → one below for whole numbers":                    "tie not reached ",
		"Round int32(x + 0.5) → one nearer to zero for whole numbers":          "tie killed TestNumbers",
		"Round (n + 4) >> 3 → n + 4 - 1":                                       "tie killed TestNumbers",
		"Minus -x → 0 - x":                                                     "zero killed TestNumbers",
		"Smaller min(x, y) → the first of two zeros":                           "zero not reached ",
		"Smaller min(x, y) → the other one of NaN":                             "nan not reached ",
		"Real math.Float32frombits(bits) → a zero has the other sign":          "zero killed TestNumbers",
		"Real math.Float32frombits(bits) → 0 for NaN":                          "nan not reached ",
		"Program e.is(ir.OpFLt, a, b) → true for NaN":                          "nan killed TestProgram",
		"Program e.is(ir.OpFLt, a, b) → OpFLe":                                 "tie survived ",
		"Program e.b.Op(ir.OpFMin, ir.F32, a, b) → NaN for NaN":                "nan killed TestProgram",
		"Deep m.next != nil → || m.filter == FilterCubic":                      "condition killed TestWide",
		"Program e.is(ir.OpIEq, b, e.b.I32(0)) → bit 0 only":                   "end killed TestProgram",
		"Program ir.OpUMin → OpSMin":                                           "end killed TestProgram",
		"Program e.b.Op(ir.OpFFloor, ir.F32, a) → one below for whole numbers": "tie killed TestProgram",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	for _, k := range kinds {
		if kind[k] == 0 {
			t.Errorf("no corner is of kind %s", k)
		}
	}
	if t.Failed() {
		for k, v := range got {
			t.Log(k, "=", v)
		}
	}
}

// Operators and corners are numbered apart.
func TestCorners_Families(t *testing.T) {
	for _, o := range toy(t, func(c *config) { c.n = 1 }).Outcomes {
		if o.Kind != "" {
			t.Errorf("%v is a corner", o)
		}
	}
}

// toyCorners draws corners over the rules of the toy.
func toyCorners(t *testing.T, n int, done *CornersResult, change func(*ruleConfig)) *CornersResult {
	t.Helper()
	c := toyConfig(change)
	c.dir, c.family = "testdata/cornertoy", byCorner
	res, err := runCorners(c, n, done, func(*CornersResult) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func outcomes(res *CornersResult) map[string]string {
	out := map[string]string{}
	for _, k := range res.Corners {
		out[k.Rule+" "+k.What] = strings.TrimSpace(k.Result + " " + k.By)
	}
	return out
}

// A corner is killed by a test that claims its rule, by another, by none; tests that do not meet it are not run.
func TestCorners_Rules(t *testing.T) {
	res := toyCorners(t, 100, nil, nil)
	got := outcomes(res)
	for key, want := range map[string]string{
		"IMG-001 case green → as red":              "killed ..TestName",
		"IMG-001 case blue → as red":               "survived",
		"IMG-002 range n without its first":        "killed ..TestSum",
		"IMG-002 range list without its first":     "survived",
		"IMG-002 s += 100 * i, not for i == 2":     "not met",
		"IMG-003 -x → 0 - x":                       "killed by another ..TestNumbers",
		"IMG-003 min(x, y) → the other one of NaN": "not met",
	} {
		if got[key] != want {
			t.Errorf("%s: %q, want %q", key, got[key], want)
		}
	}
	if res.With != 3 || res.Mutants != len(res.Corners) {
		t.Errorf("%d rules with %d corners", res.With, res.Mutants)
	}
	if sums := res.sums(); !strings.Contains(sums, "| case | 6 | 6 | 4 | 0 | 2 | 0 | 0 | 66.7 |\n") || !strings.Contains(sums, "| IMG | ") {
		t.Error(sums)
	}
	alone := outcomes(toyCorners(t, 100, nil, func(c *ruleConfig) { c.alone = true }))
	if got := alone["IMG-003 -x → 0 - x"]; got != "not met" {
		t.Errorf("alone: %s", got)
	}
	if t.Failed() {
		for k, v := range got {
			t.Log(k, "=", v)
		}
	}
}

// Each rule gives a corner before one gives a second, of different kinds; a larger sample holds the smaller one.
func TestCorners_Draw(t *testing.T) {
	few, more := toyCorners(t, 3, nil, nil), toyCorners(t, 6, nil, nil)
	count, of := map[string]int{}, map[string]bool{}
	for i, k := range more.Corners {
		if count[k.Rule]++; i < 3 && few.Corners[i].Name != k.Name {
			t.Errorf("%s, of three %s", k.Name, few.Corners[i].Name)
		}
		of[k.Rule+k.Kind] = true
	}
	for _, id := range []string{"IMG-001", "IMG-002", "IMG-003"} {
		if count[id] != 2 {
			t.Errorf("%d corners of %s", count[id], id)
		}
	}
	if len(of) != 5 { // the first rule has cases only
		t.Errorf("kinds %v", of)
	}
}

// A tenth as many corners come from code that carries out programs, whose claims are all there are.
func TestCorners_Engine(t *testing.T) {
	res := toyCorners(t, 30, nil, func(c *ruleConfig) { c.engines = []string{"ir"} })
	n := 0
	for _, k := range res.Corners {
		if k.Rule == engine {
			if n++; !strings.HasSuffix(k.File, "/ir/ir.go") || k.Result == untried {
				t.Errorf("%+v", k)
			}
		}
	}
	if n != 3 || res.Engine < 10 || !strings.Contains(res.sums(), "| what carries out programs | 3 | 3 | ") {
		t.Errorf("%d of %d corners\n%s", n, res.Engine, res.sums())
	}
}

// A run goes on where another ended: what was killed is kept until its code changes, and what is alive is tried again.
func TestCorners_Resume(t *testing.T) {
	res := toyCorners(t, 100, nil, func(c *ruleConfig) { c.alone = true })
	want := outcomes(res)
	said := 0
	for i := range res.Corners {
		switch k := &res.Corners[i]; k.Result {
		case killed:
			if said++; said == 1 {
				k.By = "told" // is believed
				want[k.Rule+" "+k.What] = "killed told"
			} else if said == 2 {
				k.By, k.Code = "told", "00000000"
			}
		case survived:
			k.Result = unmet
		default:
			k.Result = untried
		}
	}
	got := outcomes(toyCorners(t, 100, res, func(c *ruleConfig) { c.alone = true }))
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s, want %s", k, got[k], v)
		}
	}
	for _, k := range toyCorners(t, 100, nil, func(c *ruleConfig) { c.alone, c.only = true, regexp.MustCompile("IMG-001") }).Corners {
		if (k.Rule == "IMG-001") == (k.Result == untried) {
			t.Errorf("only IMG-001: %+v", k)
		}
	}
}

// Corners that are told to be equivalent stand in the list with other mutants.
func TestCorners_Equivalent(t *testing.T) {
	const name = "conformance/_mutate/testdata/cornertoy/corners.go:14 case blue → as red @ case green, blue:"
	res := toyCorners(t, 100, nil, func(c *ruleConfig) { c.told = equivalents{name: "nobody looks"} })
	if got := outcomes(res)["IMG-001 case blue → as red"]; got != equivalent {
		t.Error(got)
	}
	res = toyCorners(t, 100, nil, func(c *ruleConfig) { c.alone = true })
	res.tell(equivalents{name: "nobody looks", strings.ReplaceAll(name, "blue →", "green →"): "killed all the same"})
	if got := outcomes(res); got["IMG-001 case blue → as red"] != equivalent || got["IMG-001 case green → as red"] != "killed ..TestName" {
		t.Error(got)
	}
	c := toyConfig(func(c *ruleConfig) { c.told = equivalents{strings.ReplaceAll(name, "blue →", "green →"): "wrong"} })
	c.dir, c.family = "testdata/cornertoy", byCorner
	if _, err := runCorners(c, 100, nil, func(*CornersResult) error { return nil }); err == nil {
		t.Error("no such mutant, and no error")
	}
}

// The page has the sums, and a file each corner.
func TestCorners_Page(t *testing.T) {
	res := toyCorners(t, 100, nil, func(c *ruleConfig) { c.alone = true })
	dir := t.TempDir()
	page, table := filepath.Join(dir, "page.md"), filepath.Join(dir, "corners.txt")
	if err := os.WriteFile(page, []byte("before\n"+cornersFrom+"old\n"+cornersTo+"after\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := writeCorners(page, table, res); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		page:  "before\n" + cornersFrom + res.head() + "\n\n" + res.sums() + cornersTo + "after\n",
		table: "\nIMG-001 killed: case conformance/_mutate/testdata/cornertoy/corners.go:7 case red → as green @ case red: by ..TestName\n",
	} {
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%v:\n%s\nlacks\n%s", err, data, want)
		}
	}
}
