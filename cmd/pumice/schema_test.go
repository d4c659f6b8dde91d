package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pumice-gpu/pumice/explain"
)

// schemaFile is the schema of what explain --json and the tools of explain --mcp answer.
var schemaFile = filepath.Join("..", "..", "docs", "explain.schema.json")

// schemaMaker makes schemas of Go's types, with their comments.
type schemaMaker struct {
	defs     map[string]*jsonschema.Schema
	comments map[string]string // "Explanation", "Explanation.Verdict"
	values   map[string][]any  // of types with constants: "Kind"
}

// read reads the comments and constants of a file.
func (m *schemaMaker) read(t *testing.T, file string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			for _, s := range n.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && len(n.Specs) == 1 {
					m.comments[defName(s.Name.Name)] = oneParagraph(n.Doc, nil)
				}
			}
		case *ast.TypeSpec:
			if st, ok := n.Type.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					for _, name := range f.Names {
						m.comments[defName(n.Name.Name)+"."+name.Name] = oneParagraph(f.Doc, f.Comment)
					}
				}
			}
		case *ast.ValueSpec:
			of, ok := n.Type.(*ast.Ident)
			if !ok || len(n.Values) != 1 {
				break
			}
			if text, ok := n.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
				value, _ := strconv.Unquote(text.Value)
				m.values[of.Name] = append(m.values[of.Name], value)
			}
		}
		return true
	})
}

func oneParagraph(groups ...*ast.CommentGroup) string {
	text := ""
	for _, g := range groups {
		if g != nil {
			text += " " + g.Text()
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// defName is the name of a type in the schema.
func defName(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// of is the schema of a type. Pointers are left out where they are nil; slices may be null.
func (m *schemaMaker) of(t reflect.Type) *jsonschema.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Slice:
		return &jsonschema.Schema{Types: []string{"array", "null"}, Items: m.of(t.Elem())}
	case reflect.Array:
		n := t.Len()
		return &jsonschema.Schema{Type: "array", Items: m.of(t.Elem()), MinItems: &n, MaxItems: &n}
	case reflect.Struct:
		name := defName(t.Name())
		if m.defs[name] == nil {
			s := &jsonschema.Schema{Type: "object", Description: m.comments[name],
				Properties: map[string]*jsonschema.Schema{}}
			m.defs[name] = s
			m.fields(s, t)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + name}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.String:
		return &jsonschema.Schema{Type: "string", Enum: m.values[t.Name()]}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	default:
		return &jsonschema.Schema{Type: "integer"}
	}
}

func (m *schemaMaker) fields(s *jsonschema.Schema, t reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		p := m.of(f.Type)
		owner := t
		if len(f.Index) > 1 {
			owner = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		p.Description = m.comments[defName(owner.Name())+"."+f.Name]
		if name == "version" {
			p.Const = new(any(explain.Version))
		}
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
		if options == "" {
			s.Required = append(s.Required, name)
		}
	}
}

// makeSchema makes the schema of an array of explanations, and of the tools' answers as $defs/TOOL.
func makeSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	m := &schemaMaker{map[string]*jsonschema.Schema{}, map[string]string{}, map[string][]any{}}
	files, err := filepath.Glob("../../explain/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, "../../internal/pixels/pixels.go", "mcp.go", "mcptools.go",
		"diff.go") {
		m.read(t, f)
	}
	for name, of := range map[string]any{
		"open": OpenAnswer{}, "pixel": PixelAnswer{}, "try": PixelAnswer{}, "draws": DrawsAnswer{},
		"follow": FollowAnswer{}, "diff": DiffAnswer{},
	} {
		m.defs[name] = m.of(reflect.TypeOf(of))
	}
	m.defs["error"] = &jsonschema.Schema{
		Type: "object", Description: "What a tool answers in the place of what was asked for.",
		Required:   []string{"error"},
		Properties: map[string]*jsonschema.Schema{"error": m.of(reflect.TypeFor[askError]())},
	}
	return &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema",
		ID:     "https://github.com/pumice-gpu/pumice/blob/main/docs/explain.schema.json",
		Title:  "What pumice explain --json prints",
		Description: "And, as $defs/TOOL and $defs/error, what tools of pumice explain --mcp answer. " +
			"Made from the Go types. New names leave the version as it is.",
		Type: "array", Items: m.of(reflect.TypeFor[explain.Explanation]()), Defs: m.defs,
	}
}

// The published schema is that of the types. PUMICE_RECORD=1 writes it anew.
func TestSchema_IsPublished(t *testing.T) {
	data, err := json.MarshalIndent(makeSchema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if os.Getenv("PUMICE_RECORD") == "1" {
		if err := os.WriteFile(schemaFile, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(is, data) {
		t.Errorf("%s is not that of the types (%v): PUMICE_RECORD=1 go test -run Schema ./cmd/pumice",
			schemaFile, err)
	}
}

// published is the published schema, or a part of it: "pixel".
func published(t *testing.T, def string) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Defs { // a name that the schema does not have is an error here
		if len(d.Properties) > 0 {
			d.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
		}
	}
	if def != "" {
		s = &jsonschema.Schema{Ref: "#/$defs/" + def, Defs: s.Defs}
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// obeys checks JSON against the published schema.
func obeys(t *testing.T, def string, data []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if err := published(t, def).Validate(v); err != nil {
		t.Errorf("%s: %v", def, err)
	}
}

// What is really answered obeys the schema.
func TestSchema_OfRealAnswers(t *testing.T) {
	args := []string{"explain", writeModel(t, triangleModel), "--pixel", "4,5", "--pixel", "0,0",
		"--width", "8", "--height", "8", "--json"}
	for _, more := range [][]string{{}, {"--shader"}, {"--yaw", "180", "--pitch", "0", "--try"}} {
		code, stdout, stderr := command(t, append(args, more...)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		obeys(t, "", []byte(stdout))
	}
	c := plantedServer().client(t)
	right, wrong := c.open("depth compare/right").Scene, c.open("depth compare/wrong").Scene
	at := pixelIn{sceneIn: sceneIn{wrong}, X: 3, Y: 4}
	for _, ask := range []struct {
		tool, def string
		in        any
	}{
		{"open", "open", openIn{Path: "write mask/wrong"}}, {"pixel", "pixel", at}, {"try", "try",
			tryIn{pixelIn: at}},
		{"pixel", "pixel", pixelIn{sceneIn: sceneIn{right}, X: 1, Y: 2, Shader: true}}, {"draws", "draws",
			sceneIn{right}},
		{"follow", "follow", followIn{pixelIn: at}}, {"diff", "diff", diffIn{A: right, B: wrong}},
		{"diff", "diff", diffIn{A: right, B: right}}, {"follow", "error",
			followIn{pixelIn: at, Image: new(7)}},
		{"pixel", "error", pixelIn{X: 1}},
	} {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: ask.tool, Arguments: ask.in})
		if err != nil || r.IsError != (ask.def == "error") {
			t.Errorf("%s: %+v, %v", ask.tool, r, err)
			continue
		}
		data, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		obeys(t, ask.def, data)
	}
}
