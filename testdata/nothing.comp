#version 450
layout(local_size_x = 8) in;
shared float x[8];
// Computes, and stores nothing that anybody could see.
void main() { x[gl_LocalInvocationIndex] = 2.0 * float(gl_GlobalInvocationID.x); }
