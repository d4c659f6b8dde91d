package code

// publish makes new code in a chunk known to the processor: what was written reaches
// memory, and no cache of instructions keeps what was there before.
func (c *chunk) publish(at, n int) {
	synchronize(address(&c.write[at]), address(&c.run[at]), uintptr(n))
}

//go:noescape
func synchronize(write, run, n uintptr)
