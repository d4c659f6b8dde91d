// Needs the constant LINEAR.
// Khronos PBR Neutral: keeps colours below 0.76 as they are, rolls off above.
vec3 toneMap(vec3 c) {
    if (LINEAR) return c;
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

// The colour that toneMap takes to c: what an unlit surface or a background has to shine with
// to look like c. The brightest are taken for a little less than white.
vec3 beforeToneMap(vec3 c) {
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
