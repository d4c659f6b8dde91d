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

// decodeLight reads light as R32G32B32A32_SFLOAT; alpha is 1. The numbers are those of package radiance: finite, and none below 0.
func decodeLight(ctx context.Context, data []byte, opt Options) (*File, error) {
	kind := lightKind(data)
	im, err := radiance.Read(ctx, bytes.NewReader(data), kind, opt.Budget)
	var e *radiance.Error
	if errors.As(err, &e) {
		return nil, &Error{Kind: kind, Msg: e.Message, Err: e.Err}
	} else if err != nil {
		return nil, err
	}
	f := &File{Kind: kind, Format: vk.FormatR32G32B32A32Sfloat, Width: im.Width, Height: im.Height, Levels: 1, Layers: 1}
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
		for _, v := range im.Pixels[3*y*f.Width : 3*(y+1)*f.Width] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
			if len(out)%16 == 12 {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(1))
			}
		}
	}
	f.data, f.charge = [][]byte{out}, texels
	return f, nil
}
