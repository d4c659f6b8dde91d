package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// methods counts the methods of each type of the road, over all build tags: the largest number,
// and one figure for each type that has more than manyMethods.
func methods(files []source) []Figure {
	named := map[string]map[string]bool{}
	for _, s := range files {
		in := strings.TrimPrefix(path.Dir(s.name), "internal/")
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			of := in + "." + receiver(f.Recv.List[0].Type)
			if named[of] == nil {
				named[of] = map[string]bool{}
			}
			named[of][f.Name.Name] = true
		}
	}
	count, largest := map[string]int{}, 0
	for of, m := range named {
		count[of] = len(m)
		largest = max(largest, len(m))
	}
	ranking := most(count)
	figures := []Figure{{
		Name: "methods of one type", Step: 1, Value: largest, Detail: ranking[:min(len(ranking), 12)],
		What: "of the type of the road that has most; a name counts once over all systems and processors",
	}}
	for _, line := range ranking {
		of := line[strings.LastIndex(line, " ")+1:]
		if count[of] > manyMethods {
			figures = append(figures, Figure{
				Name: "methods of `" + of + "`", Step: 1, Value: count[of],
				What: fmt.Sprintf("a type with more than %d", manyMethods),
			})
		}
	}
	return figures
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// stateType is the type whose booleans are counted.
const stateType = "drawState"

// choosing counts the booleans of drawState, and of the structs that it embeds or holds by value
// and that are no keys: what is no key and is asked for chooses code.
func choosing(files []source) (Figure, error) {
	f := Figure{
		Name: "booleans of `" + stateType + "`", Step: 1,
		What: "of `internal/render`, that a condition asks for, with those of the structs in it but keys",
	}
	structs := map[string]*ast.StructType{}
	asked := map[string]bool{}
	for _, s := range files {
		if !strings.HasPrefix(s.name, "internal/render/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if t, ok := n.Type.(*ast.StructType); ok {
					structs[n.Name.Name] = t
				}
			case *ast.IfStmt:
				conditions(n.Cond, asked)
			case *ast.ForStmt:
				conditions(n.Cond, asked)
			case *ast.SwitchStmt:
				conditions(n.Tag, asked)
			case *ast.CaseClause:
				for _, e := range n.List {
					conditions(e, asked)
				}
			case *ast.BinaryExpr:
				if n.Op == token.LAND || n.Op == token.LOR {
					conditions(n, asked)
				}
			}
			return true
		})
	}
	if structs[stateType] == nil {
		return f, fmt.Errorf("internal/render has no type %s any more: what chooses code there now?", stateType)
	}
	f.count(structs, stateType, asked, map[string]bool{})
	f.Value = len(f.Detail)
	return f, nil
}

// conditions adds the names of fields that an expression reads.
func conditions(e ast.Expr, asked map[string]bool) {
	if e == nil {
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			asked[s.Sel.Name] = true
		}
		return true
	})
}

// count adds the booleans of a struct that are asked for.
func (f *Figure) count(structs map[string]*ast.StructType, name string, asked, seen map[string]bool) {
	if structs[name] == nil || seen[name] || strings.HasSuffix(strings.ToLower(name), "key") {
		return
	}
	seen[name] = true
	for _, field := range structs[name].Fields.List {
		typ, ok := field.Type.(*ast.Ident)
		switch {
		case !ok:
		case typ.Name != "bool":
			f.count(structs, typ.Name, asked, seen)
		default:
			for _, n := range field.Names {
				if asked[n.Name] {
					f.Detail = append(f.Detail, name+"."+n.Name)
				}
			}
		}
	}
}
