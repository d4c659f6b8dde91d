#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE layout(binding = 2, r32ui) uniform uimage2DMSArray
#define AT l.texel.xyz, l.texel.w
#define TYPE uint
#define VALUE(w) (w).x
#define BITS(v) v, 0
#define COMPARES
#include "../atomic.glsl"
