package radiance_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/imagefile/radiance"
)

// TestEXR_BadFiles: each is refused, in one line that says why.
func TestEXR_BadFiles(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	rgb := []string{channel("B", 1, 0), channel("G", 1, 0), channel("R", 1, 0)}
	pixel := block(0, halfWords(1, 2, 3))
	// with replaces or adds attributes of a picture of one pixel.
	with := func(attributes ...string) handMade {
		head := header(0, 1, 1, rgb...)
		for _, a := range attributes {
			name := a[:strings.IndexByte(a, 0)+1]
			head = slices.DeleteFunc(head, func(h string) bool { return strings.HasPrefix(h, name) })
			head = append(head, a)
		}
		return handMade{attributes: head, chunks: []string{pixel}}
	}
	without := func(name string) handMade {
		h := with()
		h.attributes = slices.DeleteFunc(h.attributes, func(h string) bool { return strings.HasPrefix(h, name) })
		return h
	}
	flags := func(f uint32, h handMade) handMade { h.flags = f; return h }
	packed := func(compression byte, data string, channels ...string) handMade {
		return handMade{attributes: header(compression, 8, 8, channels...), chunks: []string{block(0, data)}}
	}
	y := channel("Y", 1, 0)
	tile := func(size, mode string) handMade {
		return flags(0x200, with(attribute("tiles", "tiledesc", size+mode)))
	}
	tileAt := func(x, y, lx, ly uint32) handMade {
		h := tile(words(1, 1), "\x00")
		h.chunks = []string{words(x, y, lx, ly, 6) + halfWords(1, 2, 3)}
		return h
	}
	parts := func(first, second []string, tables string) []byte {
		return []byte(words(20000630, 0x1002) + strings.Join(first, "") + "\x00" + strings.Join(second, "") + "\x00\x00" + tables)
	}
	part := func(count uint32) []string {
		return append(header(0, 1, 1, rgb...), attribute("name", "string", "a"), attribute("type", "string", "scanlineimage"), attribute("chunkCount", "int", words(count)))
	}
	deepTiles := append(part(1)[:5:5], attribute("type", "string", "deeptile"), attribute("chunkCount", "int", words(1)))
	// A block of DWA that is right, but for one of the numbers at its beginning.
	counted := func(i int, v byte) string {
		b := []byte(dwaBlocks(2, []uint16{0x4800}, []uint16{0xff00}, "Y"))
		b[8*i] = v
		return string(b)
	}
	if _, err := read(packed(8, counted(9, 1), y).bytes(), nil); err != nil {
		t.Error(err)
	}
	// An offset to what looks like a block, but stands in an attribute.
	forged := handMade{attributes: append(header(0, 1, 1, rgb...), attribute("x", "y", pixel)), chunks: []string{zeros(8)}}.bytes()
	binary.LittleEndian.PutUint64(forged[len(forged)-16:], uint64(bytes.Index(forged, []byte(pixel))))
	// Another row is stored, so that there are bytes behind the table.
	copy(forged[len(forged)-8:], words(1, 0))
	for name, c := range map[string]struct {
		file []byte
		text string
	}{
		"nothing":              {[]byte(words(20000630)), "has no end"},
		"version":              {flags(1, with()).bytes(), "version 3 is not supported"},
		"flags":                {flags(0x2000, with()).bytes(), "flags 0x2000 are not known"},
		"no header":            {[]byte(words(20000630, 2)), "damaged or has no end"},
		"empty header":         {[]byte(words(20000630, 2) + "\x00"), "empty header"},
		"no channels":          {without("channels").bytes(), "channels are missing"},
		"no window":            {without("dataWindow").bytes(), "no dataWindow"},
		"no compression":       {without("compression").bytes(), "no compression"},
		"long attribute":       {[]byte(words(20000630, 2) + "a\x00b\x00" + words(1<<31)), `"a" ends early`},
		"type of window":       {with(attribute("dataWindow", "box2f", zeros(16))).bytes(), "dataWindow is damaged"},
		"size of window":       {with(attribute("dataWindow", "box2i", zeros(15))).bytes(), "dataWindow is damaged"},
		"wide":                 {with(attribute("dataWindow", "box2i", words(0, 0, 0x7fffffff, 0))).bytes(), "dataWindow of 2147483648 × 1"},
		"as wide as can be":    {with(attribute("dataWindow", "box2i", words(0x80000000, 0, 0x7fffffff, 0))).bytes(), "dataWindow of 4294967296 × 1"},
		"inverted":             {with(attribute("dataWindow", "box2i", words(1, 0, 0, 0))).bytes(), "dataWindow of 0 × 1"},
		"no display":           {with(attribute("displayWindow", "box2i", words(0, 1, 0, 0))).bytes(), "displayWindow of 1 × 0"},
		"compression 200":      {with(attribute("compression", "compression", "\xc8")).bytes(), "compression 200 is not known"},
		"HTJ2K":                {with(attribute("compression", "compression", "\x0a")).bytes(), "HTJ2K256 is not supported"},
		"HTJ2K32":              {with(attribute("compression", "compression", "\x0b")).bytes(), "HTJ2K32 is not supported"},
		"deep":                 {exrFiles(t)["deep.exr"], "deep OpenEXR pictures are not supported"},
		"deep flag":            {flags(0x800, with()).bytes(), "deep OpenEXR pictures are not supported"},
		"deep tiles":           {parts(deepTiles, deepTiles, zeros(16)), "deep OpenEXR pictures are not supported"},
		"channel type":         {with(attribute("channels", "chlist", channel("R", 3, 0)+"\x00")).bytes(), "unknown type 3"},
		"channel without end":  {with(attribute("channels", "chlist", "R\x00\x01")).bytes(), "list of channels is damaged"},
		"channels of no color": {with(attribute("channels", "chlist", channel("A", 1, 0)+channel("N\nX", 1, 0)+channel("Z", 1, 0)+"\x00")).bytes(), `channels are "A", "N\nX", "Z"`},
		"vector":               {with(attribute("channels", "chlist", channel("N.X", 1, 0)+channel("N.Y", 1, 0)+channel("N.Z", 1, 0)+"\x00")).bytes(), "want R, G and B, or Y"},
		"sampled never":        {with(attribute("channels", "chlist", channel("R", 1, 0, 0, 1)+"\x00")).bytes(), "every 0 × 1"},
		"sampled rarely":       {with(attribute("channels", "chlist", channel("R", 1, 0, 1<<31, 1)+"\x00")).bytes(), "does not fit"},
		"red sampled":          {packed(0, zeros(32), channel("R", 1, 0, 2, 2)).bytes(), "which is not supported"},
		"chroma by threes":     {packed(0, zeros(32), channel("RY", 1, 0, 4, 4), y).bytes(), "which is not supported"},
		"one chroma":           {packed(0, zeros(32), channel("RY", 1, 0, 2, 2), y).bytes(), "want both or none"},
		"two chromas":          {packed(3, zeros(32), channel("BY", 1, 0), channel("RY", 1, 0, 2, 2), y).bytes(), "in two ways"},
		"sampled oddly":        {with(attribute("channels", "chlist", y+channel("Z", 1, 0, 2, 1)+"\x00")).bytes(), "does not fit its window"},
		"sampled from 1 on":    {with(attribute("channels", "chlist", y+channel("Z", 1, 0, 2, 1)+"\x00"), attribute("dataWindow", "box2i", words(1, 0, 2, 0))).bytes(), "does not fit its window"},
		"sampled below":        {with(attribute("channels", "chlist", y+channel("Z", 1, 0, 1, 2)+"\x00"), attribute("dataWindow", "box2i", words(0, 0xffffffff, 0, 0))).bytes(), "does not fit its window"},
		"sampled tiles":        {flags(0x200, handMade{attributes: append(header(0, 2, 2, y, channel("Z", 1, 0, 2, 2)), attribute("tiles", "tiledesc", words(2, 2)+"\x00"))}).bytes(), "does not fit its window"},
		"no tiles":             {flags(0x200, with()).bytes(), "tiles is damaged or missing"},
		"tiles of nothing":     {tile(words(0, 1), "\x00").bytes(), "tiles is damaged"},
		"tiles of no mode":     {tile(words(1, 1), "\x03").bytes(), "tiles is damaged"},
		"tiles rounded":        {tile(words(1, 1), "\x20").bytes(), "tiles is damaged"},
		"tile beside":          {tileAt(1, 0, 0, 0).bytes(), "1 of the 1 blocks"},
		"tile below 0":         {tileAt(0xffffffff, 0, 0, 0).bytes(), "1 of the 1 blocks"},
		"tile of a level":      {tileAt(0, 0, 1, 1).bytes(), "1 of the 1 blocks"},
		"many levels": {flags(0x200, with(attribute("dataWindow", "box2i", words(0, 0, 1<<17-1, 1<<17-1)),
			attribute("displayWindow", "box2i", words(0, 0, 0, 0)), attribute("tiles", "tiledesc", words(1, 1)+"\x12"))).bytes(), "table of blocks is not complete"},
		"no table":            {with().bytes()[:len(with().bytes())-len(pixel)-1], "table of blocks is not complete"},
		"no pixels":           {with().bytes()[:len(with().bytes())-len(pixel)], "ends early"},
		"half a pixel":        {with().bytes()[:len(with().bytes())-1], "1 of the 1 blocks"},
		"chunk in the header": {forged, "1 of the 1 blocks"},
		"row elsewhere":       {handMade{attributes: header(0, 1, 1, rgb...), chunks: []string{block(1, halfWords(1, 2, 3))}}.bytes(), "1 of the 1 blocks"},
		"row between blocks":  {handMade{attributes: header(3, 1, 16, y), chunks: []string{block(1, zeros(32))}}.bytes(), "1 of the 1 blocks"},
		"the same row twice":  {handMade{attributes: header(0, 1, 2, rgb...), chunks: []string{pixel, pixel}}.bytes(), "1 of the 2 blocks"},
		"offsets beyond":      {append(with().bytes()[:len(with().bytes())-len(pixel)-8], (words(0xffffffff, 0xffffffff) + pixel[:8])...), "1 of the 1 blocks"},
		"row too long":        {handMade{attributes: header(0, 1, 1, rgb...), chunks: []string{block(0, halfWords(1, 2, 3, 4))}}.bytes(), "8 bytes, want 6 at most"},
		"row too short":       {handMade{attributes: header(0, 1, 1, rgb...), chunks: []string{block(0, halfWords(1, 2))}}.bytes(), "4 bytes, want 6"},
		"RLE ends":            {rows(1, 8, 1, "\x05", y).bytes(), "the block is damaged"},
		"RLE too long":        {rows(1, 8, 1, "\x7f\x00", y).bytes(), "the block is damaged"},
		"RLE too short":       {rows(1, 8, 1, "\x01\x00", y).bytes(), "the block is damaged"},
		"RLE without bytes":   {rows(1, 8, 1, "\x80\x00", y).bytes(), "the block is damaged"},
		"no deflate":          {packed(3, "abcdef", y).bytes(), "zlib: invalid header"},
		"deflate ends":        {packed(3, "\x78\x9c\x63", y).bytes(), "the block is damaged"},
		"PXR24":               {packed(5, "\x78\x9c\x63\x00", y).bytes(), "the block is damaged"},
		"PIZ empty":           {packed(4, "\x01", y).bytes(), "the block is damaged"},
		"PIZ words":           {packed(4, "\x00\x00\xff\xff", y).bytes(), "the block is damaged"},
		"PIZ more words":      {packed(4, "\x00\x00\xff\x1f", y).bytes(), "the block is damaged"},
		"PIZ size":            {packed(4, halfWords(1, 0)+words(200), y).bytes(), "the block is damaged"},
		"PIZ no codes":        {packed(4, halfWords(1, 0)+words(20)+zeros(20), y).bytes(), "Huffman codes are damaged"},
		"PIZ symbols":         {packed(4, halfWords(1, 0)+words(20, 1<<16+1, 1<<16+1, 0, 0, 0), y).bytes(), "Huffman codes are damaged"},
		"PIZ inverted":        {packed(4, halfWords(1, 0)+words(24, 7, 6, 0, 0, 0)+zeros(4), y).bytes(), "Huffman codes are damaged"},
		"PIZ too many codes":  {packed(4, halfWords(1, 0)+words(26, 1, 4, 0, 8, 0)+"\x04\x10\x41\x04\x10\x41", y).bytes(), "Huffman codes are damaged"},
		"B44 ends":            {packed(6, "\x00\x00\x00\x00", y).bytes(), "the block is damaged"},
		"B44 second ends":     {packed(7, "\x00\x00\xfc\x00\x00\xfc\x00\x00", y).bytes(), "the block is damaged"},
		"B44 float":           {packed(7, zeros(8), channel("Y", 2, 0)).bytes(), "the block is damaged"},
		"DWA empty":           {packed(8, zeros(87), y).bytes(), "the block is damaged"},
		"DWA version":         {packed(8, "\x03"+zeros(90), y).bytes(), "the block is damaged"},
		"DWA no rules":        {packed(8, "\x02"+zeros(87), y).bytes(), "the block is damaged"},
		"DWA long rules":      {packed(8, "\x02"+zeros(87)+"\xff\xff", y).bytes(), "the block is damaged"},
		"DWA short rules":     {packed(8, "\x02"+zeros(87)+"\x01\x00", y).bytes(), "the block is damaged"},
		"DWA half a rule":     {packed(8, "\x02"+zeros(87)+"\x05\x00Y\x00\x04", y).bytes(), "the block is damaged"},
		"DWA scheme":          {packed(8, "\x02"+zeros(87)+"\x06\x00Y\x00\x0c\x01", y).bytes(), "the block is damaged"},
		"DWA color":           {packed(8, strings.Replace(counted(9, 1), "Y\x00\x04\x01", "Y\x00\x44\x01", 1), y).bytes(), "the block is damaged"},
		"DWA integers":        {packed(8, strings.Replace(counted(9, 1), "Y\x00\x04\x01", "Y\x00\x04\x00", 1), channel("Y", 0, 0)).bytes(), "the block is damaged"},
		"DWA other size":      {packed(8, counted(1, 5), y).bytes(), "the block is damaged"},
		"DWA run size":        {packed(8, counted(7, 5), y).bytes(), "the block is damaged"},
		"DWA two means":       {packed(8, counted(9, 2), y).bytes(), "the block is damaged"},
		"DWA 64 numbers":      {packed(8, counted(8, 64), y).bytes(), "the block is damaged"},
		"DWA other coding":    {packed(8, counted(10, 2), y).bytes(), "the block is damaged"},
		"DWA no numbers":      {packed(8, zeros(88), y).bytes(), "the block is damaged"},
		"DWA no other":        {packed(8, zeros(88), y, channel("Z", 1, 0)).bytes(), "the block is damaged"},
		"DWA long runs":       {packed(8, dwaHeader(0, 0, 0, 0, 0, 10, math.MaxInt, 128, 0, 1, 1)+zeros(30), channel("A", 1, 0), y).bytes(), "the block is damaged"},
		"DWA long section":    {packed(9, zeros(31)+"\xff"+zeros(56), y).bytes(), "the block is damaged"},
		"parts without count": {parts(part(1)[:6], part(1), zeros(16)), "ends early"},
		"parts of other size": {parts(part(2), part(1), zeros(24)), "chunkCount is 2, and the part has 1 blocks"},
		"parts of no size":    {parts(part(1), part(0xffffffff), zeros(24)), "header 1 of 2 has no chunkCount"},
		"parts of huge size":  {parts(part(1), part(0x7fffffff), zeros(24)), "table of blocks is not complete"},
		"parts of the other":  {parts(part(1), part(1), words(uint32(len(parts(part(1), part(1), ""))+16), 0, 0, 0, 1)+pixel), "1 of the 1 blocks"},
		"parts of no part":    {parts(part(1), part(1), words(uint32(len(parts(part(1), part(1), ""))+16), 0, 0, 0, 0xffffffff)+pixel), "1 of the 1 blocks"},
		"channels of parts":   {[]byte(words(20000630, 0x1002) + strings.Repeat(attribute("channels", "chlist", strings.Repeat(y, 4000)+"\x00")+"\x00", 5)), "more than 16384 channels"},
		"channels of a part":  {with(attribute("channels", "chlist", strings.Repeat(y, 4097)+"\x00")).bytes(), "longer than 4096"},
		"many parts":          {[]byte(words(20000630, 0x1002) + strings.Repeat(attribute("x", "x", "")+"\x00", 4097) + "\x00"), "more than 4096 parts"},
		"parts without end":   {parts(part(1), part(1), "")[:500], "damaged or has no end"},
	} {
		_, err := read(c.file, nil)
		var e *radiance.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
		if err := hold(t, c.file); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// A picture to which all this was done is one.
	if img, err := read(with().bytes(), nil); err != nil || len(img.Pixels) != 3 {
		t.Errorf("%v", err)
	}
}

// TestEXR_PIZBlock: one that is written by hand. The words 0 and 0x3c00, which is 1, become 0 and 1; of a block of ones the
// transform leaves its first word. Codes are 1 for 0, 00 for 1 and 01 for a repetition, which 8 bits follow.
func TestEXR_PIZBlock(t *testing.T) {
	file := func(bits uint32, data string) []byte {
		packed := halfWords(0x780, 0x780) + "\x01" + words(25, 0, 2, 3, bits, 0) + "\x04\x20\x80" + data
		return handMade{attributes: header(4, 8, 8, channel("Y", 1, 0)), chunks: []string{block(0, packed)}}.bytes()
	}
	const data = "\x29\xf0" // 00, 1, 01 with 62
	img, err := read(file(13, data), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Min(img.Pixels) != 1 || slices.Max(img.Pixels) != 1 {
		t.Errorf("%v to %v, want 1", slices.Min(img.Pixels), slices.Max(img.Pixels))
	}
	for name, f := range map[string][]byte{
		"a bit less": file(12, data), "half a code": file(4, data), "nothing": file(0, data), "more bits than bytes": file(17, data),
		"one too many": file(13, "\x29\xf8"), "one too few": file(13, "\x29\xe8"), "repeats nothing": file(13, "\x4f\x80"),
	} {
		if _, err := read(f, nil); err == nil || !strings.Contains(err.Error(), "Huffman codes are damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rows is a file of as many rows as chunks.
func rows(compression byte, width, height uint32, data string, channels ...string) handMade {
	h := handMade{attributes: header(compression, width, height, channels...)}
	for y := range height {
		h.chunks = append(h.chunks, block(y, data))
	}
	return h
}

// TestEXR_Mutated: 3,000 files with a few bytes changed, or cut, are pictures or errors of one line, and take no more memory
// than a picture's.
func TestEXR_Mutated(t *testing.T) {
	files := exrFiles(t)
	names := slices.Sorted(maps.Keys(files))
	r := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for i := range 3000 {
		data := bytes.Clone(files[names[i%len(names)]])
		for range 1 + r.IntN(4) {
			at := r.IntN(len(data))
			if r.IntN(2) == 0 { // in the header, mostly
				at = r.IntN(min(len(data), 600))
			}
			switch r.IntN(6) {
			case 0:
				data = data[:at]
			case 1:
				data[at] = 0xff
			case 2:
				data[at] ^= 1 << r.IntN(8)
			default:
				data[at] = byte(r.Uint32())
			}
			if len(data) == 0 {
				data = []byte{0}
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := hold(t, data)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 24<<20 { // a budget of 16 MiB, and what is not charged
			t.Fatalf("file %d, of %s, took %d bytes: %v", i, names[i%len(names)], n, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 1000 || refused > 2900 {
		t.Errorf("%d of 3000 were refused: that is no test", refused)
	}
}

// TestEXR_WithinTheBudget: a small file that asks for much is refused, and reading ends with the context.
func TestEXR_WithinTheBudget(t *testing.T) {
	wide := handMade{attributes: header(3, 60000, 16, channel("Y", 1, 0)), chunks: []string{block(0, "x")}}.bytes()
	for name, c := range map[string]struct {
		file   []byte
		budget int64
		text   string
	}{
		"block":   {wide, 2 << 20, "a block of 1920000 bytes of 1 channels"},
		"picture": {wide, 15 << 20, "60000 × 16 pixels"},
	} {
		b := budget.New(c.budget, "the test's limit")
		_, err := read(c.file, b)
		var over *budget.Error
		if !errors.As(err, &over) || !strings.Contains(err.Error(), c.text) || b.Used() != 0 {
			t.Errorf("%s: %v, %d bytes stay charged", name, err, b.Used())
		}
	}
	for _, name := range []string{"zip", "dwab", "colors", "tiles"} {
		file, err := os.ReadFile("testdata/" + name + ".exr")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := radiance.Read(ctx, bytes.NewReader(file), "light", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
