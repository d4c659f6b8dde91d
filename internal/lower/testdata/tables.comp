#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Constant arrays with dynamic indices: read only, in several places and in a loop;
// changed after they were copied; with scalars of all widths.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) writeonly buffer Out { uint y[]; };

struct Entry { vec3 v; int64_t wide; bool flag; float16_t half_; mat2 m; };

const uint squares[16] = uint[](0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225);
const Entry entries[4] = Entry[](
	Entry(vec3(1, 2, 3), 0x100000002L, true, 0.5hf, mat2(1, 2, 3, 4)),
	Entry(vec3(4, 5, 6), 0x300000004L, false, 1.5hf, mat2(5, 6, 7, 8)),
	Entry(vec3(7, 8, 9), 0x500000006L, true, 2.5hf, mat2(9, 10, 11, 12)),
	Entry(vec3(10, 11, 12), -1L, false, 65504.0hf, mat2(13, 14, 15, 16)));

uint lookup(uint i) { return squares[i & 15]; }

void main() {
	uint lane = gl_LocalInvocationIndex, i = x[lane];
	uint sum = 0;
	for (uint k = 0; k < (i & 7); k++) {
		sum += squares[(i + k) & 15] * (k + 1);
	}
	uint changed[16] = squares;
	uint first = changed[i & 15];
	changed[(i + 1) & 15] = 1000 + i;
	changed[(i + 2) & 15] += 7;
	uint twice[16] = squares;
	if (i > 100) {
		twice = uint[](1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
	}
	uint kept[16] = squares;
	uint below = 0;
	if ((i & 1) == 1) {
		below = kept[(i >> 1) & 15];
	}
	Entry e = entries[i & 3];
	uint base = lane * 8;
	y[base + 0] = lookup(i) + lookup(i >> 4) * 1000;
	y[base + 1] = sum;
	y[base + 2] = first + changed[(i + 1) & 15] * 256 + changed[(i + 2) & 15];
	y[base + 3] = twice[i & 15];
	y[base + 4] = below;
	y[base + 5] = uint(entries[(i >> 2) & 3].v[i % 3]) + uint(entries[i & 3].m[i & 1][(i >> 1) & 1]) * 100;
	y[base + 6] = uint(e.wide) ^ uint(e.wide >> 32) * 16 ^ (entries[(i >> 1) & 3].flag ? 0x80000000u : 0);
	y[base + 7] = uint(float(entries[i & 3].half_) * 2);
}
