#version 460
// Uniform blocks with std140 and row-major matrices, push constants, storage blocks with a runtime array, its length, copies of objects.
//! in 0 f32 1 2 3 0 10 20 30 0 4 0 0 0 5 0 0 0
//! in 1 u32 11 22 33
//! push u32 7 8
//! out 2 u32 3 7 8 33 1 2 30 5
layout(local_size_x = 1) in;
layout(std140, binding = 0, row_major) uniform A { mat3x2 m; float list[2]; } a;
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer O { uint o[]; };
layout(push_constant) uniform P { uint x, y; } p;
struct S { uint u; float f; };
void main() {
	o[0] = b.length();
	o[1] = p.x;
	o[2] = p.y;
	o[3] = b[2];
	o[4] = uint(a.m[0].x);
	o[5] = uint(a.m[1].x);
	o[6] = uint(a.m[2].y);
	S s = S(1, a.list[1]);
	S t = s;
	o[7] = uint(t.f);
}
