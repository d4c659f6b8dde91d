#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE sampler2D
#define T vec4
#define AT at.xy
#define D(v) v.xy
#define FETCH l.texel.xy
#include "../sparse.glsl"
