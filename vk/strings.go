package vk

import (
	"strconv"
	"strings"
)

// A name table is a constant string: the prefix that all names share, then words separated by blanks. A word "#n" sets the position
// of the next name to n; every other word is a name and moves the position on by one. The position is the value of an enum or the
// number of a bit. Tables are searched from their start, because names are for people: nothing that draws looks at them.

// eachName calls f with the position and the name of each entry of a table until f returns false.
func eachName(table string, f func(at int64, prefix, name string) bool) {
	prefix, rest := nextWord(table)
	at := int64(0)
	for rest != "" {
		var w string
		w, rest = nextWord(rest)
		if w == "" {
			continue
		}
		if w[0] == '#' {
			at, _ = strconv.ParseInt(w[1:], 10, 64) // the generator writes numbers only
			continue
		}
		if !f(at, prefix, w) {
			return
		}
		at++
	}
}

// nextWord splits s at its first blank or line end.
func nextWord(s string) (word, rest string) {
	if i := strings.IndexAny(s, " \n"); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// enumString returns the name of a value, or Type(value) where it has none.
func enumString(table, typeName string, v int64) string {
	s := ""
	eachName(table, func(at int64, prefix, name string) bool {
		if at == v {
			s = prefix + name
		}
		return s == ""
	})
	if s == "" {
		s = typeName + "(" + strconv.FormatInt(v, 10) + ")"
	}
	return s
}

// flagsString returns the names of the bits that are set, lowest first, joined by |; bits without a name follow as one hexadecimal
// number. The empty set is "0".
func flagsString(table string, v uint64) string {
	if v == 0 {
		return "0"
	}
	var parts []string
	eachName(table, func(at int64, prefix, name string) bool {
		if bit := uint64(1) << uint(at); v&bit != 0 {
			parts = append(parts, prefix+name)
			v &^= bit
		}
		return v != 0
	})
	if v != 0 {
		parts = append(parts, "0x"+strconv.FormatUint(v, 16))
	}
	return strings.Join(parts, "|")
}
