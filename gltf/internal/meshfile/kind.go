package meshfile

import (
	"bytes"
	"path"
	"strings"
)

// Kind is a format that this package reads.
type Kind uint8

const (
	Unknown Kind = iota
	OBJ
	STL
	PLY
)

// String returns the format's name.
func (k Kind) String() string { return [...]string{"", "OBJ", "STL", "PLY"}[k] }

// Read reads a file of a kind.
func (k Kind) Read(r *Reader, data []byte) (m *Model, err error) {
	switch k {
	case OBJ:
		m, err = ReadOBJ(r, data)
	case STL:
		m, err = ReadSTL(r, data)
	case PLY:
		m, err = ReadPLY(r, data)
	case Unknown:
		return nil, failf("", "is of no kind that can be read")
	}
	if err == nil {
		m.Origin = r.origin
	}
	return m, err
}

// KindOf tells kinds apart by their content. PLY has a magic number, and STL one or a length that follows from its head; OBJ has neither, so that its
// first statements have to look like it. The name counts for STL and OBJ files whose content alone would not do.
func KindOf(data []byte, name string) Kind {
	suffix := strings.ToLower(path.Ext(name))
	switch {
	case bytes.HasPrefix(data, []byte("ply\n")), bytes.HasPrefix(data, []byte("ply\r")):
		return PLY
	case stlText(data), stlExact(data):
		return STL
	case suffix == ".stl" && len(data) >= stlHeader && foreignContent(data) == nil:
		return STL
	case likeOBJ(data, suffix == ".obj"):
		return OBJ
	}
	return Unknown
}

// likeOBJ looks at the first statements of a text. Of a file with another name all of them must be of OBJ, and one a vertex.
func likeOBJ(data []byte, named bool) bool {
	const look = 64 << 10
	head := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if whole := len(head) <= look; !whole {
		head = head[:look]
		if i := bytes.LastIndexAny(head, "\r\n"); i > 0 {
			head = head[:i]
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return named && otherEncoding(data) != "" // whose error says so
	}
	vertices, known, others := 0, 0, 0
	for _, line := range bytes.FieldsFunc(head, func(c rune) bool { return c == '\n' || c == '\r' }) {
		word, rest := field(line)
		if len(word) == 0 || word[0] == '#' {
			continue
		}
		switch string(word) {
		case "v":
			var n [3]float32
			if numbers(rest, n[:]) == 3 && finite(n) {
				vertices++
			}
			known++
		case "vt", "vn", "vp", "f", "fo", "l", "p", "o", "g", "s", "usemtl", "mtllib", "mg", "cstype", "deg", "curv", "surf", "end":
			known++
		default:
			others++
		}
	}
	if named {
		return known > 0 && known >= others
	}
	return vertices > 0 && others == 0
}

// Foreign is a kind of model that is not read.
type Foreign struct {
	Name string
	// Convert says what makes a file of it that is read.
	Convert string
}

// packed says that the content may hold anything: a name tells more.
func (f *Foreign) packed() bool {
	return strings.HasPrefix(f.Name, "a ") || strings.HasPrefix(f.Name, "an ")
}

const (
	blender = "Blender imports it and exports glTF"
	assimp  = "assimp export IN OUT.glb -fglb2 converts it"
)

// foreignMagic are kinds by what stands at a place of the file.
var foreignMagic = []struct {
	at    int
	begin string
	Foreign
}{
	{0, "Kaydara FBX Binary", Foreign{"FBX", "FBX2glTF -b -i IN.fbx -o OUT converts it, and " + blender}},
	{0, "; FBX ", Foreign{"FBX", "FBX2glTF -b -i IN.fbx -o OUT converts it"}},
	{0, "PXR-USDC", Foreign{"USD", blender}},
	{0, "#usda", Foreign{"USD", blender}},
	{0, "BLENDER", Foreign{"Blender's .blend", "Blender exports it as glTF: File, Export"}},
	{0, "DRACO", Foreign{"Draco", "draco_decoder -i IN.drc -o OUT.obj converts it"}},
	{0, "#VRML", Foreign{"VRML", assimp}},
	{0, "Ogawa", Foreign{"Alembic", blender}},
	{0, "\x89HDF\r\n\x1a\n", Foreign{"HDF5 (an old Alembic file, or data)", "abcconvert -toOgawa makes a new Alembic file of an old one, which Blender imports"}},
	{0, "3D Geometry File Format", Foreign{"Rhino's .3dm", "Rhino exports it as glTF or OBJ"}},
	{0, "AC3D", Foreign{"AC3D", assimp}},
	{0, "xof 0", Foreign{"DirectX .x", assimp}},
	{0, "IDP2", Foreign{"Quake II's MD2", assimp}},
	{0, "IDP3", Foreign{"Quake III's MD3", assimp}},
	{0, "MD5Version", Foreign{"Doom 3's MD5", assimp}},
	{8, "LWO2", Foreign{"LightWave", assimp}},
	{8, "LWOB", Foreign{"LightWave", assimp}},
	{0, "OFF\n", Foreign{"OFF", assimp}},
	{0, "OFF\r", Foreign{"OFF", assimp}},
	{0, "b3dm", Foreign{"3D Tiles' b3dm", "3d-tiles-tools b3dmToGlb -i IN.b3dm -o OUT.glb converts it"}},
	{0, "i3dm", Foreign{"3D Tiles' i3dm", "3d-tiles-tools i3dmToGlb -i IN.i3dm -o OUT.glb converts it"}},
	{0, "pnts", Foreign{"3D Tiles' pnts", "3d-tiles-tools convertPntsToGlb -i IN.pnts -o OUT.glb converts it"}},
	{0, "VOX ", Foreign{"MagicaVoxel", "MagicaVoxel exports it as OBJ or PLY"}},
	{0, "# .PCD", Foreign{"PCD", "pcl_pcd2ply IN.pcd OUT.ply converts it"}},
	{0, "LASF", Foreign{"LAS", "pdal translate IN.las OUT.ply converts it"}},
	{0, "ASTM-E57", Foreign{"E57", "pdal translate IN.e57 OUT.ply converts it"}},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Foreign{"an OLE file, such as 3ds Max' .max", "3ds Max exports it as FBX, OBJ or glTF"}},
	{0, "\x1f\x8b", Foreign{"a file packed by gzip", "gunzip unpacks it"}},
	{0, "\x28\xb5\x2f\xfd", Foreign{"a file packed by zstd, such as a new .blend", "zstd -d unpacks it; Blender exports a .blend as glTF"}},
	{0, "7z\xbc\xaf\x27\x1c", Foreign{"a 7z archive", "7z x unpacks it"}},
	{0, "Rar!", Foreign{"a RAR archive", "unrar x unpacks it"}},
	{0, "cmpt", Foreign{"3D Tiles' cmpt", "3d-tiles-tools splitCmpt -i IN.cmpt -o OUT takes it apart"}},
	{0, "version https://git-lfs", Foreign{"a pointer of Git LFS", "git lfs pull fetches the file itself"}},
	{0, "<!DOCTYPE", Foreign{"a web page", "look at where it came from"}},
	{0, "<html", Foreign{"a web page", "look at where it came from"}},
	{0, "\xff\xfe", Foreign{"text of UTF-16", "models are UTF-8: iconv -f UTF-16 -t UTF-8 IN > OUT"}},
	{0, "\xfe\xff", Foreign{"text of UTF-16", "models are UTF-8: iconv -f UTF-16 -t UTF-8 IN > OUT"}},
}

// foreignNames are kinds by the end of a file's name.
var foreignNames = map[string]Foreign{
	".fbx": {"FBX", "FBX2glTF -b -i IN.fbx -o OUT converts it, and " + blender}, ".usd": {"USD", blender}, ".usda": {"USD", blender}, ".usdc": {"USD", blender}, ".usdz": {"USDZ", blender},
	".3ds": {"3DS", assimp}, ".dae": {"COLLADA", assimp}, ".blend": {"Blender's .blend", "Blender exports it as glTF: File, Export"},
	".step": {"STEP", stepTool}, ".stp": {"STEP", stepTool}, ".iges": {"IGES", stepTool}, ".igs": {"IGES", stepTool}, ".brep": {"BREP", stepTool},
	".ifc": {"IFC", ifcTool}, ".x3d": {"X3D", assimp}, ".x3db": {"X3D", assimp}, ".wrl": {"VRML", assimp}, ".vrml": {"VRML", assimp}, ".3mf": {"3MF", assimp}, ".amf": {"AMF", assimp},
	".abc": {"Alembic", blender}, ".drc": {"Draco", "draco_decoder -i IN.drc -o OUT.obj converts it"},
	".splat": {"splats", splatTool}, ".ksplat": {"splats", splatTool}, ".spz": {"splats", splatTool}, ".sog": {"splats", splatTool},
	".lwo": {"LightWave", assimp}, ".off": {"OFF", assimp}, ".ac": {"AC3D", assimp}, ".x": {"DirectX .x", assimp}, ".md2": {"Quake II's MD2", assimp}, ".md3": {"Quake III's MD3", assimp},
	".ms3d": {"MilkShape 3D", assimp}, ".pmx": {"MikuMikuDance", assimp}, ".vox": {"MagicaVoxel", "MagicaVoxel exports it as OBJ or PLY"}, ".3dm": {"Rhino's .3dm", "Rhino exports it as glTF or OBJ"},
	".max": {"3ds Max' .max", "3ds Max exports it as FBX, OBJ or glTF"}, ".ma": {"Maya", "Maya exports it as FBX or OBJ"}, ".mb": {"Maya", "Maya exports it as FBX or OBJ"},
	".c4d": {"Cinema 4D", "Cinema 4D exports it as FBX, OBJ or glTF"}, ".skp": {"SketchUp", "SketchUp exports it as glTF or OBJ"},
	".pcd": {"PCD", "pcl_pcd2ply IN.pcd OUT.ply converts it"}, ".las": {"LAS", "pdal translate IN.las OUT.ply converts it"}, ".laz": {"LAZ", "pdal translate IN.laz OUT.ply converts it"},
	".e57": {"E57", "pdal translate IN.e57 OUT.ply converts it"}, ".gcode": {"G-code", "it has paths of a machine, no surface"}, ".mtl": {"a material library of OBJ files", "name the .obj file"},
	".bin": {"data without a description, such as a .gltf file's", "name the .gltf file"},
}

const (
	stepTool  = "mayo-conv IN -e OUT.glb converts it, and FreeCAD exports it as glTF or STL"
	ifcTool   = "IfcConvert IN.ifc OUT.glb converts it"
	splatTool = "splat-transform IN OUT.ply makes a PLY file of it"
)

// ForeignOf names a kind that is not read; nil where it is not known.
func ForeignOf(data []byte, name string) *Foreign {
	byContent := foreignContent(data)
	if byContent != nil && !byContent.packed() {
		return byContent
	}
	if f, ok := foreignNames[strings.ToLower(path.Ext(name))]; ok {
		return &f
	}
	return byContent
}

// foreignContent goes by the content.
func foreignContent(data []byte) *Foreign {
	for i := range foreignMagic {
		m := &foreignMagic[i]
		if len(data) >= m.at && bytes.HasPrefix(data[m.at:], []byte(m.begin)) {
			return &m.Foreign
		}
	}
	head := data[:min(len(data), 4096)]
	switch {
	case bytes.HasPrefix(data, []byte("ISO-10303-21")):
		if bytes.Contains(bytes.ToUpper(head), []byte("IFC")) {
			return &Foreign{"IFC", ifcTool}
		}
		return &Foreign{"STEP", stepTool}
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return foreignZip(head)
	case len(data) >= 6 && data[0] == 0x4d && data[1] == 0x4d && int64(data[2])|int64(data[3])<<8|int64(data[4])<<16|int64(data[5])<<24 == int64(len(data)):
		return &Foreign{"3DS", assimp}
	case bytes.Contains(head, []byte("<COLLADA")):
		return &Foreign{"COLLADA", assimp}
	case bytes.Contains(head, []byte("<X3D")):
		return &Foreign{"X3D", assimp}
	}
	return nil
}

// foreignZip tells archives apart by the names of their first files.
func foreignZip(head []byte) *Foreign {
	lower := bytes.ToLower(head)
	switch {
	case bytes.Contains(lower, []byte("3d/3dmodel")):
		return &Foreign{"3MF", assimp}
	case bytes.Contains(lower, []byte(".usdc")), bytes.Contains(lower, []byte(".usda")), bytes.Contains(lower, []byte(".usd")):
		return &Foreign{"USDZ", blender}
	}
	return &Foreign{"a ZIP archive", "unzip unpacks it"}
}
