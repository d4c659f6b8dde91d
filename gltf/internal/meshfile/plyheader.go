package meshfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plyType is a scalar type of PLY.
type plyType uint8

const (
	plyInt8 plyType = iota
	plyUint8
	plyInt16
	plyUint16
	plyInt32
	plyUint32
	plyFloat32
	plyFloat64
)

var plyTypes = map[string]plyType{
	"char": plyInt8, "int8": plyInt8, "uchar": plyUint8, "uint8": plyUint8, "short": plyInt16, "int16": plyInt16, "ushort": plyUint16, "uint16": plyUint16,
	"int": plyInt32, "int32": plyInt32, "uint": plyUint32, "uint32": plyUint32, "float": plyFloat32, "float32": plyFloat32, "double": plyFloat64, "float64": plyFloat64,
}

// size is how many bytes a number takes in binary files.
func (t plyType) size() int { return [...]int{1, 1, 2, 2, 4, 4, 4, 8}[t] }

// scale is what a colour of the type is divided by.
func (t plyType) scale() float64 {
	return [...]float64{127, 255, 32767, 65535, 2147483647, 4294967295, 1, 1}[t]
}

// plyProperty is one number of an element, or a list of them.
type plyProperty struct {
	name   string
	typ    plyType
	list   bool
	length plyType // of a list's length
}

// plyElement is a table of the file.
type plyElement struct {
	name       string
	count      int64
	properties []plyProperty
	fixed      int // bytes of one in a binary file without lists; 0: it has lists
}

// find returns the number of the first property of one of the names, or None.
func (e *plyElement) find(names ...string) int {
	for _, n := range names {
		for i, p := range e.properties {
			if p.name == n && !p.list {
				return i
			}
		}
	}
	return None
}

// least is how many bytes one takes at least in a binary file.
func (e *plyElement) least() (n int64) {
	for _, p := range e.properties {
		if p.list {
			n += int64(p.length.size())
		} else {
			n += int64(p.typ.size())
		}
	}
	return n
}

// plyHeader is what a file says of itself.
type plyHeader struct {
	text     bool
	order    binary.ByteOrder
	elements []plyElement
	textures []string // of comments TextureFile
	maker    string
	body     []byte
	lines    int // of the header
}

// maxPLY bounds elements, and the properties of all of them; splats have some 60.
const maxPLY = 4096

// readPLYHeader reads up to end_header.
func readPLYHeader(r *Reader, data []byte) (*plyHeader, error) {
	h := &plyHeader{}
	properties := 0
	known, twoBytes := false, false // twoBytes: lines end in \r\n, else in one of them: what follows the last may be binary
	for {
		end := bytes.IndexAny(data[:min(len(data), 1<<16)], "\r\n")
		if end < 0 {
			return nil, failf("header", "the file is truncated: there is no end_header")
		}
		line, sign := data[:end], data[end]
		data = data[end+1:]
		if h.lines == 0 {
			twoBytes = sign == '\r' && len(data) > 0 && data[0] == '\n'
		}
		if twoBytes && sign == '\r' && len(data) > 0 && data[0] == '\n' {
			data = data[1:]
		}
		if h.lines&0xfff == 0 {
			if err := r.stopped(); err != nil {
				return nil, err
			}
		}
		h.lines++
		words := strings.Fields(name(line))
		place := "line " + strconv.Itoa(h.lines)
		if len(words) == 0 {
			continue
		}
		switch words[0] {
		case "ply", "obj_info":
		case "comment":
			h.comment(words)
		case "format":
			if len(words) < 2 {
				return nil, failf(place, "format names none")
			}
			known = true
			switch words[1] {
			case "ascii":
				h.text = true
			case "binary_little_endian":
				h.order = binary.LittleEndian
			case "binary_big_endian":
				h.order = binary.BigEndian
			default:
				return nil, failf(place, "format %s is unknown (ascii, binary_little_endian and binary_big_endian are)", quoted(words[1]))
			}
		case "element":
			if len(words) < 3 {
				return nil, failf(place, "an element has a name and a count")
			}
			n, err := strconv.ParseInt(words[2], 10, 64)
			if err != nil || n < 0 {
				return nil, failf(place, "%s is no count", quoted(words[2]))
			}
			if len(h.elements) == maxPLY {
				return nil, failf(place, "more than %d elements", maxPLY)
			}
			h.elements = append(h.elements, plyElement{name: words[1], count: n})
		case "property":
			if len(h.elements) == 0 {
				return nil, failf(place, "a property stands before the first element")
			}
			if properties++; properties > maxPLY {
				return nil, failf(place, "more than %d properties", maxPLY)
			}
			p, err := plyPropertyOf(words, place)
			if err != nil {
				return nil, err
			}
			e := &h.elements[len(h.elements)-1]
			e.properties = append(e.properties, p)
		case "end_header":
			if !known {
				return nil, failf("header", "format is missing")
			}
			h.body = data
			for i := range h.elements {
				e := &h.elements[i]
				e.fixed = int(e.least())
				for _, p := range e.properties {
					if p.list {
						e.fixed = 0
					}
				}
			}
			return h, nil
		default:
			return nil, failf(place, "%s is no word of a PLY header", quoted(words[0]))
		}
	}
}

func (h *plyHeader) comment(words []string) {
	switch {
	case len(words) >= 3 && words[1] == "TextureFile":
		if len(h.textures) < 1000 {
			h.textures = append(h.textures, strings.Join(words[2:], " "))
		}
	case h.maker == "" && len(words) > 1:
		h.maker = printable(strings.Join(words[1:], " "))
	}
}

func plyPropertyOf(words []string, place string) (p plyProperty, err error) {
	typ := func(word string) (t plyType) {
		t, ok := plyTypes[word]
		if !ok && err == nil {
			err = failf(place, "%s is no type", quoted(word))
		}
		return t
	}
	switch {
	case len(words) >= 5 && words[1] == "list":
		p = plyProperty{words[4], typ(words[3]), true, typ(words[2])}
		if p.length >= plyFloat32 && err == nil {
			err = failf(place, "the length of a list is a whole number, not %s", words[2])
		}
	case len(words) >= 3 && words[1] != "list":
		p = plyProperty{name: words[2], typ: typ(words[1])}
	default:
		err = failf(place, "a property has a type and a name")
	}
	return p, err
}

// plyNumbers reads the numbers of the body, one after the other.
type plyNumbers struct {
	r     *Reader
	h     *plyHeader
	words stlWords // of text
	body  []byte   // of binary
	n     int
}

// errPLYEnd is what reading beyond the end returns.
var errPLYEnd = failf("", "the file is truncated")

func (s *plyNumbers) next(t plyType) (float64, error) {
	if s.h.text {
		word, err := s.words.next()
		if err != nil {
			return 0, err
		}
		if len(word) == 0 {
			return 0, errPLYEnd
		}
		v, err := strconv.ParseFloat(string(word), 64)
		if err != nil {
			return math.NaN(), nil
		}
		return v, nil
	}
	n := t.size()
	if len(s.body) < n {
		return 0, errPLYEnd
	}
	v := decodePLY(s.h.order, t, s.body)
	s.body = s.body[n:]
	if s.n++; s.n&0xffff == 0 {
		return v, s.r.stopped()
	}
	return v, nil
}

func decodePLY(order binary.ByteOrder, t plyType, b []byte) float64 {
	switch t {
	case plyInt8:
		return float64(int8(b[0]))
	case plyUint8:
		return float64(b[0])
	case plyInt16:
		return float64(int16(order.Uint16(b)))
	case plyUint16:
		return float64(order.Uint16(b))
	case plyInt32:
		return float64(int32(order.Uint32(b)))
	case plyUint32:
		return float64(order.Uint32(b))
	case plyFloat32:
		return float64(math.Float32frombits(order.Uint32(b)))
	default:
		return math.Float64frombits(order.Uint64(b))
	}
}

// length reads how many numbers a list has.
func (s *plyNumbers) length(p plyProperty) (int, error) {
	v, err := s.next(p.length)
	if err != nil {
		return 0, err
	}
	least := p.typ.size()
	left := len(s.body)
	if s.h.text {
		least, left = 2, len(s.words.data)+1 // a digit and a space
	}
	if !(v >= 0 && v == math.Trunc(v)) {
		return 0, failf("", "%v is no length of a list", v)
	}
	if v*float64(least) > float64(left) {
		return 0, errPLYEnd
	}
	return int(v), nil
}

// skip passes over an element's table.
func (s *plyNumbers) skip(e *plyElement) error {
	if len(e.properties) == 0 {
		return nil
	}
	if !s.h.text && e.fixed > 0 {
		if e.count > int64(len(s.body)/e.fixed) {
			return errPLYEnd
		}
		s.body = s.body[e.count*int64(e.fixed):]
		return nil
	}
	for range e.count {
		for _, p := range e.properties {
			n := 1
			if p.list {
				var err error
				if n, err = s.length(p); err != nil {
					return err
				}
			}
			for range n {
				if _, err := s.next(p.typ); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (e *plyElement) place(i int64) string { return fmt.Sprintf("%s %d", e.name, i) }
