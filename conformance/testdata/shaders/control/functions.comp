#version 460
// Functions with parameters that they write, and arrays by value.
//! in 0 i32 3 -4
//! out 1 i32 9 16 6 -8 12 9
layout(local_size_x = 2) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer O { int o[]; };
void both(int x, out int square, inout int twice) {
	square = x * x;
	twice += x;
}
int last(int list[3], int k) {
	list[k] *= 3;
	return list[2] - (k == 2 ? 0 : list[0] - list[0]);
}
void main() {
	uint i = gl_LocalInvocationIndex;
	int s, t = a[i];
	both(a[i], s, t);
	o[i] = s;
	o[2 + i] = t;
	o[4 + i] = last(int[3](1, 2, 4 + 5 * int(i)), i == 0 ? 2 : 0);
}
