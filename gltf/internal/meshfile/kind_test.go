package meshfile

import (
	"encoding/binary"
	"strings"
	"testing"
)

func TestKindOf_ContentBeforeName(t *testing.T) {
	for name, c := range map[string]struct {
		data, file string
		want       Kind
	}{
		"PLY":                             {"ply\nformat ascii 1.0\n", "a.obj", PLY},
		"PLY, CR":                         {"ply\rformat ascii 1.0\r", "", PLY},
		"not PLY":                         {"plywood", "", Unknown},
		"OBJ":                             {square + "f 1 2 3\n", "", OBJ},
		"OBJ by another name":             {square, "a.stl", OBJ},
		"OBJ with comments alone":         {"# nothing\n", "a.obj", Unknown},
		"OBJ, odd statements":             {"foo 1\nv 1 2 3\n", "a.obj", OBJ},
		"odd statements without its name": {"foo 1\nv 1 2 3\n", "a.txt", Unknown},
		"OBJ without vertices":            {"f 1 2 3\n", "", Unknown},
		"a letter":                        {"v is the fifth Roman numeral\nf is for friends\n", "a.txt", Unknown},
		"machine code of a compiler":      {"\x64\x86\x03\x00\x00\x00\x00\x00\x00v 1 2 3\n", "a.obj", Unknown},
		"UTF-16 by name":                  {"\xff\xfev\x00 \x00", "a.obj", OBJ},
		"STL":                             {stlOf("x", 1, unit3), "a.obj", STL},
		"STL, truncated, by name":         {stlOf("x", 9, unit3), "a.stl", STL},
		"the same without its name":       {stlOf("x", 9, unit3), "a.bin", Unknown},
		"STL as text":                     {"solid x\nfacet normal 0 0 1\n", "", STL},
		"a solid sentence":                {"solid ground", "a.txt", Unknown},
		"an empty STL file":               {"", "a.stl", Unknown},
	} {
		if got := KindOf([]byte(c.data), c.file); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestForeignOf_NamesKindAndTool(t *testing.T) {
	threeDS := append([]byte("MM\x00\x00\x00\x00"), make([]byte, 20)...)
	binary.LittleEndian.PutUint32(threeDS[2:], uint32(len(threeDS)))
	for name, c := range map[string]struct{ data, file, kind, tool string }{
		"FBX":                 {"Kaydara FBX Binary  \x00", "a", "FBX", "FBX2glTF"},
		"FBX as text":         {"; FBX 7.3.0 project file", "a", "FBX", "FBX2glTF"},
		"USD":                 {"#usda 1.0", "a", "USD", "Blender"},
		"USDC":                {"PXR-USDC", "a", "USD", "Blender"},
		"USDZ":                {"PK\x03\x04............model.usdc", "a", "USDZ", "Blender"},
		"3DS":                 {string(threeDS), "a", "3DS", "assimp"},
		"DAE":                 {`<?xml version="1.0"?><COLLADA>`, "a", "COLLADA", "assimp"},
		"BLEND":               {"BLENDER-v300", "a", "Blender", "Blender exports"},
		"BLEND, packed":       {"\x28\xb5\x2f\xfd....", "a.blend", "Blender", "Blender exports"},
		"STEP":                {"ISO-10303-21;\nHEADER;FILE_SCHEMA(('AP214'));", "a", "STEP", "mayo-conv"},
		"IFC":                 {"ISO-10303-21;\nHEADER;FILE_SCHEMA(('IFC4'));", "a", "IFC", "IfcConvert"},
		"X3D":                 {"<X3D version='3.0'>", "a", "X3D", "assimp"},
		"3MF":                 {"PK\x03\x04..........3D/3dmodel.model", "a", "3MF", "assimp"},
		"3MF by name":         {"PK\x03\x04..........[Content_Types].xml", "a.3mf", "3MF", "assimp"},
		"ZIP":                 {"PK\x03\x04", "a.zip", "ZIP", "unzip"},
		"ABC":                 {"Ogawa\xff", "a", "Alembic", "Blender"},
		"VRML":                {"#VRML V2.0 utf8", "a", "VRML", "assimp"},
		"DRC":                 {"DRACO\x02\x02", "a", "Draco", "draco_decoder"},
		"SPLAT":               {"\x00\x01\x02", "a.SPLAT", "splats", "splat-transform"},
		"by name alone":       {"??", "dir/a.fbx", "FBX", "FBX2glTF"},
		"gzip of what it was": {"\x1f\x8b\x08", "a.obj.gz", "gzip", "gunzip"},
	} {
		f := ForeignOf([]byte(c.data), c.file)
		if f == nil || !strings.Contains(f.Name, c.kind) || !strings.Contains(f.Convert, c.tool) {
			t.Errorf("%s: %v, want %s and %s", name, f, c.kind, c.tool)
		}
		if k := KindOf([]byte(c.data), c.file); k != Unknown {
			t.Errorf("%s: kind %v", name, k)
		}
	}
	if f := ForeignOf([]byte("hello"), "a.txt"); f != nil {
		t.Errorf("%v", f)
	}
}
