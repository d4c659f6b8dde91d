package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// parsed are the files of a folder, without tests and generated ones.
func parsed(t *testing.T, folder string) (*token.FileSet, []*ast.File) {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(names), err)
	}
	var files []*ast.File
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, n, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !ast.IsGenerated(f) {
			files = append(files, f)
		}
	}
	return set, files
}

// pumiceNames are the functions, methods and fields of package pumice: "Open", "Pass.Draw".
func pumiceNames(t *testing.T) (names []string) {
	_, files := parsed(t, filepath.Join("..", ".."))
	_, own := parsed(t, ".")
	for i, f := range slices.Concat(files, own) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := n.Name.Name
				if i >= len(files) || !n.Name.IsExported() {
					return false
				}
				if n.Recv != nil {
					receiver := n.Recv.List[0].Type
					if p, ok := receiver.(*ast.StarExpr); ok {
						receiver = p.X
					}
					name = receiver.(*ast.Ident).Name + "." + name
				}
				names = append(names, name)
			case *ast.TypeSpec: // Limits are those of core
				if s, ok := n.Type.(*ast.StructType); ok && (i < len(files) || n.Name.Name == "Limits") {
					for _, field := range s.Fields.List {
						for _, id := range field.Names {
							names = append(names, n.Name.Name+"."+id.Name)
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// The table has names that package pumice has, and all setters of its passes.
func TestNames_ArePackagePumices(t *testing.T) {
	names := pumiceNames(t)
	var told []string
	for _, n := range sameNames {
		for _, m := range strings.Fields(n.methods) {
			told = append(told, n.receiver+"."+m)
		}
	}
	for _, n := range otherNames {
		told = append(told, n.pumice)
	}
	for _, n := range told {
		if method, _, ok := strings.Cut(n, "()."); ok { // a field of what a method returns
			n = method
		}
		if !slices.Contains(names, n) {
			t.Errorf("package pumice has no %s", n)
		}
	}
	for _, n := range names {
		if strings.HasPrefix(n, "Pass.Set") && !slices.Contains(told, n) {
			t.Errorf("no operation is told as %s", n)
		}
	}
}

// A command that sets a dynamic state is told under its own name on both faces.
func TestNames_DynamicStates(t *testing.T) {
	names := pumiceNames(t)
	for i := range dynamicStates {
		r := &dynamicStates[i]
		if !strings.HasPrefix(string(r.command), "vkCmd") || r.state == 0 && i != int(dynViewport) {
			t.Errorf("row %d: %v, %q", i, r.state, r.command)
		}
		bare := strings.TrimPrefix(string(r.command), "vkCmd")
		want := bare
		if slices.Contains(names, "Pass."+bare) {
			want = "Pass." + bare
		} else if r.command == "vkCmdBindVertexBuffers2" {
			want = "Pass.BindVertexBufferStride"
		}
		if got := r.command.pumice(); got != want {
			t.Errorf("%s is %s for package pumice, want %s", r.command, got, want)
		}
	}
}

// vulkanName finds commands of Vulkan in text; broken rules are no text.
var vulkanName = regexp.MustCompile(`\bvk[A-Z]\w*`)

// isRule says that a literal names a rule, or begins or ends such a name.
var isRule = regexp.MustCompile(`^(VUID-)?([Vv]k[A-Z]\w*)?-([\w-]+)?$`)

var oneWord = regexp.MustCompile(`^\w+$`)

// What core and the packages below it can say names no method or field of package pumice as it
// stands, which is what a C program reads; and translated, no command of Vulkan.
func TestMessages_FacesSpeakTheirOwnNames(t *testing.T) {
	methods := map[string]bool{}
	types := map[string]bool{}
	for _, n := range pumiceNames(t) {
		receiver, method, ok := strings.Cut(n, ".")
		switch {
		case !ok:
			method = receiver
		case n == "Config."+method: // its fields are told when it is wrong
			types[receiver] = true
			continue
		default:
			types[receiver] = true
		}
		// Names of one word are words; those of several that Vulkan has itself are told, too.
		if regexp.MustCompile(`^[A-Z][a-z]+[A-Z]`).MatchString(method) {
			methods[method] = true
		}
	}
	for _, spec := range []string{"DepthTestEnable", "DepthWriteEnable", "ColorWriteMask"} {
		delete(methods, spec)
	}
	pumiceName := func(text string) string {
		for _, m := range regexp.MustCompile(`(\b[A-Z]\w*\.)?\b[A-Z]\w*`).FindAllString(text, -1) {
			receiver, method, ok := strings.Cut(m, ".")
			if ok && types[receiver] || methods[m] || ok && methods[method] {
				return m
			}
		}
		return ""
	}
	c, pumice := &Device{cfg: Config{Vulkan: true}}, &Device{}
	texts, ops := 0, 0
	for _, folder := range []string{".", "../render", "../resource", "../transfer",
		"../memory", "../fragops", "../lower", "../../driver/internal/icd"} {
		set, files := parsed(t, folder)
		for _, f := range files {
			if strings.HasSuffix(set.Position(f.Pos()).Filename, "names.go") && folder == "." {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec, *ast.Field:
					return false
				case *ast.KeyValueExpr: // of an Error or Message that nothing translates
					if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Op" && folder == "." {
						if v, ok := n.Value.(*ast.BasicLit); ok && vulkanName.MatchString(v.Value) {
							t.Errorf("%v: %s is not translated", set.Position(n.Pos()), v.Value)
						}
					}
				case *ast.BasicLit:
					text, err := strconv.Unquote(n.Value)
					if n.Kind != token.STRING || err != nil || isRule.MatchString(text) {
						return true
					}
					texts++
					if vulkanName.FindString(text) == text && text != "" {
						ops++
					}
					e := Error{Detail: text, Hint: text}
					if vulkanName.FindString(text) == text {
						e.Op = text
					}
					below := folder != "." && !strings.Contains(folder, "driver")
					if below && oneWord.MatchString(text) {
						return true // the name of a function of its own, which core doesn't tell
					}
					told := e
					c.speak(&told)
					if s := pumiceName(told.Op + " " + told.Detail + " " + told.Hint); s != "" {
						t.Errorf("%v: a C program reads %s in %q", set.Position(n.Pos()), s, text)
					}
					if folder == "../../driver/internal/icd" {
						return true
					}
					told = e
					pumice.speak(&told)
					if s := vulkanName.FindString(told.Op + " " + told.Detail + " " + told.Hint); s != "" {
						t.Errorf("%v: a Go program reads %s in %q", set.Position(n.Pos()), s, text)
					}
				}
				return true
			})
		}
	}
	if texts < 1000 || ops < 150 {
		t.Errorf("only %d texts and %d operations were found", texts, ops)
	}
}

// Translation, word by word.
func TestNames_Translation(t *testing.T) {
	c, pumice := &Device{cfg: Config{Vulkan: true}}, &Device{}
	for _, k := range [][2]string{
		{"call vkCmdSetCullMode before", "call Pass.SetCullMode before"},
		{"call vkCmdBindPipeline before", "call BindPipeline before"}, // of both kinds of recorder
		{"see VkPhysicalDeviceLimits::lineWidthRange", "see Device.Limits().LineWidthRange"},
		{
			"set VkPipelineMultisampleStateCreateInfo::rasterizationSamples",
			"set GraphicsPipelineDesc.Samples",
		},
		{"vkCmdSetPolygonModeEXT is not there", "SetPolygonModeEXT is not there"},
		{"vkCreateBuffer, vkCreateImage", "Device.NewBuffer, Device.NewImage"},
		{
			"close objects or raise the limit of device memory",
			"close objects or raise Config.MemoryLimit",
		},
		{"a VkBuffer of vkMapMemory", "a VkBuffer of Buffer.Write"},
		{
			"no name, VK_ERROR_DEVICE_LOST, xvkCreateBuffer",
			"no name, VK_ERROR_DEVICE_LOST, xvkCreateBuffer",
		},
		{
			"record it between vkCmdBeginRendering and vkCmdEndRendering, please",
			"record it between CommandBuffer.BeginRendering and Pass.End, please",
		},
	} {
		text, want := k[0], k[1]
		if got := pumice.told(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if got := c.told(text); got != text {
			t.Errorf("%q is %q for C", text, got)
		}
	}
	for op, want := range map[Op][2]string{ // what package pumice is told, and the command of rules
		"vkCmdDraw":              {"Pass.Draw", "vkCmdDraw"},
		"Pass.DrawRange":         {"Pass.DrawRange", "vkCmdDraw"},
		"Pass.DrawMeshTasks":     {"Pass.DrawMeshTasks", "vkCmdDrawMeshTasksEXT"},
		"CommandBuffer.Dispatch": {"CommandBuffer.Dispatch", "vkCmdDispatch"},
		"write of a buffer":      {"Buffer.Write", "write of a buffer"},
		"vkQueueSubmit":          {"Device.Submit", "vkQueueSubmit"},
	} {
		if op != "write of a buffer" && op.command() != want[1] || op.pumice() != want[0] {
			t.Errorf("%s: %s, %s, want %v", op, op.pumice(), op.command(), want)
		}
	}
}

// Errors of both faces name what their caller called: the command of the very record, and what else
// to call.
func TestErrors_NameTheCallersCommand(t *testing.T) {
	for _, vulkan := range []bool{false, true} {
		d, err := Open(Config{HeapMemory: true, Threads: 1, Vulkan: vulkan})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		p := fullscreen(t, d, "number.frag", numberFormats, func(i *GraphicsPipelineInfo) {
			i.DynamicStates = []vk.DynamicState{vk.DynamicStateCullMode}
		})
		_, av := target(t, d, numbers, 1, 1)
		for _, k := range []struct {
			record func(c *CommandBuffer)
			want   [2]string
		}{
			{func(c *CommandBuffer) { c.SetViewport(nil) },
				[2]string{"Pass.SetViewport: ", "vkCmdSetViewport: "}},
			{func(c *CommandBuffer) {
				if vulkan {
					c.Called("vkCmdSetViewportWithCount")
				}
				c.SetViewport(nil)
			}, [2]string{"Pass.SetViewport: ", "vkCmdSetViewportWithCount: "}},
			{func(c *CommandBuffer) { c.SetState(vk.DynamicStateCullMode, 9) },
				[2]string{"Pass.SetCullMode: ", "vkCmdSetCullMode: "}},
			{func(c *CommandBuffer) {
				c.BeginRendering(RenderingInfo{Color: []RenderingAttachment{{View: av}}})
				draw(c, p)
			}, [2]string{"call Pass.SetCullMode before", "call vkCmdSetCullMode before"}},
		} {
			c := d.NewCommandBuffer()
			k.record(c)
			want := k.want[0]
			if vulkan {
				want = k.want[1]
			}
			if c.Err() == nil || !strings.Contains(c.Err().Error(), want) {
				t.Errorf("%v, want %q", c.Err(), want)
			}
		}
	}
}
