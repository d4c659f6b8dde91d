package vm

import (
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

// Places whose samples share a word that is loaded meet at all of them, whether one load asks for
// several samples or several loads for one each.
func TestPlaceUse_Joint(t *testing.T) {
	word := func(sample, more uint8) ir.Texel { return ir.Texel{Bytes: 4, Sample: sample, More: more} }
	for _, c := range []struct {
		loads []ir.Texel
		want  bool
	}{
		{[]ir.Texel{word(2, 0), word(2, 0)}, false},
		{[]ir.Texel{word(1, 0), word(2, 0)}, true},
		{[]ir.Texel{word(1, 1)}, true},
		{[]ir.Texel{{Bytes: 8, Sample: 0}, {Bytes: 8, Word: 1, Sample: 1}}, false},
	} {
		u := placeUse{}
		for _, x := range c.loads {
			u.load(x)
		}
		if u.joint != c.want {
			t.Errorf("loads %+v: joint %v, want %v", c.loads, u.joint, c.want)
		}
	}
}
