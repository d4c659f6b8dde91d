package gltf

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf/mat"
)

func loadCompressed(t testing.TB, name string) *Document {
	t.Helper()
	d, err := Load(t.Context(), filepath.Join("testdata", "compressed", name), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range d.Warnings {
		t.Errorf("unexpected warning: %s", w)
	}
	return d
}

// corner is what a picture sees of a vertex.
type corner struct {
	position, normal mat.Vec3 // world space
	uv               [2]float32
	color            [4]float32
}

// corners returns the triangles of a pose, in world space.
func corners(t testing.TB, p *Pose) [][3]corner {
	t.Helper()
	var out [][3]corner
	for i := range p.Items {
		it := &p.Items[i]
		positions, normals, _ := it.Primitive.Deform(it)
		normal := it.World.NormalMatrix()
		uv := it.Primitive.TexCoords[0]
		if it.Material.BaseColorTexture != nil {
			t.Fatal("the model has textures")
		}
		list := it.Primitive.TriangleList()
		for k := 0; k < len(list); k += 3 {
			var tri [3]corner
			for c := range 3 {
				v := list[k+c]
				color := it.Primitive.Colors[v]
				for e := range color {
					color[e] *= it.Material.BaseColorFactor[e]
				}
				tri[c] = corner{it.World.Point(mat.Vec3(positions[v]).Double()).Single(), mat.TransformNormal(normal, normals[v]), uv[v], color}
			}
			out = append(out, tri)
		}
	}
	return out
}

// tolerance is what quantisation may change.
type tolerance struct{ position, normal, uv, color float32 }

func (tol tolerance) near(a, b corner) bool {
	ok := a.position.Sub(b.position).Length() <= tol.position && a.normal.Sub(b.normal).Length() <= tol.normal
	for i := range a.uv {
		ok = ok && float32(math.Abs(float64(a.uv[i]-b.uv[i]))) <= tol.uv
	}
	for i := range a.color {
		ok = ok && float32(math.Abs(float64(a.color[i]-b.color[i]))) <= tol.color
	}
	return ok
}

// Every triangle of a model that independent encoders compressed is one of the plain
// model's, at rest, moving and in every variant.
func TestCompressed_TrianglesAreThePlainModels(t *testing.T) {
	plain := loadCompressed(t, "plain.glb")
	// Steps of quantisation: positions 14 bits of at most 3 units, normals 10 bits octahedral
	// or 8 bits, texture coordinates 12 bits, colours 8 bits, perhaps as YCoCg, weights 8; the joint's lever is 1.5,
	// and rotations have 12 bits or more.
	tol := tolerance{position: 1.5 * 4.0 / 255, normal: 0.03, uv: 1.0 / 4095, color: 2.0 / 255}
	for _, name := range []string{"draco-edgebreaker.glb", "draco-sequential.glb", "meshopt-ext.glb", "meshopt-ext-medium.glb", "meshopt-khr.glb", "gltfpack-khr.glb"} {
		t.Run(name, func(t *testing.T) {
			d, tol := loadCompressed(t, name), tol
			if name == "gltfpack-khr.glb" {
				tol.uv = 1 // it leaves their scale to the transforms of textures, and there are none
			}
			for _, moment := range []float64{0, 0.6, 1.5} {
				for variant := None; variant < 2; variant++ {
					poses := [2]*Pose{}
					for i, doc := range []*Document{plain, d} {
						p, err := doc.PoseVariant(0, 0, moment, variant)
						if err != nil {
							t.Fatal(err)
						}
						poses[i] = p
					}
					want, got := corners(t, poses[0]), corners(t, poses[1])
					if len(got) != len(want) || len(got) == 0 {
						t.Fatalf("%d triangles, want %d", len(got), len(want))
					}
					taken := make([]bool, len(want))
					for _, tri := range got {
						if !take(tri, want, taken, tol) {
							t.Fatalf("time %v, variant %d: no such triangle: %v", moment, variant, tri)
						}
					}
				}
			}
		})
	}
}

// take finds a triangle among others that were not taken, whichever corner comes first.
func take(tri [3]corner, among [][3]corner, taken []bool, tol tolerance) bool {
	for i, other := range among {
		for turn := range 3 {
			if !taken[i] && tol.near(tri[0], other[turn]) && tol.near(tri[1], other[(turn+1)%3]) && tol.near(tri[2], other[(turn+2)%3]) {
				taken[i] = true
				return true
			}
		}
	}
	return false
}

// What streams decode to lives while the model is read, and no longer.
func TestCompressed_ScratchIsGivenBack(t *testing.T) {
	const count = 1 << 18
	m := newMaker()
	packed := m.addView(slices.Concat([]byte{0xd1}, make([]byte, count+4)), 0) // so many indices, all 0
	m.view = append(m.view, obj{"buffer": 0, "byteLength": 4 * count, "extensions": obj{"EXT_meshopt_compression": obj{
		"buffer": 0, "byteOffset": m.view[packed].(obj)["byteOffset"], "byteLength": count + 5, "byteStride": 4, "count": count, "mode": "INDICES",
	}}})
	b := budget.New(64<<20, "the test's limit")
	if _, err := read(m.glb(), nil, &Options{Budget: b}); err != nil {
		t.Fatal(err)
	}
	if used, peak := b.Used(), b.Peak(); used > 64<<10 || peak < 4*count {
		t.Errorf("%d bytes stay charged of %d", used, peak)
	}

	// 49 vertices of 12+12+8+4+4+16 bytes, 25 and 9 of 36, and 112 triangles of 12.
	const want = 49*56 + (25+9)*36 + 112*12
	doc, bin := jsonOf(t, "draco-sequential.glb")
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	l := newLoader(t.Context(), "model.gltf", b)
	l.bin, l.text = bin, text
	if err := l.parseTop(text); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{l.loadAsset, l.loadViews, l.loadAccessors, l.loadMaterials, l.loadVariants, l.loadMeshes} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	l.draco.Close()
	if l.scratch != want {
		t.Errorf("%d bytes of scratch, want %d", l.scratch, want)
	}
	var over *budget.Error
	_, err = Load(t.Context(), filepath.Join("testdata", "compressed", "draco-edgebreaker.glb"), &Options{Budget: budget.New(4<<20, "--memory-limit")})
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "KHR_draco_mesh_compression: starting the decoder") {
		t.Errorf("error %v", err)
	}
}

// jsonOf returns a model's JSON and binary chunk for changes.
func jsonOf(t *testing.T, name string) (doc obj, bin []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "compressed", name))
	if err != nil {
		t.Fatal(err)
	}
	size := int(data[12]) | int(data[13])<<8
	if err := json.Unmarshal(data[20:20+size], &doc); err != nil {
		t.Fatal(err)
	}
	return doc, data[28+size:]
}

func TestCompressed_ErrorsNameThePlace(t *testing.T) {
	meshoptAt := func(doc obj) obj {
		return at(doc, "bufferViews", 1, "extensions", "KHR_meshopt_compression").(obj)
	}
	dracoAt := func(doc obj) obj {
		return at(doc, "meshes", 0, "primitives", 0, "extensions", "KHR_draco_mesh_compression").(obj)
	}
	for _, c := range []struct {
		name, file string
		change     func(doc obj)
		want       string
	}{
		{"mode", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["mode"] = "X" }, `bufferViews[1].extensions.KHR_meshopt_compression.mode: "X" is not ATTRIBUTES`},
		{"filter", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["filter"] = "X" }, `KHR_meshopt_compression.filter: "X" is not NONE`},
		{"no count", "meshopt-khr.glb", func(d obj) { delete(meshoptAt(d), "count") }, "KHR_meshopt_compression.count: is missing"},
		{"count", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["count"] = 1e12 }, "KHR_meshopt_compression.count: 1000000000000 is out of range"},
		{"stride", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["byteStride"] = 3 }, "KHR_meshopt_compression: byteStride 3"},
		{"length", "meshopt-khr.glb", func(d obj) { at(d, "bufferViews", 1).(obj)["byteLength"] = 4 }, "bufferViews[1].byteLength: must be the"},
		{"short", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["byteLength"] = 50 }, "KHR_meshopt_compression: decompressing: the stream"},
		{"buffer", "meshopt-khr.glb", func(d obj) { meshoptAt(d)["buffer"] = 7 }, "KHR_meshopt_compression.buffer: index 7 out of range"},
		{"bomb", "meshopt-khr.glb", func(d obj) {
			meshoptAt(d)["count"] = 1 << 28
			at(d, "bufferViews", 1).(obj)["byteLength"] = (1 << 28) * meshoptAt(d)["byteStride"].(float64)
		}, "bytes cannot hold 268435456 elements"},
		{"draco view", "draco-edgebreaker.glb", func(d obj) { dracoAt(d)["bufferView"] = 99 }, "KHR_draco_mesh_compression.bufferView: index 99 out of range"},
		{"draco stream", "draco-edgebreaker.glb", func(d obj) { at(d, "bufferViews", int(dracoAt(d)["bufferView"].(float64))).(obj)["byteLength"] = 20 }, "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression: the decoder says"},
		{"draco id", "draco-edgebreaker.glb", func(d obj) { dracoAt(d)["attributes"].(obj)["POSITION"] = 42 }, "KHR_draco_mesh_compression: has no attribute with the id 42"},
		{"draco name", "draco-edgebreaker.glb", func(d obj) { dracoAt(d)["attributes"].(obj)["TEXCOORD_5"] = 0 }, `"TEXCOORD_5" is none of the primitive's attributes`},
		{"draco mode", "draco-edgebreaker.glb", func(d obj) { at(d, "meshes", 0, "primitives", 0).(obj)["mode"] = 1 }, "mode: 1 cannot be compressed by Draco"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, bin := jsonOf(t, c.file)
			c.change(doc)
			text, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			_, err = read(glbOf(text, bin), nil, &Options{Strict: true})
			checkError(t, err, c.want)
		})
	}
}

// A strip's accessor promises other indices than the stream's triangles have.
func TestDraco_StripsAreTriangles(t *testing.T) {
	doc, bin := jsonOf(t, "draco-sequential.glb")
	at(doc, "meshes", 0, "primitives", 0).(obj)["mode"] = 5
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	d := mustRead(t, glbOf(text, bin))
	if p := d.Meshes[0].Primitives[0]; p.Mode != Triangles || p.Triangles() != 72 {
		t.Errorf("mode %d, %d triangles; want %d and 72", p.Mode, p.Triangles(), Triangles)
	}
}

// A fallback buffer is not read, even where there is one.
func TestMeshopt_FallbackIsNotRead(t *testing.T) {
	doc, bin := jsonOf(t, "meshopt-ext.glb")
	buffers := doc["buffers"].(arr)
	if len(buffers) != 2 {
		t.Fatalf("%d buffers", len(buffers))
	}
	buffers[1].(obj)["uri"] = "missing.bin"
	buffers[0].(obj)["uri"] = "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(bin)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	mustRead(t, text)
}

// hostileTime is what a fuzzed model gets.
const hostileTime = 2 * time.Second

// FuzzCompressed changes bytes of compressed models.
func FuzzCompressed(f *testing.F) {
	for _, name := range []string{"draco-edgebreaker.glb", "meshopt-khr.glb"} {
		data, err := os.ReadFile(filepath.Join("testdata", "compressed", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := budget.New(40<<20, "the test's limit")
		ctx, cancel := context.WithTimeout(t.Context(), hostileTime)
		defer cancel()
		d, err := Read(ctx, strings.NewReader(string(data)), nil, "model.gltf", &Options{Budget: b})
		if err != nil {
			wellFormed(t, err)
			return
		}
		if p, err := d.Pose(d.FindScene(), NoAnimation, 0); err == nil {
			p.Bounds()
		}
	})
}
