package memory

// canStore says that there is storeWords: an instruction that stores a word over and over takes three
// quarters of the time that copies take, for it knows that whole lines are coming.
const canStore = true

// minStore is from where on that pays.
const minStore = 1 << 10

// storeWords stores n words from p on.
//
//go:noescape
func storeWords(p *byte, n int, word uint64)
