package told

import (
	"encoding/binary"
	"math"

	"github.com/pumice-gpu/pumice/vk"
)

// words are written one after the other, in 32 bits each, little-endian; driver/testdata/told.c reads them in this order.
type words struct{ b []byte }

func (w *words) put(v ...uint32) {
	for _, x := range v {
		w.b = binary.LittleEndian.AppendUint32(w.b, x)
	}
}

func (w *words) flag(v bool) {
	if v {
		w.put(1)
	} else {
		w.put(0)
	}
}

func (w *words) float(v float32) { w.put(math.Float32bits(v)) }

func (w *words) components(m vk.ComponentMapping) {
	w.put(uint32(m.R), uint32(m.G), uint32(m.B), uint32(m.A))
}

// Words is the program for driver/testdata/told.c.
func (c *Case) Words() []byte {
	w := &words{}
	w.put(uint32(c.Features))
	w.flag(c.Made)
	w.flag(c.Module.Stores())
	if w.flag(c.Conversion != nil); c.Conversion != nil {
		w.put(uint32(c.Conversion.Format))
		w.components(c.Conversion.Components)
	}
	c.Image.words(w)
	w.put(uint32(c.Second))
	if c.Second == OwnSecond {
		c.Other.words(w)
	}
	if w.flag(c.Sampler != nil); c.Sampler != nil {
		c.Sampler.words(w)
	}
	w.put(uint32(c.Descriptor), uint32(c.SecondType), uint32(c.Layout))
	code := c.Module.Shader()
	w.put(uint32(len(code)))
	w.b = append(w.b, code...)
	return w.b
}

func (i *Image) words(w *words) {
	w.put(uint32(i.Type), uint32(i.Format), i.Width, i.Height, i.Depth, i.Levels, i.Layers, uint32(i.Samples), uint32(i.Flags), uint32(i.Usage), uint32(i.ViewType), uint32(i.ViewFormat))
	w.components(i.Components)
	w.put(uint32(i.Aspect), i.BaseLevel, i.ViewLevels, i.BaseLayer, i.Views)
	w.float(i.MinLod)
	w.flag(i.Conversion)
	if w.flag(i.Weights != nil); i.Weights != nil {
		w.put(i.Weights.CenterX, i.Weights.CenterY, i.Weights.Width, i.Weights.Height, i.Weights.Phases)
	}
	w.put(uint32(len(i.Layouts)))
	for _, l := range i.Layouts {
		w.put(uint32(l.Aspect), uint32(l.To))
	}
}

func (s *Sampler) words(w *words) {
	w.put(uint32(s.Flags), uint32(s.MagFilter), uint32(s.MinFilter), uint32(s.MipmapMode), uint32(s.AddressModeU), uint32(s.AddressModeV), uint32(s.AddressModeW))
	w.float(s.MipLodBias)
	w.flag(s.CompareEnable)
	w.float(s.MinLod)
	w.float(s.MaxLod)
	w.put(uint32(s.BorderColor))
	w.flag(s.UnnormalizedCoordinates)
	w.put(uint32(s.Reduction))
	if w.flag(s.Border != nil); s.Border != nil {
		w.put(uint32(s.Border.Format))
		w.put(s.Border.Color[:]...)
	}
	if w.flag(s.Mapping != nil); s.Mapping != nil {
		w.components(s.Mapping.Components)
		w.flag(s.Mapping.Srgb)
	}
	w.flag(s.Conversion)
}
