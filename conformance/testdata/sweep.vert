#version 450
// Triangles over all pixels, one an instance, at depths that cross.
layout(location = 0) out vec2 at;
void main()
{
    vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    at = p * 2;
    float slope = (gl_InstanceIndex & 1) == 0 ? p.x : p.y;
    gl_Position = vec4(p * 4 - 1, 0.1 + 0.3 * slope + 0.02 * gl_InstanceIndex, 1);
}
