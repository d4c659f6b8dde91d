package explain

import (
	"fmt"
	"strings"
)

// A pixel is drawn on so many characters, which are twice as high as they are wide.
const (
	drawingWidth  = 24
	drawingHeight = 12
)

// coverage draws the pixel: what of it the primitive covers, its samples, and beside
// it the samples one by one.
func (t *text) coverage(c *Coverage) {
	t.heading(4, "coverage")
	inside := c.inside()
	cells := make([][]rune, drawingHeight)
	for y := range cells {
		cells[y] = make([]rune, drawingWidth)
		for x := range cells[y] {
			cells[y][x] = ' '
			wx := float64(t.target.X) + (float64(x)+0.5)/drawingWidth
			wy := float64(t.target.Y) + (float64(y)+0.5)/drawingHeight
			if inside != nil && inside(wx, wy) {
				cells[y][x] = '░'
			}
		}
	}
	var notes []string
	for i, s := range c.Samples {
		mark, what := s.mark()
		x := min(max(int(s.X*drawingWidth), 0), drawingWidth-1)
		y := min(max(int(s.Y*drawingHeight), 0), drawingHeight-1)
		cells[y][x] = mark
		arrow := "  "
		if i == t.target.Sample {
			arrow = "▸ "
			if x > 0 {
				cells[y][x-1] = '▸'
			}
		}
		notes = append(notes, fmt.Sprintf("%s%c sample %d at %s, %s: %s", arrow, mark, i, number(s.X), number(s.Y), what))
	}
	notes = append([]string{""}, notes...)
	bar := strings.Repeat("─", drawingWidth)
	lines := []string{"┌" + bar + "┐"}
	for _, row := range cells {
		lines = append(lines, "│"+string(row)+"│")
	}
	lines = append(lines, "└"+bar+"┘")
	for i := range max(len(lines), len(notes)) {
		line, note := strings.Repeat(" ", drawingWidth+2), ""
		if i < len(lines) {
			line = lines[i]
		}
		if i < len(notes) {
			note = notes[i]
		}
		t.linef(6, "%s  %s", line, note)
	}
	t.edges(c.Edges)
}

// mark is the sample's sign in drawings, with what it means.
func (s Sample) mark() (rune, string) {
	switch {
	case s.Covered && s.Left:
		return '●', "covered"
	case s.Covered:
		return '◐', "covered, then lost"
	default:
		return '○', "not covered"
	}
}

// inside tells which points the edges enclose; nil where they are no closed outline.
// It is for drawings alone: which samples are covered is in Samples.
func (c *Coverage) inside() func(x, y float64) bool {
	area := 0.0
	for i, e := range c.Edges {
		next := c.Edges[(i+1)%len(c.Edges)]
		if e.X1 != next.X0 || e.Y1 != next.Y0 {
			return nil
		}
		area += e.X0*e.Y1 - e.X1*e.Y0
	}
	if area == 0 {
		return nil
	}
	return func(x, y float64) bool {
		for _, e := range c.Edges {
			if ((e.X1-e.X0)*(y-e.Y0)-(e.Y1-e.Y0)*(x-e.X0))*area < 0 {
				return false
			}
		}
		return true
	}
}

// edgeUnit is how many units of an edge's value are a square pixel.
const edgeUnit = 65536

func (t *text) edges(edges []Edge) {
	var rows [][]string
	for _, e := range edges {
		side := t.paint(red, "outside")
		if e.Inside {
			side = t.paint(green, "inside")
		}
		if e.Value == 0 {
			side += ", on the edge: the top-left rule"
		}
		rows = append(rows, []string{
			fmt.Sprintf("edge %s, %s → %s, %s", number(e.X0), number(e.Y0), number(e.X1), number(e.Y1)),
			fmt.Sprintf("%s (%.6g pixels²)", number(e.Value), e.Value/edgeUnit), side,
		})
	}
	t.table(6, rows)
}
