package code

// synchronize makes new code known to the processor, which notices by itself here.
func synchronize(write, run []byte) {}
