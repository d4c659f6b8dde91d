package page

import (
	"bytes"
	"image"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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
	return read(box + ".x + " + box + ".width / 2"), read(box + ".y + " + box + ".height / 2"), read(`parseFloat(document.getElementById('zoom').textContent)`)
}

const heading = `document.querySelector('#explanation h2').textContent`

func (b *tab) want(script, want string) {
	b.t.Helper()
	if got := b.Eval(script); got != want {
		b.t.Errorf("%s is %q, want %q", script, got, want)
	}
}

func TestPage_ClicksChoosePixelsAndSamples(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)))
	x, y, scale := b.center()
	b.want(heading, "Pixel 12, 7 of picture") // the first that is explained
	b.Do(chromedp.MouseClickXY(x-1.3*scale, y+2.8*scale))
	b.want(heading, "Pixel 10, 10")
	if text := b.Eval(`document.getElementById('explanation').textContent`); !strings.Contains(text, "no history of this pixel") || !strings.Contains(text, "--pixel 10,10") {
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
	zoom, _ := strconv.ParseFloat(b.Eval(`parseFloat(document.getElementById('zoom').textContent)`), 64)
	b.Do(chromedp.MouseClickXY(x+0.375*zoom, y-0.125*zoom))
	b.want(heading, "Pixel 12, 7 of picture")
	b.want(`document.querySelector('.tabs [aria-pressed=true]').textContent`, "sample 1")
	// Pixels by their coordinates, and by the list of those that are explained.
	b.Do(chromedp.SetValue(chromedp.ID("x"), "23"), chromedp.SetValue(chromedp.ID("y"), "15"), chromedp.Click(chromedp.CSS("#go button")))
	b.want(heading, "Pixel 23, 15")
	b.Do(chromedp.Click(chromedp.CSS("#explained button:first-child")))
	b.want(heading, "Pixel 12, 7 of picture")
	b.Clean()
}

func TestPage_DraggingMovesAndWheelZooms(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)))
	x, y, scale := b.center()
	// What is in the middle stays there when the window changes its size.
	b.Resize(1000, 700)
	x2, y2, _ := b.middle()
	b.Do(chromedp.MouseClickXY(x2+0.5*scale, y2+0.5*scale))
	b.want(heading, "Pixel 12, 8")
	b.Resize(1280, 800)
	b.Do(chromedp.DragAndDropXY(x, y, x+3*scale, y))
	b.want(heading, "Pixel 12, 8") // a drag chooses nothing
	b.Do(chromedp.MouseClickXY(x+0.5*scale, y+0.5*scale))
	b.want(heading, "Pixel 9, 8")
	b.Eval(`document.getElementById('picture').dispatchEvent(new WheelEvent('wheel', {deltaY: -120, clientX: 300, clientY: 300, cancelable: true}))`)
	b.Wait(`parseFloat(document.getElementById('zoom').textContent) > ` + strconv.FormatFloat(scale*1.4, 'f', 1, 64))
	b.Clean()
}

// Everything is reached with keys, and what has the focus can be seen.
func TestPage_KeysAlone(t *testing.T) {
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
	b.Do(chromedp.Focus(chromedp.ID("picture")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	b.want(heading, "Pixel 13, 9")
	b.Do(chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(chromedp.ModifierShift)), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
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
	b.Do(chromedp.KeyEvent("n"), chromedp.KeyEvent("]"), chromedp.Focus(chromedp.CSS("button.rule")), chromedp.KeyEvent(kb.Enter))
	b.want(`document.querySelector('button.rule').getAttribute('aria-expanded')`, "true")
	if text, want := b.Eval(`document.querySelector('.rule-text').textContent`), "Everything else, including a=0, is back-facing."; !strings.Contains(text, want) {
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
				out = append(out, strconv.Itoa(x.Index), strconv.FormatFloat(x.Window[0], 'g', -1, 64)+", "+strconv.FormatFloat(x.Window[1], 'g', -1, 64))
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
				add(b.Source, b.Destination, b.SourceFactors, b.DestinationFactors, b.Result, b.Stored)
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
				out = append(out, strings.Split(strings.ReplaceAll(strings.TrimSpace(f.Shader.Sources[0].Text), "\t", "    "), "\n")...)
			}
		}
	}
	return out
}

func TestPage_FiguresAreThoseOfTheExplanation(t *testing.T) {
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
func TestPage_BlendingIsMultipliedOut(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)) + "#12,7,2")
	b.want(`[...document.querySelectorAll('.arithmetic tr')].map(r => [...r.cells].map(c => c.textContent).join(' ')).join('; ')`,
		"R 0.25 · 0.5 + 0.8 · 0.5 = 0.125 + 0.4 = 0.525 → 0.52549; G 0.5 · 0.5 + 0.4 · 0.5 = 0.25 + 0.2 = 0.45 → 0.45098; "+
			"B 0.75 · 0.5 + 0.2 · 0.5 = 0.375 + 0.1 = 0.475 → 0.47451; A 0.5 · 1 + 1 · 0.5 = 0.5 + 0.5 = 1 → 1")
	b.Clean()
}

// What the page draws of coverage: the samples that JSON calls covered, and an edge
// where it says.
func TestPage_CoverageIsDrawnAsItIs(t *testing.T) {
	b := open(t, 1280, 800)
	b.visit(file(t, report(t)) + "#12,7,2")
	b.want(`[...document.querySelectorAll('.coverage .sample')].map(g => g.classList.contains('full')).join()`, "false,false,true,false")
	// Sample 2 is at 0.125, 0.625 of 200 units; A–B is the edge from 4, 1.25 to 16, 10.5, at 12, 7.
	b.want(`(c => [c.getAttribute('cx'), c.getAttribute('cy')].join())(document.querySelector('.coverage .full .dot'))`, "25,125")
	b.want(`(l => ['x1', 'y1', 'x2', 'y2'].map(k => l.getAttribute(k)).join())(document.querySelector('.coverage .edge0'))`, "-1600,-1150,800,700")
	b.Clean()
}

// Names and shader text of strangers are text: no element, script or request comes of them.
func TestPage_HostileNamesStayText(t *testing.T) {
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
	if n := strings.Count(text, strings.NewReplacer("\x1b", "\ufffd", "\u202e", "\ufffd").Replace(name)); n < 12 || strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("the name is seen %d times in %q", n, text)
	}
	b.want(`document.querySelectorAll('img, iframe, object, embed, link, b b').length`, "0")
	b.want(`document.scripts.length`, "2")
	b.want(`document.title.includes('owned')`, "true") // as text, within the title
	b.want(`document.title === 'owned'`, "false")
	// The policy holds even where the page's script would err.
	b.want(`(() => { try { document.body.innerHTML = '<p>'; return 'set'; } catch { return 'refused'; } })()`, "refused")
	b.Forget() // what the policy has just refused is told
	b.Clean()
}

// The picture on the page is the picture, also where it begins elsewhere than at 0, 0.
func TestPage_PictureIsThePicture(t *testing.T) {
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

// Where a value was copied from another image, its history there is one step away.
func TestPage_CopiesLeadToWhereTheyCameFrom(t *testing.T) {
	b := open(t, 1280, 800)
	drawn := read(t, "glass")
	drawn.Target.Image, drawn.Target.Width, drawn.Target.Height, drawn.Target.X, drawn.Target.Y = "image #7", 48, 32, 40, 30
	presented := &explain.Explanation{
		Target: explain.Target{Image: "presented", Width: 24, Height: 16, X: 20, Y: 15, Samples: 1}, After: drawn.After,
		Events: []explain.Event{{Kind: explain.Copy, Where: "copy 0", Outcome: explain.Wrote, After: drawn.After, From: &drawn.Target}},
	}
	b.visit(file(t, &Report{Picture: picture(), Explanations: []*explain.Explanation{presented, drawn}}))
	b.want(heading, "Pixel 20, 15 of presented")
	b.want(`document.getElementById('explained').textContent`, "20, 15")
	b.Do(chromedp.Click(chromedp.CSS(".from button")))
	b.want(heading, "Pixel 40, 30 of image #7")
	b.Wait(`document.querySelector('.verdict').textContent.includes('glass')`)
	b.want(`document.querySelector('#readout b').textContent`, "20, 15") // which stays the chosen one
	b.Do(chromedp.Click(chromedp.CSS("#explanation p button")))
	b.want(heading, "Pixel 20, 15 of presented")
	b.Clean()
}
