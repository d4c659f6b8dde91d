package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The pages have a row for each sentence of the chapters, with rules that exist or a
// reason. The chapters are not in this repository: PUMICE_CHAPTERS names their folder.
func TestSentenceRows_AreWhole(t *testing.T) {
	rows, err := SentenceRows(docs)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := SentenceKeys("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckSentences(rows, keys); err != nil {
		t.Error(err)
	}
	if len(rows) < 792 || len(keys) < 946 {
		t.Errorf("%d rows, %d keys: fewer than there were", len(rows), len(keys))
	}
	dir := os.Getenv("PUMICE_CHAPTERS")
	if dir == "" {
		return
	}
	chapters, err := ReadChapters(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckChapters(rows, keys, chapters); err != nil {
		t.Error(err)
	}
}

// Chapters come as text that was taken out of web pages: names in code end their
// lines, lists have no stops, and so on.
func TestSentences_Split(t *testing.T) {
	for _, c := range []struct{ name, chapter, want string }{
		{"prose over lines", "# Head\n\nOne\nlong sentence. Another one here.\n", "Head: One long sentence. / Head: Another one here."},
		{"names in code", "If the\n`name`\n\n, or\n`other`\n\n, is set, it is.\nThen not so.", ": If the `name` , or `other` , is set, it is. / : Then not so."},
		{"paragraphs", "First without stop\n\nsecond without stop", ": First without stop / : second without stop"},
		{"list", "## L\n\n- One item is here.\n- Two items are here.\n", "L: - One item is here. / L: - Two items are here."},
		{"members", "aName is a thing. bName controls a thing.\n", ": aName is a thing. / : bName controls a thing."},
		{"values", "VK_A specifies this thing VK_B specifies that thing", ": VK_A specifies this thing / : VK_B specifies that thing"},
		{"no stop before The", "one of its pixels The order of them", ": one of its pixels / : The order of them"},
		{"abbreviations and numbers", "A size (e.g. X or i.e. 0.5 of VkA::`b`\n\n) is one.", ": A size (e.g. X or i.e. 0.5 of VkA::`b` ) is one."},
		{"colon", "As it follows: And so it goes.", ": As it follows: / : And so it goes."},
		{"declaration", "16. Old Head\nIt is so.\n// Provided by X\ntypedef struct A {\nint x;\n} A;\nvoid vkCmdX(\nint y);\nIt is not.\n", "16. Old Head: It is so. / 16. Old Head: It is not."},
		{"one line", "typedef VkFlags VkA;\nIt is so.\n", ": It is so."},
		{"table", "See this table:\n\nA | B |\n---|---|\n\ni | 2i |\n\nThen go on.", ": See this table: / : A | B | ---|---| i | 2i | / : Then go on."},
		{"note", "It is so.\nNote\nIt is odd. ", ": It is so. / : It is odd."},
		{"short", "where:\nand so\nx = y is meant", ": where: and so x = y is meant"},
		{"two words", "Set it", ""},
		{"nothing", "", ""},
	} {
		var got []string
		for _, s := range Sentences(c.chapter) {
			got = append(got, s.Heading+": "+s.Text)
		}
		if s := strings.Join(got, " / "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, s, c.want)
		}
	}
}

// Editions have the same key for the same words, and other keys for others.
func TestSentences_Keys(t *testing.T) {
	key := func(text string) string {
		t.Helper()
		s := Sentences(text)
		if len(s) != 1 || !keyForm.MatchString(s[0].Key) {
			t.Fatalf("%q: %v", text, s)
		}
		return s[0].Key
	}
	a := key("A two-dimensional `image`\n\nis one.")
	if b := key("A twodimensional image is one"); b != a {
		t.Errorf("keys %s and %s of the same words", a, b)
	}
	for _, other := range []string{"A three-dimensional image is one.", "A two-dimensional image is 1."} {
		if b := key(other); b == a {
			t.Errorf("%q has the same key", other)
		}
	}
}

// Rows that are not as they should be are errors that say where.
func TestSentenceRows_Malformed(t *testing.T) {
	const head = "## Head\n\n§anchor\n\n| row | says | carried out by |\n|---|---|---|\n"
	for _, c := range []struct{ name, text, want string }{
		{"good", head + "| SR-001 | a red thing | RAS-001, IMG-001 |\n| SR-002 | a short name | definition |\n| SR-003 | a grave duty | valid usage: ignored |\n| SR-004 | a mere wish | not offered: VK_QCOM_x |\n", ""},
		{"no rule", head + "| SR-001 | a red thing | |\n", "sentences-a.md:7: 2 cells"},
		{"unknown rule", head + "| SR-001 | a red thing | RAS-999 |\n", `sentences-a.md:7: SR-001: "RAS-999" is neither`},
		{"unknown reason", head + "| SR-001 | a red thing | later |\n", `"later" is neither`},
		{"usage without what happens", head + "| SR-001 | a red thing | valid usage |\n", "is neither"},
		{"an extension without name", head + "| SR-001 | a red thing | not offered: none |\n", "is neither"},
		{"no anchor", "## Head\n\n| SR-001 | a red thing | RAS-001 |\n", "without an anchor"},
		{"anchor of the heading before", head + "| SR-001 | a red thing | RAS-001 |\n\n## Next\n\n| SR-002 | a red thing | RAS-001 |\n", "SR-002 stands under a heading without an anchor"},
		{"twice", head + "| SR-001 | a red thing | RAS-001 |\n| SR-001 | a red thing | RAS-001 |\n", "sentences-a.md:8: SR-001 after SR-001"},
		{"number", head + "| SR-1 | a red thing | RAS-001 |\n", "SR-1 after"},
		{"two words", head + "| SR-001 | a thing | RAS-001 |\n", `sentences-a.md:7: SR-001: "a thing"; want three to twelve words`},
		{"thirteen words", head + "| SR-001 | a b c d e f g h i j k l m | RAS-001 |\n", "want three to twelve words"},
		{"none", head, "no rows"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sentences-a.md"), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		rows, err := SentenceRows(dir)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && (len(rows) != 4 || rows[0].Anchor != "anchor" || !slices.Equal(rows[0].Rules, []string{"RAS-001", "IMG-001"}) || rows[2].Reason != "valid usage: ignored"):
			t.Errorf("%s: %+v", c.name, rows)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Keys that are not as they should be are errors that say where.
func TestSentenceKeys_Malformed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0123456789 SR-001\nabcdef0123 SI-002\n", ""},
		{"0123456789 SR-001\n0123456789 SR-002\n", "keys:2:"},
		{"012345678 SR-001\n", "keys:1:"},
		{"0123456789 RAS-001\n", "keys:1:"},
		{"0123456789\n", "keys:1:"},
	} {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		keys, err := SentenceKeys(path)
		if c.want == "" && (err != nil || keys["abcdef0123"] != "SI-002") {
			t.Errorf("%q: %v, %v", c.text, keys, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// Rows, keys and chapters that do not belong to each other are found.
func TestCheckChapters_Finds(t *testing.T) {
	chapters := Sentences("# H\n\nA thing is red or blue here. Another thing is green.\n")
	row := func(id, says string) SentenceRow {
		return SentenceRow{ID: id, Says: says, Rules: []string{"RAS-001"}, File: "page.md", Line: 7}
	}
	good := []SentenceRow{row("SR-001", "two colours"), row("SR-002", "one colour")}
	keys := map[string]string{chapters[0].Key: "SR-001", chapters[1].Key: "SR-002"}
	if err := CheckChapters(good, keys, chapters); err != nil {
		t.Error(err)
	}
	if err := CheckSentences(good, keys); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no row", CheckChapters(good, map[string]string{chapters[0].Key: "SR-001"}, chapters), chapters[1].Key + ` has no row: under "H", Another thing`},
		{"no sentence", CheckChapters(good, keys, chapters[:1]), "SR-002: no chapter has the sentence of key " + chapters[1].Key},
		{"words of the specification", CheckChapters([]SentenceRow{row("SR-001", "thing is red or blue")}, keys, chapters), "page.md:7: SR-001: the specification's own words"},
		{"no page", CheckSentences(good[:1], keys), "SR-002: key " + chapters[1].Key + " is of a row that no page has"},
		{"no key", CheckSentences(good, map[string]string{chapters[0].Key: "SR-001"}), "page.md:7: SR-002: no sentence is tied to it"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
}

func TestReadChapters_NoFolder(t *testing.T) {
	if _, err := ReadChapters(t.TempDir()); err == nil {
		t.Error("an empty folder has chapters")
	}
}
