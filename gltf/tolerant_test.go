package gltf

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
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
