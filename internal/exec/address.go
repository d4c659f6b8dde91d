package exec

import (
	"cmp"
	"slices"
)

// Addresses resolves the device addresses that shaders dereference. It is safe
// for concurrent use while programs run.
type Addresses interface {
	// Find returns the range of memory that holds address: its first address
	// and its bytes. It returns nil where no memory has the address; reads
	// there give 0 and writes are dropped.
	Find(address uint64) (base uint64, data []byte)
}

// AddressRange is memory that shaders reach by device address. Base is below
// 1 << 63 and 16-aligned like the memory itself, so that aligned addresses are
// aligned in the host.
type AddressRange struct {
	Base uint64
	Data []byte
}

// AddressTable is a sorted list of ranges that do not overlap; it implements
// Addresses.
type AddressTable []AddressRange

// NewAddressTable sorts ranges, which must not overlap.
func NewAddressTable(ranges []AddressRange) AddressTable {
	t := slices.Clone(ranges)
	slices.SortFunc(t, func(a, b AddressRange) int { return cmp.Compare(a.Base, b.Base) })
	return t
}

// Find implements Addresses.
func (t AddressTable) Find(address uint64) (base uint64, data []byte) {
	i, found := slices.BinarySearchFunc(t, address, func(r AddressRange, a uint64) int { return cmp.Compare(r.Base, a) })
	if !found {
		i--
	}
	if i < 0 || address-t[i].Base >= uint64(len(t[i].Data)) {
		return 0, nil
	}
	return t[i].Base, t[i].Data
}
