#version 460
// The nearest binary32 of the exact result; in out 7 the third, and in out 10 and 12 the second, is the next one: functions are less than
// a unit off (docs/precision.md).
//! in 0 f32 0x3e800000 0x3f000000 0x3f400000 0x3dcccccd 0x3f666666
//! out 1 f32 0x3e7d5777 0x3ef57744 0x3f2e7fe1 0x3dcc7577 0x3f48881d
//! out 2 f32 0x3f780aa5 0x3f60a940 0x3f3b4ff6 0x3f7eb898 0x3f1f21d5
//! out 3 f32 0x3e82bc2d 0x3f0bda7b 0x3f6e7d1b 0x3dcd7c44 0x3fa14cdd
//! out 4 f32 0x3e815f4e 0x3f060a92 0x3f591a99 0x3dcd2494 0x3f8f549b
//! out 5 f32 0x3fa8b807 0x3f860a92 0x3f39051d 0x3fbc3d91 0x3ee6ecfe
//! out 6 f32 0x3e7adbb0 0x3eed6338 0x3f24bc7d 0x3dcc1f14 0x3f3b99c5
//! out 7 f32 0x3e815667 0x3f056680 0x3f52835a 0x3dcd243a 0x3f8364e6
//! out 8 f32 0x3f840558 0x3f90560c 0x3fa5b82f 0x3f80a3fa 0x3fb76f60
//! out 9 f32 0x3e7acbf5 0x3eec9a9f 0x3f22991f 0x3dcc1ebc 0x3f375f4c
//! out 10 f32 0x3e7d67d9 0x3ef66166 0x3f317218 0x3dcc75cf 0x3f4f11e7
//! out 11 f32 0x3e82c578 0x3f0c9f54 0x3f791395 0x3dcd7c9f 0x3fbc71af
//! out 12 f32 0x3f317218 0x3f766166 0x3f9453e6 0x3ee31b63 0x3fa0ebcb
layout(local_size_x = 5) in;
layout(std430, binding = 0) readonly buffer B0 { float a[]; };
layout(std430, binding = 1) writeonly buffer B1 { float sine[]; };
layout(std430, binding = 2) writeonly buffer B2 { float cosine[]; };
layout(std430, binding = 3) writeonly buffer B3 { float tangent[]; };
layout(std430, binding = 4) writeonly buffer B4 { float arcsine[]; };
layout(std430, binding = 5) writeonly buffer B5 { float arccosine[]; };
layout(std430, binding = 6) writeonly buffer B6 { float arctangent[]; };
layout(std430, binding = 7) writeonly buffer B7 { float hypersine[]; };
layout(std430, binding = 8) writeonly buffer B8 { float hypercosine[]; };
layout(std430, binding = 9) writeonly buffer B9 { float hypertangent[]; };
layout(std430, binding = 10) writeonly buffer B10 { float areasine[]; };
layout(std430, binding = 11) writeonly buffer B11 { float areatangent[]; };
layout(std430, binding = 12) writeonly buffer B12 { float areacosine[]; };
void main() {
	uint i = gl_LocalInvocationIndex;
	sine[i] = sin(a[i]);
	cosine[i] = cos(a[i]);
	tangent[i] = tan(a[i]);
	arcsine[i] = asin(a[i]);
	arccosine[i] = acos(a[i]);
	arctangent[i] = atan(a[i]);
	hypersine[i] = sinh(a[i]);
	hypercosine[i] = cosh(a[i]);
	hypertangent[i] = tanh(a[i]);
	areasine[i] = asinh(a[i]);
	areatangent[i] = atanh(a[i]);
	areacosine[i] = acosh(a[i] + 1.0);
}
