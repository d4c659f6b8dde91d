package astc

import "sync"

// UniqueSeeds returns the seeds of patterns of 2 or 3 partitions, in blocks of so many texels, that have all partitions, and no
// pattern more than once whatever its partitions are called: the lowest seed of each, in order.
func UniqueSeeds(width, height, count int) []uint16 {
	key := [3]int{width, height, count}
	if list, ok := uniqueSeeds.Load(key); ok {
		return list.([]uint16)
	}
	f := Footprint{width, height, 1}
	seen := map[string]bool{}
	var list []uint16
	pattern := make([]byte, width*height)
	for seed := range uint32(1024) {
		p := newPartitioner(seed, count, f)
		var name [4]byte // of partitions, in the order in which they occur, from 1
		names := byte(0)
		for k := range pattern {
			of := p.of(k%width, k/width, 0) & 3
			if name[of] == 0 {
				names++
				name[of] = names
			}
			pattern[k] = name[of]
		}
		if int(names) == count && !seen[string(pattern)] {
			seen[string(pattern)] = true
			list = append(list, uint16(seed))
		}
	}
	uniqueSeeds.Store(key, list)
	return list
}

var uniqueSeeds sync.Map // [3]int: []uint16
