#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE layout(binding = 2, r32i) uniform iimage2D
#define AT l.texel.xy
#define TYPE int
#define VALUE(w) int((w).x)
#define BITS(v) uint(v), 0
#define COMPARES
#include "../atomic.glsl"
