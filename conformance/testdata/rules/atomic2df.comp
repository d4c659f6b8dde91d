#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#define IMAGE layout(binding = 2, r32f) uniform image2D
#define AT l.texel.xy
#define TYPE float
#define VALUE(w) uintBitsToFloat((w).x)
#define BITS(v) floatBitsToUint(v), 0
#include "../atomic.glsl"
