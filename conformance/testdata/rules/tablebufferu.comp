#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED usamplerBuffer
#define FETCHED l.texel.x
#define BITS(v) v
#include "../table.glsl"
