package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Mutant is one change of one expression or statement.
type Mutant struct {
	ID   int    `json:"id"`   // its number: its site's plus its place in it
	Site int    `json:"site"` // number of its site's first mutant
	File string `json:"file"` // below the module's root
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Func string `json:"func"`           // where it stands; "" for a package's variables
	What string `json:"what"`           // from what to what
	Kind string `json:"kind,omitempty"` // of a corner: its family

	offset int // in the file
}

func (m Mutant) String() string { return fmt.Sprintf("%s:%d:%d %s", m.File, m.Line, m.Col, m.What) }

// A rewriter makes a file whose mutants are all there, each to be chosen when the
// program runs. It never moves a line.
type rewriter struct {
	first     int // number of the first mutant
	set       *token.FileSet
	info      *types.Info
	pkg       *types.Package
	chosen    func(id int) bool     // which of a site's mutants are wanted; a site without any stays as it is
	mutants   []Mutant              // all there are, chosen or not
	only      family                // which mutants are made
	pool      []*subject            // of the present function
	names     map[types.Object]bool // constants that the package uses, once they were asked for
	generated map[*token.File]bool

	file  *ast.File
	name  string
	src   []byte
	edits []edit
	stack []frame
	skip  map[ast.Node]bool
	outer map[ast.Node][][2]string
}

// A family is a kind of mutants: each is numbered, sampled and compiled without the others.
type family uint8

const (
	byOperator family = iota
	byCorner
)

// A frame is a node on the way from the file to the present one.
type frame struct {
	node  ast.Node
	close []string // to be written after it
}

// An edit replaces src[at:end] by text. Of those at one place closers come first.
type edit struct {
	at, end int
	close   bool
	text    string
}

// helper is the name by which rewritten files import the switches.
const helper = "mut_"

// rewrite returns the file with its mutants compiled in.
func (r *rewriter) rewrite(file *ast.File, name string, src []byte, helperPath string) []byte {
	r.file, r.name, r.src, r.edits, r.skip = file, name, src, nil, map[ast.Node]bool{}
	r.outer = map[ast.Node][][2]string{}
	for _, d := range file.Decls {
		ast.Inspect(d, r.visit)
	}
	if !slices.ContainsFunc(r.edits, func(e edit) bool { return strings.Contains(e.text, helper+".") }) {
		return src
	}
	at := r.offset(file.Name.End())
	r.edits = append(r.edits, edit{at: at, end: at, text: fmt.Sprintf("; import %s %q", helper, helperPath)})
	slices.SortStableFunc(r.edits, func(a, b edit) int {
		if a.at != b.at {
			return a.at - b.at
		}
		if a.close != b.close {
			if a.close {
				return -1
			}
			return 1
		}
		return 0
	})
	var out strings.Builder
	last := 0
	for _, e := range r.edits {
		out.Write(src[last:e.at])
		out.WriteString(e.text)
		last = e.end
	}
	out.Write(src[last:])
	return []byte(out.String())
}

func (r *rewriter) offset(p token.Pos) int { return r.set.Position(p).Offset }

// text is a node's source on one line, shortened.
func (r *rewriter) text(n ast.Node) string {
	s := strings.Join(strings.Fields(string(r.src[r.offset(n.Pos()):r.offset(n.End())])), " ")
	if len(s) > 72 {
		s = s[:60] + " … " + s[len(s)-8:]
	}
	return s
}

// site numbers the mutants of a place and says whether any of them is wanted.
func (r *rewriter) site(n ast.Node, what ...string) (int, bool) {
	first, wanted := r.first+len(r.mutants), false
	p := r.set.Position(n.Pos())
	in := ""
	for _, f := range r.stack {
		if d, ok := f.node.(*ast.FuncDecl); ok {
			in = d.Name.Name
		}
	}
	for i, w := range what {
		r.mutants = append(r.mutants, Mutant{ID: first + i, Site: first, File: r.name, Line: p.Line, Col: p.Column, Func: in, What: w, offset: p.Offset})
		wanted = wanted || r.chosen(first+i)
	}
	return first, wanted
}

// wrap writes open before the present node and close after it.
func (r *rewriter) wrap(n ast.Node, open, close string) {
	at := r.offset(n.Pos())
	r.edits = append(r.edits, edit{at: at, end: at, text: open})
	f := &r.stack[len(r.stack)-1]
	f.close = append(f.close, close)
}

// instead replaces a token of n bytes.
func (r *rewriter) instead(p token.Pos, n int, text string) {
	at := r.offset(p)
	r.edits = append(r.edits, edit{at: at, end: at + n, text: text})
}

func (r *rewriter) visit(n ast.Node) bool {
	if n == nil {
		f := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		end := r.offset(f.node.End())
		for _, c := range slices.Backward(f.close) {
			r.edits = append(r.edits, edit{at: end, end: end, close: true, text: c})
		}
		return true
	}
	if r.skip[n] {
		return false
	}
	var parent ast.Node
	if len(r.stack) > 0 {
		parent = r.stack[len(r.stack)-1].node
	}
	r.stack = append(r.stack, frame{node: n})
	if !r.node(n, parent) {
		// Inspect doesn't come back for a node that is not entered.
		r.visit(nil)
		return false
	}
	return true
}

// before says what to write around a node when it is visited, outside of what is
// written for itself.
func (r *rewriter) before(n ast.Node, open, close string) {
	r.outer[n] = append(r.outer[n], [2]string{open, close})
}

// node handles one node and says whether to go into it.
func (r *rewriter) node(n, parent ast.Node) bool {
	for _, w := range r.outer[n] {
		r.wrap(n, w[0], w[1])
	}
	if r.only == byCorner {
		return r.corners(n, parent)
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.KeyValueExpr:
		if lit, ok := parent.(*ast.CompositeLit); ok {
			if _, ok := r.info.TypeOf(lit).Underlying().(*types.Map); !ok {
				r.skip[n.Key] = true // a constant, or a field's name
			}
		}
	case *ast.IfStmt:
		what := []string{"%s → true", "%s → false", "%s → !(%s)"}
		if compares(n.Cond) {
			what = what[:2] // the comparison has its contrary among its own
		}
		r.condition(n.Cond, "If", what)
	case *ast.ForStmt:
		if n.Cond != nil {
			r.condition(n.Cond, "For", []string{"loop while %s → never"})
		}
	case *ast.ReturnStmt:
		r.results(n)
	case ast.Stmt:
		r.statement(n, parent)
	case ast.Expr:
		return r.expression(n)
	}
	return true
}

// compares says whether an expression's own mutants hold its contrary.
func compares(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.NOT
	}
	return false
}

func (r *rewriter) condition(c ast.Expr, name string, what []string) {
	if r.info.Types[c].Value != nil || !r.isBool(c) {
		return
	}
	for i, w := range what {
		what[i] = strings.ReplaceAll(w, "%s", r.text(c))
	}
	if s, ok := r.site(c, what...); ok {
		r.before(c, fmt.Sprintf("%s.%s(%d, ", helper, name, s), ")")
	}
}

// results gives each result of a return statement its zero value.
func (r *rewriter) results(n *ast.ReturnStmt) {
	var sig *types.Signature
	for _, f := range r.stack {
		switch d := f.node.(type) {
		case *ast.FuncDecl:
			sig = r.info.Defs[d.Name].Type().(*types.Signature)
		case *ast.FuncLit:
			sig = r.info.TypeOf(d).(*types.Signature)
		}
	}
	if sig == nil || sig.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		tv, want := r.info.Types[e], sig.Results().At(i).Type()
		if tv.Value != nil || tv.IsNil() {
			continue // constants have their own mutants
		}
		if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) == 0 {
			continue
		}
		arg := ""
		if !types.Identical(tv.Type, want) {
			name, ok := r.typeName(want)
			if !ok {
				continue
			}
			arg = "[" + name + "]"
		}
		if s, ok := r.site(e, "return "+r.text(e)+" → zero"); ok {
			r.before(e, fmt.Sprintf("%s.Zero%s(%d, ", helper, arg, s), ")")
		}
	}
}

// statement takes out a statement, or turns x++ and x += y around.
func (r *rewriter) statement(n ast.Stmt, parent ast.Node) {
	listed := false
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		listed = true
	}
	text := ""
	if listed || isAssign(n) {
		text = r.text(n)
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		if !r.variable(n.X) {
			break
		}
		name, other := "Inc", "--"
		if n.Tok == token.DEC {
			name, other = "Dec", "++"
		}
		what := []string{text + " → " + other, text + " deleted"}
		if !listed {
			what = what[:1] // a loop that doesn't move never ends
		}
		if s, ok := r.site(n, what...); ok {
			r.wrap(n, fmt.Sprintf("%s.%s(%d, &", helper, name, s), ")")
			r.instead(n.TokPos, 2, "")
		}
		return
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
		if op, ok := operators[n.Tok]; ok && r.variable(n.Lhs[0]) {
			what := []string{text + " → " + op.other + "=", text + " deleted"}
			if !listed {
				what = what[:1]
			}
			if s, ok := r.site(n, what...); ok {
				r.wrap(n, fmt.Sprintf("%s.%sTo(%d, &", helper, op.name, s), ")")
				r.instead(n.TokPos, len(n.Tok.String()), ",")
			}
			return
		}
		if !matters(n) {
			return
		}
	case *ast.ExprStmt:
		if !matters(n) {
			return
		}
	case *ast.BranchStmt:
		if n.Tok != token.BREAK && n.Tok != token.CONTINUE {
			return
		}
	default:
		return
	}
	if !listed {
		return
	}
	if s, ok := r.site(n, text+" deleted"); ok {
		r.wrap(n, fmt.Sprintf("if %s.Do(%d) { ", helper, s), " }")
	}
}

// matters says that a program without the statement compiles, and may differ: one that neither declares nor assigns to
// blanks alone, and a call that is no panic.
func matters(n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool {
			id, ok := l.(*ast.Ident)
			return !ok || id.Name != "_"
		})
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return !ok || id.Name != "panic"
	}
	return true
}

func isAssign(n ast.Stmt) bool {
	switch n.(type) {
	case *ast.IncDecStmt, *ast.AssignStmt:
		return true
	}
	return false
}

// variable says whether e is a number that has an address.
func (r *rewriter) variable(e ast.Expr) bool {
	if x, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		if _, ok := r.info.TypeOf(x.X).Underlying().(*types.Map); ok {
			return false
		}
	}
	return isNumber(r.info.TypeOf(e))
}

func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0
}

// operators are the arithmetic ones: the helper's name and what takes their place.
var operators = map[token.Token]struct{ name, other string }{
	token.ADD: {"Add", "-"}, token.SUB: {"Sub", "+"}, token.MUL: {"Mul", "/"}, token.QUO: {"Quo", "*"}, token.REM: {"Rem", "*"},
	token.AND: {"And", "|"}, token.OR: {"Or", "&"}, token.XOR: {"Xor", "&"}, token.AND_NOT: {"AndNot", "&"},
	token.SHL: {"Shl", ">>"}, token.SHR: {"Shr", "<<"},
	token.ADD_ASSIGN: {"Add", "-"}, token.SUB_ASSIGN: {"Sub", "+"}, token.MUL_ASSIGN: {"Mul", "/"}, token.QUO_ASSIGN: {"Quo", "*"},
	token.AND_ASSIGN: {"And", "|"}, token.OR_ASSIGN: {"Or", "&"}, token.XOR_ASSIGN: {"Xor", "&"}, token.AND_NOT_ASSIGN: {"AndNot", "&"},
	token.SHL_ASSIGN: {"Shl", ">>"}, token.SHR_ASSIGN: {"Shr", "<<"},
}

// comparisons: the helper's name, the one with the other boundary, the contrary.
var comparisons = map[token.Token][3]string{
	token.LSS: {"Lt", "<=", ">="}, token.LEQ: {"Le", "<", ">"}, token.GTR: {"Gt", ">=", "<="}, token.GEQ: {"Ge", ">", "<"},
}

// expression handles an expression and says whether to go into it.
func (r *rewriter) expression(n ast.Expr) bool {
	tv, ok := r.info.Types[n]
	if ok && (tv.IsType() || tv.IsBuiltin()) {
		return false
	}
	if ok && tv.Value != nil {
		r.constant(n, tv)
		return false
	}
	switch n := n.(type) {
	case *ast.UnaryExpr:
		r.unary(n)
	case *ast.BinaryExpr:
		r.binary(n)
	}
	return true
}

func (r *rewriter) unary(n *ast.UnaryExpr) {
	name := ""
	switch {
	case n.Op == token.NOT && r.isBool(n):
		name = "Flip"
	case n.Op == token.SUB && isNumber(r.info.TypeOf(n)):
		name = "Neg"
	case n.Op == token.XOR && isNumber(r.info.TypeOf(n)):
		name = "Not"
	default:
		return
	}
	s, ok := r.site(n, r.text(n)+" → "+r.text(n.X))
	if !ok {
		return
	}
	r.wrap(n, fmt.Sprintf("%s.%s(%d, ", helper, name, s), ")")
	if name != "Flip" {
		r.instead(n.OpPos, 1, "")
	}
}

func (r *rewriter) binary(n *ast.BinaryExpr) {
	x, y, t := r.text(n.X), r.text(n.Y), r.info.TypeOf(n)
	call := func(name string, s int) {
		r.wrap(n, fmt.Sprintf("%s.%s(%d, ", helper, name, s), ")")
		r.instead(n.OpPos, len(n.Op.String()), ",")
	}
	if op, ok := operators[n.Op]; ok {
		if !isNumber(t) {
			return
		}
		of, named := r.typeName(t)
		shifted := r.info.Types[n.X].Value != nil && (n.Op == token.SHL || n.Op == token.SHR)
		if shifted && !named {
			return
		}
		if shifted {
			// An untyped constant that is shifted has its type from outside, where
			// something may stand in between now.
			r.before(n.X, of+"(", ")")
		}
		if s, ok := r.site(n, fmt.Sprintf("%s %s %s → %[1]s %[4]s %[3]s", x, n.Op, y, op.other)); ok {
			call(op.name, s)
		}
		return
	}
	if !r.isBool(n) {
		return
	}
	if c, ok := comparisons[n.Op]; ok {
		_, xb := r.info.TypeOf(n.X).Underlying().(*types.Basic)
		_, yb := r.info.TypeOf(n.Y).Underlying().(*types.Basic)
		if xb && yb {
			if s, ok := r.site(n, x+" "+n.Op.String()+" "+y+" → "+c[1], x+" "+n.Op.String()+" "+y+" → "+c[2]); ok {
				call(c[0], s)
			}
			return
		}
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		name, other := "And", "||"
		if n.Op == token.LOR {
			name, other = "Or", "&&"
		}
		all := x + " " + n.Op.String() + " " + y
		if s, ok := r.site(n, all+" → "+other, all+" → right only", all+" → left only"); ok {
			r.wrap(n, fmt.Sprintf("%s.Flip(%d, ", helper, s), ")")
			r.before(n.X, fmt.Sprintf("%s.%sL(%d, ", helper, name, s), ")")
			r.before(n.Y, fmt.Sprintf("%s.%sR(%d, ", helper, name, s), ")")
		}
		return
	}
	other := map[token.Token]string{token.EQL: "!=", token.NEQ: "=="}[n.Op]
	if other == "" {
		other = "contrary"
	}
	if s, ok := r.site(n, x+" "+n.Op.String()+" "+y+" → "+other); ok {
		r.wrap(n, fmt.Sprintf("%s.Flip(%d, ", helper, s), ")")
	}
}

// constant moves a constant by one, as a whole: its parts stay.
func (r *rewriter) constant(n ast.Expr, tv types.TypeAndValue) {
	src := string(r.src[r.offset(n.Pos()):r.offset(n.End())])
	if strings.Contains(src, "\n") {
		return
	}
	if b, ok := tv.Type.(*types.Basic); ok && b.Kind() == types.Bool {
		if s, ok := r.site(n, src+" → "+map[bool]string{true: "false", false: "true"}[constant.BoolVal(tv.Value)]); ok {
			r.wrap(n, fmt.Sprintf("%s.Flip(%d, ", helper, s), ")")
		}
		return
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 || !isNumber(b) || !r.counts(n, tv.Type) {
		return
	}
	of, ok := r.typeName(tv.Type)
	if !ok {
		return
	}
	var to []string
	if b.Info()&types.IsFloat != 0 {
		to = []string{"(" + src + ") + 1", "(" + src + ") - 1"}
		if v, _ := constant.Float64Val(tv.Value); v >= 1<<20 || v <= -1<<20 {
			to = []string{"(" + src + ") * 2", "(" + src + ") / 2"}
			if v > 1e30 || v < -1e30 {
				to = to[1:]
			}
		}
	} else {
		low, high := limits(b)
		if constant.Compare(tv.Value, token.LSS, high) {
			to = append(to, "("+src+") + 1")
		}
		if constant.Compare(tv.Value, token.GTR, low) {
			to = append(to, "("+src+") - 1")
		}
	}
	what := make([]string, len(to))
	for i, e := range to {
		what[i] = src + " → " + strings.Replace(strings.Replace(e, "("+src+")", src, 1), "((", "(", 1)
	}
	if s, ok := r.site(n, what...); ok {
		r.wrap(n, fmt.Sprintf("%s.Const[%s](%d, ", helper, of, s), ", "+to[0]+", "+to[len(to)-1]+")")
	}
}

// counts says whether a constant is a number rather than a name of a list.
func (r *rewriter) counts(n ast.Expr, t types.Type) bool {
	if _, ok := t.(*types.Basic); ok {
		return true
	}
	literal := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, ok := n.(*ast.BasicLit)
		literal = literal || ok
		return true
	})
	return literal
}

// limits are the least and the largest value of an integer type, int being of 64 bits.
func limits(b *types.Basic) (low, high constant.Value) {
	bits := map[types.BasicKind]int{
		types.Int8: 7, types.Int16: 15, types.Int32: 31, types.Int64: 63, types.Int: 63,
		types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64, types.Uint: 64, types.Uintptr: 64,
	}[b.Kind()]
	one := constant.MakeInt64(1)
	end := constant.Shift(one, token.SHL, uint(bits))
	high = constant.BinaryOp(end, token.SUB, one)
	if b.Info()&types.IsUnsigned != 0 {
		return constant.MakeInt64(0), high
	}
	return constant.UnaryOp(token.SUB, end, 0), high
}

func (r *rewriter) isBool(e ast.Expr) bool {
	t := r.info.TypeOf(e)
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// typeName is how the file writes a type, if it can.
func (r *rewriter) typeName(t types.Type) (string, bool) {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg {
			return ""
		}
		for _, im := range r.file.Imports {
			if o := r.info.PkgNameOf(im); o != nil && o.Imported() == p && o.Name() != "_" && o.Name() != "." {
				return o.Name()
			}
		}
		ok = false
		return p.Name()
	})
	if n, isNamed := t.(*types.Named); isNamed && n.Obj().Pkg() != nil && n.Obj().Pkg() != r.pkg && !n.Obj().Exported() {
		ok = false
	}
	return name, ok && !strings.Contains(name, "untyped")
}
