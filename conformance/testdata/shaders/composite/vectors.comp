#version 460
// Vectors, arrays, structures: construct, extract, insert, shuffle, copy, index by a variable.
//! in 0 u32 3 1 0 2
//! out 1 f32 4 2 1 3 10 12 10 12 1 2 30 4 8 7 6 5 5 6 7 8
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer O { float o[]; };
struct Pair { vec2 first; float rest[3]; };
void main() {
	vec4 v = vec4(1, 2, 3, 4);
	for (uint i = 0; i < 4; i++)
		o[i] = v[a[i]];
	Pair p;
	p.first = vec2(10, 11);
	p.rest = float[3](12, 13, 14);
	Pair q = p;
	o[4] = p.first.x;
	o[5] = p.rest[a[2]];
	o[6] = q.first[a[2]];
	o[7] = q.rest[0];
	vec4 w = v;
	w[a[3]] = 30;
	for (int i = 0; i < 4; i++)
		o[8 + i] = w[i];
	vec4 s = vec4(5, 6, 7, 8).wzyx;
	for (int i = 0; i < 4; i++)
		o[12 + i] = s[i];
	float list[4] = float[4](5, 6, 7, 8);
	for (int i = 0; i < 4; i++)
		o[16 + i] = list[i];
}
