#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 texCoord;
layout(location = 0) out vec2 uv;
// Angles in radians; distance from the eye to the middle of the cube; width by height of the picture.
layout(push_constant) uniform Camera { float yaw, pitch, distance, aspect; };
const float near = 1.0, far = 10.0, focal = 2.0;
void main() {
    vec3 p = position;
    p.xz = mat2(cos(yaw), -sin(yaw), sin(yaw), cos(yaw)) * p.xz;
    p.yz = mat2(cos(pitch), -sin(pitch), sin(pitch), cos(pitch)) * p.yz;
    p.z += distance;
    uv = texCoord;
    // y points down, depth goes from 0 at near to 1 at far.
    gl_Position = vec4(p.x * focal / aspect, p.y * focal, (p.z - near) * far / (far - near), p.z);
}
