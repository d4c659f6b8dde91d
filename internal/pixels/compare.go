package pixels

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
)

// Difference is how two pictures of one size differ.
type Difference struct {
	// Pixels is how many there are, Differ how many differ by more than the tolerance,
	// Within how many by less than that.
	Pixels, Differ, Within int
	// Bounds holds all that differ, First is the first of them, row by row.
	Bounds image.Rectangle
	First  image.Point
	// Largest is the largest difference of a channel, in units of Color, whatever the
	// tolerance, and LargestAt the first pixel that has it.
	Largest   int
	LargestAt image.Point

	a, b      *Picture
	tolerance float64
}

// CheckTolerance refuses what is no largest difference of channels in steps of 1/255.
func CheckTolerance(steps float64) error {
	if !(steps >= 0 && steps <= 255) {
		return fmt.Errorf("a tolerance of %v: want 0 to 255, in steps of 1/255 of a channel", steps)
	}
	return nil
}

// Compare compares pictures of one size: pixels differ where a channel does by more than
// steps of 1/255. It ends with its context.
func Compare(ctx context.Context, a, b *Picture, steps float64) (*Difference, error) {
	d := &Difference{Pixels: a.Width * a.Height, a: a, b: b, tolerance: steps * Step}
	for y := range a.Height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range a.Width {
			largest := distance(a.at(x, y), b.at(x, y))
			if largest == 0 {
				continue
			}
			if largest > d.Largest {
				d.Largest, d.LargestAt = largest, image.Pt(x, y)
			}
			if float64(largest) <= d.tolerance {
				d.Within++
				continue
			}
			if d.Differ == 0 {
				d.First = image.Pt(x, y)
			}
			d.Differ++
			d.Bounds = d.Bounds.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	return d, nil
}

// distance is the largest difference of a channel.
func distance(a, b Color) int {
	largest := 0
	for i := range a {
		d := int(a[i]) - int(b[i])
		largest = max(largest, d, -d)
	}
	return largest
}

// Heat draws what differs: from dark red to yellow by the root of the difference, blue where the
// tolerance holds, and the second picture's brightness in dark grey where nothing differs.
func (d *Difference) Heat(ctx context.Context) (*image.NRGBA, error) {
	heat := image.NewNRGBA(image.Rect(0, 0, d.a.Width, d.a.Height))
	for y := range d.a.Height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range d.a.Width {
			b := d.b.at(x, y)
			large := distance(d.a.at(x, y), b)
			var c color.NRGBA
			switch {
			case large == 0:
				grey := uint8((int(b[0]) + 2*int(b[1]) + int(b[2])) / 4 / (3 * Step))
				c = color.NRGBA{grey, grey, grey, 255}
			case float64(large) <= d.tolerance:
				c = color.NRGBA{40, 80, 255, 255}
			default:
				root := int(math.Sqrt(float64(large) * 65535)) // up to 65535
				c = color.NRGBA{uint8(128 + root*127/65535), uint8(root / Step), 0, 255}
			}
			heat.SetNRGBA(x, y, c)
		}
	}
	return heat, nil
}

// HeatBytes is the memory of Heat's result.
func (d *Difference) HeatBytes() int64 { return 4 * int64(d.Pixels) }

// Deep: one of the pictures has channels of more than 8 bits.
func (d *Difference) Deep() bool { return d.a.Deep || d.b.Deep }

// Steps writes a difference of channels in steps of 1/255: "3", "0.004".
func Steps(difference int) string {
	return fmt.Sprintf("%.4g", float64(difference)/Step)
}

// Summary tells in one line how many pixels differ, where, and the first of them with both
// values; first and second are what the pictures are called.
func (d *Difference) Summary(first, second string) string {
	deep := d.Deep()
	return fmt.Sprintf("%d of %d pixels differ (%.3g %%), all in x %d to %d, y %d to %d, by up to %s of 255; the first at (%d, %d): %s %s, %s %s",
		d.Differ, d.Pixels, 100*float64(d.Differ)/float64(d.Pixels), d.Bounds.Min.X, d.Bounds.Max.X-1, d.Bounds.Min.Y, d.Bounds.Max.Y-1,
		Steps(d.Largest), d.First.X, d.First.Y, first, d.a.at(d.First.X, d.First.Y).Text(deep), second, d.b.at(d.First.X, d.First.Y).Text(deep))
}
