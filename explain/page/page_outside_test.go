//go:build outside

package page

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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
	b.Wait(
		`[...document.querySelectorAll('details')].map(d => { const was = d.open && d.querySelector('.inside'); d.open = true; return was; }).every(Boolean)`,
	)
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

// The page as people see it first, light, dark and narrow: `-shots DIR` keeps what to look at.
func TestOutside_PagePictures(t *testing.T) {
	b := open(t, 1440, 900)
	b.visit(file(t, report(t)) + "#12,7,2")
	for _, name := range []string{"light", "dark"} {
		b.Do(chromedp.Click(chromedp.ID("theme")))
		b.Wait(fmt.Sprintf("document.documentElement.dataset.theme === %q", name))
		b.Shot(name)
		b.Shot(name + "-whole")
	}
	b.Eval(
		`document.querySelector('.steps button.rule').click(), document.querySelector('.source details').open = true, document.getElementById('zoom-pixel').click()`,
	)
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

// center is where the canvas shows the picture's centre, and how large a pixel is, when
// all of the picture is in sight.
func (b *tab) center() (x, y, scale float64) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.ID("zoom-fit")))
	b.Wait(`document.getElementById('zoom').textContent !== '1×'`)
	return b.middle()
}

// middle is the middle of the canvas, and how large a pixel is.
func (b *tab) middle() (x, y, scale float64) {
	b.t.Helper()
	read := func(script string) float64 {
		f, err := strconv.ParseFloat(b.Eval(script), 64)
		if err != nil {
			b.t.Fatal(err)
		}
		return f
	}
	const box = `document.getElementById('picture').getBoundingClientRect()`
	return read(
			box + ".x + " + box + ".width / 2",
		), read(
			box + ".y + " + box + ".height / 2",
		), read(
			`parseFloat(document.getElementById('zoom').textContent)`,
		)
}

const heading = `document.querySelector('#explanation h2').textContent`

func (b *tab) want(script, want string) {
	b.t.Helper()
	if got := b.Eval(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

func TestOutside_PageClicksChoosePixelsAndSamples(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)))
	x, y, scale := b.center()
	b.want(heading, "Pixel 12, 7 of picture") // the first that is explained
	b.Do(chromedp.MouseClickXY(x-1.3*scale, y+2.8*scale))
	b.want(heading, "Pixel 10, 10")
	if text := b.Eval(`document.getElementById('explanation').textContent`); !strings.Contains(
		text,
		"no history of this pixel",
	) ||
		!strings.Contains(text, "--pixel 10,10") {
		t.Errorf("of a pixel without history the page says %q", text)
	}
	b.Do(chromedp.MouseClickXY(x+0.5*scale, y-0.5*scale))
	b.want(heading, "Pixel 12, 7 of picture")
	b.want(`document.querySelector('.tabs [aria-pressed=true]').textContent`, "sample 1")
	b.Do(chromedp.Click(chromedp.CSS(".tabs button:nth-child(2)")))
	b.want(`document.getElementById('after').textContent`, "0.52549, 0.45098, 0.47451, 1")
	b.want(`location.hash`, "#12,7,2")
	// Zoomed in, a click near a sample chooses it: sample 1 is at 0.875, 0.375.
	b.Do(chromedp.Click(chromedp.ID("zoom-pixel")))
	b.Wait(`parseFloat(document.getElementById('zoom').textContent) > 90`)
	zoom, _ := strconv.ParseFloat(
		b.Eval(`parseFloat(document.getElementById('zoom').textContent)`),
		64,
	)
	b.Do(chromedp.MouseClickXY(x+0.375*zoom, y-0.125*zoom))
	b.want(heading, "Pixel 12, 7 of picture")
	b.want(`document.querySelector('.tabs [aria-pressed=true]').textContent`, "sample 1")
	// Pixels by their coordinates, and by the list of those that are explained.
	b.Do(
		chromedp.SetValue(chromedp.ID("x"), "23"),
		chromedp.SetValue(chromedp.ID("y"), "15"),
		chromedp.Click(chromedp.CSS("#go button")),
	)
	b.want(heading, "Pixel 23, 15")
	b.Do(chromedp.Click(chromedp.CSS("#explained button:first-child")))
	b.want(heading, "Pixel 12, 7 of picture")
	b.Clean()
}

// A pixel that was resolved opens on the sample that it was resolved from; the resolve is a tab beside it. What a tried
// hint came to is told in the words of the data.
func TestOutside_PageOpensOnTheCause(t *testing.T) {
	sample := read(t, "glass")
	sample.Hints = []explain.Hint{
		{Tried: &explain.Tried{Says: "draw 3 without culling: it stays black"}},
	}
	resolved := &explain.Explanation{
		Target:  sample.Target,
		Verdict: []string{"the resolve wrote it last"},
	}
	resolved.Target.Image, resolved.Target.Sample, resolved.Target.Samples = "resolved picture", 0, 1
	resolved.Events = []explain.Event{
		{Kind: explain.Resolve, Outcome: explain.Wrote, From: &sample.Target},
	}
	r := report(t)
	r.Explanations = []*explain.Explanation{resolved, sample}
	b := open(t, 1280, 800)
	b.visit(file(t, r))
	b.want(heading, fmt.Sprintf("Pixel %d, %d of picture", sample.Target.X, sample.Target.Y))
	if text := b.Eval(`document.querySelector('.verdict').textContent`); !strings.Contains(
		text,
		"draw 3 without culling: it stays black",
	) {
		t.Errorf("the verdict is %q", text)
	}
	b.Do(chromedp.Click(chromedp.CSS(".tabs button:first-child")))
	b.want(
		heading,
		fmt.Sprintf("Pixel %d, %d of resolved picture", sample.Target.X, sample.Target.Y),
	)
	b.Clean()
}

func TestOutside_PageDraggingMovesAndWheelZooms(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)))
	x, y, scale := b.center()
	// A picture that is seen whole stays so when the window changes its size, as a phone's does that is turned.
	b.Resize(420, 800)
	x2, y2, narrow := b.middle()
	if w, _ := strconv.ParseFloat(b.Eval(`document.getElementById('picture').getBoundingClientRect().width`), 64); narrow >= scale ||
		24*(narrow-0.5) > w+2 {
		t.Errorf("24 pixels of %v, rounded, in %v", narrow, w) // and a border
	}
	b.Do(chromedp.MouseClickXY(x2+0.5*narrow, y2+0.5*narrow))
	b.want(heading, "Pixel 12, 8")
	b.Resize(1280, 800)
	// Of one that is not, what is in the middle stays there.
	b.Do(chromedp.Click(chromedp.ID("zoom-in")))
	_, _, larger := b.middle()
	b.Resize(1000, 700)
	x2, y2, _ = b.middle()
	b.Do(chromedp.MouseClickXY(x2+0.5*larger, y2+0.5*larger))
	b.want(heading, "Pixel 12, 8")
	b.Resize(1280, 800)
	b.center()
	b.Do(chromedp.DragAndDropXY(x, y, x+3*scale, y))
	b.want(heading, "Pixel 12, 8") // a drag chooses nothing
	b.Do(chromedp.MouseClickXY(x+0.5*scale, y+0.5*scale))
	b.want(heading, "Pixel 9, 8")
	b.Eval(
		`document.getElementById('picture').dispatchEvent(new WheelEvent('wheel', {deltaY: -120, clientX: 300, clientY: 300, cancelable: true}))`,
	)
	b.Wait(
		`parseFloat(document.getElementById('zoom').textContent) > ` + strconv.FormatFloat(
			scale*1.4,
			'f',
			1,
			64,
		),
	)
	b.Clean()
}

// Everything is reached with keys, and what has the focus can be seen.
func TestOutside_PageKeysAlone(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)))
	const focus = `(e => e.id || e.textContent.trim() || e.tagName)(document.activeElement)`
	var order []string
	for range 13 {
		b.Do(chromedp.KeyEvent(kb.Tab))
		order = append(order, b.Eval(focus))
		if b.Eval(`getComputedStyle(document.activeElement).outlineStyle`) != "solid" {
			t.Errorf("nothing shows that %s has the focus", order[len(order)-1])
		}
	}
	if got, want := strings.Join(order, "|"), "To the explanation|help-open|theme|zoom-out|zoom-in|zoom-fit|zoom-pixel|x|y|Go|picture|12, 7|3, 2"; got != want {
		t.Errorf("the order of focus is %s, want %s", got, want)
	}
	b.Do(
		chromedp.Focus(chromedp.ID("picture")),
		chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowDown),
		chromedp.KeyEvent(kb.ArrowDown),
	)
	b.want(heading, "Pixel 13, 9")
	b.Do(
		chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(chromedp.ModifierShift)),
		chromedp.KeyEvent(kb.ArrowUp),
		chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowLeft),
	)
	b.want(heading, "Pixel 0, 8") // and no further than the edge
	b.Do(chromedp.KeyEvent("n"))
	b.want(heading, "Pixel 12, 7 of picture")
	b.Do(chromedp.KeyEvent("]"))
	b.want(`document.querySelector('.tabs [aria-pressed=true]').textContent`, "sample 2")
	before := b.Eval(`document.getElementById('zoom').textContent`)
	b.Do(chromedp.KeyEvent("+"))
	b.Wait(`document.getElementById('zoom').textContent !== "` + before + `"`)
	b.Do(chromedp.KeyEvent("-"))
	b.Wait(`document.getElementById('zoom').textContent === "` + before + `"`)
	b.Do(chromedp.KeyEvent("p"))
	b.Wait(heading + `.startsWith("Pixel 3, 2 of ")`)
	b.Do(chromedp.KeyEvent("?"))
	b.want(`document.getElementById('help').open`, "true")
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.want(`document.getElementById('help').open`, "false")
	// A rule unfolds under its button.
	b.Do(
		chromedp.KeyEvent("n"),
		chromedp.KeyEvent("]"),
		chromedp.Focus(chromedp.CSS("button.rule")),
		chromedp.KeyEvent(kb.Enter),
	)
	b.want(`document.querySelector('button.rule').getAttribute('aria-expanded')`, "true")
	if text, want := b.Eval(`document.querySelector('.rule-text').textContent`), "Everything else, including a=0, is back-facing."; !strings.Contains(
		text,
		want,
	) {
		t.Errorf("RAS-234 says %q, want %q in it", text, want)
	}
	b.Clean()
}

// figures are all values of an explanation's last draw that the page has to show.
func figures(e *explain.Explanation) []string {
	var out []string
	add := func(vs ...explain.Value) {
		for _, v := range vs {
			if v.Text != "" {
				out = append(out, v.Text)
			}
		}
	}
	named := func(list []explain.Named) {
		for _, n := range list {
			out = append(out, n.Name)
			add(n.Value)
		}
	}
	add(e.Before, e.After)
	out = append(out, e.Verdict...)
	for _, v := range e.Events {
		out = append(out, v.Where)
		if v.Draw == nil || len(v.Draw.Fragments) == 0 {
			continue
		}
		named(v.Draw.State)
		for _, f := range v.Draw.Fragments {
			for _, x := range f.Primitive.Vertices {
				out = append(
					out,
					strconv.Itoa(x.Index),
					strconv.FormatFloat(
						x.Window[0],
						'g',
						-1,
						64,
					)+", "+strconv.FormatFloat(
						x.Window[1],
						'g',
						-1,
						64,
					),
				)
				named(x.Inputs)
				named(x.Outputs)
			}
			for _, s := range f.Steps {
				out = append(out, s.Rule, s.Title, s.Text)
				named(s.Values)
			}
			if f.Coverage != nil {
				for _, g := range f.Coverage.Edges {
					out = append(out, strconv.FormatFloat(g.Value, 'f', -1, 64))
				}
			}
			named(f.Inputs)
			named(f.Outputs)
			if d := f.Depth; d != nil {
				add(d.Fragment, d.Stored)
			}
			if b := f.Blend; b != nil {
				add(
					b.Source,
					b.Destination,
					b.SourceFactors,
					b.DestinationFactors,
					b.Result,
					b.Stored,
				)
			}
			for _, m := range f.Images {
				add(m.Result)
				for _, x := range m.Texels {
					add(x.Value)
					out = append(out, "· "+strconv.FormatFloat(x.Weight, 'g', -1, 64))
				}
			}
			if f.Shader != nil {
				for _, i := range f.Shader.Steps {
					out = append(out, i.Text)
					add(i.Value)
					add(i.Quad...)
				}
				out = append(
					out,
					strings.Split(
						strings.ReplaceAll(
							strings.TrimSpace(f.Shader.Sources[0].Text),
							"\t",
							"    ",
						),
						"\n",
					)...)
			}
		}
	}
	return out
}

func TestOutside_PageFiguresAreThoseOfTheExplanation(t *testing.T) {
	b := open(t, 1280, 800)
	for _, name := range []string{"glass", "edge"} {
		e := read(t, name)
		b.visit(file(t, &Report{Picture: picture(), Explanations: []*explain.Explanation{e}}))
		b.unfold()
		text := b.Eval(`document.getElementById('explanation').textContent`)
		list := figures(e)
		if len(list) < 60 {
			t.Fatalf("%s: only %d figures", name, len(list))
		}
		for _, f := range list {
			if !strings.Contains(text, f) {
				t.Errorf("%s: the page does not have %q", name, f)
			}
		}
		if bad := regexp.MustCompile(`undefined|NaN|\[object`).FindString(text); bad != "" {
			t.Errorf("%s: the page has %q", name, bad)
		}
	}
	b.Clean()
}

// The arithmetic of blending is that of the text, component by component.
func TestOutside_PageBlendingIsMultipliedOut(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)) + "#12,7,2")
	b.want(
		`[...document.querySelectorAll('.arithmetic tr')].map(r => [...r.cells].map(c => c.textContent).join(' ')).join('; ')`,
		"R 0.25 · 0.5 + 0.8 · 0.5 = 0.125 + 0.4 = 0.525 → 0.52549; G 0.5 · 0.5 + 0.4 · 0.5 = 0.25 + 0.2 = 0.45 → 0.45098; "+
			"B 0.75 · 0.5 + 0.2 · 0.5 = 0.375 + 0.1 = 0.475 → 0.47451; A 0.5 · 1 + 1 · 0.5 = 0.5 + 0.5 = 1 → 1",
	)
	b.Clean()
}

// What the page draws of coverage: the samples that JSON calls covered, and an edge
// where it says.
func TestOutside_PageCoverageIsDrawnAsItIs(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)) + "#12,7,2")
	b.want(
		`[...document.querySelectorAll('.coverage .sample')].map(g => g.classList.contains('full')).join()`,
		"false,false,true,false",
	)
	// Sample 2 is at 0.125, 0.625 of 200 units; A–B is the edge from 4, 1.25 to 16, 10.5, at 12, 7.
	b.want(
		`(c => [c.getAttribute('cx'), c.getAttribute('cy')].join())(document.querySelector('.coverage .full .dot'))`,
		"25,125",
	)
	b.want(
		`(l => ['x1', 'y1', 'x2', 'y2'].map(k => l.getAttribute(k)).join())(document.querySelector('.coverage .edge0'))`,
		"-1600,-1150,800,700",
	)
	b.Clean()
}

// Names and shader text of strangers are text: no element, script or request comes of them.
func TestOutside_PageHostileNamesStayText(t *testing.T) {
	b := open(t, 1280, 800)
	r := report(t)
	r.Title = `</title><script>document.title='owned'</script>`
	b.visit(file(t, r) + "#3,2,0")
	b.unfold()
	name := r.Explanations[2].Target.Image
	if !strings.Contains(name, "<img src=x onerror=") || !strings.Contains(name, "</script>") {
		t.Fatalf("%q is not hostile", name)
	}
	// Characters that steer are seen as such, and do not turn the text around.
	text := b.Eval(`document.getElementById('explanation').textContent`)
	if n := strings.Count(text, strings.NewReplacer("\x1b", "\ufffd", "\u202e", "\ufffd").Replace(name)); n < 12 ||
		strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("the name is seen %d times in %q", n, text)
	}
	b.want(`document.querySelectorAll('img, iframe, object, embed, link, b b').length`, "0")
	b.want(`document.scripts.length`, "2")
	b.want(`document.title.includes('owned')`, "true") // as text, within the title
	b.want(`document.title === 'owned'`, "false")
	// The policy holds even where the page's script would err.
	b.want(
		`(() => { try { document.body.innerHTML = '<p>'; return 'set'; } catch { return 'refused'; } })()`,
		"refused",
	)
	b.Forget() // what the policy has just refused is told
	b.Clean()
}

// The picture on the page is the picture, also where it begins elsewhere than at 0, 0.
func TestOutside_PagePictureIsThePicture(t *testing.T) {
	b := open(t, 1280, 800)
	r := report(t)
	whole := picture()
	r.Picture = whole.SubImage(image.Rect(8, 0, 24, 16))
	b.visit(file(t, r) + "#4,7")
	b.Wait(`document.getElementById('readout').textContent.includes('#')`)
	b.want(`document.querySelector('#readout .figure').textContent`, "#cc6633")
	r.Picture = whole
	b.visit(file(t, r) + "#0,0")
	b.Wait(`document.querySelector('#readout .figure')`)
	b.want(`document.querySelector('#readout .figure').textContent`, "alpha 128/255")
	b.Clean()
}

// Where a value was copied from another image, its history there is what is seen first, and the copy one step away.
func TestOutside_PageCopiesLeadToWhereTheyCameFrom(t *testing.T) {
	b := open(t, 1280, 800)
	drawn := read(t, "glass")
	drawn.Target.Image, drawn.Target.Width, drawn.Target.Height, drawn.Target.X, drawn.Target.Y = "image #7", 48, 32, 40, 30
	presented := &explain.Explanation{
		Target: explain.Target{
			Image:   "presented",
			Width:   24,
			Height:  16,
			X:       20,
			Y:       15,
			Samples: 1,
		}, After: drawn.After,
		Events: []explain.Event{
			{
				Kind:    explain.Copy,
				Where:   "copy 0",
				Outcome: explain.Wrote,
				After:   drawn.After,
				From:    &drawn.Target,
			},
		},
	}
	b.visit(
		file(
			t,
			&Report{Picture: picture(), Explanations: []*explain.Explanation{presented, drawn}},
		),
	)
	b.want(heading, "Pixel 40, 30 of image #7")
	b.Wait(`document.querySelector('.verdict').textContent.includes('glass')`)
	b.want(`document.querySelector('#readout b').textContent`, "20, 15") // which is the chosen one
	b.want(`document.getElementById('explained').textContent`, "20, 15")
	b.Do(chromedp.Click(chromedp.CSS("#explanation p button")))
	b.want(heading, "Pixel 20, 15 of presented")
	b.Do(chromedp.Click(chromedp.CSS(".from button")))
	b.want(heading, "Pixel 40, 30 of image #7")
	b.Clean()
}

// On a served page a click asks for the pixel, and errors are told.
func TestOutside_ServeClicksAsk(t *testing.T) {
	b := open(t, 1280, 800)
	release, begun, left := make(chan bool, 8), make(chan int, 8), make(chan int, 8)
	address := serve(
		t,
		ServeOptions{
			Report: Report{Title: "served", Picture: picture()},
			Explain: func(ctx context.Context, x, y, _ int) ([]*explain.Explanation, error) {
				begun <- x
				select {
				case <-release:
				case <-ctx.Done():
					left <- x
					return nil, ctx.Err()
				}
				if x == 0 {
					return nil, errors.New("no <b>luck</b>")
				}
				return at(t, x, y), nil
			},
		},
	)
	b.visit(address)
	x, y, scale := b.center()
	b.Do(chromedp.MouseClickXY(x+2.5*scale, y+1.5*scale))
	b.want(heading, "Pixel 14, 9")
	b.Wait(`document.querySelector('.waiting')`)
	b.Shot("waiting")
	release <- true
	b.Wait(heading + ` === "Pixel 14, 9 of picture"`)
	b.want(`document.getElementById('after').textContent`, "0.52549, 0.45098, 0.47451, 1")
	b.want(
		`[...document.getElementById('explained').children].map(c => c.textContent).join()`,
		"14, 9",
	)
	// Rules come with the answer.
	b.Do(chromedp.Click(chromedp.CSS("button.rule")))
	b.want(`document.querySelector('.rule-text').textContent.length > 20`, "true")
	// Keys ask when they rest; the pixels that they run over are not asked for.
	b.Do(
		chromedp.Focus(chromedp.ID("picture")),
		chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowRight),
	)
	release <- true
	b.Wait(heading + ` === "Pixel 16, 9 of picture"`)
	b.want(
		`[...document.getElementById('explained').children].map(c => c.textContent).join()`,
		"14, 9,16, 9",
	)
	// Who goes on to a pixel that is explained no longer wants the other.
	for len(begun) > 0 {
		<-begun
	}
	x, y, scale = b.center()
	b.Do(chromedp.MouseClickXY(x-6.5*scale, y+0.5*scale))
	<-begun
	b.Do(chromedp.Click(chromedp.CSS("#explained button:first-child")))
	select {
	case x := <-left:
		if x != 5 {
			t.Errorf("pixel %d was left, want 5", x)
		}
	case <-time.After(10 * time.Second):
		t.Error("a pixel that nobody wants any more is still being explained")
	}
	b.want(heading, "Pixel 14, 9 of picture")
	// What fails is told as text.
	release <- true
	b.Do(
		chromedp.SetValue(chromedp.ID("x"), "0"),
		chromedp.SetValue(chromedp.ID("y"), "3"),
		chromedp.Click(chromedp.CSS("#go button")),
	)
	b.Wait(`document.querySelector('.problem')`)
	b.want(`document.querySelector('.problem').textContent`, "no <b>luck</b>")
	b.Shot("problem")
	for _, r := range b.Requests() {
		if !strings.HasPrefix(r, address) {
			t.Errorf("the page asked for %s", r)
		}
	}
}

// A texel that was read leads to its history and back: of a page that holds it, and of a server
// that is asked.
func TestOutside_PageFollowsTexels(t *testing.T) {
	of := explain.Target{
		Image:   "#7 (albedo)",
		Format:  "VK_FORMAT_R8G8B8A8_UNORM",
		Width:   64,
		Height:  64,
		Samples: 1,
	}
	texel := of
	texel.X, texel.Y, texel.Layer = 5, 9, 0
	held := explain.Value{Text: "0.25", Bits: "3e800000"}
	pixel := &explain.Explanation{
		Target: explain.Target{Image: "picture", Width: 24, Height: 16, X: 20, Y: 15, Samples: 1},
		Events: []explain.Event{
			{
				Kind:    explain.Draw,
				Where:   "draw 1",
				Outcome: explain.Wrote,
				Draw: &explain.Drawn{Fragments: []explain.Fragment{{
					Outcome: explain.Wrote, Primitive: explain.Primitive{Vertices: make([]explain.Vertex, 3)},
					Stages: []explain.Shader{
						{Stage: "vertex", Name: "main", Invocation: "vertex 17", Vertices: []int{0},
							Steps: []explain.Instruction{
								{Text: "OpStore %value %7", Name: "value", Value: held},
							}},
					},
					Images: []explain.Image{
						{
							Instruction: "texture(albedo)",
							Of:          &of,
							Result:      held,
							Texels: []explain.Texel{
								{X: 4, Y: 9, Weight: 0.25},
								{X: 5, Y: 9, Weight: 0.75, Value: held},
							},
						},
					},
				}}},
			},
		},
	}
	upload := &explain.Explanation{
		Target:  texel,
		After:   explain.Value{Text: "0.5"},
		Verdict: []string{"the upload"},
		Events: []explain.Event{
			{Kind: explain.Copy, Where: "upload 3", Outcome: explain.Wrote, After: held},
			{
				Kind:    explain.Clear,
				Where:   "clear 9",
				Outcome: explain.Wrote,
				After:   explain.Value{Text: "0.5"},
			},
		},
	}
	walk := func(b *tab) {
		b.t.Helper()
		b.want(heading, "Pixel 20, 15 of picture")
		b.Shot("texels-" + b.Eval("innerWidth"))
		b.Do(chromedp.Click(chromedp.CSS(".result + details + .from button")))
		b.Wait(heading + ` === "Pixel 5, 9 of #7 (albedo)"`)
		b.want(
			`document.querySelector('.trail').textContent`,
			"20, 15 of picture5, 9 of #7 (albedo)",
		)
		b.want(
			`document.querySelector('#explanation').textContent.includes('It held 0.25 when it was read, which upload 3 had left.')`,
			"true",
		)
		b.Shot("followed-" + b.Eval("innerWidth"))
		b.Do(chromedp.Click(chromedp.CSS(".trail button")))
		b.want(heading, "Pixel 20, 15 of picture")
	}
	for _, width := range []int64{1280, 420} {
		b := open(t, int(width), 800)
		b.visit(
			file(
				t,
				&Report{
					Picture:      picture(),
					Explanations: []*explain.Explanation{pixel},
					Followed:     []*explain.Explanation{upload},
				},
			),
		)
		walk(b)
		b.want(
			`[...document.querySelectorAll('summary')].some(s => s.textContent === 'Vertex shader vertex 17 of A')`,
			"true",
		)
		if w := b.Eval("document.documentElement.scrollWidth"); w != fmt.Sprint(width) {
			t.Errorf("a page of %d pixels is %s wide", width, w)
		}
		b.Clean()
	}

	b := open(t, 1280, 800)
	asked := make(chan explain.Target, 8)
	address := serve(t, ServeOptions{
		Report: Report{
			Title:        "served",
			Picture:      picture(),
			Explanations: []*explain.Explanation{pixel},
		},
		Explain: func(context.Context, int, int, int) ([]*explain.Explanation, error) { return nil, nil },
		Follow: func(_ context.Context, t explain.Target, early bool) ([]*explain.Explanation, error) {
			asked <- t
			if !early { // nothing in the frame wrote it
				return []*explain.Explanation{{Target: t}}, nil
			}
			return []*explain.Explanation{upload}, nil
		},
	})
	b.visit(address)
	walk(b)
	if first, again := <-asked, <-asked; first != texel || again != texel {
		t.Errorf("asked for %+v and %+v", first, again)
	}
	for _, r := range b.Requests() {
		if !strings.HasPrefix(r, address) {
			t.Errorf("the page asked for %s", r)
		}
	}
}
