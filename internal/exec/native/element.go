package native

// A program that computes which element of an array of buffers it takes has blocks look for the
// descriptor: all lanes of a strip for the same one where the element is a scalar register,
// else one after the other for those that they name. What is behind the array is the null
// descriptor. A descriptor of more than 2³¹−1 bytes, which no device allows, has that many.

// stores says that an instruction may change what others load.
func (in *Inst) stores() bool {
	switch in.Kind {
	case KindStoreBuffer, KindStoreBufferE, KindStoreBufferU, KindStoreShared, KindStoreSharedU,
		KindStoreMem, KindStoreMemU, KindAtomicMem:
		return true
	}
	return in.Kind == KindImage && in.Imm != 0
}

// chosenBefore says that a load's element is known where a program without jumps begins.
func (c *divider) chosenBefore(in *Inst) bool { return int(in.B) < len(c.r.consts) }
