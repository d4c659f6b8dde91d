package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// comparison moves a comparison's boundary for what is equal, by a unit in the last place, and for NaN.
func (r *rewriter) comparison(n *ast.BinaryExpr) {
	if !r.isBool(n) || !logical(n) || n.Op == token.LAND || n.Op == token.LOR {
		return
	}
	xb, ok := r.info.TypeOf(n.X).Underlying().(*types.Basic)
	yb, ok2 := r.info.TypeOf(n.Y).Underlying().(*types.Basic)
	if !ok || !ok2 || !isNumber(xb) && xb.Info()&types.IsUntyped == 0 || !isNumber(yb) && yb.Info()&types.IsUntyped == 0 || shifts(n) {
		return
	}
	for _, t := range []types.Type{r.info.TypeOf(n.X), r.info.TypeOf(n.Y)} {
		if _, generic := t.(*types.TypeParam); generic {
			return
		}
	}
	if xb.Kind() == types.UntypedNil || yb.Kind() == types.UntypedNil {
		return
	}
	float := xb.Info()&types.IsFloat != 0 && yb.Info()&types.IsFloat != 0
	cx, cy := r.info.Types[n.X].Value, r.info.Types[n.Y].Value
	if cx != nil && cy != nil {
		return
	}
	text, on := r.text(n), ""
	add := func(kind, what, code string) {
		if id, ok := r.corner(n, kind, text+" → "+what); ok {
			on += fmt.Sprintf("%d, '%s', ", id, code)
		}
	}
	ordered := n.Op != token.EQL && n.Op != token.NEQ
	_, turns := r.stack[len(r.stack)-2].node.(*ast.ForStmt)
	if ordered && cx == nil && cy == nil && !turns {
		add(kindTie, "the other way where they are equal", "=")
	}
	if float {
		if ordered {
			if r.computed(n.X) || r.computed(n.Y) {
				add(kindNaN, "contrary for NaN", "n")
			}
			if cx != nil || cy != nil {
				add(kindEnd, "the constant a unit higher", "+")
				add(kindEnd, "the constant a unit lower", "-")
			}
		}
	}
	if on == "" {
		return
	}
	name := "Compare"
	if float {
		name = "CompareFloats"
	}
	r.wrap(n, fmt.Sprintf("%s.%s([]int{%s}, %q, %v, ", helper, name, on, n.Op.String(), cy != nil), ")")
	r.instead(n.OpPos, len(n.Op.String()), ",")
}

// computed says that a number is neither a constant nor a part of some state, which NaN would make invalid.
func (r *rewriter) computed(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return false
	case *ast.CallExpr: // the size of a number, or a conversion
		return len(e.Args) != 1 || r.computed(e.Args[0])
	default:
		return r.info.Types[e].Value == nil
	}
}

// shifts says that an expression holds a shift whose type comes from outside.
func shifts(n ast.Expr) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.SHL || b.Op == token.SHR) {
			if _, ok := ast.Unparen(b.X).(*ast.BasicLit); ok {
				found = true
			}
		}
		return true
	})
	return found
}

// halfway is integer rounding, (x + half) >> n: half goes down instead of up.
func (r *rewriter) halfway(n *ast.BinaryExpr) {
	p, ok := n.X.(*ast.ParenExpr)
	if !ok || n.Op != token.SHR && n.Op != token.QUO {
		return
	}
	s, ok := p.X.(*ast.BinaryExpr)
	if !ok || s.Op != token.ADD || shifts(s) {
		return
	}
	t := r.info.TypeOf(s)
	b, ok := t.Underlying().(*types.Basic)
	name, named := r.typeName(t)
	if !ok || !named || b.Info()&types.IsInteger == 0 {
		return
	}
	if id, ok := r.corner(s, kindTie, r.text(n)+" → "+r.text(s)+" - 1"); ok {
		r.before(s, fmt.Sprintf("%s.Below[%s](%d, ", helper, name, id), ")")
	}
}

// negation is a difference from zero: -0 becomes +0.
func (r *rewriter) negation(n *ast.UnaryExpr) {
	if n.Op != token.SUB || !r.isFloat(n) {
		return
	}
	if id, ok := r.corner(n, kindZero, r.text(n)+" → 0 - "+r.text(n.X)); ok {
		r.wrap(n, fmt.Sprintf("%s.Float(%d, 'z', ", helper, id), ")")
	}
}

func (r *rewriter) isFloat(e ast.Expr) bool {
	t := r.info.TypeOf(e)
	if t == nil {
		return false
	}
	if _, generic := t.(*types.TypeParam); generic {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0 && b.Info()&types.IsUntyped == 0 && r.info.Types[e].Value == nil
}

// bits is a number that comes as bits, so that whoever made them has chosen the sign of its zero,
// or NaN: a zero has the other sign, and NaN is zero.
func (r *rewriter) bits(n *ast.CallExpr) {
	if _, ok := ast.Unparen(n.Args[0]).(*ast.BinaryExpr); ok {
		return // bits that are made here
	}
	for _, c := range []struct{ kind, what, code string }{{kindZero, "a zero has the other sign", "z"}, {kindNaN, "0 for NaN", "n"}} {
		if id, ok := r.corner(n, c.kind, r.text(n)+" → "+c.what); ok {
			r.wrap(n, fmt.Sprintf("%s.Float(%d, '%s', ", helper, id, c.code), ")")
		}
	}
}

// clamps are functions whose constants are ends of ranges.
var clamps = regexp.MustCompile(`(?i)^(min|max|clamp\w*)$`)

func (r *rewriter) call(n *ast.CallExpr) {
	tv := r.info.Types[n.Fun]
	name := ""
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if tv.IsType() {
		r.truncation(n)
		return
	}
	if clamps.MatchString(name) {
		for _, a := range n.Args {
			r.bound(a)
		}
	}
	if (name == "min" || name == "max") && len(n.Args) == 2 && r.isFloat(n) && !shifts(n) {
		if tv.IsBuiltin() {
			r.extreme(n, name)
		}
	}
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 {
		if x, ok := sel.X.(*ast.Ident); ok {
			if p, ok := r.info.Uses[x].(*types.PkgName); ok && p.Imported().Path() == "math" {
				if name == "Float32frombits" || name == "Float64frombits" {
					r.bits(n)
				}
				r.rounding(n, name)
			}
		}
	}
	r.program(n)
}

// bound moves a float that bounds a range by one unit in the last place.
func (r *rewriter) bound(e ast.Expr) {
	tv := r.info.Types[e]
	b, ok := tv.Type.Underlying().(*types.Basic)
	if tv.Value == nil || !ok || b.Info()&types.IsFloat == 0 || b.Info()&types.IsUntyped != 0 {
		return
	}
	name, ok := r.typeName(tv.Type)
	if !ok {
		return
	}
	for _, c := range []struct{ what, code string }{{"a unit higher", "+"}, {"a unit lower", "-"}} {
		if id, ok := r.corner(e, kindEnd, r.text(e)+" → "+c.what); ok {
			r.before(e, fmt.Sprintf("%s.Unit[%s](%d, '%s', ", helper, name, id, c.code), ")")
		}
	}
}

// extreme is the smaller or the larger of two floats: zeros count as equal and the first is taken,
// NaN is passed over.
func (r *rewriter) extreme(n *ast.CallExpr, name string) {
	on := ""
	for _, a := range n.Args {
		if c, ok := ast.Unparen(a).(*ast.CallExpr); ok {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Abs" {
				return // distances
			}
		}
	}
	for _, c := range []struct{ kind, what, code string }{{kindZero, "the first of two zeros", "z"}, {kindNaN, "the other one of NaN", "n"}} {
		if id, ok := r.corner(n, c.kind, r.text(n)+" → "+c.what); ok {
			on += fmt.Sprintf("%d, '%s', ", id, c.code)
		}
	}
	if on != "" {
		r.instead(n.Fun.Pos(), len(name)+1, fmt.Sprintf("%s.Extreme([]int{%s}, %v, ", helper, on, name == "max"))
	}
}

// rounding turns ties of math's functions the other way.
func (r *rewriter) rounding(n *ast.CallExpr, name string) {
	what := map[string]string{
		"RoundToEven": "halves go up", "Round": "halves go to even", "Floor": "one below for whole numbers",
		"Ceil": "one above for whole numbers", "Trunc": "one nearer to zero for whole numbers",
	}[name]
	if what == "" {
		return
	}
	if id, ok := r.corner(n, kindTie, r.text(n)+" → "+what); ok {
		at := r.offset(n.Pos())
		r.edits = append(r.edits, edit{at: at, end: r.offset(n.Lparen) + 1, text: fmt.Sprintf("%s.Rounded(%d, %q, %s, ", helper, id, name, r.text(n.Fun))})
		r.skip[n.Fun] = true
	}
}

// truncation is a conversion of a sum with a half to an integer: halves go down.
func (r *rewriter) truncation(n *ast.CallExpr) {
	if len(n.Args) != 1 || !r.isFloat(n.Args[0]) {
		return
	}
	if b, ok := r.info.TypeOf(n).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return
	}
	if id, ok := r.corner(n.Args[0], kindTie, r.text(n)+" → one nearer to zero for whole numbers"); ok {
		r.before(n.Args[0], fmt.Sprintf("%s.Float(%d, 't', ", helper, id), ")")
	}
}

// siblings are operations of programs that differ in what is equal or in what the sign bit means.
var siblings = map[string]struct{ kind, other string }{
	"OpFLt": {kindTie, "OpFLe"}, "OpFLe": {kindTie, "OpFLt"}, "OpSLt": {kindTie, "OpSLe"}, "OpSLe": {kindTie, "OpSLt"},
	"OpULt": {kindEnd, "OpSLt"}, "OpULe": {kindEnd, "OpSLe"}, "OpUMin": {kindEnd, "OpSMin"}, "OpUMax": {kindEnd, "OpSMax"},
	"OpSMin": {kindEnd, "OpUMin"}, "OpSMax": {kindEnd, "OpUMax"}, "OpShrU": {kindEnd, "OpShrS"}, "OpShrS": {kindEnd, "OpShrU"},
	"OpF2S": {kindEnd, "OpF2U"}, "OpF2U": {kindEnd, "OpF2S"}, "OpS2F": {kindEnd, "OpU2F"}, "OpU2F": {kindEnd, "OpS2F"},
	"OpUDiv": {kindEnd, "OpSDiv"}, "OpSDiv": {kindEnd, "OpUDiv"}, "OpBitFieldU": {kindEnd, "OpBitFieldS"}, "OpBitFieldS": {kindEnd, "OpBitFieldU"},
	"OpFFloor": {kindEnd, "OpFTrunc"}, "OpFTrunc": {kindEnd, "OpFFloor"},
}

// sibling takes another operation of programs for one.
func (r *rewriter) sibling(n ast.Expr, tv types.TypeAndValue) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || !isOp(tv.Type) {
		return
	}
	s, ok := siblings[sel.Sel.Name]
	if !ok {
		return
	}
	x := r.text(sel.X)
	if id, ok := r.corner(n, s.kind, r.text(n)+" → "+s.other); ok {
		r.wrap(n, fmt.Sprintf("%s.Row[%s.Op](%d, ", helper, x, id), ", "+x+"."+s.other+")")
	}
}

// isOp says that a type is that of the operations of programs.
func isOp(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == "Op" && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "ir"
}

// programs says what programs compute instead: %[1]s is the builder, %[2]s the name of its
// package, a_ and b_ the operands.
var programs = map[string][]struct{ kind, what, text string }{
	"OpFLt": {{kindNaN, "true for NaN", "%[1]s.Op(%[2]s.OpOr, %[2]s.Bool, %[1]s.Op(%[2]s.OpFLt, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFUnord, %[2]s.Bool, a_, b_))"}},
	"OpFLe": {{kindNaN, "true for NaN", "%[1]s.Op(%[2]s.OpOr, %[2]s.Bool, %[1]s.Op(%[2]s.OpFLe, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFUnord, %[2]s.Bool, a_, b_))"}},
	"OpFEq": {{kindNaN, "true for NaN", "%[1]s.Op(%[2]s.OpOr, %[2]s.Bool, %[1]s.Op(%[2]s.OpFEq, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFUnord, %[2]s.Bool, a_, b_))"}},
	"OpFNe": {{kindNaN, "false for NaN", "%[1]s.Op(%[2]s.OpAnd, %[2]s.Bool, %[1]s.Op(%[2]s.OpFNe, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFOrd, %[2]s.Bool, a_, b_))"}},
	"OpFMin": {
		{kindZero, "the second of two zeros", "%[1]s.Op(%[2]s.OpSelect, %[2]s.F32, %[1]s.Op(%[2]s.OpFEq, %[2]s.Bool, a_, b_), b_, %[1]s.Op(%[2]s.OpFMin, %[2]s.F32, a_, b_))"},
		{kindNaN, "NaN for NaN", "%[1]s.Op(%[2]s.OpSelect, %[2]s.F32, %[1]s.Op(%[2]s.OpFUnord, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFAdd, %[2]s.F32, a_, b_), %[1]s.Op(%[2]s.OpFMin, %[2]s.F32, a_, b_))"},
	},
	"OpFMax": {
		{kindZero, "the second of two zeros", "%[1]s.Op(%[2]s.OpSelect, %[2]s.F32, %[1]s.Op(%[2]s.OpFEq, %[2]s.Bool, a_, b_), b_, %[1]s.Op(%[2]s.OpFMax, %[2]s.F32, a_, b_))"},
		{kindNaN, "NaN for NaN", "%[1]s.Op(%[2]s.OpSelect, %[2]s.F32, %[1]s.Op(%[2]s.OpFUnord, %[2]s.Bool, a_, b_), %[1]s.Op(%[2]s.OpFAdd, %[2]s.F32, a_, b_), %[1]s.Op(%[2]s.OpFMax, %[2]s.F32, a_, b_))"},
	},
	"OpIEq":        {{kindEnd, "bit 0 only", "%[1]s.Op(%[2]s.OpIEq, %[2]s.Bool, %[1]s.Op(%[2]s.OpAnd, %[2]s.I32, a_, %[1]s.I32(1)), b_)"}},
	"OpINe":        {{kindEnd, "bit 0 only", "%[1]s.Op(%[2]s.OpINe, %[2]s.Bool, %[1]s.Op(%[2]s.OpAnd, %[2]s.I32, a_, %[1]s.I32(1)), b_)"}},
	"OpFNeg":       {{kindZero, "0 - a", "%[1]s.Op(%[2]s.OpFSub, %[2]s.F32, %[1]s.F32(0), a_)"}},
	"OpFRoundEven": {{kindTie, "halves go up", "%[1]s.Op(%[2]s.OpFFloor, %[2]s.F32, %[1]s.Op(%[2]s.OpFAdd, %[2]s.F32, a_, %[1]s.F32(0.5)))"}},
	"OpFFloor":     {{kindTie, "one below for whole numbers", "%[1]s.Op(%[2]s.OpFSub, %[2]s.F32, %[1]s.Op(%[2]s.OpFCeil, %[2]s.F32, a_), %[1]s.F32(1))"}},
}

// program changes what an operation of a program gives for equal numbers, zeros or NaN. The builder is
// the receiver, or a field of it.
func (r *rewriter) program(n *ast.CallExpr) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) < 2 {
		return
	}
	op, ok := n.Args[0].(*ast.SelectorExpr)
	if !ok || !isOp(r.info.TypeOf(op)) || programs[op.Sel.Name] == nil {
		return
	}
	if _, ok := r.pure(sel.X); !ok || r.info.Types[n].Type == nil {
		return
	}
	builder, ok := r.builder(sel.X)
	if !ok {
		return
	}
	result, isNamed := r.info.TypeOf(n).(*types.Named)
	if !isNamed || result.Obj().Name() != "Value" || n.Ellipsis.IsValid() {
		return
	}
	ir := r.text(op.X)
	args := n.Args[1:]
	rest := "" // what stands before the operands
	for len(args) > 0 && !types.Identical(r.info.TypeOf(args[0]), result) {
		if r.info.Types[args[0]].Value == nil {
			return
		}
		rest += ", " + r.text(args[0])
		args = args[1:]
	}
	for _, a := range args {
		if !types.Identical(r.info.TypeOf(a), result) {
			return
		}
	}
	all := programs[op.Sel.Name]
	if two := strings.Contains(all[0].text, ", b_"); len(args) != 1+btoi(two) {
		return
	}
	params := "a_, b_"[:4*len(args)-2] + " " + ir + ".Value"
	names := "a_, b_"[:4*len(args)-2]
	ids, alternatives := "", ""
	add := func(kind, what, text string) {
		if id, ok := r.corner(n, kind, r.text(n)+" → "+what); ok {
			ids += fmt.Sprintf("%d, ", id)
			alternatives += fmt.Sprintf(", func(%s) %s.Value { return %s }", params, ir, text)
		}
	}
	same := func(op string) string { return fmt.Sprintf("%s(%s.%s%s, %s)", r.text(n.Fun), ir, op, rest, names) }
	for _, p := range all {
		if p.kind == kindZero && slices.ContainsFunc(args, r.constantValue) {
			continue // the end of a range
		}
		if p.kind == kindEnd && !r.constantValue(args[1]) {
			continue // conditions, or numbers of any size
		}
		add(p.kind, p.what, fmt.Sprintf(p.text, builder, ir))
	}
	if s, ok := siblings[op.Sel.Name]; ok {
		add(s.kind, s.other, same(s.other))
	}
	r.skip[n.Fun] = true
	for _, a := range n.Args[:len(n.Args)-len(args)] {
		r.skip[a] = true
	}
	if ids == "" {
		return
	}
	text := fmt.Sprintf("%s.Pick([]int{%s}, func(%s) %s.Value { return %s }%s)(", helper, ids, params, ir, same(op.Sel.Name), alternatives)
	r.edits = append(r.edits, edit{at: r.offset(n.Pos()), end: r.offset(args[0].Pos()), text: text})
}

// constantValue says that an operand of a program is a constant.
func (r *rewriter) constantValue(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && len(c.Args) > 0 && !slices.ContainsFunc(c.Args, func(a ast.Expr) bool { return r.info.Types[a].Value == nil })
}

// builder is the text of the builder of programs that x is, or has.
func (r *rewriter) builder(x ast.Expr) (string, bool) {
	is := func(t types.Type) bool {
		p, ok := t.(*types.Pointer)
		if !ok {
			return false
		}
		n, ok := p.Elem().(*types.Named)
		return ok && n.Obj().Name() == "Builder" && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "ir"
	}
	t := r.info.TypeOf(x)
	var find func(t types.Type, text string) (string, bool)
	find = func(t types.Type, text string) (string, bool) {
		if is(t) {
			return text, true
		}
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		s, ok := t.Underlying().(*types.Struct)
		for i := 0; ok && i < s.NumFields(); i++ {
			f := s.Field(i)
			if !f.Exported() && f.Pkg() != r.pkg || !f.Embedded() && !is(f.Type()) {
				continue
			}
			if text, ok := find(f.Type(), text+"."+f.Name()); ok {
				return text, true
			}
		}
		return "", false
	}
	return find(t, r.text(x))
}
