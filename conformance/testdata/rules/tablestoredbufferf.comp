#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED imageBuffer
#define PLACE l.texel.x
#define BITS(v) floatBitsToUint(v)
#define VALUE(v) uintBitsToFloat(v)
#include "../table.glsl"
