package gltf

import (
	"bytes"
	"unicode/utf8"
)

// What a file is that is no glTF, for its error.

// oldVersion is the error of glTF 1.0, whose materials are shaders of OpenGL ES.
const oldVersion = "glTF 1.0 is not supported (2.0 is): convert it, for example with gltf-pipeline -i OLD.gltf -o NEW.gltf"

// beginnings are the first bytes of files that are given in the place of models, or named as ones.
var beginnings = []struct {
	at          int
	begin, name string
}{
	{0, "b3dm", "a tile of Cesium's 3D Tiles (.b3dm), which holds a GLB file"}, {0, "i3dm", "a tile of Cesium's 3D Tiles (.i3dm)"},
	{0, "pnts", "a tile of Cesium's 3D Tiles (.pnts)"}, {0, "cmpt", "a tile of Cesium's 3D Tiles (.cmpt)"},
	{0, "version https://git-lfs", "a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
	{0, "Kaydara FBX Binary", "an FBX model"}, {0, "; FBX", "an FBX model"}, {0, "BLENDER", "a file of Blender"},
	{0, "PXR-USDC", "a USD model"}, {0, "#usda", "a USD model"}, {0, "ply", "a PLY model"}, {0, "solid ", "an STL model"},
	{0, "PK\x03\x04", "a ZIP archive: unpack it"}, {0, "\x1f\x8b", "compressed by gzip: unpack it"}, {0, "\x28\xb5\x2f\xfd", "compressed by Zstandard: unpack it"},
	{0, "\x89PNG", "a PNG picture"}, {0, "\xff\xd8\xff", "a JPEG picture"}, {8, "WEBP", "a WebP picture"}, {0, "\xabKTX 20", "a KTX 2 texture"}, {0, "DDS ", "a DDS texture"},
	{0, "%PDF", "a PDF file"}, {0, "\x7fELF", "a program"}, {0, "\xff\xfe", "text of UTF-16, and JSON must be UTF-8"}, {0, "\xfe\xff", "text of UTF-16, and JSON must be UTF-8"},
	{0, "<?xml", "XML, as COLLADA models (.dae) are"}, {0, "<!DOCTYPE", "a web page: look at where it came from"}, {0, "<html", "a web page: look at where it came from"},
}

// isModelText reports whether a text that is no GLB begins as JSON objects do.
func isModelText(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{'
}

// notModel is the error of what is neither glTF nor GLB.
func (l *loader) notModel(data []byte) error {
	const neither = "is neither glTF nor GLB"
	text := bytes.TrimLeft(data, " \t\r\n\x00")
	if len(text) == 0 {
		return l.fail("", nil, "%s: the file is empty", neither)
	}
	for _, k := range beginnings {
		if len(data) >= k.at && bytes.HasPrefix(data[k.at:], []byte(k.begin)) {
			return l.fail("", nil, "%s: it is %s", neither, k.name)
		}
	}
	line, _, _ := bytes.Cut(text[:min(len(text), 40)], []byte("\n"))
	switch {
	case text[0] == '[' || text[0] == '"' || string(line) == "null" || string(line) == "true" || string(line) == "false":
		return l.fail("", nil, "%s: it is JSON, but no object", neither)
	case bytes.HasPrefix(text, []byte("o ")), bytes.HasPrefix(text, []byte("v ")), bytes.HasPrefix(text, []byte("mtllib ")):
		return l.fail("", nil, "%s: it seems an OBJ model", neither)
	case utf8.Valid(line) && bytes.IndexByte(line, 0) < 0:
		return l.fail("", nil, "%s: it is text that begins with %s", neither, quoted(string(bytes.TrimRight(line, "\r"))))
	}
	return l.fail("", nil, "%s: its first bytes are % x", neither, data[:min(len(data), 8)])
}
