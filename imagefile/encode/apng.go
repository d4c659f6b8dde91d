package encode

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"math"
)

// Animation writes an animated PNG (PNG, third edition), frame after frame, which plays
// without end. Programs that know no animations show the first frame.
type Animation struct {
	w             io.Writer
	width, height int
	frames, added int
	num, den      uint16 // a frame's time in seconds
	sequence      uint32
	last          *image.NRGBA
	packed        bytes.Buffer
	deflate       *zlib.Writer
}

// NewAnimation begins an animation of so many frames, fps of them a second.
func NewAnimation(w io.Writer, width, height, frames int, fps float64) (*Animation, error) {
	if width < 1 || height < 1 || width > math.MaxInt32 || height > math.MaxInt32 || frames < 1 || frames > math.MaxInt32 || !(fps > 0) {
		return nil, fmt.Errorf("encode: APNG: %d frames of %d × %d pixels, %v a second", frames, width, height, fps)
	}
	a := &Animation{w: w, width: width, height: height, frames: frames}
	a.num, a.den = delay(fps)
	a.deflate, _ = zlib.NewWriterLevel(&a.packed, zlib.BestSpeed) // which is a level
	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return nil, err
	}
	be := binary.BigEndian
	header := be.AppendUint32(be.AppendUint32(nil, uint32(width)), uint32(height))
	if err := a.chunk("IHDR", append(header, 8, 6, 0, 0, 0)); err != nil { // 8 bits of RGBA
		return nil, err
	}
	return a, a.chunk("acTL", be.AppendUint32(be.AppendUint32(nil, uint32(frames)), 0))
}

// delay returns the time of a frame as a fraction of 16-bit numbers, exactly where there is
// one: 100/2997 for 29.97.
func delay(fps float64) (num, den uint16) {
	best := math.Inf(1)
	for n := 1.0; n <= math.MaxUint16; n++ {
		d := math.Round(n * fps)
		if d > math.MaxUint16 {
			break
		}
		if d < 1 {
			continue
		}
		if off := math.Abs(float64(n/d*fps) - 1); off < best-1e-9 {
			best, num, den = off, uint16(n), uint16(d)
		}
	}
	if den == 0 { // beyond what the format tells
		if fps > 1 {
			return 1, math.MaxUint16
		}
		return math.MaxUint16, 1
	}
	return num, den
}

// Add writes the next frame, which it keeps: of the following one only what changes is
// stored.
func (a *Animation) Add(img *image.NRGBA) error {
	if img.Rect.Dx() != a.width || img.Rect.Dy() != a.height {
		return fmt.Errorf("encode: APNG: a frame of %d × %d pixels in an animation of %d × %d", img.Rect.Dx(), img.Rect.Dy(), a.width, a.height)
	}
	if a.added == a.frames {
		return fmt.Errorf("encode: APNG: more than the %d frames that were announced", a.frames)
	}
	part := image.Rect(0, 0, a.width, a.height)
	if a.last != nil {
		part = changed(a.last, img)
	}
	be := binary.BigEndian
	control := be.AppendUint32(nil, a.sequence)
	for _, v := range []int{part.Dx(), part.Dy(), part.Min.X, part.Min.Y} {
		control = be.AppendUint32(control, uint32(v))
	}
	control = be.AppendUint16(be.AppendUint16(control, a.num), a.den)
	if err := a.chunk("fcTL", append(control, 0, 0)); err != nil { // it stays, and replaces what was
		return err
	}
	a.sequence++
	a.packed.Reset()
	a.deflate.Reset(&a.packed)
	a.filter(img, part)
	a.deflate.Close() // into memory
	name, data := "IDAT", a.packed.Bytes()
	if a.added > 0 {
		name, data = "fdAT", append(be.AppendUint32(nil, a.sequence), data...)
		a.sequence++
	}
	a.last = img
	a.added++
	return a.chunk(name, data)
}

// Close ends the file. Fewer frames than were announced are an error.
func (a *Animation) Close() error {
	if a.added != a.frames {
		return fmt.Errorf("encode: APNG: %d of %d frames", a.added, a.frames)
	}
	return a.chunk("IEND", nil)
}

// changed returns the smallest part outside of which two pictures of one extent are the
// same; one pixel, where they are.
func changed(old, img *image.NRGBA) image.Rectangle {
	part := image.Rectangle{}
	for y := range img.Rect.Dy() {
		was, is := row(old, y), row(img, y)
		if bytes.Equal(was, is) {
			continue
		}
		left, right := 0, len(is)/4
		for bytes.Equal(was[4*left:][:4], is[4*left:][:4]) {
			left++
		}
		for bytes.Equal(was[4*right-4:][:4], is[4*right-4:][:4]) {
			right--
		}
		part = part.Union(image.Rect(left, y, right, y+1))
	}
	if part.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return part
}

// filter writes the rows of a part, each by the filter among none, up and Paeth whose
// differences are the smallest together.
func (a *Animation) filter(img *image.NRGBA, part image.Rectangle) {
	const none, up, paeth = 0, 2, 4
	n := 4 * part.Dx()
	above := make([]byte, n)
	var lines [3][]byte
	for i, filter := range []byte{none, up, paeth} {
		lines[i] = make([]byte, 1+n)
		lines[i][0] = filter
	}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		line := row(img, y)[4*part.Min.X:][:n]
		var sums [3]int
		for i, v := range line {
			var left, corner byte
			if i >= 4 {
				left, corner = line[i-4], above[i-4]
			}
			for f, d := range [3]byte{v, v - above[i], v - paethOf(left, above[i], corner)} {
				lines[f][1+i] = d
				sums[f] += max(int(int8(d)), -int(int8(d)))
			}
		}
		best := 0
		for f := range sums {
			if sums[f] < sums[best] {
				best = f
			}
		}
		a.deflate.Write(lines[best]) // into memory
		above = line
	}
}

// paethOf is the neighbour that is nearest to a + b - c.
func paethOf(left, above, corner byte) byte {
	a, b, c := int(left), int(above), int(corner)
	toA, toB, toC := abs(b-c), abs(a-c), abs(a+b-2*c)
	switch {
	case toA <= toB && toA <= toC:
		return left
	case toB <= toC:
		return above
	}
	return corner
}

func abs(v int) int { return max(v, -v) }

// chunk writes length, name, data and their check sum.
func (a *Animation) chunk(name string, data []byte) error {
	if len(data) > math.MaxInt32 {
		return fmt.Errorf("APNG: a frame of %d bytes: %w", len(data), ErrTooLarge)
	}
	be := binary.BigEndian
	head := append(be.AppendUint32(nil, uint32(len(data))), name...)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(name)), crc32.IEEETable, data)
	for _, part := range [][]byte{head, data, be.AppendUint32(nil, sum)} {
		if _, err := a.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}
