#version 450
layout(push_constant) uniform Push { uint loops; };
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main()
{
    for (uint x = gl_PrimitiveIDIn; (loops & 16) != 0; x = x * 3u + 1u) {
    }
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
}
