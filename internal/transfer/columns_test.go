package transfer

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/pumice-gpu/pumice/internal/exec/vm"
	"github.com/pumice-gpu/pumice/internal/lower/texel"
	"github.com/pumice-gpu/pumice/internal/resource"
	"github.com/pumice-gpu/pumice/vk"
)

// anyEngine counts the runs of routines, and fails from some run on if fails is set.
type anyEngine struct {
	texel.Engine
	runs  atomic.Int64
	fails bool
}

func (e *anyEngine) Thread(k *texel.Key, lanes int) texel.Thread {
	return &anyThread{e.Engine.Thread(k, lanes), e}
}

type anyThread struct {
	texel.Thread
	e *anyEngine
}

func (t *anyThread) Run(in, out [][]uint32, live []uint32, params, memory []byte, n int) bool {
	return t.Thread.Run(in, out, live, params, memory, n) && (t.e.runs.Add(1) < 40 || !t.e.fails)
}

// Large blits are routines of the engine and give the same bytes as without one, scaled, mirrored, of layers and
// volumes, into blocks of sparse images, and where the engine fails in the middle.
func TestBlitImage_EngineGivesTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	sparse := vk.ImageCreateSparseBindingBit | vk.ImageCreateSparseResidencyBit
	for name, c := range map[string]struct {
		from, to   resource.ImageDesc
		layers     uint32
		src, dst   [2]vk.Offset3D
		filter     vk.Filter
		portable   bool
		fails      bool
		noRoutines bool
	}{
		"larger, mirrored": {resource.ImageDesc{Extent: ext(90, 70, 1)}, resource.ImageDesc{Extent: ext(200, 180, 1)}, 1, [2]vk.Offset3D{off(3, 2, 0), off(88, 70, 1)}, [2]vk.Offset3D{off(199, 5, 0), off(2, 180, 1)}, vk.FilterLinear, false, false, false},
		"smaller, layers":  {resource.ImageDesc{Extent: ext(190, 270, 1), ArrayLayers: 4}, resource.ImageDesc{Extent: ext(100, 80, 1), ArrayLayers: 3}, 3, [2]vk.Offset3D{off(0, 270, 0), off(190, 0, 1)}, [2]vk.Offset3D{off(0, 0, 0), off(100, 80, 1)}, vk.FilterLinear, true, false, false},
		"wide, nearest":    {resource.ImageDesc{Extent: ext(2000, 9, 1)}, resource.ImageDesc{Extent: ext(3001, 9, 1)}, 1, [2]vk.Offset3D{off(0, 0, 0), off(2000, 9, 1)}, [2]vk.Offset3D{off(0, 0, 0), off(3001, 9, 1)}, vk.FilterNearest, false, false, false},
		"volume":           {resource.ImageDesc{Type: vk.ImageType3D, Extent: ext(40, 30, 20)}, resource.ImageDesc{Type: vk.ImageType3D, Extent: ext(41, 33, 30)}, 1, [2]vk.Offset3D{off(0, 0, 20), off(40, 30, 0)}, [2]vk.Offset3D{off(0, 1, 2), off(41, 33, 30)}, vk.FilterLinear, false, false, false},
		"into blocks":      {resource.ImageDesc{Extent: ext(90, 70, 1)}, resource.ImageDesc{Extent: ext(300, 180, 1), Flags: sparse}, 1, [2]vk.Offset3D{off(0, 0, 0), off(90, 70, 1)}, [2]vk.Offset3D{off(1, 0, 0), off(300, 180, 1)}, vk.FilterLinear, false, false, false},
		"from blocks":      {resource.ImageDesc{Extent: ext(300, 180, 1), Flags: sparse}, resource.ImageDesc{Extent: ext(200, 180, 1)}, 1, [2]vk.Offset3D{off(0, 0, 0), off(300, 180, 1)}, [2]vk.Offset3D{off(1, 0, 0), off(200, 180, 1)}, vk.FilterLinear, false, false, true},
		"an engine fails":  {resource.ImageDesc{Extent: ext(90, 70, 1)}, resource.ImageDesc{Extent: ext(200, 180, 1)}, 1, [2]vk.Offset3D{off(0, 0, 0), off(90, 70, 1)}, [2]vk.Offset3D{off(0, 0, 0), off(200, 180, 1)}, vk.FilterLinear, false, true, false},
		"small":            {resource.ImageDesc{Extent: ext(90, 70, 1)}, resource.ImageDesc{Extent: ext(20, 18, 1)}, 1, [2]vk.Offset3D{off(0, 0, 0), off(90, 70, 1)}, [2]vk.Offset3D{off(0, 0, 0), off(20, 18, 1)}, vk.FilterLinear, false, false, true},
	} {
		for _, d := range []*resource.ImageDesc{&c.from, &c.to} {
			if d.Type == 0 && d.Extent.Depth == 1 {
				d.Type = vk.ImageType2D
			}
		}
		c.from.Format, c.to.Format = vk.FormatB8G8R8A8Srgb, vk.FormatR16G16B16A16Sfloat
		src, plain := newImage(t, c.from), newImage(t, c.to)
		for i := range src.Data {
			src.Data[i] = byte(rng.Uint32())
		}
		layers := one(color)
		layers.LayerCount = c.layers
		region := []vk.ImageBlit{{SrcSubresource: layers, DstSubresource: layers, SrcOffsets: c.src, DstOffsets: c.dst}}
		ok(t, BlitImage(ctx, plain, src, region, c.filter))
		routed := newImage(t, c.to)
		e := &anyEngine{Engine: vm.New(vm.Options{Native: !c.portable}).Texels(), fails: c.fails}
		ok(t, BlitImage(WithEngine(ctx, e), routed, src, region, c.filter))
		if !bytes.Equal(plain.Data, routed.Data) {
			t.Errorf("%s: other bytes", name)
		}
		if (e.runs.Load() == 0) != c.noRoutines {
			t.Errorf("%s: the engine ran %d batches", name, e.runs.Load())
		}
	}
}
