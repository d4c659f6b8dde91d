#version 450
layout(location = 0) in vec2 vUV;
layout(location = 1) in vec4 vColor;
layout(location = 2) flat in int vID;
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(set = 0, binding = 1, std140) uniform Light { vec3 dir; float k; vec4 c[4]; } light;
layout(location = 0) out vec4 o;
void main() {
    vec4 t = texture(tex, vUV);
    if (t.a < 0.5) discard;
    o = t * vColor * light.k + light.c[vID & 3];
}
