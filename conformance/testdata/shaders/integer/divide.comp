#version 460
// Division truncates; the remainder of OpSRem has the sign of the first operand, of OpSMod that of the second.
//! in 0 i32 7 7 100 99 1 2147483647
//! in 1 i32 3 7 9 100 5 10
//! out 2 i32 2 1 11 0 0 214748364
//! out 3 i32 1 0 1 99 1 7
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { int a[]; };
layout(std430, binding = 1) readonly buffer B1 { int b[]; };
layout(std430, binding = 2) writeonly buffer B2 { int quotient[]; };
layout(std430, binding = 3) writeonly buffer B3 { int rest[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	quotient[i] = a[i] / b[i];
	rest[i] = a[i] % b[i];
}
