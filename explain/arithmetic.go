package explain

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// component is a component of a value, as text and as a number.
type component struct {
	text string
	v    float32
	ok   bool
}

// components takes a value apart. Numbers come from the bits where these are 32-bit
// words, one for each component of the text, so that products of them are exact.
func components(v Value) []component {
	if v.Text == "" {
		return nil
	}
	words := words(v.Bits)
	parts := strings.Split(v.Text, ",")
	out := make([]component, len(parts))
	for i, p := range parts {
		c := component{text: clean(strings.TrimSpace(p))}
		if len(words) == len(parts) {
			c.v, c.ok = math.Float32frombits(words[i]), true
		} else if f, err := strconv.ParseFloat(c.text, 32); err == nil {
			c.v, c.ok = float32(f), true
		}
		out[i] = c
	}
	return out
}

// words are bits written as 32-bit words; nil: they are something else.
func words(bits string) []uint32 {
	digits := strings.NewReplacer(" ", "", ",", "").Replace(bits)
	data, err := hex.DecodeString(digits)
	if err != nil || len(data)%4 != 0 {
		return nil
	}
	var out []uint32
	for i := 0; i < len(data); i += 4 {
		out = append(out, uint32(data[i])<<24|uint32(data[i+1])<<16|uint32(data[i+2])<<8|uint32(data[i+3]))
	}
	return out
}

// at is component i, or one without text.
func at(list []component, i int) component {
	if i < len(list) {
		return list[i]
	}
	return component{text: "–"}
}

// of takes "COLOUR, ALPHA" for component i.
func of(names string, i int) string {
	color, alpha, two := strings.Cut(names, ",")
	if two && i == 3 {
		return clean(strings.TrimSpace(alpha))
	}
	return clean(strings.TrimSpace(color))
}

// RAS-341 framebuffer-blendoperations: what of component i is added and subtracted, with the
// products in binary32 (RAS-338). "" is an operation that is no sum of two products.
func (b *Blend) arithmetic(i int) string {
	s, d := at(components(b.Source), i), at(components(b.Destination), i)
	sf, df := at(components(b.SourceFactors), i), at(components(b.DestinationFactors), i)
	product := func(a, f component) (formula, result string) {
		formula = a.text + " · " + f.text
		if a.ok && f.ok {
			result = Float(a.v * f.v)
		} else {
			result = "?"
		}
		return formula, result
	}
	source, ps := product(s, sf)
	destination, pd := product(d, df)
	switch of(b.Op, i) {
	case "ADD":
		return fmt.Sprintf("%s + %s = %s + %s", source, destination, ps, pd)
	case "SUBTRACT":
		return fmt.Sprintf("%s − %s = %s − %s", source, destination, ps, pd)
	case "REVERSE_SUBTRACT":
		return fmt.Sprintf("%s − %s = %s − %s", destination, source, pd, ps)
	case "MIN", "MAX":
		return fmt.Sprintf("%s(%s, %s)", strings.ToLower(of(b.Op, i)), s.text, d.text)
	}
	return ""
}

func (t *text) blend(b *Blend) {
	switch {
	case b.Enabled:
		t.heading(4, "blending  %s", clean(b.Op))
		t.linef(6, "source · %s, destination · %s", clean(b.SourceFactor), clean(b.DestinationFactor))
	case b.Op != "":
		t.heading(4, "logical operation  %s", clean(b.Op))
	default:
		t.heading(4, "write, no blending")
	}
	result, stored := components(b.Result), components(b.Stored)
	n := min(max(len(result), len(components(b.Source)), 1), 4)
	if len(result) == 0 || !b.Enabled {
		t.named(6, []Named{{"source", b.Source}, {"destination", b.Destination}, {"result", b.Result}, {"stored", b.Stored}})
	} else {
		var rows [][]string
		for i := range n {
			formula := b.arithmetic(i)
			if formula == "" {
				formula = fmt.Sprintf("%s(%s, %s)", of(b.Op, i), at(components(b.Source), i).text, at(components(b.Destination), i).text)
			}
			end := "→ " + at(stored, i).text
			if !strings.Contains(b.Mask, "RGBA"[i:i+1]) {
				end += " kept: not in the mask"
			}
			rows = append(rows, []string{"RGBA"[i : i+1], formula, "= " + at(result, i).text, end})
		}
		t.table(6, rows)
		t.linef(6, "stored  %s", t.exact(b.Stored))
	}
	if len(components(b.Second)) > 0 {
		t.linef(6, "second source  %s", t.exact(b.Second))
	}
	if b.Mask != "RGBA" {
		t.linef(6, "mask  %q", b.Mask)
	}
}
