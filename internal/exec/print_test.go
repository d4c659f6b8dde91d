package exec

import (
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/internal/ir"
)

func TestFormatPrint(t *testing.T) {
	f := func(x float32) uint32 { return math.Float32bits(x) }
	d := math.Float64bits(-2.5)
	float, vec3 := ir.PrintArg{Kind: ir.PrintFloat, Count: 1}, ir.PrintArg{Kind: ir.PrintFloat, Count: 3}
	u, i := ir.PrintArg{Count: 1}, ir.PrintArg{Kind: ir.PrintInt, Count: 1}
	for _, c := range []struct {
		format string
		args   []ir.PrintArg
		words  []uint32
		want   string
	}{
		{"plain 100%% %", nil, nil, "plain 100% %"},
		{"%d|%i|%u|%x|%08X", []ir.PrintArg{i, i, i, u, u}, []uint32{0xFFFFFFFF, 7, 0xFFFFFFFF, 255, 0xABC}, "-1|7|4294967295|ff|00000ABC"},
		{"%f %1.2f %g %e", []ir.PrintArg{float, float, float, float}, []uint32{f(1.5), f(-0.125), f(1e10), f(1)}, "1.500000 -0.12 1e+10 1.000000e+00"},
		{"v=%1.1v3f.", []ir.PrintArg{vec3}, []uint32{f(1), f(2), f(3)}, "v=1.0, 2.0, 3.0."},
		{"%lu %lx %lf", []ir.PrintArg{{Wide: true, Count: 1}, {Wide: true, Count: 1}, {Kind: ir.PrintFloat, Wide: true, Count: 1}}, []uint32{1, 1, 0, 1, uint32(d), uint32(d >> 32)}, "4294967297 100000000 -2.500000"},
		{"%ul", []ir.PrintArg{{Wide: true, Count: 1}}, []uint32{0, 1}, "4294967296"},
		{"%f %d", []ir.PrintArg{float}, []uint32{f(float32(math.Inf(-1)))}, "-inf ?"},
		{"%d", []ir.PrintArg{float}, []uint32{f(3.75)}, "3"},
		{"%f", []ir.PrintArg{i}, []uint32{0xFFFFFFFE}, "-2.000000"},
		{"%s %n %v5f %123d %", []ir.PrintArg{u}, []uint32{1}, "%s %n %v5f %123d %"},
	} {
		if got := FormatPrint(&ir.Print{Format: c.format, Args: c.args}, c.words); got != c.want {
			t.Errorf("%q gives %q, want %q", c.format, got, c.want)
		}
	}
	if got := FormatPrint(&ir.Print{Format: strings.Repeat("%99d", 256), Args: []ir.PrintArg{u}}, []uint32{1}); len(got) > 99+255 {
		t.Errorf("%d bytes", len(got))
	}
}
