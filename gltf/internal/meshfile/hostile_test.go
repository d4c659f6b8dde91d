package meshfile

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// seeds are files that use all of each format.
func seeds() map[Kind][]string {
	library := "newmtl a\nKd 1 0 0\nKs 1 1 1\nNs 10\nKe 2 1 0\nd 0.5\nPr 0.1\nPm 0.2\nmap_Kd -s 1 2 3 -o 1 2 3 a b.png\nmap_Bump -bm 2 b.png\nillum 2\n"
	obj := "mtllib m.mtl\no x\n" + square + "vn 0 0 1\nv 0 0 1 1 0.5 0\ng y\nusemtl a\ns 1\nf 1/1/1 2/2 3//1 4\nf 1 2 3 5\ns off\nf -1 -2 -3\nl 1 2 3/1\np 1 2\nf 1 2 \\\n 4\n" +
		"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 6 7 8 9 10\n"
	header := "comment TextureFile a.png\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\nproperty float nx\nproperty float ny\nproperty float nz\n" +
		"property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float s\nproperty float t\nelement other 1\nproperty list uchar int q\n" +
		"element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n" +
		"element tristrips 1\nproperty list int int vertex_indices\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n"
	var body []any
	for i := range 3 {
		body = append(body, float32(i), float64(i*i), int16(2-i), float32(0), float32(1), float32(0), uint8(9), uint8(99), uint8(200), float32(0.5), float32(0.25))
	}
	body = append(body, uint8(2), int32(5), int32(6))
	for range 2 {
		body = append(body, uint8(3), int32(0), int32(1), int32(2), uint8(6), float32(0), float32(1), float32(0), float32(1), float32(0), float32(1), uint8(1), uint8(2), uint8(3))
	}
	body = append(body, int32(5), int32(0), int32(1), int32(2), int32(-1), int32(0), int32(0), int32(1))
	painted := unit3
	painted.bits = 0x8123
	out := map[Kind][]string{
		OBJ: {obj, library},
		STL: {stlOf("COLOR=abcd", 3, unit3, painted, unit3), textOf(unit3, painted, unit3)},
	}
	for _, form := range []string{"ascii", "binary_big_endian", "binary_little_endian"} {
		out[PLY] = append(out[PLY], plyOf(header, body...)[form])
	}
	return out
}

// read reads a hostile file, and checks what every answer promises.
func read(t *testing.T, k Kind, data []byte) {
	t.Helper()
	// An OBJ file is its own library, too.
	r := newReading(map[string]string{"m.mtl": string(data), "a.mtl": "newmtl a\n"})
	r.most = 4 << 20
	m, err := k.Read(&r.Reader, data)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T: %v", err, err)
		}
		return
	}
	sound(t, m)
	var kept int64
	for _, part := range m.Parts {
		for _, p := range part.Pieces {
			kept += 12*int64(cap(p.Positions)+cap(p.Normals)) + 8*int64(cap(p.TexCoords)) + 16*int64(cap(p.Colors)) + 4*int64(cap(p.Indices))
		}
	}
	if r.held < kept {
		t.Fatalf("%d bytes are charged, %d are kept", r.held, kept)
	}
	if spare := r.held - kept; spare > 64<<10+2*kept {
		t.Fatalf("%d bytes stay charged, %d are kept", r.held, kept)
	}
	if len(r.told) > maxNotes {
		t.Fatalf("%d lines", len(r.told))
	}
}

// mutated changes a few bytes, words or lengths of a file.
func mutated(random *rand.Rand, data []byte) []byte {
	data = append([]byte{}, data...)
	words := []string{"4294967295", "-1", "0", "nan", "1e39", "\n", "\\\n", "v ", "f ", "\xff\xff\xff\xff", "\x00\x00\x00\x00", "solid", "facet", "list uchar", "2147483647"}
	for range 1 + random.IntN(4) {
		if len(data) == 0 {
			break
		}
		at := random.IntN(len(data))
		switch random.IntN(6) {
		case 0:
			data[at] = byte(random.Uint32())
		case 1:
			data[at] ^= 1 << random.IntN(8)
		case 2:
			w := words[random.IntN(len(words))]
			data = append(data[:at:at], append([]byte(w), data[min(at+len(w), len(data)):]...)...)
		case 3:
			w := words[random.IntN(len(words))]
			data = append(data[:at:at], append([]byte(w), data[at:]...)...)
		case 4:
			data = data[:at]
		case 5:
			end := min(len(data), at+random.IntN(40))
			data = append(data[:at:at], data[end:]...)
		}
	}
	return data
}

func TestMutations(t *testing.T) {
	for k, files := range seeds() {
		t.Run(k.String(), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(k)))
			for i := range 3000 {
				read(t, k, mutated(random, []byte(files[i%len(files)])))
			}
			for _, f := range files { // cut off at each byte
				for n := range len(f) {
					read(t, k, []byte(f[:n]))
				}
			}
		})
	}
}

// Small files that ask for much.
func TestHostileFiles(t *testing.T) {
	many := strings.Repeat
	for name, c := range map[string]struct {
		k    Kind
		data string
	}{
		"one corner very often":      {OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + many("f 1 2 3\n", 20000)},
		"a polygon of many corners":  {OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .1 .1 0\nf" + many(" 1 2 3 4", 20000) + "\n"},
		"very many groups":           {OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + manyGroups(5000)},
		"a very long line":           {OBJ, "v " + many("1", 1<<20) + " 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
		"lines of one backslash":     {OBJ, many("\\\n", 1<<18) + "v 1 2 3\n"},
		"very many libraries":        {OBJ, many("mtllib a b c d e f\n", 5000) + "v 1 2 3\n"},
		"very many unknown words":    {OBJ, unknownWords(5000) + "v 1 2 3\n"},
		"a list of 2^31 corners":     {PLY, "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face 1\nproperty list uint char vertex_indices\nend_header\n\x01\x01\x01\xff\xff\xff\x7f"},
		"lists of no corners":        {PLY, "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face 100000\nproperty list uchar char vertex_indices\nend_header\n\x01\x01\x01" + many("\x00", 100000)},
		"2^40 elements of nothing":   {PLY, "ply\nformat ascii 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face 1099511627776\nelement edge 1099511627776\nelement foo 1099511627776\nend_header\n1 2 3"},
		"very many properties":       {PLY, "ply\nformat ascii 1.0\nelement vertex 1\n" + many("property char x\n", 100000) + "end_header\n"},
		"very many elements":         {PLY, "ply\nformat ascii 1.0\n" + many("element a 1\n", 100000) + "end_header\n"},
		"a header without an end":    {PLY, "ply\n" + many("comment x\n", 100000)},
		"a header of one line":       {PLY, "ply\n" + many("x", 1<<20)},
		"a count beyond the file":    {STL, stlOf("x", 1<<31, unit3)},
		"a facet of very many words": {STL, "solid\nfacet normal 0 0 1\n" + many("vertex 0 0 0\n", 50000) + "endfacet\nendsolid\n"},
	} {
		t.Run(name, func(t *testing.T) { read(t, c.k, []byte(c.data)) })
	}
}

func manyGroups(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("g " + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + "\nf 1 2 3\n")
	}
	return b.String()
}

func unknownWords(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("w" + strings.Repeat("z", i%90) + string(rune('a'+i%26)) + " 1\n")
	}
	return b.String()
}

// Wherever memory ends, the error says so; wherever the context ends, too.
func TestBudgetAndContext(t *testing.T) {
	for k, files := range seeds() {
		for _, f := range files {
			for most := int64(1); most < 8000; most += 97 {
				r := newReading(map[string]string{"m.mtl": files[len(files)-1]})
				r.most = most
				if _, err := k.Read(&r.Reader, []byte(f)); err != nil && !errors.Is(err, errBudget) && !strings.Contains(err.Error(), "holds nothing") {
					t.Errorf("%v with %d bytes: %v", k, most, err)
				}
				if r.peaked > most {
					t.Errorf("%v: %d bytes of %d", k, r.peaked, most)
				}
			}
		}
	}
	big := map[Kind]string{
		OBJ: strings.Repeat(square+"f 1 2 3\n", 5000),
		STL: stlOf("x", 70000) + strings.Repeat("\x00", 50*70000),
		PLY: plyOf("element vertex 100000\nproperty char x\nproperty char y\nproperty char z\n")["binary_little_endian"] + strings.Repeat("abc", 100000),
	}
	for k, data := range big {
		r := newReading(nil)
		var cancel context.CancelFunc
		r.Ctx, cancel = context.WithCancel(t.Context())
		cancel()
		if _, err := k.Read(&r.Reader, []byte(data)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", k, err)
		}
	}
}

func fuzz(f *testing.F, k Kind) {
	for _, s := range seeds()[k] {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { read(t, k, data) })
}

func FuzzOBJ(f *testing.F) { fuzz(f, OBJ) }
func FuzzSTL(f *testing.F) { fuzz(f, STL) }
func FuzzPLY(f *testing.F) { fuzz(f, PLY) }
