#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float a[]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
void main() {
    uint i = gl_LocalInvocationIndex, k = i * 20u;
    float x = a[i];
    o[k] = sin(x); o[k + 1u] = cos(x); o[k + 2u] = tan(x); o[k + 3u] = asin(x * 0.25); o[k + 4u] = acos(x * 0.25);
    o[k + 5u] = atan(x); o[k + 6u] = atan(x, 2.0); o[k + 7u] = sinh(x); o[k + 8u] = cosh(x); o[k + 9u] = tanh(x);
    o[k + 10u] = asinh(x); o[k + 11u] = acosh(x + 5.0); o[k + 12u] = atanh(x * 0.25); o[k + 13u] = pow(x + 4.5, 2.5);
    o[k + 14u] = exp(x); o[k + 15u] = log(x + 5.0); o[k + 16u] = exp2(x); o[k + 17u] = log2(x + 5.0);
    o[k + 18u] = inversesqrt(x + 5.0); o[k + 19u] = degrees(x);
}
