#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED uimageBuffer
#define PLACE l.texel.x
#define BITS(v) v
#define VALUE(v) v
#include "../table.glsl"
