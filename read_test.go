package pumice_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// What ClearTo is given is what reading returns, in every kind of format.
func TestRead_AfterClearTo_ReturnsTheColor(t *testing.T) {
	dev := open(t, nil)
	want := color.NRGBA{200, 100, 50, 255}
	for _, f := range []vk.Format{vk.FormatR8G8B8A8Unorm, vk.FormatR8G8B8A8Srgb, vk.FormatB8G8R8A8Srgb, vk.FormatR16G16B16A16Unorm, vk.FormatR16G16B16A16Sfloat, vk.FormatR32G32B32A32Sfloat} {
		im := must(dev.NewImage(pumice.ImageDesc{Format: f, Width: 3, Height: 2}))(t)
		cmd := dev.NewCommandBuffer()
		cmd.BeginRendering(pumice.ClearTo(im, want)).End()
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
		if got := must(im.ReadNRGBA(ctx))(t).NRGBAAt(2, 1); got != want {
			t.Errorf("%v: %v, want %v", f, got, want)
		}
	}
}

func TestReadImage_TypeFitsTheFormat(t *testing.T) {
	dev := open(t, nil)
	for f, want := range map[vk.Format]image.Image{
		vk.FormatR8Unorm: &image.Gray{}, vk.FormatR16Unorm: &image.Gray16{}, vk.FormatD32Sfloat: &image.Gray16{},
		vk.FormatR8G8B8A8Srgb: &image.NRGBA{}, vk.FormatR16G16B16A16Unorm: &image.NRGBA64{}, vk.FormatR16G16B16A16Sfloat: &image.NRGBA{},
	} {
		im := must(dev.NewImage(pumice.ImageDesc{Format: f, Width: 2, Height: 2}))(t)
		got := must(im.ReadImage(ctx))(t)
		if got.ColorModel() != want.ColorModel() || got.Bounds().Dx() != 2 {
			t.Errorf("%v: %T, want %T", f, got, want)
		}
	}
	im := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatR8G8B8A8Uint, Width: 2, Height: 2}))(t)
	if _, err := im.ReadNRGBA(ctx); err == nil {
		t.Error("integers read as a picture")
	}
}

func TestNewImageFrom_AnyImage_RoundTrips(t *testing.T) {
	dev := open(t, nil)
	src := image.NewNRGBA64(image.Rect(5, 7, 8, 9)) // bounds that do not begin at 0
	want := color.NRGBA64{R: 0x1234, G: 0xFFFF, B: 0x0101, A: 0xFFFF}
	src.SetNRGBA64(6, 8, want)
	im := must(dev.NewImageFrom(src, &pumice.ImageDesc{Format: vk.FormatR16G16B16A16Unorm}))(t)
	if got := must(im.ReadImage(ctx))(t).(*image.NRGBA64).NRGBA64At(1, 1); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	sub := testTexture().SubImage(image.Rect(1, 1, 3, 4))
	im = must(dev.NewImageFrom(sub, nil))(t)
	if d := im.Desc(); d.Width != 2 || d.Height != 3 || d.Format != vk.FormatR8G8B8A8Srgb {
		t.Errorf("made %+v", d)
	}
	wantPixel(t, must(im.ReadNRGBA(ctx))(t), 1, 2, testTexture().NRGBAAt(2, 3))
}

func TestClears_OfDepthStencilAndAttachments(t *testing.T) {
	dev := open(t, nil)
	ds := must(dev.NewImage(pumice.ImageDesc{Format: vk.FormatD24UnormS8Uint, Width: 2, Height: 1}))(t)
	out := target(t, dev, 2, 1)
	pool := must(dev.NewQueryPool(vk.QueryTypeTimestamp, 2))(t)
	cmd := dev.NewCommandBuffer()
	cmd.WriteTimestamp(pool, 0)
	cmd.ClearDepthStencilImage(ds, vk.ClearDepthStencilValue{Depth: 1, Stencil: 9})
	pass := cmd.BeginRendering(pumice.ClearTo(out, color.Black))
	pass.ClearAttachments([]vk.ClearAttachment{{AspectMask: vk.ImageAspectColorBit, ClearValue: vk.ClearValue{Color: vk.ClearColorValue{Float32: [4]float32{1, 1, 1, 1}}}}},
		vk.ClearRect{Rect: vk.Rect2D{Offset: vk.Offset2D{X: 1}, Extent: vk.Extent2D{Width: 1, Height: 1}}})
	pass.End()
	cmd.WriteTimestamp(pool, 1)
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	depth := must(ds.Read(ctx, pumice.Subresource{}))(t)
	stencil := must(ds.Read(ctx, pumice.Subresource{Aspect: vk.ImageAspectStencilBit}))(t)
	if len(depth) != 8 || depth[0] != 255 || depth[2] != 255 || len(stencil) != 2 || stencil[1] != 9 {
		t.Errorf("depth %v, stencil %v", depth, stencil)
	}
	got := must(out.ReadNRGBA(ctx))(t)
	wantPixel(t, got, 0, 0, color.NRGBA{0, 0, 0, 255})
	wantPixel(t, got, 1, 0, color.NRGBA{255, 255, 255, 255})
	if times := must(pool.Results(ctx))(t); times[1] < times[0] || times[0] == 0 {
		t.Errorf("timestamps %v", times)
	}
	if s := dev.Stats(); s.Passes != 1 || s.Draws != 1 {
		t.Errorf("stats %+v", s)
	}
}

// Each draw keeps the vertex buffer that was bound when it was recorded.
func TestDraw_VertexBufferReboundBetweenDraws(t *testing.T) {
	dev := open(t, nil)
	texture := must(dev.NewImageFrom(testTexture(), &pumice.ImageDesc{Format: unorm}))(t)
	out := target(t, dev, 4, 4)
	q := newQuad(t, dev, texture, nil)
	texel := func(u, v float32) *pumice.Buffer { // a quad that shows one texel
		return must(dev.NewBufferFrom([]float32{-1, -1, u, v, 1, -1, u, v, -1, 1, u, v, 1, 1, u, v}))(t)
	}
	cmd := dev.NewCommandBuffer()
	pass := cmd.BeginRendering(pumice.ClearTo(out, color.White))
	q.bind(pass)
	for i, b := range []*pumice.Buffer{texel(0.1, 0.1), texel(0.9, 0.9)} {
		pass.SetScissor(vk.Rect2D{Offset: vk.Offset2D{X: int32(2 * i)}, Extent: vk.Extent2D{Width: 2, Height: 4}})
		pass.BindVertexBuffer(0, b, 0)
		pass.DrawIndexed(6, 1, 0, 0, 0)
	}
	pass.End()
	if err := dev.Submit(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	got := must(out.ReadNRGBA(ctx))(t)
	wantPixel(t, got, 1, 2, testTexture().NRGBAAt(0, 0))
	wantPixel(t, got, 2, 2, testTexture().NRGBAAt(3, 3))
}

// A command buffer can be submitted again, and recorded anew while it runs.
func TestCommandBuffer_Reuse(t *testing.T) {
	dev := open(t, nil)
	b := must(dev.NewBuffer(pumice.BufferDesc{Size: 8}))(t)
	cmd := dev.NewCommandBuffer()
	cmd.FillBuffer(b, 0, 4, 1)
	first := must(dev.Queue().Submit(cmd))(t)
	cmd.Reset()
	cmd.FillBuffer(b, 4, 4, 2)
	for range 2 {
		if err := dev.Submit(ctx, cmd); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if got := b.Bytes(); got[0] != 1 || got[4] != 2 {
		t.Errorf("the buffer is %v", got)
	}
}
