package native

// takesMemory says that blocks may have accesses to memory of any width.
func (*Machine) takesMemory() bool { return false }
