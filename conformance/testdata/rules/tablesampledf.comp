#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED sampler2D
#define BITS(v) floatBitsToUint(v)
#include "../table.glsl"
