#version 460
// Addition, subtraction, multiplication, negation: they wrap.
//! in 0 i32 7 -7 2147483647 -2147483648 0 1 -1 123456789
//! in 1 i32 3 3 1 1 5 -1 -1 -987
//! out 2 i32 10 -4 -2147483648 -2147483647 5 0 -2 123455802
//! out 3 i32 4 -10 2147483646 2147483647 -5 2 0 123457776
//! out 4 i32 21 -21 2147483647 -2147483648 0 -1 1 -1592766455
//! out 5 i32 -7 7 -2147483647 -2147483648 0 -1 1 -123456789
//! out 6 i32 7 7 2147483647 -2147483648 0 1 1 123456789
//! out 7 i32 1 -1 1 -1 0 1 -1 1
//! out 8 i32 3 -7 1 -2147483648 0 -1 -1 -987
//! out 9 i32 7 3 2147483647 1 5 1 -1 123456789
//! out 10 i32 5 -5 5 -5 0 1 -1 5
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer B0 { int a[]; };
layout(std430, binding = 1) readonly buffer B1 { int b[]; };
layout(std430, binding = 2) writeonly buffer B2 { int add[]; };
layout(std430, binding = 3) writeonly buffer B3 { int sub[]; };
layout(std430, binding = 4) writeonly buffer B4 { int mul[]; };
layout(std430, binding = 5) writeonly buffer B5 { int minus[]; };
layout(std430, binding = 6) writeonly buffer B6 { int absolute[]; };
layout(std430, binding = 7) writeonly buffer B7 { int sgn[]; };
layout(std430, binding = 8) writeonly buffer B8 { int low[]; };
layout(std430, binding = 9) writeonly buffer B9 { int high[]; };
layout(std430, binding = 10) writeonly buffer B10 { int mid[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	add[i] = a[i] + b[i];
	sub[i] = a[i] - b[i];
	mul[i] = a[i] * b[i];
	minus[i] = -a[i];
	absolute[i] = abs(a[i]);
	sgn[i] = sign(a[i]);
	low[i] = min(a[i], b[i]);
	high[i] = max(a[i], b[i]);
	mid[i] = clamp(a[i], -5, 5);
}
