package gltf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
)

// What is wrong with a file, and cannot hurt, is told in one line a kind: a model of a thousand
// meshes has the same fault a thousand times.

// lostTexture is the kind of all that leaves a texture without an image.
const lostTexture = "the texture is lost: %s"

// maxWarnings bounds Document.Warnings.
const maxWarnings = 1000

// told is a kind of warning that has a line.
type told struct {
	line     string // of the first of the kind
	at, loss int    // in Warnings and in Losses; loss is None where it is none
	more     int    // of the kind, beside the first
}

// tell adds a warning, or counts it with the first of its kind.
func (d *Document) tell(kind string, loss bool, e *Error) {
	if loss && d.strict && d.refused == nil {
		d.refused = e
	}
	if t := d.told[kind]; t != nil {
		t.more++
		line := fmt.Sprintf("%s (and %d more of the kind)", t.line, t.more)
		d.Warnings[t.at] = line
		if t.loss != None {
			d.Losses[t.loss] = line
		}
		return
	}
	if len(d.Warnings) >= maxWarnings {
		return
	}
	if d.told == nil {
		d.told = map[string]*told{}
	}
	t := &told{line: e.Error(), at: len(d.Warnings), loss: None}
	d.Warnings = append(d.Warnings, t.line)
	if loss {
		t.loss = len(d.Losses)
		d.Losses = append(d.Losses, t.line)
	}
	d.told[kind] = t
}

// warn notes what was ignored or repaired and is no fault of the file's. Its format is the kind.
func (l *loader) warn(place, format string, args ...any) {
	l.tellKind(format, false, place, format, args...)
}

// lose is warn for a fault of the file, and for what the picture lacks, or shows otherwise than
// the file says: Options.Strict refuses it.
func (l *loader) lose(place, format string, args ...any) {
	l.tellKind(format, true, place, format, args...)
}

func (l *loader) tellKind(kind string, loss bool, place, format string, args ...any) {
	l.doc.tell(kind, loss, &Error{File: l.file, Place: place, Message: fmt.Sprintf(format, args...)})
}

// fatal reports whether an error is none of the file's faults: the context has ended, or there is
// no memory.
func (l *loader) fatal(err error) bool {
	var over *budget.Error
	return l.ctx.Err() != nil || errors.As(err, &over)
}

// bare returns the place of an error of this package, and what it says there.
func bare(err error) (place, text string) {
	var e *Error
	if !errors.As(err, &e) {
		return "", err.Error()
	}
	return e.Place, (&Error{Message: e.Message, Err: e.Err}).Error()
}

// here returns an error of this package as a part of another's message: without the file.
func here(err error) string {
	place, text := bare(err)
	return strings.TrimPrefix(place+": "+text, ": ")
}

// LoseImage tells that an image cannot be decoded, as err says, which a method of it returned: the
// textures that use it are lost, and have no Image from then on. It returns err where Options.Strict
// was set, and where err is none of the file's faults: a context that has ended, or a *budget.Error.
// It must not run concurrently with other uses of the document.
func (d *Document) LoseImage(m *Image, err error) error {
	var over *budget.Error
	var e *Error
	if d == nil || m == nil || !errors.As(err, &e) || errors.As(err, &over) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	for _, t := range d.Textures {
		if t.Image != m {
			continue
		}
		t.Image = nil
		d.tell(lostTexture, true, &Error{File: d.File, Place: fmt.Sprintf("textures[%d]", t.Index), Message: fmt.Sprintf(lostTexture, here(err))})
	}
	if d.strict {
		return err
	}
	return nil
}

// CheckImages decodes every image that a texture uses, and calls LoseImage for those that cannot be
// decoded: their headers alone were looked at when the model was read. Errors: those that LoseImage
// returns.
func (d *Document) CheckImages(ctx context.Context) error {
	if d == nil {
		return nil
	}
	seen := map[*Image]bool{}
	for _, t := range d.Textures {
		m := t.Image
		if m == nil || seen[m] {
			continue
		}
		seen[m] = true
		if _, err := m.DecodeLevels(ctx); err != nil {
			if err := d.LoseImage(m, err); err != nil {
				return err
			}
		}
	}
	return nil
}
