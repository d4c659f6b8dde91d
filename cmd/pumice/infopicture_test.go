package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/encode"
	"github.com/pumice-gpu/pumice/internal/input/bomb"
	"github.com/pumice-gpu/pumice/vk"
)

// writeIn writes a file and returns its path.
func writeIn(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// greyDDS is a cube of grey texels with one level more than there can be, all faces but the last two.
func greyDDS() []byte {
	b := make([]byte, 128, 132)
	copy(b, "DDS ")
	for at, v := range map[int]uint32{4: 124, 12: 1, 16: 1, 28: 2, 76: 32, 80: 0x20000, 88: 8, 92: 255, 112: 0x3E00} {
		binary.LittleEndian.PutUint32(b[at:], v)
	}
	return append(b, 1, 2, 3, 4)
}

func TestInfo_Pictures(t *testing.T) {
	dir := t.TempDir()
	var exr bytes.Buffer
	if err := encode.WriteEXR(&exr, 2, 1, make([]float32, 8), encode.EXROptions{}); err != nil {
		t.Fatal(err)
	}
	cube := writeIn(t, dir, "cube.dds", greyDDS())
	for path, want := range map[string]string{
		cube: "file        " + cube + " (DDS)\nextent      1 × 1 texels\nformat      VK_FORMAT_R8G8B8A8_UNORM, 24 bytes\n" +
			"stored      pixel format of 8 bits with masks 0xff 0xff 0xff 0x0\nlevels      1\nlayers      6: a cube\n" +
			"warning     the cube has 4 of 6 faces; the others are zero\nwarning     the header tells of 2 levels; 1 × 1 × 1 texels have 1\n",
		writeIn(t, dir, "a.exr", exr.Bytes()): " (OpenEXR)\nextent      2 × 1 texels\nformat      VK_FORMAT_R32G32B32A32_SFLOAT, 32 bytes\nlevels      1\n",
		writeIn(t, dir, "a.tga", append([]byte{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0}, 1, 2, 3)): " (TGA)\nextent      1 × 1 texels\nformat      VK_FORMAT_R8G8B8A8_UNORM, 4 bytes\nlevels      1\n",
		filepath.Join("..", "..", "internal", "texture", "testdata", "uastc-array.ktx2"):                         " (KTX 2)\nextent      12 × 8 texels\nformat      VK_FORMAT_R8G8B8A8_UNORM, 768 bytes\nstored      UASTC\nlevels      1\nlayers      2: an array\n",
	} {
		code, stdout, stderr := command(t, "info", path)
		if code != 0 || stderr != "" || !strings.HasSuffix(stdout, want) {
			t.Errorf("%s: exit code %d, %q, %q; want %q", path, code, stdout, stderr, want)
		}
	}
	code, stdout, stderr := command(t, "info", cube, "--json")
	var p pictureInfo
	if err := json.Unmarshal([]byte(stdout), &p); code != 0 || err != nil || p.Kind != "DDS" || p.Layers != 6 || !p.Cube || p.Bytes != 24 || len(p.Warnings) != 2 {
		t.Errorf("exit code %d, %s, %s", code, stdout, stderr)
	}
	code, _, stderr = command(t, "info", cube, "--strict")
	checkFailure(t, code, exitFailure, stderr)
	if !strings.Contains(stderr, "--strict: "+cube+": the cube has 4 of 6 faces; the others are zero, and 1 more") {
		t.Errorf("%q", stderr)
	}
	for want, data := range map[string][]byte{
		"AVIF file: its kind is not supported": []byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00"),
		"version 1 names formats of OpenGL":    []byte("\xabKTX 11\xbb\r\n\x1a\n"),
		"unexpected EOF":                       bomb.PNG(9, 9, 8, 6, false, nil)[:60],
	} {
		code, stdout, stderr := command(t, "info", writeIn(t, dir, "x", data))
		checkFailure(t, code, exitFailure, stderr)
		if stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%q, %q; want %q", stdout, stderr, want)
		}
	}
	// Models are models still, and what is neither says so as before.
	code, stdout, _ = command(t, "info", filepath.Join("..", "..", "internal", "assets", "testdata", "gltf", "Box", "glTF", "Box.gltf"))
	if code != 0 || !strings.Contains(stdout, "glTF 2.0") {
		t.Errorf("a model: exit code %d, %s", code, stdout)
	}
	for _, path := range []string{filepath.Join(dir, "none"), dir, writeIn(t, dir, "empty", nil)} {
		code, _, stderr := command(t, "info", path)
		checkFailure(t, code, exitFailure, stderr)
	}
}

// What sample reads is told where it is odd.
func TestSample_WarnsOfOddFiles(t *testing.T) {
	cube := writeIn(t, t.TempDir(), "cube.dds", greyDDS())
	code, stdout, stderr := command(t, "sample", cube, "--uv", "1,0,0")
	if code != 0 || stdout != "1,0,0: (0.003921569, 0.003921569, 0.003921569, 1)\n" ||
		!strings.HasPrefix(stderr, "pumice: warning: "+cube+": the cube has 4 of 6 faces; the others are zero\n") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}

// diff reads what render writes, and other pictures of 8 and 16 bits.
func TestDiff_OtherKinds(t *testing.T) {
	dir := t.TempDir()
	im := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	for i := range im.Pix {
		im.Pix[i] = byte(i*37) | 1
	}
	other := image.NewNRGBA(im.Rect)
	copy(other.Pix, im.Pix)
	other.Pix[4*7+2] ^= 0x80
	as := func(name string, f encode.Format, im *image.NRGBA) string {
		var b bytes.Buffer
		if err := encode.Write(&b, im, f, encode.Options{}); err != nil {
			t.Fatal(err)
		}
		return writeIn(t, dir, name, b.Bytes())
	}
	png := as("a.png", encode.PNG, im)
	var moving bytes.Buffer
	a, err := encode.NewAnimation(&moving, 5, 3, 2, 10)
	if err == nil {
		err = a.Add(im)
	}
	if err == nil {
		err = a.Add(other)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var deep []byte
	for _, v := range im.Pix {
		deep = append(deep, v, v)
	}
	for name, path := range map[string]string{
		"KTX 2": as("a.ktx2", encode.KTX2, im), "WebP": as("a.webp", encode.WebP, im), "APNG": writeIn(t, dir, "a.apng", moving.Bytes()),
		"KTX 2 of 16 bits": writeIn(t, dir, "deep.ktx2", bomb.KTX2(int(vk.FormatR16G16B16A16Unorm), 5, 3, 0, deep, 0)),
	} {
		code, stdout, stderr := command(t, "diff", png, path)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "equal: all 15 pixels") {
			t.Errorf("%s: exit code %d, %s, %s", name, code, stdout, stderr)
		}
	}
	code, stdout, _ := command(t, "diff", png, as("b.ktx2", encode.KTX2, other), "-o", filepath.Join(dir, "heat.png"))
	if code != exitFailure || !strings.Contains(stdout, "differ   1 of 15 pixels") || !strings.Contains(stdout, "first    (2, 1)") {
		t.Errorf("exit code %d, %s", code, stdout)
	}

	light := func(name string, change func([]float32)) string {
		texels := make([]float32, 4*6)
		for i := range texels {
			texels[i] = float32(i) / 4
		}
		change(texels)
		var b bytes.Buffer
		if err := encode.WriteEXR(&b, 3, 2, texels, encode.EXROptions{Float32: true}); err != nil {
			t.Fatal(err)
		}
		return writeIn(t, dir, name, b.Bytes())
	}
	one, same := light("1.exr", func([]float32) {}), light("2.exr", func([]float32) {})
	changed := light("3.exr", func(p []float32) { p[4*4] += 2; p[4*1+2] += .001; p[4*5+3] += 1e-3 })
	if code, stdout, stderr := command(t, "diff", one, same); code != 0 || stderr != "" || !strings.Contains(stdout, "equal: red, green, blue and alpha of all 6 pixels\n") {
		t.Errorf("light: exit code %d, %s, %s", code, stdout, stderr)
	}
	code, stdout, _ = command(t, "diff", one, changed)
	if code != exitFailure || !strings.Contains(stdout, "differ   3 of 6 pixels (50 %)\nbox      x 1 to 2, y 0 to 1\nfirst    (1, 0): a [1 1.25 1.5 1.75], b [1 1.25 1.501 1.75]\nlargest  2 at (1, 1): a [4 4.25 4.5 4.75], b [6 4.25 4.5 4.75]\n") {
		t.Errorf("light: exit code %d, %s", code, stdout)
	}
	code, stdout, _ = command(t, "diff", one, changed, "--tolerance", "1", "--json")
	var r lightReport
	if err := json.Unmarshal([]byte(stdout), &r); code != exitFailure || err != nil || r.Differ != 1 || r.Within != 2 || r.Largest.Difference != 2 || r.A.Kind != "OpenEXR" {
		t.Errorf("light: exit code %d, %s", code, stdout)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{one, png}, exitUsage, "light cannot be compared with a picture of colours"},
		{[]string{one, changed, "-o", filepath.Join(dir, "x.png")}, exitUsage, "-o draws differences of pictures with 8 or 16 bits"},
		{[]string{png, filepath.Join("..", "..", "internal", "texture", "testdata", "etc1s-cube.ktx2")}, exitFailure, "6 layers is no picture"},
		{[]string{png, writeIn(t, dir, "r.ktx2", bomb.KTX2(int(vk.FormatR8Unorm), 5, 3, 0, make([]byte, 15), 0))}, exitFailure, "VK_FORMAT_R8_UNORM is not compared"},
		{[]string{one, writeIn(t, dir, "cut.exr", []byte("\x76\x2f\x31\x01\x02"))}, exitFailure, "OpenEXR header has no end"},
	} {
		code, _, stderr := command(t, append([]string{"diff"}, c.args...)...)
		checkFailure(t, code, c.code, stderr)
		if !strings.Contains(stderr, c.want) {
			t.Errorf("%q: %q; want %q", c.args, stderr, c.want)
		}
	}
}
