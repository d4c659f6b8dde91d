#version 450
// A model's vertices thrown on the ground along directions of light, one an instance: where its
// shadow falls on a map of the ground.
layout(location = 0) in vec3 inPosition;
layout(location = 3) in vec4 inUV01;
layout(location = 4) in vec4 inUV23;
layout(location = 5) in vec4 inColor;

layout(location = 0) out vec4 uv01;
layout(location = 1) out vec4 uv23;
layout(location = 2) out float alpha;
layout(location = 3) flat out int direction;

layout(set = 0, binding = 0) uniform Directions { vec4 towards[128]; } light;

layout(push_constant) uniform Push {
    vec4 row0;   // of the world's matrix
    vec4 row1;
    vec4 row2;
    vec4 ground; // x and z of its middle, 1 / half its edge, height
} push;

void main() {
    vec4 at = vec4(inPosition, 1.0);
    vec3 p = vec3(dot(push.row0, at), dot(push.row1, at), dot(push.row2, at));
    vec3 l = light.towards[gl_InstanceIndex].xyz;
    vec2 q = p.xz - l.xz * ((p.y - push.ground.w) / l.y);
    gl_Position = vec4((q - push.ground.xy) * push.ground.z, 0.5, 1.0);
    gl_PointSize = 1.0;
    uv01 = inUV01;
    uv23 = inUV23;
    alpha = inColor.a;
    direction = gl_InstanceIndex;
}
