package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// bounds of what is covered by one colour.
func boundsOf(img *image.NRGBA, c color.NRGBA) (b image.Rectangle) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if near(img.NRGBAAt(x, y), c, 1) {
				b = b.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return b
}

// cube is a cube from -1 to 1, each side of another colour: +x red, -x green, +y blue, -y yellow,
// +z white, -z black.
func cube() *scene {
	s := newScene()
	h := 0.7071067811865476
	for _, side := range []struct {
		color obj
		turn  arr // of a quad at z = 1 that faces +z
	}{
		{unlit(1, 0, 0, 1), arr{0, h, 0, h}}, {unlit(0, 1, 0, 1), arr{0, -h, 0, h}},
		{unlit(0, 0, 1, 1), arr{-h, 0, 0, h}}, {unlit(1, 1, 0, 1), arr{h, 0, 0, h}},
		{unlit(1, 1, 1, 1), arr{0, 0, 0, 1}}, {unlit(0, 0, 0, 1), arr{0, 1, 0, 0}},
	} {
		s.putQuad(-1, -1, 1, 1, 1, side.color)["rotation"] = side.turn
	}
	return s
}

var black = color.NRGBA{0, 0, 0, 255}

// TestCamera_WhereItStands sees the side of a cube that it stands before, alone, in the middle.
func TestCamera_WhereItStands(t *testing.T) {
	b := newBench(t)
	doc := cube().document(t)
	at := func(x, y, z float64) *mat.DVec3 { return &mat.DVec3{x, y, z} }
	for name, c := range map[string]struct {
		camera studio.Camera
		want   color.NRGBA
	}{
		"yaw 0":             {studio.Camera{}, white},
		"yaw 90":            {studio.Camera{Yaw: 90}, red},
		"yaw -90":           {studio.Camera{Yaw: -90}, green},
		"yaw 180":           {studio.Camera{Yaw: 180}, black},
		"pitch 90":          {studio.Camera{Pitch: 90}, blue},
		"pitch -90":         {studio.Camera{Pitch: -90}, yellow},
		"up +z":             {studio.Camera{Up: mat.DVec3{0, 0, 3}}, yellow}, // looks along +y
		"up +z from above":  {studio.Camera{Up: mat.DVec3{0, 0, 3}, Pitch: 90}, white},
		"up -y":             {studio.Camera{Up: mat.DVec3{0, -1, 0}}, black}, // half a turn about x
		"up +x from above":  {studio.Camera{Up: mat.DVec3{0.5, 0, 0}, Pitch: 90}, red},
		"position +x":       {studio.Camera{Position: at(7, 0, 0)}, red},
		"position -y":       {studio.Camera{Position: at(0, -7, 0)}, yellow}, // straight up, along Up
		"position, z up":    {studio.Camera{Position: at(0, 7, 0), Up: mat.DVec3{0, 0, 1}}, blue},
		"position, target":  {studio.Camera{Position: at(0, 0, -7), Target: at(0, 0, 0)}, black},
		"orthographic":      {studio.Camera{Yaw: 90, Orthographic: true}, red},
		"orthographic from": {studio.Camera{Position: at(-7, 0, 0), Orthographic: true}, green},
		"turning":           {studio.Camera{Yaw: 90, Turning: true}, red},
	} {
		t.Run(name, func(t *testing.T) {
			img := b.draw(doc, studio.View{Width: 60, Height: 60, Samples: 1, Camera: c.camera})
			side := boundsOf(img, c.want)
			if side.Dx() < 20 || side.Dx() > 58 || side.Dx() != side.Dy() || side.Min != (image.Pt(60, 60).Sub(side.Max)) {
				t.Errorf("the side is seen at %v", side)
			}
			if n := covered(img).count(); n != side.Dx()*side.Dy() {
				t.Errorf("%d pixels are drawn, %d of them the side", n, side.Dx()*side.Dy())
			}
		})
	}
}

// TestCamera_UpIsUp: the upper half of what is seen from the front with +x up is that at +x.
func TestCamera_UpIsUp(t *testing.T) {
	s := newScene()
	s.putQuad(0, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	s.putQuad(-1, -1, 0, 1, 0, unlit(0, 1, 0, 1))
	img := newBench(t).draw(s.document(t), studio.View{Width: 40, Height: 40, Samples: 1, Camera: studio.Camera{
		Position: &mat.DVec3{0, 0, 5}, Up: mat.DVec3{2, 0, 0}}})
	up, down := boundsOf(img, red), boundsOf(img, green)
	if up.Empty() || up.Max.Y != down.Min.Y {
		t.Errorf("+x at %v, -x at %v", up, down)
	}
}

// By hand: at a distance of 5 and an angle of 90°, the picture is 10 high; a quad from -2.5 to 2.5 takes the
// middle half of 80 pixels, whatever the picture's width.
func TestCamera_FOVIsVertical(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-2.5, -2.5, 2.5, 2.5, 0, unlit(1, 0, 0, 1))
	doc := s.document(t)
	for _, width := range []int{80, 120, 60} {
		img := b.draw(doc, studio.View{Width: width, Height: 80, Samples: 1, Camera: studio.Camera{Position: &mat.DVec3{0, 0, 5}, FOV: 90}})
		if got, want := boundsOf(img, red), image.Rect(width/2-20, 20, width/2+20, 60); got != want {
			t.Errorf("%d wide: %v, want %v", width, got, want)
		}
	}
	// Twice as large, by zooming in.
	img := b.draw(doc, studio.View{Width: 80, Height: 80, Samples: 1, Camera: studio.Camera{Position: &mat.DVec3{0, 0, 5}, FOV: 90, Zoom: 2}})
	if got := boundsOf(img, red); got != image.Rect(0, 0, 80, 80) {
		t.Errorf("zoomed: %v", got)
	}
}

// By hand: framed with a margin of 6 %, 2 units are 106/1.06 = 100 of 106 pixels; without perspective quads
// of one size at any depth are as large.
func TestCamera_OrthographicFrames(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, unlit(1, 0, 0, 1))
	s.putQuad(-1, -1, 1, 1, -50, unlit(0, 1, 0, 1))
	doc := s.document(t)
	for _, c := range []studio.Camera{{Orthographic: true}, {Orthographic: true, Position: &mat.DVec3{0, 0, 9}}} {
		img := b.draw(doc, studio.View{Width: 106, Height: 106, Samples: 1, Camera: c})
		if got := boundsOf(img, red); got != image.Rect(3, 3, 103, 103) {
			t.Errorf("the near quad is at %v", got)
		}
	}
	img := b.draw(doc, studio.View{Width: 106, Height: 106, Samples: 1, Camera: studio.Camera{Orthographic: true, Zoom: 0.5}})
	if got := boundsOf(img, red); got != image.Rect(28, 28, 78, 78) {
		t.Errorf("half as large: %v", got)
	}
}

// TestCamera_OrthographicRaysAreParallel: a flat mirror mirrors one point of the environment.
func TestCamera_OrthographicRaysAreParallel(t *testing.T) {
	s := newScene()
	s.putQuad(-1, -1, 1, 1, 0, surface(0.9, 0.9, 0.9, 1, 0.2))
	doc := s.document(t)
	b := newBench(t)
	for name, c := range map[string]studio.Camera{
		"framing": {Yaw: 30, Pitch: 20, Orthographic: true}, "document": {Document: &doc.Cameras[0]},
	} {
		img := b.draw(doc, studio.View{Width: 64, Height: 64, Samples: 1, Camera: c})
		m := covered(img)
		if got := boundsOf(img, img.NRGBAAt(32, 32)); m.count() == 0 || got.Dx()*got.Dy() < m.count() {
			t.Errorf("%s: the colour in the middle reaches over %v only", name, got)
		}
		middle := img.NRGBAAt(32, 32)
		for y := range 64 {
			for x := range 64 {
				if c := img.NRGBAAt(x, y); c.A == 255 && !near(c, middle, 1) {
					t.Fatalf("%s: %v at %d,%d, %v in the middle", name, c, x, y, middle)
				}
			}
		}
	}
}

// TestCamera_TurningStandsStill: a pole on the axis has one place and height in all pictures of a turn, and what goes
// around it stays in them.
func TestCamera_TurningStandsStill(t *testing.T) {
	b := newBench(t)
	s := newScene()
	double := func(m obj) obj { return with(m, obj{"doubleSided": true}) }
	s.putQuad(-3, -0.1, -2.8, 0.1, 0, double(unlit(0, 1, 0, 1)))
	s.putQuad(2.8, -0.1, 3, 0.1, 0, double(unlit(0, 0, 1, 1)))
	for _, turn := range []arr{{0, 0, 0, 1}, {0, 0.7071067811865476, 0, 0.7071067811865476}} {
		s.putQuad(-0.1, -1, 0.1, 1, 0, double(unlit(1, 0, 0, 1)))["rotation"] = turn
	}
	doc := s.document(t)
	for _, c := range []studio.Camera{{}, {Pitch: 35}, {Pitch: -60, FOV: 70}, {Orthographic: true, Pitch: 20}, {Target: &mat.DVec3{0, 0, 0}, Pitch: 10}} {
		c.Turning = true
		var pole image.Rectangle
		for yaw := 0; yaw < 360; yaw += 15 {
			c.Yaw = float64(yaw)
			img := b.draw(doc, studio.View{Width: 200, Height: 120, Samples: 1, Camera: c})
			got := boundsOf(img, red)
			if pole.Empty() {
				pole = got
			}
			if abs(got.Min.Y-pole.Min.Y) > 2 || abs(got.Max.Y-pole.Max.Y) > 2 {
				t.Errorf("%+v: the pole is at %v, before %v", c, got, pole)
			}
			x0, y0, x1, y1 := covered(img).bounds()
			if x0 < 1 || y0 < 1 || x1 > 199 || y1 > 119 {
				t.Errorf("%+v: the model reaches out of the picture: %d,%d to %d,%d", c, x0, y0, x1, y1)
			}
		}
	}
}

func abs(i int) int { return max(i, -i) }

// TestCamera_TargetIsInTheMiddle, and all of the model in the picture.
func TestCamera_TargetIsInTheMiddle(t *testing.T) {
	b := newBench(t)
	s := newScene()
	s.putQuad(-4, -0.5, -3, 0.5, 0, unlit(1, 0, 0, 1))
	s.putQuad(3, -0.5, 4, 0.5, 0, unlit(0, 1, 0, 1))
	img := b.draw(s.document(t), studio.View{Width: 200, Height: 100, Samples: 1, Camera: studio.Camera{Target: &mat.DVec3{3.5, 0, 0}}})
	left, right := boundsOf(img, red), boundsOf(img, green)
	if c := right.Min.X + right.Max.X; c != 200 || right.Min.Y+right.Max.Y != 100 {
		t.Errorf("the target is at %v, not in the middle", right)
	}
	if left.Empty() || left.Min.X < 1 || left.Min.X > 20 {
		t.Errorf("the other end is at %v", left)
	}
}

func TestCamera_Errors(t *testing.T) {
	b := newBench(t)
	m, err := b.Load(ctx, cube().document(t))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	zero := 0.0
	for want, c := range map[string]studio.Camera{
		"Camera.FOV 180: want":              {FOV: 180},
		"Camera.FOV -1: want":               {FOV: -1},
		"Camera.FOV NaN: want":              {FOV: zero / zero},
		"an Orthographic camera has none":   {FOV: 30, Orthographic: true},
		"Position and Target are one point": {Position: &mat.DVec3{1, 2, 3}, Target: &mat.DVec3{1, 2, 3}},
		"Camera.Position [NaN 0 0]":         {Position: &mat.DVec3{zero / zero}},
		"Camera.Target [+Inf 0 0]":          {Target: &mat.DVec3{1 / zero}},
		"Camera.Up [0 0 -Inf]":              {Up: mat.DVec3{0, 0, -1 / zero}},
		"one with a Position stands still":  {Position: &mat.DVec3{1, 2, 3}, Turning: true},
	} {
		if _, err := b.Render(ctx, m, studio.View{Width: 8, Height: 8, Camera: c}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCamera_BehindAndInside draws what is before the eye, from within a model and turned away from it.
func TestCamera_BehindAndInside(t *testing.T) {
	b := newBench(t)
	s := cube()
	for _, m := range s.materials {
		m.(obj)["doubleSided"] = true
	}
	doc := s.document(t)
	img := b.draw(doc, studio.View{Width: 40, Height: 40, Samples: 1, Camera: studio.Camera{Position: &mat.DVec3{}, Target: &mat.DVec3{1, 0, 0}, FOV: 90}})
	if got := boundsOf(img, red); got != image.Rect(0, 0, 40, 40) {
		t.Errorf("from within, the wall is at %v", got)
	}
	img = b.draw(doc, studio.View{Width: 40, Height: 40, Samples: 1, Camera: studio.Camera{Position: &mat.DVec3{5, 0, 0}, Target: &mat.DVec3{9, 0, 0}}})
	if !bytes.Equal(img.Pix, make([]byte, len(img.Pix))) {
		t.Error("what is behind the eye is drawn")
	}
}
