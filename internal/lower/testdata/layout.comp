#version 450
#extension GL_EXT_scalar_block_layout : enable
layout(constant_id = 3) const int N = 5;
layout(constant_id = 4) const bool FLIP = false;
layout(constant_id = 5) const float SCALE = 2.0;
layout(local_size_x = 64) in;
struct S { float f; mat3x2 m; vec3 v[2]; };
layout(set = 0, binding = 0) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
layout(set = 0, binding = 2, std140) uniform U { float u0; layout(row_major) mat3x4 rm; mat3 cm; S s[3]; ivec3 iv; float tail; } u;
layout(set = 0, binding = 3, std430) buffer B { int head; layout(row_major) mat2x3 rm[2]; vec2 rest[]; } b[2];
layout(push_constant) uniform P { vec4 p; uint q; } pc;
shared float sh[64];
shared int total;
float table[7] = float[](1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0);
float big[8];
float pick(float arr[7], int i) { return arr[i]; }
void fill(inout float dst[8], int n) { for (int i = 0; i < n; i++) dst[(i * 7) & 7] = float(i); }
void main() {
    int i = int(gl_GlobalInvocationID.x);
    int k = i * 16;
    int x = int(a[i]);
    if (i == 0) total = 0;
    sh[i] = float(x);
    barrier();
    atomicAdd(total, x);
    barrier();
    o[k + 0] = u.rm[x % 3][x % 4] + u.cm[x % 3].y;
    o[k + 1] = dot(u.cm * vec3(1, 2, 3), vec3(1)) + u.tail + float(u.iv.z);
    o[k + 2] = u.s[x % 3].f + u.s[x % 3].m[2][1] + u.s[1].v[x & 1].z;
    S s = u.s[2];
    o[k + 3] = s.m[0].y + s.v[1].x;
    o[k + 4] = b[x & 1].rm[1][x & 1][x % 3] + float(b[0].rest.length());
    o[k + 5] = b[1].rest[x % 4].y;
    o[k + 6] = sh[63 - i] + float(total);
    o[k + 7] = pick(table, x % 7) + table[(x + 1) % 7];
    fill(big, x % 33);
    o[k + 8] = big[x & 7];
    vec4 v = vec4(1, 2, 3, 4); v[x & 3] = 9.0; v.zx += 1.0;
    o[k + 9] = v[(x + 1) & 3] + v.x;
    mat2 m2 = mat2(1, 2, 3, 4); m2[x & 1][1] *= 3.0;
    o[k + 10] = determinant(m2) + (transpose(m2) * vec2(1, 10)).x + (vec2(1, 10) * m2).y + outerProduct(vec2(2, 3), vec2(5, 7))[1][0];
    o[k + 11] = float(N) * SCALE + (FLIP ? 100.0 : 0.0) + float(gl_WorkGroupSize.x);
    float spec[N - 3]; for (int j = 0; j < N - 3; j++) spec[j] = float(j * j);
    o[k + 12] = spec[x % (N - 3)];
    o[k + 13] = uintBitsToFloat(pc.q) ;
    mat3 inv = inverse(mat3(2, 0, 0, 0, 4, 0, 1, 0, 8));
    o[k + 14] = inv[0][0] + inv[1][1] + inv[2][2] + inv[2][0];
    b[x & 1].rest[4 + i].x = float(i);
    o[k + 15] = b[x & 1].rest[4 + i].x;
}
