// Package encode writes pictures in the formats that other programs read: PNG, JPEG,
// lossless WebP, KTX 2, OpenEXR, raw RGBA and animated PNG. Everything is written in one
// pass, so that the writer may be a pipe, and the same picture gives the same bytes
// everywhere.
package encode

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"path/filepath"
	"strings"
)

// Format is a file format.
type Format string

// The formats. All but JPEG keep every bit of a picture.
const (
	PNG  Format = "png"  // 8 bits a channel, sRGB, with alpha
	JPEG Format = "jpeg" // without alpha: over white
	WebP Format = "webp" // lossless, with alpha
	KTX2 Format = "ktx2" // one level of R8G8B8A8_SRGB
	EXR  Format = "exr"  // linear, premultiplied, 16-bit floats
	RGBA Format = "rgba" // the bytes alone, row by row, sRGB, alpha not premultiplied
	APNG Format = "apng" // PNG of many frames
)

// formats lists the formats in the order in which help names them.
var formats = [...]Format{PNG, JPEG, WebP, KTX2, EXR, RGBA, APNG}

// Names returns the names of all formats, with commas.
func Names() string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// Parse returns the format of a name such as "png" or "jpg".
func Parse(name string) (Format, bool) {
	name = strings.ToLower(name)
	if name == "jpg" {
		return JPEG, true
	}
	for _, f := range formats {
		if string(f) == name {
			return f, true
		}
	}
	return "", false
}

// FormatOf returns the format that a file's suffix names.
func FormatOf(file string) (Format, bool) {
	return Parse(strings.TrimPrefix(filepath.Ext(file), "."))
}

// Extension returns the suffix of the format's files, with its dot.
func (f Format) Extension() string {
	if f == JPEG {
		return ".jpg"
	}
	return "." + string(f)
}

// Options say how to encode.
type Options struct {
	// Quality of JPEG, 1 to 100; 0 means 90.
	Quality int
}

// ErrTooLarge is the error of pictures that a format cannot hold.
var ErrTooLarge = errors.New("the format holds no picture of this extent")

// Write encodes one picture: sRGB, alpha not premultiplied. Errors are the writer's, and
// ErrTooLarge (WebP: 16384 pixels either way, JPEG: 65535).
func Write(w io.Writer, img *image.NRGBA, f Format, o Options) error {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width < 1 || height < 1 {
		return fmt.Errorf("encode: a picture of %d × %d pixels", width, height)
	}
	switch f {
	case PNG:
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
	case JPEG:
		return writeJPEG(w, img, o.Quality)
	case WebP:
		return writeWebP(w, img)
	case KTX2:
		return writeKTX2(w, img)
	case EXR:
		return WriteEXR(w, width, height, Linearize(img), EXROptions{})
	case RGBA:
		return writeRows(w, img)
	case APNG:
		a, err := NewAnimation(w, width, height, 1, 1)
		if err == nil {
			err = a.Add(img)
		}
		if err == nil {
			err = a.Close()
		}
		return err
	}
	return fmt.Errorf("encode: unknown format %q; there are %s", string(f), Names())
}

// writeRows writes the pixels alone.
func writeRows(w io.Writer, img *image.NRGBA) error {
	for y := range img.Rect.Dy() {
		if _, err := w.Write(row(img, y)); err != nil {
			return err
		}
	}
	return nil
}

// row returns the bytes of row y, counted from the top.
func row(img *image.NRGBA, y int) []byte { return img.Pix[y*img.Stride:][:4*img.Rect.Dx()] }

// writeJPEG lays the picture over white, in encoded values, as viewers do.
func writeJPEG(w io.Writer, img *image.NRGBA, quality int) error {
	const most = 1<<16 - 1
	if img.Rect.Dx() > most || img.Rect.Dy() > most {
		return fmt.Errorf("JPEG: %d × %d pixels: %w", img.Rect.Dx(), img.Rect.Dy(), ErrTooLarge)
	}
	if quality == 0 {
		quality = 90
	}
	over := image.NewRGBA(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range img.Rect.Dy() {
		from, to := row(img, y), over.Pix[y*over.Stride:]
		for i := 0; i < len(from); i += 4 {
			a := uint32(from[i+3])
			for c := range 3 {
				to[i+c] = uint8((uint32(from[i+c])*a + 255*(255-a) + 127) / 255)
			}
			to[i+3] = 255
		}
	}
	out := bufio.NewWriter(w)
	if err := jpeg.Encode(out, over, &jpeg.Options{Quality: quality}); err != nil {
		return err
	}
	return out.Flush()
}
