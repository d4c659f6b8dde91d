package native

// uniformOffsets finds accesses to private arrays and shared memory whose offset all lanes share:
// C, or B of KindStoreShared, is the scalar register of it, plus 1. Private words lie in a row
// then, and shared ones are one, as where a lane works for its workgroup. The code begins at
// position from of the program.
func (c *divider) uniformOffsets(code []Inst, from int) {
	var def, section, uses []int32
	for i := range code {
		in := &code[i]
		offset := &in.C
		switch in.Kind {
		case KindLoadPrivate, KindStorePrivate, KindLoadShared:
		case KindStoreShared:
			offset = &in.B
		default:
			continue
		}
		if def == nil {
			def, section, uses = c.definitions(code), sections(code, from), c.uses()
		}
		at := int(def[in.A]) - 1
		if at < 0 || code[at].Kind != KindBroadcast || section[at] != section[i] || at > i {
			continue
		}
		s, kept := code[at].A, true
		for j := at + 1; j < i; j++ {
			d := int32(-1)
			scalarsOf(&code[j], &d)
			kept = kept && d != s
		}
		if !kept {
			continue
		}
		*offset = s + 1
		if uses[in.A] == 1 {
			code[at] = Inst{Kind: KindNone, M: code[at].M}
		}
	}
}
