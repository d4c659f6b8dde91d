package native

// there says that blocks can be made: a constant, so that pages are without what makes them.
const there = false
