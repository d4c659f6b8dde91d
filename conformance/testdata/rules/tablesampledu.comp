#version 460
#extension GL_GOOGLE_include_directive : require
#define SAMPLED usampler2D
#define BITS(v) v
#include "../table.glsl"
