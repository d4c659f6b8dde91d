// Package scene draws small hand-written scenes, so that a rule of the
// rasterizer can be looked at: every sample, the fragments that it went to, and
// the primitives as they were given.
package scene

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/internal/input"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/vk"
)

//go:generate glslangValidator --quiet -V --target-env vulkan1.1 points.vert -o points.vert.spv
//go:generate glslangValidator --quiet -V --target-env vulkan1.1 identity.frag -o identity.frag.spv

//go:generate glslangValidator --quiet -V --target-env vulkan1.1 colors.frag -o colors.frag.spv

//go:embed colors.frag.spv
var colorCode []byte

//go:embed points.vert.spv
var vertexCode []byte

//go:embed identity.frag.spv
var fragmentCode []byte

// Scene is what a file holds.
type Scene struct {
	Title string   `json:"title"`
	Text  string   `json:"text"`  // what there is to see
	Rules []string `json:"rules"` // by their numbers in docs/rules
	// Size of the framebuffer in pixels, up to MaxSize each way.
	Size [2]int `json:"size"`
	// Samples a pixel: a power of two up to 64; 0 is 1.
	Samples int `json:"samples"`
	// Density is a fragment density map, rows of texels: the pixels of a fragment
	// there, 1, 2 or 4 each way.
	Density [][][2]int `json:"density"`
	// Rates is a shading rate image, rows of texels for 16 × 16 pixels: words as in
	// Draw.ShadingRate.
	Rates [][]string `json:"rates"`
	Draws []Draw     `json:"draws"`
	// Show is what pixels are filled with in the picture: nothing means a colour for
	// each primitive, colors what the draws made of their colours, resolved the
	// samples of these in one.
	Show string `json:"show"`
	// Counted, if given, is how many samples of each draw pass all tests.
	Counted []uint64 `json:"counted"`
}

// Draw is one draw with its state. Zero values are Vulkan's ordinary state:
// filled polygons, nothing culled, lines and points of one pixel.
type Draw struct {
	// Topology is Vulkan's name in lower case without the prefix, such as
	// triangle_strip.
	Topology string `json:"topology"`
	// Vertices are x and y in pixels from the upper left corner, then depth (0)
	// and w (1).
	Vertices [][]float32 `json:"vertices"`
	// PolygonMode is fill, line, point or fill_rectangle; CullMode none, front,
	// back or front_and_back; FrontFace counter_clockwise or clockwise.
	PolygonMode string  `json:"polygonMode"`
	CullMode    string  `json:"cullMode"`
	FrontFace   string  `json:"frontFace"`
	LineWidth   float32 `json:"lineWidth"`
	PointSize   float32 `json:"pointSize"`
	// LineMode is default, rectangular, bresenham or rectangular_smooth.
	LineMode string `json:"lineMode"`
	// Stipple is factor and pattern; a factor of 0 is off.
	Stipple [2]int `json:"stipple"`
	// Conservative is overestimate or underestimate, ExtraSize in pixels.
	Conservative string  `json:"conservative"`
	ExtraSize    float32 `json:"extraSize"`
	// Rate is the pixels of a fragment: 1, 2 or 4 each way.
	Rate [2]int `json:"rate"`
	// ShadingRate is a size such as 4x2, a number of invocations of a pixel such as
	// 4_per_pixel, or none; it stands for Rate.
	ShadingRate string `json:"shadingRate"`
	// SampleLocations are one a sample, in [0, 1).
	SampleLocations [][2]float32 `json:"sampleLocations"`
	// SampleMask switches samples off; 0 is all on. SampleShading shades every
	// sample.
	SampleMask    uint64 `json:"sampleMask"`
	SampleShading bool   `json:"sampleShading"`
	// Scissor is x, y, width, height; nil is the framebuffer.
	Scissor    []int `json:"scissor"`
	DepthClamp bool  `json:"depthClamp"`
	// Colors are red, green, blue and alpha of each vertex, or once for all. Values
	// says how fragments get them: smooth, linear, flat, or the barycentric weights
	// as a colour. Blend is alpha, add, multiply, min or max; nothing overwrites.
	Colors [][4]float32 `json:"colors"`
	Values string       `json:"values"`
	Blend  string       `json:"blend"`
}

// MaxSize bounds a framebuffer each way.
const MaxSize = 256

// maxVertices bounds a draw, maxDraws a scene.
const (
	maxVertices = 4096
	maxDraws    = 64
)

// Error tells what is wrong with a scene.
type Error struct{ Msg string }

func (e *Error) Error() string { return "scene: " + e.Msg }

// errNil is the error of a nil Scene.
func errNil() error { return errorf("the scene is nil; check the error of the call that made it") }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// brief is the beginning of a text of a file that is longer than n bytes.
func brief(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// Load reads a file. The budget, which may be nil, is charged for it while the Scene is in
// use.
func Load(ctx context.Context, path string, b *budget.Budget) (*Scene, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := input.ReadAll(ctx, io.LimitReader(f, maxFile+1), -1, b)
	if err != nil {
		return nil, fmt.Errorf("%s: reading the scene: %w", path, err)
	}
	defer b.Drop(int64(cap(data)))
	// A list element of two characters is a slice, in a list that doubles as it grows.
	need := int64(len(data) + 64*bytes.Count(data, []byte("[")) + maxObjects*1024)
	if err := b.Take(need); err != nil {
		return nil, fmt.Errorf("%s: parsing the scene: %w", path, err)
	}
	s, err := Parse(data)
	if err != nil {
		b.Drop(need)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	budget.Keep(b, need, s)
	return s, nil
}

// What Parse believes: a full scene takes half of that.
const (
	maxFile    = 8 << 20
	maxObjects = 4 * maxDraws
)

// Parse reads a scene. Words that it does not know are an error.
func Parse(data []byte) (*Scene, error) {
	if len(data) > maxFile {
		return nil, errorf("more than %d bytes", maxFile)
	}
	if n := bytes.Count(data, []byte("{")); n > maxObjects { // each is a Draw, at once
		return nil, errorf("%d objects; up to %d", n, maxObjects)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errorf("the file is empty")
	}
	var s Scene
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, errorf("%s", brief(err.Error(), 200)) // which quotes what the file has
	}
	if s.Samples == 0 {
		s.Samples = 1
	}
	for _, n := range s.Size {
		if n < 1 || n > MaxSize {
			return nil, errorf("a size of %d × %d pixels; 1 to %d each way", s.Size[0], s.Size[1], MaxSize)
		}
	}
	if raster.Samples(s.Samples) == nil {
		return nil, errorf("%d samples; a power of two up to 64 is wanted", s.Samples)
	}
	if err := s.checkDensity(); err != nil {
		return nil, err
	}
	if err := s.checkRates(); err != nil {
		return nil, err
	}
	if _, err := pick("show", s.Show, shows); err != nil {
		return nil, err
	}
	if len(s.Draws) == 0 || len(s.Draws) > maxDraws {
		return nil, errorf("%d draws; 1 to %d", len(s.Draws), maxDraws)
	}
	for i := range s.Draws {
		if n := len(s.Draws[i].Vertices); n == 0 || n > maxVertices {
			return nil, errorf("draw %d has %d vertices; 1 to %d", i, n, maxVertices)
		}
		for _, v := range s.Draws[i].Vertices {
			if len(v) < 2 || len(v) > 4 {
				return nil, errorf("draw %d: a vertex of %d numbers; x, y, and perhaps depth and w", i, len(v))
			}
		}
		if n := len(s.Draws[i].Colors); n > 1 && n != len(s.Draws[i].Vertices) {
			return nil, errorf("draw %d: %d colours for %d vertices", i, n, len(s.Draws[i].Vertices))
		}
		if n := len(s.Draws[i].SampleLocations); n != 0 && n != s.Samples {
			return nil, errorf("draw %d: %d locations for %d samples", i, n, s.Samples)
		}
	}
	return &s, nil
}

// words of a draw's state.
var (
	topologies = map[string]vk.PrimitiveTopology{
		"": vk.PrimitiveTopologyTriangleList, "triangle_list": vk.PrimitiveTopologyTriangleList, "triangle_strip": vk.PrimitiveTopologyTriangleStrip,
		"triangle_fan": vk.PrimitiveTopologyTriangleFan, "line_list": vk.PrimitiveTopologyLineList, "line_strip": vk.PrimitiveTopologyLineStrip,
		"point_list": vk.PrimitiveTopologyPointList,
	}
	polygonModes = map[string]vk.PolygonMode{
		"": vk.PolygonModeFill, "fill": vk.PolygonModeFill, "line": vk.PolygonModeLine, "point": vk.PolygonModePoint, "fill_rectangle": vk.PolygonModeFillRectangleNV,
	}
	cullModes = map[string]vk.CullModeFlags{
		"": 0, "none": 0, "front": vk.CullModeFrontBit, "back": vk.CullModeBackBit, "front_and_back": vk.CullModeFrontBit | vk.CullModeBackBit,
	}
	frontFaces = map[string]vk.FrontFace{
		"": vk.FrontFaceCounterClockwise, "counter_clockwise": vk.FrontFaceCounterClockwise, "clockwise": vk.FrontFaceClockwise,
	}
	lineModes = map[string]vk.LineRasterizationMode{
		"": vk.LineRasterizationModeDefault, "default": vk.LineRasterizationModeDefault, "rectangular": vk.LineRasterizationModeRectangular,
		"bresenham": vk.LineRasterizationModeBresenham, "rectangular_smooth": vk.LineRasterizationModeRectangularSmooth,
	}
	conservatives = map[string]vk.ConservativeRasterizationModeEXT{
		"": vk.ConservativeRasterizationModeDisabledEXT, "overestimate": vk.ConservativeRasterizationModeOverestimateEXT,
		"underestimate": vk.ConservativeRasterizationModeUnderestimateEXT,
	}
)

// pick finds a word; the error lists what there is.
func pick[V any](what, word string, m map[string]V) (V, error) {
	v, ok := m[word]
	if !ok {
		var list []string
		for k := range m {
			if k != "" {
				list = append(list, k)
			}
		}
		slices.Sort(list)
		return v, errorf("%s %q; there are %s", what, brief(word, 40), strings.Join(list, ", "))
	}
	return v, nil
}

// pipeline describes the pipeline of a draw.
func (s *Scene) pipeline(d *Draw) (p pumice.GraphicsPipelineDesc, err error) {
	topology, err := pick("topology", d.Topology, topologies)
	if err != nil {
		return p, err
	}
	var r vk.PipelineRasterizationStateCreateInfo
	if r.PolygonMode, err = pick("polygonMode", d.PolygonMode, polygonModes); err != nil {
		return p, err
	}
	if r.CullMode, err = pick("cullMode", d.CullMode, cullModes); err != nil {
		return p, err
	}
	if r.FrontFace, err = pick("frontFace", d.FrontFace, frontFaces); err != nil {
		return p, err
	}
	r.LineWidth, r.DepthClampEnable = d.LineWidth, d.DepthClamp
	var line vk.PipelineRasterizationLineStateCreateInfo
	if line.LineRasterizationMode, err = pick("lineMode", d.LineMode, lineModes); err != nil {
		return p, err
	}
	if d.Stipple[0] != 0 {
		line.StippledLineEnable, line.LineStippleFactor, line.LineStipplePattern = true, uint32(d.Stipple[0]), uint16(d.Stipple[1])
	}
	p = pumice.GraphicsPipelineDesc{
		Vertex: pumice.Shader{Code: vertexCode}, Fragment: pumice.Shader{Code: fragmentCode}, ColorFormats: []vk.Format{identityFormat}, Samples: s.Samples,
		VertexBindings: []vk.VertexInputBindingDescription{{Stride: 32}},
		VertexAttributes: []vk.VertexInputAttributeDescription{
			{Format: vk.FormatR32G32B32A32Sfloat}, {Location: 1, Format: vk.FormatR32G32B32A32Sfloat, Offset: 16},
		},
		InputAssembly: &vk.PipelineInputAssemblyStateCreateInfo{Topology: topology},
		Rasterization: &r, Line: &line,
		Multisample: &vk.PipelineMultisampleStateCreateInfo{
			RasterizationSamples: vk.SampleCountFlags(s.Samples), SampleShadingEnable: d.SampleShading, MinSampleShading: 1,
		},
	}
	if d.SampleMask != 0 {
		p.Multisample.SampleMask = []uint32{uint32(d.SampleMask), uint32(d.SampleMask >> 32)}
	}
	if p.Conservative.ConservativeRasterizationMode, err = pick("conservative", d.Conservative, conservatives); err != nil {
		return p, err
	}
	p.Conservative.ExtraPrimitiveOverestimationSize = d.ExtraSize
	if d.Rate != [2]int{} {
		p.FragmentSize = vk.Extent2D{Width: uint32(d.Rate[0]), Height: uint32(d.Rate[1])}
	}
	if p.ShadingRate, err = pick("shadingRate", d.ShadingRate, shadingRates); err != nil {
		return p, err
	}
	if len(s.Rates) > 0 {
		p.ShadingRatePalette = ratePalette[:]
	}
	for _, l := range d.SampleLocations {
		p.SampleLocations = append(p.SampleLocations, vk.SampleLocationEXT{X: l[0], Y: l[1]})
	}
	return p, nil
}

const identityFormat = vk.FormatR32G32B32A32Uint

// Sample says what a sample holds: Draw is 0 where nothing was drawn, else the
// number of the draw, from 1 on. X and Y are the fragment's position, that of
// its centre.
type Sample struct {
	Draw, Primitive uint32
	X, Y            float32
}

// Run draws the scene and returns all samples: those of a pixel side by side,
// pixels row by row.
func (s *Scene) Run(ctx context.Context, dev *pumice.Device) ([]Sample, error) {
	data, _, err := s.draw(ctx, dev, identityFormat, false)
	if err != nil {
		return nil, err
	}
	samples := make([]Sample, len(data)/16)
	for i := range samples {
		word := func(k int) uint32 { return binary.LittleEndian.Uint32(data[16*i+4*k:]) }
		samples[i] = Sample{word(0), word(1), math.Float32frombits(word(2)), math.Float32frombits(word(3))}
	}
	return samples, nil
}

// Count returns how many samples of each draw pass all tests.
func (s *Scene) Count(ctx context.Context, dev *pumice.Device) ([]uint64, error) {
	_, counts, err := s.draw(ctx, dev, identityFormat, false)
	return counts, err
}

// draw draws the scene to an image of a format, with identities or with colours, and
// returns the image, resolved where asked for, and what each draw counted.
func (s *Scene) draw(ctx context.Context, dev *pumice.Device, format vk.Format, resolve bool) ([]byte, []uint64, error) {
	return s.drawWith(ctx, dev, format, resolve, func(_, _ *pumice.Image, cmd *pumice.CommandBuffer) error { return dev.Submit(ctx, cmd) })
}

// drawWith is draw with a submit of its own: resolved is nil where nothing is resolved.
func (s *Scene) drawWith(ctx context.Context, dev *pumice.Device, format vk.Format, resolve bool, submit func(target, resolved *pumice.Image, cmd *pumice.CommandBuffer) error) ([]byte, []uint64, error) {
	if s == nil {
		return nil, nil, errNil()
	}
	target, err := dev.NewImage(pumice.ImageDesc{Format: format, Width: s.Size[0], Height: s.Size[1], Samples: s.Samples})
	if err != nil {
		return nil, nil, err
	}
	defer target.Close()
	cmd := dev.NewCommandBuffer()
	var made []interface{ Close() error }
	defer func() {
		for _, c := range made {
			c.Close()
		}
	}()
	rendering := pumice.Rendering{Color: []pumice.Attachment{{Target: target, Load: vk.AttachmentLoadOpClear}}}
	if format == colorFormat {
		rendering.Color[0].Clear.Color.Float32 = [4]float32{1, 1, 1, 1}
	}
	from := target
	if resolve {
		if from, err = dev.NewImage(pumice.ImageDesc{Format: format, Width: s.Size[0], Height: s.Size[1]}); err != nil {
			return nil, nil, err
		}
		made = append(made, from)
		rendering.Color[0].Resolve = from
	}
	queries, err := dev.NewQueryPool(vk.QueryTypeOcclusion, len(s.Draws))
	if err != nil {
		return nil, nil, err
	}
	made = append(made, queries)
	if len(s.Density) > 0 {
		m, err := s.densityMap(ctx, dev)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m)
		rendering.Density = m
	}
	if len(s.Rates) > 0 {
		m, err := s.rateImage(ctx, dev)
		if err != nil {
			return nil, nil, err
		}
		made = append(made, m)
		rendering.ShadingRates = m
	}
	pass := cmd.BeginRendering(rendering)
	for i := range s.Draws {
		d := &s.Draws[i]
		desc, err := s.pipeline(d)
		if err != nil {
			return nil, nil, fmt.Errorf("draw %d: %w", i, err)
		}
		if format == colorFormat {
			if err := d.colored(&desc); err != nil {
				return nil, nil, fmt.Errorf("draw %d: %w", i, err)
			}
		}
		pipe, err := dev.NewGraphicsPipeline(desc)
		if err != nil {
			return nil, nil, fmt.Errorf("draw %d: %w", i, err)
		}
		made = append(made, pipe)
		buffer, err := dev.NewBufferFrom(d.vertexData())
		if err != nil {
			return nil, nil, err
		}
		made = append(made, buffer)
		pass.BindPipeline(pipe)
		if d.Scissor != nil {
			if len(d.Scissor) != 4 || min(d.Scissor[0], d.Scissor[1], d.Scissor[2], d.Scissor[3]) < 0 || max(d.Scissor[2], d.Scissor[3]) > MaxSize {
				return nil, nil, errorf("draw %d: a scissor %v; x, y, width, height", i, d.Scissor)
			}
			pass.SetScissor(vk.Rect2D{
				Offset: vk.Offset2D{X: int32(d.Scissor[0]), Y: int32(d.Scissor[1])},
				Extent: vk.Extent2D{Width: uint32(d.Scissor[2]), Height: uint32(d.Scissor[3])},
			})
		} else {
			pass.SetScissor(vk.Rect2D{Extent: vk.Extent2D{Width: uint32(s.Size[0]), Height: uint32(s.Size[1])}})
		}
		size := d.PointSize
		if size == 0 {
			size = 1
		}
		pass.PushConstants(0, struct {
			Width, Height, PointSize float32
			Number                   uint32
		}{float32(s.Size[0]), float32(s.Size[1]), size, uint32(i)})
		pass.BindVertexBuffer(0, buffer, 0)
		pass.BeginQuery(queries, i)
		pass.Draw(uint32(len(d.Vertices)), 1)
		pass.EndQuery(queries, i)
	}
	pass.End()
	var resolved *pumice.Image
	if resolve {
		resolved = from
	}
	if err := submit(target, resolved, cmd); err != nil {
		return nil, nil, err
	}
	counts, err := queries.Results(ctx)
	if err != nil {
		return nil, nil, err
	}
	data, err := from.Read(ctx, pumice.Subresource{})
	return data, counts, err
}

// vertexData spells vertices out.
func (d *Draw) vertexData() []float32 {
	out := make([]float32, 0, 8*len(d.Vertices))
	for i, v := range d.Vertices {
		at, color := [4]float32{3: 1}, [4]float32{}
		copy(at[:], v)
		if n := len(d.Colors); n > 0 {
			color = d.Colors[min(i, n-1)]
		}
		out = append(append(out, at[:]...), color[:]...)
	}
	return out
}
