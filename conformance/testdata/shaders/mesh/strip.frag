#version 460
#extension GL_EXT_mesh_shader : require
//! color 0 f32 1 0 0 1 1 0 0 1 0 2 0 1 0 2 0 1
layout(location = 0) perprimitiveEXT in vec4 color;
layout(location = 0) out vec4 c;
void main() { c = color; }
