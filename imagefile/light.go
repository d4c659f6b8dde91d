package imagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/pumice-gpu/pumice/imagefile/radiance"
	"github.com/pumice-gpu/pumice/vk"
)

// isLight says whether a file begins like those of package radiance.
func isLight(data []byte) bool {
	return bytes.HasPrefix(data, []byte("#?")) || bytes.HasPrefix(data, []byte("\x76\x2f\x31\x01"))
}

func lightKind(data []byte) string {
	if data[0] == '#' {
		return "Radiance"
	}
	return "OpenEXR"
}

// decodeLight reads light as R32G32B32A32_SFLOAT; alpha is 1 where the file has none. The numbers are those of package radiance: finite, and none below 0.
func decodeLight(ctx context.Context, data []byte, opt Options) (*File, error) {
	kind := lightKind(data)
	im, err := radiance.Options{Budget: opt.Budget, Alpha: true}.Read(ctx, bytes.NewReader(data), kind)
	var e *radiance.Error
	if errors.As(err, &e) {
		return nil, &Error{Kind: kind, Msg: e.Message, Err: e.Err}
	} else if err != nil {
		return nil, err
	}
	f := &File{Kind: kind, Format: vk.FormatR32G32B32A32Sfloat, Width: im.Width, Height: im.Height, Levels: 1, Layers: 1, Warnings: im.Warnings}
	texels := 16 * int64(f.Width) * int64(f.Height)
	need := texels
	if opt.Upload {
		need *= 2
	}
	if err = opt.Budget.Fits(need); err == nil {
		err = opt.Budget.Take(texels)
	}
	if err != nil {
		return nil, &Error{Kind: kind, Msg: fmt.Sprintf("%d × %d texels of four floats", f.Width, f.Height), Err: err}
	}
	out := make([]byte, 0, texels)
	for y := range f.Height {
		if err := ctx.Err(); err != nil {
			opt.Budget.Drop(texels)
			return nil, &Error{Kind: kind, Msg: "decoding", Err: err}
		}
		for x := range f.Width {
			i := y*f.Width + x
			for _, v := range [4]float32{im.Pixels[3*i], im.Pixels[3*i+1], im.Pixels[3*i+2], im.Alpha[i]} {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			}
		}
	}
	f.data, f.charge = [][]byte{out}, texels
	return f, nil
}
