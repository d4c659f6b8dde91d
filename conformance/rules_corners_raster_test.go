package conformance

import (
	"encoding/binary"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// Corners of rasterization: one format of many, one component, one sample count, ends of ranges.

// rasterDevices are devices of the engines that draws run on by default and everywhere.
func rasterDevices(t *testing.T) (all []*pumice.Device) {
	t.Helper()
	for _, name := range []string{"", "vm"} {
		dev, err := pumice.Open(&pumice.Config{Engine: name, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		all = append(all, dev)
	}
	return all
}

// Alpha to one, whatever the format and however many samples: the largest alpha that fixed point represents, or 1.0. Where
// alpha also becomes coverage, it is the shader's.
func TestCorners_RAS319_AlphaToOne(t *testing.T) {
	rules.Covers(t, "RAS-318", "RAS-319", "RAS-019", "RAS-317")
	// Where alpha lies in a texel, and what stands for one.
	formats := []struct {
		format             vk.Format
		size, shift, width int
		one                uint64
	}{
		{vk.FormatR8G8B8A8Unorm, 4, 24, 8, 255}, {vk.FormatR8G8B8A8Snorm, 4, 24, 8, 127}, {vk.FormatR8G8B8A8Srgb, 4, 24, 8, 255},
		{vk.FormatB8G8R8A8Unorm, 4, 24, 8, 255}, {vk.FormatB8G8R8A8Srgb, 4, 24, 8, 255},
		{vk.FormatA8B8G8R8UnormPack32, 4, 24, 8, 255}, {vk.FormatA8B8G8R8SnormPack32, 4, 24, 8, 127}, {vk.FormatA8B8G8R8SrgbPack32, 4, 24, 8, 255},
		{vk.FormatA2B10G10R10UnormPack32, 4, 30, 2, 3}, {vk.FormatA2R10G10B10UnormPack32, 4, 30, 2, 3},
		{vk.FormatR4G4B4A4UnormPack16, 2, 0, 4, 15}, {vk.FormatB4G4R4A4UnormPack16, 2, 0, 4, 15},
		{vk.FormatR5G5B5A1UnormPack16, 2, 0, 1, 1}, {vk.FormatB5G5R5A1UnormPack16, 2, 0, 1, 1}, {vk.FormatA1R5G5B5UnormPack16, 2, 15, 1, 1},
		{vk.FormatR16G16B16A16Unorm, 8, 48, 16, 65535}, {vk.FormatR16G16B16A16Snorm, 8, 48, 16, 32767}, {vk.FormatR16G16B16A16Sfloat, 8, 48, 16, 0x3c00},
		{vk.FormatR32G32B32A32Sfloat, 16, 32, 32, 0x3f800000}, // of the upper eight bytes
	}
	for _, dev := range rasterDevices(t) {
		for _, f := range formats {
			for _, samples := range allSampleCounts {
				for _, c := range []struct{ coverage, shading, toOne bool }{{toOne: true}, {shading: true, toOne: true}, {coverage: true, toOne: true}, {}} {
					if c.coverage && samples != 4 {
						continue
					}
					d := square(f.format, 1, 1, 1, .5)
					d.samples = samples
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
						p.Multisample = &vk.PipelineMultisampleStateCreateInfo{RasterizationSamples: vk.SampleCountFlags(samples), SampleShadingEnable: c.shading, MinSampleShading: 1,
							AlphaToCoverageEnable: c.coverage, AlphaToOneEnable: c.toOne}
					}
					got, drawn := d.run(t, dev), 0
					for i := range 4 * samples {
						texel := got.color[0][i*f.size:][:f.size]
						if f.size == 16 {
							texel = texel[8:]
						}
						var word [8]byte
						copy(word[:], texel)
						v := binary.LittleEndian.Uint64(word[:])
						if v == 0 && c.coverage {
							continue // not covered
						}
						drawn++
						if alpha := v >> f.shift & (1<<f.width - 1); (alpha == f.one) != c.toOne && (f.width > 1 || c.toOne) {
							t.Fatalf("%v, %d samples, %+v, engine %s: alpha is %#x, one is %#x", f.format, samples, c, dev.Engine(), alpha, f.one)
						}
					}
					if want := map[bool]int{false: 4 * samples, true: 2 * samples}[c.coverage]; drawn != want {
						t.Errorf("%v, %d samples, %+v, engine %s: %d samples are covered, want %d", f.format, samples, c, dev.Engine(), drawn, want)
					}
				}
			}
		}
	}
}

// without returns a module whose decorations of a kind are gone.
func without(code []byte, decoration uint32) []byte {
	out := append([]byte(nil), code...)
	for at := 20; at < len(out); {
		n, op := int(binary.LittleEndian.Uint16(out[at+2:])), binary.LittleEndian.Uint16(out[at:])
		if op == 71 && binary.LittleEndian.Uint32(out[at+8:]) == decoration { // OpDecorate
			for k := range n {
				binary.LittleEndian.PutUint32(out[at+4*k:], 1<<16) // OpNop
			}
		}
		at += 4 * n
	}
	return out
}

// Integers are those of the provoking vertex in every component and of every primitive, also where the shader does not say flat.
func TestCorners_RAS069_EveryComponent(t *testing.T) {
	rules.Covers(t, "RAS-069", "RAS-067", "RAS-282")
	code, err := os.ReadFile("testdata/rules/values.frag.spv")
	if err != nil {
		t.Fatal(err)
	}
	v := [4][4]float32{{10, -20, 30, -40}, {11, -21, 31, -41}, {12, -22, 32, -42}, {13, -23, 33, -43}}
	for _, dev := range rasterDevices(t) {
		for _, c := range []struct {
			topology    vk.PrimitiveTopology
			vertices    []ruleVertex
			first, last int
		}{
			{vk.PrimitiveTopologyPointList, []ruleVertex{at(.5, .5, v[1][:]...)}, 1, 1},
			{vk.PrimitiveTopologyLineList, []ruleVertex{at(0, .5, v[0][:]...), at(4, .5, v[1][:]...)}, 0, 1},
			{vk.PrimitiveTopologyLineStrip, []ruleVertex{at(0, .5, v[2][:]...), at(4, .5, v[1][:]...)}, 2, 1},
			{vk.PrimitiveTopologyTriangleList, []ruleVertex{at(0, 0, v[3][:]...), at(8, 0, v[1][:]...), at(0, 8, v[2][:]...)}, 3, 2},
			{vk.PrimitiveTopologyTriangleStrip, []ruleVertex{at(0, 0, v[0][:]...), at(8, 0, v[1][:]...), at(0, 8, v[2][:]...)}, 0, 2},
			{vk.PrimitiveTopologyTriangleFan, []ruleVertex{at(0, 0, v[0][:]...), at(8, 0, v[1][:]...), at(0, 8, v[2][:]...)}, 1, 2},
			{vk.PrimitiveTopologyLineListWithAdjacency, []ruleVertex{at(9, 9), at(0, .5, v[0][:]...), at(4, .5, v[3][:]...), at(9, 9)}, 0, 3},
			{vk.PrimitiveTopologyLineStripWithAdjacency, []ruleVertex{at(9, 9), at(0, .5, v[1][:]...), at(4, .5, v[3][:]...), at(9, 9)}, 1, 3},
			{vk.PrimitiveTopologyTriangleListWithAdjacency, []ruleVertex{at(0, 0, v[0][:]...), at(9, 9), at(8, 0, v[1][:]...), at(9, 9), at(0, 8, v[2][:]...), at(9, 9)}, 0, 2},
			{vk.PrimitiveTopologyTriangleStripWithAdjacency, []ruleVertex{at(0, 0, v[1][:]...), at(9, 9), at(8, 0, v[0][:]...), at(9, 9), at(0, 8, v[3][:]...), at(9, 9)}, 1, 3},
		} {
			for mode, vertex := range map[vk.ProvokingVertexModeEXT]int{vk.ProvokingVertexModeFirstVertexEXT: c.first, vk.ProvokingVertexModeLastVertexEXT: c.last} {
				for _, samples := range []int{1, 4} {
					d := values(c.topology, 4, 4, c.vertices...)
					d.samples = samples
					d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
						p.ProvokingVertex = mode
						p.Fragment.Code = without(code, 14) // Flat
					}
					got := d.run(t, dev)
					for s := range samples {
						x := got.at(ruleInteger, 0, 0, s)
						if s > 0 && x == ([4]float32{}) {
							continue // the sample is not covered
						}
						if x != v[vertex] {
							t.Errorf("%v, mode %d, sample %d of %d, engine %s: %v, want %v", c.topology, mode, s, samples, dev.Engine(), x, v[vertex])
						}
					}
				}
			}
		}
	}
}

// Sample shading is on where the interface has SampleId or SamplePosition, though no instruction reads it.
func TestCorners_RAS174_Declared(t *testing.T) {
	rules.Covers(t, "RAS-174")
	for _, dev := range rasterDevices(t) {
		for _, samples := range allSampleCounts {
			for entry, each := range map[string]bool{"position": true, "id": true, "neither": false} {
				d := &ruleDraw{topology: vk.PrimitiveTopologyTriangleList, size: [2]int{2, 1}, samples: samples, vertex: "values.vert", pixels: "declared.spvasm", vertices: everywhere(2)}
				d.pipeline = func(p *pumice.GraphicsPipelineDesc) { p.Fragment.Entry = entry }
				got := d.run(t, dev)
				want := uint32(2)
				if each {
					want = 2 * uint32(samples)
				}
				if d.counter[0] != want {
					t.Errorf("%d samples, interface with %s, engine %s: %d invocations, want %d", samples, entry, dev.Engine(), d.counter[0], want)
				}
				seen := map[float32]bool{}
				for i := range 2 * samples {
					seen[got.at(0, i/samples, 0, i%samples)[0]] = true
				}
				if len(seen) != int(want) {
					t.Errorf("%d samples, interface with %s, engine %s: samples have the values %v", samples, entry, dev.Engine(), seen)
				}
			}
		}
	}
}

// A point of any supported size covers the pixels whose centres lie less than half its size left of its own, or at most as much
// right of it; sizes are multiples of 1/128 up to 8192, and others become the nearest of these.
func TestCorners_RAS188_PointSizes(t *testing.T) {
	rules.Covers(t, "RAS-188", "RAS-189", "RAS-187")
	dev := ruleDevice(t)
	const width = 8250
	for _, size := range []float64{0, -3, math.NaN(), 1. / 256, 1. / 128, .5, 1, 1.00390625, 2, 63.5, 64, 127, 127.99609375, 128, 128.0078125, 129, 200, 255, 256, 257.25, 512, 1000,
		2048, 4095.5, 4096, 4097, 8191, 8192, 8193, 1e30, math.Inf(1)} {
		// The nearest multiple of 1/128, that of even units of two; NaN becomes the least.
		units := new(big.Int)
		switch {
		case !(size > 0):
			units.SetInt64(1)
		case size >= 8192:
			units.SetInt64(8192 * 128)
		default:
			twice, _ := new(big.Rat).Mul(new(big.Rat).SetFloat64(size), big.NewRat(256, 1)).Float64()
			floor := int64(math.Floor((twice + 1) / 2))
			if (twice+1)/2 == math.Floor((twice+1)/2) && floor%2 != 0 {
				floor--
			}
			units.SetInt64(max(floor, 1))
		}
		for _, centre := range []float64{4100, 4100.5, 4100.25, 4100 + 1./256} {
			d := values(vk.PrimitiveTopologyPointList, width, 1, ruleVertex{x: float32(centre), y: .5, w: 1, value: [4]float32{1, 1, 1, 1}})
			d.colors, d.formats = 1, []vk.Format{vk.FormatR8Unorm}
			d.pipeline = func(p *pumice.GraphicsPipelineDesc) {
				p.Vertex.Constants = pumice.Constants{0: float32(size)}
			}
			d.viewports = []vk.Viewport{{Width: 16384, Height: 1, MaxDepth: 1}}
			d.vertices[0].x = float32(centre) * width / 16384
			got := d.run(t, dev)
			for x := range width {
				// 2X − 256·size ≤ 2·sx < 2X + 256·size, in units of 1/256 pixel.
				twiceX, twiceS, half := int64(2*256*centre), int64(2*(256*x+128)), 2*units.Int64()
				// The point's middle is in the pixel row's middle, so that its height covers it from 1/128 on.
				want := twiceX-half <= twiceS && twiceS < twiceX+half
				if drawn := got.color[0][x] != 0; drawn != want {
					t.Errorf("size %v at %v: pixel %d is drawn %v", size, centre, x, drawn)
					break
				}
			}
		}
	}
}
