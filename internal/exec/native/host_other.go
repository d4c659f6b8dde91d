//go:build !amd64 && !arm64

package native

// host is a processor without machine code: there are no blocks either.
type host struct{ processor }

func (host) vectors() int         { return 0 }
func (host) machine(int) *Machine { return nil }

// there says that machine code is written here: a constant, so that programs for other processors, as
// pages have, are without what writes it.
const there = false
