package processor

import "testing"

func TestLimited(t *testing.T) {
	for _, c := range []struct {
		bits    int
		setting string
		want    int
	}{{512, "", 512}, {512, "256", 256}, {256, "256", 256}, {0, "256", 0}, {256, "512", 256}, {512, "many", 512}} {
		if got := limited(c.bits, c.setting); got != c.want {
			t.Errorf("%d bits and %q: %d, want %d", c.bits, c.setting, got, c.want)
		}
	}
}
