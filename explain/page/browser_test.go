package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/browser"
)

// tab is a page of explanations in a browser.
type tab struct {
	*browser.Tab
	t *testing.T
}

// open starts Chromium with a tab of so many CSS pixels.
func open(t *testing.T, width, height int) *tab {
	t.Helper()
	return &tab{browser.Open(t, width, height), t}
}

// visit opens a page that has an explanation to show.
func (b *tab) visit(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
	b.Wait(`document.querySelector('#explanation h2')`)
}

// unfold opens all that is folded; its inside is made then.
func (b *tab) unfold() {
	b.t.Helper()
	b.Wait(`[...document.querySelectorAll('details')].map(d => { const was = d.open && d.querySelector('.inside'); d.open = true; return was; }).every(Boolean)`)
}

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

// file writes a report and returns the URL of the file.
func file(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

func report(t *testing.T) *Report {
	return &Report{Title: "scene.glb", Picture: picture(), Explanations: []*explain.Explanation{read(t, "glass"), read(t, "edge"), read(t, "hostile")}}
}

// The page as people see it first, light, dark and narrow: `-shots DIR` keeps what to look at.
func TestPage_Pictures(t *testing.T) {
	b := open(t, 1440, 900)
	b.visit(file(t, report(t)) + "#12,7,2")
	for _, name := range []string{"light", "dark"} {
		b.Do(chromedp.Click(chromedp.ID("theme")))
		b.Wait(fmt.Sprintf("document.documentElement.dataset.theme === %q", name))
		b.Shot(name)
		b.Shot(name + "-whole")
	}
	b.Eval(`document.querySelector('.steps button.rule').click(), document.querySelector('.source details').open = true, document.getElementById('zoom-pixel').click()`)
	b.Shot("dark-open-whole")
	b.Do(chromedp.Click(chromedp.ID("theme")), chromedp.EmulateViewport(390, 844))
	b.Wait("innerWidth === 390")
	b.Shot("narrow")
	b.Shot("narrow-whole")
	if w := b.Eval("document.documentElement.scrollWidth"); w != "390" {
		t.Errorf("a narrow page of 390 pixels is %s wide", w)
	}
	b.Clean()
}
