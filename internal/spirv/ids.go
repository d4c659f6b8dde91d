package spirv

// IDs maps <id>s to values: pages that are made when one of their <id>s is first
// set, so that a module with few <id>s and a large bound stays small. The zero
// value is empty.
type IDs[T any] struct{ pages []*[idPage]T }

const idPage = 64

// At returns the value of an <id>, T's zero where none was set.
func (t *IDs[T]) At(id ID) (v T) {
	if k := int(id / idPage); k < len(t.pages) && t.pages[k] != nil {
		v = t.pages[k][id%idPage]
	}
	return v
}

// Set gives an <id> a value.
func (t *IDs[T]) Set(id ID, v T) {
	k := int(id / idPage)
	if n := k + 1 - len(t.pages); n > 0 {
		t.pages = append(t.pages, make([]*[idPage]T, n)...)
	}
	if t.pages[k] == nil {
		t.pages[k] = new([idPage]T)
	}
	t.pages[k][id%idPage] = v
}
