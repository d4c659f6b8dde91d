package page

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/rules"
)

// The text of each rule is that of its page, for all rules.
func TestRules_TextsAreThoseOfTheirPages(t *testing.T) {
	pages, err := rules.Read("../../docs/rules")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, p := range pages {
		for _, r := range p.Rules {
			count++
			if got := allRules()[r.ID]; got.Title != r.Title || got.Text != strings.TrimSpace(r.Text) {
				t.Errorf("%s: %q, want %q and %q", r.ID, got, r.Title, r.Text)
			}
		}
	}
	if count < 500 || len(allRules()) != count {
		t.Errorf("%d rules on the pages, %d here", count, len(allRules()))
	}
}

func TestWrite_WithoutPictureIsAnError(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, &Report{}); err == nil || b.Len() > 0 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; %d bytes", err, b.Len())
	}
}

// Without any browser: data ends no element, nothing on the page names another place,
// and the script has no way from text to markup or code.
func TestWrite_NothingLeavesItsPlace(t *testing.T) {
	var b bytes.Buffer
	r := report(t)
	r.Title = `</script><script>alert(1)</script><!--`
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	if n := strings.Count(strings.ToLower(html), "</script"); n != 2 {
		t.Errorf("%d ends of scripts, want the 2 of the page", n)
	}
	_, rest, _ := strings.Cut(html, `id="data">`)
	text, _, _ := strings.Cut(rest, "</script>")
	if text == "" || strings.ContainsAny(text, "<>&\u2028\u2029") {
		t.Errorf("the data holds markup: %.200q", text)
	}
	outside := strings.ReplaceAll(strings.Replace(html, text, "", 1), SVGNamespace, "")
	for _, word := range []string{"http:", "https:", "//cdn", "@import", "url(", "<link", "<iframe", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc", " style=", " onclick="} {
		if strings.Contains(outside, word) {
			t.Errorf("the page has %q", word)
		}
	}
}

// SVGNamespace is a name, which no browser fetches.
const SVGNamespace = "http://www.w3.org/2000/svg"

// read is an explanation of the testdata of package explain.
func read(t *testing.T, name string) *explain.Explanation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	e := new(explain.Explanation)
	if err := json.Unmarshal(data, e); err != nil {
		t.Fatal(err)
	}
	return e
}

// picture is what the explanations of testdata are about: 24 × 16 pixels.
func picture() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			fx, fy := float64(x)+.5, float64(y)+.5
			c := color.NRGBA{51, 51, 51, 255}
			if fy > 2*(fx-12)-8 && fy > -2*(fx-12)-8 {
				c = color.NRGBA{204, 102, 51, 255}
			}
			if (fy-1.25)*12 > (fx-4)*9.25 && (fy-14)*13 < -(fx-3)*3.5 && (fx-3)*12.75 > -(fy-14) {
				c = color.NRGBA{134, 115, 121, 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	m.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 128})
	return m
}

func report(t *testing.T) *Report {
	return &Report{Title: "scene.glb", Picture: picture(), Explanations: []*explain.Explanation{read(t, "glass"), read(t, "edge"), read(t, "hostile")}}
}

// Parts of the program are one function, in which a name that two of them declare is an error
// before the first line runs.
func TestScript_DeclaresEachNameOnce(t *testing.T) {
	declared := map[string]bool{}
	names := regexp.MustCompile(`(?m)^(?:const|let|function) (\w+)`)
	for _, m := range names.FindAllStringSubmatch(script(), -1) {
		if declared[m[1]] {
			t.Errorf("%s is declared twice", m[1])
		}
		declared[m[1]] = true
	}
	if len(declared) < 50 {
		t.Errorf("only %d names", len(declared))
	}
}

// The picture of the page in the README has the explained picture on its left and text on its right.
func TestPage_PictureInDocs(t *testing.T) {
	f, err := os.Open("../../docs/images/explain-page.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	colors, dark := map[color.Color]bool{}, 0
	for y := b.Dy() / 8; y < b.Dy(); y++ {
		for x := range b.Dx() {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if x < b.Dx()*2/5 {
				colors[c] = true
			} else if int(c.R)+int(c.G)+int(c.B) < 3*100 {
				dark++
			}
		}
	}
	if len(colors) < 10000 || dark < 10000 {
		t.Errorf("%d colours on the left, %d dark pixels on the right: a pane is empty", len(colors), dark)
	}
}
