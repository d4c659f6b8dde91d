// How light becomes the colours of a picture. Needs the constant LINEAR: it stays as it is.
layout(constant_id = 29) const bool HALF = false; // in a target of half floats, where too bright would be infinite
layout(constant_id = 30) const uint TONE = 0u;    // as studio.Tone has them

const uint ACES = 1u;
const uint AGX = 2u;
const uint CLAMPED = 3u;

// Khronos PBR Neutral: keeps colours below 0.76 as they are, rolls off above.
vec3 neutral(vec3 c) {
    const float start = 0.76;
    float low = min(c.r, min(c.g, c.b));
    c -= low < 0.08 ? low - 6.25 * low * low : 0.04;
    float peak = max(c.r, max(c.g, c.b));
    if (peak < start) return c;
    const float d = 1.0 - start;
    float newPeak = 1.0 - d * d / (peak + d - start);
    c *= newPeak / peak;
    float g = 1.0 - 1.0 / (0.15 * (peak - newPeak) + 1.0);
    return mix(c, vec3(newPeak), g);
}

// ACES as Stephen Hill fitted it: a matrix, a curve, a matrix. Rows are written as columns, to be
// multiplied from the left.
const mat3 ACES_IN = mat3(0.59719, 0.35458, 0.04823, 0.07600, 0.90834, 0.01566, 0.02840, 0.13383, 0.83777);
const mat3 ACES_OUT = mat3(1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602);
const float ACES_EXPOSURE = 1.0 / 0.6; // so that it is as bright as other tones are: three.js does so, too

vec3 aces(vec3 c) {
    vec3 v = min(c, vec3(65504.0)) * ACES_EXPOSURE * ACES_IN; // whose square is finite
    v = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
    return clamp(v * ACES_OUT, 0.0, 1.0);
}

// AgX as Blender and three.js have it: in the primaries of Rec. 2020, a little less saturated, by a
// curve of the logarithm.
const mat3 TO_REC2020 = mat3(0.627403896, 0.329283038, 0.043313066, 0.069097289, 0.919540395, 0.011362316,
    0.016391439, 0.088013308, 0.895595253);
const mat3 FROM_REC2020 = mat3(1.660491002, -0.587641139, -0.072849863, -0.124550475, 1.132899897, -0.008349423,
    -0.018150763, -0.100578898, 1.118729661);
const mat3 AGX_INSET = mat3(0.856627153, 0.095121241, 0.048251606, 0.137318973, 0.761241991, 0.101439036,
    0.111898213, 0.076799419, 0.811302368);
const mat3 AGX_OUTSET = mat3(1.127100582, -0.110606643, -0.016493939, -0.141329763, 1.157823702, -0.016493939,
    -0.141329763, -0.110606643, 1.251936407);
const float AGX_LOW = -12.47393; // stops
const float AGX_HIGH = 4.026069;

vec3 agxContrast(vec3 x) {
    return (((((15.5 * x - 40.14) * x + 31.96) * x - 6.868) * x + 0.4298) * x + 0.1191) * x - 0.00232;
}

vec3 agx(vec3 c) {
    vec3 v = max(c * TO_REC2020 * AGX_INSET, vec3(1e-10));
    v = clamp((log2(v) - AGX_LOW) / (AGX_HIGH - AGX_LOW), 0.0, 1.0);
    v = pow(max(agxContrast(v) * AGX_OUTSET, vec3(0.0)), vec3(2.2));
    return clamp(v * FROM_REC2020, 0.0, 1.0);
}

vec3 toneMap(vec3 c) {
    if (LINEAR) return HALF ? min(c, vec3(65504.0)) : c;
    if (TONE == ACES) return aces(c);
    if (TONE == AGX) return agx(c);
    if (TONE == CLAMPED) return clamp(c, 0.0, 1.0);
    return neutral(c);
}

// The brightest are taken for a little less than white.
vec3 beforeNeutral(vec3 c) {
    const float start = 0.76;
    const float d = 1.0 - start;
    float newPeak = min(max(c.r, max(c.g, c.b)), 0.9995);
    c = min(c, vec3(newPeak));
    if (newPeak > start) {
        float peak = d * d / (1.0 - newPeak) - d + start;
        float g = 1.0 - 1.0 / (0.15 * (peak - newPeak) + 1.0);
        c = (c - newPeak * g) / (1.0 - g) * (peak / newPeak);
    }
    float low = min(c.r, min(c.g, c.b));
    if (low < 0.04) {
        float x = 0.4 * sqrt(max(low, 0.0));
        return c + (x - 6.25 * x * x);
    }
    return c + 0.04;
}

vec3 beforeACES(vec3 c) {
    const mat3 acesIn = mat3(1.764740972, -0.675777678, -0.088963294, -0.147027852, 1.160251512, -0.013223660,
        -0.036336830, -0.162436437, 1.198773267);
    const mat3 acesOut = mat3(0.643038249, 0.311186752, 0.045775457, 0.059268690, 0.931436487, 0.009294916,
        0.005961901, 0.063929016, 0.930118384);
    vec3 y = clamp(c, 0.0, 1.0) * acesOut;
    // y is the curve's quotient: a·v² + b·v = d.
    vec3 a = 1.0 - 0.983729 * y, b = 0.0245786 - 0.4329510 * y, d = 0.000090537 + 0.238081 * y;
    vec3 root = sqrt(b * b + 4.0 * a * d);
    vec3 v = mix((root - b) / (2.0 * a), 2.0 * d / (root + b), greaterThan(b, vec3(0.0))); // without a small difference of large numbers
    return v * acesIn / ACES_EXPOSURE;
}

vec3 beforeAgX(vec3 c) {
    const mat3 outset = mat3(0.899796956, 0.087199619, 0.013003425, 0.111420989, 0.875575586, 0.013003425,
        0.111420989, 0.087199619, 0.801379392);
    const mat3 inset = mat3(1.197441077, -0.144261513, -0.053179564, -0.196474626, 1.354095131, -0.157620505,
        -0.146557417, -0.108284059, 1.254841476);
    vec3 y = pow(clamp(c, 0.0, 1.0) * TO_REC2020, vec3(1.0 / 2.2)) * outset;
    vec3 low = vec3(0.0), high = vec3(1.0); // the curve rises
    for (int i = 0; i < 24; i++) {
        vec3 x = 0.5 * (low + high);
        bvec3 below = lessThan(agxContrast(x), y);
        low = mix(low, x, below);
        high = mix(x, high, below);
    }
    return exp2(mix(vec3(AGX_LOW), vec3(AGX_HIGH), low)) * inset * FROM_REC2020;
}

// The colour that toneMap takes to c: what an unlit surface or a background has to shine with
// to look like c.
vec3 beforeToneMap(vec3 c) {
    if (TONE == ACES) return beforeACES(c);
    if (TONE == AGX) return beforeAgX(c);
    if (TONE == CLAMPED) return c;
    return beforeNeutral(c);
}
