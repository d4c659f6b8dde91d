#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_spirv_intrinsics : require
// DenormFlushToZero holds for float atomics in buffers and shared memory: what they leave is no denormal.
//! in 0 f32 0x00c00000 0x3f800000 0xbf800000 0x40000000
//! out 0 f32 0x00000000 0x00000000 0x00000000 0x40400000
//! out 1 f32 0x00000000
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4465], 4460, 32);
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B0 { float b[4]; };
layout(std430, binding = 1) buffer B1 { float o; };
shared float s;
void main() {
	s = uintBitsToFloat(0x00c00000);
	barrier();
	atomicAdd(b[0], uintBitsToFloat(0x80800000));
	atomicMin(b[1], uintBitsToFloat(0x00000001));
	atomicMax(b[2], uintBitsToFloat(0x00000001));
	atomicAdd(b[3], 1.0);
	atomicAdd(s, uintBitsToFloat(0x80800000));
	barrier();
	o = s;
}
