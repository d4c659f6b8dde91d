// Writes the OpenEXR files of this folder with the reference library, 3.1:
//   g++ make.cpp -o make $(pkg-config --cflags --libs OpenEXR) && ./make
// The values are those of want in radiance_test.go.
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfOutputFile.h>
#include <ImfTiledOutputFile.h>
#include <string>
#include <vector>
#include <cstdint>
using namespace Imf;

static const int W = 41, H = 37;

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

static void write(const char* name, Compression how, bool floats, LineOrder order) {
    Header h(Imath::Box2i(Imath::V2i(0, 0), Imath::V2i(63, 63)), Imath::Box2i(Imath::V2i(-3, 5), Imath::V2i(W - 4, H + 4)));
    h.compression() = how;
    h.lineOrder() = order;
    const char* names[] = {"R", "G", "B", "A"};
    std::vector<half> hs(W * H * 4);
    std::vector<float> fs(W * H * 4);
    FrameBuffer fb;
    for (int c = 0; c < 4; c++) {
        bool f = floats && c != 1; // green stays half
        h.channels().insert(names[c], Channel(f ? FLOAT : HALF));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                hs[(c * H + y) * W + x] = want(x, y, c);
                fs[(c * H + y) * W + x] = want(x, y, c);
            }
        char* base = f ? (char*)&fs[c * H * W] : (char*)&hs[c * H * W];
        size_t s = f ? 4 : 2;
        fb.insert(names[c], Slice(f ? FLOAT : HALF, base - (-3 + 5 * W) * (long)s, s, s * W));
    }
    OutputFile out(name, h);
    out.setFrameBuffer(fb);
    if (order == RANDOM_Y) order = INCREASING_Y;
    out.writePixels(H);
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

int main() {
    ramp();
    write("none.exr", NO_COMPRESSION, false, INCREASING_Y);
    write("rle.exr", RLE_COMPRESSION, true, INCREASING_Y);
    write("zips.exr", ZIPS_COMPRESSION, false, DECREASING_Y);
    write("zip.exr", ZIP_COMPRESSION, true, INCREASING_Y);
    write("piz.exr", PIZ_COMPRESSION, false, INCREASING_Y);
    write("pizfloat.exr", PIZ_COMPRESSION, true, DECREASING_Y);
    write("b44.exr", B44_COMPRESSION, false, INCREASING_Y);
    write("dwaa.exr", DWAA_COMPRESSION, false, INCREASING_Y);
}
