package fragment

import (
	"math"
	"math/bits"

	"github.com/pumice-gpu/pumice/internal/exec"
	"github.com/pumice-gpu/pumice/internal/fragops"
	"github.com/pumice-gpu/pumice/internal/raster"
	"github.com/pumice-gpu/pumice/internal/render/rates"
	"github.com/pumice-gpu/pumice/internal/render/tile"
)

// A primitive often covers all of a tile, or of the scissor rectangle in it. Its blocks need no list:
// places of whole blocks are all alike.

// ShadeAll hands all samples of a rectangle of the tile to the batch, for a state in places without late tests.
func (f *Worker) ShadeAll(c *Primitives, s *raster.Setup, r raster.Rect) error {
	p := f.Waiting
	var words [fragops.MaxSamples]uint64
	st, samples := c.Of.State, f.Pass.Samples
	each := len(st.Plan.Shares) > 1 || st.Plan.Rate != (rates.Rate{})
	each = each || len(st.Plan.inputs.Findings) > 0
	const m = raster.BlockPixels - 1
	for y := r.Y0 &^ m; y < r.Y1; y += raster.BlockPixels {
		for x := r.X0 &^ m; x < r.X1; x += raster.BlockPixels {
			if each || x < r.X0 || y < r.Y0 || x+m >= r.X1 || y+m >= r.Y1 {
				for k := range samples {
					words[k] = raster.PixelsIn(r, x, y)
				}
				if err := f.ShadeBlock(c, s, x, y, words[:samples]); err != nil {
					return err
				}
				continue
			}
			if err := f.MakeRoom(); err != nil {
				return err
			}
			if p.Setup != s || p.prims != c {
				f.newRecord(c, s)
			}
			n := len(p.Places)
			p.Places = p.Places[:n+blockPlaces]
			list, record := p.Places[n:], p.last
			for row := range list {
				q := &list[row]
				q.X, q.Y, q.Record = x, y+2*int32(row), record
				q.Quads = [4]uint8{}
				for k := range q.Covered[:samples] {
					q.Covered[k] = math.MaxUint16
				}
			}
			f.Stats.Fragments += raster.BlockPixels * raster.BlockPixels
		}
	}
	return nil
}

// appendPacked is appendPlaces with the quads that have any samples side by side in places, where these are
// fewer then.
func appendPacked(to []exec.Place, x, y int32, mask []uint64, record uint32) []exec.Place {
	const each = 0x1111_1111_1111_1111 // the first lane of each quad
	any := mask[0]
	for _, m := range mask[1:] {
		any |= m
	}
	any |= any >> 1
	any = (any | any>>2) & each
	rows := any | any>>8
	rows = (rows | rows>>4) & 0x0001_0001_0001_0001
	if (bits.OnesCount64(any)+3)/4 >= bits.OnesCount64(rows) {
		return tile.AppendPlaces(to, x, y, mask, record)
	}
	for any != 0 {
		n := len(to)
		to = to[:n+1]
		q := &to[n]
		q.X, q.Y, q.Record = x, y, record
		q.Quads = [4]uint8{}
		at := [4]int{64, 64, 64, 64} // where nothing is, where there are fewer
		for i := 0; i < 4 && any != 0; i++ {
			at[i] = bits.TrailingZeros64(any)
			any &= any - 1
			q.Quads[i] = uint8(i ^ at[i]>>2)
		}
		for k, m := range mask {
			low := m>>uint(at[0])&15 | m>>uint(at[1])&15<<4
			q.Covered[k] = uint16(low | m>>uint(at[2])&15<<8 | m>>uint(at[3])&15<<12)
		}
	}
	return to
}
