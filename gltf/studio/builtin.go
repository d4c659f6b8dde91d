package studio

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

// The built-in scene: the Utah teapot on a tiled floor that reaches to the
// horizon, under one set of lights. It is built as a binary glTF file and
// loaded like any other.

const (
	teapotSteps = 16   // quads along each side of a patch
	floorExtent = 240  // half the floor's edge
	floorTiles  = 0.25 // tiles a unit
	floorTexels = 512  // edge of the floor's texture: four tiles
)

// glb collects a binary glTF file.
type glb struct {
	bin         []byte
	bufferViews []any
	accessors   []any
}

// view appends bytes and returns the number of their buffer view.
func (g *glb) view(data []byte) int {
	for len(g.bin)%4 != 0 {
		g.bin = append(g.bin, 0)
	}
	g.bufferViews = append(g.bufferViews, map[string]any{
		"buffer": 0, "byteOffset": len(g.bin), "byteLength": len(data),
	})
	g.bin = append(g.bin, data...)
	return len(g.bufferViews) - 1
}

// floats appends an accessor of binary32 vectors.
func floats[V [2]float32 | [3]float32 | [4]float32](g *glb, kind string, vs []V) int {
	var data bytes.Buffer
	binary.Write(&data, binary.LittleEndian, vs) // a bytes.Buffer takes everything
	accessor := map[string]any{
		"bufferView": g.view(data.Bytes()), "componentType": 5126, "count": len(vs), "type": kind,
	}
	g.accessors = append(g.accessors, accessor)
	return len(g.accessors) - 1
}

// positions is floats with the bounds that glTF asks of positions.
func positions(g *glb, vs [][3]float32) int {
	i := floats(g, "VEC3", vs)
	box := mat.EmptyBox()
	for _, v := range vs {
		box.Extend(mat.Vec3(v).Double())
	}
	a := g.accessors[i].(map[string]any)
	a["min"], a["max"] = box.Min.Single(), box.Max.Single()
	return i
}

func indices(g *glb, vs []uint32) int {
	var data bytes.Buffer
	binary.Write(&data, binary.LittleEndian, vs)
	g.accessors = append(g.accessors, map[string]any{
		"bufferView": g.view(data.Bytes()), "componentType": 5125, "count": len(vs), "type": "SCALAR",
	})
	return len(g.accessors) - 1
}

// file joins the JSON document, to which buffers, views and accessors are
// added, and the binary chunk.
func (g *glb) file(doc map[string]any) ([]byte, error) {
	for len(g.bin)%4 != 0 {
		g.bin = append(g.bin, 0)
	}
	doc["asset"] = map[string]any{"version": "2.0"}
	doc["buffers"] = []any{map[string]any{"byteLength": len(g.bin)}}
	doc["bufferViews"], doc["accessors"] = g.bufferViews, g.accessors
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	le := binary.LittleEndian
	out := []byte("glTF")
	out = le.AppendUint32(out, 2)
	out = le.AppendUint32(out, uint32(12+8+len(text)+8+len(g.bin)))
	out = le.AppendUint32(out, uint32(len(text)))
	out = append(append(out, "JSON"...), text...)
	out = le.AppendUint32(out, uint32(len(g.bin)))
	return append(append(out, "BIN\x00"...), g.bin...), nil
}

// Teapot returns the built-in scene as a binary glTF file.
func Teapot() ([]byte, error) {
	g := &glb{}
	pot := teapotPrimitive(teapotSteps)
	potAttributes := map[string]int{
		"POSITION": positions(g, pot.Positions), "NORMAL": floats(g, "VEC3", pot.Normals),
	}
	potIndices := indices(g, pot.Indices)

	const e, t = floorExtent, floorExtent * floorTiles
	floor := [][3]float32{{-e, 0, e}, {e, 0, e}, {e, 0, -e}, {-e, 0, -e}}
	up := [3]float32{0, 1, 0}
	floorAttributes := map[string]int{
		"POSITION":   positions(g, floor),
		"NORMAL":     floats(g, "VEC3", [][3]float32{up, up, up, up}),
		"TEXCOORD_0": floats(g, "VEC2", [][2]float32{{0, 2 * t}, {2 * t, 2 * t}, {2 * t, 0}, {0, 0}}),
	}
	floorIndices := indices(g, []uint32{0, 1, 2, 0, 2, 3})
	texture, err := floorTexture()
	if err != nil {
		return nil, err
	}

	camera := mat.LookAt(mat.Vec3{3.2, 4.6, 12.4}, mat.Vec3{0.25, 1.35, 0}, mat.Vec3{0, 1, 0})
	cameraWorld, _ := camera.Inverse()
	sun := mat.LookAt(mat.Vec3{-4, 7, 5}, mat.Vec3{}, mat.Vec3{0, 1, 0})
	sunWorld, _ := sun.Inverse()
	return g.file(map[string]any{
		"scene":  0,
		"scenes": []any{map[string]any{"nodes": []int{0, 1, 2, 3}}},
		"nodes": []any{
			map[string]any{"name": "teapot", "mesh": 0},
			map[string]any{"name": "floor", "mesh": 1},
			map[string]any{"name": "camera", "camera": 0, "matrix": cameraWorld},
			map[string]any{"name": "sun", "matrix": sunWorld, "extensions": map[string]any{
				"KHR_lights_punctual": map[string]any{"light": 0},
			}},
		},
		"cameras": []any{map[string]any{
			"type": "perspective", "perspective": map[string]any{"yfov": 0.5, "znear": 0.5, "zfar": 600},
		}},
		"extensionsUsed": []string{"KHR_lights_punctual"},
		"extensions": map[string]any{"KHR_lights_punctual": map[string]any{
			"lights": []any{map[string]any{"type": "directional", "intensity": 1.1, "color": []float64{1, 0.96, 0.9}}},
		}},
		"meshes": []any{
			map[string]any{"primitives": []any{map[string]any{
				"attributes": potAttributes, "indices": potIndices, "material": 0,
			}}},
			map[string]any{"primitives": []any{map[string]any{
				"attributes": floorAttributes, "indices": floorIndices, "material": 1,
			}}},
		},
		"materials": []any{
			map[string]any{
				"name": "glazed clay", "doubleSided": true, // between lid and rim one sees inside
				"pbrMetallicRoughness": map[string]any{
					"baseColorFactor": []float64{0.55, 0.11, 0.045, 1}, "metallicFactor": 0, "roughnessFactor": 0.18,
				},
			},
			map[string]any{
				"name": "tiles",
				"pbrMetallicRoughness": map[string]any{
					"baseColorTexture": map[string]any{"index": 0}, "metallicFactor": 0, "roughnessFactor": 0.65,
				},
			},
		},
		"textures": []any{map[string]any{"source": 0, "sampler": 0}},
		"samplers": []any{map[string]any{"magFilter": int(gltf.Linear), "minFilter": int(gltf.LinearMipmapLinear)}},
		"images":   []any{map[string]any{"bufferView": g.view(texture), "mimeType": "image/png"}},
	})
}

// TeapotBackground returns the sky of the built-in scene.
func TeapotBackground() color.NRGBA { return color.NRGBA{0xd9, 0xde, 0xe4, 0xff} }

// floorTexture draws a checkerboard of tiles with grout and a little variation
// from tile to tile.
func floorTexture() ([]byte, error) {
	const size = floorTexels / 4 // texels a tile
	img := image.NewNRGBA(image.Rect(0, 0, floorTexels, floorTexels))
	for y := range floorTexels {
		for x := range floorTexels {
			tx, ty := x/size, y/size
			c := color.NRGBA{188, 184, 176, 255}
			if (tx+ty)%2 == 1 {
				c = color.NRGBA{84, 95, 106, 255}
			}
			shade := 0.92 + float64(0.02*float64((tx*7+ty*13)%5))
			edge := min(x%size, y%size, size-1-x%size, size-1-y%size)
			if edge < 2 {
				c, shade = color.NRGBA{136, 132, 126, 255}, 1
			}
			for _, p := range []*uint8{&c.R, &c.G, &c.B} {
				*p = uint8(math.Floor(float64(*p) * shade))
			}
			img.SetNRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
