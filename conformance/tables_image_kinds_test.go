package conformance

import (
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Texel buffers of every format, samples of every count, and sparse instructions beside their twins.

func TestTables_IMG302_TexelBuffersOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-032", "IMG-200", "IMG-203", "IMG-240", "IMG-241", "IMG-242", "IMG-243", "IMG-244", "IMG-245", "IMG-246", "IMG-252", "IMG-302", "IMG-305", "IMG-320", "IMG-372", "IMG-376", "IMG-377", "IMG-378", "IMG-379")
	for _, dev := range imageDevices(t) {
		for _, f := range tableFormats(t) {
			features := dev.FormatProperties(f.Format).BufferFeatures
			data, height := f.rows((*field).codes)
			n := 64 * height
			// A texel behind the view is not its own.
			b, err := dev.NewBufferFrom(append(append([]byte(nil), data...), make([]byte, 64)...))
			if err != nil {
				t.Fatal(err)
			}
			view, err := dev.NewBufferView(b, f.Format, 0, uint64(len(data)))
			if features&vk.FormatFeatureUniformTexelBufferBit == 0 {
				if err == nil {
					t.Errorf("%s: a view that the format's features do not have", f.name)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			var lanes []imageLane
			for k := range n {
				lanes = append(lanes, imageLane{texel: [3]int32{int32(k)}})
			}
			for _, k := range []int32{-1, int32(n), int32(n) + 1, math.MaxInt32, math.MinInt32, -int32(n)} {
				lanes = append(lanes, imageLane{texel: [3]int32{k}})
			}
			check := func(what string, got [][4]uint32) {
				for k := range lanes {
					w := f.bordered(0, 0)
					if k < n {
						w = f.texel(data[k*f.bytes:][:f.bytes])
					}
					for c := range w {
						if !sameWord(f.kind, got[k][c], w[c]) {
							t.Errorf("%s, engine %s, %s of element %d: %x, want %x", f.name, dev.Engine(), what, lanes[k].texel[0], got[k], w)
							return
						}
					}
				}
			}
			check("fetch", dev.lanes(t, "tablebuffer"+f.kind, tableFetch, false, view, lanes))
			if features&vk.FormatFeatureStorageTexelBufferBit != 0 {
				check("read", dev.lanes(t, "tablestoredbuffer"+f.kind, tableLoad, false, view, lanes))
			}
			view.Close()
			b.Close()
			if f.kind == "f" && f.fields[0].numeric != "SHARED" && features&vk.FormatFeatureStorageTexelBufferBit != 0 {
				f.storedInBuffer(t, dev)
			}
		}
	}
}

// storedInBuffer stores what decides between codes into elements of a buffer, and beyond both ends of its view.
func (f *tableFormat) storedInBuffer(t *testing.T, dev *imageDevice) {
	t.Helper()
	values, want := f.written()
	behind := make([]byte, 64)
	b, err := dev.NewBufferFrom(append(make([]byte, len(want)), behind...))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	view, err := dev.NewBufferView(b, f.Format, 0, uint64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	var lanes []imageLane
	for k, v := range values {
		lanes = append(lanes, imageLane{at: v, texel: [3]int32{int32(k)}})
	}
	for _, k := range []int32{-1, int32(len(values)), math.MinInt32, math.MaxInt32} {
		lanes = append(lanes, imageLane{at: [4]float32{1, 1, 1, 1}, texel: [3]int32{k}})
	}
	dev.lanes(t, "tablestoredbufferf", tableStore, false, view, lanes)
	got := make([]byte, len(want)+len(behind))
	if err := b.Read(ctx, 0, got); err != nil {
		t.Fatal(err)
	}
	f.differs(t, "store into a buffer, engine "+dev.Engine(), got[:len(want)], want, func(k int) any { return values[k] })
	for _, x := range got[len(want):] {
		if x != 0 {
			t.Errorf("%s, engine %s: a store beyond the view: % x", f.name, dev.Engine(), got[len(want):])
			break
		}
	}
}

// Every sample of every texel of images of every count, and those that there are not.
func TestTables_IMG580_SamplesOfEveryCount(t *testing.T) {
	rules.Covers(t, "IMG-200", "IMG-203", "IMG-301", "IMG-306", "IMG-372", "IMG-575", "IMG-577", "IMG-578", "IMG-580")
	const w, h = 5, 3
	for _, dev := range imageDevices(t) {
		near := ruleSampler(t, dev, pumice.SamplerDesc{})
		for _, f := range []vk.Format{vk.FormatR32Sfloat, vk.FormatR8G8Snorm, vk.FormatR16G16B16A16Sfloat} {
			for samples := 2; samples <= 64; samples *= 2 {
				for _, layers := range []int{0, 3} {
					desc, view, suffix := pumice.ImageDesc{Format: f, Width: w, Height: h, Samples: samples}, pumice.ViewDesc{Type: vk.ImageViewType2D}, ""
					if layers > 0 {
						desc.Layers, suffix, view = layers+1, "array", pumice.ViewDesc{Type: vk.ImageViewType2DArray, BaseLayer: 1, Layers: layers}
					}
					im, err := dev.NewImage(desc)
					if err != nil {
						t.Fatal(err)
					}
					v, err := im.NewView(view)
					if err != nil {
						t.Fatal(err)
					}
					var lanes []imageLane
					var want [][4]uint32
					for n := -1; n <= samples; n++ {
						for z := -1; z <= layers; z++ {
							for y := -1; y <= h; y++ {
								for x := -1; x <= w; x++ {
									// Numbers that all these formats hold: of 127.
									l := imageLane{at: [4]float32{-1, 1, -1, 1}, texel: [3]int32{int32(x), int32(y), int32(z)}, level: int32(n)}
									in := x >= 0 && x < w && y >= 0 && y < h && (z >= 0 && z < layers || layers == 0) && n >= 0 && n < samples
									var r [4]uint32
									if f != vk.FormatR16G16B16A16Sfloat {
										r[3] = math.Float32bits(1)
									}
									if in {
										id := (n*3+max(z, 0))*h*w + y*w + x
										l.at = [4]float32{nearest32(ratio(int64(id%128), 127)), nearest32(ratio(int64(id/128), 127)), 1, 0}
										switch f {
										case vk.FormatR32Sfloat:
											r[0] = math.Float32bits(l.at[0])
										case vk.FormatR8G8Snorm:
											r[0], r[1] = math.Float32bits(l.at[0]), math.Float32bits(l.at[1])
										default:
											l.at = [4]float32{float32(id / 64), -float32(id%64) / 4, 1, minus0} // of 11 bits
											for c := range r {
												r[c] = math.Float32bits(l.at[c])
											}
										}
									}
									lanes, want = append(lanes, l), append(want, r)
								}
							}
						}
					}
					dev.lanes(t, "tablestoredms"+suffix, tableStore, false, v, lanes)
					for what, got := range map[string][][4]uint32{
						"read":  dev.lanes(t, "tablestoredms"+suffix, tableLoad, false, v, lanes),
						"fetch": dev.lanes(t, "tablems"+suffix, tableFetch, false, pumice.Texture{View: v, Sampler: near}, lanes),
					} {
						for k := range lanes {
							if got[k] != want[k] {
								t.Errorf("%v, engine %s, %d samples, %d layers, %s of sample %d of %v: %x, want %x", f, dev.Engine(), samples, layers, what, lanes[k].level, lanes[k].texel, got[k], want[k])
								break
							}
						}
					}
					v.Close()
					im.Close()
				}
			}
		}
	}
}

// Sparse instructions give what their twins give, and code 0 of an image that is bound; any other code is not resident.
func TestTables_IMG621_SparseTwins(t *testing.T) {
	rules.Covers(t, "IMG-232", "IMG-620", "IMG-621", "IMG-622", "IMG-623")
	for _, dev := range imageDevices(t) {
		im := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatR32Sfloat, Width: 16, Height: 16, MipLevels: 5}, func(level, _, x, y, _ int) []byte {
			return word(float32(level) + float32(y*16+x)/1024)
		})
		depth := ruleImage(t, dev, pumice.ImageDesc{Format: vk.FormatD32Sfloat, Width: 16, Height: 16, MipLevels: 5}, func(level, _, x, y, _ int) []byte {
			return word(float32((x*7+y*3+level*5)%16) / 16)
		})
		for _, shader := range []string{"sparse2d", "sparseshadow2d"} {
			view := pumice.View(im)
			s := pumice.SamplerDesc{MagFilter: vk.FilterLinear, MinFilter: vk.FilterLinear, MipmapMode: vk.SamplerMipmapModeLinear}
			if shader == "sparseshadow2d" {
				view, s.CompareEnable, s.CompareOp = depth, true, vk.CompareOpLess
			}
			texture := pumice.Texture{View: view, Sampler: ruleSampler(t, dev, s)}
			var lanes []imageLane
			for k := range 64 { // quads whose lanes are 1 to 8 texels apart
				apart := float32(int(1)<<(k/4%4)) / 16
				l := imageLane{at: [4]float32{float32(k)/64 + apart*float32(k&1), .3 + apart*float32(k>>1&1)}, lod: float32(k%7) / 2, dref: float32(k%17) / 16}
				l.dx, l.dy, l.texel, l.level = [3]float32{apart}, [3]float32{0, apart}, [3]int32{int32(k % 16), int32(k / 4 % 16)}, int32(k%3)-1
				lanes = append(lanes, l)
			}
			for how := range imageHow(6) {
				if how == fetched && shader == "sparseshadow2d" {
					continue
				}
				seen := map[uint32]bool{}
				for k, got := range dev.lanes(t, shader, how, false, texture, lanes) {
					if seen[got[3]] = true; got[0] != 0 || got[1] != 0 || got[2] != 1 {
						t.Errorf("%s, engine %s, instruction %d, lane %d: off by bits %#x, code %d, resident %d", shader, dev.Engine(), how, k, got[0], got[1], got[2])
						break
					}
				}
				if len(seen) < 2 {
					t.Errorf("%s, instruction %d tells nothing apart", shader, how)
				}
			}
			var codes []imageLane
			var list []uint32
			for bit := range 32 {
				list = append(list, 1<<bit, 3<<bit, ^uint32(1<<bit))
			}
			list = append(list, 0, 0xFFFFFFFF)
			for _, code := range list {
				codes = append(codes, imageLane{at: [4]float32{math.Float32frombits(code)}})
			}
			for k, got := range dev.lanes(t, shader, 6, false, texture, codes)[:len(codes)] {
				want := uint32(0)
				if list[k] == 0 {
					want = 1
				}
				if got[2] != want {
					t.Errorf("engine %s: code %#x is resident %d, want %d", dev.Engine(), list[k], got[2], want)
				}
			}
		}
	}
}
