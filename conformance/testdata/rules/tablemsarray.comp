#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED sampler2DMSArray
#define FETCHED l.texel.xyz, l.texel.w
#define BITS(v) floatBitsToUint(v)
#include "../table.glsl"
