#version 460
//! color 0 f32 3*4 0*12
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 c;
void main() { c = color; }
