package studio_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image/color"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// Thousands of models with random faults, in their bytes and in what their JSON says: each ends in a
// picture or in an error of one line, within its budget and its time.
func TestMutants_EndInAPictureOrOneLine(t *testing.T) {
	const limit = 64 << 20
	b := budget.New(limit, "the test's limit")
	r := benchOn(t, &pumice.Config{Budget: b, Threads: 2}).Renderer
	sources := mutantSources(t)
	names := slices.Sorted(maps.Keys(sources))
	n := 3000
	if testing.Short() {
		n = 1200
	}
	rng := rand.New(rand.NewPCG(20261127, 26))
	drawn, refused, told := 0, 0, 0
	for i := range n {
		name := names[i%len(names)]
		data := mutate(rng, sources[name])
		within, stop := context.WithTimeout(ctx, 20*time.Second)
		losses, err := drawMutant(within, r, data)
		stop()
		var over *budget.Error
		switch {
		case err == nil:
			if drawn++; losses > 0 {
				told++
			}
			continue
		case errors.Is(err, context.DeadlineExceeded):
			t.Errorf("mutant %d of %s takes too long: %v", i, name, err)
		case strings.ContainsAny(err.Error(), "\n\r"):
			t.Errorf("mutant %d of %s: more than a line: %q", i, name, err)
		case errors.Is(err, pumice.ErrDeviceLost), strings.Contains(err.Error(), "panic"):
			t.Errorf("mutant %d of %s: %v", i, name, err)
		case !errors.As(err, &over) && !strings.HasPrefix(err.Error(), "model: "):
			t.Errorf("mutant %d of %s: the model is not named: %v", i, name, err)
		}
		refused++
	}
	t.Logf("%d drawn, %d of them with losses, %d refused", drawn, told, refused)
	if drawn < n/4 || refused < n/4 || told < n/20 {
		t.Errorf("%d drawn, %d of them with losses, %d refused: the mutants are too much alike", drawn, told, refused)
	}
	if b.Peak() > limit {
		t.Errorf("%d bytes were charged of %d", b.Peak(), int64(limit))
	}
}

// drawMutant draws a model, its first animation too, and returns how many losses it has.
func drawMutant(ctx context.Context, r *studio.Renderer, data []byte) (int, error) {
	doc, err := gltf.Read(ctx, bytes.NewReader(data), nil, "model", &gltf.Options{Budget: r.Budget()})
	if err != nil {
		return 0, err
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	v := studio.View{Width: 16, Height: 16, Samples: 1}
	if _, err := r.Render(ctx, m, v); err != nil {
		return 0, err
	}
	if _, err := r.Unseen(ctx, m, v); err != nil {
		return 0, err
	}
	if len(doc.Animations) > 0 {
		v.Animation, v.Time = &doc.Animations[0], 0.4
		if _, err := r.Render(ctx, m, v); err != nil {
			return 0, err
		}
	}
	return len(doc.Losses), nil
}

// mutantSources are the models that mutants are made of, by name; those of suffix .glb are GLB files.
func mutantSources(t *testing.T) map[string][]byte {
	t.Helper()
	s := newScene()
	s.putQuad(-1, -1, 0, 1, 0, textured(s.texture(palette([]color.NRGBA{red, blue}))))
	s.putQuad(0, -1, 1, 1, 0, with(base(0.5, 0.5, 1, 0.5), obj{"alphaMode": "BLEND", "emissiveFactor": arr{0.5, 0, 0}}))
	s.light(obj{"type": "spot", "spot": obj{"outerConeAngle": 0.5}}, obj{"translation": arr{0, 0, 3}})
	s.doc["animations"] = arr{obj{
		"samplers": arr{obj{"input": s.add("SCALAR", float, 2, []float32{0, 1}), "output": s.vec3(0, 0, 0, 1, 1, 0)}},
		"channels": arr{obj{"sampler": 0, "target": obj{"node": 1, "path": "translation"}}},
	}}
	sources := map[string][]byte{"scene.gltf": s.text(t)}
	for _, name := range []string{"../testdata/compressed/plain.glb", "../testdata/compressed/meshopt-khr.glb", "../testdata/compressed/draco-sequential.glb", "testdata/box.gltf"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources[filepath.Base(name)] = data
	}
	return sources
}

// mutate returns a copy of a model with one or two faults.
func mutate(rng *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + rng.IntN(4)/3 {
		if rng.IntN(4) > 0 {
			data = mutateJSON(rng, data)
		} else {
			data = mutateBytes(rng, data)
		}
	}
	return data
}

func mutateBytes(rng *rand.Rand, data []byte) []byte {
	if len(data) < 2 {
		return data
	}
	at := rng.IntN(len(data))
	switch rng.IntN(6) {
	case 0:
		data[at] ^= 1 << rng.IntN(8)
	case 1:
		data[at] = byte(rng.Uint32())
	case 2:
		return data[:at]
	case 3: // a piece is lost
		return slices.Delete(data, at, min(len(data), at+1+rng.IntN(8)))
	case 4: // a piece comes twice
		return slices.Insert(data, at, bytes.Clone(data[at:min(len(data), at+1+rng.IntN(8))])...)
	case 5: // a number of 32 bits
		if at &^= 3; at+4 <= len(data) {
			binary.LittleEndian.PutUint32(data[at:], []uint32{0, 1, 0x7fc00000, 0xff800000, 0xffffffff, 0x7f7fffff, 1 << 31}[rng.IntN(7)])
		}
	}
	return data
}

// mutateJSON replaces a value of the document, removes it, or doubles an element.
func mutateJSON(rng *rand.Rand, data []byte) []byte {
	text, rest := data, []byte(nil)
	glb := bytes.HasPrefix(data, []byte("glTF"))
	if glb {
		if len(data) < 20 {
			return data
		}
		end := min(uint64(len(data)), 20+uint64(binary.LittleEndian.Uint32(data[12:])))
		text, rest = data[20:end], data[end:]
	}
	var doc any
	if json.Unmarshal(text, &doc) != nil {
		return data
	}
	type place struct {
		parent any
		key    any
	}
	var places []place
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case obj:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				places = append(places, place{v, k})
				walk(v[k])
			}
		case arr:
			for i := range v {
				places = append(places, place{v, i})
				walk(v[i])
			}
		}
	}
	walk(doc)
	if len(places) == 0 {
		return data
	}
	values := []any{nil, true, -1, 0, 1, 2, 3, 7, 255, 5121, 5123, 5126, 65536, 1e9, 9.3e18, -0.5, 0.5, 1e38, "", "LINEAR", "VEC3", "\n", arr{}, arr{nil}, arr{0, 0}, arr{0, 1, 2}, obj{}, obj{"a": 1}}
	p := places[rng.IntN(len(places))]
	value := values[rng.IntN(len(values))]
	switch parent := p.parent.(type) {
	case obj:
		k := p.key.(string)
		if parent[k] = value; rng.IntN(4) == 0 {
			delete(parent, k)
		}
	case arr:
		i := p.key.(int)
		if parent[i] = value; rng.IntN(2) == 0 {
			parent[i] = parent[rng.IntN(len(parent))]
		}
	}
	text, err := json.Marshal(doc)
	if err != nil || !glb {
		return text
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	out := append([]byte(nil), data[:20]...)
	binary.LittleEndian.PutUint32(out[8:], uint32(20+len(text)+len(rest)))
	binary.LittleEndian.PutUint32(out[12:], uint32(len(text)))
	return append(append(out, text...), rest...)
}
