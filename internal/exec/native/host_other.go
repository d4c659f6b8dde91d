//go:build !amd64 && !arm64

package native

// host is a processor without machine code: there are no blocks either.
type host struct{ processor }

func (host) vectors() int         { return 0 }
func (host) machine(int) *Machine { return nil }
