package exec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// FormatPrint writes a shader's message with the words of its arguments. Formats
// are those of C with a vector's length before the conversion (%v4f) and ul, lu
// or lx for 64 bits. What is no conversion stands as it is, and one without an
// argument as "?".
func FormatPrint(p *ir.Print, words []uint32) string {
	var out strings.Builder
	args := p.Args
	for rest := p.Format; rest != ""; {
		at := strings.IndexByte(rest, '%')
		if at < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:at])
		rest = rest[at:]
		if strings.HasPrefix(rest, "%%") {
			out.WriteByte('%')
			rest = rest[2:]
			continue
		}
		c, n := parseConversion(rest)
		if n == 0 {
			out.WriteByte('%')
			rest = rest[1:]
			continue
		}
		rest = rest[n:]
		if len(args) == 0 || len(words) < args[0].Words() {
			out.WriteByte('?')
			continue
		}
		for k := range min(c.count, int(args[0].Count)) {
			if k > 0 {
				out.WriteString(", ")
			}
			out.WriteString(c.number(args[0], words, k))
		}
		words, args = words[args[0].Words():], args[1:]
	}
	return out.String()
}

// conversion is one of a format: flags, width and precision as they stand there,
// how many components, and the letter.
type conversion struct {
	flags string
	count int
	verb  byte
}

// maxFieldDigits bounds the digits of a width and of a precision, and so their text.
const maxFieldDigits = 2

// parseConversion reads what begins with %; n is its length, 0 where it is none.
func parseConversion(s string) (c conversion, n int) {
	digits := func() bool {
		from := n
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n-from <= maxFieldDigits
	}
	for n = 1; n < len(s) && strings.IndexByte("-+ #0", s[n]) >= 0 && n < 6; n++ {
	}
	if !digits() {
		return c, 0
	}
	if n < len(s) && s[n] == '.' {
		n++
		if !digits() {
			return c, 0
		}
	}
	c.flags, c.count = s[1:n], 1
	if n+1 < len(s) && s[n] == 'v' && s[n+1] >= '2' && s[n+1] <= '4' {
		c.count = int(s[n+1] - '0')
		n += 2
	}
	if strings.HasPrefix(s[n:], "ul") { // as lu
		c.verb = 'u'
		return c, n + 2
	}
	if n < len(s) && s[n] == 'l' {
		n++
	}
	if n >= len(s) || strings.IndexByte("diuoxXaAeEfFgG", s[n]) < 0 {
		return c, 0
	}
	c.verb = s[n]
	return c, n + 1
}

// number writes component k of an argument; the letter says as what it is taken.
func (c conversion) number(a ir.PrintArg, words []uint32, k int) string {
	v := uint64(0)
	if a.Wide {
		v = uint64(words[2*k]) | uint64(words[2*k+1])<<32
	} else {
		v = uint64(words[k])
	}
	f := math.Float64frombits(v)
	if !a.Wide {
		f = float64(math.Float32frombits(uint32(v)))
	}
	switch c.verb {
	case 'd', 'i':
		if a.Kind == ir.PrintFloat {
			return fmt.Sprintf("%"+c.flags+"d", int64(f))
		}
		if !a.Wide {
			return fmt.Sprintf("%"+c.flags+"d", int32(v))
		}
		return fmt.Sprintf("%"+c.flags+"d", int64(v))
	case 'u':
		return fmt.Sprintf("%"+c.flags+"d", v)
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+c.flags+string(c.verb), v)
	}
	if a.Kind != ir.PrintFloat {
		if f = float64(v); a.Kind == ir.PrintInt {
			f = float64(int64(v))
			if !a.Wide {
				f = float64(int32(v))
			}
		}
	}
	verb := c.verb
	switch {
	case verb == 'a':
		verb = 'x'
	case verb == 'A':
		verb = 'X'
	case math.IsInf(f, 0) || f != f:
		return strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64))
	case verb == 'g' || verb == 'G':
		if !strings.Contains(c.flags, ".") {
			c.flags += ".6" // as C has it
		}
	}
	return fmt.Sprintf("%"+c.flags+string(verb), f)
}
