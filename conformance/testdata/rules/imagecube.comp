#version 460
#extension GL_GOOGLE_include_directive : require
#define IMAGE samplerCube
#define AT at.xyz
#define D(v) v.xyz
#define RESULT(v) v
#define GATHER textureGather(image, AT)
#define QUERY at.xyz
#define SIZED(v) vec3(v, 0)
#include "../image.glsl"
