package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"hash/fnv"
	"slices"
	"strings"
)

// Corners are the mutants that change one case of many: one row of a table, a condition
// for one value, the end of a range, a tie, the sign of a zero, a NaN, the first or the
// last turn of a loop. Each is a site of its own, and notes that it is reached only where it
// makes a difference; a test that does not get there cannot fail on it.

// kinds are the families of corners, in the order of the page.
var kinds = []string{
	kindRow, kindCase, kindCondition, kindStatement, kindLoop, kindEnd, kindTie, kindZero, kindNaN,
}

const (
	kindRow       = "row"       // one element of a table is its neighbour's
	kindCase      = "case"      // one case of a switch runs its neighbour's code, or what others run
	kindCondition = "condition" // a condition holds for one case more or less
	kindStatement = "statement" // a loop's statement is left out for one index
	kindLoop      = "loop"      // the first or the last turn of a loop is left out
	kindEnd       = "end"       // the end of a range lies one unit further; the sign bit means something else
	kindTie       = "tie"       // what is equal, or halfway, goes the other way
	kindZero      = "zero"      // a zero has the other sign
	kindNaN       = "nan"       // a NaN counts as a number, or becomes one
)

// corner numbers one mutant and says whether it is wanted.
func (r *rewriter) corner(n ast.Node, kind, what string) (int, bool) {
	id, ok := r.site(n, what)
	r.mutants[len(r.mutants)-1].Kind = kind
	return id, ok
}

// met is the condition, as Go text, that a mutant is on and where holds; whoever
// evaluates it has met the corner.
func met(id int, where string) string {
	return fmt.Sprintf("%s.On(%d) && %s && %[1]s.Met(%d)", helper, id, where, id)
}

// draw is a number below n that depends on what the texts say, and nothing else.
func draw(n int, texts ...any) int {
	h := fnv.New32a()
	fmt.Fprintln(h, texts...)
	return int(h.Sum32() % uint32(n))
}

// corners makes the corners of one node, as node makes its other mutants.
func (r *rewriter) corners(n, parent ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		r.pool = r.subjects(n)
	case *ast.GenDecl:
		if parent == nil {
			r.pool = nil
		}
		return n.Tok == token.VAR
	case *ast.KeyValueExpr:
		if lit, ok := parent.(*ast.CompositeLit); ok {
			if _, ok := r.info.TypeOf(lit).Underlying().(*types.Map); !ok {
				r.skip[n.Key] = true
			}
		}
	case *ast.CompositeLit:
		r.rows(n)
	case *ast.SwitchStmt:
		r.cases(n)
	case *ast.IfStmt:
		r.oneCase(n.Cond)
	case *ast.RangeStmt:
		r.rangeEnds(n)
	case *ast.ForStmt:
		r.forEnds(n)
	case *ast.AssignStmt:
		r.leaveOut(n, parent)
	case *ast.IncDecStmt, *ast.ExprStmt:
		r.leaveOut(n.(ast.Stmt), parent)
	case ast.Expr:
		tv, ok := r.info.Types[n]
		if ok && (tv.IsType() || tv.IsBuiltin()) {
			return false
		}
		if ok && tv.Value != nil {
			switch parent.(type) {
			case *ast.CaseClause, *ast.BinaryExpr:
			default:
				r.sibling(n, tv)
			}
			return false
		}
		if r.isBool(n) && logical(n) && !r.insideLogic() {
			r.oneCase(n)
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			r.comparison(n)
			r.halfway(n)
		case *ast.UnaryExpr:
			r.negation(n)
		case *ast.CallExpr:
			r.call(n)
		}
	}
	return true
}

// logical says that an expression is a comparison or made of conditions.
func logical(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	}
	return false
}

// insideLogic says that a condition is a part of a larger one, or one of an if or a loop.
func (r *rewriter) insideLogic() bool {
	for i := len(r.stack) - 2; i >= 0; i-- {
		switch p := r.stack[i].node.(type) {
		case *ast.ParenExpr:
			continue
		case *ast.IfStmt, *ast.ForStmt:
			return true
		case ast.Expr:
			return logical(p)
		}
		return false
	}
	return false
}

// rows changes elements of a table to those of the next row, and keys of maps to one
// that is not there.
func (r *rewriter) rows(lit *ast.CompositeLit) {
	switch t := r.info.TypeOf(lit).Underlying().(type) {
	case *types.Map:
		r.keys(lit, t.Key())
	case *types.Array, *types.Slice:
	default:
		return
	}
	if len(lit.Elts) < 2 {
		return
	}
	value := func(i int) ast.Expr {
		if kv, ok := lit.Elts[i].(*ast.KeyValueExpr); ok {
			return kv.Value
		}
		return lit.Elts[i]
	}
	for i := range lit.Elts {
		r.row(value(i), value((i+1)%len(lit.Elts)))
	}
}

// row changes one row, or an element of it, to the other's.
func (r *rewriter) row(e, other ast.Expr) {
	tv, ok := r.info.Types[e]
	if ok && tv.Value != nil {
		r.element(e, other)
		return
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		if o, ok := other.(*ast.UnaryExpr); ok && e.Op == token.AND && o.Op == token.AND {
			r.row(e.X, o.X)
		}
	case *ast.CallExpr:
		o, ok := other.(*ast.CallExpr)
		if !ok || r.text(o.Fun) != r.text(e.Fun) || r.info.Types[e.Fun].IsType() {
			return
		}
		for i, a := range e.Args {
			if i < len(o.Args) && r.info.Types[a].Value != nil {
				r.element(a, o.Args[i])
			}
		}
	case *ast.CompositeLit:
		o, ok := other.(*ast.CompositeLit)
		if !ok {
			return
		}
		for i, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if r.info.Types[kv.Value].Value != nil {
					r.element(kv.Value, field(o, kv.Key))
				}
			} else if i < len(o.Elts) && r.info.Types[x].Value != nil {
				r.element(x, o.Elts[i])
			}
		}
	}
}

// field is the value of a key in a literal, nil where it is not there.
func field(lit *ast.CompositeLit, key ast.Expr) ast.Expr {
	name, ok := key.(*ast.Ident)
	if !ok {
		return nil
	}
	for _, x := range lit.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == name.Name {
				return kv.Value
			}
		}
	}
	return nil
}

// element changes a constant of a table to another row's; nil stands for zero.
func (r *rewriter) element(e, other ast.Expr) {
	tv := r.info.Types[e]
	b, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsBoolean|types.IsString|types.IsUntyped) != 0 {
		return // a bool has its contrary among the operators
	}
	name, ok := r.typeName(tv.Type)
	if !ok {
		return
	}
	text := "0"
	if other != nil {
		ov := r.info.Types[other]
		if ov.Value == nil || !types.Identical(ov.Type, tv.Type) {
			return
		}
		if constant.Compare(ov.Value, token.EQL, tv.Value) {
			return
		}
		text = r.text(other)
		if strings.Contains(text, "…") {
			return
		}
	} else if constant.Sign(tv.Value) == 0 {
		return
	}
	if id, ok := r.corner(e, kindRow, r.text(e)+" → the next row's "+text); ok {
		r.before(e, fmt.Sprintf("%s.Row[%s](%d, ", helper, name, id), ", "+text+")")
	}
}

// keys changes each key of a map to one that it lacks.
func (r *rewriter) keys(lit *ast.CompositeLit, t types.Type) {
	name, ok := r.typeName(t)
	if !ok || !isNumber(t) {
		return
	}
	var taken []constant.Value
	for _, x := range lit.Elts {
		v := r.info.Types[x.(*ast.KeyValueExpr).Key].Value
		if v == nil {
			return
		}
		taken = append(taken, v)
	}
	none, ok := lacking(t, taken)
	if !ok {
		return
	}
	for _, x := range lit.Elts {
		key := x.(*ast.KeyValueExpr).Key
		if id, ok := r.corner(key, kindRow, r.text(key)+" is no key"); ok {
			r.before(key, fmt.Sprintf("%s.Row[%s](%d, ", helper, name, id), ", "+none+")")
		}
	}
}

// lacking is a value of a type that is not among some.
func lacking(t types.Type, taken []constant.Value) (string, bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return "", false
	}
	_, high := limits(b)
	for v := high; ; v = constant.BinaryOp(v, token.SUB, constant.MakeInt64(1)) {
		if !slices.ContainsFunc(taken, func(c constant.Value) bool { return constant.Compare(c, token.EQL, v) }) {
			return v.ExactString(), true
		}
		if constant.Sign(v) == 0 {
			return "", false
		}
	}
}

// cases makes each value of a switch run the next case's code, or that for values that
// no case names.
func (r *rewriter) cases(n *ast.SwitchStmt) {
	if n.Tag == nil || r.info.Types[n.Tag].Value != nil {
		return
	}
	t := r.info.TypeOf(n.Tag)
	b, ok := t.Underlying().(*types.Basic)
	if _, generic := t.(*types.TypeParam); generic || !ok || b.Info()&types.IsInteger == 0 {
		return
	}
	var all []constant.Value
	var clauses []*ast.CaseClause
	for _, s := range n.Body.List {
		c := s.(*ast.CaseClause)
		for _, e := range c.List {
			v := r.info.Types[e].Value
			if v == nil {
				return
			}
			all = append(all, v)
		}
		if len(c.List) > 0 {
			clauses = append(clauses, c)
		}
	}
	none, ok := lacking(t, all)
	for i, c := range clauses {
		next := clauses[(i+1)%len(clauses)]
		for k, e := range c.List {
			from := r.info.Types[e].Value.ExactString()
			// One value of a list is moved; the next case's first value stands for its code.
			if len(clauses) > 1 {
				to := next.List[0]
				if id, ok := r.corner(e, kindCase, "case "+r.text(e)+" → as "+r.text(to)); ok {
					r.before(n.Tag, fmt.Sprintf("%s.Case(%d, ", helper, id), fmt.Sprintf(", %s, %s)", from, r.info.Types[to].Value.ExactString()))
				}
			}
			if ok && (len(c.List) > 1 || k == 0) {
				if id, ok := r.corner(e, kindCase, "case "+r.text(e)+" → as no case"); ok {
					r.before(n.Tag, fmt.Sprintf("%s.Case(%d, ", helper, id), fmt.Sprintf(", %s, %s)", from, none))
				}
			}
		}
	}
}

// oneCase lets a condition hold for one case more, or one less.
func (r *rewriter) oneCase(cond ast.Expr) {
	if r.info.Types[cond].Value != nil || !r.isBool(cond) {
		return
	}
	var own []*subject
	for _, s := range r.inCondition(cond) {
		if len(own) < 3 {
			own = append(own, s)
		}
	}
	list := own
	for i := draw(max(len(r.pool), 1), r.text(cond)); len(own) == 0 && len(list) < 2 && i < 2*len(r.pool); i++ {
		s := r.pool[i%len(r.pool)]
		if s.state && r.visible(s, cond.Pos()) && !slices.ContainsFunc(list, func(o *subject) bool { return o.text == s.text }) {
			list = append(list, s)
		}
	}
	open, close := "", ""
	for _, s := range list {
		for _, k := range r.choices(s, r.text(cond)) {
			holds := r.truth(cond, s.text, k.value)
			if !r.feasible(s.text, k.value) || r.equals(cond, s.text, k.value) {
				continue
			}
			less := holds > 0 || holds == 0 && draw(2, r.text(cond), s.text, k.name) == 0
			if less {
				if id, ok := r.corner(cond, kindCondition, fmt.Sprintf("%s → && %s != %s", r.text(cond), s.text, k.name)); ok {
					open, close = "("+open, close+" && !("+met(id, s.guard+s.text+" == "+k.text)+"))"
				}
			} else if id, ok := r.corner(cond, kindCondition, fmt.Sprintf("%s → || %s == %s", r.text(cond), s.text, k.name)); ok {
				open, close = "("+open, close+" || "+met(id, s.guard+s.text+" == "+k.text)+")"
			}
		}
	}
	if open != "" {
		r.around(cond, open+"(", ")"+close)
	}
}

// equals says that a condition is nothing but a comparison of a subject with this value, which is an
// operator's to change.
func (r *rewriter) equals(cond ast.Expr, text string, v constant.Value) bool {
	cond = ast.Unparen(cond)
	if n, ok := cond.(*ast.UnaryExpr); ok {
		cond = ast.Unparen(n.X)
	}
	c, ok := cond.(*ast.BinaryExpr)
	if !ok || c.Op == token.LAND || c.Op == token.LOR {
		return false
	}
	x, k := c.X, r.info.Types[c.Y].Value
	if k == nil {
		x, k = c.Y, r.info.Types[c.X].Value
	}
	s := r.subject(x)
	return s != nil && s.text == text && k != nil && constant.Compare(k, token.EQL, v)
}

// around writes something around the present node, or one below it.
func (r *rewriter) around(n ast.Node, open, close string) {
	if r.stack[len(r.stack)-1].node == n {
		r.wrap(n, open, close)
	} else {
		r.before(n, open, close)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rangeEnds leaves out the first and the last turn of a loop over a range.
func (r *rewriter) rangeEnds(n *ast.RangeStmt) {
	key := ""
	if id, ok := n.Key.(*ast.Ident); ok && id.Name != "_" && n.Tok == token.DEFINE {
		key = id.Name
	}
	at, text := n.X, r.text(n.X)
	turn := func(what, where string) {
		if key == "" {
			return
		}
		if id, ok := r.corner(at, kindLoop, "range "+text+" without its "+what); ok {
			b := r.offset(n.Body.Lbrace) + 1
			r.edits = append(r.edits, edit{at: b, end: b, text: fmt.Sprintf(" if %s { continue }; ", met(id, fmt.Sprintf(where, key)))})
		}
	}
	t := r.info.TypeOf(n.X).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			return
		}
		of := "int"
		if key != "" || t.Info()&types.IsUntyped == 0 {
			b := r.info.TypeOf(n.X)
			if key != "" {
				b = r.info.Defs[n.Key.(*ast.Ident)].Type()
			}
			var ok bool
			if of, ok = r.typeName(b); !ok {
				return
			}
		}
		if id, ok := r.corner(at, kindLoop, "range "+text+" without its last"); ok {
			r.before(at, fmt.Sprintf("%s.Fewer[%s](%d, ", helper, of, id), ")")
		}
		turn("first", "%s == 0")
	case *types.Slice:
		if id, ok := r.corner(at, kindLoop, "range "+text+" without its last"); ok {
			r.before(at, fmt.Sprintf("%s.Shorter(%d, ", helper, id), ")")
		}
		turn("first", "%s == 0")
	case *types.Array:
		if t.Len() > 1 {
			turn("last", fmt.Sprintf("%%s == %d", t.Len()-1))
			turn("first", "%s == 0")
		}
	}
}

// forEnds leaves out the last turn of a loop that counts up.
func (r *rewriter) forEnds(n *ast.ForStmt) {
	c, ok := n.Cond.(*ast.BinaryExpr)
	inc, counts := n.Post.(*ast.IncDecStmt)
	if !ok || !counts || inc.Tok != token.INC || c.Op != token.LSS && c.Op != token.LEQ {
		return
	}
	i, ok := c.X.(*ast.Ident)
	t, isBasic := r.info.TypeOf(c.X).Underlying().(*types.Basic)
	if !ok || !isBasic || t.Info()&types.IsInteger == 0 {
		return
	}
	end := r.text(c.Y)
	if s, ok := r.pure(c.Y); ok {
		end = s.text
	} else if r.info.Types[c.Y].Value == nil || strings.Contains(end, "…") {
		return
	}
	if id, ok := r.corner(c, kindLoop, "for "+r.text(c)+" without its last"); ok {
		last := i.Name + " >= (" + end + ")"
		if c.Op == token.LSS {
			last = i.Name + "+1 >= (" + end + ")"
		}
		r.before(c, "((", ") && !("+met(id, last)+"))")
	}
}

// leaveOut leaves a loop's statement out for one index.
func (r *rewriter) leaveOut(n ast.Stmt, parent ast.Node) {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	default:
		return
	}
	if !matters(n) {
		return
	}
	index, most := r.index()
	if index == "" {
		return
	}
	if most < 2 {
		return
	}
	k := 1 + draw(most-1, r.text(n), index) // the first turn is a loop's to leave out
	if id, ok := r.corner(n, kindStatement, fmt.Sprintf("%s, not for %s == %d", r.text(n), index, k)); ok {
		r.wrap(n, fmt.Sprintf("if !(%s) { ", met(id, fmt.Sprintf("%s == %d", index, k))), " }")
	}
}

// index is the variable of the innermost loop that counts, and how many values of it are tried.
func (r *rewriter) index() (name string, most int) {
	for _, f := range slices.Backward(r.stack[:len(r.stack)-1]) {
		switch l := f.node.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return "", 0
		case *ast.ForStmt:
			if a, ok := l.Init.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && a.Tok == token.DEFINE {
				id := a.Lhs[0].(*ast.Ident)
				if b, ok := r.info.TypeOf(id).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && r.visibleName(id) {
					return id.Name, 3
				}
			}
		case *ast.RangeStmt:
			id, ok := l.Key.(*ast.Ident)
			if !ok || id.Name == "_" || !r.visibleName(id) {
				return "", 0
			}
			if b, ok := r.info.TypeOf(id).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
				return "", 0
			}
			most = 3
			t := r.info.TypeOf(l.X).Underlying()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem().Underlying()
			}
			if a, ok := t.(*types.Array); ok {
				most = min(4, int(a.Len()))
			}
			if v := r.info.Types[l.X].Value; v != nil && v.Kind() == constant.Int {
				c, _ := constant.Int64Val(v)
				most = min(4, int(c))
			}
			return id.Name, max(most, 1)
		}
	}
	return "", 0
}

// visibleName says that the name at the present node is the variable that id defines.
func (r *rewriter) visibleName(id *ast.Ident) bool {
	pos := r.stack[len(r.stack)-1].node.Pos()
	inner := r.pkg.Scope().Innermost(pos)
	if inner == nil {
		return false
	}
	_, o := inner.LookupParent(id.Name, pos)
	return o != nil && (o == r.info.Defs[id] || o == r.info.Uses[id])
}
