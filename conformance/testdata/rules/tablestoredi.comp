#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED iimage2D
#define BITS(v) uvec4(v)
#define VALUE(v) ivec4(v)
#include "../table.glsl"
