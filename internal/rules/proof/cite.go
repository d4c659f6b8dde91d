package proof

import (
	"go/ast"
	"go/token"
	"strconv"
)

// citations collects the places of one file.
type citations struct {
	set   *token.FileSet
	file  *ast.File
	found map[string][][2]token.Pos
}

func (c *citations) line(p token.Pos) int { return c.set.Position(p).Line }

func (c *citations) add(ids []string, from, to token.Pos) {
	for _, id := range ids {
		c.found[id] = append(c.found[id], [2]token.Pos{from, to})
	}
}

// comments finds what comments cite.
func (c *citations) comments() {
	starts := c.starts()
	commented := map[int]bool{}
	for _, g := range c.file.Comments {
		commented[c.line(g.Pos())] = true
	}
	for _, g := range c.file.Comments {
		ids := IDs(g.Text())
		if len(ids) == 0 || g == c.file.Doc {
			continue
		}
		at := starts[c.line(g.Pos())]
		if at == nil || at.Pos() > g.Pos() {
			if at = starts[c.line(g.End())+1]; at == nil {
				continue
			}
		}
		to := at.End()
		if s, ok := at.(ast.Stmt); ok && at.Pos() > g.End() {
			to = c.paragraph(s, starts, commented)
		}
		c.add(ids, at.Pos(), to)
	}
}

// starts are the outermost nodes that begin on each line.
func (c *citations) starts() map[int]ast.Node {
	out := map[int]ast.Node{}
	for _, d := range c.file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case nil, *ast.BlockStmt, *ast.CommentGroup, *ast.Comment, *ast.FieldList:
				return true
			case *ast.Field: // of a type or a function
				return false
			case *ast.GenDecl:
				if n.Tok != token.VAR { // types and constants
					return false
				}
			}
			if l := c.line(n.Pos()); out[l] == nil {
				out[l] = n
			}
			return true
		})
	}
	return out
}

// paragraph is the end of the statements that follow s without an empty line or
// another comment between.
func (c *citations) paragraph(s ast.Stmt, starts map[int]ast.Node, commented map[int]bool) token.Pos {
	to := s.End()
	for {
		l := c.line(to) + 1
		next, ok := starts[l].(ast.Stmt)
		if !ok || commented[l] || c.set.Position(next.Pos()).Column != c.set.Position(s.Pos()).Column {
			return to
		}
		if _, ok := next.(*ast.CaseClause); ok {
			return to
		}
		to = next.End()
	}
}

// strings finds what strings cite.
func (c *citations) strings() {
	var stack []ast.Node
	ast.Inspect(c.file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		s, _ := strconv.Unquote(lit.Value)
		if ids := IDs(s); len(ids) == 1 && ids[0] == s {
			if at := stated(stack); at != nil {
				c.add(ids, at.Pos(), at.End())
			}
		}
		return true
	})
}

// stated is what a rule's number in a string stands for: the last of stack.
func stated(stack []ast.Node) ast.Node {
	lit := stack[len(stack)-1]
	switch p := stack[len(stack)-2].(type) {
	case *ast.CallExpr: // an element that a function makes; not an argument elsewhere
		if _, ok := stack[len(stack)-3].(*ast.CompositeLit); ok && len(p.Args) > 0 && p.Args[0] == lit {
			return p
		}
		return nil
	case *ast.CompositeLit:
		if p.Elts[0] == lit && len(p.Elts) > 1 {
			if _, ok := p.Elts[1].(*ast.FuncLit); ok {
				return p
			}
		}
	case *ast.KeyValueExpr:
	default:
		return nil
	}
	for i := len(stack) - 1; i >= 0; i-- {
		switch stack[i].(type) {
		case *ast.IfStmt, *ast.CaseClause, *ast.FuncDecl:
			return stack[i]
		}
	}
	return nil
}
