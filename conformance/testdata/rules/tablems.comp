#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED sampler2DMS
#define FETCHED l.texel.xy, l.texel.w
#define BITS(v) floatBitsToUint(v)
#include "../table.glsl"
