package radiance

import (
	"cmp"
	"fmt"
	"slices"
)

// exrChoice is a part and the layer of it that is read.
type exrChoice struct {
	part  int
	layer string
	rank  int
}

// ranks: which channels make a picture, the best first.
const (
	rankRGB  = iota
	rankGrey // Y, with or without chroma
	rankSome // one or two of R, G and B
)

// choices returns the layers of a part that have colours, in the order of the file.
func (p *exrPart) choices(index int) (all []exrChoice) {
	type has struct{ r, g, b, y, x bool }
	layers := map[string]*has{}
	var order []string
	for i := range p.channels {
		c := &p.channels[i]
		h := layers[c.layer()]
		if h == nil {
			h = &has{}
			layers[c.layer()] = h
			order = append(order, c.layer())
		}
		switch c.base() {
		case "R":
			h.r = true
		case "G":
			h.g = true
		case "B":
			h.b = true
		case "Y":
			h.y = true
		case "X":
			h.x = true
		}
	}
	for _, name := range order {
		switch h := layers[name]; {
		case h.r && h.g && h.b:
			all = append(all, exrChoice{index, name, rankRGB})
		case h.y && !h.x: // X, Y are a vector
			all = append(all, exrChoice{index, name, rankGrey})
		case h.r || h.g || h.b:
			all = append(all, exrChoice{index, name, rankSome})
		}
	}
	return all
}

// choose finds what is to be read: of the part, or else the layer, that is named; where none is, of
// the first part that has channels R, G and B, or Y, without a layer, or else in one.
func (d *decoder) choose(parts []*exrPart) (*exrPart, int, error) {
	var all []exrChoice
	var names []string // of parts and layers
	deep := 0
	for i, p := range parts {
		if p.deep() {
			deep++
			continue
		}
		if p.name != "" {
			names = append(names, p.name)
		}
		for _, c := range p.choices(i) {
			all = append(all, c)
			if c.layer != "" && c.layer != p.name {
				names = append(names, c.layer)
			}
		}
	}
	if deep == len(parts) {
		return nil, 0, fail("deep OpenEXR pictures are not supported")
	}
	if d.layer != "" {
		named := slices.DeleteFunc(slices.Clone(all), func(c exrChoice) bool { return parts[c.part].name != d.layer })
		if len(named) == 0 {
			named = slices.DeleteFunc(slices.Clone(all), func(c exrChoice) bool { return c.layer != d.layer })
		}
		if len(named) == 0 {
			return nil, 0, fail("OpenEXR file has no part or layer %q with channels R, G and B, or Y (there are %s)", shortened(d.layer), cmp.Or(quoted(names), "none with names"))
		}
		all = named
	}
	if len(all) == 0 {
		var channels []string
		for _, p := range parts {
			for i := range p.channels {
				channels = append(channels, p.channels[i].name)
			}
		}
		return nil, 0, fail("OpenEXR channels are %s: want R, G and B, or Y", cmp.Or(quoted(channels), "missing"))
	}
	best := slices.MinFunc(all, func(a, b exrChoice) int {
		own := func(c exrChoice) int { // channels without a layer first, then those of the part's name
			switch c.layer {
			case "":
				return 0
			case parts[c.part].name:
				return 1
			}
			return 2
		}
		return cmp.Or(a.rank/rankSome-b.rank/rankSome, own(a)-own(b), a.rank-b.rank)
	})
	p := parts[best.part]
	if d.layer == "" && best.layer != "" && len(all) > 1 && best.layer != p.name {
		d.warn("layer %q is read, of %s", shortened(best.layer), quoted(names))
	}
	return p, best.part, d.assign(p, best)
}

// assign says of each channel what it is read as.
func (d *decoder) assign(p *exrPart, chosen exrChoice) error {
	to := map[string]int{"R": 0, "G": 1, "B": 2}
	if chosen.rank == rankGrey {
		to = map[string]int{"Y": toGrey, "RY": toRY, "BY": toBY}
	}
	if d.alpha {
		to["A"] = toAlpha
	}
	missing := map[string]bool{"R": true, "G": true, "B": true}
	chroma := 0
	for i := range p.channels {
		c := &p.channels[i]
		place, ok := to[c.base()]
		if c.layer() != chosen.layer || !ok {
			continue
		}
		delete(to, c.base()) // no name stands twice
		delete(missing, c.base())
		c.to = place
		switch {
		case place == toRY || place == toBY:
			chroma++
			if c.sx == 1 && c.sy == 1 || c.sx == 2 && c.sy == 2 {
				continue
			}
			fallthrough
		case c.sx != 1 || c.sy != 1:
			return fail("OpenEXR channel %q is sampled every %d × %d pixels, which is not supported (RY and BY may be every 2 × 2)", shortened(c.name), c.sx, c.sy)
		}
	}
	if chosen.rank == rankSome {
		for _, c := range []string{"R", "G", "B"} {
			if missing[c] {
				d.lose("there is no channel %s: it is read as 0", c)
			}
		}
	}
	if chroma == 1 {
		return fail("OpenEXR picture has one of the channels RY and BY: want both or none")
	}
	return nil
}

// warn adds a line that says what was chosen or repaired.
func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// lose adds a line that says what the picture lacks.
func (d *decoder) lose(format string, args ...any) {
	d.warn(format, args...)
	d.losses = append(d.losses, d.warnings[len(d.warnings)-1])
}
