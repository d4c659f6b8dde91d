// Writes the OpenEXR files of this folder with the reference library, 3.1:
//   g++ make.cpp -o make $(pkg-config --cflags --libs OpenEXR) && ./make
// The values are those of want in exr_test.go.
#include <ImfChannelList.h>
#include <ImfChromaticitiesAttribute.h>
#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineOutputFile.h>
#include <ImfEnvmap.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfPreviewImage.h>
#include <ImfRgbaFile.h>
#include <ImfStandardAttributes.h>
#include <ImfTiledOutputFile.h>
#include <ImfTiledOutputPart.h>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>
using namespace Imf;
using Imath::Box2i;
using Imath::V2i;

static uint32_t noise(uint32_t x, uint32_t y, uint32_t c) {
    uint32_t n = x * 374761393u + y * 668265263u + c * 2246822519u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return n ^ (n >> 16);
}

static float want(int x, int y, int c) {
    if (y < 12) return float((x * 7 + y * 13 + c * 5) % 64) / 8.f; // smooth
    if (y < 24) return float(noise(x, y, c) % 2048) / 16.f;        // noisy
    return c == 1 ? 0.25f : 0.f;                                   // flat
}

// Planes are the pixels of channels: want, of the number c, scaled.
struct Planes {
    int x0, y0, w, h;
    FrameBuffer fb;
    std::deque<std::vector<float>> floats;
    std::deque<std::vector<half>> halves;
    std::deque<std::vector<uint32_t>> uints;
    Planes(int x0, int y0, int w, int h) : x0(x0), y0(y0), w(w), h(h) {}
    void add(Header& header, const std::string& name, PixelType type, int c, float scale = 1, bool eye = false) {
        header.channels().insert(name, Channel(type, 1, 1, eye));
        char* base;
        size_t s = type == HALF ? 2 : 4;
        halves.emplace_back(), floats.emplace_back(), uints.emplace_back();
        for (int i = 0; i < w * h; i++) {
            float v = want(i % w, i / w, c) * scale;
            halves.back().push_back(v), floats.back().push_back(v), uints.back().push_back(v);
        }
        base = type == HALF ? (char*)halves.back().data() : type == FLOAT ? (char*)floats.back().data() : (char*)uints.back().data();
        fb.insert(name, Slice(type, base - (x0 + (long)y0 * w) * (long)s, s, s * w));
    }
};

static const int W = 41, H = 37;

// Files whose data window lies at -3, 5 of a display window of 64 × 64.
static Header header(Compression how, int w = W, int h = H) {
    Header head(Box2i(V2i(0, 0), V2i(63, 63)), Box2i(V2i(-3, 5), V2i(w - 4, h + 4)));
    head.compression() = how;
    return head;
}

static void write(const char* name, Compression how, bool floats, LineOrder order) {
    Header h = header(how);
    h.lineOrder() = order;
    Planes p(-3, 5, W, H);
    const char* names[] = {"R", "G", "B", "A"};
    for (int c = 0; c < 4; c++) p.add(h, names[c], floats && c != 1 ? FLOAT : HALF, c); // green stays half
    OutputFile out(name, h);
    out.setFrameBuffer(p.fb);
    out.writePixels(H);
}

// Two layers, the second with channels that are linear to the eye, and data of all types beside them.
static void layers(const char* name, Compression how) {
    const int rows = 24;
    Header h = header(how, W, rows);
    Planes p(-3, 5, W, rows);
    p.add(h, "Z", FLOAT, 7);
    p.add(h, "id", UINT, 8, 16);
    p.add(h, "diffuse.R", HALF, 0), p.add(h, "diffuse.G", HALF, 1), p.add(h, "diffuse.B", HALF, 2), p.add(h, "diffuse.A", HALF, 3);
    p.add(h, "eye.R", HALF, 4, 0.05, true), p.add(h, "eye.G", HALF, 5, 0.05, true), p.add(h, "eye.Y", HALF, 6, 0.05, true);
    p.add(h, "eye.B", FLOAT, 6, 0.05, false);
    h.setPreviewImage(PreviewImage(2, 2));
    OutputFile out(name, h);
    out.setFrameBuffer(p.fb);
    out.writePixels(rows);
}

static void tiles(const char* name, Compression how, LevelMode mode, LevelRoundingMode round, LineOrder order) {
    Header h = header(how);
    h.lineOrder() = order;
    h.setTileDescription(TileDescription(16, 9, mode, round));
    Planes p(-3, 5, W, H);
    p.add(h, "R", HALF, 0), p.add(h, "G", HALF, 1), p.add(h, "B", FLOAT, 2);
    TiledOutputFile out(name, h);
    for (int ly = 0; ly < out.numYLevels(); ly++)
        for (int lx = 0; lx < out.numXLevels(); lx++) {
            if (!out.isValidLevel(lx, ly)) continue;
            if (lx || ly) { // other numbers: no level may be taken for another
                Header scratch = h;
                Planes q(-3, 5, W, H);
                q.add(scratch, "R", HALF, 9), q.add(scratch, "G", HALF, 9), q.add(scratch, "B", FLOAT, 9);
                out.setFrameBuffer(q.fb);
                out.writeTiles(0, out.numXTiles(lx) - 1, 0, out.numYTiles(ly) - 1, lx, ly);
                continue;
            }
            out.setFrameBuffer(p.fb);
            out.writeTiles(0, out.numXTiles(0) - 1, 0, out.numYTiles(0) - 1, 0, 0);
        }
}

// Depth in scan lines, light in tiles, and a layer of two in scan lines.
static void parts() {
    Header h[3] = {header(ZIP_COMPRESSION, 20, 12), header(PIZ_COMPRESSION), header(RLE_COMPRESSION, 20, 12)};
    const char* names[] = {"depth", "beauty", "passes"};
    for (int i = 0; i < 3; i++) {
        h[i].setName(names[i]);
        h[i].setType(i == 1 ? TILEDIMAGE : SCANLINEIMAGE);
    }
    h[1].setTileDescription(TileDescription(20, 20, ONE_LEVEL));
    Planes depth(-3, 5, 20, 12), beauty(-3, 5, W, H), passes(-3, 5, 20, 12);
    depth.add(h[0], "Z", FLOAT, 7);
    beauty.add(h[1], "R", HALF, 0), beauty.add(h[1], "G", HALF, 1), beauty.add(h[1], "B", HALF, 2);
    passes.add(h[2], "first.R", HALF, 3), passes.add(h[2], "first.G", HALF, 4), passes.add(h[2], "first.B", HALF, 5);
    passes.add(h[2], "a_second_one_with_a_name_that_is_longer_than_31_bytes.Y", HALF, 6);
    MultiPartOutputFile out("parts.exr", h, 3);
    OutputPart last(out, 2); // blocks of parts stand in any order
    last.setFrameBuffer(passes.fb);
    last.writePixels(6);
    OutputPart first(out, 0);
    first.setFrameBuffer(depth.fb);
    first.writePixels(12);
    TiledOutputPart middle(out, 1);
    middle.setFrameBuffer(beauty.fb);
    middle.writeTiles(0, middle.numXTiles() - 1, 0, middle.numYTiles() - 1);
    last.writePixels(6);
}

// More than 16384 different words, which PIZ transforms in another way; one channel of grey.
static void ramp() {
    const int w = 992, h = 32;
    Header header(w, h);
    header.compression() = PIZ_COMPRESSION;
    header.channels().insert("Y", Channel(HALF));
    std::vector<half> v(w * h);
    for (int i = 0; i < w * h; i++) v[i].setBits(i % 31744);
    FrameBuffer fb;
    fb.insert("Y", Slice(HALF, (char*)v.data(), 2, 2 * w));
    OutputFile out("ramp.exr", header);
    out.setFrameBuffer(fb);
    out.writePixels(h);
}

// Luminance and chroma: chroma is 0.5 and -0.5, of a ramp of luminance, in every second pixel of every second row.
static void chroma(const char* name, Compression how) {
    const int w = 34, h = 36;
    Header header(w, h);
    header.compression() = how;
    header.channels().insert("Y", Channel(HALF));
    header.channels().insert("RY", Channel(HALF, 2, 2));
    header.channels().insert("BY", Channel(HALF, 2, 2));
    std::vector<half> y(w * h), ry(w * h / 4, 0.5f), by(w * h / 4, -0.5f);
    for (int i = 0; i < w * h; i++) y[i] = (i % w + i / w * 2) / 8.f;
    FrameBuffer fb;
    fb.insert("Y", Slice(HALF, (char*)y.data(), 2, 2 * w));
    fb.insert("RY", Slice(HALF, (char*)ry.data(), 2, w, 2, 2));
    fb.insert("BY", Slice(HALF, (char*)by.data(), 2, w, 2, 2));
    OutputFile out(name, header);
    out.setFrameBuffer(fb);
    out.writePixels(h);
}

// What the library reads of luminance and chroma.
static void readAgain(const std::string& name, int w, int h) {
    Header header(w, h);
    header.compression() = ZIP_COMPRESSION;
    std::vector<Rgba> pixels(w * h);
    RgbaInputFile file((name + ".exr").c_str());
    file.setFrameBuffer(pixels.data(), 1, w);
    file.readPixels(0, h - 1);
    RgbaOutputFile again((name + "-rgb.exr").c_str(), header, WRITE_RGB);
    again.setFrameBuffer(pixels.data(), 1, w);
    again.writePixels(h);
}

// What the library makes of colours that change smoothly.
static void chromaOfColors() {
    const int w = 64, h = 32;
    Header header(w, h);
    header.compression() = ZIP_COMPRESSION;
    std::vector<Rgba> in(w * h);
    for (int i = 0; i < w * h; i++)
        in[i] = Rgba(1 + i % w / 64.f, 1 + i / w / 64.f, 1.5f - i % w / 128.f);
    RgbaOutputFile file("colors.exr", header, WRITE_YC);
    file.setFrameBuffer(in.data(), 1, w);
    file.writePixels(h);
}

// The primaries of ACES, and a cube.
static void attributes() {
    Header h(8, 48);
    h.compression() = ZIP_COMPRESSION;
    addChromaticities(h, Chromaticities(Imath::V2f(0.7347f, 0.2653f), Imath::V2f(0, 1), Imath::V2f(0.0001f, -0.077f), Imath::V2f(0.32168f, 0.33767f)));
    addWhiteLuminance(h, 120);
    addEnvmap(h, ENVMAP_CUBE);
    h.displayWindow() = Box2i(V2i(0, 0), V2i(99, 99));
    Planes p(0, 0, 8, 48);
    p.add(h, "R", HALF, 0), p.add(h, "G", HALF, 1), p.add(h, "B", HALF, 2);
    OutputFile out("aces.exr", h);
    out.setFrameBuffer(p.fb);
    out.writePixels(48);
}

static void deep() {
    Header h(2, 2);
    h.compression() = ZIPS_COMPRESSION;
    h.setType(DEEPSCANLINE);
    h.channels().insert("Z", Channel(FLOAT));
    unsigned counts[4] = {1, 1, 1, 1};
    float v[4] = {1, 2, 3, 4};
    float* pointers[4] = {v, v + 1, v + 2, v + 3};
    DeepFrameBuffer fb;
    fb.insertSampleCountSlice(Slice(UINT, (char*)counts, 4, 8));
    fb.insert("Z", DeepSlice(FLOAT, (char*)pointers, sizeof(float*), 2 * sizeof(float*), 4));
    DeepScanLineOutputFile out("deep.exr", h);
    out.setFrameBuffer(fb);
    out.writePixels(2);
}

static void uints() {
    Header h = header(PXR24_COMPRESSION);
    Planes p(-3, 5, W, H);
    p.add(h, "R", UINT, 0, 8), p.add(h, "G", UINT, 1, 1 << 21), p.add(h, "B", FLOAT, 2, 1 / 3.f);
    OutputFile out("uint.exr", h);
    out.setFrameBuffer(p.fb);
    out.writePixels(H);
}

int main() {
    ramp();
    write("none.exr", NO_COMPRESSION, false, INCREASING_Y);
    write("rle.exr", RLE_COMPRESSION, true, INCREASING_Y);
    write("zips.exr", ZIPS_COMPRESSION, false, DECREASING_Y);
    write("zip.exr", ZIP_COMPRESSION, true, INCREASING_Y);
    write("piz.exr", PIZ_COMPRESSION, false, INCREASING_Y);
    write("pizfloat.exr", PIZ_COMPRESSION, true, DECREASING_Y);
    write("pxr24.exr", PXR24_COMPRESSION, true, DECREASING_Y);
    write("b44.exr", B44_COMPRESSION, false, INCREASING_Y);
    write("b44a.exr", B44A_COMPRESSION, false, INCREASING_Y);
    write("dwaa.exr", DWAA_COMPRESSION, false, INCREASING_Y);
    write("dwab.exr", DWAB_COMPRESSION, true, DECREASING_Y);
    layers("layers.exr", ZIP_COMPRESSION);
    layers("layers-b44.exr", B44_COMPRESSION);
    layers("layers-dwaa.exr", DWAA_COMPRESSION);
    tiles("tiles.exr", NO_COMPRESSION, ONE_LEVEL, ROUND_DOWN, RANDOM_Y);
    tiles("mipmap.exr", ZIP_COMPRESSION, MIPMAP_LEVELS, ROUND_UP, INCREASING_Y);
    tiles("ripmap.exr", ZIPS_COMPRESSION, RIPMAP_LEVELS, ROUND_DOWN, DECREASING_Y);
    parts();
    chroma("chroma.exr", NO_COMPRESSION);
    chroma("chroma-piz.exr", PIZ_COMPRESSION);
    chroma("chroma-pxr24.exr", PXR24_COMPRESSION);
    chroma("chroma-b44.exr", B44_COMPRESSION);
    chroma("chroma-dwaa.exr", DWAA_COMPRESSION);
    chromaOfColors();
    readAgain("colors", 64, 32), readAgain("chroma-b44", 34, 36), readAgain("chroma-dwaa", 34, 36);
    attributes();
    deep();
    uints();
}
