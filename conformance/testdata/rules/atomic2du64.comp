#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
#define IMAGE layout(binding = 2, r64ui) uniform u64image2D
#define AT l.texel.xy
#define TYPE uint64_t
#define VALUE(w) packUint2x32(w)
#define BITS(v) unpackUint2x32(v)
#define COMPARES
#include "../atomic.glsl"
