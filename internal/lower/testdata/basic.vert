#version 450
layout(location = 0) in vec3 pos;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 color;
layout(push_constant) uniform Push { mat4 mvp; vec4 tint; } pc;
layout(location = 0) out vec2 vUV;
layout(location = 1) out vec4 vColor;
layout(location = 2) flat out int vID;
void main() {
    gl_Position = pc.mvp * vec4(pos, 1.0);
    vUV = uv;
    vColor = color * pc.tint;
    vID = gl_VertexIndex;
}
