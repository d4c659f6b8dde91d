#version 460
#extension GL_EXT_buffer_reference : require
// Adds the number behind the first address to the one behind the second.
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Number { uint v; };
layout(push_constant) uniform Push { Number from, to; };
void main() { to.v += from.v; }
