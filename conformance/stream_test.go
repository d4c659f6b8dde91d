package conformance

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

const (
	soupVertices = 256
	soupStride   = 32 // position 16, colour 4, uv 8, pad 4
	instances    = 5
)

// stream is a random command stream on a device. What it does depends on its
// seed alone; the configuration says only when it submits.
type stream struct {
	*rand.Rand
	t   *testing.T
	dev *pumice.Device
	cfg config
	// seed names it in errors.
	seed  uint64
	close []interface{ Close() error }

	cmd     *pumice.CommandBuffer
	pending int // commands since the last submission, in units of config.split

	width, height, samples int
	colors                 []*pumice.Image
	resolves               []*pumice.Image // nil elements where there is none
	depth                  *pumice.Image   // may be nil
	depthFormat            vk.Format
	vertices, instance     *pumice.Buffer
	index16, index32       *pumice.Buffer
	indirect               *pumice.Buffer
	textures               []*pumice.Image
	picture                *pumice.Image // storage image
	scratch                *pumice.Image // single-sampled, of the first colour's format
	stir                   *pumice.ComputePipeline
	queries                *pumice.QueryPool
	query                  int
}

func pick[T any](s *stream, from ...T) T { return from[s.IntN(len(from))] }

// check ends the test on an error.
func check[T any](s *stream, v T, err error) T {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("seed %d: %v", s.seed, err)
	}
	if c, ok := any(v).(interface{ Close() error }); ok {
		s.close = append(s.close, c)
	}
	return v
}

func (s *stream) chance(p float64) bool { return s.Float64() < p }

// between returns a number of [lo, hi) in steps of 1/64, so that equal depths
// and edges through sample points occur.
func (s *stream) between(lo, hi float64) float32 {
	return float32(math.Floor((lo+(hi-lo)*s.Float64())*64) / 64)
}

// runStream runs the stream of a seed and returns everything it left behind.
func runStream(t *testing.T, dev *pumice.Device, cfg config, seed uint64) []result {
	t.Helper()
	s := &stream{Rand: rand.New(rand.NewPCG(seed, 2026)), t: t, dev: dev, cfg: cfg, seed: seed, cmd: dev.NewCommandBuffer()}
	defer func() {
		for _, c := range s.close {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	s.makeResources()
	for pass := range 3 {
		s.pass(pass == 0)
		for range s.IntN(3) {
			s.transfer(pass == 2)
		}
		if s.chance(0.5) {
			s.dispatch()
		}
	}
	s.submit()
	return s.results()
}

// step counts a command and submits where the configuration says so.
func (s *stream) step() {
	s.pending++
	if s.cfg.split > 0 && s.pending >= s.cfg.split {
		s.submit()
	}
}

func (s *stream) submit() {
	s.t.Helper()
	if err := s.dev.Submit(ctx, s.cmd); err != nil {
		s.t.Fatalf("seed %d: %v", s.seed, err)
	}
	s.cmd, s.pending = s.dev.NewCommandBuffer(), 0
}

func (s *stream) makeResources() {
	s.width, s.height = 20+s.IntN(120), 20+s.IntN(90)
	s.samples = pick(s, 1, 4)
	formats := []vk.Format{pick(s, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatR16G16B16A16Sfloat, vk.FormatR32Uint)}
	if s.chance(0.5) {
		formats = append(formats, pick(s, vk.FormatR8G8B8A8Unorm, vk.FormatB8G8R8A8Srgb, vk.FormatR16G16B16A16Sfloat,
			vk.FormatA2B10G10R10UnormPack32, vk.FormatB10G11R11UfloatPack32, vk.FormatR5G6B5UnormPack16))
	}
	image := func(d pumice.ImageDesc) *pumice.Image {
		im, err := s.dev.NewImage(d)
		return check(s, im, err)
	}
	for i, f := range formats {
		s.colors = append(s.colors, image(pumice.ImageDesc{Format: f, Width: s.width, Height: s.height, Samples: s.samples, Name: fmt.Sprintf("color%d", i)}))
		var resolve *pumice.Image
		if s.samples > 1 && s.chance(0.7) {
			resolve = image(pumice.ImageDesc{Format: f, Width: s.width, Height: s.height, Name: fmt.Sprintf("resolve%d", i)})
		}
		s.resolves = append(s.resolves, resolve)
	}
	s.depthFormat = pick(s, vk.FormatUndefined, vk.FormatD16Unorm, vk.FormatD24UnormS8Uint, vk.FormatD32SfloatS8Uint)
	if s.depthFormat != vk.FormatUndefined {
		s.depth = image(pumice.ImageDesc{Format: s.depthFormat, Width: s.width, Height: s.height, Samples: s.samples, Name: "depth"})
	}

	buffer := func(data []byte) *pumice.Buffer {
		b, err := s.dev.NewBufferFrom(data)
		return check(s, b, err)
	}
	le := binary.LittleEndian
	var vertices, instance, index16, index32, indirect []byte
	float := func(b []byte, vs ...float32) []byte {
		for _, v := range vs {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	for range soupVertices {
		w := s.between(0.5, 3)
		if s.chance(0.06) {
			w = s.between(-1, 0.25) // behind the eye
		}
		extent := 1.2 * float64(w)
		vertices = float(vertices, s.between(-extent, extent), s.between(-extent, extent), s.between(-0.1, 1.1)*w, w)
		vertices = le.AppendUint32(vertices, s.Uint32())
		vertices = float(vertices, s.between(-1, 2), s.between(-1, 2), 0)
	}
	for range instances {
		instance = float(instance, s.between(-0.5, 0.5), s.between(-0.5, 0.5), s.between(-1, 1), s.between(0, 1))
	}
	for range 512 {
		v := uint32(s.IntN(soupVertices))
		if s.chance(0.08) {
			index16, index32 = le.AppendUint16(index16, 0xffff), le.AppendUint32(index32, 0xffffffff)
			continue
		}
		index16, index32 = le.AppendUint16(index16, uint16(v)), le.AppendUint32(index32, v)
	}
	for range 4 { // commands of 20 bytes serve as both kinds
		for _, v := range []uint32{uint32(s.IntN(60)), uint32(s.IntN(3)), uint32(s.IntN(100)), uint32(s.IntN(2)), uint32(s.IntN(2))} {
			indirect = le.AppendUint32(indirect, v)
		}
	}
	s.vertices, s.instance, s.indirect = buffer(vertices), buffer(instance), buffer(indirect)
	s.index16, s.index32 = buffer(index16), buffer(index32)

	for i := range 2 {
		d := pumice.ImageDesc{Width: 1 + s.IntN(48), Height: 1 + s.IntN(48), MipLevels: pumice.AllMips, Name: fmt.Sprintf("texture%d", i)}
		texel := 4
		d.Format = pick(s, vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Unorm, vk.FormatA2B10G10R10UnormPack32, vk.FormatR8G8B8A8Snorm, vk.FormatR5G6B5UnormPack16)
		if d.Format == vk.FormatR5G6B5UnormPack16 {
			texel = 2
		}
		im := image(d)
		data := make([]byte, d.Width*d.Height*texel)
		for j := range data {
			data[j] = byte(s.Uint32())
		}
		if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
			s.t.Fatal(err)
		}
		s.cmd.GenerateMipmaps(im)
		s.textures = append(s.textures, im)
	}
	s.picture = image(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Unorm, Width: 32, Height: 16, Name: "picture"})
	s.scratch = image(pumice.ImageDesc{Format: formats[0], Width: s.width, Height: s.height, Name: "scratch"})
	stir, err := s.dev.NewComputePipeline(pumice.ComputePipelineDesc{Compute: pumice.Shader{Code: spv(s.t, "stir.comp")}})
	s.stir = check(s, stir, err)
	queries, err := s.dev.NewQueryPool(vk.QueryTypeOcclusion, 3)
	s.queries = check(s, queries, err)
}

func (s *stream) sampler() *pumice.Sampler {
	mode := func() vk.SamplerAddressMode {
		return pick(s, vk.SamplerAddressModeRepeat, vk.SamplerAddressModeMirroredRepeat, vk.SamplerAddressModeClampToEdge, vk.SamplerAddressModeClampToBorder)
	}
	d := pumice.SamplerDesc{
		MagFilter: pick(s, vk.FilterNearest, vk.FilterLinear), MinFilter: pick(s, vk.FilterNearest, vk.FilterLinear),
		MipmapMode:   pick(s, vk.SamplerMipmapModeNearest, vk.SamplerMipmapModeLinear),
		AddressModeU: mode(), AddressModeV: mode(), AddressModeW: mode(),
		BorderColor: pick(s, vk.BorderColorFloatTransparentBlack, vk.BorderColorFloatOpaqueBlack, vk.BorderColorFloatOpaqueWhite),
		MipLodBias:  s.between(-1, 1), MinLod: s.between(0, 1), MaxLod: pick(s, float32(0), 2),
	}
	if s.chance(0.3) {
		d.MagFilter, d.MinFilter, d.MaxAnisotropy = vk.FilterLinear, vk.FilterLinear, s.between(1, 8)
	}
	smp, err := s.dev.NewSampler(d)
	return check(s, smp, err)
}

// dispatch moves the vertices about.
func (s *stream) dispatch() {
	set, err := s.stir.NewDescriptorSet(0)
	check(s, set, err)
	for binding, r := range []pumice.Resource{s.vertices, s.picture} {
		if err := set.Bind(uint32(binding), r); err != nil {
			s.t.Fatal(err)
		}
	}
	s.cmd.BindPipeline(s.stir)
	s.cmd.BindDescriptorSet(0, set)
	s.cmd.PushConstants(0, struct {
		Seed   uint32
		Amount float32
	}{s.Uint32(), s.between(0, 0.2)})
	s.cmd.Dispatch(soupVertices/32, 1, 1)
	s.step()
}

// transfer is one copy, blit, clear or fill; the last ones leave the attachments
// to be looked at.
func (s *stream) transfer(last bool) {
	defer s.step()
	i := s.IntN(len(s.colors))
	source := s.colors[i]
	if s.samples > 1 {
		source = s.resolves[i]
	}
	box := func(im *pumice.Image) (x, y, w, h int32) {
		d := im.Desc()
		w, h = 1+int32(s.IntN(d.Width)), 1+int32(s.IntN(d.Height))
		return int32(s.IntN(d.Width - int(w) + 1)), int32(s.IntN(d.Height - int(h) + 1)), w, h
	}
	color := vk.ImageSubresourceLayers{AspectMask: vk.ImageAspectColorBit, LayerCount: 1}
	switch s.IntN(8) {
	case 0: // into a texture
		if source == nil || source.Desc().Format == vk.FormatR32Uint {
			return
		}
		target := s.textures[s.IntN(2)]
		sx, sy, sw, sh := box(source)
		tx, ty, tw, th := box(target)
		region := vk.ImageBlit{
			SrcSubresource: color, DstSubresource: color,
			SrcOffsets: [2]vk.Offset3D{{X: sx, Y: sy}, {X: sx + sw, Y: sy + sh, Z: 1}},
			DstOffsets: [2]vk.Offset3D{{X: tx, Y: ty + th}, {X: tx + tw, Y: ty, Z: 1}}, // upside down
		}
		s.cmd.BlitImage(source, target, pick(s, vk.FilterNearest, vk.FilterLinear), region)
		s.cmd.GenerateMipmaps(target)
	case 1: // within the picture
		x, y, w, h := box(s.picture)
		s.cmd.CopyImageToBuffer(s.picture, s.vertices, vk.BufferImageCopy{
			ImageSubresource: color, ImageOffset: vk.Offset3D{X: x, Y: y}, BufferOffset: soupStride * 8,
			BufferRowLength: uint32(w) + uint32(s.IntN(4)), ImageExtent: vk.Extent3D{Width: uint32(w), Height: uint32(h), Depth: 1},
		})
	case 2:
		x, y, w, h := box(s.picture)
		s.cmd.CopyBufferToImage(s.vertices, s.picture, vk.BufferImageCopy{
			ImageSubresource: color, ImageOffset: vk.Offset3D{X: x, Y: y}, BufferOffset: uint64(4 * s.IntN(64)),
			ImageExtent: vk.Extent3D{Width: uint32(w), Height: uint32(h), Depth: 1},
		})
	case 3:
		if last {
			return
		}
		s.cmd.ClearColorImage(s.colors[i], vk.ClearColorValue{
			Float32: [4]float32{s.between(0, 1), s.between(0, 1), s.between(0, 1), 1}, Uint32: [4]uint32{s.Uint32()},
		})
	case 4:
		if s.depth != nil && !last {
			s.cmd.ClearDepthStencilImage(s.depth, vk.ClearDepthStencilValue{Depth: s.between(0.5, 1), Stencil: uint32(s.IntN(256))})
		}
	case 5:
		s.cmd.FillBuffer(s.vertices, soupStride*32+16, 4, s.Uint32())
		s.cmd.UpdateBuffer(s.instance, 0, []float32{s.between(-0.5, 0.5)})
	case 6:
		x, y, w, h := box(s.scratch)
		extent := vk.Extent3D{Width: uint32(w), Height: uint32(h), Depth: 1}
		to := vk.Offset3D{X: int32(s.IntN(s.width - int(w) + 1)), Y: int32(s.IntN(s.height - int(h) + 1))}
		if s.samples > 1 {
			s.cmd.ResolveImage(s.colors[0], s.scratch, vk.ImageResolve{
				SrcSubresource: color, DstSubresource: color, SrcOffset: vk.Offset3D{X: x, Y: y}, DstOffset: to, Extent: extent,
			})
			return
		}
		s.cmd.CopyImage(s.colors[0], s.scratch, vk.ImageCopy{
			SrcSubresource: color, DstSubresource: color, SrcOffset: vk.Offset3D{X: x, Y: y}, DstOffset: to, Extent: extent,
		})
	case 7:
		s.cmd.CopyBuffer(s.vertices, s.instance, vk.BufferCopy{SrcOffset: uint64(4 * s.IntN(256)), DstOffset: 32, Size: 8})
	}
}

// results reads back all that commands may have written.
func (s *stream) results() []result {
	var out []result
	image := func(im *pumice.Image, aspect vk.ImageAspectFlags, level int) {
		if im == nil {
			return
		}
		data, err := im.Read(ctx, pumice.Subresource{Aspect: aspect, Level: level})
		if err != nil {
			s.t.Fatalf("seed %d: %v", s.seed, err)
		}
		d := im.Desc()
		w, h := max(1, d.Width>>level), max(1, d.Height>>level)
		out = append(out, result{
			name:  fmt.Sprintf("seed%d-%s-%v-level%d", s.seed, d.Name, d.Format, level),
			width: w, height: h, texel: len(data) / (w * h), data: data,
		})
	}
	for i := range s.colors {
		image(s.colors[i], 0, 0)
		image(s.resolves[i], 0, 0)
	}
	if s.depth != nil {
		image(s.depth, vk.ImageAspectDepthBit, 0)
		if s.depthFormat != vk.FormatD16Unorm {
			image(s.depth, vk.ImageAspectStencilBit, 0)
		}
	}
	for _, im := range s.textures {
		image(im, 0, 0)
		image(im, 0, im.Desc().MipLevels-1)
	}
	image(s.picture, 0, 0)
	image(s.scratch, 0, 0)
	data := make([]byte, s.vertices.Size())
	if err := s.vertices.Read(ctx, 0, data); err != nil {
		s.t.Fatal(err)
	}
	counts, err := s.queries.Results(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, n := range counts {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	return append(out, result{name: fmt.Sprintf("seed%d-buffer-and-queries", s.seed), width: len(data), height: 1, texel: 1, data: data})
}
