package viewer

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Light of any length comes back, and its bytes stand where PackLight says.
func TestPackLight_ComesBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 70 {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		packed := PackLight(data)
		if !bytes.Equal(unpackLight(packed), data) {
			t.Errorf("%d bytes do not come back", size)
		}
		if size >= 18 && (packed[0] != data[0] || packed[1] != data[16]-data[0]) {
			t.Errorf("%d bytes are not arranged by columns", size)
		}
	}
}
