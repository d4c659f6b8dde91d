package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// shaderCase is a shader, or the shaders of a pipeline that share a name.
type shaderCase struct {
	name    string
	sources []string          // paths
	stages  map[string][]byte // SPIR-V by stage
}

// shaderProgram is what the directives of a case say.
type shaderProgram struct {
	groups  [3]uint32
	each    uint32 // invocations of a subgroup; 0 by default
	size    [2]int
	push    []byte
	spec    map[uint32]any
	buffers map[uint32]*shaderData
	images  map[uint32]*shaderImage
	colors  []*shaderData
	err     string
}

// shaderData is memory: what it holds before and after.
type shaderData struct {
	kind       string
	in, want   []byte
	format     vk.Format // of a colour
	components int
}

// start is the memory before: outputs are marked, so that one that nothing
// writes is told from a zero.
func (d *shaderData) start() []byte {
	b := slices.Repeat([]byte{0xA5}, max(len(d.in), len(d.want)))
	copy(b, d.in)
	return b
}

// shaderImage is an image with its sampler, or one of them alone.
type shaderImage struct {
	shaderData
	width, height int
	samples       int
	sampler       []string
	image         *pumice.Image
}

// shaderCases lists the corpus. The stage is a file's extension; an assembly
// file has it before ".spvasm".
func shaderCases(dir string) ([]*shaderCase, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.spv"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no shaders in %s", dir)
	}
	slices.Sort(files)
	byName := map[string]*shaderCase{}
	var list []*shaderCase
	for _, f := range files {
		source := strings.TrimSuffix(f, ".spv")
		stage := filepath.Ext(strings.TrimSuffix(source, ".spvasm"))
		name := filepath.ToSlash(strings.TrimSuffix(strings.TrimSuffix(source, ".spvasm"), stage))
		name = strings.TrimPrefix(name, filepath.ToSlash(dir)+"/")
		code, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		c := byName[name]
		if c == nil {
			c = &shaderCase{name: name, stages: map[string][]byte{}}
			byName[name] = c
			list = append(list, c)
		}
		c.sources = append(c.sources, source)
		c.stages[stage[1:]] = code
	}
	full, err := os.ReadFile(filepath.Join(dir, "full.vert.spv"))
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if _, ok := c.stages["frag"]; ok && c.stages["vert"] == nil && c.stages["mesh"] == nil {
			c.stages["vert"] = full
		}
	}
	return list, nil
}

// program reads the directives: lines that begin with "//! " or ";! ".
func (c *shaderCase) program(t *testing.T) *shaderProgram {
	t.Helper()
	p := &shaderProgram{
		groups: [3]uint32{1, 1, 1}, size: [2]int{2, 2}, spec: map[uint32]any{},
		buffers: map[uint32]*shaderData{}, images: map[uint32]*shaderImage{},
	}
	for _, path := range c.sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			rest, ok := strings.CutPrefix(line, "//! ")
			if !ok {
				rest, ok = strings.CutPrefix(line, ";! ")
			}
			if f := strings.Fields(rest); ok && len(f) > 1 {
				p.directive(t, f)
			}
		}
	}
	outputs := p.err != "" || len(p.colors) > 0
	for _, d := range p.buffers {
		outputs = outputs || d.want != nil
	}
	for _, d := range p.images {
		outputs = outputs || d.want != nil
	}
	if !outputs {
		t.Fatal("the shader states no output")
	}
	return p
}

func parseUint(t *testing.T, s string) uint32 {
	t.Helper()
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		t.Fatalf("%q is no number", s)
	}
	return uint32(v)
}

func (p *shaderProgram) directive(t *testing.T, f []string) {
	t.Helper()
	buffer := func() *shaderData {
		b := parseUint(t, f[1])
		if p.buffers[b] == nil {
			p.buffers[b] = &shaderData{kind: f[2]}
		}
		return p.buffers[b]
	}
	switch f[0] {
	case "groups":
		for i := range min(3, len(f)-1) {
			p.groups[i] = parseUint(t, f[1+i])
		}
	case "subgroup":
		p.each = parseUint(t, f[1])
	case "size":
		p.size = [2]int{int(parseUint(t, f[1])), int(parseUint(t, f[2]))}
	case "spec":
		p.spec[parseUint(t, f[1])] = specValue(t, f[2], f[3])
	case "push":
		p.push = appendValues(t, p.push, f[1], f[2:])
	case "in":
		d := buffer()
		d.in = appendValues(t, d.in, f[2], f[3:])
	case "out":
		d := buffer()
		d.kind = f[2]
		d.want = appendValues(t, d.want, f[2], f[3:])
	case "color":
		i := int(parseUint(t, f[1]))
		for len(p.colors) <= i {
			p.colors = append(p.colors, &shaderData{components: 4})
		}
		d := p.colors[i]
		d.kind = f[2]
		d.format = map[string]vk.Format{"f32": vk.FormatR32G32B32A32Sfloat, "i32": vk.FormatR32G32B32A32Sint, "u32": vk.FormatR32G32B32A32Uint}[f[2]]
		d.want = appendValues(t, d.want, f[2], f[3:])
	case "image", "imageout":
		p.image(t, f)
	case "multisample": // B WIDTH HEIGHT FORMAT SAMPLES: zeros
		p.image(t, append([]string{"image", f[1], f[2], f[3], f[4]}, "u32"))
		p.images[parseUint(t, f[1])].samples = int(parseUint(t, f[5]))
	case "sampler":
		b := parseUint(t, f[1])
		if p.images[b] == nil {
			p.images[b] = &shaderImage{}
		}
		p.images[b].sampler = f[2:]
	case "error":
		p.err = strings.Join(f[1:], " ")
	default:
		t.Fatalf("the directive %q is not known", f[0])
	}
}

// image B WIDTH HEIGHT FORMAT TYPE VALUES…
func (p *shaderProgram) image(t *testing.T, f []string) {
	t.Helper()
	b := parseUint(t, f[1])
	im := p.images[b]
	if im == nil {
		im = &shaderImage{}
		p.images[b] = im
	}
	im.width, im.height, im.kind = int(parseUint(t, f[2])), int(parseUint(t, f[3])), f[5]
	formats := map[string]vk.Format{
		"rgba8": vk.FormatR8G8B8A8Unorm, "rgba32f": vk.FormatR32G32B32A32Sfloat, "r32f": vk.FormatR32Sfloat, "r32ui": vk.FormatR32Uint, "r32i": vk.FormatR32Sint, "r64ui": vk.FormatR64Uint, "r64i": vk.FormatR64Sint,
		"rgba8uscaled": vk.FormatR8G8B8A8Uscaled, "r16sscaled": vk.FormatR16Sscaled,
		"d32": vk.FormatD32Sfloat, "rgba32ui": vk.FormatR32G32B32A32Uint, "rgba32i": vk.FormatR32G32B32A32Sint,
	}
	if im.format = formats[f[4]]; im.format == 0 {
		t.Fatalf("the image format %q is not known", f[4])
	}
	if f[0] == "imageout" {
		im.want = appendValues(t, im.want, f[5], f[6:])
	} else {
		im.in = appendValues(t, im.in, f[5], f[6:])
	}
}

func (im *shaderImage) resource(t *testing.T, dev *pumice.Device) pumice.Resource {
	t.Helper()
	if im.width > 0 {
		var err error
		im.image, err = dev.NewImage(pumice.ImageDesc{Format: im.format, Width: im.width, Height: im.height, Samples: im.samples})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { im.image.Close() })
		if im.in != nil {
			if err := im.image.Write(ctx, pumice.Subresource{}, im.in); err != nil {
				t.Fatal(err)
			}
		}
		if im.sampler == nil {
			return im.image
		}
	}
	desc := pumice.SamplerDesc{AddressModeU: vk.SamplerAddressModeClampToEdge, AddressModeV: vk.SamplerAddressModeClampToEdge}
	for _, w := range im.sampler {
		switch w {
		case "nearest":
		case "linear":
			desc.MagFilter, desc.MinFilter = vk.FilterLinear, vk.FilterLinear
		case "repeat":
			desc.AddressModeU, desc.AddressModeV = vk.SamplerAddressModeRepeat, vk.SamplerAddressModeRepeat
		case "less":
			desc.CompareEnable, desc.CompareOp = true, vk.CompareOpLess
		default:
			t.Fatalf("the sampler word %q is not known", w)
		}
	}
	s, err := dev.NewSampler(desc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if im.image == nil {
		return s
	}
	return pumice.Texture{View: im.image, Sampler: s}
}

func specValue(t *testing.T, kind, text string) any {
	t.Helper()
	b := appendValues(t, nil, kind, []string{text})
	switch kind {
	case "bool":
		return b[0] != 0
	case "u32":
		return binary.LittleEndian.Uint32(b)
	case "i32":
		return int32(binary.LittleEndian.Uint32(b))
	case "f32":
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case "f64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	t.Fatalf("specialization constants of type %q are not known", kind)
	return nil
}

// valueBytes is the size of the types; a number that begins with 0x is the bits.
var valueBytes = map[string]int{"u8": 1, "i8": 1, "u16": 2, "i16": 2, "f16": 2, "u32": 4, "i32": 4, "f32": 4, "bool": 4, "u64": 8, "i64": 8, "f64": 8}

func appendValues(t *testing.T, to []byte, kind string, values []string) []byte {
	t.Helper()
	n, ok := valueBytes[kind]
	if !ok {
		t.Fatalf("the type %q is not known", kind)
	}
	for _, s := range values {
		text, repeat, times := strings.Cut(s, "*") // 0*16 is sixteen zeros
		count := 1
		if times {
			count = int(parseUint(t, repeat))
		}
		var v uint64
		var err error
		switch {
		case strings.HasPrefix(text, "0x") || kind[0] == 'u':
			v, err = strconv.ParseUint(text, 0, 64)
		case kind == "bool":
			v = map[string]uint64{"true": 1}[text]
		case kind[0] == 'i':
			var i int64
			i, err = strconv.ParseInt(text, 0, 64)
			v = uint64(i)
		case kind == "f32":
			var f float64
			f, err = strconv.ParseFloat(text, 32)
			v = uint64(math.Float32bits(float32(f)))
		case kind == "f64":
			var f float64
			f, err = strconv.ParseFloat(text, 64)
			v = math.Float64bits(f)
		default:
			err = fmt.Errorf("write %s as bits, 0x…", kind)
		}
		if err != nil {
			t.Fatalf("%q is no %s: %v", s, kind, err)
		}
		for range count {
			to = append(to, binary.LittleEndian.AppendUint64(nil, v)[:n]...)
		}
	}
	return to
}

// show writes values for people: the number and, of floats, the bits.
func (d *shaderData) show(b []byte) []string {
	n := valueBytes[d.kind]
	var out []string
	for i := 0; i+n <= len(b); i += n {
		v := uint64(0)
		for k := range n {
			v |= uint64(b[i+k]) << (8 * k)
		}
		s := strconv.FormatUint(v, 10)
		switch d.kind {
		case "i8", "i16", "i32", "i64":
			s = strconv.FormatInt(int64(v<<(64-8*n))>>(64-8*n), 10)
		case "f32":
			s = fmt.Sprintf("%g 0x%08x", math.Float32frombits(uint32(v)), v)
		case "f64":
			s = fmt.Sprintf("%g 0x%016x", math.Float64frombits(v), v)
		case "f16":
			s = fmt.Sprintf("0x%04x", v)
		}
		out = append(out, fmt.Sprintf("%d: %s", i/n, s))
	}
	return out
}
