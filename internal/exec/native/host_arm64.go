package native

// host is the processor that this runs on.
type host = arm

// there says that machine code is written here.
const there = true
