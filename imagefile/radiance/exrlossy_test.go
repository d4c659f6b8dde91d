package radiance_test

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/imagefile/radiance"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// lossyRecord has what OpenEXR's exrmaketiled decodes lossy files to: a sum of each row.
// TestOutside_ExrmaketiledDecodes wrote it.
const lossyRecord = "testdata/exrmaketiled.txt"

// lossyFiles are files and layers.
var lossyFiles = []string{
	"pxr24", "uint", "b44", "b44a", "layers-b44/diffuse", "layers-b44/eye", "dwaa", "dwab", "layers-dwaa/diffuse", "layers-dwaa/eye",
}

// rowSums returns a sum of the bits of each row.
func rowSums(img *radiance.Image) string {
	var sums []byte
	for y := range img.Height {
		var row []byte
		for _, v := range append(img.Pixels[3*y*img.Width:3*(y+1)*img.Width:3*(y+1)*img.Width], img.Alpha[y*img.Width:(y+1)*img.Width]...) {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
		sums = binary.BigEndian.AppendUint32(sums, crc32.ChecksumIEEE(row))
	}
	return hex.EncodeToString(sums)
}

// TestEXR_LossyAsTheLibraryDecodes: every row has the bits that the library decodes.
func TestEXR_LossyAsTheLibraryDecodes(t *testing.T) {
	var want []outside.Line
	for _, name := range lossyFiles {
		file, layer, _ := strings.Cut(name, "/")
		want = append(want, outside.Line{Key: name, Value: rowSums(load(t, file, radiance.Options{Layer: layer, Alpha: true}))})
	}
	outside.ReadRecord(t, lossyRecord).Compare(t, want, func(s string) string { return s })
}
