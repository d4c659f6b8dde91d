#version 450
// A triangle that covers the whole viewport.
layout(location = 0) out vec3 color;
void main() {
    vec2 p = vec2(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1)) * 4.0 - 1.0;
    color = vec3(1.0, 0.5, 0.0);
    gl_Position = vec4(p, 0.5, 1.0);
}
