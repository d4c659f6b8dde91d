#version 450
// Counts its workgroups.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Words { uint count; };
void main()
{
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(count, 1);
    }
}
