package gltf

import (
	"bytes"
	"encoding/base64"
	"runtime"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
)

// collected waits until no more than n bytes are charged.
func collected(t *testing.T, b *budget.Budget, n int64) {
	t.Helper()
	for range 200 {
		if runtime.GC(); b.Used() <= n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d bytes stay charged, more than %d", b.Used(), n)
}

// pictured returns a model with a picture and a mesh that needs tangents.
func pictured() []byte {
	m := newMaker()
	uv := m.add("VEC2", compFloat, 3, []float32{0, 0, 1, 0, 0, 1})
	m.primitive(obj{"attributes": obj{"POSITION": m.unitTriangle(), "TEXCOORD_0": uv}, "material": 0})
	uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(bomb.PNG(300, 200, 16, 2, true, nil))
	m.doc["images"], m.doc["textures"] = arr{obj{"uri": uri}}, arr{obj{"source": 0}}
	m.doc["materials"] = arr{obj{"normalTexture": obj{"index": 0}}}
	return m.json()
}

// What reading took is given back where it fails, and with the Document.
func TestBudget_ReadingIsGivenBack(t *testing.T) {
	b := budget.New(0, "")
	text := pictured()
	for name, data := range map[string][]byte{
		"no JSON":     text[:len(text)-1],
		"no accessor": bytes.Replace(text, []byte(`"TEXCOORD_0":0`), []byte(`"TEXCOORD_0":7`), 1),
		"no mesh":     bytes.Replace(text, []byte(`"mesh":0`), []byte(`"mesh":7`), 1),
	} {
		if _, err := read(data, nil, &Options{Budget: b}); err == nil || b.Used() != 0 || b.Peak() < int64(len(data)) {
			t.Errorf("%s: %v, %d bytes stay charged, %d at the peak", name, err, b.Used(), b.Peak())
		}
	}
	d, err := read(text, nil, &Options{Budget: b})
	if err != nil {
		t.Fatal(err)
	}
	if used, peak := b.Used(), b.Peak(); used < 100 || used > peak-4*int64(len(text)) {
		t.Errorf("%d bytes are charged for the document, %d at the peak", used, peak)
	}
	runtime.KeepAlive(d)
	collected(t, b, 0)
}

// Poses and decoded images count while they are in use, and not their decoders then.
func TestBudget_PosesAndImages(t *testing.T) {
	b := budget.New(0, "")
	d, err := read(pictured(), nil, &Options{Budget: b})
	if err != nil {
		t.Fatal(err)
	}
	held := b.Used()
	pose, err := d.Pose(None, NoAnimation, 0)
	if err != nil || b.Used() < held+512 {
		t.Errorf("%v, %d bytes for a pose", err, b.Used()-held)
	}
	runtime.KeepAlive(pose)
	collected(t, b, held)

	const texels = 300 * 200
	img, err := d.Images[0].DecodeNRGBA(t.Context())
	if err != nil || b.Used() != held+4*texels || b.Peak() < held+(8+8+4)*texels {
		t.Errorf("%v; %d bytes for an image, %d while it was decoded", err, b.Used()-held, b.Peak()-held)
	}
	runtime.KeepAlive(img)
	collected(t, b, held)
	deep, err := d.Images[0].Decode(t.Context())
	if err != nil || b.Used() != held+8*texels {
		t.Errorf("%v; %d bytes for a deep image", err, b.Used()-held)
	}
	runtime.KeepAlive(deep)
	collected(t, b, held)

	p := d.Meshes[0].Primitives[0]
	if err := p.EnsureTangents(); err != nil || p.Tangents == nil {
		t.Fatal(err)
	}
	if used := b.Used() - held; used != 3*(12+12+16+8) {
		t.Errorf("%d bytes for tangents of 3 vertices", used)
	}
	runtime.KeepAlive(d)
	collected(t, b, 0)
}
