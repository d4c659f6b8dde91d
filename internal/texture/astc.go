package texture

import (
	"context"
	"fmt"

	"github.com/pumice-gpu/pumice/internal/format"
)

// An .astc file: the magic number 0x5CA1AB13, three bytes of block extent, three
// extents of three bytes, blocks.
const (
	astcMagic  = "\x13\xAB\xA1\x5C"
	astcHeader = 16
)

func parseASTC(data []byte, opt Options) (*source, error) {
	const kind = "ASTC"
	if len(data) < astcHeader {
		return nil, &Error{Kind: kind, Msg: "the file ends in the header"}
	}
	extent := func(at int) int { return int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16 }
	s := &source{}
	f := &s.File
	*f = File{Kind: kind, Width: extent(7), Height: extent(10), Depth: extent(13), Levels: 1, Layers: 1, Plain: true}
	block := [3]int{int(data[4]), int(data[5]), int(data[6])}
	if f.Depth == 1 && block[2] == 1 {
		f.Depth = 0
	}
	info := astcFormat(block, opt)
	if info == nil {
		return nil, &Error{Kind: kind, Msg: fmt.Sprintf("no format has blocks of %d × %d × %d texels", block[0], block[1], block[2])}
	}
	f.Format = info.Format
	if f.Height == 0 {
		return nil, &Error{Kind: kind, Msg: "the height is 0"}
	}
	s.load = func(context.Context, Options) error {
		n := f.levelBytes(info, 0)
		if int64(len(data)-astcHeader) < n {
			return &Error{Kind: kind, Msg: fmt.Sprintf("%d bytes of blocks, %d are missing", len(data)-astcHeader, n-int64(len(data)-astcHeader))}
		}
		f.data[0] = data[astcHeader : astcHeader+n]
		return nil
	}
	return s, nil
}

// astcFormat finds the format of a block extent.
func astcFormat(block [3]int, opt Options) *format.Info {
	scheme, numeric := "ASTC LDR", format.NumericUnorm
	switch {
	case opt.HDR:
		scheme, numeric = "ASTC HDR", format.NumericSfloat
	case opt.SRGB:
		numeric = format.NumericSrgb
	}
	for _, id := range format.All() {
		info, ok := format.Lookup(id)
		if ok && info.Scheme == scheme && info.Numeric == numeric && [3]int{info.BlockWidth, info.BlockHeight, info.BlockDepth} == block {
			return info
		}
	}
	return nil
}
