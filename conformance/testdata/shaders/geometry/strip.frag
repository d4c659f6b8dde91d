#version 460
//! color 0 f32 1 0 0 1 0 0 0 0 1 0 0 1 2 0 0 1
layout(location = 0) flat in vec4 color;
layout(location = 0) out vec4 c;
void main() { c = color; }
