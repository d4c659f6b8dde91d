package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// writer writes random GLSL over variables f0, f1, … (float), i0, i1, … (int) and p0, p1, … (vec3).
type writer struct {
	r                     *rand.Rand
	floats, ints, vectors int
	functions             []string // used so far
	loops                 int
}

// declare sets all variables from three floats and an integer.
func (w *writer) declare(a, b, c, i string) string {
	var out strings.Builder
	for n := range w.floats {
		fmt.Fprintf(&out, "    float f%d = %s * %.2f + %.2f;\n", n, []string{a, b, c}[n%3], 0.4+0.2*float64(n), 0.05*float64(n))
	}
	for n := range w.ints {
		fmt.Fprintf(&out, "    int i%d = int(%s) + %d;\n", n, i, n*7)
	}
	for n := range w.vectors {
		fmt.Fprintf(&out, "    vec3 p%d = vec3(%s, %s, %s) * %.2f - 0.3;\n", n, a, b, c, 1+0.3*float64(n))
	}
	return out.String()
}

// total is an expression of all variables, so that nothing is computed in vain.
func (w *writer) total() string {
	var out strings.Builder
	out.WriteString("(f0")
	for n := range w.floats - 1 {
		fmt.Fprintf(&out, " + f%d", n+1)
	}
	for n := range w.ints {
		fmt.Fprintf(&out, " + float(i%d & 255) * 0.004", n)
	}
	for n := range w.vectors {
		fmt.Fprintf(&out, " + p%d.x + p%d.y + p%d.z", n, n, n)
	}
	return out.String() + ") * 0.1"
}

// Expressions: F, I and P become variables of these kinds, and N a small number. Results stay near what they are made of.
var (
	floatExpressions = []string{
		"F * 0.6 + F * 0.4", "F * F * 0.5 + F * 0.3", "(F - F) * F", "fma(F, 0.7, F * 0.2)", "mix(F, F, 0.3)", "min(F, F + 0.2)", "max(F, F * 0.9)", "clamp(F, -0.5, 1.5)", "abs(F - 0.5)",
		"F / (1.0 + abs(F))", "F / (0.3 + F * F)", "fract(F * 3.0)", "floor(F * 8.0) * 0.125", "mod(F, 0.7)", "smoothstep(0.1, 0.9, F)", "step(F, F) * 0.5 + F * 0.5", "sign(F) * F",
		"float(I & 255) * 0.0039", "float(I % 31) * 0.03 + F * 0.1", "dot(P, P) * 0.3", "length(P) * 0.5", "distance(P, P) * 0.5", "P.x + P.y * 0.5 - P.z",
	}
	functions = []string{
		"pow(abs(F) + 0.1, N.N)", "pow(abs(F) + 0.1, F)", "exp(-abs(F))", "exp2(min(F, 2.0)) * 0.3", "log(abs(F) + 0.5)", "log2(abs(F) + 0.5)", "sqrt(abs(F))", "inversesqrt(abs(F) + 0.2) * 0.5",
		"sin(F * N.0) * 0.5 + 0.5", "cos(F * N.0)", "tan(clamp(F, -1.0, 1.0)) * 0.5", "asin(clamp(F, -1.0, 1.0)) * 0.6", "acos(clamp(F, -1.0, 1.0)) * 0.3", "atan(F) * 0.6", "atan(F, F + 1.5) * 0.3", "sinh(clamp(F, -1.0, 1.0))", "cosh(clamp(F, -1.0, 1.0)) * 0.5",
		"tanh(F)", "round(F * 5.0) * 0.2", "ldexp(F, I & 1) * 0.5",
	}
	intExpressions = []string{
		"I + I", "I - I * 3", "I * N", "I & I", "I | (I >> 3)", "I ^ I", "I << (I & 3)", "I >> N", "min(I, I)", "max(I, -I)", "abs(I)", "I / N", "I % (N + 1)", "I / ((I & 15) + 1)", "bitCount(I)",
		"findMSB(I) + I", "findLSB(I | 64)", "bitfieldExtract(I, N, 5)", "bitfieldInsert(I, I, 4, N)", "bitfieldReverse(I) >> 9", "int(F * 100.0) + I", "floatBitsToInt(F) >> 12", "F < F ? I : I + 1",
	}
	vectorExpressions = []string{
		"P * 0.6 + P * 0.4", "P * F", "cross(P, P) * 0.5", "normalize(P + 0.1)", "reflect(P, normalize(P + vec3(0.3, 0.2, 0.1)))", "mix(P, P, F)", "P.zxy * P", "min(abs(P), P + 0.5)", "clamp(P, -1.0, 1.0)",
		"faceforward(P, P, P)", "refract(normalize(P + 0.2), vec3(0, 0, 1), 0.7)", "vec3(F, F, F)", "mat3(0.5, 0.1, 0.2, -0.3, 0.6, 0.1, 0.2, 0.2, 0.4) * P", "fract(P * 2.0)", "P / (1.0 + dot(P, P))",
	}
)

// fill puts variables and numbers into an expression.
func (w *writer) fill(e string) string {
	var out strings.Builder
	for i, c := range e {
		alone := i+1 == len(e) || e[i+1] < 'a' || e[i+1] > 'z'
		switch {
		case c == 'F' && alone:
			fmt.Fprintf(&out, "f%d", w.r.IntN(w.floats))
		case c == 'I' && alone && (i == 0 || e[i-1] != 'o'): // not the I of floatBitsToInt
			fmt.Fprintf(&out, "i%d", w.r.IntN(w.ints))
		case c == 'P':
			fmt.Fprintf(&out, "p%d", w.r.IntN(w.vectors))
		case c == 'N':
			fmt.Fprintf(&out, "%d", 1+w.r.IntN(6))
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

// note remembers what is used, for the shader's name.
func (w *writer) note(name string) {
	if !slices.Contains(w.functions, name) {
		w.functions = append(w.functions, name)
	}
}

// used names the functions and the control flow.
func (w *writer) used() string {
	if len(w.functions) == 0 {
		return "simple arithmetic"
	}
	return strings.Join(w.functions, " ")
}

// block is n statements, with control flow up to a depth.
func (w *writer) block(n, depth int) string {
	r := w.r
	var out strings.Builder
	for range n {
		switch k := r.IntN(20); {
		case k < 6:
			fmt.Fprintf(&out, "    f%d = %s;\n", r.IntN(w.floats), w.fill(pick(r, floatExpressions...)))
		case k < 10:
			e := pick(r, functions...)
			w.note(e[:strings.Index(e, "(")])
			fmt.Fprintf(&out, "    f%d = %s;\n", r.IntN(w.floats), w.fill(e))
		case k < 13:
			fmt.Fprintf(&out, "    p%d = %s;\n", r.IntN(w.vectors), w.fill(pick(r, vectorExpressions...)))
		case k < 16:
			fmt.Fprintf(&out, "    i%d = %s;\n", r.IntN(w.ints), w.fill(pick(r, intExpressions...)))
		case depth == 0:
		case k < 18:
			w.note("if")
			fmt.Fprintf(&out, "    if (%s) {\n%s    }", w.fill(pick(r, "F > F", "F < 0.5", "(I & N) == 0", "length(P) > 0.7")), w.block(1+r.IntN(3), depth-1))
			if r.IntN(2) == 0 {
				fmt.Fprintf(&out, " else {\n%s    }", w.block(1+r.IntN(3), depth-1))
			}
			out.WriteString("\n")
		case k < 19:
			w.note("for")
			w.loops++
			v := fmt.Sprintf("n%d", w.loops)
			end := pick(r, fmt.Sprint(2+r.IntN(7)), w.fill("(I & 7)"), w.fill("int(abs(F) * 6.0) & 15"))
			if end[0] == 'i' || end[0] == '(' {
				w.note("data's trips")
				fmt.Fprintf(&out, "    int e%d = %s;\n", w.loops, end)
				end = fmt.Sprintf("e%d", w.loops)
			}
			fmt.Fprintf(&out, "    for (int %s = 0; %s < %s; %s++) {\n%s", v, v, end, v, w.block(1+r.IntN(3), depth-1))
			if r.IntN(4) == 0 {
				w.note("break")
				fmt.Fprintf(&out, "    if (%s) break;\n", w.fill("F > 0.95"))
			}
			out.WriteString("    }\n")
		default:
			w.note("switch")
			fmt.Fprintf(&out, "    switch (%s) {\n", w.fill("I & 3"))
			for i := range 3 {
				fmt.Fprintf(&out, "    case %d:\n%s        break;\n", i, w.block(1+r.IntN(2), depth-1))
			}
			fmt.Fprintf(&out, "    default:\n%s    }\n", w.block(1, depth-1))
		}
	}
	return out.String()
}
