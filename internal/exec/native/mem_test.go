//go:build amd64 || arm64

package native

import "testing"

// A site has the accesses that are whole inside of memory, in the part of 2 GiB that an address
// is in.
func TestSite_Settles(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		base, size, around, bytes uint64
		from                      uint64
		want                      [3]uint64 // base, limit, last
		ok                        bool
	}{
		{0x1000, 64, 0x1010, 4, 0, [3]uint64{0x1000, 61, 60}, true},
		{0x1000, 64, 0x1000, 16, 0, [3]uint64{0x1000, 49, 60}, true},
		{0x1000, 23, 0x1016, 1, 0, [3]uint64{0x1000, 23, 19}, true},
		{0x1000, 64, 0x1040, 1, 0, [3]uint64{}, false}, // behind the end
		{0x1000, 64, 0xFFF, 1, 0, [3]uint64{}, false},  // before the begin
		{0x1000, 3, 0x1000, 1, 0, [3]uint64{}, false},  // no word
		{0x1000, 12, 0x1000, 16, 0, [3]uint64{}, false},
		{2*gib - 16, 64, 2*gib - 8, 4, 0, [3]uint64{2*gib - 16, 16, 60}, true},
		{2*gib - 16, 64, 2 * gib, 4, 16, [3]uint64{2 * gib, 45, 44}, true},
		{0, 5 * gib, 3 * gib, 8, 2 * gib, [3]uint64{2 * gib, 2 * gib, 2*gib - 1}, true},
		{0, 5 * gib, 4*gib + 1, 8, 4 * gib, [3]uint64{4 * gib, gib - 7, gib - 4}, true},
		// Two bytes are in the part of the address.
		{2*gib - 64, 66, 2*gib + 1, 4, 0, [3]uint64{}, false},
	} {
		var x site
		from, ok := x.settle(c.base, c.size, c.around, c.bytes)
		got := [3]uint64{x.base, x.limit, x.last}
		if from != c.from || ok != c.ok || got != c.want {
			t.Errorf("%+v: %#x from %#x, %v", c, got, from, ok)
		}
	}
}
