package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// What each code of each component of each format reads as, by each instruction: numbers by the catalogue's formulas.

// Instructions of testdata/table.glsl.
const (
	tableLod imageHow = iota
	tableFetch
	tableGather // of component 0; 1, 2 and 3 follow
	_
	_
	_
	tableLoad
	tableStore
)

// codes are those of a component to look at: all up to 11 bits, else ends, powers of two with their neighbours, and some between.
func (c *field) codes() (list []uint64) {
	n := uint64(1) << c.bits
	if c.bits <= 11 {
		for code := range n {
			list = append(list, code)
		}
		return list
	}
	for k := range c.bits {
		for d := range uint64(3) {
			list = append(list, (uint64(1)<<k+d-1)&(n-1), (n-1-uint64(1)<<k+d)&(n-1))
		}
	}
	if c.numeric == "SFLOAT" && c.bits == 32 {
		return append(list, 0x3F800000, 0x3F800001, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7FFFFF, 0x807FFFFF, 0x7FC00000)
	}
	for k := range uint64(400) {
		list = append(list, (k*(n/397)+k*k)&(n-1))
	}
	return list
}

// rows are texels that show the codes of all components, in another order each; padding is ones. There are whole rows of 64.
func (f *tableFormat) rows(codes func(c *field) []uint64) (data []byte, height int) {
	most := 64
	var list [][]uint64
	for i := range f.fields {
		list = append(list, codes(&f.fields[i]))
		most = max(most, len(list[i]))
	}
	height = (most + 63) / 64
	for k := range 64 * height {
		texel := make([]byte, f.bytes)
		for i := range texel {
			texel[i] = 0xFF
		}
		for i := range f.fields {
			n := len(list[i])
			f.fields[i].put(texel, list[i][(k+(k/n+5)*13*i)%n])
		}
		data = append(data, texel...)
	}
	return data, height
}

// image makes an image of 64 columns of a format.
func (f *tableFormat) image(t *testing.T, dev *imageDevice, data []byte, height int) *pumice.Image {
	t.Helper()
	im, err := dev.NewImage(pumice.ImageDesc{Format: f.Format, Width: 64, Height: height})
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	if data != nil {
		if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
	}
	return im
}

// stored says that the catalogue's table of features has storage images of a format.
func (f *tableFormat) stored() bool { return f.fields[0].numeric != "SRGB" }

// sameWord compares components; NaNs are all the same.
func sameWord(kind string, got, want uint32) bool {
	if got == want || kind != "f" {
		return got == want
	}
	a, b := math.Float32frombits(got), math.Float32frombits(want)
	return a != a && b != b
}

func TestTables_IMG240_EveryCodeOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-050", "IMG-064", "IMG-240", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246", "IMG-247", "IMG-248", "IMG-251", "IMG-252", "IMG-257", "IMG-258")
	rules.Covers(t, "IMG-320", "IMG-321", "IMG-516", "IMG-523", "IMG-530", "IMG-575", "IMG-577")
	rules.Covers(t, "IMG-750", "IMG-751", "IMG-752", "IMG-753", "IMG-755", "IMG-756", "IMG-757", "IMG-762", "IMG-766", "IMG-767")
	formats := tableFormats(t)
	if len(formats) != 120 {
		t.Errorf("%d formats", len(formats))
	}
	for _, dev := range imageDevices(t) {
		near := ruleSampler(t, dev, pumice.SamplerDesc{})
		for _, f := range formats {
			data, height := f.rows((*field).codes)
			im := f.image(t, dev, data, height)
			at := func(x, y int) [4]uint32 {
				k := x%64 + y%height*64
				return f.texel(data[k*f.bytes:][:f.bytes])
			}
			var lanes []imageLane
			for k := range 64 * height {
				x, y := k%64, k/64
				lanes = append(lanes, imageLane{at: [4]float32{(float32(x) + .5) / 64, (float32(y) + .5) / float32(height)}, texel: [3]int32{int32(x), int32(y)}})
			}
			check := func(what string, how imageHow, got [][4]uint32, want func(x, y int) [4]uint32) {
				for k := range 64 * height {
					w := want(k%64, k/64)
					for c := range w {
						if !sameWord(f.kind, got[k][c], w[c]) {
							t.Errorf("%s, engine %s, %s: %#x in component %d of texel % x, want %#x", f.name, dev.Engine(), what, got[k][c], c, data[k*f.bytes:][:f.bytes], w[c])
							return
						}
					}
				}
			}
			texture := pumice.Texture{View: im, Sampler: near}
			check("sample", tableLod, dev.lanes(t, "tablesampled"+f.kind, tableLod, false, texture, lanes), at)
			check("fetch", tableFetch, dev.lanes(t, "tablesampled"+f.kind, tableFetch, false, texture, lanes), at)
			if f.stored() {
				check("read", tableLoad, dev.lanes(t, "tablestored"+f.kind, tableLoad, false, im, lanes), at)
			}
			check("blit", tableFetch, f.blitted(t, dev, im, height), at)
			for k := range lanes { // corners of four texels, nearer to the first
				lanes[k].at[0] += .4375 / 64
				lanes[k].at[1] += .4375 / float32(height)
			}
			for c := range 4 {
				check(fmt.Sprintf("gather of component %d", c), tableGather, dev.lanes(t, "tablesampled"+f.kind, tableGather+imageHow(c), false, texture, lanes), func(x, y int) [4]uint32 {
					return [4]uint32{at(x, y+1)[c], at(x+1, y+1)[c], at(x+1, y)[c], at(x, y)[c]}
				})
			}
			im.Close()
		}
	}
}

// blitted are the texels of an image after a blit to 32 bits a component.
func (f *tableFormat) blitted(t *testing.T, dev *imageDevice, im *pumice.Image, height int) (texels [][4]uint32) {
	t.Helper()
	to := &tableFormat{Format: map[string]vk.Format{"f": vk.FormatR32G32B32A32Sfloat, "i": vk.FormatR32G32B32A32Sint, "u": vk.FormatR32G32B32A32Uint}[f.kind], bytes: 16}
	dst := to.image(t, dev, nil, height)
	defer dst.Close()
	cmd := dev.NewCommandBuffer()
	cmd.BlitImage(im, dst, vk.FilterNearest)
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	got, err := dst.Read(ctx, pumice.Subresource{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 64 * height {
		var x [4]uint32
		for c := range x {
			x[c] = binary.LittleEndian.Uint32(got[16*k+4*c:])
		}
		texels = append(texels, x)
	}
	return texels
}

// finiteCodes are codes to filter: without infinities and NaNs.
func (c *field) finiteCodes() (list []uint64) {
	for _, code := range c.codes() {
		if f := math.Float32frombits(c.number(code)); !(c.numeric == "SFLOAT" || c.numeric == "UFLOAT") || f-f == 0 && (c.bits < 32 || math.Abs(float64(f)) < 1e9) {
			list = append(list, code)
		}
	}
	return list
}

// LINEAR filters, least and largest texels, of every component of every format.
func TestTables_IMG532_LinearOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-003", "IMG-250", "IMG-260", "IMG-291", "IMG-320", "IMG-481", "IMG-500", "IMG-531", "IMG-532", "IMG-550", "IMG-701")
	r := rand.New(rand.NewPCG(27, 1))
	for _, dev := range imageDevices(t) {
		for n, f := range tableFormats(t) {
			if f.kind != "f" {
				continue
			}
			data, height := f.rows((*field).finiteCodes)
			im := f.image(t, dev, data, height)
			modes := [2]vk.SamplerAddressMode{addressModes[n%5], addressModes[(n/5+n+3)%5]}
			for _, reduction := range []vk.SamplerReductionMode{vk.SamplerReductionModeWeightedAverage, vk.SamplerReductionModeMin, vk.SamplerReductionModeMax} {
				s := pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, AddressModeU: modes[0], AddressModeV: modes[1], BorderColor: vk.BorderColorFloatOpaqueWhite, Reduction: reduction}
				var lanes []imageLane
				type place struct{ x, y, fx, fy int }
				var places []place
				for range 128 {
					p := place{r.IntN(65) - 1, r.IntN(height+1) - 1, r.IntN(256), r.IntN(256)}
					if r.IntN(4) == 0 {
						p.fx = 0
					}
					// 256 steps of a column are exact; those of rows, too, within half a step.
					lanes = append(lanes, imageLane{at: [4]float32{(float32(p.x) + .5 + float32(p.fx)/256) / 64, float32((float64(p.y) + .5 + float64(p.fy)/256) / float64(height))}})
					places = append(places, p)
				}
				texture := pumice.Texture{View: im, Sampler: ruleSampler(t, dev, s)}
				got := dev.lanes(t, "tablesampledf", tableLod, false, texture, lanes)
				for k, p := range places {
					var sum levelSum
					f.addTexels(&sum, data, [2]int{64, height}, modes, [2]int{p.x, p.y}, [2]int64{int64(p.fx), int64(p.fy)}, 256)
					if bad := sum.differs(reduction, got[k]); bad != "" {
						t.Errorf("%s, engine %s, %v, %v, %+v: %s", f.name, dev.Engine(), modes, reduction, p, bad)
						break
					}
				}
			}
			im.Close()
		}
	}
}
