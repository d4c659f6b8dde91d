package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pumice-gpu/pumice/gltf/mat"
)

// tolerated reads a model that is drawn in spite of a fault: it has one loss, which says what
// Options.Strict refuses it for.
func tolerated(t *testing.T, text []byte, fsys fs.FS, want string) *Document {
	t.Helper()
	d, err := read(text, fsys, nil)
	if err != nil {
		t.Fatalf("%v, want a loss", err)
	}
	if len(d.Losses) != 1 || !strings.Contains(d.Losses[0], want) || !slices.Contains(d.Warnings, d.Losses[0]) {
		t.Errorf("losses %q of warnings %q, want one that says %q", d.Losses, d.Warnings, want)
	}
	_, err = read(text, fsys, &Options{Strict: true})
	first, _, _ := strings.Cut(want, " (and ")
	checkError(t, err, first)
	return d
}

// drawn returns where a model's items are: the translations of their nodes.
func drawn(t *testing.T, d *Document, animation int, time float64) (at [][3]float64) {
	t.Helper()
	p, err := d.Pose(d.FindScene(), animation, time)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Items {
		w := p.Items[i].World
		at = append(at, [3]float64{float64(w[12]), float64(w[13]), float64(w[14])})
	}
	return at
}

// moved is a triangle whose place along x is animated.
func moved(times, x []float32) *maker {
	m := newMaker()
	m.doc["nodes"], m.doc["meshes"] = arr{obj{"mesh": 0}}, arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": m.unitTriangle()}}}}}
	var values []float32
	for _, v := range x {
		values = append(values, v, 0, 0)
	}
	m.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": m.add("SCALAR", compFloat, len(times), times), "output": m.add("VEC3", compFloat, len(x), values)}},
		"channels": arr{obj{"sampler": 0, "target": obj{"node": 0, "path": "translation"}}},
	}}
	return m
}

// Of keyframes at one time the last holds; one that would go back is at the time of the one before.
func TestAnimation_KeyframeTimesNeedNotIncrease(t *testing.T) {
	type at map[float64]float64 // x by time
	for name, c := range map[string]struct {
		times, x []float32
		more     obj // of the sampler
		want     at
	}{
		"two equal":        {[]float32{0, 1, 1, 2}, []float32{0, 1, 5, 6}, nil, at{0: 0, 0.5: 0.5, 1: 5, 1.5: 5.5, 2: 6, 9: 6}},
		"three equal":      {[]float32{0, 1, 1, 1, 2}, []float32{0, 1, 70, 5, 6}, nil, at{0.5: 0.5, 1: 5, 1.5: 5.5}},
		"all equal":        {[]float32{1, 1, 1}, []float32{1, 2, 3}, nil, at{0: 1, 1: 3, 2: 3}},
		"equal at the end": {[]float32{0, 2, 2}, []float32{0, 4, 8}, nil, at{1: 2, 2: 8, 3: 8}},
		"equal, STEP":      {[]float32{0, 1, 1, 2}, []float32{0, 1, 5, 6}, obj{"interpolation": "STEP"}, at{0.5: 0, 1: 5, 1.5: 5, 2: 6}},
		"decreasing":       {[]float32{0, 2, 1, 3}, []float32{0, 2, 9, 12}, nil, at{1: 1, 2: 9, 2.5: 10.5, 3: 12}},
		"always less":      {[]float32{3, 2, 1}, []float32{1, 2, 3}, nil, at{0: 1, 2: 1, 3: 3}},
		"below zero":       {[]float32{-1, 1}, []float32{0, 4}, nil, at{0: 2, 1: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			m := moved(c.times, c.x)
			for k, v := range c.more {
				at2(m, "samplers", 0)[k] = v
			}
			d := tolerated(t, m.json(), nil, "animations[0].samplers[0].input: accessors[1]: keyframe times must be at least 0 and strictly increase")
			if got := drawn(t, d, NoAnimation, 0); len(got) != 1 || got[0] != [3]float64{} {
				t.Errorf("at rest %v", got)
			}
			for time, x := range c.want {
				if got := drawn(t, d, 0, time)[0][0]; got != x {
					t.Errorf("at %v: %v, want %v", time, got, x)
				}
			}
		})
	}
}

// at2 is a part of the maker's animation.
func at2(m *maker, path ...any) obj {
	return at(m.doc, append([]any{"animations", 0}, path...)...).(obj)
}

// A fault that leaves an animation without what it plays refuses to play it, and nothing else.
func TestAnimation_FaultsDoNotRefuseTheStill(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *maker)
		loss   string
		x      float64 // at time 0.5 where it can be played; NaN: it cannot
	}{
		"VEC2":             {func(m *maker) { m.acc[2].(obj)["type"] = "VEC2"; delete(m.acc[2].(obj), "min") }, "samplers[0].output: accessors[2] is VEC2, must be VEC3: the animation cannot be played", math.NaN()},
		"too few":          {func(m *maker) { m.acc[2].(obj)["count"] = 1 }, "accessors[2] has 1 elements, 2 keyframes need 2: the animation", math.NaN()},
		"out of bounds":    {func(m *maker) { m.acc[1].(obj)["count"] = 900 }, "accessors[1]: 900 elements need", math.NaN()},
		"no such accessor": {func(m *maker) { at2(m, "samplers", 0)["input"] = 77 }, "samplers[0].input: index 77 out of range", math.NaN()},
		"no output":        {func(m *maker) { delete(at2(m, "samplers", 0), "output") }, "samplers[0].output: is missing", math.NaN()},
		"integer times":    {func(m *maker) { m.acc[1].(obj)["componentType"] = 5125 }, "accessors[1] holds UNSIGNED_INT", math.NaN()},
		"no such sampler":  {func(m *maker) { at2(m, "channels", 0)["sampler"] = 3 }, "channels[0].sampler: index 3 out of range", math.NaN()},
		"no such node":     {func(m *maker) { at2(m, "channels", 0, "target")["node"] = 9 }, "channels[0].target.node: index 9", math.NaN()},
		"no target":        {func(m *maker) { delete(at2(m, "channels", 0), "target") }, "channels[0].target: is missing", math.NaN()},
		"channel null":     {func(m *maker) { at2(m)["channels"] = arr{nil} }, "channels[0]: must be an object", math.NaN()},
		"channels a word":  {func(m *maker) { at2(m)["channels"] = "x" }, "animations[0].channels: JSON string", math.NaN()},
		"null":             {func(m *maker) { m.doc["animations"] = arr{nil} }, "animations[0]: must be an object", math.NaN()},
		"too many":         {func(m *maker) { m.acc[1].(obj)["count"] = 1 }, "accessors[2] has 2 elements, 1 keyframes need 1: the rest was ignored", 2},
		"interpolation":    {func(m *maker) { at2(m, "samplers", 0)["interpolation"] = "BEZIER" }, `"BEZIER" is not STEP, LINEAR or CUBICSPLINE: LINEAR stands for it`, 3},
		"two channels": {func(m *maker) {
			a := at2(m)
			a["samplers"] = append(a["samplers"].(arr), obj{"input": 1, "output": m.add("VEC3", compFloat, 2, []float32{10, 0, 0, 20, 0, 0})})
			a["channels"] = append(a["channels"].(arr), obj{"sampler": 1, "target": obj{"node": 0, "path": "translation"}})
		}, "channels[1].target: animates the same property as channels[0], and holds", 15},
		"the same twice": {func(m *maker) {
			a := at2(m)
			a["channels"] = append(a["channels"].(arr), a["channels"].(arr)[0])
		}, "channels[1].target: animates the same property", 3},
	} {
		t.Run(name, func(t *testing.T) {
			m := moved([]float32{0, 1}, []float32{2, 4})
			c.change(m)
			d := tolerated(t, m.json(), nil, c.loss)
			if got := drawn(t, d, NoAnimation, 0); len(got) != 1 || got[0] != [3]float64{} {
				t.Errorf("at rest %v", got)
			}
			if c.x == c.x {
				if got := drawn(t, d, 0, 0.5)[0][0]; got != c.x {
					t.Errorf("played: %v, want %v", got, c.x)
				}
			} else if _, err := d.Pose(None, 0, 0.5); err == nil {
				t.Error("it is played")
			}
		})
	}
	m := moved([]float32{0, 1}, []float32{2, 4})
	m.doc["animations"] = "walk"
	if d := tolerated(t, m.json(), nil, "animations: JSON string where an array is expected: no animation can be played"); len(d.Animations) != 0 {
		t.Error("there are animations")
	}
	for name, times := range map[string][]float32{"NaN": {0, nan()}, "infinity": {0, float32(math.Inf(1))}} {
		d := tolerated(t, moved(times, []float32{2, 4}).json(), nil, "accessors[1]: element 1, component 0 is")
		if _, err := d.Pose(None, 0, 0); err == nil {
			t.Errorf("%s is a time", name)
		}
	}
}

func nan() float32 { return float32(math.NaN()) }

// A node is drawn once, where its parents put it, whatever a scene lists.
func TestScene_NodesThatHaveParents(t *testing.T) {
	m := newMaker()
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": m.unitTriangle()}}}}}
	m.doc["nodes"] = arr{
		obj{"mesh": 0, "translation": arr{1, 0, 0}},
		obj{"children": arr{0}, "translation": arr{0, 2, 0}},
		obj{"children": arr{1, 3}, "translation": arr{0, 0, 4}},
		obj{"mesh": 0, "translation": arr{8, 0, 0}},
		obj{"mesh": 0},
	}
	inner, sibling, root := [3]float64{1, 2, 4}, [3]float64{8, 0, 4}, [3]float64{}
	const child, twice = "is not a root, its parent is nodes", "is listed twice, and drawn once"
	for name, c := range map[string]struct {
		nodes arr
		want  [][3]float64
		loss  string
	}{
		"child alone":            {arr{0}, [][3]float64{inner}, child},
		"child of a child":       {arr{1}, [][3]float64{inner}, child},
		"parent, then child":     {arr{2, 0}, [][3]float64{inner, sibling}, child},
		"child, then parent":     {arr{0, 2}, [][3]float64{inner, sibling}, child},
		"child and its parent":   {arr{0, 1}, [][3]float64{inner}, child},
		"all of them":            {arr{0, 1, 2, 3}, [][3]float64{inner, sibling}, "its parent is nodes[1]: it is drawn once, in its place there (and 2 more of the kind)"},
		"siblings, in order":     {arr{3, 0}, [][3]float64{sibling, inner}, child},
		"child and another root": {arr{4, 0}, [][3]float64{root, inner}, child},
		"root twice":             {arr{4, 4}, [][3]float64{root}, twice},
		"roots twice":            {arr{4, 2, 4, 2}, [][3]float64{root, inner, sibling}, twice},
		"root three times":       {arr{2, 2, 2}, [][3]float64{inner, sibling}, "nodes[2] is listed twice, and drawn once (and 1 more of the kind)"},
	} {
		t.Run(name, func(t *testing.T) {
			m.doc["scenes"] = arr{obj{"nodes": c.nodes}}
			d := tolerated(t, m.json(), nil, c.loss)
			if got := drawn(t, d, NoAnimation, 0); !slices.Equal(got, c.want) {
				t.Errorf("drawn at %v, want %v", got, c.want)
			}
		})
	}
	m.doc["scenes"] = arr{obj{"nodes": arr{4}}}
	at(m.doc, "nodes", 4).(obj)["children"] = arr{0}
	d := tolerated(t, m.json(), nil, "nodes[4].children[0]: nodes[0] has a parent already, nodes[1], and is drawn there alone")
	if got := drawn(t, d, NoAnimation, 0); !slices.Equal(got, [][3]float64{root}) {
		t.Errorf("drawn at %v", got)
	}
}

// outermost agrees with walks from each node to its root, in random hierarchies.
func TestScene_OutermostNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		n := 1 + rng.IntN(20)
		nodes := make(arr, n)
		for i := range nodes {
			nodes[i] = obj{}
		}
		order := rng.Perm(n)
		for k := 1; k < n; k++ {
			if rng.IntN(4) > 0 {
				parent := nodes[order[rng.IntN(k)]].(obj)
				children, _ := parent["children"].(arr)
				parent["children"] = append(children, order[k])
			}
		}
		listed := rng.Perm(n)[:1+rng.IntN(n)]
		text, _ := json.Marshal(obj{"asset": obj{"version": "2.0"}, "nodes": nodes, "scenes": arr{obj{"nodes": listed}}})
		d := mustRead(t, text)
		var want []int
		for _, i := range listed {
			above := d.Nodes[i].Parent
			for above != None && !slices.Contains(listed, above) {
				above = d.Nodes[above].Parent
			}
			if above == None {
				want = append(want, i)
			}
		}
		if got := d.Scenes[0].Nodes; !slices.Equal(got, want) {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	}
}

// lostImages are images that cannot be had, with what is said of them.
func lostImages() map[string]struct {
	image obj
	want  string
} {
	whole := tinyPNG()
	type c = struct {
		image obj
		want  string
	}
	data := func(b []byte) obj { return obj{"uri": "data:image/png;base64," + base64Of(b)} }
	return map[string]c{
		"missing":                 {obj{"uri": "gone.png"}, `images[0].uri: "gone.png" cannot be read: file does not exist`},
		"missing in a folder":     {obj{"uri": "tex/gone.png"}, `"tex/gone.png" cannot be read`},
		"a folder":                {obj{"uri": "tex"}, `"tex" is not a regular file`},
		"outside":                 {obj{"uri": "../a.png"}, "leaves the model's folder: --assets DIR (Options.Assets)"},
		"URL":                     {obj{"uri": "https://example.com/a.png"}, "nothing is fetched"},
		"empty file":              {obj{"uri": "empty.png"}, "is neither PNG, JPEG, WebP, KTX 2 nor DDS"},
		"a web page":              {obj{"uri": "page.png"}, "is neither PNG, JPEG, WebP, KTX 2 nor DDS"},
		"header cut":              {obj{"uri": "cut.png"}, "bad header"},
		"KTX 2 cut":               {obj{"uri": "cut.ktx2"}, "bad header"},
		"WebP cut":                {obj{"uri": "cut.webp"}, "bad header"},
		"JPEG cut":                {obj{"uri": "cut.jpg"}, "bad header"},
		"GIF cut":                 {obj{"uri": "a.gif"}, "bad header"},
		"data cut":                {data(whole[:20]), "images[0]: bad header"},
		"data of something":       {data([]byte("hello")), "images[0]: is neither PNG"},
		"data is no base64":       {obj{"uri": "data:image/png;base64,*"}, "images[0].uri: data URI: illegal base64"},
		"data without a comma":    {obj{"uri": "data:image/png"}, "data URI without a comma"},
		"no such view":            {obj{"bufferView": 9, "mimeType": "image/png"}, "images[0].bufferView: index 9 out of range"},
		"neither uri nor view":    {obj{}, "images[0].bufferView: is missing"},
		"in a view, cut":          {obj{"bufferView": 2}, "images[0]: bad header"},
		"in a view that is wrong": {obj{"bufferView": 3}, "bufferViews[3].byteLength: 999999 bytes from offset 0 do not fit"},
		"in an empty view":        {obj{"bufferView": 4}, "images[0]: is neither PNG"},
	}
}

func base64Of(b []byte) string {
	text, _ := json.Marshal(b)
	return string(bytes.Trim(text, `"`))
}

// picturedBy is a triangle whose material has an image as its base colour and as its normals.
func picturedBy(image obj) *maker {
	m := newMaker()
	position := m.unitTriangle()
	uv := m.add("VEC2", compFloat, 3, []float32{0, 0, 1, 0, 0, 1})
	m.addView(tinyPNG()[:20], 0)
	m.view = append(m.view, obj{"buffer": 0, "byteLength": 999999}, obj{"buffer": 0, "byteLength": 0})
	m.doc["images"], m.doc["textures"] = arr{image}, arr{obj{"source": 0}}
	m.doc["materials"] = arr{
		obj{"pbrMetallicRoughness": obj{"baseColorTexture": obj{"index": 0}}, "normalTexture": obj{"index": 0}},
		obj{},
	}
	m.primitive(obj{"attributes": obj{"POSITION": position, "TEXCOORD_0": uv}, "material": 0})
	return m
}

// A texture without its image is left out of what is drawn with it, and nothing else is lost.
func TestImages_ThatCannotBeHad(t *testing.T) {
	fsys := fstest.MapFS{
		"tex": {Mode: fs.ModeDir}, "empty.png": {}, "page.png": {Data: []byte("<!DOCTYPE html>")}, "cut.png": {Data: tinyPNG()[:20]},
		"cut.ktx2": {Data: testFile(t, "texture/testdata/uastc.ktx2")[:50]}, "cut.webp": {Data: testFile(t, "input/testdata/lossless.webp")[:20]},
		"cut.jpg": {Data: []byte("\xff\xd8\xff\xe0\x00\x10JFIF")}, "a.gif": {Data: []byte("GIF89a")},
	}
	// Of the views that the maker has for them.
	others := []string{"bufferViews[3]", "bufferViews[4]"}
	for name, c := range lostImages() {
		t.Run(name, func(t *testing.T) {
			m := picturedBy(c.image)
			d, err := read(m.json(), fsys, nil)
			if err != nil {
				t.Fatal(err)
			}
			losses := slices.DeleteFunc(slices.Clone(d.Losses), func(s string) bool {
				return !strings.Contains(s, "texture") && slices.ContainsFunc(others, func(o string) bool { return strings.Contains(s, o) })
			})
			if len(losses) != 1 || !strings.Contains(losses[0], "textures[0]: the texture is lost: ") || !strings.Contains(losses[0], c.want) {
				t.Errorf("losses %q, want one that says %q", losses, c.want)
			}
			g := d.Materials[0]
			if g.BaseColorTexture != nil || g.NormalTexture != nil || d.Textures[0].Image != nil {
				t.Error("the texture is there")
			}
			if got := drawn(t, d, NoAnimation, 0); !slices.Equal(got, [][3]float64{{1, 2, 3}}) {
				t.Errorf("drawn at %v", got)
			}
			if err := d.CheckImages(t.Context()); err != nil {
				t.Error(err)
			}

			// Where nothing is drawn with it, nothing is lost.
			at(m.doc, "meshes", 0, "primitives", 0).(obj)["material"] = 1
			for _, change := range []func(){func() {}, func() { m.doc["materials"] = arr{obj{}, obj{}} }, func() { m.doc["textures"] = arr{} }} {
				change()
				d, err := read(m.json(), fsys, nil)
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(d.Losses, func(s string) bool { return strings.Contains(s, "texture") || strings.Contains(s, "image") }); i >= 0 {
					t.Errorf("unused: %q", d.Losses[i])
				}
			}
		})
	}
}

// What headers do not tell is found where an image is decoded.
func TestImages_ThatCannotBeDecoded(t *testing.T) {
	whole := tinyPNG()
	lossless := testFile(t, "input/testdata/lossless.webp")
	ktx := testFile(t, "texture/testdata/etc1s-alpha-mips.ktx2")
	fsys := fstest.MapFS{
		"cut.png": {Data: whole[:len(whole)-20]}, "cut.webp": {Data: lossless[:len(lossless)-2000]}, "cut.ktx2": {Data: ktx[:len(ktx)-5]},
	}
	for _, image := range []obj{{"uri": "cut.png"}, {"uri": "cut.webp"}, {"uri": "cut.ktx2"}, {"uri": "data:;base64," + base64Of(whole[:len(whole)-20])}} {
		m := picturedBy(image)
		m.view = m.view[:2]
		d := mustReadFS(t, m.json(), fsys)
		if len(d.Losses) != 0 {
			t.Fatalf("%q", d.Losses)
		}
		if err := d.CheckImages(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(d.Losses) != 1 || !strings.Contains(d.Losses[0], "textures[0]: the texture is lost: images[0]") || !strings.Contains(d.Losses[0], ": decoding: ") {
			t.Errorf("losses %q", d.Losses)
		}
		if d.Textures[0].Image != nil || d.Images[0] == nil {
			t.Error("the texture keeps its image")
		}
		d, err := read(m.json(), fsys, &Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		checkError(t, d.CheckImages(t.Context()), ": decoding: ")
	}
	// No memory is no fault of the image's.
	o := small(1 << 20)
	m := picturedBy(obj{"uri": "data:;base64," + base64Of(pictureOf(300))})
	m.view = m.view[:2]
	d, err := read(m.json(), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Budget.Take(o.Budget.Limit() - o.Budget.Used()); err != nil {
		t.Fatal(err)
	}
	if err := d.CheckImages(t.Context()); err == nil || d.Textures[0].Image == nil {
		t.Errorf("%v", err)
	}
}

func mustReadFS(t *testing.T, text []byte, fsys fs.FS) *Document {
	t.Helper()
	d, err := read(text, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Strides that glTF forbids are walked; by the bytes between elements.
func TestViews_OddStrides(t *testing.T) {
	want := [][3]float32{{1, 2, 3}, {4, 5, 6}, {-7, 8, 9}}
	for _, stride := range []int{3, 5, 6, 7, 9, 254, 1000} {
		data := make([]byte, 2*stride+3)
		for i, p := range want {
			for c, v := range p {
				data[i*stride+c] = byte(int8(v))
			}
		}
		m := newMaker()
		m.doc["extensionsUsed"] = arr{"KHR_mesh_quantization"}
		a := obj{"type": "VEC3", "componentType": 5120, "count": 3, "bufferView": m.addView(data, stride), "min": arr{-7, 2, 3}, "max": arr{4, 8, 9}}
		m.acc = append(m.acc, a)
		m.primitive(obj{"mode": 0, "attributes": obj{"POSITION": 0}})
		d := tolerated(t, m.json(), nil, fmt.Sprintf("bufferViews[0].byteStride: %d is not a multiple of 4 in 4 … 252", stride))
		if got := d.Meshes[0].Primitives[0].Positions; !slices.Equal(got, want) {
			t.Errorf("stride %d: %v", stride, got)
		}
	}
	// Two bytes between elements of three leave the second one nowhere.
	m := newMaker()
	m.acc = append(m.acc, obj{"type": "VEC3", "componentType": 5120, "count": 3, "bufferView": m.addView(make([]byte, 9), 2)})
	m.primitive(obj{"attributes": obj{"POSITION": 0}})
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "bufferViews[0].byteStride: 2 is less than the 3 bytes of an element of accessors[0]")
}

// Views, buffers and accessors that are wrong count where they are used.
func TestViews_WrongOnesThatNothingUses(t *testing.T) {
	for name, c := range map[string]struct {
		view, buffer, accessor obj
		want                   string
	}{
		"empty":              {obj{"buffer": 0, "byteLength": 0}, nil, nil, "bufferViews[1].byteLength: is 0"},
		"empty at the end":   {obj{"buffer": 0, "byteOffset": 36, "byteLength": 0}, nil, nil, "bufferViews[1].byteLength: is 0"},
		"too long":           {obj{"buffer": 0, "byteLength": 37}, nil, nil, "bufferViews[1].byteLength: 37 bytes from offset 0 do not fit the 36 bytes of buffers[0]: nothing uses it"},
		"behind the buffer":  {obj{"buffer": 0, "byteOffset": 37, "byteLength": 0}, nil, nil, "bufferViews[1].byteOffset: 37 is outside the 36 bytes"},
		"below zero":         {obj{"buffer": 0, "byteLength": -1}, nil, nil, "bufferViews[1].byteLength: -1 bytes"},
		"no buffer":          {obj{"byteLength": 4}, nil, nil, "bufferViews[1].buffer: is missing: nothing uses it"},
		"no such buffer":     {obj{"buffer": 3, "byteLength": 4}, nil, nil, "bufferViews[1].buffer: index 3"},
		"no length":          {obj{"buffer": 0}, nil, nil, "bufferViews[1].byteLength: is missing: nothing uses it"},
		"missing file":       {nil, obj{"uri": "gone.bin", "byteLength": 4}, nil, `buffers[1].uri: "gone.bin" cannot be read: file does not exist: no buffer view uses it`},
		"view of a missing":  {obj{"buffer": 1, "byteLength": 4}, obj{"uri": "gone.bin", "byteLength": 4}, nil, `buffers[1].uri: "gone.bin" cannot be read: file does not exist: nothing uses it`},
		"buffer of nothing":  {nil, obj{"byteLength": 0}, nil, "buffers[1].byteLength: is missing, 0 or less"},
		"accessor too long":  {nil, nil, obj{"bufferView": 0, "componentType": 5126, "count": 99, "type": "SCALAR"}, "accessors[1]: 99 elements need 396 bytes from offset 0, bufferViews[0] has 36: no use is made of it"},
		"accessor of a type": {nil, nil, obj{"bufferView": 0, "componentType": 5130, "count": 1, "type": "SCALAR"}, "accessors[1].componentType: 5130 is not a component type"},
		"accessor without":   {nil, nil, obj{"bufferView": 7, "componentType": 5126, "count": 1, "type": "SCALAR"}, "accessors[1].bufferView: index 7"},
		"accessor of none":   {nil, nil, obj{"componentType": 5126, "count": 0, "type": "VEC2"}, "accessors[1].count: 0 is outside"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMaker()
			m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
			if c.view != nil {
				m.view = append(m.view, c.view)
			}
			if c.accessor != nil {
				m.acc = append(m.acc, c.accessor)
			}
			text := m.json()
			if c.buffer != nil {
				m.doc["buffers"] = append(m.doc["buffers"].(arr), c.buffer)
				text, _ = json.Marshal(m.doc)
			}
			d := tolerated(t, text, fstest.MapFS{}, c.want)
			p, err := d.Pose(None, NoAnimation, 0)
			if want := (mat.Box{Min: mat.DVec3{1, 2, 3}, Max: mat.DVec3{2, 3, 3}}); err != nil || !sameBox(p.Bounds(), want) {
				t.Errorf("bounds %v, %v", p.Bounds(), err)
			}
			// Used, the same is an error.
			switch {
			case name == "buffer of nothing" || name == "missing file" || name == "accessor of none":
				return
			case c.accessor != nil:
				at(m.doc, "meshes", 0, "primitives", 0, "attributes").(obj)["POSITION"] = 1
			default:
				m.acc[0].(obj)["bufferView"] = 1
			}
			text, _ = json.Marshal(m.doc)
			if _, err := read(text, fstest.MapFS{}, nil); err == nil {
				t.Error("used, it is no error")
			}
		})
	}
}

// Weights that are none are 0, and the others add up to 1.
func TestSkinWeights_ThatAreNone(t *testing.T) {
	inf := float32(math.Inf(1))
	m := newMaker()
	w := []float32{-1, 2, 0, 0, nan(), 0.25, 0.75, 0, 0.5, -inf, inf, 0}
	attributes := obj{
		"POSITION": m.unitTriangle(), "WEIGHTS_0": m.add("VEC4", compFloat, 3, w),
		"JOINTS_0": m.add("VEC4", compUnsignedByte, 3, make([]uint8, 12)),
	}
	// The same accessors once more: what is repaired are copies.
	m.doc["meshes"] = arr{obj{"primitives": arr{obj{"attributes": attributes}, obj{"attributes": attributes, "mode": 0}}}}
	m.doc["nodes"] = arr{obj{"mesh": 0}}
	d := mustRead(t, m.json())
	for _, p := range d.Meshes[0].Primitives {
		if want := [][4]float32{{0, 1, 0, 0}, {0, 0.25, 0.75, 0}, {1, 0, 0, 0}}; !slices.Equal(p.Weights[0], want) {
			t.Errorf("%v, want %v", p.Weights[0], want)
		}
	}
	told := strings.Join(d.Losses, "\n")
	if !strings.Contains(told, "WEIGHTS_0: vertex 0 has the weight -1, for which 0 stands") || !strings.Contains(told, "the weights of vertex 0 sum to 2: weights were normalised") {
		t.Errorf("%q", d.Losses)
	}
}

// Meshes and skins that are wrong count where a node has them.
func TestMeshes_WrongOnesThatNoNodeHas(t *testing.T) {
	for name, c := range map[string]struct {
		change func(m *maker)
		use    obj // what makes a node use it
		want   string
	}{
		"attribute": {func(m *maker) {
			m.doc["meshes"] = append(m.doc["meshes"].(arr), obj{"primitives": arr{obj{"attributes": obj{"POSITION": 9}}}})
		}, obj{"mesh": 1}, "meshes[1].primitives[0].attributes.POSITION: index 9 out of range (1 accessors): no node has it"},
		"mode": {func(m *maker) {
			m.doc["meshes"] = append(m.doc["meshes"].(arr), obj{"primitives": arr{obj{"mode": 9, "attributes": obj{"POSITION": 0}}}})
		}, obj{"mesh": 1}, "meshes[1].primitives[0].mode: 9 is outside 0 … 6: no node has it"},
		"no object": {func(m *maker) { m.doc["meshes"] = append(m.doc["meshes"].(arr), nil) }, obj{"mesh": 1}, "meshes[1]: must be an object: no node has it"},
		"joint":     {func(m *maker) { m.doc["skins"] = arr{obj{"joints": arr{7}}} }, obj{"skin": 0}, "skins[0].joints[0]: index 7 out of range (1 nodes): no node has it"},
		"matrices": {func(m *maker) { m.doc["skins"] = arr{obj{"joints": arr{0}, "inverseBindMatrices": 0}} }, obj{"skin": 0},
			"skins[0].inverseBindMatrices: accessors[0] is VEC3, must be MAT4: no node has it"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMaker()
			m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
			c.change(m)
			if got := drawn(t, tolerated(t, m.json(), nil, c.want), NoAnimation, 0); !slices.Equal(got, [][3]float64{{1, 2, 3}}) {
				t.Errorf("drawn at %v", got)
			}
			for k, v := range c.use {
				at(m.doc, "nodes", 0).(obj)[k] = v
			}
			_, err := read(m.json(), nil, nil)
			checkError(t, err, strings.TrimSuffix(c.want, ": no node has it"))
		})
	}
}

// Numbers that binary32 does not reach are its largest.
func TestNumbers_BeyondBinary32(t *testing.T) {
	m := newMaker()
	m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}, "material": 0})
	m.doc["materials"] = arr{obj{"name": "fog", "extensions": obj{"KHR_materials_volume": obj{"attenuationDistance": 1.7976931348623157e308, "thicknessFactor": 0.5}}}}
	d := tolerated(t, m.json(), nil, "materials[0].extensions.KHR_materials_volume.attenuationDistance: 1.7976931348623157e+308 is out of range: the largest number stands for it")
	if v := d.Materials[0].Volume; v.AttenuationDistance != math.MaxFloat32 || v.ThicknessFactor != 0.5 || d.Materials[0].Name != "fog" {
		t.Errorf("%+v", v)
	}
	m.doc["materials"] = arr{obj{}}
	m.doc["cameras"] = arr{obj{"type": "perspective", "perspective": obj{"yfov": 1, "znear": 0.5, "zfar": json.Number("1e999")}}}
	if d := tolerated(t, m.json(), nil, "zfar: 1e999 is out of range"); d.Cameras[0] != (Camera{YFov: 1, ZNear: 0.5, ZFar: math.MaxFloat32}) {
		t.Errorf("%+v", d.Cameras[0])
	}
	m.doc["cameras"] = arr{}
	m.view[0].(obj)["byteLength"] = json.Number("1e300")
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "bufferViews[0].byteLength: JSON value")
}

// sameBox compares boxes of whole numbers.
func sameBox(a, b mat.Box) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// Factors are brought into their range, light that is too strong keeps its strength.
func TestMaterial_FactorsOutOfRange(t *testing.T) {
	pbr := func(key string, v any) obj { return obj{"pbrMetallicRoughness": obj{key: v}} }
	extension := func(name string, body obj) obj { return obj{"extensions": obj{"KHR_materials_" + name: body}} }
	for name, c := range map[string]struct {
		material obj
		want     func(g *Material) []float32
		is       []float32
	}{
		"emissive":            {obj{"emissiveFactor": arr{2, 1, 0}}, func(g *Material) []float32 { return append(g.EmissiveFactor[:], g.EmissiveStrength) }, []float32{1, 0.5, 0, 2}},
		"emissive, below":     {obj{"emissiveFactor": arr{-1, 0.5, 0}}, func(g *Material) []float32 { return append(g.EmissiveFactor[:], g.EmissiveStrength) }, []float32{0, 0.5, 0, 1}},
		"emissive short":      {obj{"emissiveFactor": arr{1, 0.5}}, func(g *Material) []float32 { return g.EmissiveFactor[:] }, []float32{1, 0.5, 0}},
		"base color":          {pbr("baseColorFactor", arr{1.5, 0.25, -0.5, 1.0001}), func(g *Material) []float32 { return g.BaseColorFactor[:] }, []float32{1, 0.25, 0, 1}},
		"base color of three": {pbr("baseColorFactor", arr{0.5, 0.25, 0}), func(g *Material) []float32 { return g.BaseColorFactor[:] }, []float32{0.5, 0.25, 0, 1}},
		"metallic":            {pbr("metallicFactor", 1.5), func(g *Material) []float32 { return []float32{g.MetallicFactor} }, []float32{1}},
		"roughness":           {pbr("roughnessFactor", -0.5), func(g *Material) []float32 { return []float32{g.RoughnessFactor} }, []float32{0}},
		"cutoff":              {obj{"alphaCutoff": -1}, func(g *Material) []float32 { return []float32{g.AlphaCutoff} }, []float32{0}},
		"alpha mode":          {obj{"alphaMode": "TRANSLUCENT"}, func(g *Material) []float32 { return []float32{float32(g.AlphaMode)} }, []float32{float32(AlphaOpaque)}},
		"transmission":        {extension("transmission", obj{"transmissionFactor": 3}), func(g *Material) []float32 { return []float32{g.Transmission.Factor} }, []float32{1}},
		"strength":            {extension("emissive_strength", obj{"emissiveStrength": -3}), func(g *Material) []float32 { return []float32{g.EmissiveStrength} }, []float32{0}},
		"ior":                 {extension("ior", obj{"ior": 0.5}), func(g *Material) []float32 { return []float32{g.IOR} }, []float32{1}},
		"sheen":               {extension("sheen", obj{"sheenColorFactor": arr{2, 1, -1}}), func(g *Material) []float32 { return g.Sheen.ColorFactor[:] }, []float32{1, 1, 0}},
		"attenuation":         {extension("volume", obj{"attenuationDistance": 0}), func(g *Material) []float32 { return []float32{g.Volume.AttenuationDistance} }, []float32{float32(math.Inf(1))}},
	} {
		m := newMaker()
		m.doc["materials"] = arr{c.material}
		m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}, "material": 0})
		d, err := read(m.json(), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := c.want(d.Materials[0]); len(d.Losses) != 1 || !slices.Equal(got, c.is) {
			t.Errorf("%s: %v, want %v; losses %q", name, got, c.is, d.Losses)
		}
		if _, err := read(m.json(), nil, &Options{Strict: true}); err == nil {
			t.Errorf("%s: no error with Strict", name)
		}
	}
	m := newMaker()
	m.doc["materials"] = arr{obj{"emissiveFactor": arr{4, 2, 1}, "extensions": obj{"KHR_materials_emissive_strength": obj{"emissiveStrength": 3}}}}
	m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}, "material": 0})
	if g := mustRead(t, m.json()).Materials[0]; g.EmissiveFactor != [3]float32{1, 0.5, 0.25} || g.EmissiveStrength != 12 {
		t.Errorf("%v × %v", g.EmissiveFactor, g.EmissiveStrength)
	}
}

// Defaults stand for samplers' numbers that say nothing.
func TestSamplers_UnknownNumbers(t *testing.T) {
	for key, c := range map[string]struct {
		value int
		is    func(s Sampler) bool
	}{
		"magFilter": {9987, func(s Sampler) bool { return s.MagFilter == Linear }},
		"minFilter": {7, func(s Sampler) bool { return s.MinFilter == LinearMipmapLinear }},
		"wrapS":     {10496, func(s Sampler) bool { return s.WrapS == Repeat }}, // OpenGL's GL_CLAMP
		"wrapT":     {0, func(s Sampler) bool { return s.WrapT == Repeat }},
	} {
		m := picturedBy(obj{"uri": "a.png"})
		m.view = m.view[:2]
		m.doc["samplers"] = arr{obj{key: c.value}}
		at(m.doc, "textures", 0).(obj)["sampler"] = 0
		d := tolerated(t, m.json(), fstest.MapFS{"a.png": {Data: tinyPNG()}}, fmt.Sprintf("samplers[0].%s: %d ", key, c.value))
		if !c.is(d.Textures[0].Sampler) {
			t.Errorf("%s: %+v", key, d.Textures[0].Sampler)
		}
	}
}

// The largest index that a type has is a vertex like others: glTF's lists and strips have no restart.
func TestIndices_TheRestartValueIsAVertex(t *testing.T) {
	for _, c := range []struct {
		mode     Mode
		comp     componentType
		indices  any
		vertices int
		want     []uint32
	}{
		{Triangles, compUnsignedByte, []uint8{0, 1, 255, 255, 1, 2}, 256, []uint32{0, 1, 255, 255, 1, 2}},
		{Triangles, compUnsignedShort, []uint16{0, 1, 65535}, 65536, []uint32{0, 1, 65535}},
		{TriangleStrip, compUnsignedByte, []uint8{0, 1, 255, 2}, 256, []uint32{0, 1, 255, 1, 2, 255}},
		{TriangleFan, compUnsignedShort, []uint16{65535, 1, 2}, 65536, []uint32{1, 2, 65535}},
	} {
		m := newMaker()
		positions := make([]float32, 3*c.vertices)
		positions[3*c.vertices-1] = 1
		pos := m.add("VEC3", compFloat, c.vertices, positions)
		normals := m.add("VEC3", compFloat, c.vertices, nil)
		idx := m.add("SCALAR", c.comp, len(bytesOf(c.indices))/c.comp.size(), c.indices)
		m.primitive(obj{"mode": c.mode, "attributes": obj{"POSITION": pos, "NORMAL": normals}, "indices": idx})
		d := tolerated(t, m.json(), nil, "by which primitives restart elsewhere: it was taken for the vertex")
		if got := d.Meshes[0].Primitives[0].TriangleList(); !slices.Equal(got, c.want) {
			t.Errorf("mode %d: %v, want %v", c.mode, got, c.want)
		}
	}
}

// Integers that glTF does not allow for a use are taken for what they can only mean.
func TestAccessors_OtherComponentTypes(t *testing.T) {
	type accessor struct {
		typ    string
		comp   componentType
		values any
	}
	triangle := func(name string, a accessor, more obj) (*maker, obj) {
		m := newMaker()
		attributes := obj{"POSITION": m.unitTriangle()}
		p := obj{"attributes": attributes}
		n := m.add(a.typ, a.comp, 3, a.values)
		if name == "indices" {
			p["indices"] = n
		} else {
			attributes[name] = n
		}
		for k, v := range more {
			attributes[k] = m.add(v.(accessor).typ, v.(accessor).comp, 3, v.(accessor).values)
		}
		m.primitive(p)
		return m, attributes
	}
	weights := accessor{"VEC4", compFloat, []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}}
	joints := accessor{"VEC4", compUnsignedByte, make([]uint8, 12)}
	for name, c := range map[string]struct {
		attribute string
		accessor  accessor
		more      obj
		is        func(p *Primitive) bool
		want      string
	}{
		"normals of bytes": {"NORMAL", accessor{"VEC3", compByte, []int8{0, 0, 127, 0, 5, 0, -128, 0, 0}}, nil,
			func(p *Primitive) bool {
				return slices.Equal(p.Normals, [][3]float32{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}})
			}, "accessors[1] holds BYTE, which must be normalized here, and is taken so"},
		"normals of shorts": {"NORMAL", accessor{"VEC3", compShort, []int16{0, 0, 1000, 0, 5, 0, 7, 0, 0}}, nil,
			func(p *Primitive) bool {
				return slices.Equal(p.Normals, [][3]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}})
			}, "holds SHORT"},
		"colours": {"COLOR_0", accessor{"VEC4", compUnsignedByte, []uint8{255, 0, 51, 255, 0, 0, 0, 0, 255, 255, 255, 255}}, nil,
			func(p *Primitive) bool {
				return p.Colors[0] == [4]float32{1, 0, 0.2, 1} && p.Colors[1] == [4]float32{}
			}, "holds UNSIGNED_BYTE, which must be normalized"},
		"weights": {"WEIGHTS_0", accessor{"VEC4", compUnsignedByte, []uint8{255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0}}, obj{"JOINTS_0": joints},
			func(p *Primitive) bool {
				return near(p.Weights[0][1][0], 0.2) && near(p.Weights[0][1][1], 0.8)
			}, "holds UNSIGNED_BYTE, which must be normalized"},
		"joints of 32 bits": {"JOINTS_0", accessor{"VEC4", compUnsignedInt, []uint32{7, 1, 0, 0, 0, 0, 0, 0, 65535, 0, 0, 0}}, obj{"WEIGHTS_0": weights},
			func(p *Primitive) bool {
				return p.Joints[0][0] == [4]uint16{7, 1, 0, 0} && p.Joints[0][2][0] == 65535
			}, "holds UNSIGNED_INT, which is not allowed here"},
		"joints of floats": {"JOINTS_0", accessor{"VEC4", compFloat, []float32{7, 1, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}}, obj{"WEIGHTS_0": weights},
			func(p *Primitive) bool { return p.Joints[0][0] == [4]uint16{7, 1, 0, 0} }, "holds FLOAT, which is not allowed here"},
		"indices of shorts": {"indices", accessor{"SCALAR", compShort, []int16{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds SHORT, which is not allowed here"},
		"indices of INT": {"indices", accessor{"SCALAR", compInt, []int32{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds INT, which is not allowed here"},
		"indices of floats": {"indices", accessor{"SCALAR", compFloat, []float32{2, 1, 0}}, obj{"NORMAL": accessor{"VEC3", compFloat, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1}}},
			func(p *Primitive) bool { return slices.Equal(p.Indices, []uint32{2, 1, 0}) }, "holds FLOAT, which is not allowed here"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := triangle(c.attribute, c.accessor, c.more)
			d := tolerated(t, m.json(), nil, c.want)
			if p := d.Meshes[0].Primitives[0]; !c.is(p) {
				t.Errorf("%v %v %v %v %v", p.Normals, p.Colors, p.Joints, p.Weights, p.Indices)
			}
		})
	}
	for name, a := range map[string]accessor{
		"below zero": {"SCALAR", compShort, []int16{2, -1, 0}},
		"a half":     {"SCALAR", compFloat, []float32{2, 0.5, 0}},
		"NaN":        {"SCALAR", compFloat, []float32{2, nan(), 0}},
		"infinity":   {"SCALAR", compFloat, []float32{2, float32(math.Inf(1)), 0}},
		"below":      {"SCALAR", compInt, []int32{2, -5, 0}},
	} {
		m, _ := triangle("indices", a, nil)
		_, err := read(m.json(), nil, nil)
		t.Run(name, func(t *testing.T) {
			checkError(t, err, "accessors[1]: element 1, component 0 is no whole number from 0 to 4294967295")
		})
	}
	m, _ := triangle("JOINTS_0", accessor{"VEC4", compUnsignedInt, []uint32{65536, 1, 0, 0, 0, 0, 0, 0, 65535, 0, 0, 0}}, obj{"WEIGHTS_0": weights})
	_, err := read(m.json(), nil, nil)
	checkError(t, err, "accessors[1]: element 0, component 0 is no whole number from 0 to 65535")
}

// What has a vertex that is nowhere is not drawn; 0 stands for other numbers that are none.
func TestVertices_NumbersThatAreNotFinite(t *testing.T) {
	inf := float32(math.Inf(1))
	// Vertex 2 is nowhere.
	positions := []float32{0, 0, 0, 1, 0, 0, nan(), 1, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0}
	for mode, want := range map[Mode][]uint32{
		Points: {0, 1, 3, 4, 5}, Lines: {0, 1, 4, 5}, LineStrip: {0, 1, 3, 4, 4, 5}, LineLoop: {0, 1, 3, 4, 4, 5, 5, 0},
		Triangles: {3, 4, 5}, TriangleStrip: {3, 5, 4}, TriangleFan: {3, 4, 0, 4, 5, 0},
	} {
		m := newMaker()
		pos := m.add("VEC3", compFloat, 6, positions)
		uv := m.add("VEC2", compFloat, 6, []float32{0, 0, inf, 0.5, 1, 1, nan(), nan(), 0.25, 0, 1, -inf})
		normals := m.add("VEC3", compFloat, 6, make([]float32, 18))
		m.primitive(obj{"mode": mode, "attributes": obj{"POSITION": pos, "TEXCOORD_0": uv, "NORMAL": normals}})
		d := tolerated(t, m.json(), nil, "numbers of vertices are not finite")
		p := d.Meshes[0].Primitives[0]
		if !slices.Equal(p.Indices, want) {
			t.Errorf("mode %d: indices %v, want %v", mode, p.Indices, want)
		}
		if uv := [][2]float32{{0, 0}, {0, 0.5}, {1, 1}, {0, 0}, {0.25, 0}, {1, 0}}; !slices.Equal(p.TexCoords[0], uv) {
			t.Errorf("mode %d: %v, want %v", mode, p.TexCoords[0], uv)
		}
		for v, at := range p.Positions {
			if !mat.Vec3(at).Finite() {
				t.Errorf("vertex %d is at %v", v, at)
			}
		}
	}
	for name, c := range map[string]func(m *maker, attributes obj){
		"normals": func(m *maker, a obj) {
			a["NORMAL"] = m.add("VEC3", compFloat, 3, []float32{nan(), 0, 0, 0, 0, 1, 0, 0, 1})
		},
		"tangents": func(m *maker, a obj) { a["TANGENT"] = m.add("VEC4", compFloat, 3, append(make([]float32, 11), inf)) },
		"colours":  func(m *maker, a obj) { a["COLOR_0"] = m.add("VEC3", compFloat, 3, append(make([]float32, 8), nan())) },
	} {
		m := newMaker()
		a := obj{"POSITION": m.unitTriangle(), "NORMAL": m.add("VEC3", compFloat, 3, []float32{0, 0, 1, 0, 0, 1, 0, 0, 1})}
		c(m, a)
		m.primitive(obj{"attributes": a})
		p := tolerated(t, m.json(), nil, "numbers of vertices are not finite").Meshes[0].Primitives[0]
		if p.Normals[0] != [3]float32{0, 0, 1} {
			t.Errorf("%s: %v", name, p.Normals)
		}
		for _, c := range append(slices.Clone(p.Colors), p.Tangents...) {
			for _, v := range c {
				if v-v != 0 {
					t.Errorf("%s: %v", name, c)
				}
			}
		}
	}
	// All of it is nowhere.
	m := newMaker()
	m.primitive(obj{"attributes": obj{"POSITION": m.add("VEC3", compFloat, 3, []float32{nan(), 0, 0, 1, inf, 0, 0, 0, -inf})}})
	if d := tolerated(t, m.json(), nil, "numbers of vertices are not finite"); d.Empty() != "the meshes of its scene have no vertices" || len(drawn(t, d, NoAnimation, 0)) != 0 {
		t.Errorf("%q", d.Empty())
	}
}

// min and max are what readers of positions go by elsewhere: they are compared, and nothing else.
func TestAccessors_MinAndMaxOfPositions(t *testing.T) {
	for want, more := range map[string]obj{
		"accessors[0] has no min and max":                          {"min": nil},
		"accessors[0]: min and max must be 3 numbers each":         {"max": arr{1, 1}},
		"accessors[0] says 0 to 2 of component 0, and has 0 to 1":  {"max": arr{2, 1, 0}},
		"accessors[0] says -1 to 1 of component 1, and has 0 to 1": {"min": arr{0, -1, 0}},
	} {
		m := newMaker()
		m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
		for k, v := range more {
			m.acc[0].(obj)[k] = v
		}
		d, err := read(m.json(), nil, nil)
		if err != nil || len(d.Losses) < 1 || !strings.Contains(strings.Join(d.Losses, "\n"), want) {
			t.Errorf("%v, losses %q, want %q", err, d.Losses, want)
		}
	}
}

// Cameras and lights that cannot be are brought to some that can.
func TestCameras_Repaired(t *testing.T) {
	perspective := func(p obj) obj { return obj{"type": "perspective", "perspective": p} }
	orthographic := func(o obj) obj { return obj{"type": "orthographic", "orthographic": o} }
	for name, c := range map[string]struct {
		camera obj
		is     Camera
	}{
		"unknown, orthographic": {obj{"type": "ortho", "orthographic": obj{"xmag": 2, "ymag": 1, "znear": 0, "zfar": 9}}, Camera{Orthographic: true, XMag: 2, YMag: 1, ZFar: 9}},
		"unknown, perspective":  {obj{"type": "fish", "perspective": obj{"yfov": 0.5, "znear": 1}}, Camera{YFov: 0.5, ZNear: 1}},
		"znear 0":               {perspective(obj{"yfov": 0.5, "znear": 0}), Camera{YFov: 0.5, ZNear: 1e-3}},
		"zfar before znear":     {perspective(obj{"yfov": 0.5, "znear": 2, "zfar": 1}), Camera{YFov: 0.5, ZNear: 2}},
		"yfov of degrees":       {perspective(obj{"yfov": 45, "znear": 2}), Camera{YFov: math.Pi / 4, ZNear: 2}},
		"aspect 0":              {perspective(obj{"yfov": 0.5, "znear": 2, "aspectRatio": 0}), Camera{YFov: 0.5, ZNear: 2}},
		"xmag 0":                {orthographic(obj{"xmag": 0, "ymag": 3, "znear": 0, "zfar": 9}), Camera{Orthographic: true, XMag: 3, YMag: 3, ZFar: 9}},
		"no zfar":               {orthographic(obj{"xmag": 1, "ymag": 3, "znear": 5}), Camera{Orthographic: true, XMag: 1, YMag: 3, ZNear: 5, ZFar: 105}},
		"zfar at znear":         {orthographic(obj{"xmag": 1, "ymag": 3, "znear": 5, "zfar": 5}), Camera{Orthographic: true, XMag: 1, YMag: 3, ZNear: 5, ZFar: 105}},
		"znear at the end":      {orthographic(obj{"xmag": 1, "ymag": 3, "znear": math.MaxFloat32, "zfar": 5}), Camera{Orthographic: true, XMag: 1, YMag: 3, ZFar: math.MaxFloat32}},
		"nothing":               {obj{"type": "perspective"}, Camera{YFov: math.Pi / 4, ZNear: 1e-3}},
	} {
		m := newMaker()
		m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
		m.doc["cameras"] = arr{c.camera}
		d, err := read(m.json(), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := d.Cameras[0]; got != c.is || len(d.Losses) == 0 || !got.valid() {
			t.Errorf("%s: %+v, want %+v; losses %q", name, got, c.is, d.Losses)
		}
		if _, err := read(m.json(), nil, &Options{Strict: true}); err == nil {
			t.Errorf("%s: no error with Strict", name)
		}
	}
}

func TestLights_Repaired(t *testing.T) {
	white := [3]float32{1, 1, 1}
	for name, c := range map[string]struct {
		light obj
		is    Light
	}{
		"unknown type":       {obj{"type": "area"}, Light{Type: LightPoint, Color: white}},
		"below zero":         {obj{"type": "point", "intensity": -1}, Light{Type: LightPoint, Color: white}},
		"range 0":            {obj{"type": "point", "range": 0}, Light{Type: LightPoint, Color: white, Intensity: 1}},
		"colour of four":     {obj{"type": "directional", "color": arr{1, 0.5, 0, 1}}, Light{Color: [3]float32{1, 0.5, 0}, Intensity: 1}},
		"spot without angle": {obj{"type": "spot"}, Light{Type: LightSpot, Color: white, Intensity: 1, OuterConeAngle: math.Pi / 4}},
		"hard edge": {obj{"type": "spot", "spot": obj{"innerConeAngle": 0.5, "outerConeAngle": 0.5}},
			Light{Type: LightSpot, Color: white, Intensity: 1, InnerConeAngle: math.Nextafter32(0.5, 0), OuterConeAngle: 0.5}},
		"wide": {obj{"type": "spot", "spot": obj{"outerConeAngle": 3}}, Light{Type: LightSpot, Color: white, Intensity: 1, OuterConeAngle: math.Pi / 2}},
	} {
		m := newMaker()
		m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
		m.doc["extensionsUsed"] = arr{"KHR_lights_punctual"}
		m.doc["extensions"] = obj{"KHR_lights_punctual": obj{"lights": arr{c.light}}}
		if d := tolerated(t, m.json(), nil, "extensions.KHR_lights_punctual.lights[0]"); d.Lights[0] != c.is || !d.Lights[0].valid() {
			t.Errorf("%s: %+v, want %+v", name, d.Lights[0], c.is)
		}
	}
}

// A fault that a file has often is told in one line.
func TestLosses_OneLineAKind(t *testing.T) {
	m := newMaker()
	var materials arr
	for range 5000 {
		materials = append(materials, obj{"alphaMode": "?", "pbrMetallicRoughness": obj{"metallicFactor": 2}})
	}
	m.doc["materials"] = materials
	m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle()}})
	d := mustRead(t, m.json())
	want := []string{
		"model.gltf: materials[0].pbrMetallicRoughness.metallicFactor: 2 is out of range: 1 stands for it (and 4999 more of the kind)",
		`model.gltf: materials[0].alphaMode: "?" is not OPAQUE, MASK or BLEND: OPAQUE stands for it (and 4999 more of the kind)`,
	}
	if !slices.Equal(d.Losses, want) || !slices.Equal(d.Warnings, want) {
		t.Errorf("losses %q", d.Losses)
	}
}

// Files beside the model's folder are read where Options.Assets says so, and no others.
func TestLoad_Assets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"models/a", "shared/tex", "secret"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"models/a/own", "models/mid", "shared/tex/c", "secret/s"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("1234"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := os.Symlink("../../secret/s", filepath.Join(dir, "shared/tex/link")) == nil
	const leaves = "leaves the model's folder"
	links = links && os.Symlink("../../shared/tex/c", filepath.Join(dir, "models/a/out-link")) == nil
	for _, c := range []struct{ assets, uri, want string }{
		{"", "out-link", "cannot be read"},
		{"shared", "out-link", "cannot be read"}, // the link itself is in neither
		{".", "out-link", ""},
		{"", "own", ""},
		{"", "../a/own", ""}, // which is inside
		{"", "../../models/a/own", ""},
		{"", "x/../own", ""},
		{"", "../mid", leaves + ": --assets DIR (Options.Assets) allows"},
		{"", "../../shared/tex/c", leaves},
		{"shared", "../../shared/tex/c", ""},
		{"shared/tex", "../../shared/tex/c", ""},
		{".", "../../shared/tex/c", ""},
		{".", "../mid", ""},
		{".", "own", ""},
		{"models", "../mid", ""},
		{"models", "../../shared/tex/c", leaves + " and that of --assets DIR"},
		{"shared", "../mid", leaves + " and that of"},
		{"shared", "../../shared/../secret/s", leaves + " and that of"},
		{"shared", "../../sharedx/c", leaves + " and that of"},
		{".", "../../../etc/passwd", leaves + " and that of"},
		{"shared", "../../shared/tex/link", "cannot be read"},
		{"shared", "/etc/passwd", "is an absolute path"},
		{"shared", "own", ""},
		{"none", "own", "the folder "},
	} {
		if strings.HasSuffix(c.uri, "link") && !links {
			continue
		}
		path := filepath.Join(dir, "models/a/model.gltf")
		if err := os.WriteFile(path, bufferAt(c.uri, 4), 0o644); err != nil {
			t.Fatal(err)
		}
		var opt Options
		if c.assets != "" {
			opt.Assets = filepath.Join(dir, c.assets)
		}
		_, err := Load(t.Context(), path, &opt)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s with %q: %v, want %q", c.uri, c.assets, err, c.want)
		}
	}
}

// URIs that are written as no URI is, and can only mean one file.
func TestURIs_AsExportersWriteThem(t *testing.T) {
	fsys := fstest.MapFS{"tex/a b.bin": {Data: make([]byte, 4)}, "100%.bin": {Data: make([]byte, 4)}, "c%20d.bin": {Data: make([]byte, 4)}}
	for uri, want := range map[string]string{
		`tex\a b.bin`:          "has backslashes, which were taken for slashes",
		`.\tex\a%20b.bin`:      "has backslashes, which were taken for slashes",
		`x\..\tex\a b.bin`:     "has backslashes",
		"100%.bin":             "has a % that begins no escape, and was taken as it is",
		"c%20d.bin":            "is a file's name as it is, with nothing escaped",
		"x/../c%20d.bin":       "is a file's name as it is",
		"x/%2e%2e/100%.bin":    "",
		"tex%2Fa%20b.bin":      "ok",
		"x/%2e%2e/tex/a b.bin": "ok",
	} {
		switch want {
		case "ok":
			if _, err := read(bufferAt(uri, 4), fsys, &Options{Strict: true}); err != nil {
				t.Errorf("%s: %v", uri, err)
			}
		case "":
			if _, err := read(bufferAt(uri, 4), fsys, nil); err == nil {
				t.Errorf("%s: is read", uri)
			}
		default:
			tolerated(t, bufferAt(uri, 4), fsys, want)
		}
	}
}

// What is no model is said to be what it is.
func TestErrors_OtherFiles(t *testing.T) {
	const none = "is no model of a kind that is read (glTF as .gltf and .glb, OBJ, STL and PLY): "
	for text, want := range map[string]string{
		" \n":                      "the file is empty",
		"\x00\x00":                 "the file is empty",
		"# Blender 4.2\no Cube\n":  none + `it is text that begins with "# Blender 4.2"`,
		"Kaydara FBX Binary  \x00": "FBX is not read",
		"PK\x03\x04":               "a ZIP archive is not read",
		"\x1f\x8b\x08":             "a file packed by gzip is not read",
		"\x89PNG\r\n\x1a\n":        none, // too short to be one
		"<!DOCTYPE html>":          "a web page is not read",
		"b3dm\x01\x00\x00\x00":     "3D Tiles' b3dm is not read",
		"\xff\xfe{\x00":            "text of UTF-16 is not read",
		"version https://git-lfs.github.com/spec/v1\noid": "a pointer of Git LFS is not read",
		"\x01\x02\x03\xff": none + "its first bytes are 01 02 03 ff",
		"[1]":              none + "it is JSON, but no object",
		`"glTF"`:           none + "it is JSON, but no object",
	} {
		_, err := read([]byte(text), nil, nil)
		checkError(t, err, "model.gltf: "+want)
	}
	for text, want := range map[string]string{
		`{}`:             "is JSON, but no glTF: it has neither asset nor scenes, nodes or meshes",
		`{"name":"app"}`: "is JSON, but no glTF",
		`{"asset":{"version":"1.0"},"meshes":{"m":{}}}`: "asset: glTF 1.0 is not supported (2.0 is): convert it",
		`{"meshes":{"m":{}}}`:                           "glTF 1.0 is not supported",
		`{"asset":{"version":"1.1"}}`:                   "glTF 1.0 is not supported",
		`{"asset":{"version":1}}`:                       "glTF 1.0 is not supported",
		`{"asset":{"version":"0.8"}}`:                   "glTF 1.0 is not supported",
		`{"asset":{"version":"3.0"}}`:                   `glTF version "3.0" is not supported`,
		`{"asset":{"version":"2.0"},`:                   "JSON: the file is truncated: its text ends in line 1",
		"{\"asset\":\n{\"ver":                           "JSON: the file is truncated: its text ends in line 2",
		`{"asset":{"version":"2.0"},}`:                  "JSON: line 1: invalid character '}'",
		`{"asset":{"version":"2.0"}} x`:                 "JSON: line 1: invalid character 'x' after top-level value",
	} {
		_, err := read([]byte(text), nil, nil)
		checkError(t, err, want)
	}
	for _, asset := range []string{`{"version":2.0}`, `{"version":"2"}`, `{"generator":"x"}`, `{"version":"2.0","generator":7}`} {
		text := fmt.Sprintf(`{"asset":%s,"nodes":[{"name":true}]}`, asset)
		if _, err := read([]byte(text), nil, nil); err != nil {
			t.Errorf("%s: %v", asset, err)
		}
	}
	d := mustRead(t, append([]byte(`{"asset":{"version":"2.0"},"nodes":[{"name":3,"translation":[1,2,3]}]}`), 0, 0, 0))
	if d.Nodes[0].Translation != (mat.DVec3{1, 2, 3}) || len(d.Losses) != 2 {
		t.Errorf("%v, losses %q", d.Nodes[0], d.Losses)
	}
}

// Extensions of which enough is left to draw are told, required or not.
func TestExtensions_DrawnWithout(t *testing.T) {
	for name, what := range without {
		m := newMaker()
		m.primitive(obj{"mode": 0, "attributes": obj{"POSITION": m.unitTriangle()}, "extensions": obj{name: obj{}}})
		m.doc["extensionsUsed"], m.doc["extensionsRequired"] = arr{name}, arr{name}
		if d := tolerated(t, m.json(), nil, what); len(drawn(t, d, NoAnimation, 0)) != 1 {
			t.Errorf("%s: nothing is drawn", name)
		}
		m.doc["extensionsRequired"] = arr{}
		tolerated(t, m.json(), nil, what)
	}
	d := mustReadFS(t, textureDocument(source("KHR_texture_ktx", 0), "etc1s.ktx2"), texturesFS(t))
	if len(d.Losses) != 0 || d.Textures[0].Image == nil || d.Textures[0].Image.MIMEType != "image/ktx2" {
		t.Errorf("KHR_texture_ktx: losses %q", d.Losses)
	}
}

// Why nothing is drawn.
func TestEmpty(t *testing.T) {
	mesh := arr{obj{"primitives": arr{obj{"attributes": obj{"POSITION": 0}}}}}
	hidden := obj{"KHR_node_visibility": obj{"visible": false}}
	for want, change := range map[string]func(d obj){
		"":                                func(obj) {},
		"the model has no mesh":           func(d obj) { delete(d, "meshes"); d["nodes"] = arr{obj{}} },
		"no node places a mesh":           func(d obj) { delete(d, "nodes"); delete(d, "scenes") },
		"its scene has no nodes":          func(d obj) { d["scenes"] = arr{obj{}} },
		"no node of its scene has a mesh": func(d obj) { d["nodes"] = arr{obj{}, obj{"mesh": 0}} },
		"the meshes of its scene have no vertices":   func(d obj) { d["meshes"] = arr{obj{"primitives": arr{obj{"attributes": obj{}}}}} },
		"the nodes of its meshes are hidden":         func(d obj) { d["nodes"] = arr{obj{"mesh": 0, "extensions": hidden}} },
		"the nodes of its meshes are hidden\x00deep": func(d obj) { d["nodes"] = arr{obj{"children": arr{1}, "extensions": hidden}, obj{"mesh": 0}} },
	} {
		m := newMaker()
		m.unitTriangle()
		m.doc["meshes"], m.doc["nodes"], m.doc["scenes"] = mesh, arr{obj{"mesh": 0}}, arr{obj{"nodes": arr{0}}}
		change(m.doc)
		want, _, _ = strings.Cut(want, "\x00")
		if got := mustRead(t, m.json()).Empty(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
