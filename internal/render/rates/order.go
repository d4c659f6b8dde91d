package rates

import "github.com/pumice-gpu/pumice/vk"

// Order says which coverage index each sample of a fragment of several pixels
// has, where the shading rate image is on; immutable.
type Order struct {
	kind   vk.CoarseSampleOrderTypeNV
	custom []customOrder
}

// customOrder is the order for one size and number of samples.
type customOrder struct {
	rate    Rate
	samples int
	index   []uint8 // by pixel and sample
	place   []uint8 // pixel · samples + sample, by index
}

// PixelMajor is the order where none is given.
//
// RAS-169: the choice for DEFAULT.
var PixelMajor = &Order{kind: vk.CoarseSampleOrderTypePixelMajorNV}

// CustomOrder is the order of one combination of size and number of samples:
// element j of Locations has coverage index j.
type CustomOrder struct {
	Entry     vk.ShadingRatePaletteEntryNV
	Samples   int
	Locations []vk.CoarseSampleLocationNV
}

// NewOrder makes an order. The custom ones count for the custom kind, and have
// to name each sample of the fragment once.
//
// RAS-169, RAS-170 primsrast-shading-rate-image
func NewOrder(kind vk.CoarseSampleOrderTypeNV, custom []CustomOrder) *Order {
	o := &Order{kind: kind}
	if kind != vk.CoarseSampleOrderTypeCustomNV {
		return o
	}
	for _, c := range custom {
		k := customOrder{rate: PaletteEntry(c.Entry).Rate(), samples: c.Samples, index: make([]uint8, len(c.Locations)), place: make([]uint8, len(c.Locations))}
		for j, l := range c.Locations {
			at := (int(l.PixelY)<<k.rate.W|int(l.PixelX))*c.Samples + int(l.Sample)
			k.index[at], k.place[j] = uint8(j), uint8(at)
		}
		o.custom = append(o.custom, k)
	}
	return o
}

// find is the custom order of a combination, nil if there is none.
func (o *Order) find(r Rate, samples int) *customOrder {
	for i := range o.custom {
		if c := &o.custom[i]; c.rate == r && c.samples == samples {
			return c
		}
	}
	return nil
}

// Bit is the coverage index of a sample of a pixel of a fragment; a nil order is that
// of fragment shading rates.
//
// RAS-110, RAS-112, RAS-169, RAS-170 primsrast-multisampling
func (o *Order) Bit(r Rate, pixel, sample, samples int) int {
	if o == nil {
		return sample + samples*(r.Pixels()-1-pixel)
	}
	switch o.kind {
	case vk.CoarseSampleOrderTypeSampleMajorNV:
		return sample*r.Pixels() + pixel
	case vk.CoarseSampleOrderTypeCustomNV:
		if c := o.find(r, samples); c != nil {
			return int(c.index[pixel*samples+sample])
		}
	}
	return pixel*samples + sample
}

// At is the pixel and the sample of a coverage index, which is less than all samples
// of the fragment.
func (o *Order) At(r Rate, index, samples int) (pixel, sample int) {
	if o == nil {
		return r.Pixels() - 1 - index/samples, index % samples
	}
	switch o.kind {
	case vk.CoarseSampleOrderTypeSampleMajorNV:
		return index % r.Pixels(), index / r.Pixels()
	case vk.CoarseSampleOrderTypeCustomNV:
		if c := o.find(r, samples); c != nil {
			index = int(c.place[index])
		}
	}
	return index / samples, index % samples
}
