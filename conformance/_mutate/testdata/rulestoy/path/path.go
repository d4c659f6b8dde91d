// Package path holds rules as users run them; that IMG-009 is named here means nothing.
package path

// Twice is the first rule, and has the second in it. IMG-001
func Twice(x int) int {
	y := x << 1

	if x > 100 { // IMG-002: large numbers stay
		return x
	}
	return y
}

// Loose are two rules that nobody looks at: IMG-004, 005.
func Loose(x int) int { return x - 1 }

// Fixed is the sixth rule.
// IMG-006
const Fixed = 7

// rules begin with their numbers.
var rules = []struct {
	id  string
	bad func(x int) bool
}{
	{"IMG-007", func(x int) bool { return x == 70 }},
}

// Check returns the rule that x breaks.
func Check(x int) string {
	for _, r := range rules {
		if r.bad(x) {
			return r.id
		}
	}
	return ""
}
