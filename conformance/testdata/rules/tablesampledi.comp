#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED isampler2D
#define BITS(v) uvec4(v)
#include "../table.glsl"
