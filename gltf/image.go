package gltf

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/texture"
)

// Image is a PNG, JPEG, WebP, GIF, BMP, TGA, KTX 2 or DDS picture, held encoded. Its header was checked when
// the model was loaded. All methods may be called concurrently.
type Image struct {
	Name          string
	Index         int    // in Document.Images
	URI           string // as in the file; empty for data URIs and buffer views
	MIMEType      string // "image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/tga", "image/ktx2" or "image/vnd-ms.dds", from the content; empty where unusable, or made of others
	Width, Height int    // texels
	Deep          bool   // 16 bits a channel
	Levels        int    // that the file has; 1 but for KTX 2 and DDS

	encoded          []byte
	header           input.Picture
	budget           *budget.Budget
	file             string
	texture          bool     // a file of package texture
	levels           int64    // bytes of all of its levels
	unusable         string   // why the content cannot be decoded, when no texture uses it
	warnings, losses []string // of the file; losses are warnings, too
	// derive makes the picture of others, whose memory they charge themselves; nil: it is decoded.
	derive func(ctx context.Context) (*image.NRGBA, error)
}

// Place names the image in errors: "images[3] (wood.png)".
func (m *Image) Place() string {
	if m == nil {
		return "no image"
	}
	if m.URI != "" {
		return fmt.Sprintf("images[%d] (%s)", m.Index, quoted(m.URI))
	}
	return fmt.Sprintf("images[%d]", m.Index)
}

// errNoImage is the error of a nil Image.
func errNoImage() error {
	return &Error{Place: "images", Message: "the image is nil; check the error of the call that read it"}
}

func (m *Image) errorf(err error, format string, args ...any) error {
	return &Error{File: m.file, Place: m.Place(), Message: fmt.Sprintf(format, args...), Err: err}
}

// inspect fills type and extent from the encoded header, and refuses images
// whose decoding could never have the memory.
func (m *Image) inspect() error {
	var err error
	if m.texture = texture.Is(m.encoded); m.texture {
		err = m.inspectTexture()
	} else {
		err = m.inspectPicture()
	}
	if err != nil {
		return err
	}
	m.Width, m.Height = m.header.Width, m.header.Height
	if m.Width <= 0 || m.Height <= 0 {
		return m.errorf(nil, "extent %d × %d is empty", m.Width, m.Height)
	}
	if need := m.decoding(4); need > m.budget.Limit() {
		return m.errorf(&budget.Error{Need: need, Left: m.budget.Limit(), Limit: m.budget.Limit(), Raise: m.budget.Raise()},
			"decoding %d × %d texels", m.Width, m.Height)
	}
	return nil
}

func (m *Image) inspectPicture() error {
	p, err := input.Inspect(m.encoded)
	switch {
	case errors.Is(err, input.ErrKind):
		if kind := input.Foreign(m.encoded); kind != "" {
			return m.errorf(nil, "%s is not supported (PNG, JPEG, WebP, KTX 2 and DDS are)", kind)
		}
		return m.errorf(nil, "is neither PNG, JPEG, WebP, KTX 2 nor DDS")
	case err != nil:
		return m.errorf(err, "bad header")
	}
	m.MIMEType, m.Deep, m.Levels, m.header = "image/"+p.Kind, p.Deep, 1, p
	m.losses = p.Losses
	if m.warnings = p.Warnings; p.Kind == "gif" || p.Kind == "bmp" || p.Kind == "tga" {
		m.warnings = append(m.warnings, strings.ToUpper(p.Kind)+" is no kind of picture that glTF has; other programs may not show it")
	}
	return nil
}

func (m *Image) inspectTexture() error {
	f, work, err := texture.Inspect(m.encoded)
	if err != nil {
		var e *texture.Error
		if errors.As(err, &e) && e.Unsupported {
			return m.errorf(nil, "%v", err)
		}
		return m.errorf(err, "bad header")
	}
	switch f.Kind {
	case "KTX 2":
		m.MIMEType = "image/ktx2"
	case "DDS":
		m.MIMEType = "image/vnd-ms.dds"
	default:
		return m.errorf(nil, "%s is not supported (PNG, JPEG, WebP, KTX 2 and DDS are)", f.Kind)
	}
	m.warnings, m.losses = f.Warnings, f.Losses
	m.Levels, m.levels = f.Levels, f.PictureBytes(f.Levels)
	m.header = input.Picture{Width: f.Width, Height: f.Height, Result: f.PictureBytes(1), Decoding: work, Straight: true}
	return nil
}

// texels returns the memory of the picture with so many bytes a texel.
func (m *Image) texels(each int64) int64 { return int64(m.Width) * int64(m.Height) * each }

// decoding returns the memory of decoding to so many bytes a texel.
func (m *Image) decoding(each int64) int64 {
	if m.header.Straight {
		return m.header.Result + m.header.Decoding
	}
	return m.header.Result + m.header.Decoding + m.texels(each)
}

// Decode decodes the image to a new *image.NRGBA, or a new *image.NRGBA64
// where Deep is set. Colours are as stored (not premultiplied, not linearised);
// colour profiles and gamma chunks are ignored, as glTF asks.
func (m *Image) Decode(ctx context.Context) (image.Image, error) {
	if m == nil {
		return nil, errNoImage()
	}
	if !m.Deep {
		return m.DecodeNRGBA(ctx)
	}
	src, release, err := m.decode(ctx, 8)
	if err != nil {
		return nil, err
	}
	defer release()
	out := image.NewNRGBA64(image.Rect(0, 0, m.Width, m.Height))
	forEachDeep(src, out.SetNRGBA64)
	budget.Keep(m.budget, m.texels(8), out)
	return out, nil
}

// DecodeNRGBA is Decode with 16-bit channels rounded to 8 bits.
func (m *Image) DecodeNRGBA(ctx context.Context) (*image.NRGBA, error) {
	if m == nil {
		return nil, errNoImage()
	}
	src, release, err := m.decode(ctx, 4)
	if err != nil {
		return nil, err
	}
	defer release()
	var out *image.NRGBA
	if m.Deep {
		out = image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
		round := func(v uint16) uint8 { return uint8((uint32(v)*255 + 32767) / 65535) }
		forEachDeep(src, func(x, y int, c color.NRGBA64) {
			out.SetNRGBA(x, y, color.NRGBA{round(c.R), round(c.G), round(c.B), round(c.A)})
		})
	} else {
		out = toNRGBA(src)
	}
	budget.Keep(m.budget, m.texels(4), out)
	return out, nil
}

// DecodeLevels is DecodeNRGBA for all Levels of the file, the largest first.
func (m *Image) DecodeLevels(ctx context.Context) ([]*image.NRGBA, error) {
	if m == nil {
		return nil, errNoImage()
	}
	if m.Levels < 2 {
		im, err := m.DecodeNRGBA(ctx)
		if err != nil {
			return nil, err
		}
		return []*image.NRGBA{im}, nil
	}
	need := m.levels + m.header.Decoding
	if err := m.budget.Take(need); err != nil {
		return nil, m.errorf(err, "decoding %d levels of %d × %d texels", m.Levels, m.Width, m.Height)
	}
	list, err := texture.Pictures(ctx, m.encoded, true)
	if err != nil {
		m.budget.Drop(need)
		return nil, m.errorf(err, "decoding")
	}
	m.budget.Drop(m.header.Decoding)
	for _, im := range list {
		budget.Keep(m.budget, int64(len(im.Pix)), im)
	}
	return list, nil
}

// decode runs the decoder with memory for its picture and a result of so many bytes a
// texel; release gives up all but the result.
func (m *Image) decode(ctx context.Context, each int64) (src image.Image, release func(), err error) {
	if m.unusable != "" {
		return nil, nil, m.errorf(nil, "%s", m.unusable)
	}
	need := m.decoding(each)
	if err := m.budget.Take(need); err != nil {
		return nil, nil, m.errorf(err, "decoding %d × %d texels", m.Width, m.Height)
	}
	if m.derive != nil {
		if src, err = m.derive(ctx); err != nil {
			m.budget.Drop(need)
			return nil, nil, err
		}
	} else if m.texture {
		var list []*image.NRGBA
		if list, err = texture.Pictures(ctx, m.encoded, false); err == nil {
			src = list[0]
		}
	} else {
		src, err = input.Decode(ctx, m.encoded, m.header)
	}
	if err != nil {
		m.budget.Drop(need)
		return nil, nil, m.errorf(err, "decoding")
	}
	return src, func() { m.budget.Drop(need - m.texels(each)) }, nil
}

// forEachDeep calls f with all texels.
func forEachDeep(src image.Image, f func(x, y int, c color.NRGBA64)) {
	b := src.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			f(x, y, color.NRGBA64Model.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64))
		}
	}
}

// toNRGBA converts what the decoders return to straight 8-bit alpha with
// origin (0, 0).
func toNRGBA(src image.Image) *image.NRGBA {
	if n, ok := input.Straight(src); ok {
		return n
	}
	b := src.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := out.Pix[y*out.Stride:]
		switch s := src.(type) {
		case *image.Gray:
			for x, g := range s.Pix[y*s.Stride : y*s.Stride+b.Dx()] {
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = g, g, g, 0xff
			}
		case *image.YCbCr:
			for x := range b.Dx() {
				c := s.YCbCrAt(b.Min.X+x, b.Min.Y+y)
				red, green, blue := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = red, green, blue, 0xff
			}
		default:
			for x := range b.Dx() {
				c := color.NRGBAModel.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
				row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = c.R, c.G, c.B, c.A
			}
		}
	}
	return out
}
