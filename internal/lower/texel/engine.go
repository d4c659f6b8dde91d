package texel

// Engine makes routines ready to run. It is safe for concurrent use.
type Engine interface {
	// Thread compiles the routine of a key, or takes what it has, and returns a thread
	// for batches of up to lanes lanes; nil where that cannot be.
	Thread(k *Key, lanes int) Thread
}

// MaxEach is how many images a run of a key with Each may have.
const MaxEach = 1024

// Thread runs one routine. One goroutine at a time.
type Thread interface {
	// Run gives rows out for n lanes of the rows in, which hold what Build says.
	// Params is the block of parameters, memory the image's. Only lanes in live, which may
	// be nil for all, store. It returns false where the engine failed; out then means nothing.
	Run(in, out [][]uint32, live []uint32, params, memory []byte, n int) bool
	// RunEach is Run of a key with Each: memory is that of each image, params a block for each.
	RunEach(in, out [][]uint32, params []byte, memory [][]byte, n int) bool
}
