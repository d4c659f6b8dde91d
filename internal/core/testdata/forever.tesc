#version 450
layout(push_constant) uniform Push { uint loops; };
layout(vertices = 3) out;
void main()
{
    for (uint x = gl_PrimitiveID; (loops & 4) != 0; x = x * 3u + 1u) {
    }
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelInner[0] = 64.0;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 64.0;
}
