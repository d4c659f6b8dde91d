//go:build outside

package encode_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pumice-gpu/pumice/internal/fp"
	"github.com/pumice-gpu/pumice/internal/outside"
)

// Another reader finds every float and every byte as it was given.
func TestOutside_FFmpegReadsFiles(t *testing.T) {
	tool := outside.Tool{Name: "ffmpeg", Debian: "ffmpeg", Version: []string{"-version"}, Why: "OpenEXR files and animated PNG that are written"}
	path := tool.Path(t)
	record := tool.NewRecord(path)
	for _, w := range writtenFiles(t) {
		file := filepath.Join(t.TempDir(), "out"+w.suffix)
		if err := os.WriteFile(file, w.data, 0o600); err != nil {
			t.Fatal(err)
		}
		// Pixels in the decoder's own format: version 9 takes floats to other ones through integers.
		cmd := exec.Command(path, "-nostdin", "-v", "error", "-xerror", "-threads", "1", "-i", file, "-fps_mode", "passthrough", "-f", "rawvideo", "-")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%s: ffmpeg: %v: %s", w.name, err, &errs)
			continue
		}
		got := out.Bytes()
		if w.suffix == ".exr" && 2*len(got) == len(w.frames) { // 16-bit floats stay what they are since version 9
			got = widened(got)
		}
		if !bytes.Equal(got, w.frames) {
			at := 0
			for at < min(len(got), len(w.frames)) && got[at] == w.frames[at] {
				at++
			}
			t.Errorf("%s: ffmpeg finds %d bytes, of %d; the first that differs is %d", w.name, len(got), len(w.frames), at)
		}
		line := w.line(got)
		record.Values[line.Key] = line.Value
	}
	if outside.Recording() && !t.Failed() {
		record.Write(t, ffmpegRecord)
	}
}

// widened makes 32-bit floats of 16-bit ones.
func widened(data []byte) (out []byte) {
	for ; len(data) > 1; data = data[2:] {
		v := fp.HalfToFloat(binary.LittleEndian.Uint16(data))
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}
