#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint v; };
layout(set = 0, binding = 3) uniform texture2D picture;
layout(set = 1, binding = 0) uniform sampler state;
void main() { v = 1 + uint(textureLod(sampler2D(picture, state), vec2(3.0), 0.0).x * 255.0); }
