package code

// synchronize makes new code known to the processor: what was written reaches memory, and no cache of instructions keeps what
// was there before.
func synchronize(write, run []byte) {
	synchronizeRange(address(&write[0]), address(&run[0]), uintptr(len(write)))
}

//go:noescape
func synchronizeRange(write, run, n uintptr)
