#version 450
// A square on the ground.
layout(location = 0) out vec2 at; // -1 … 1 over the square

layout(set = 0, binding = 0) uniform Frame { mat4 viewProjection; } frame;
layout(push_constant) uniform Push {
    vec4 ground; // x and z of its middle, 1 / half its edge, height
    float strength;
} push;

void main() {
    // Counter-clockwise seen from above.
    const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(-1, 1), vec2(1, 1), vec2(-1, -1), vec2(1, 1), vec2(1, -1));
    at = corners[gl_VertexIndex];
    vec2 xz = push.ground.xy + at / push.ground.z;
    gl_Position = frame.viewProjection * vec4(xz.x, push.ground.w, xz.y, 1.0);
}
