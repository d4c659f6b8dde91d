#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2DMS
#define I(v) v.xy
#define RESULT(v) v
#include "../image.glsl"
