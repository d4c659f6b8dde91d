#version 460
// If, switch with fall through and a default, loops with break and continue, early return, nesting.
//! in 0 u32 0 1 2 3 4 5 6 7
//! out 1 u32 100 1 23 3 999 999 999 999
//! out 1 u32 0 1 3 3 8 8 15 15
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer O { uint o[16]; };
uint choose(uint x) {
	uint r = 0;
	switch (x) {
	case 0:
		return 100;
	case 2:
		r = 20; // falls through
	case 3:
		r += 3;
		break;
	case 1:
		r = 1;
		break;
	default:
		r = 999;
	}
	return r;
}
uint walk(uint x) {
	uint sum = 0;
	for (uint i = 0; i < 100; i++) {
		if ((i & 1) != 0 && x > 1)
			continue;
		if (i > x)
			break;
		sum += i == 0 ? 0 : i + (x > 1 ? 1 : 0);
		uint j = 0;
		do {
			if (j == 3)
				break;
			j++;
		} while (j < 10);
		while (j > 3)
			j--;
		sum += j - 3;
	}
	return sum;
}
void main() {
	uint i = gl_LocalInvocationIndex;
	o[i] = choose(a[i]);
	o[8 + i] = walk(a[i]);
}
