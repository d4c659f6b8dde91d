package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A subject is a number that code tells cases by: it is compared, switched on, or an index.
type subject struct {
	text  string
	guard string // conditions under which text can be evaluated, each with && behind it
	typ   types.Type
	vars  []types.Object // of text, the one that it begins with first
	seen  []constant.Value
	enum  bool // of a type that names its values
	state bool // what users choose whatever else they chose: one of choosable
}

// A choice is a value of a subject.
type choice struct {
	name, text string
	value      constant.Value
}

// pure says how to evaluate an expression once more: variables, their fields and elements.
func (r *rewriter) pure(e ast.Expr) (*subject, bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.pure(e.X)
	case *ast.Ident:
		v, ok := r.info.Uses[e].(*types.Var)
		if !ok {
			if v, ok = r.info.Defs[e].(*types.Var); !ok {
				return nil, false
			}
		}
		return &subject{text: e.Name, typ: v.Type(), vars: []types.Object{v}}, e.Name != "_"
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		if sel == nil || sel.Kind() != types.FieldVal {
			return nil, false
		}
		s, ok := r.pure(e.X)
		if !ok {
			return nil, false
		}
		if _, ok := s.typ.Underlying().(*types.Pointer); ok {
			s.guard += s.text + " != nil && "
		}
		t, way := s.typ, s.text
		for i, k := range sel.Index() { // embedded structs on the way
			if p, ok := t.Underlying().(*types.Pointer); ok {
				if t = p.Elem(); i > 0 {
					s.guard += way + " != nil && "
				}
			}
			st, ok := t.Underlying().(*types.Struct)
			if !ok || !st.Field(k).Exported() && st.Field(k).Pkg() != r.pkg {
				return nil, false
			}
			t, way = st.Field(k).Type(), way+"."+st.Field(k).Name()
		}
		s.text, s.typ = s.text+"."+e.Sel.Name, sel.Type()
		return s, true
	case *ast.StarExpr:
		s, ok := r.pure(e.X)
		if !ok {
			return nil, false
		}
		p, ok := s.typ.Underlying().(*types.Pointer)
		if !ok {
			return nil, false
		}
		s.guard, s.text, s.typ = s.guard+s.text+" != nil && ", "(*"+s.text+")", p.Elem()
		return s, true
	case *ast.IndexExpr:
		s, ok := r.pure(e.X)
		if !ok {
			return nil, false
		}
		var elem types.Type
		switch t := s.typ.Underlying().(type) {
		case *types.Slice:
			elem = t.Elem()
		case *types.Array:
			elem = t.Elem()
		default:
			return nil, false
		}
		at := ""
		if v := r.info.Types[e.Index].Value; v != nil {
			at = v.ExactString()
		} else if i, ok := r.pure(r.converted(e.Index)); ok && isNumber(i.typ) {
			s.guard, at, s.vars = s.guard+i.guard, i.text, append(slices.Clip(s.vars), i.vars...)
		} else {
			return nil, false
		}
		if _, ok := s.typ.Underlying().(*types.Slice); ok || r.info.Types[e.Index].Value == nil {
			s.guard += fmt.Sprintf("%s.Within(int(%s), len(%s)) && ", helper, at, s.text)
		}
		s.text, s.typ = s.text+"["+at+"]", elem
		return s, true
	}
	return nil, false
}

// converted is what a number is converted from.
func (r *rewriter) converted(e ast.Expr) ast.Expr {
	for {
		c, ok := ast.Unparen(e).(*ast.CallExpr)
		if !ok || len(c.Args) != 1 || !r.info.Types[c.Fun].IsType() || !isNumber(r.info.TypeOf(c)) || !isNumber(r.info.TypeOf(c.Args[0])) {
			return e
		}
		e = c.Args[0]
	}
}

// subject is a pure expression of a number.
func (r *rewriter) subject(e ast.Expr) *subject {
	s, ok := r.pure(r.converted(e))
	if !ok || s.typ == nil {
		return nil
	}
	if _, generic := s.typ.(*types.TypeParam); generic {
		return nil
	}
	if !isNumber(s.typ) || r.info.Types[e].Value != nil {
		return nil
	}
	s.enum, s.state = isEnum(s.typ), isState(s.typ)
	return s
}

// isEnum says that a type names its values.
func isEnum(t types.Type) bool { return len(constants(t)) > 1 }

// choosable are the lists of Vulkan's of which any value goes with nearly all other state.
var choosable = []string{
	"Format", "PrimitiveTopology", "ImageViewType", "SampleCountFlags", "PolygonMode", "LineRasterizationMode", "SamplerAddressMode", "Filter", "BorderColor", "CompareOp", "BlendOp",
}

// isState says that a type is one of these lists.
func isState(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "vk" && isEnum(t) && slices.Contains(choosable, n.Obj().Name())
}

// named holds the names of types' values that were asked for.
var named = map[*types.TypeName][]*types.Const{}

// constants are the names of a type's values.
func constants(t types.Type) (list []*types.Const) {
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || !strings.Contains(n.Obj().Pkg().Path(), ".") || n.Obj().Name() == "StructureType" {
		return nil // the standard library's are units rather than cases, and structures are told apart by their types
	}
	if list, ok := named[n.Obj()]; ok {
		return list
	}
	defer func() { named[n.Obj()] = list }()
	scope := n.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), t) && !strings.HasSuffix(name, "MaxEnum") {
			list = append(list, c)
		}
	}
	return list
}

// subjects are those of a function, each once.
func (r *rewriter) subjects(f *ast.FuncDecl) (list []*subject) {
	if f.Body == nil {
		return nil
	}
	add := func(s *subject) *subject {
		if s == nil {
			return nil
		}
		for _, o := range list {
			if o.text == s.text && o.vars[0] == s.vars[0] {
				return o
			}
		}
		list = append(list, s)
		return s
	}
	note := func(s *subject, v constant.Value) {
		if s != nil && v != nil {
			s.seen = append(s.seen, v)
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if logical(n) && n.Op != token.LAND && n.Op != token.LOR {
				note(add(r.subject(n.X)), r.info.Types[n.Y].Value)
				note(add(r.subject(n.Y)), r.info.Types[n.X].Value)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil {
				s := add(r.subject(n.Tag))
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						note(s, r.info.Types[e].Value)
					}
				}
			}
		case *ast.IndexExpr:
			add(r.subject(n.Index))
		case *ast.SelectorExpr, *ast.Ident: // used in some way
			if s := r.subject(n.(ast.Expr)); s != nil && s.state {
				add(s)
			}
		}
		return true
	})
	return list
}

// inCondition are the subjects of a condition.
func (r *rewriter) inCondition(cond ast.Expr) (list []*subject) {
	ast.Inspect(cond, func(n ast.Node) bool {
		var e ast.Expr
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if logical(n) && n.Op != token.LAND && n.Op != token.LOR {
				for _, e := range []ast.Expr{n.X, n.Y} {
					list = r.known(list, e)
				}
			}
			return true
		case *ast.IndexExpr:
			e = n.Index
		case *ast.CallExpr:
			for _, a := range n.Args {
				list = r.known(list, a)
			}
			return true
		default:
			return true
		}
		list = r.known(list, e)
		return true
	})
	return list
}

// known adds an expression's subject, as the function's list has it.
func (r *rewriter) known(list []*subject, e ast.Expr) []*subject {
	s := r.subject(e)
	if s == nil {
		return list
	}
	for _, o := range r.pool {
		if o.text == s.text && o.vars[0] == s.vars[0] {
			s = o
		}
	}
	if slices.ContainsFunc(list, func(o *subject) bool { return o.text == s.text }) {
		return list
	}
	return append(list, s)
}

// visible says that the names of a subject's variables mean them at a place.
func (r *rewriter) visible(s *subject, pos token.Pos) bool {
	inner := r.pkg.Scope().Innermost(pos)
	return inner != nil && !slices.ContainsFunc(s.vars, func(v types.Object) bool {
		_, o := inner.LookupParent(v.Name(), pos)
		return o != v
	})
}

// plausible are values of numbers that have no names, by what their own name says.
var plausible = []struct {
	name   *regexp.Regexp
	values []int64
}{
	{regexp.MustCompile(`(?i)samples$`), []int64{1, 2, 4, 8}}, {regexp.MustCompile(`(?i)dims?$`), []int64{1, 2, 3}},
	{regexp.MustCompile(`(?i)(comp(onent)?|plane|layer|level|sample|vertex|viewport|location|slot|face)$|^[cikd]$`), []int64{0, 1, 2, 3}},
}

// common are formats of each kind that images of any use have: one of them is taken.
var common = []string{
	"FormatR8Unorm", "FormatR8G8B8A8Unorm", "FormatB8G8R8A8Unorm", "FormatR8G8B8A8Srgb", "FormatR8G8B8A8Snorm", "FormatA2B10G10R10UnormPack32",
	"FormatR16Unorm", "FormatR16G16B16A16Sfloat", "FormatR32Sfloat", "FormatR32G32B32A32Sfloat", "FormatB10G11R11UfloatPack32", "FormatR5G6B5UnormPack16",
	"FormatR8Uint", "FormatR32Uint", "FormatR16G16Sint",
}

// used are the constants that the package's code names.
func (r *rewriter) used() map[types.Object]bool {
	if r.names == nil {
		r.names = map[types.Object]bool{}
		for id, o := range r.info.Uses {
			if c, ok := o.(*types.Const); ok && !r.generated[r.set.File(id.Pos())] {
				r.names[c] = true
			}
		}
	}
	return r.names
}

// choices are up to two values of a subject for a condition: one that its function tells from others,
// and one of all.
func (r *rewriter) choices(s *subject, cond string) (list []choice) {
	b := s.typ.Underlying().(*types.Basic)
	add := func(name string, v constant.Value) {
		text := ""
		if b.Info()&types.IsFloat != 0 {
			f, _ := constant.Float64Val(constant.ToFloat(v))
			text = strconv.FormatFloat(f, 'g', -1, 64)
		} else {
			if v = constant.ToInt(v); v.Kind() != constant.Int {
				return
			}
			low, high := limits(b)
			if constant.Compare(v, token.LSS, low) || constant.Compare(v, token.GTR, high) {
				return
			}
			text = v.ExactString()
		}
		if name == "" {
			name = text
			for _, c := range constants(s.typ) {
				if constant.Compare(c.Val(), token.EQL, v) {
					name = c.Name()
					break
				}
			}
		}
		for _, o := range list {
			if o.text == text {
				return
			}
		}
		list = append(list, choice{name, text, v})
	}
	if len(s.seen) > 0 {
		add("", s.seen[draw(len(s.seen), cond, s.text, "seen")])
	}
	if all := constants(s.typ); len(all) > 1 {
		if o := all[0].Pkg().Scope().Lookup(common[draw(len(common), cond, s.text)]); o != nil && types.Identical(o.Type(), s.typ) {
			add(o.Name(), o.(*types.Const).Val())
			return list
		}
		// Of other lists one that the package's code knows.
		all = slices.DeleteFunc(slices.Clone(all), func(c *types.Const) bool { return !r.used()[c] })
		if len(all) > 0 {
			c := all[draw(len(all), cond, s.text)]
			add(c.Name(), c.Val())
		}
		return list
	}
	if len(s.seen) > 0 {
		return list
	}
	if b.Info()&types.IsFloat != 0 {
		return list
	}
	last := s.text[strings.LastIndexByte(s.text, '.')+1:]
	for _, p := range plausible {
		if p.name.MatchString(last) {
			add("", constant.MakeInt64(p.values[draw(len(p.values), cond, s.text)]))
			break
		}
	}
	return list
}

// truth is what a condition is where a subject has a value: 1, -1, or 0 where that does not say it.
func (r *rewriter) truth(cond ast.Expr, text string, v constant.Value) int {
	switch e := cond.(type) {
	case *ast.ParenExpr:
		return r.truth(e.X, text, v)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return -r.truth(e.X, text, v)
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return min(r.truth(e.X, text, v), r.truth(e.Y, text, v))
		case token.LOR:
			return max(r.truth(e.X, text, v), r.truth(e.Y, text, v))
		}
		x, y, op := e.X, e.Y, e.Op
		if !logical(e) {
			return 0
		}
		k := r.info.Types[y].Value
		if k == nil {
			swap := map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}
			if o, ok := swap[op]; ok {
				op = o
			}
			x, k = y, r.info.Types[x].Value
		}
		if k == nil || k.Kind() == constant.String || k.Kind() == constant.Bool {
			return 0
		}
		if s := r.subject(x); s == nil || s.text != text {
			return 0
		}
		if constant.Compare(v, op, k) {
			return 1
		}
		return -1
	}
	return 0
}

// feasible says that no condition or case around the present node excludes a value of a subject.
func (r *rewriter) feasible(text string, v constant.Value) bool {
	for i := len(r.stack) - 2; i >= 0; i-- {
		in := r.stack[i+1].node
		switch p := r.stack[i].node.(type) {
		case *ast.FuncDecl:
			return true
		case *ast.IfStmt:
			holds := r.truth(p.Cond, text, v)
			if in == ast.Node(p.Body) && holds < 0 || in == p.Else && holds > 0 {
				return false
			}
		case *ast.CaseClause:
			sw, ok := r.stack[i-2].node.(*ast.SwitchStmt)
			if !ok || !slices.ContainsFunc(p.Body, func(s ast.Stmt) bool { return ast.Node(s) == in }) {
				continue
			}
			if sw.Tag == nil {
				for _, s := range sw.Body.List {
					c := s.(*ast.CaseClause)
					if c == p {
						if len(c.List) == 1 && r.truth(c.List[0], text, v) < 0 {
							return false
						}
						break
					}
					for _, e := range c.List {
						if r.truth(e, text, v) > 0 {
							return false
						}
					}
				}
				continue
			}
			if s := r.subject(sw.Tag); s == nil || s.text != text {
				continue
			}
			among := func(c *ast.CaseClause) bool {
				return slices.ContainsFunc(c.List, func(e ast.Expr) bool {
					k := r.info.Types[e].Value
					return k != nil && constant.Compare(k, token.EQL, v)
				})
			}
			if p.List != nil && !among(p) {
				return false
			}
			if p.List == nil && slices.ContainsFunc(sw.Body.List, func(s ast.Stmt) bool { return among(s.(*ast.CaseClause)) }) {
				return false
			}
		}
	}
	return true
}
