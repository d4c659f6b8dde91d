#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float a[]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
void main() {
    uint i = gl_LocalInvocationIndex, k = i * 8u;
    float x = a[i];
    mat2x3 p = mat2x3(x, 2, 3, 4, 5, 6);
    mat3x2 q = mat3x2(1, x, 3, 4, 5, 6);
    mat3 pq = p * q;
    mat2 qp = q * p;
    o[k] = pq[2][1] + pq[0][2];
    o[k + 1u] = qp[1][0];
    o[k + 2u] = (p * vec2(1, x)).z + (vec3(1, x, 2) * p).y;
    o[k + 3u] = outerProduct(vec2(x, 2), vec3(3, 4, x))[2].y + transpose(q)[1][2] + (p * x)[1].x;
    o[k + 4u] = (vec4(1, 2, 3, 4) * x)[i & 3u];
    mat4 m = mat4(2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 8, 0, x, 0, 0, 1);
    o[k + 5u] = inverse(m)[3][0] + determinant(m);
    o[k + 6u] = mat3(m)[1][1] + mat4(mat2(x))[0][0] + mat4(mat2(x))[3][3];
    o[k + 7u] = float((ivec2(int(i), 7) * ivec2(3) % 5).x) + (p == p ? 1.0 : 0.0);
}
