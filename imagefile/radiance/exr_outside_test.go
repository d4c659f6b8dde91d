//go:build outside

package radiance_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/radiance"
	"github.com/pumice-gpu/pumice/internal/outside"
)

var exrmaketiled = outside.Tool{Name: "exrmaketiled", Debian: "openexr", Version: outside.NoVersion, Why: "OpenEXR files that it encodes and decodes"}

// tiled runs exrmaketiled with arguments.
func tiled(t *testing.T, tool, in, out string, arguments ...string) {
	t.Helper()
	if msg, err := exec.Command(tool, append(arguments, in, out)...).CombinedOutput(); err != nil {
		t.Fatalf("exrmaketiled %v: %v\n%s", arguments, err, msg)
	}
}

// decodedBoth compares what we read of a file with what exrmaketiled decodes.
func decodedBoth(t *testing.T, tool, file string, o radiance.Options) string {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "plain.exr")
	tiled(t, tool, file, plain, "-o", "-z", "none", "-t", "200", "100")
	o.Alpha = true
	ours, err := o.Load(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := o.Load(context.Background(), plain)
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for i, want := range theirs.Pixels {
		if got := ours.Pixels[i]; got != want {
			if bad++; bad < 4 {
				t.Errorf("%s: pixel %d channel %d is %v, want %v", filepath.Base(file), i/3, i%3, got, want)
			}
		}
	}
	for i, want := range theirs.Alpha {
		if got := ours.Alpha[i]; got != want {
			if bad++; bad < 4 {
				t.Errorf("%s: alpha of pixel %d is %v, want %v", filepath.Base(file), i, got, want)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%s: %d values differ", filepath.Base(file), bad)
	}
	return rowSums(theirs)
}

// sameSums skips comparisons of DWA where the library takes another order of its sums than we do.
func sameSums(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("OpenEXR sums cosines in another order without AVX")
	}
}

// The files of testdata, and their record.
func TestOutside_ExrmaketiledDecodes(t *testing.T) {
	sameSums(t)
	tool := exrmaketiled.Path(t)
	record := exrmaketiled.NewRecord(tool)
	for _, name := range lossyFiles {
		file, layer, _ := strings.Cut(name, "/")
		record.Values[name] = decodedBoth(t, tool, "testdata/"+file+".exr", radiance.Options{Layer: layer})
	}
	if outside.Recording() && !t.Failed() {
		record.Write(t, lossyRecord)
	}
}

// Pictures of smooth colours, of noise and of any bits, that it encodes with every compression in tiles of several sizes.
func TestOutside_ExrmaketiledEncodes(t *testing.T) {
	tool := exrmaketiled.Path(t)
	const width, height = 211, 103
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []string{"smooth", "noise", "bits"} {
		for _, floats := range []uint32{1, 2} {
			var chunks []string
			for y := range height {
				var row []byte
				for c := range 4 {
					for x := range width {
						v := float32(c) + float32(math.Sin(float64(x)/30)*math.Cos(float64(y*(c+1))/50))
						bits, half := math.Float32bits(v), uint16(0x3800+(x*3+y*5+c*40)%0x800)
						switch kind {
						case "noise":
							bits, half = 0x3f000000+r.Uint32N(0x1000000), uint16(0x3000+r.IntN(0x1800))
						case "bits":
							bits, half = r.Uint32(), uint16(r.Uint32())
						}
						if floats == 2 {
							row = binary.LittleEndian.AppendUint32(row, bits)
						} else {
							row = binary.LittleEndian.AppendUint16(row, half)
						}
					}
				}
				chunks = append(chunks, block(uint32(y), string(row)))
			}
			head := append(header(0, width, height, channel("A", floats, 0), channel("B", floats, 0), channel("G", floats, 0), channel("R", floats, 0)), needed...)
			file := filepath.Join(t.TempDir(), "plain.exr")
			if err := os.WriteFile(file, handMade{attributes: head, chunks: chunks}.bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			for i, z := range []string{"none", "rle", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"} {
				for k, size := range [][2]string{{"64", "64"}, {"211", "103"}, {"37", "11"}} {
					packed := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d-%s-%s.exr", kind, floats, z, size[0]))
					levels := []string{"-o", "-m", "-r"}[(i+k)%3]
					round := []string{"-d", "-u"}[(i+k)%2]
					tiled(t, tool, file, packed, levels, round, "-z", z, "-t", size[0], size[1])
					if strings.HasPrefix(z, "dwa") && runtime.GOARCH != "amd64" {
						continue
					}
					decodedBoth(t, tool, packed, radiance.Options{})
				}
			}
		}
	}
}

// needed are attributes that exrmaketiled wants.
var needed = []string{
	attribute("lineOrder", "lineOrder", "\x00"), attribute("pixelAspectRatio", "float", words(math.Float32bits(1))),
	attribute("screenWindowCenter", "v2f", words(0, 0)), attribute("screenWindowWidth", "float", words(math.Float32bits(1))),
}

// Every number of B44's table for channels that are linear to the eye, and of DWA's from such numbers to light.
func TestOutside_ExrmaketiledTables(t *testing.T) {
	tool := exrmaketiled.Path(t)
	var b44, dwa []string
	for y := range 32 { // of 64 blocks down, 2 or 8 a chunk, and 1024 across
		var data []byte
		for i := range 2048 {
			data = append(data, byte((2048*y+i)>>8), byte(i), 63<<2)
		}
		b44 = append(b44, block(uint32(8*y), string(data)))
	}
	write := func(name string, h handMade) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, h.bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	// In chunks of 32 rows, 8 rows of blocks.
	var chunks []string
	for y := 0; y < 32; y += 4 {
		data := ""
		for _, c := range b44[y : y+4] {
			data += c[8:]
		}
		chunks = append(chunks, block(uint32(8*y), data))
	}
	decodedBoth(t, tool, write("b44.exr", handMade{attributes: append(header(6, 4096, 256, channel("Y", 1, 1)), needed...), chunks: chunks}), radiance.Options{})

	sameSums(t)
	for y := range 64 { // 1024 blocks a chunk: 4 rows of 256
		var codes []uint16
		for i := range 1024 {
			codes = append(codes, uint16(1024*y+i))
		}
		dwa = append(dwa, block(uint32(32*y), dwaBlocks(2, codes, slices.Repeat([]uint16{0xff00}, 1024), "Y")))
	}
	decodedBoth(t, tool, write("dwa.exr", handMade{attributes: append(header(8, 2048, 2048, channel("Y", 1, 0)), needed...), chunks: dwa}), radiance.Options{})

	// Any numbers in blocks, of one channel and of three.
	r := rand.New(rand.NewPCG(3, 4))
	for _, names := range [][]string{{"Y"}, {"B", "G", "R"}} {
		var list, chunks []string
		for _, n := range names {
			list = append(list, channel(n, 1, 0))
		}
		for y := range 16 {
			var dc, ac []uint16
			for range 4 * 32 * len(names) {
				dc = append(dc, uint16(0x3c00+r.IntN(0x1000)))
				for k := 1; k < 64; k++ {
					switch r.IntN(6) {
					case 0:
						n := min(r.IntN(20)+1, 64-k)
						ac = append(ac, 0xff00|uint16(n))
						k += n - 1
					case 1:
						if r.IntN(3) == 0 {
							ac = append(ac, 0xff00)
							k = 64
						} else {
							ac = append(ac, 0)
						}
					default:
						ac = append(ac, uint16(0x2400+r.IntN(0x1800))|uint16(r.IntN(2)<<15))
					}
				}
			}
			chunks = append(chunks, block(uint32(32*y), dwaBlocks(2, dc, ac, names...)))
		}
		decodedBoth(t, tool, write("dct-"+strings.Join(names, "")+".exr", handMade{attributes: append(header(8, 256, 512, list...), needed...), chunks: chunks}), radiance.Options{})
	}
}
