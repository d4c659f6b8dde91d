package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomGLSL writes bodies of shaders at random: integers and floats, branches, loops, switches,
// calls and arrays that invocations take differently; subgroup operations among those that are
// there; and workgroup memory with barriers and atomics.
type randomGLSL struct {
	r       *rand.Rand
	b       strings.Builder
	groups  bool // subgroup operations
	size    int  // invocations of a workgroup with shared memory; 0: none
	loops   int  // so far, for their names
	nesting int
	after   string // what stands behind the statements of a body
}

const randomHelper = `
uint helper(uint x, uint y) {
	if ((x & 1u) == 0u) return x * 3u + y;
	for (uint i = 0u; i < (y & 3u); i++) {
		x ^= y << i;
		if (x > 0x80000000u) return x;
	}
	return x - y;
}
`

func (g *randomGLSL) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *randomGLSL) variable() string { return g.pick("a", "b", "c", "d") }

// expr is an expression of type uint.
func (g *randomGLSL) expr(depth int) string {
	x := func() string { return g.expr(depth - 1) }
	if depth == 0 {
		if g.r.IntN(4) == 0 {
			return fmt.Sprintf("%du", g.r.Uint32()>>g.r.IntN(32))
		}
		return g.variable()
	}
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s / (%s | 1u))", x(), x())
	case 1:
		return fmt.Sprintf("(%s %s (%s & 31u))", x(), g.pick("<<", ">>"), x())
	case 2:
		return fmt.Sprintf("floatBitsToUint(float(%s & 1023u) %s %.3f)", x(),
			g.pick("+", "*", "-", "/"), g.r.Float64()+0.1)
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("min", "max"), x(), x())
	case 4:
		return fmt.Sprintf("uint(%s(%s))", g.pick("bitCount", "findMSB", "findLSB"), x())
	case 5:
		return fmt.Sprintf("(%s %s %s ? %s : %s)", x(), g.pick("<", "==", ">="), x(), x(), x())
	}
	return fmt.Sprintf("(%s %s %s)", x(), g.pick("+", "-", "*", "^", "&", "|"), x())
}

func (g *randomGLSL) linef(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// block writes statements; those of the outermost block are run by all invocations.
func (g *randomGLSL) block(n int) {
	g.nesting++
	for range n {
		g.statement()
	}
	g.nesting--
}

func (g *randomGLSL) statement() {
	v := g.variable()
	kind := g.r.IntN(14)
	if g.nesting > 3 {
		kind %= 4
	}
	switch {
	case kind < 3:
		g.linef("%s %s %s;", v, g.pick("=", "+=", "^=", "*="), g.expr(2))
	case kind == 3:
		g.linef("%s = helper(%s, %s);", v, g.expr(1), g.expr(1))
	case kind < 6:
		g.linef("if (%s %s %s) {", g.expr(1), g.pick("<", ">", "!="), g.expr(1))
		g.block(1 + g.r.IntN(3))
		if g.r.IntN(2) == 0 {
			g.linef("} else {")
			g.block(1 + g.r.IntN(2))
		}
		g.linef("}")
	case kind < 8:
		g.loops++
		i := fmt.Sprintf("i%d", g.loops)
		g.linef("for (uint %s = 0u; %s < (%s & 3u); %s++) {", i, i, v, i)
		g.block(1 + g.r.IntN(3))
		if g.r.IntN(2) == 0 {
			g.linef("if ((%s & 1u) == 1u) %s;", g.variable(), g.pick("break", "continue"))
		}
		g.block(1)
		g.linef("if (%s > 4u) break; }", i) // where the bound changes
	case kind == 8:
		g.linef("switch (%s & 3u) {\ncase 0u:", g.expr(1))
		g.block(1)
		g.linef("%s\ncase 2u:", g.pick("break;", ""))
		g.block(1)
		g.linef("break;\ndefault:")
		g.block(1)
		g.linef("}")
	case kind == 9:
		g.linef("list[%s & 3u] = %s;", g.variable(), g.expr(1))
		g.linef("%s = list[%s & 3u];", v, g.variable())
	case kind < 12 && g.groups:
		g.linef(
			"%s ^= %s;",
			v,
			g.pick("subgroupAdd("+g.expr(1)+")", "subgroupShuffleXor("+g.expr(1)+", 1u)",
				"subgroupBallot(("+g.expr(1)+" & 1u) == 0u).x", "subgroupMin("+g.expr(1)+")",
				"uint(subgroupElect())", "subgroupExclusiveAdd("+g.expr(1)+")",
				"subgroupBroadcastFirst("+g.expr(1)+")"),
		)
	case g.size > 0 && g.nesting == 1:
		g.linef("barrier();\nmemory[gl_LocalInvocationIndex] = %s;\nbarrier();", g.expr(1))
		g.linef("%s ^= memory[(gl_LocalInvocationIndex + %du) %% %du];", v, g.r.IntN(9), g.size)
	case g.size > 0:
		g.linef("%s = atomic%s(counter, %s);", v, g.pick("Add", "Xor", "Min", "Max", "Exchange"),
			g.expr(1))
	default:
		g.linef("%s = %s;", v, g.expr(3))
	}
}

// body is a body that makes a of uvec4 x.
func (g *randomGLSL) body(n int) string {
	g.b.Reset()
	g.linef("uint a = x.x, b = x.y, c = x.z, d = x.w;\nuint list[4] = uint[4](a, b, c, d);")
	g.block(n)
	return g.b.String() + g.after
}

// head is what stands before main.
func (g *randomGLSL) head() string {
	s := "#version 460\n"
	if g.groups {
		s += "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_arithmetic : require\n" +
			"#extension GL_KHR_shader_subgroup_ballot : require\n#extension GL_KHR_shader_subgroup_shuffle : require\n"
	}
	if g.size > 0 {
		s += fmt.Sprintf("shared uint memory[%d];\nshared uint counter;\n", g.size)
	}
	return s + randomHelper
}
