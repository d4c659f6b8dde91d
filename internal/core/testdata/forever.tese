#version 450
layout(push_constant) uniform Push { uint loops; };
layout(triangles) in;
void main()
{
    for (uint x = gl_PrimitiveID; (loops & 8) != 0; x = x * 3u + 1u) {
    }
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
}
