#version 450
layout(push_constant) uniform Push { uint loops; };
layout(local_size_x = 64) in;
void main()
{
    for (uint x = gl_LocalInvocationIndex; loops != 0; x = x * 3u + 1u) {
    }
}
