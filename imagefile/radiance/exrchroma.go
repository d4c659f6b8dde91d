package radiance

import "github.com/pumice-gpu/pumice/internal/fp"

// exrChroma is a picture as luminance Y and chroma: RY is (R-Y)/Y, BY is (B-Y)/Y, and Y the luminance by the file's
// primaries. Chroma is of every pixel, or of every second one of every second row. From that, colours are made as OpenEXR's
// library does, in 16-bit floats: chroma between samples across, then down, colours, and less saturation for pixels
// that have more of it than all around them, which subsampling makes.
type exrChroma struct {
	width, height int
	step          int       // 1 or 2
	luma          []float32 // of each pixel
	ry, by        []float32 // of each sample, in rows of width
	wr, wg, wb    float32   // luminance of red, green and blue
}

// chroma makes room for a part that has chroma; it returns nil for others.
func (d *decoder) chroma(p *exrPart) (*exrChroma, error) {
	var t *exrChroma
	for i := range p.channels {
		c := &p.channels[i]
		switch {
		case c.to != toRY && c.to != toBY:
			continue
		case t != nil && t.step != c.sx:
			return nil, fail("OpenEXR channels RY and BY are sampled in two ways")
		case t != nil:
			return t, nil
		}
		width, height := p.data.extent()
		n := width * (height / int64(c.sy))
		if err := d.take(4*width*height+8*n+128*width, "chroma of %d × %d pixels", width, height); err != nil {
			return nil, err
		}
		t = &exrChroma{width: int(width), height: int(height), step: c.sx, luma: make([]float32, width*height), ry: make([]float32, n), by: make([]float32, n)}
	}
	return t, nil
}

// row is where a row of a channel is put.
func (t *exrChroma) row(c *exrChannel, x, y, n int) []float32 {
	switch c.to {
	case toRY:
		return t.ry[y/t.step*t.width+x/t.step:][:n]
	case toBY:
		return t.by[y/t.step*t.width+x/t.step:][:n]
	default:
		return t.luma[y*t.width+x:][:n]
	}
}

// colors makes colours of all pixels and hands them on, row by row: red, green and blue of each pixel.
func (t *exrChroma) colors(d *decoder, primaries *chromaticities, put func(y int, row []float32)) error {
	if primaries == nil {
		primaries = &rec709
	}
	m, ok := primaries.toXYZ()
	if !ok {
		m, _ = rec709.toXYZ()
	}
	t.wr, t.wg, t.wb = float32(m[1][0]), float32(m[1][1]), float32(m[1][2])
	if t.step == 1 {
		row := make([]float32, 3*t.width)
		for y := range t.height {
			at := y * t.width
			for x := range t.width {
				t.color(row[3*x:], t.luma[at+x], t.ry[at+x], t.by[at+x])
			}
			put(y, row)
		}
		return nil
	}
	t.widen(t.ry)
	t.widen(t.by)
	above, here, below := t.chromaRow(), t.chromaRow(), t.chromaRow()
	t.fill(here, -1) // is above for the first
	t.fill(below, 0)
	out := make([]float32, 3*t.width)
	for y := range t.height {
		if y%16 == 0 {
			if err := d.ctx.Err(); err != nil {
				return err
			}
		}
		above, here, below = here, below, above
		t.fill(below, y+1)
		t.lessSaturated(out, above, here, below)
		put(y, out)
	}
	return nil
}

// color makes red, green and blue.
func (t *exrChroma) color(out []float32, y, ry, by float32) {
	if ry == 0 && by == 0 { // grey keeps its bits
		out[0], out[1], out[2] = y, y, y
		return
	}
	r, b := float32((ry+1)*y), float32((by+1)*y)
	out[0], out[1], out[2] = r, (y-float32(r*t.wr)-float32(b*t.wb))/t.wg, b
}

// chromaWeights are what the samples are weighed with between the seventh and the eighth of them.
var chromaWeights = [14]float32{
	0.002128, -0.007540, 0.019597, -0.043159, 0.087929, -0.186077, 0.627123, 0.627123, -0.186077, 0.087929, -0.043159, 0.019597, -0.007540, 0.002128,
}

// between makes of 14 rows of samples what lies in their middle.
func between(out []float32, rows *[14][]float32) {
	clear(out)
	for i, w := range chromaWeights {
		row := rows[i][:len(out)]
		for x := range out {
			out[x] += float32(row[x] * w)
		}
	}
	for x, v := range out {
		out[x] = rounded(v)
	}
}

// rounded is a number as a 16-bit float.
func rounded(v float32) float32 { return fp.HalfToFloat(fp.FloatToHalf(v)) }

// widen makes of the samples at the beginning of each row one for each pixel.
func (t *exrChroma) widen(plane []float32) {
	n := t.width / 2
	samples, odd := make([]float32, n+14), make([]float32, n) // with the first and the last repeated
	for ; len(plane) > 0; plane = plane[t.width:] {
		for i := range samples {
			samples[i] = rounded(plane[min(max(i-7, 0), n-1)])
		}
		var rows [14][]float32
		for i := range rows {
			rows[i] = samples[1+i:]
		}
		between(odd, &rows)
		for x, v := range odd {
			plane[2*x], plane[2*x+1] = samples[x+7], v
		}
	}
}

// chromaRow is a row of colours, and how saturated they are.
type chromaRow struct{ colors, saturation, ry, by []float32 }

func (t *exrChroma) chromaRow() *chromaRow {
	return &chromaRow{make([]float32, 3*t.width), make([]float32, t.width), make([]float32, t.width), make([]float32, t.width)}
}

// fill makes colours of row y. That above the first has its luminance, and that below the last is the last but one.
func (t *exrChroma) fill(r *chromaRow, y int) {
	if y == t.height {
		y -= 2
	}
	luma := t.luma[max(y, 0)*t.width:]
	t.chromaAt(r.ry, t.ry, y)
	t.chromaAt(r.by, t.by, y)
	for x := range t.width {
		c := r.colors[3*x : 3*x+3 : 3*x+3]
		t.color(c, rounded(luma[x]), r.ry[x], r.by[x])
		for i := range c {
			c[i] = rounded(c[i])
		}
		r.saturation[x] = 0
		if most := max(c[0], c[1], c[2]); most > 0 {
			r.saturation[x] = 1 - min(c[0], c[1], c[2])/most
		}
	}
}

// chromaAt makes a row of chroma of a widened plane.
func (t *exrChroma) chromaAt(out, plane []float32, y int) {
	row := func(k int) []float32 { return plane[min(max(k, 0), t.height/2-1)*t.width:][:t.width] }
	if y&1 == 0 {
		copy(out, row(y/2))
		return
	}
	var rows [14][]float32
	for i := range rows {
		rows[i] = row((y+1)/2 - 7 + i)
	}
	between(out, &rows)
}

// lessSaturated copies a row and takes saturation from pixels that have far more than the four that touch their corners.
func (t *exrChroma) lessSaturated(out []float32, above, here, below *chromaRow) {
	for x := range t.width {
		c, o := here.colors[3*x:3*x+3:3*x+3], out[3*x:3*x+3:3*x+3]
		copy(o, c)
		left, right := max(x-1, 0), min(x+1, t.width-1)
		mean := min(1, 0.25*(above.saturation[left]+above.saturation[right]+below.saturation[left]+below.saturation[right]))
		most := 1 - float32((1-mean)*0.25)
		s := here.saturation[x]
		if !(s > mean && s > most) {
			continue
		}
		f, brightest := most/s, max(c[0], c[1], c[2])
		for i := range o {
			o[i] = rounded(max(brightest-float32((brightest-c[i])*f), 0))
		}
		// Luminance stays.
		luminance := func(c []float32) float32 { return float32(c[0]*t.wr) + float32(c[1]*t.wg) + float32(c[2]*t.wb) }
		if now := luminance(o); now > 0 {
			f = luminance(c) / now
			for i := range o {
				o[i] = rounded(o[i] * f)
			}
		}
	}
}
