package native

// host is the processor that this runs on.
type host = x86

// there says that machine code is written here.
const there = true
