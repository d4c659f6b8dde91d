package format

import (
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/vk"
)

// The row without the transfer function has the name with UNORM for SRGB, and the same bits.
func TestInfo_WithoutTransfer(t *testing.T) {
	changed := 0
	for _, f := range All() {
		i, _ := Lookup(f)
		w := i.WithoutTransfer()
		if i.Numeric != NumericSrgb || i.Compressed {
			if w != i {
				t.Errorf("%v becomes %v", f, w.Format)
			}
			continue
		}
		changed++
		if want := strings.Replace(f.String(), "SRGB", "UNORM", 1); w.Format.String() != want || w.BlockBytes != i.BlockBytes || w.Numeric != NumericUnorm {
			t.Errorf("%v becomes %v", f, w.Format)
		}
		for k, c := range i.Components {
			if o := w.Components[k]; o.Kind != c.Kind || o.Bits != c.Bits || o.Shift != c.Shift {
				t.Errorf("%v: component %d is %+v in %v", f, k, o, w.Format)
			}
		}
	}
	if changed != 7 { // R, RG, RGB, BGR, RGBA, BGRA, ABGR packed
		t.Errorf("%d formats have a transfer function", changed)
	}
	if i, _ := Lookup(vk.FormatBc1RgbSrgbBlock); i.WithoutTransfer() != i {
		t.Error("blocks lose theirs")
	}
}
