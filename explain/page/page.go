// Package page shows explanations on a web page: the picture, and for its pixels why
// they have their values. Write makes one file that needs nothing else, Serve a page
// that asks for further pixels.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice/explain"
)

// Report is what a page shows.
type Report struct {
	// Title says of what the picture is: a file's name.
	Title string
	// Picture is what was drawn, one pixel for each of the explained image.
	Picture image.Image
	// Explanations are those of any samples of the picture, in any order.
	Explanations []*explain.Explanation
	// Followed are those of texels that values came from, of any images: what reads one of them, or
	// was copied from one, leads there.
	Followed []*explain.Explanation
}

// Write writes a report as one HTML file, which takes nothing from the network. What
// comes from models and programs (names, labels, the text of shaders) is data of the
// page and shown as text: its policy lets no other script run than its own.
func Write(w io.Writer, r *Report) error { return write(w, r, false, false) }

// data is the page's JSON.
type data struct {
	Title        string                 `json:"title"`
	Width        int                    `json:"width"`
	Height       int                    `json:"height"`
	Picture      string                 `json:"picture"` // a data URI
	Serve        bool                   `json:"serve"`   // further pixels may be asked for
	Follow       bool                   `json:"follow"`  // and texels of other images
	Explanations []*explain.Explanation `json:"explanations"`
	Followed     []*explain.Explanation `json:"followed"`
	Rules        map[string]rule        `json:"rules"`
}

//go:embed assets/page.html
var document string

//go:embed assets/page.css
var sheet string

var (
	//go:embed assets/dom.js
	domScript string
	//go:embed assets/picture.js
	pictureScript string
	//go:embed assets/parts.js
	partsScript string
	//go:embed assets/shader.js
	shaderScript string
	//go:embed assets/history.js
	historyScript string
	//go:embed assets/app.js
	appScript string
)

// script is the page's program, whose parts see each other and nothing outside does.
func script() string {
	return "(() => {\n'use strict';\n" + domScript + pictureScript + partsScript + shaderScript + historyScript + appScript + "})();\n"
}

func write(w io.Writer, r *Report, serve, follow bool) error {
	if r == nil || r.Picture == nil {
		return errors.New("page: a report takes a picture; set Report.Picture")
	}
	picture, err := dataURI(r.Picture)
	if err != nil {
		return fmt.Errorf("page: the picture: %w", err)
	}
	size := r.Picture.Bounds().Size()
	d := data{
		Title: r.Title, Width: size.X, Height: size.Y, Picture: picture, Serve: serve, Follow: follow,
		Explanations: r.Explanations, Followed: r.Followed, Rules: rulesOf(slices.Concat(r.Explanations, r.Followed)),
	}
	for _, list := range []*[]*explain.Explanation{&d.Explanations, &d.Followed} {
		if *list == nil {
			*list = []*explain.Explanation{}
		}
	}
	// json.Marshal writes <, > and & as \u003c, \u003e and \u0026: no text ends the element it is in.
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	program := script()
	page := strings.NewReplacer("{{policy}}", policy(sheet, program, serve), "{{sheet}}", sheet, "{{script}}", program, "{{data}}", string(text)).Replace(document)
	_, err = io.WriteString(w, page)
	return err
}

// policy is what the browser lets the page do: run its one script and one style sheet,
// show pictures that are data, and ask its own server where there is one. Text never
// becomes markup, not even by a mistake of the script (trusted-types).
func policy(sheet, script string, serve bool) string {
	connect := "'none'"
	if serve {
		connect = "'self'"
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(sheet) + "; img-src data:; connect-src " + connect +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// dataURI is a picture as PNG in a URI.
func dataURI(m image.Image) (string, error) {
	var b bytes.Buffer
	b.WriteString("data:image/png;base64,")
	to := base64.NewEncoder(base64.StdEncoding, &b)
	if err := png.Encode(to, m); err != nil {
		return "", err
	}
	if err := to.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}
