package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// lose adds a line to what a picture of the document lacks.
func lose(doc *gltf.Document, format string, args ...any) {
	line := fmt.Sprintf("%s: "+format, append([]any{doc.File}, args...)...)
	doc.Warnings, doc.Losses = append(doc.Warnings, line), append(doc.Losses, line)
}

// tellEmpty tells that nothing of a document is ever drawn.
func tellEmpty(doc *gltf.Document) {
	if why := doc.Empty(); why != "" {
		lose(doc, "nothing is drawn: %s", why)
	}
}

// blanks looks for pictures in which nothing of the model is.
type blanks struct {
	strict bool
	frames int // drawn
	blank  int // of them
	why    string
}

// look looks at a picture. With --strict one without the model is an error.
func (b *blanks) look(ctx context.Context, r *studio.Renderer, m *studio.Model, v studio.View, pic picture) error {
	b.frames++
	doc := m.Document()
	if doc.Empty() != "" { // told already
		return nil
	}
	// An environment, and its light on the ground, fill the picture.
	plain := !v.ShowEnvironment && !v.Ground
	if plain && !pic.blank() {
		return nil
	}
	why, err := r.Unseen(ctx, m, v)
	var over *budget.Error
	switch {
	case errors.As(err, &over) && plain: // the picture is there all the same
		why = "there is no memory to find out why"
	case errors.As(err, &over):
		return nil
	case err != nil:
		return err
	}
	if why == "" && plain {
		why = "it is smaller than a pixel, or cannot be told from the background"
	}
	if why == "" {
		return nil
	}
	if b.blank++; b.blank == 1 {
		b.why = why
	}
	if b.strict {
		return fmt.Errorf("--strict: %s: nothing of the model is in the picture: %s", doc.File, why)
	}
	return nil
}

// tell adds what was found to the document's losses.
func (b *blanks) tell(doc *gltf.Document) {
	switch {
	case b.blank == 0:
	case b.frames == 1:
		lose(doc, "nothing of the model is in the picture: %s", b.why)
	default:
		lose(doc, "nothing of the model is in %d of %d frames: %s", b.blank, b.frames, b.why)
	}
}

// blank reports whether all pixels are the same; those of a pass, whether nothing is drawn to any.
func (p picture) blank() bool {
	switch {
	case p.pass && p.linear == nil:
		return transparent(p.finished.Pix)
	case p.pass:
		return transparent(p.linear.Pixels)
	case p.linear == nil:
		return studio.Blank(p.finished)
	}
	for i := 4; i < len(p.linear.Pixels); i++ {
		if p.linear.Pixels[i] != p.linear.Pixels[i-4] {
			return false
		}
	}
	return true
}

// transparent reports whether the fourth of four channels is 0 in all pixels.
func transparent[T byte | float32](pixels []T) bool {
	for i := 3; i < len(pixels); i += 4 {
		if pixels[i] != 0 {
			return false
		}
	}
	return true
}
