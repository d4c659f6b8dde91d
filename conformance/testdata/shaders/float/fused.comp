#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_spirv_intrinsics : require
// OpFmaKHR has one rounding: the sums cancel but for what the product's rounding would lose, and those of binary16 lie so near
// a midpoint that a rounding to binary32 would move them onto it. Then a product beyond
// the largest number that the sum brings back, and infinity times itself.
//! in 0 f16 0x3ef2 0x4ca6 0x3a66 0x3c01 0x7bff 0x7c00
//! in 1 f16 0x3ac5 0x4d00 0x4e0a 0x3c01 0x3c30 0x7c00
//! in 2 f16 0x81cf 0x8032 0x0204 0xbc00 0xfbff 0x4200
//! out 3 f16 0x3de1 0x5dcf 0x4cd5 0x1800 0x69ff 0x7c00
//! in 4 f32 0x40311b47 0x3e982a89 0x3f70ad7d 0x3f77aa43 0x7f800000 0x7f7fffff
//! in 5 f32 0x3f16d491 0x3f946d01 0x4089067f 0x3f695df8 0x7f800000 0x3f860000
//! in 6 f32 0xbfd0b215 0xbeb072c4 0xc080d2f3 0xbf61c4e0 0x40400000 0xff7fffff
//! out 7 f32 0x309f9b80 0xb1bc03b8 0x3437fe06 0xb276e060 0x7f800000 0x7d3fffff
//! in 8 f64 0x40085f39652ddffc 0x3fe2752349531536 0x401ef94d9eb87f44 0x3ff49a6130f63dac 0x7ff0000000000000 0x7fefffffffffffff
//! in 9 f64 0x401accc778fe7a40 0x400ad3a26fc5cc8c 0x400bba1432d2db70 0x4004eb0a05263347 0x7ff0000000000000 0x3ff0c00000000000
//! in 10 f64 0xc03469559c6e1fd5 0xbffef27d7b74138f 0xc03ad6761e1860b4 0xc00aefa1d7d11b68 0x4008000000000000 0xffefffffffffffff
//! out 11 f64 0xbcd20c10f783d200 0xbc8387bfa8daf3c0 0x3cd81c81e6bdb380 0x3ca638bc98717ad0 0x7ff0000000000000 0x7fa7ffffffffffff
spirv_instruction(extensions = ["SPV_KHR_fma"], capabilities = [6030], id = 4427) float16_t fused(float16_t a, float16_t b, float16_t c);
spirv_instruction(extensions = ["SPV_KHR_fma"], capabilities = [6030], id = 4427) float fused(float a, float b, float c);
spirv_instruction(extensions = ["SPV_KHR_fma"], capabilities = [6030], id = 4427) double fused(double a, double b, double c);
layout(local_size_x = 6) in;
layout(std430, binding = 0) buffer B0 { float16_t a16[]; };
layout(std430, binding = 1) buffer B1 { float16_t b16[]; };
layout(std430, binding = 2) buffer B2 { float16_t c16[]; };
layout(std430, binding = 3) buffer B3 { float16_t r16[]; };
layout(std430, binding = 4) buffer B4 { float a32[]; };
layout(std430, binding = 5) buffer B5 { float b32[]; };
layout(std430, binding = 6) buffer B6 { float c32[]; };
layout(std430, binding = 7) buffer B7 { float r32[]; };
layout(std430, binding = 8) buffer B8 { double a64[]; };
layout(std430, binding = 9) buffer B9 { double b64[]; };
layout(std430, binding = 10) buffer B10 { double c64[]; };
layout(std430, binding = 11) buffer B11 { double r64[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	r16[i] = fused(a16[i], b16[i], c16[i]);
	r32[i] = fused(a32[i], b32[i], c32[i]);
	r64[i] = fused(a64[i], b64[i], c64[i]);
}
