package native

// host is the processor that this runs on.
type host = arm
