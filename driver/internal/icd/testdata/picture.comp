#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint v; };
layout(set = 0, binding = 1) uniform sampler2DArray picture;
void main() { v = 1 + uint(textureLod(picture, vec3(0.5, 0.5, 0), 0.0).x); }
