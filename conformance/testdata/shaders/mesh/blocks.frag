#version 460
//! size 1 1
//! color 0 f32 0.25 0.5 0.75 1
layout(location = 0) flat in vec4 color;
layout(location = 0) out vec4 o;
void main() { o = color; }
