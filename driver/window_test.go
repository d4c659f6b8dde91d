//go:build linux

package main_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// display is an X server without a screen of glass.
type display struct {
	name        string // for DISPLAY
	framebuffer string // a file with what is on the screen
}

// newDisplay starts Xvfb on a free display; it goes with the test.
func newDisplay(t *testing.T) display {
	if testing.Short() {
		// Under the race detector taking a picture takes longer than a frame;
		// the driver itself is not instrumented there.
		t.Skip("pictures of a moving window need full speed; a run without -short takes them")
	}
	t.Helper()
	xvfb := installed(t, "Xvfb", "xvfb")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	dir := t.TempDir()
	cmd := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "700x700x24", "-fbdir", dir, "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{write}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	_ = write.Close()
	var number int
	_ = read.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fscan(read, &number); err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	return display{name: fmt.Sprintf(":%d", number), framebuffer: filepath.Join(dir, "Xvfb_screen0")}
}

// screenshot reads the screen: a file in the format of xwd.
func (d display) screenshot() (*image.RGBA, error) {
	file, err := os.ReadFile(d.framebuffer)
	if err != nil {
		return nil, err
	}
	if len(file) < 100 {
		return nil, fmt.Errorf("%d bytes", len(file))
	}
	word := func(n int) int { return int(binary.BigEndian.Uint32(file[n*4:])) }
	width, height, pitch, at := word(4), word(5), word(12), word(0)+word(19)*12
	if word(11) != 32 || word(7) != 0 || width > 4096 || height > 4096 || len(file) < at+pitch*height {
		return nil, fmt.Errorf("an unexpected format: header %v", file[:100])
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p := file[at+y*pitch+x*4:]
			img.SetRGBA(x, y, color.RGBA{p[2], p[1], p[0], 255})
		}
	}
	return img, nil
}

// watch takes screenshots until done is closed or there are enough different ones,
// which it returns in order. A picture counts when it was there twice, so that none
// is half of one frame and half of the next.
func (d display) watch(t *testing.T, done <-chan struct{}, enough int) []*image.RGBA {
	t.Helper()
	var pictures []*image.RGBA
	seen := map[uint32]bool{}
	before := uint32(0)
	for {
		select {
		case <-done:
			return pictures
		case <-time.After(2 * time.Millisecond):
		}
		img, err := d.screenshot()
		if err != nil {
			t.Error(err)
			<-done
			return nil
		}
		sum := crc32.ChecksumIEEE(img.Pix)
		if sum == before && !seen[sum] {
			seen[sum] = true
			if pictures = append(pictures, img); len(pictures) == enough {
				return pictures
			}
		}
		before = sum
	}
}

// keep writes a screenshot where PUMICE_SCREENSHOTS says, for people to look at.
func keep(t *testing.T, name string, img image.Image) {
	t.Helper()
	dir := os.Getenv("PUMICE_SCREENSHOTS")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

// colors counts the different colours of a picture.
func colors(img *image.RGBA) int {
	have := map[color.RGBA]bool{}
	for i := 0; i < len(img.Pix); i += 4 {
		have[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}] = true
	}
	return len(have)
}

// shrink averages squares of 4 by 4 texels.
func shrink(img *image.RGBA) *image.Gray {
	b := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, b.Dx()/4, b.Dy()/4))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sum := 0
			for n := range 16 {
				p := img.RGBAAt(b.Min.X+x*4+n%4, b.Min.Y+y*4+n/4)
				sum += int(p.R) + int(p.G) + int(p.B)
			}
			out.Pix[y*out.Stride+x] = uint8(sum / 48)
		}
	}
	return out
}

// difference is the mean of the differences of two pictures' texels, in 255ths.
func difference(a, b *image.Gray) float64 {
	if a.Rect.Size() != b.Rect.Size() {
		return 255
	}
	sum := 0
	for i, v := range a.Pix {
		d := int(v) - int(b.Pix[i])
		sum += max(d, -d)
	}
	return float64(sum) / float64(len(a.Pix))
}

// TestVkcube shows the turning cube, as it should be.
func TestVkcube(t *testing.T) {
	program := installed(t, "vkcube", "vulkan-tools")
	d := newDisplay(t)
	golden := loadGray(t, "testdata/vkcube.png")
	best, nearest := 255.0, (*image.RGBA)(nil)
	var pictures []*image.RGBA
	// A machine that is busy sees few of the frames.
	for frames := 60; frames <= 60*4*4*4 && (len(pictures) < 5 || best > 4); frames *= 4 {
		done, watched := make(chan struct{}), make(chan struct{})
		go func() {
			pictures = d.watch(t, done, 0)
			close(watched)
		}()
		out, errs, err := onDriver(t, []string{"DISPLAY=" + d.name}, program, "--c", strconv.Itoa(frames))
		close(done)
		<-watched
		if err != nil || strings.Contains(errs, "pumice:") {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		best, nearest = nearestCube(pictures, golden)
	}
	t.Logf("%d different pictures, the nearest differs by %.2f", len(pictures), best)
	if len(pictures) < 5 {
		t.Errorf("only %d different pictures", len(pictures))
	}
	if nearest == nil || colors(nearest) < 100 || best > 4 {
		t.Errorf("no picture is like testdata/vkcube.png; the nearest differs by %.2f", best)
	}
	if nearest != nil {
		keep(t, "vkcube", nearest)
	} else if len(pictures) > 0 {
		keep(t, "vkcube", pictures[len(pictures)/2])
	}
}

// nearestCube returns the picture whose window differs least from the golden one,
// and by how much.
func nearestCube(pictures []*image.RGBA, golden *image.Gray) (best float64, nearest *image.RGBA) {
	best = 255
	for _, p := range pictures {
		// The window has no frame, and its place is the server's choice: it is
		// where the background's grey is.
		if window := find(p, color.RGBA{51, 51, 51, 255}); window.Dx() == 500 {
			if diff := difference(shrink(p.SubImage(window).(*image.RGBA)), golden); diff < best {
				best, nearest = diff, p
			}
		}
	}
	return best, nearest
}

// find returns the smallest rectangle that holds all texels of a colour.
func find(img *image.RGBA, c color.RGBA) (r image.Rectangle) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y) == c {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

func loadGray(t *testing.T, path string) *image.Gray {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	gray, ok := img.(*image.Gray)
	if !ok {
		t.Fatalf("%s is no grey picture", path)
	}
	return gray
}

// TestTestvulkan: SDL's test changes the colour of its window until it is asked to
// end, and then ends.
func TestTestvulkan(t *testing.T) {
	const program = "/usr/libexec/installed-tests/SDL2/testvulkan"
	if _, err := os.Stat(program); err != nil {
		t.Skip("no testvulkan: Debian's libsdl2-tests is not installed")
	}
	d := newDisplay(t)
	var log strings.Builder
	cmd := driverCommand(t, []string{"DISPLAY=" + d.name, "SDL_VIDEODRIVER=x11"}, program)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	done := make(chan struct{})
	var ended error
	go func() {
		ended = cmd.Wait()
		close(done)
	}()
	pictures := d.watch(t, done, 20)
	_ = cmd.Process.Signal(os.Interrupt)
	<-done
	if ended != nil || strings.Contains(log.String(), "pumice:") {
		t.Fatalf("%v, after %d different pictures\n%s", ended, len(pictures), log.String())
	}
	if len(pictures) < 20 {
		t.Errorf("only %d different pictures", len(pictures))
	} else {
		keep(t, "testvulkan", pictures[len(pictures)/2])
	}
}
