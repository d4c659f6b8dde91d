#version 450
// A colour as sRGB codes.
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out0;

void main() { out0 = vec4(pow(color.rgb, vec3(1.0 / 2.2)), color.a); }
