#version 450
layout(push_constant) uniform Push { uint loops; };
void main()
{
    for (uint x = gl_VertexIndex; (loops & 1) != 0; x = x * 3u + 1u) {
    }
    gl_Position = vec4((gl_VertexIndex << 1 & 2) * 2.0 - 1.0, (gl_VertexIndex & 2) * 2.0 - 1.0, 0.0, 1.0);
}
