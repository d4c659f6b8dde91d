package format

import (
	"sort"
	"sync"

	"github.com/pumice-gpu/pumice/vk"
)

// table completes the rows with their codecs, once, at first use.
var table = sync.OnceValue(func() []Info {
	t := rows()
	for i := range t {
		t[i].codec = newCodec(&t[i])
	}
	return t
})

// Lookup returns the row of a format, or false where Vulkan has no such format (FormatUndefined included). Rows are sorted by
// number; the 184 formats of Vulkan 1.0 stand at their own index.
func Lookup(f vk.Format) (*Info, bool) {
	t := table()
	if i := int(f) - 1; i >= 0 && i < len(t) && t[i].Format == f {
		return &t[i], true
	}
	i := sort.Search(len(t), func(i int) bool { return t[i].Format >= f })
	if i < len(t) && t[i].Format == f {
		return &t[i], true
	}
	return nil, false
}

// All returns every format of the table, in the order of their numbers.
func All() []vk.Format {
	t := table()
	out := make([]vk.Format, len(t))
	for i := range t {
		out[i] = t[i].Format
	}
	return out
}
