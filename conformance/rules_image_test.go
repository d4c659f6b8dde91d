package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/pumice-gpu/pumice"
)

// Image instructions as shaders run them, on every way from instruction to texels: the reference, which
// Device.Sample and its kin run, the batch machine, and the default engine, in whose
// programs routines stand in the place of instructions once they have run often.

// imageHow is an instruction of testdata/image.glsl.
type imageHow int32

const (
	atLod    imageHow = iota // textureLod
	atGrad                   // textureGrad
	implicit                 // texture
	atBias                   // texture, with a bias
	fetched                  // texelFetch
	gathered                 // textureGather, component 0
	queried                  // textureQueryLod
)

// imageLane is what a lane of testdata/image.glsl gives its instruction.
type imageLane struct {
	at     [4]float32
	dx     [3]float32
	lod    float32 // or bias
	dy     [3]float32
	dref   float32
	texel  [3]int32 // with the layer
	level  int32    // or sample
	want   [4]float32
	one    bool // only the first component counts
	sample bool // level is a sample
}

// imageRule runs instructions on one view through one sampler.
type imageRule struct {
	dev     *imageDevice // makes view and sampler
	shader  string
	how     imageHow
	view    pumice.View
	sampler *pumice.Sampler
	often   bool // until the default engine has routines in the program itself
}

// imageOften is how many lanes that takes, and more.
const imageOften = 1 << 15

// imageDevice is a device with the pipelines that were made on it.
type imageDevice struct {
	*pumice.Device
	pipelines map[string]*pumice.ComputePipeline
}

// imageDevices are devices of the engines that shaders run on by default and everywhere.
func imageDevices(t *testing.T) (all []*imageDevice) {
	t.Helper()
	for _, name := range []string{"", "vm"} {
		dev, err := pumice.Open(&pumice.Config{Engine: name, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		all = append(all, &imageDevice{dev, map[string]*pumice.ComputePipeline{}})
	}
	return all
}

// check compares what each lane gets, bit by bit but for NaNs, with what it wants.
func (r *imageRule) check(t *testing.T, name string, lanes []imageLane) {
	t.Helper()
	for i, l := range lanes {
		if r.how == implicit || r.how == atBias || r.how == queried {
			if i%4 != 0 {
				continue
			}
			got := r.reference(t, lanes[i:i+4])
			for k := range got {
				lanes[i+k].same(t, fmt.Sprintf("%s: reference, lane %d", name, i+k), got[k])
			}
			continue
		}
		l.same(t, fmt.Sprintf("%s: reference, lane %d", name, i), r.reference(t, lanes[i:i+1])[0])
	}
	got := r.run(t, lanes)
	for i := range got {
		l := lanes[i%len(lanes)]
		if !l.same(t, fmt.Sprintf("%s: engine %s, lane %d, invocation %d", name, r.dev.Engine(), i%len(lanes), i), got[i]) {
			return
		}
	}
}

func (l *imageLane) same(t *testing.T, what string, got [4]float32) bool {
	t.Helper()
	for c, w := range l.want {
		if c > 0 && l.one {
			break
		}
		if math.Float32bits(got[c]) != math.Float32bits(w) && (w == w || got[c] == got[c]) {
			t.Errorf("%s: %v, want %v (%+v)", what, got, l.want, *l)
			return false
		}
	}
	return true
}

// reference runs an instruction, or that of a quad, without a shader.
func (r *imageRule) reference(t *testing.T, lanes []imageLane) [][4]float32 {
	t.Helper()
	l := &lanes[0]
	o := pumice.SampleOptions{Lod: l.lod, Dref: l.dref}
	switch r.how {
	case atGrad:
		o.Lod, o.Grad = 0, &[2][3]float32{l.dx, l.dy}
	case implicit:
		o.Lod, o.Quads = 0, true
	case atBias:
		o.Lod, o.Quads, o.Bias = 0, true, l.lod
	}
	var coords []pumice.Coord
	for _, l := range lanes {
		coords = append(coords, l.at)
	}
	var got []pumice.Texel
	var err error
	switch r.how {
	case fetched:
		f := pumice.FetchOptions{Level: int(l.level)}
		if l.sample {
			f = pumice.FetchOptions{Sample: int(l.level)}
		}
		got, err = r.dev.Fetch(ctx, r.view, [][4]int{{int(l.texel[0]), int(l.texel[1]), int(l.texel[2])}}, f)
	case queried:
		got, err = r.dev.QueryLod(ctx, pumice.Texture{View: r.view, Sampler: r.sampler}, coords)
	case gathered:
		got, err = r.dev.Gather(ctx, pumice.Texture{View: r.view, Sampler: r.sampler}, coords, 0, pumice.SampleOptions{Dref: l.dref})
	default:
		got, err = r.dev.Sample(ctx, pumice.Texture{View: r.view, Sampler: r.sampler}, coords, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out [][4]float32
	for _, x := range got {
		f := x.Float()
		out = append(out, f)
	}
	return out
}

// run runs all lanes in a shader, perhaps again and again.
func (r *imageRule) run(t *testing.T, lanes []imageLane) [][4]float32 {
	t.Helper()
	words := r.dev.lanes(t, r.shader, r.how, r.often, pumice.Texture{View: r.view, Sampler: r.sampler}, lanes)
	list := make([][4]float32, len(words))
	for i, w := range words {
		list[i] = floatsOf(w)
	}
	return list
}

// floatsOf are the numbers of words.
func floatsOf(words [4]uint32) (f [4]float32) {
	for c, x := range words {
		f[c] = math.Float32frombits(x)
	}
	return f
}

// lanes runs an instruction of a shader of testdata/rules on an image; the results are words. Where it runs often, the engine has
// routines in the program itself.
func (dev *imageDevice) lanes(t *testing.T, shader string, how imageHow, often bool, image pumice.Resource, lanes []imageLane) [][4]uint32 {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, n := dev.pipelines[shader], (len(lanes)+63)&^63
	if p == nil || often {
		code, err := os.ReadFile("testdata/rules/" + shader + ".comp.spv")
		must(err)
		p, err = dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: code}})
		must(err)
		t.Cleanup(func() { p.Close() })
		if often {
			n = max(n, imageOften)
		} else {
			dev.pipelines[shader] = p
		}
	}
	var words []uint32
	float := func(list ...float32) {
		for _, f := range list {
			words = append(words, math.Float32bits(f))
		}
	}
	for _, l := range lanes {
		float(l.at[:]...)
		float(append(l.dx[:], l.lod)...)
		float(append(l.dy[:], l.dref)...)
		words = append(words, uint32(l.texel[0]), uint32(l.texel[1]), uint32(l.texel[2]), uint32(l.level))
	}
	in, err := dev.NewBufferFrom(words)
	must(err)
	defer in.Close()
	out, err := dev.NewBufferFrom(make([]uint32, 4*n))
	must(err)
	defer out.Close()
	set, err := p.NewDescriptorSet(0)
	must(err)
	must(set.Bind(0, in))
	must(set.Bind(1, out))
	must(set.Bind(2, image))
	cmd := dev.NewCommandBuffer()
	cmd.BindPipeline(p)
	cmd.BindDescriptorSet(0, set)
	cmd.PushConstants(0, []int32{int32(how), int32(len(lanes))})
	cmd.Dispatch(uint32(n/64), 1, 1)
	must(dev.Submit(ctx, cmd))
	bytes := make([]byte, 16*n)
	must(out.Read(ctx, 0, bytes))
	list := make([][4]uint32, n)
	for i := range list {
		for c := range 4 {
			list[i][c] = binary.LittleEndian.Uint32(bytes[16*i+4*c:])
		}
	}
	return list
}

// ruleImage makes an image of float texels, in its format's encoding by f, texel by texel: level, layer, x, y, z.
func ruleImage(t *testing.T, dev *imageDevice, desc pumice.ImageDesc, texel func(level, layer, x, y, z int) []byte) *pumice.Image {
	t.Helper()
	im, err := dev.NewImage(desc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	d := im.Desc()
	for level := range max(d.MipLevels, 1) {
		for layer := range max(d.Layers, 1) {
			var data []byte
			for z := range max(d.Depth>>level, 1) {
				for y := range max(d.Height>>level, 1) {
					for x := range max(d.Width>>level, 1) {
						data = append(data, texel(level, layer, x, y, z)...)
					}
				}
			}
			if err := im.Write(ctx, pumice.Subresource{Level: level, Layer: layer}, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return im
}

// word is a float in memory.
func word(f float32) []byte {
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(f))
}

func ruleSampler(t *testing.T, dev *imageDevice, desc pumice.SamplerDesc) *pumice.Sampler {
	t.Helper()
	s, err := dev.NewSampler(desc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
