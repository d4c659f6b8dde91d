package encode

import (
	"encoding/binary"
	"fmt"
	"image"
	"io"
)

// A lossless WebP file: a RIFF container around one VP8L stream, here with two transforms
// (subtract green, predictors), matches of earlier pixels, and one set of prefix codes.
// The format is that of RFC 9649.

// pixel is alpha, red, green and blue, from the highest byte down.
type pixel = uint32

// Channels in the order in which the stream has their codes, as shifts of a pixel.
const (
	greenShift = 8
	redShift   = 16
	blueShift  = 0
	alphaShift = 24
)

func writeWebP(w io.Writer, img *image.NRGBA) error {
	const most = 1 << 14
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if width > most || height > most {
		return fmt.Errorf("WebP: %d × %d pixels: %w", width, height, ErrTooLarge)
	}
	pixels := make([]pixel, 0, width*height)
	for y := range height {
		line := row(img, y)
		for i := 0; i < len(line); i += 4 {
			pixels = append(pixels, uint32(line[i+3])<<alphaShift|uint32(line[i])<<redShift|uint32(line[i+1])<<greenShift|uint32(line[i+2]))
		}
	}
	var b bitWriter
	b.put(0x2f, 8) // signature
	b.put(uint32(width-1), 14)
	b.put(uint32(height-1), 14)
	b.put(1, 1) // alpha is used
	b.put(0, 3) // version
	const transform, predictor, subtractGreen = 1, 0, 2
	b.put(transform, 1)
	b.put(subtractGreen, 2)
	for i, p := range pixels {
		g := p >> greenShift & 0xff
		pixels[i] = p&0xff00ff00 | (p>>redShift-g)&0xff<<redShift | (p-g)&0xff
	}
	modes, residuals := predict(pixels, width, height)
	b.put(transform, 1)
	b.put(predictor, 2)
	b.put(tileBits-2, 3)
	b.image(modes, tiles(width), false)
	b.put(0, 1) // no more transforms
	b.image(residuals, width, true)
	stream := b.flush()

	padded := (len(stream) + 1) &^ 1
	head := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+8+padded))...)
	head = binary.LittleEndian.AppendUint32(append(head, "WEBPVP8L"...), uint32(len(stream)))
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(append(stream, 0)[:padded])
	return err
}

// Predictors are chosen for squares of 1 << tileBits pixels.
const tileBits = 4

func tiles(extent int) int { return (extent + 1<<tileBits - 1) >> tileBits }

// predictors are those that are tried: all but the ones that look to the upper right.
var predictors = [...]struct {
	mode uint32
	of   func(left, above, corner pixel) pixel
}{
	{11, selectNearest},
	{1, func(l, _, _ pixel) pixel { return l }},
	{2, func(_, a, _ pixel) pixel { return a }},
	{7, func(l, a, _ pixel) pixel { return average(l, a) }},
	{12, func(l, a, c pixel) pixel { return each(l, a, c, func(l, a, c int) int { return l + a - c }) }},
	{13, func(l, a, c pixel) pixel {
		return each(average(l, a), c, 0, func(m, c, _ int) int { return m + (m-c)/2 })
	}},
}

// predict returns the mode of every tile, as the green of a pixel, and what is left of each
// pixel when its prediction is taken away.
func predict(pixels []pixel, width, height int) (modes, residuals []pixel) {
	residuals = make([]pixel, len(pixels))
	var tried [1 << (2 * tileBits)]pixel
	for ty := range tiles(height) {
		for tx := range tiles(width) {
			area := image.Rect(tx, ty, tx+1, ty+1)
			area = image.Rectangle{area.Min.Mul(1 << tileBits), area.Max.Mul(1 << tileBits)}.Intersect(image.Rect(0, 0, width, height))
			best := -1
			var mode uint32
			for _, p := range predictors {
				cost, n := 0, 0
				for y := area.Min.Y; y < area.Max.Y; y++ {
					for x := area.Min.X; x < area.Max.X; x++ {
						at := y*width + x
						var guess pixel
						switch {
						case x == 0 && y == 0:
							guess = 0xff << alphaShift
						case y == 0:
							guess = pixels[at-1]
						case x == 0:
							guess = pixels[at-width]
						default:
							guess = p.of(pixels[at-1], pixels[at-width], pixels[at-width-1])
						}
						d := difference(pixels[at], guess)
						for shift := 0; shift < 32; shift += 8 {
							v := int(int8(d >> shift))
							cost += max(v, -v)
						}
						tried[n] = d
						n++
					}
				}
				if best >= 0 && cost >= best {
					continue
				}
				best, mode = cost, p.mode
				n = 0
				for y := area.Min.Y; y < area.Max.Y; y++ {
					n += copy(residuals[y*width+area.Min.X:][:area.Dx()], tried[n:])
				}
			}
			modes = append(modes, 0xff<<alphaShift|mode<<greenShift)
		}
	}
	return modes, residuals
}

// difference is a - b in every channel, modulo 256.
func difference(a, b pixel) pixel {
	return (0x00ff00ff+a&0xff00ff00-b&0xff00ff00)&0xff00ff00 | (0xff00ff00+a&0x00ff00ff-b&0x00ff00ff)&0x00ff00ff
}

// average is the mean in every channel, rounded down.
func average(a, b pixel) pixel { return (a^b)&0xfefefefe>>1 + a&b }

// each combines every channel of three pixels; results are clamped to a byte.
func each(a, b, c pixel, of func(a, b, c int) int) (p pixel) {
	for shift := 0; shift < 32; shift += 8 {
		v := of(int(a>>shift&0xff), int(b>>shift&0xff), int(c>>shift&0xff))
		p |= uint32(min(max(v, 0), 255)) << shift
	}
	return p
}

// selectNearest is the one of left and above that is nearer to left + above - corner.
func selectNearest(left, above, corner pixel) pixel {
	toLeft, toAbove := 0, 0
	for shift := 0; shift < 32; shift += 8 {
		c := int(corner >> shift & 0xff)
		toLeft += abs(int(above>>shift&0xff) - c)
		toAbove += abs(int(left>>shift&0xff) - c)
	}
	if toLeft < toAbove {
		return left
	}
	return above
}
