package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pumice-gpu/pumice/internal/input/bomb"
	"github.com/pumice-gpu/pumice/vk"
)

// outcome is how a process of the command ended.
type outcome struct {
	code           int
	stdout, stderr string
	peak           int64         // bytes that were resident at most
	worked         time.Duration // of all processors
}

// child runs the command in a process of its own, as users have it: tests of memory and
// time have nothing to measure under the race detector.
func child(t *testing.T, args ...string) outcome {
	t.Helper()
	if raceDetector {
		t.Skip("the race detector takes memory and time of its own")
	}
	file := filepath.Join(t.TempDir(), "status")
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PUMICE_TEST_COMMAND=measured "+file, "GOMAXPROCS=2", "GOGC=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run() // the exit code tells
	o := outcome{code: cmd.ProcessState.ExitCode(), stdout: out.String(), stderr: errs.String(), worked: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	status, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; %s", err, o.stderr)
	}
	// Not the system's count of a child: that begins with its parent's memory.
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(peak)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	o.peak = kib << 10
	return o
}

// vertices makes the model's positions another accessor, of so many.
func vertices(count int, more object) func(object) {
	return func(d object) {
		a := object{"componentType": 5126, "count": count, "type": "VEC3", "min": list{0, 0, 0}, "max": list{0, 0, 0}}
		for k, v := range more {
			a[k] = v
		}
		d["accessors"] = list{a}
	}
}

// one of many vertices is not zero.
var sparse = object{"sparse": object{
	"count": 1, "indices": object{"bufferView": 0, "componentType": 5121}, "values": object{"bufferView": 0},
}}

func instances(count, nodes int, more object) func(object) {
	return func(d object) {
		vertices(count, more)(d)
		var all, roots list
		for i := range nodes {
			all, roots = append(all, object{"mesh": 0}), append(roots, i)
		}
		d["nodes"], d["scenes"] = all, list{object{"nodes": roots}}
	}
}

func textured(picture []byte, names ...string) func(object) {
	return func(d object) {
		uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
		var images, textures list
		for i := range names {
			images, textures = append(images, object{"uri": uri, "name": names[i]}), append(textures, object{"source": i})
		}
		d["images"], d["textures"] = images, textures
		d["materials"] = list{object{"pbrMetallicRoughness": object{"baseColorTexture": object{"index": len(names) - 1}}}}
		d["meshes"] = list{object{"primitives": list{object{"attributes": object{"POSITION": 0}, "material": 0}}}}
	}
}

// A small file cannot take more than the limit, whatever it claims: the command says in
// one line which object of the file wants how much.
func TestLimits_SmallFilesWithMuchInThem(t *testing.T) {
	const texels = 1 << 30
	files := map[string]struct {
		data []byte
		want string // in the error; "": it is drawn
	}{
		"zstd.ktx2":       {bomb.KTX2(int(vk.FormatR8Unorm), 32768, 32768, 2, bomb.Zstd(1<<20), texels), "zstd.ktx2: KTX 2 file: 32768 × 32768 × 1 texels, 1 levels, 1 layers: needs 2.00 GiB"},
		"zlib.ktx2":       {bomb.KTX2(int(vk.FormatR8Unorm), 8192, 8192, 3, bomb.Deflated(1<<26), 1<<26), "zlib.ktx2: KTX 2 file: 8192 × 8192 × 1 texels"},
		"gray.png":        {bomb.PNG(8192, 8192, 1, 0, false, nil), "gray.png: png file: 8192 × 8192 × 1 texels, 1 levels, 1 layers: needs 512.0 MiB"},
		"interlaced.png":  {bomb.PNG(4096, 4096, 1, 0, true, nil), "interlaced.png: png file: 4096 × 4096 × 1 texels"},
		"header.png":      {bomb.PNGHeader(16384, 16384, 16, 6), "header.png: png file: 16384 × 16384"},
		"progressive.jpg": {bomb.JPEG(3000, 3000, []byte{0x11, 0x11, 0x11}), "progressive.jpg: jpeg file: decoding 3000 × 3000 texels: needs 163"},
		"zeros.gltf":      {modelWith(vertices(50_000_000, nil)), ""},
		"most zeros.gltf": {modelWith(vertices(math.MaxInt32, nil)), ""},
		"points.gltf":     {modelWith(func(d object) { vertices(30_000_000, nil)(d); mode(d, 0) }), ""},
		"instances.gltf":  {modelWith(instances(3_000_000, 2000, nil)), ""},
		"sparse.gltf":     {modelWith(vertices(50_000_000, sparse)), "sparse.gltf: accessors[0]: decoding 50000000 elements: needs 572.2 MiB"},
		"flat.gltf":       {modelWith(vertices(2_800_000, sparse)), "flat.gltf: meshes[0].primitives[0]: computing flat normals for 2799999 vertices: needs"},
		"on device.gltf":  {modelWith(func(d object) { vertices(1_500_000, sparse)(d); mode(d, 0) }), "on device.gltf: meshes[0].primitives[0]: 1500000 vertices on the device: needs 125.9 MiB"},
		"image.gltf":      {modelWith(textured(bomb.PNG(16384, 16384, 1, 0, false, nil), "plain")), "image.gltf: images[0]: decoding 16384 × 16384 texels: needs 1.25 GiB"},
		"its levels.gltf": {modelWith(textured(bomb.PNG(3600, 3600, 8, 2, false, nil), "first", "second")), "its levels.gltf: images[1]: 3600 × 3600 texels and their levels on the device: needs"},
		"many targets.gltf": {modelWith(func(d object) {
			targets := make(list, 50_000)
			for i := range targets {
				targets[i] = object{"POSITION": 0}
			}
			d["meshes"].(list)[0].(object)["primitives"].(list)[0].(object)["targets"] = targets
		}), ""},
		"many nodes.gltf":   {modelWith(instances(3, 30_000, sparse)), "many nodes.gltf: 30000 primitives to draw: needs 175.8 MiB"},
		"many objects.gltf": {modelWith(func(d object) { d["extras"] = slices.Repeat(list{object{}}, 300_000) }), "many objects.gltf: JSON: parsing"},
	}
	const limit = 128 << 20
	for name, c := range files {
		if testing.Short() && len(c.data) > 1<<20 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"sample", file, "--uv", "0.5,0.5", "--memory-limit", "128MiB"}
			if strings.HasSuffix(name, ".gltf") {
				args = []string{"render", file, "-o", filepath.Join(dir, "out.png"), "--width", "64", "--height", "64", "--memory-limit", "128MiB"}
			}
			o := child(t, args...)
			if o.peak > limit {
				t.Errorf("%d bytes were resident, the limit is %d", o.peak, int64(limit))
			}
			if c.want == "" {
				if o.code != 0 {
					t.Errorf("exit code %d: %s", o.code, o.stderr)
				}
				return
			}
			o.stderr = strings.Join(withoutWarnings(o.stderr), "")
			checkFailure(t, o.code, exitFailure, o.stderr)
			if !strings.Contains(o.stderr, c.want) || !strings.Contains(o.stderr, "raise --memory-limit") {
				t.Errorf("%s\ndoes not say %q", o.stderr, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "out.png")); err == nil {
				t.Error("a picture was written")
			}
		})
	}
}

func mode(d object, mode int) {
	d["meshes"].(list)[0].(object)["primitives"].(list)[0].(object)["mode"] = mode
}

func withoutWarnings(stderr string) []string {
	var rest []string
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "pumice: warning: ") {
			rest = append(rest, line)
		}
	}
	return rest
}

// texturedModel writes a model as scans are: five parts of 10,000 vertices, each with three textures of 512 × 512.
func texturedModel(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const parts, side, size = 5, 100, 512
	var vertices []float32 // position, normal, texture coordinate
	var indices []uint16
	for i := range side * side {
		u, v := float64(i%side)/(side-1), float64(i/side)/(side-1)
		x, y := 2*u-1, 2*v-1
		z := math.Sqrt(3 - x*x - y*y)
		for _, f := range [8]float64{x, y, z, x / math.Sqrt(3), y / math.Sqrt(3), z / math.Sqrt(3), u, v} {
			vertices = append(vertices, float32(f))
		}
		if i%side < side-1 && i/side < side-1 {
			indices = append(indices, uint16(i), uint16(i+1), uint16(i+side), uint16(i+1), uint16(i+side+1), uint16(i+side))
		}
	}
	var buffer bytes.Buffer
	for _, data := range []any{vertices, indices} {
		if err := binary.Write(&buffer, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("buffer.bin", buffer.Bytes())
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewNRGBA(image.Rect(0, 0, size, size))
	for k := range picture.Pix { // rough: PNG halves it
		if picture.Pix[k] = 240 + uint8(random.Uint32N(16)); k%4 == 3 {
			picture.Pix[k] = 255
		}
	}
	var texture bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&texture, picture); err != nil {
		t.Fatal(err)
	}
	var images, textures, materials, meshes, nodes, roots list
	for i := range 3 * parts {
		name := fmt.Sprintf("%d.png", i)
		write(name, texture.Bytes())
		images, textures = append(images, object{"uri": name}), append(textures, object{"source": i})
	}
	for i := range parts {
		materials = append(materials, object{
			"pbrMetallicRoughness": object{"baseColorTexture": object{"index": 3 * i}, "metallicRoughnessTexture": object{"index": 3*i + 1}},
			"normalTexture":        object{"index": 3*i + 2},
		})
		meshes = append(meshes, object{"primitives": list{object{
			"attributes": object{"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": i,
		}}})
		nodes, roots = append(nodes, object{"mesh": i, "translation": list{2 * i, 0, 0}}), append(roots, i)
	}
	const stride, count = 32, side * side
	of := func(offset int, kind string) object {
		return object{"bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count, "type": kind}
	}
	position := of(0, "VEC3")
	position["min"], position["max"] = list{-1, -1, 1}, list{1, 1, math.Sqrt(3)}
	text, err := json.Marshal(object{
		"asset": object{"version": "2.0"}, "scene": 0, "scenes": list{object{"nodes": roots}}, "nodes": nodes, "meshes": meshes,
		"materials": materials, "textures": textures, "images": images, "buffers": list{object{"uri": "buffer.bin", "byteLength": buffer.Len()}},
		"bufferViews": list{object{"buffer": 0, "byteLength": stride * count, "byteStride": stride},
			object{"buffer": 0, "byteOffset": stride * count, "byteLength": 2 * len(indices)}},
		"accessors": list{position, of(12, "VEC3"), of(24, "VEC2"),
			object{"bufferView": 1, "componentType": 5123, "count": len(indices), "type": "SCALAR"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	write("model.gltf", text)
	return filepath.Join(dir, "model.gltf")
}

// What a picture is charged for is what it takes: no more than a fifth above it is
// resident, and pictures that fit are not refused.
func TestLimits_ChargesAreWhatIsTaken(t *testing.T) {
	if os.Getenv("PUMICE_ENGINE") == "check" {
		t.Skip("check holds each program twice and a copy of what it wrote, which nobody is charged for")
	}
	for name, path := range map[string]string{"teapot": "", "textured": texturedModel(t)} {
		args := []string{"render", "-o", filepath.Join(t.TempDir(), "out.png"), "--width", "512", "--height", "512", "--json", "--threads", "2"}
		if path != "" {
			args = append(args, path)
		}
		o := child(t, args...)
		var rep report
		if err := json.Unmarshal([]byte(o.stdout), &rep); err != nil || o.code != 0 {
			t.Errorf("%s: exit code %d, %v: %s", name, o.code, err, o.stderr)
			continue
		}
		charged := rep.Memory.Charged
		t.Logf("%s: %d MiB charged, %d MiB resident, %d MiB of the device", name, charged>>20, o.peak>>20, rep.Memory.Device>>20)
		if float64(o.peak) > 1.2*float64(charged) || float64(charged) > 2*float64(o.peak) {
			t.Errorf("%s: %d bytes were charged, %d resident", name, charged, o.peak)
		}
		// It fits into what it was charged for.
		again := child(t, append(args, "--memory-limit", strconv.FormatInt(charged, 10))...)
		if again.code != 0 || again.peak > charged*6/5 {
			t.Errorf("%s with a limit of %d: exit code %d, %d resident: %s", name, charged, again.code, again.peak, again.stderr)
		}
	}
}

// Work that takes too long ends soon after its time, in one line that says what took it.
func TestLimits_TimeEnds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "slow.gltf")
	if err := os.WriteFile(file, modelWith(instances(300_000, 20_000, sparse)), 0o600); err != nil {
		t.Fatal(err)
	}
	const limit = 3 * time.Second
	o := child(t, "render", file, "-o", filepath.Join(dir, "out.png"), "--width", "64", "--height", "64", "--time-limit", limit.String())
	checkFailure(t, o.code, exitFailure, o.stderr)
	// On a machine that is slow or busy it does not come as far as the file.
	if want := "pumice: --time-limit of 3s passed while "; !strings.HasPrefix(o.stderr, want) || !strings.Contains(o.stderr, "slow.gltf") && !strings.Contains(o.stderr, "making the studio") {
		t.Errorf("%q, want %q and what took the time", o.stderr, want)
	}
	if o.worked > 2*limit+10*time.Second { // two processors for the time, and little afterwards
		t.Errorf("it worked for %v", o.worked)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*out*")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestLimits_FlagsOfEveryCommandThatReads(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(picture, bomb.PNG(4, 4, 8, 6, false, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	model, out := writeModel(t, triangleModel), filepath.Join(t.TempDir(), "out.png")
	frames := t.TempDir()
	if err := os.Link(picture, filepath.Join(frames, "f-0000.png")); err != nil {
		t.Fatal(err)
	}
	scene := filepath.Join("..", "..", "conformance", "scenes", "10-rates.json")
	for name, args := range map[string][]string{
		"render": {"render", model, "-o", out, "--width", "8", "--height", "8"},
		"info":   {"info", model},
		"sample": {"sample", picture, "--uv", "0,0"},
		"raster": {"raster", scene, "-o", out},
		"diff":   {"diff", picture, picture},

		"thumbnails":    {"thumbnails", model, "-o", filepath.Join(filepath.Dir(out), "thumbnails"), "--size", "8"},
		"frames verify": {"frames", "verify", frames},
	} {
		code, _, stderr := command(t, append(args, "--memory-limit", "1MiB")...)
		checkFailure(t, code, exitFailure, stderr)
		if !strings.Contains(stderr, "the process itself needs") {
			t.Errorf("%s: %s", name, stderr)
		}
		code, _, stderr = command(t, append(args, "--time-limit", "1ns")...)
		checkFailure(t, code, exitFailure, stderr)
		if !strings.Contains(stderr, "--time-limit of 1ns passed while ") {
			t.Errorf("%s: %s", name, stderr)
		}
		for _, bad := range [][]string{{"--memory-limit", "lots"}, {"--time-limit", "-1s"}, {"--time-limit", "soon"}} {
			code, _, stderr = command(t, append(args, bad...)...)
			checkFailure(t, code, exitUsage, stderr)
		}
		if code, _, stderr = command(t, append(args, "--memory-limit", "300MiB", "--time-limit", "5m")...); code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
	}
}
