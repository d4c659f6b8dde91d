#version 450
// Moves vertices about: shared memory, barriers, a loop and a storage image.
layout(local_size_x = 32) in;
struct Vertex { vec4 position; uint color; float u, v; float pad; };
layout(std430, set = 0, binding = 0) buffer Vertices { Vertex vertices[]; };
layout(set = 0, binding = 1, rgba8) uniform image2D picture;
layout(push_constant) uniform Push { uint seed; float amount; } push;
shared vec4 stage[32];

void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    stage[l] = i < vertices.length() ? vertices[i].position : vec4(0.0);
    barrier();
    vec4 sum = vec4(0.0);
    for (uint k = 1u; k < 32u; k <<= 1) sum += stage[l ^ k];
    barrier();
    uint h = (i + push.seed) * 2654435761u;
    if (i < vertices.length()) {
        vertices[i].position.xy += sum.xy * 0.01 + (vec2(h & 255u, h >> 24) / 255.0 - 0.5) * push.amount;
        vertices[i].color ^= h & 0x3f3f3f3fu;
        vertices[i].u = fract(vertices[i].u + sin(sum.z));
    }
    ivec2 size = imageSize(picture);
    ivec2 at = ivec2(int(i) % size.x, int(i) / size.x);
    if (at.y < size.y) imageStore(picture, at, fract(imageLoad(picture, at) + unpackUnorm4x8(h)));
}
