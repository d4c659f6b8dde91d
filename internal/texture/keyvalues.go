package texture

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// ktx2KVD is where a KTX 2 header has offset and length of the key/value data.
const ktx2KVD = 56

// keyValues reads what the key/value data say of colours and rows (KTX 2, 5.3 KTXorientation and 5.11 KTXswizzle). Data that are no
// pairs are told, and what follows them is not read.
func (k *ktx2) keyValues() error {
	at, n := binary.LittleEndian.Uint32(k.file[ktx2KVD:]), binary.LittleEndian.Uint32(k.file[ktx2KVD+4:])
	if n == 0 {
		return nil
	}
	if uint64(at)+uint64(n) > uint64(len(k.file)) {
		k.warn("the key/value data, %d bytes at %d, lie outside the file; they are not read", n, at)
		return nil
	}
	rest := k.file[at : at+n]
	swizzle := ""
	for len(rest) >= 4 {
		n := binary.LittleEndian.Uint32(rest)
		rest = rest[4:]
		if uint64(n) > uint64(len(rest)) {
			k.warn("a pair of the key/value data has %d bytes, %d are left; it is not read", n, len(rest))
			break
		}
		key, value, ok := bytes.Cut(rest[:n], []byte{0})
		text := strings.TrimRight(string(value), "\x00")
		switch {
		case !ok:
			k.warn("a pair of the key/value data has a key without end")
		case string(key) == "KTXswizzle":
			swizzle = text
		case string(key) == "KTXorientation" && strings.Trim(text, "rdi") != "":
			k.lose("KTXorientation is %q, not rd: the picture's first row or column is the last in the file; rows are not turned", text)
		}
		rest = rest[min(len(rest), int(n+3)&^3):]
	}
	if swizzle == "" {
		return nil
	}
	if len(swizzle) != 4 || strings.Trim(swizzle, "rgba01") != "" {
		k.lose("KTXswizzle %q is not four of r, g, b, a, 0 and 1; it is not applied", swizzle)
		return nil
	}
	if err := k.check(); err != nil {
		return err
	}
	return k.swizzled(swizzle)
}
