//go:build linux && outside

package main_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
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
	t.Helper()
	program := xvfb.Path(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	dir := t.TempDir()
	cmd := exec.Command(program, "-displayfd", "3", "-screen", "0", "700x700x24", "-fbdir", dir, "-nolisten", "tcp", "-noreset")
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
	_ = read.SetReadDeadline(time.Now().Add(programTimeout))
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

// watch takes screenshots until a program has ended, which closes done, or there are
// enough different ones, which it returns in order. The program stands still while a
// picture is taken, however fast it draws.
func (d display) watch(t *testing.T, program *os.Process, done <-chan struct{}, enough int) []*image.RGBA {
	t.Helper()
	var pictures []*image.RGBA
	seen := map[uint32]bool{}
	for {
		select {
		case <-done:
			return pictures
		case <-time.After(5 * time.Millisecond):
		}
		_ = program.Signal(syscall.SIGSTOP)
		// The server has work left for a moment: a picture counts when it is there twice.
		var img *image.RGBA
		var err error
		for before, sum := uint32(0), uint32(1); err == nil && sum != before; {
			if img, err = d.screenshot(); err == nil {
				before, sum = sum, crc32.ChecksumIEEE(img.Pix)
			}
		}
		_ = program.Signal(syscall.SIGCONT)
		if err != nil {
			t.Error(err)
			<-done
			return nil
		}
		if sum := crc32.ChecksumIEEE(img.Pix); !seen[sum] {
			seen[sum] = true
			if pictures = append(pictures, img); len(pictures) == enough {
				return pictures
			}
		}
	}
}

// started starts a program that writes to log. Done is closed when it has ended, with an error or nil: by
// itself, or killed after programTimeout.
func started(t *testing.T, cmd *exec.Cmd, log *strings.Builder) (ended *error, done <-chan struct{}) {
	t.Helper()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(programTimeout, func() { _ = cmd.Process.Kill() })
	end, closed := new(error), make(chan struct{})
	go func() {
		*end = cmd.Wait()
		kill.Stop()
		close(closed)
	}()
	return end, closed
}

// show runs a program that shows one picture until wrong finds nothing wrong with what
// is on the screen, and ends the program then. The name is for keep.
func (d display) show(t *testing.T, name string, wrong func(*image.RGBA) error, program string, args ...string) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "drawn")
	var log strings.Builder
	cmd := driverCommand(t, []string{"DISPLAY=" + d.name, "PUMICE_FRAMES=" + list}, program, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	// A program may take its time to begin. What it has drawn is on the screen soon.
	end, drawn := time.Now().Add(programTimeout), false
	what := errors.New("no screenshot was taken")
	var last *image.RGBA
	for what != nil && time.Now().Before(end) {
		if text, _ := os.ReadFile(list); len(text) > 0 && !drawn {
			end, drawn = time.Now().Add(programTimeout/4), true
		}
		img, err := d.screenshot()
		if err != nil {
			what = err
			break
		}
		last, what = img, wrong(img)
		select {
		case <-ended:
			end = time.Now()
		case <-time.After(50 * time.Millisecond):
		}
	}
	_ = cmd.Process.Signal(os.Interrupt)
	kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() }) // vkd3d's demos do not listen
	defer kill.Stop()
	<-ended
	if last != nil {
		keep(t, name, last)
	}
	if what != nil || strings.Contains(log.String(), "pumice:") {
		t.Errorf("the picture never came: %v; frames were drawn: %v\n%s", what, drawn, log.String())
	}
}
