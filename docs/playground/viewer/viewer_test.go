package viewer

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"math"
	"strings"
	"testing"
)

// A square from 0, 0 to 1, 1 in z = 0, whose buffer is another file.
const squareModel = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
	"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":5}]}],"buffers":[{"byteLength":48,"uri":"data/square.bin"}],
	"bufferViews":[{"buffer":0,"byteLength":48}],
	"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]}`

func square(t *testing.T, names ...string) map[string][]byte {
	t.Helper()
	buffer, err := base64.StdEncoding.DecodeString("AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAA")
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{names[0]: []byte(squareModel), names[1]: buffer}
}

func open(t *testing.T) *Viewer {
	t.Helper()
	v, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v
}

// Files are found where the model wants them, in a folder that was dropped whole, and
// where people drop them one beside the other.
func TestLoad_FindsFilesInFoldersAndWithout(t *testing.T) {
	v := open(t)
	for _, names := range [][]string{{"square.gltf", "data/square.bin"}, {"models/square.gltf", "models/data/square.bin"}, {"square.gltf", "square.bin"}} {
		m, err := v.Load(t.Context(), square(t, names...))
		if err != nil {
			t.Errorf("%v: %v", names, err)
		} else if m.Name != "square.gltf" || m.Vertices != 6 || len(m.Warnings) != 0 {
			t.Errorf("%v: %+v", names, m)
		}
	}
	library := map[string][]byte{"a/b.obj": []byte("mtllib b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl c\nf 1 2 3\n"), "a/b.mtl": []byte("newmtl c\n")}
	if m, err := v.Load(t.Context(), library); err != nil || m.Name != "b.obj" || m.Vertices != 3 || len(m.Warnings) != 0 {
		t.Errorf("an OBJ file: %+v, %v", m, err)
	}
	for want, files := range map[string]map[string][]byte{
		"no model among 1 files": {"a.bin": nil}, "a.glb and b.gltf": {"b.gltf": nil, "a.glb": nil}, "square.bin": square(t, "square.gltf", "other.bin"), "GLB": {"x.glb": []byte("glTF")},
	} {
		if _, err := v.Load(t.Context(), files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	// What failed has left the model before.
	if _, err := v.Render(t.Context(), View{Width: 8, Height: 8, Zoom: 1}); err != nil {
		t.Error(err)
	}
}

// covered counts the pixels that are not background, of all and on the border.
func covered(img *image.NRGBA) (all, border int) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.NRGBAAt(x, y).A == 0 {
				continue
			}
			all++
			if x == 0 || y == 0 || x == img.Rect.Dx()-1 || y == img.Rect.Dy()-1 {
				border++
			}
		}
	}
	return all, border
}

// From wherever one looks, the model is whole in the picture; from its side a square is a
// line, and from twice as near four times as large.
func TestRender_OrbitKeepsTheModelInThePicture(t *testing.T) {
	v := open(t)
	if _, err := v.Load(t.Context(), square(t, "square.gltf", "square.bin")); err != nil {
		t.Fatal(err)
	}
	size := func(yaw, pitch, zoom float64) int {
		t.Helper()
		img, err := v.Render(t.Context(), View{Width: 64, Height: 64, Samples: 1, Yaw: yaw, Pitch: pitch, Zoom: zoom})
		if err != nil {
			t.Fatal(err)
		}
		all, border := covered(img)
		if border > 0 && zoom <= 1 {
			t.Errorf("yaw %v, pitch %v: %d pixels on the border", yaw, pitch, border)
		}
		return all
	}
	front := size(0, 0, 1)
	// The ball's radius is ½√2, of 32 pixels: at the distance of the square's plane, its edge is 64/√2·cos 15° ≈ 43.7.
	if front < 41*41 || front > 46*46 {
		t.Errorf("the square has %d pixels, want 44² or so", front)
	}
	if side := size(90, 0, 1); side > 64 {
		t.Errorf("from its side the square has %d pixels", side)
	}
	if tilted := size(40, 30, 1); tilted == 0 || tilted >= front {
		t.Errorf("tilted it has %d pixels, from the front %d", tilted, front)
	}
	if half := size(0, 0, 0.5); half < front/5 || half > front/3 {
		t.Errorf("twice as far it has %d pixels, from near %d", half, front)
	}
}

// TestRender_OrbitFarAway: a square at project coordinates, or in small units, is the same picture.
func TestRender_OrbitFarAway(t *testing.T) {
	v := open(t)
	draw := func(node string) []byte {
		t.Helper()
		files := square(t, "square.gltf", "square.bin")
		files["square.gltf"] = bytes.Replace(files["square.gltf"], []byte(`{"mesh":0}`), []byte(node), 1)
		if _, err := v.Load(t.Context(), files); err != nil {
			t.Fatal(err)
		}
		img, err := v.Render(t.Context(), View{Width: 64, Height: 64, Samples: 1, Yaw: 20, Pitch: 30, Zoom: 1})
		if err != nil {
			t.Fatal(err)
		}
		return img.Pix
	}
	want := draw(`{"mesh":0}`)
	for _, node := range []string{
		`{"mesh":0,"translation":[2600000.5,-1000000000,7]}`, `{"mesh":0,"scale":[8388608,8388608,8388608]}`,
		`{"mesh":0,"scale":[9.313225746154785e-10,9.313225746154785e-10,9.313225746154785e-10]}`,
	} {
		if !bytes.Equal(draw(node), want) {
			t.Errorf("%s is another picture", node)
		}
	}
}

func TestRender_RefusesWhatIsNotThere(t *testing.T) {
	v := open(t)
	if _, err := v.Render(t.Context(), View{Width: 8, Height: 8, Zoom: 1}); err == nil {
		t.Error("no model: no error")
	}
	if _, err := v.Load(t.Context(), square(t, "square.gltf", "square.bin")); err != nil {
		t.Fatal(err)
	}
	for name, view := range map[string]View{
		"no extent": {Zoom: 1}, "too large": {Width: MaxExtent + 1, Height: 8, Zoom: 1}, "camera": {Width: 8, Height: 8, Zoom: 1, Camera: 1}, "animation": {Width: 8, Height: 8, Zoom: 1, Animation: 1},
		"not a number": {Width: 8, Height: 8, Zoom: 1, Yaw: math.NaN()}, "zoom": {Width: 8, Height: 8}, "samples": {Width: 8, Height: 8, Zoom: 1, Samples: 3}, "background": {Width: 8, Height: 8, Zoom: 1, Background: "red"},
	} {
		if _, err := v.Render(t.Context(), view); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The picture of samples has the texels where they are, and the explanation ends with them.
func TestSamples_ShowsTheTexture(t *testing.T) {
	v := open(t)
	s := Sampler{Filter: "nearest", Wrap: "repeat"}
	img, err := v.Samples(t.Context(), s, 32) // 16 pixels a texture, 2 a texel, from -½
	if err != nil {
		t.Fatal(err)
	}
	// Texel 0, 0 is (0, 0, 252), texel 1, 0 (0/2+128, 234/2+128, 36/2+128).
	for at, want := range map[image.Point][3]uint8{{X: 8, Y: 8}: {0, 0, 252}, {X: 9, Y: 9}: {0, 0, 252}, {X: 10, Y: 8}: {128, 245, 146}, {X: 24, Y: 24}: {0, 0, 252}} {
		if c := img.NRGBAAt(at.X, at.Y); [3]uint8{c.R, c.G, c.B} != want || c.A != 255 {
			t.Errorf("%v is %v, want %v", at, c, want)
		}
	}
	a, err := v.Explain(t.Context(), s, SampleCoord(8, 32), SampleCoord(8, 32))
	if err != nil {
		t.Fatal(err)
	}
	if a.Texel != "(0, 0, 0.9882353, 1)" || len(a.Steps) < 5 || a.At != "0.03125, 0.03125" {
		t.Errorf("the explanation is %+v", a)
	}
	if _, err := v.Samples(t.Context(), Sampler{Filter: "best", Wrap: "repeat"}, 8); err == nil {
		t.Error("an unknown filter: no error")
	}
	if _, err := v.LoadTexture(t.Context(), "x.png", []byte("no picture")); err == nil || !strings.HasPrefix(err.Error(), "x.png: ") {
		t.Errorf("a file that is no texture: %v", err)
	}
}

func TestRender_EndsWithItsContext(t *testing.T) {
	v := open(t)
	if _, err := v.Load(t.Context(), square(t, "square.gltf", "square.bin")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Render(ctx, View{Width: 64, Height: 64, Zoom: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled job ends with %v", err)
	}
	if _, err := v.Render(t.Context(), View{Width: 64, Height: 64, Zoom: 1}); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
