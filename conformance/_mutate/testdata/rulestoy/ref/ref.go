// Package ref holds rules in their plain form.
package ref

// Double is the first rule.
// IMG-001
func Double(x int) int { return x + x }

// Triple is the third rule, which stands nowhere else.
// IMG-003
func Triple(x int) int { return 3 * x }
