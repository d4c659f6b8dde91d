#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED image2DMSArray
#define PLACE l.texel.xyz, l.texel.w
#define BITS(v) floatBitsToUint(v)
#define VALUE(v) uintBitsToFloat(v)
#include "../table.glsl"
