package core

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pumice-gpu/pumice/internal/render"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// must unwraps the result of a constructor.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// submit carries out command buffers and fails the test on errors.
func submit(t testing.TB, d *Device, cmds ...*CommandBuffer) {
	t.Helper()
	if err := d.queue.SubmitAndWait(ctx, "test", cmds); err != nil {
		t.Fatal(err)
	}
}

// rule is the rule of an error, "" for others.
func rule(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Rule
	}
	return ""
}

func TestBind_AliasedResources_ShareBytes(t *testing.T) {
	d := open(t)
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 4, Height: 3}}, ""))(t)
	b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 100}, ""))(t)
	r := im.Requirements()
	if r.Alignment == 0 || r.Size < 12 || r.Size%r.Alignment != 0 || r.MemoryTypeBits != MemoryTypeBits || b.Requirements().Size < 100 {
		t.Fatalf("requirements %+v, %+v", r, b.Requirements())
	}
	m := must(d.NewMemory(2 * r.Alignment))(t)
	if err := errors.Join(im.Bind(m, r.Alignment), b.Bind(m, r.Alignment), m.Close()); err != nil {
		t.Fatal(err)
	}
	l := must(im.SubresourceLayout(Subresource{}))(t)
	c := d.NewCommandBuffer()
	c.ClearColorImage(im, vk.ClearColorValue{Uint32: [4]uint32{7}}, nil)
	submit(t, d, c)
	for y := range uint64(3) {
		if at := l.Offset + y*l.RowPitch; !bytes.Equal(b.Bytes()[at:at+4], []byte{7, 7, 7, 7}) {
			t.Errorf("row %d is %v", y, b.Bytes()[at:at+4])
		}
	}
	if err := errors.Join(im.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if used, _ := d.Memory(); used != 0 {
		t.Errorf("%d bytes in use after everything closed", used)
	}
}

func TestBind_Unbound_IsRefused(t *testing.T) {
	d := open(t)
	b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 16}, ""))(t)
	im := must(d.NewUnboundImage(vk.ImageCreateInfo{ImageType: vk.ImageType2D, Format: vk.FormatR8Uint, Extent: vk.Extent3D{Width: 4, Height: 3}}, ""))(t)
	c := d.NewCommandBuffer()
	c.FillBuffer(b, 0, vk.WholeSize, 1)
	_, viewErr := d.NewImageView(im, resource.ViewDesc{}, "")
	for name, err := range map[string]error{"command": c.Err(), "view": viewErr, "write": b.Write(ctx, 0, []byte{1})} {
		if rule(err) != "resources-binding" {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := must(d.NewMemory(1024))(t)
	for name, err := range map[string]error{"beyond": b.Bind(m, 1024), "unaligned": b.Bind(m, 4), "nil": b.Bind(nil, 0)} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := b.Bind(m, 512); err != nil {
		t.Error(err)
	}
	if err := b.Bind(m, 0); rule(err) != "VUID-vkBindBufferMemory-buffer-07459" {
		t.Errorf("bound twice: %v", err)
	}
	if err := errors.Join(b.Close(), im.Close(), m.Close()); err != nil {
		t.Error(err)
	}
}

func TestImportMemory_ReleasedWithItsLastUser(t *testing.T) {
	d := open(t)
	host, released := make([]byte, 512), 0
	m := must(d.ImportMemory(host, func() error { released++; return nil }))(t)
	b := must(d.NewUnboundBuffer(vk.BufferCreateInfo{Size: 8}, ""))(t)
	if err := errors.Join(b.Bind(m, 256), m.Close()); err != nil {
		t.Fatal(err)
	}
	c := d.NewCommandBuffer()
	c.FillBuffer(b, 4, 4, 0x04030201)
	submit(t, d, c)
	if !bytes.Equal(host[260:264], []byte{1, 2, 3, 4}) || released != 0 {
		t.Errorf("host memory is %v, released %d times", host[256:264], released)
	}
	if err := errors.Join(b.Close(), d.Close()); err != nil || released != 1 {
		t.Errorf("released %d times, %v", released, err)
	}
}

// Every texel lies where the layout says, in each level, layer and aspect.
func TestSubresourceLayout_NamesTheTexels(t *testing.T) {
	d := open(t)
	for _, info := range []vk.ImageCreateInfo{
		{ImageType: vk.ImageType2D, Format: vk.FormatR8G8B8A8Uint, Extent: vk.Extent3D{Width: 9, Height: 5}, MipLevels: 3, ArrayLayers: 2},
		{ImageType: vk.ImageType2D, Format: vk.FormatD24UnormS8Uint, Extent: vk.Extent3D{Width: 7, Height: 3}, ArrayLayers: 2},
		{ImageType: vk.ImageType3D, Format: vk.FormatR16Uint, Extent: vk.Extent3D{Width: 3, Height: 4, Depth: 5}, MipLevels: 2},
	} {
		im := must(d.NewImage(info, nil, 0, ""))(t)
		size := uint64(len(im.mem.data))
		for i := range im.mem.data {
			im.mem.data[i] = byte(i) ^ byte(i>>8)
		}
		for _, p := range im.res.Layout.Planes {
			for level := range im.res.MipLevels {
				for layer := range im.res.ArrayLayers {
					sub := Subresource{Level: level, Layer: layer, Aspect: p.Aspect}
					l := must(im.SubresourceLayout(sub))(t)
					if l.Offset+l.Size > size {
						t.Fatalf("%v %+v: %+v in %d bytes", info.Format, sub, l, size)
					}
					want := must(im.Read(ctx, sub))(t)
					var got []byte
					lv := &p.Levels[level]
					for z := range uint64(lv.Depth) {
						for y := range uint64(lv.Height) {
							at := l.Offset + z*l.DepthPitch + y*l.RowPitch
							got = append(got, im.mem.data[at:at+uint64(lv.Width*p.Bytes)]...)
						}
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%v %+v: texels lie elsewhere", info.Format, sub)
					}
				}
			}
		}
	}
}

// Draws keep the vertex buffers that were bound, which are copied only where another one is bound.
func TestRunner_VertexBuffersOfDrawsStay(t *testing.T) {
	data := make([]byte, 64)
	r := &runner{}
	r.setVertexBuffer(1, render.VertexBuffer{Data: data, Stride: 8})
	for i, c := range []struct {
		binding uint32
		to      render.VertexBuffer
		stays   bool
	}{
		{1, render.VertexBuffer{Data: data, Stride: 8}, true},
		{1, render.VertexBuffer{Data: data[:60], Stride: 8}, false},
		{1, render.VertexBuffer{Data: data[4:], Stride: 8}, false},
		{1, render.VertexBuffer{Data: data, Stride: 4}, false},
		{1, render.VertexBuffer{Data: data, Stride: 8, DynamicStride: true}, false},
		{1, render.VertexBuffer{}, false},
		{0, render.VertexBuffer{}, true},
		{0, render.VertexBuffer{Data: []byte{}}, false}, // an empty buffer is no null buffer
		{2, render.VertexBuffer{}, false},
	} {
		r.vertex = []render.VertexBuffer{{}, {Data: data, Stride: 8}}
		r.vertexUsed = true
		drawn := r.vertex
		r.setVertexBuffer(c.binding, c.to)
		got := &r.vertex[c.binding]
		if got.Stride != c.to.Stride || got.DynamicStride != c.to.DynamicStride || len(got.Data) != len(c.to.Data) {
			t.Errorf("%d: %+v is bound", i, *got)
		}
		if stays := &r.vertex[0] == &drawn[0]; stays != c.stays {
			t.Errorf("%d: drawn with and bound are the same: %v", i, stays)
		}
		if b := &drawn[1]; len(drawn) != 2 || !sameBytes(b.Data, data) || b.Stride != 8 || b.DynamicStride {
			t.Errorf("%d: the draw has %+v", i, drawn)
		}
	}
}
