#version 450
// Reads an image.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { float v[]; } outs;
layout(set = 0, binding = 1) uniform sampler2D picture;
void main() { outs.v[0] = textureLod(picture, vec2(0.5), 0.0).x; }
