#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_KHR_memory_scope_semantics : require
// Atomics on floats in images: minima and maxima pass over a NaN.
//! image 0 4 2 r32f f32 1.5 10 3 7 -0.0 4 1 2
//! imageout 0 4 2 r32f f32 3.5 3 4 -2.25 -0.0 4 1 8
//! out 1 f32 7 3.5 -2.25 8 0 0
layout(local_size_x = 4) in;
layout(binding = 0, r32f) uniform image2D f;
layout(std430, binding = 1) writeonly buffer O { float o[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	imageAtomicAdd(f, ivec2(0, 0), 0.5);
	imageAtomicMin(f, ivec2(1, 0), float(i + 3));
	imageAtomicMax(f, ivec2(2, 0), float(i + 1));
	float nan = uintBitsToFloat(0x7FC00000u);
	imageAtomicMin(f, ivec2(1, 1), nan);
	imageAtomicMax(f, ivec2(2, 1), nan);
	imageAtomicMin(f, ivec2(0, 1), -0.0);
	if (i == 0) {
		o[0] = imageAtomicExchange(f, ivec2(3, 0), -2.25);
		o[4] = imageAtomicAdd(f, ivec2(4, 0), 1);
		o[5] = imageAtomicLoad(f, ivec2(0, 1), gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsAcquire) == 0 ? 0.0 : 1.0;
		imageAtomicStore(f, ivec2(3, 1), 8, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsRelease);
	}
	memoryBarrierImage();
	barrier();
	if (i == 3) {
		o[1] = imageLoad(f, ivec2(0, 0)).x;
		o[2] = imageLoad(f, ivec2(3, 0)).x;
		o[3] = imageLoad(f, ivec2(3, 1)).x;
	}
}
