#version 450
// Runs until word 0 is set, which nobody does. Each invocation has a word of its own.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Words { uint v[]; };
void main()
{
    uint x = 1;
    while (v[0] == 0) {
        x = x * 3u + 1u;
        v[1 + gl_GlobalInvocationID.x] = x;
    }
}
