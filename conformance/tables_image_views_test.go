package conformance

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/internal/rules"
	"github.com/pumice-gpu/pumice/vk"
)

// An image's bits read, and are written, as the view's format says, for every format of a size; X bits of the view's format do not count.
func TestTables_IMG255_ViewsOfEveryFormat(t *testing.T) {
	rules.Covers(t, "IMG-049", "IMG-255", "IMG-530", "IMG-575", "IMG-577", "IMG-578")
	sizes := map[int]vk.Format{1: vk.FormatR8Uint, 2: vk.FormatR16Uint, 3: vk.FormatR8G8B8Uint, 4: vk.FormatR32Uint, 6: vk.FormatR16G16B16Uint, 8: vk.FormatR32G32Uint, 12: vk.FormatR32G32B32Uint, 16: vk.FormatR32G32B32A32Uint}
	for _, dev := range imageDevices(t) {
		near := ruleSampler(t, dev, pumice.SamplerDesc{})
		for _, f := range tableFormats(t) {
			if f.name == "A8_UNORM" || strings.HasSuffix(f.name, "4PACK16") { // in classes of their own
				continue
			}
			data, height := f.rows((*field).codes)
			for k := range data {
				if k/f.bytes%2 == 1 { // bits of all kinds where the format has padding
					data[k] ^= byte(k * 37)
				}
			}
			im, err := dev.NewImage(pumice.ImageDesc{Format: sizes[f.bytes], Width: 64, Height: height, Flags: vk.ImageCreateMutableFormatBit | vk.ImageCreateExtendedUsageBit})
			if err != nil {
				t.Fatal(err)
			}
			if err := im.Write(ctx, pumice.Subresource{}, data); err != nil {
				t.Fatal(err)
			}
			view, err := im.NewView(pumice.ViewDesc{Type: vk.ImageViewType2D, Format: f.Format})
			if err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			var lanes []imageLane
			for k := range 64 * height {
				x, y := k%64, k/64
				lanes = append(lanes, imageLane{at: [4]float32{(float32(x) + .5) / 64, (float32(y) + .5) / float32(height)}, texel: [3]int32{int32(x), int32(y)}})
			}
			texture := pumice.Texture{View: view, Sampler: near}
			results := map[string][][4]uint32{
				"sample": dev.lanes(t, "tablesampled"+f.kind, tableLod, false, texture, lanes), "fetch": dev.lanes(t, "tablesampled"+f.kind, tableFetch, false, texture, lanes),
			}
			if f.stored() {
				results["read"] = dev.lanes(t, "tablestored"+f.kind, tableLoad, false, view, lanes)
			}
			for what, got := range results {
			texels:
				for k := range lanes {
					w := f.texel(data[k*f.bytes:][:f.bytes])
					for c := range w {
						if !sameWord(f.kind, got[k][c], w[c]) {
							t.Errorf("%s, engine %s, %s: %x, want %x", f.name, dev.Engine(), what, got[k], w)
							break texels
						}
					}
				}
			}
			if f.stored() && f.kind == "f" && f.fields[0].numeric != "SHARED" {
				values, want := f.written()
				n := min(len(values), 64*height)
				lanes = lanes[:0]
				for k, v := range values[:n] {
					lanes = append(lanes, imageLane{at: v, texel: [3]int32{int32(k % 64), int32(k / 64)}})
				}
				dev.lanes(t, "tablestoredf", tableStore, false, view, lanes)
				got, err := im.Read(ctx, pumice.Subresource{})
				if err != nil {
					t.Fatal(err)
				}
				f.differs(t, "store through a view, engine "+dev.Engine(), got, want[:n*f.bytes], func(k int) any { return values[k] })
			}
			view.Close()
			im.Close()
		}
	}
}
