#version 450
// Vertices arrive morphed and skinned, in the space of their node.
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec4 inTangent;
layout(location = 3) in vec4 inUV01; // UV slots 0 and 1
layout(location = 4) in vec4 inUV23; // UV slots 2 and 3
layout(location = 5) in vec4 inColor;

// The world of these has its zero where the view begins, and a unit of its own (frame.glsl's scale).
layout(location = 0) out vec3 position; // world
layout(location = 1) out vec3 normal;   // world, not unit
layout(location = 2) out vec4 tangent;  // world, not unit; w = handedness
layout(location = 3) out vec4 uv01;
layout(location = 4) out vec4 uv23;
layout(location = 5) out vec4 color;

layout(set = 0, binding = 0) uniform Frame {
    mat4 viewProjection;
    vec4 eye;
    vec4 irradiance[9];
    ivec4 counts; // x = lights
} frame;

layout(push_constant) uniform Push {
    mat4 world;
    vec4 normal0; // columns of the inverse transpose; w = about 1 / world's scale, a power of two
    vec4 normal1; // w = -1 where the world mirrors, which turns the cross product of normal and tangent round; else 1
    vec4 normal2;
} push;

void main() {
    vec4 p = push.world * vec4(inPosition, 1.0);
    position = p.xyz;
    normal = mat3(push.normal0.xyz, push.normal1.xyz, push.normal2.xyz) * inNormal;
    tangent = vec4(mat3(push.world) * inTangent.xyz * push.normal0.w, inTangent.w * push.normal1.w);
    uv01 = inUV01;
    uv23 = inUV23;
    color = inColor;
    gl_Position = frame.viewProjection * p;
    gl_PointSize = 1.0;
}
