package bc

// field6 is a run of bits of one endpoint channel.
type field6 struct {
	channel uint8 // 3·endpoint + component
	low     uint8 // its lowest bit in the channel
	count   int8  // bits; negative: stored with the highest first
}

// mode6 is a row of IMG-820.
type mode6 struct {
	bits        uint    // of the first endpoint
	delta       [3]uint // bits of the other endpoints, by component
	transformed bool    // the others are differences from the first
	two         bool    // two subsets
	fields      []field6
}

// modes6 are the modes of BC6H blocks, by mode number, with the order of their fields behind the mode bits (IMG-820, IMG-821). The
// partition follows where there are two subsets. Reserved modes are empty.
var modes6 = [32]mode6{
	0: {bits: 10, delta: [3]uint{5, 5, 5}, transformed: true, two: true, fields: []field6{
		{7, 4, 1}, {8, 4, 1}, {11, 4, 1}, {0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 5}, {10, 4, 1}, {7, 0, 4}, {4, 0, 5}, {11, 0, 1}, {10, 0, 4},
		{5, 0, 5}, {11, 1, 1}, {8, 0, 4}, {6, 0, 5}, {11, 2, 1}, {9, 0, 5}, {11, 3, 1},
	}},
	1: {bits: 7, delta: [3]uint{6, 6, 6}, transformed: true, two: true, fields: []field6{
		{7, 5, 1}, {10, 4, 1}, {10, 5, 1}, {0, 0, 7}, {11, 0, 1}, {11, 1, 1}, {8, 4, 1}, {1, 0, 7}, {8, 5, 1}, {11, 2, 1}, {7, 4, 1}, {2, 0, 7},
		{11, 3, 1}, {11, 5, 1}, {11, 4, 1}, {3, 0, 6}, {7, 0, 4}, {4, 0, 6}, {10, 0, 4}, {5, 0, 6}, {8, 0, 4}, {6, 0, 6}, {9, 0, 6},
	}},
	2: {bits: 11, delta: [3]uint{5, 4, 4}, transformed: true, two: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 5}, {0, 10, 1}, {7, 0, 4}, {4, 0, 4}, {1, 10, 1}, {11, 0, 1}, {10, 0, 4}, {5, 0, 4}, {2, 10, 1},
		{11, 1, 1}, {8, 0, 4}, {6, 0, 5}, {11, 2, 1}, {9, 0, 5}, {11, 3, 1},
	}},
	6: {bits: 11, delta: [3]uint{4, 5, 4}, transformed: true, two: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 4}, {0, 10, 1}, {10, 4, 1}, {7, 0, 4}, {4, 0, 5}, {1, 10, 1}, {10, 0, 4}, {5, 0, 4}, {2, 10, 1},
		{11, 1, 1}, {8, 0, 4}, {6, 0, 4}, {11, 0, 1}, {11, 2, 1}, {9, 0, 4}, {7, 4, 1}, {11, 3, 1},
	}},
	10: {bits: 11, delta: [3]uint{4, 4, 5}, transformed: true, two: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 4}, {0, 10, 1}, {8, 4, 1}, {7, 0, 4}, {4, 0, 4}, {1, 10, 1}, {11, 0, 1}, {10, 0, 4}, {5, 0, 5},
		{2, 10, 1}, {8, 0, 4}, {6, 0, 4}, {11, 1, 1}, {11, 2, 1}, {9, 0, 4}, {11, 4, 1}, {11, 3, 1},
	}},
	14: {bits: 9, delta: [3]uint{5, 5, 5}, transformed: true, two: true, fields: []field6{
		{0, 0, 9}, {8, 4, 1}, {1, 0, 9}, {7, 4, 1}, {2, 0, 9}, {11, 4, 1}, {3, 0, 5}, {10, 4, 1}, {7, 0, 4}, {4, 0, 5}, {11, 0, 1}, {10, 0, 4},
		{5, 0, 5}, {11, 1, 1}, {8, 0, 4}, {6, 0, 5}, {11, 2, 1}, {9, 0, 5}, {11, 3, 1},
	}},
	18: {bits: 8, delta: [3]uint{6, 5, 5}, transformed: true, two: true, fields: []field6{
		{0, 0, 8}, {10, 4, 1}, {8, 4, 1}, {1, 0, 8}, {11, 2, 1}, {7, 4, 1}, {2, 0, 8}, {11, 3, 1}, {11, 4, 1}, {3, 0, 6}, {7, 0, 4}, {4, 0, 5},
		{11, 0, 1}, {10, 0, 4}, {5, 0, 5}, {11, 1, 1}, {8, 0, 4}, {6, 0, 6}, {9, 0, 6},
	}},
	22: {bits: 8, delta: [3]uint{5, 6, 5}, transformed: true, two: true, fields: []field6{
		{0, 0, 8}, {11, 0, 1}, {8, 4, 1}, {1, 0, 8}, {7, 5, 1}, {7, 4, 1}, {2, 0, 8}, {10, 5, 1}, {11, 4, 1}, {3, 0, 5}, {10, 4, 1}, {7, 0, 4},
		{4, 0, 6}, {10, 0, 4}, {5, 0, 5}, {11, 1, 1}, {8, 0, 4}, {6, 0, 5}, {11, 2, 1}, {9, 0, 5}, {11, 3, 1},
	}},
	26: {bits: 8, delta: [3]uint{5, 5, 6}, transformed: true, two: true, fields: []field6{
		{0, 0, 8}, {11, 1, 1}, {8, 4, 1}, {1, 0, 8}, {8, 5, 1}, {7, 4, 1}, {2, 0, 8}, {11, 5, 1}, {11, 4, 1}, {3, 0, 5}, {10, 4, 1}, {7, 0, 4},
		{4, 0, 5}, {11, 0, 1}, {10, 0, 4}, {5, 0, 6}, {8, 0, 4}, {6, 0, 5}, {11, 2, 1}, {9, 0, 5}, {11, 3, 1},
	}},
	30: {bits: 6, delta: [3]uint{6, 6, 6}, two: true, fields: []field6{
		{0, 0, 6}, {10, 4, 1}, {11, 0, 1}, {11, 1, 1}, {8, 4, 1}, {1, 0, 6}, {7, 5, 1}, {8, 5, 1}, {11, 2, 1}, {7, 4, 1}, {2, 0, 6}, {10, 5, 1},
		{11, 3, 1}, {11, 5, 1}, {11, 4, 1}, {3, 0, 6}, {7, 0, 4}, {4, 0, 6}, {10, 0, 4}, {5, 0, 6}, {8, 0, 4}, {6, 0, 6}, {9, 0, 6},
	}},
	3: {bits: 10, delta: [3]uint{10, 10, 10}, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 10}, {4, 0, 10}, {5, 0, 10},
	}},
	7: {bits: 11, delta: [3]uint{9, 9, 9}, transformed: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 9}, {0, 10, 1}, {4, 0, 9}, {1, 10, 1}, {5, 0, 9}, {2, 10, 1},
	}},
	11: {bits: 12, delta: [3]uint{8, 8, 8}, transformed: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 8}, {0, 10, -2}, {4, 0, 8}, {1, 10, -2}, {5, 0, 8}, {2, 10, -2},
	}},
	15: {bits: 16, delta: [3]uint{4, 4, 4}, transformed: true, fields: []field6{
		{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 4}, {0, 10, -6}, {4, 0, 4}, {1, 10, -6}, {5, 0, 4}, {2, 10, -6},
	}},
}
