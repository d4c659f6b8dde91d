#version 460
#extension GL_GOOGLE_include_directive : require
#define STORED uimage2D
#define BITS(v) v
#define VALUE(v) v
#include "../table.glsl"
