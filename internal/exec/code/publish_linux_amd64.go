package code

// publish makes new code in a chunk known to the processor, which notices by itself here.
func (c *chunk) publish(at, n int) {}
