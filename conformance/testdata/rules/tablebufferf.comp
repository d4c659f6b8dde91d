#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED samplerBuffer
#define FETCHED l.texel.x
#define BITS(v) floatBitsToUint(v)
#include "../table.glsl"
