#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED isamplerBuffer
#define FETCHED l.texel.x
#define BITS(v) uvec4(v)
#include "../table.glsl"
