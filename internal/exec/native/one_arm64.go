package native

// ScalarMemory says that blocks may have the instructions of one lane, from KindFirst on.
const ScalarMemory = false
