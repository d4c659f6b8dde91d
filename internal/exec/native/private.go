package native

// uniformPrivate finds accesses to private arrays whose index all lanes share: C is the scalar
// register of their offset, plus 1. Their words lie in a row. The code begins at position from of
// the program.
func (c *divider) uniformPrivate(code []Inst, from int) {
	var def, section, uses []int32
	for i := range code {
		in := &code[i]
		if in.Kind != KindLoadPrivate && in.Kind != KindStorePrivate {
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
		in.C = s + 1
		if uses[in.A] == 1 {
			code[at] = Inst{Kind: KindNone, M: code[at].M}
		}
	}
}
