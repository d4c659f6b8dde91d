package icd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
	"github.com/pumice-gpu/pumice/internal/core"
	"github.com/pumice-gpu/pumice/vk"
)

// elementSizes are the bytes of what lists of states have.
var elementSizes = map[string]uintptr{
	"Bool32": 4, "vk.ColorComponentFlags": 4,
	"ColorBlendEquationEXT": unsafe.Sizeof(vk.ColorBlendEquationEXT{}),
	"ColorBlendAdvancedEXT": unsafe.Sizeof(abi.ColorBlendAdvancedEXT{}),
	"Rect2D":                unsafe.Sizeof(vk.Rect2D{}),
	"ViewportSwizzleNV":     unsafe.Sizeof(vk.ViewportSwizzleNV{}),
	"ViewportWScalingNV":    unsafe.Sizeof(vk.ViewportWScalingNV{}),
}

// Records of commands that have no method are what package core's table takes them for: so many
// words of four bytes behind the header, or the first element, their number, and a pointer to
// elements of so many words.
func TestStateCommands_RecordsAreWords(t *testing.T) {
	path := filepath.Join("..", "abi", "commands_gen.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{} // types of a record's fields
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for range f.Names {
						fields["vk"+spec.Name.Name] = append(fields["vk"+spec.Name.Name], typeName(f.Type))
					}
				}
			}
		}
		return true
	})
	checked := 0
	for _, c := range core.StateCommands() {
		e := abi.FindEntryPoint(string(c.Command))
		if e == nil || !has(e.Op) {
			t.Errorf("%s, which sets %v, is no entry point", c.Command, c.State)
			continue
		}
		if stateCommands()[e.Op] == nil {
			continue // a method knows its record
		}
		checked++
		have := fields[string(c.Command)]
		if c.Limit > 0 {
			list := len(have) == 3 && have[0] == "uint32" && have[1] == "uint32"
			if !list || elementSizes[strings.TrimPrefix(have[2], "*")] != uintptr(4*c.Words) {
				t.Errorf("%s has %v, not a list of elements of %d words", c.Command, have, c.Words)
			}
			continue
		}
		words := 0
		for i, f := range have {
			switch {
			case f == "[4]float32":
				words += 4
			case f == "uint16" && i == len(have)-1: // what lies beside it is cut off
				words++
			case f == "uint32" || f == "float32" || f == "Bool32" || strings.HasPrefix(f, "vk."):
				words++
			default:
				t.Errorf("%s has a field of type %s", c.Command, f)
			}
		}
		if words != c.Words {
			t.Errorf("%s has %d words, package core takes %d", c.Command, words, c.Words)
		}
	}
	if checked < 50 {
		t.Errorf("%d commands without methods", checked)
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.SelectorExpr:
		if name := e.Sel.Name; elementSizes[name] != 0 {
			return name
		}
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[" + e.Len.(*ast.BasicLit).Value + "]" + typeName(e.Elt)
	}
	return "?"
}

// A broken command is told by the name that the program called, with what else to call by Vulkan's
// name.
func TestMessages_NameVulkansCommands(t *testing.T) {
	f := newTest(t)
	var log strings.Builder
	f.driver.cfg.Log, f.driver.cfg.Verbose = &log, true
	cb := f.begin()
	viewports := abi.CmdSetViewportWithCount{ViewportCount: 1, PViewports: &vk.Viewport{}}
	record(f, cb, abi.OpCmdSetViewportWithCount, &viewports)
	record(f, cb, abi.OpCmdSetCullMode, &abi.CmdSetCullMode{CullMode: 9})
	record(f, cb, abi.OpCmdSetLineStipple, &abi.CmdSetLineStipple{LineStippleFactor: 257})
	record(f, cb, abi.OpCmdSetColorWriteMaskEXT, &abi.CmdSetColorWriteMaskEXT{
		FirstAttachment: 16, AttachmentCount: 1, PColorWriteMasks: new(vk.ColorComponentFlags),
	})
	record(f, cb, abi.OpCmdDraw, &abi.CmdDraw{VertexCount: 3})
	record(f, cb, abi.OpCmdDispatch, &abi.CmdDispatch{GroupCountX: 1})
	record(f, cb, abi.OpCmdEndRendering, &abi.CmdEndRendering{})
	f.end(cb)
	for _, want := range []string{
		"vkCmdSetViewportWithCount: viewport of 0×0", "vkCmdSetCullMode: value 9",
		"vkCmdSetLineStipple: value 257", "vkCmdSetColorWriteMaskEXT: elements 16+1",
		"vkCmdDraw: no render pass has begun; record it between vkCmdBeginRendering and vkCmdEndRendering",
		"vkCmdDispatch: no pipeline is bound; call vkCmdBindPipeline before",
		"vkCmdEndRendering: "} {
		if !strings.Contains(log.String(), "pumice: "+want) {
			t.Errorf("nobody is told %q, but\n%s", want, &log)
		}
	}
}
