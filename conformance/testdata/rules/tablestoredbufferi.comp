#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED iimageBuffer
#define PLACE l.texel.x
#define BITS(v) uvec4(v)
#define VALUE(v) ivec4(v)
#include "../table.glsl"
