package icd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/internal/core"
)

// FrameRequests are what somebody who looks into a program wants of the pictures that it
// presents. Frames count from 1: they are the calls of vkQueuePresentKHR in the process,
// and the picture of one is that of its first swapchain. Empty: nothing.
type FrameRequests struct {
	// Use is a file that gets a line, UseInstance or UseDevice, for each instance and each device that is made.
	// Processes share it; it is opened before sandboxes are closed around them.
	Use     string
	Picture string // "N:FILE": the picture of frame N as a PNG
	List    string // a file: a line for each frame with its number, size, and the SHA-256 of its picture
	Explain string // what to explain; see parseExplain
	// To is the file for the explanations, a JSON array: one for each sample, in their order, and
	// behind them those of samples that were resolved to them. Their picture is FILE.png.
	To string
}

// frames counts frames and serves what is wanted of them.
type frames struct {
	log     io.Writer
	on      bool
	count   atomic.Int64
	picture int // 0: none
	to      string
	explain *explaining // nil: nothing

	mu        sync.Mutex
	list, use *os.File
}

// Lines of FrameRequests.Use.
const (
	UseInstance = "instance"
	UseDevice   = "device"
)

// made tells of an instance or a device.
func (f *frames) made(what string) {
	if f.use != nil {
		_, _ = f.use.WriteString(what + "\n") // who waits for it hears nothing then
	}
}

// init takes the requests over. What cannot be understood is told, and left out.
func (f *frames) init(r FrameRequests, log io.Writer) {
	f.log = log
	if r.Picture != "" {
		n, file, _ := strings.Cut(r.Picture, ":")
		frame, err := strconv.Atoi(n)
		if err != nil || frame < 1 || file == "" {
			f.tell("PUMICE_FRAME", fmt.Errorf("%q: want N:FILE, frames from 1 on", r.Picture))
		} else {
			f.picture, f.to = frame, file
		}
	}
	var err error
	if r.Use != "" {
		if f.use, err = os.OpenFile(r.Use, os.O_APPEND|os.O_WRONLY, 0); err != nil {
			f.tell("PUMICE_USE", err)
		}
	}
	if r.List != "" {
		if f.list, err = os.Create(r.List); err != nil {
			f.tell("PUMICE_FRAMES", err)
		}
	}
	if r.Explain != "" || r.To != "" {
		e, err := newExplaining(r.Explain, r.To)
		if err != nil {
			f.tell("PUMICE_EXPLAIN", err)
		}
		f.explain = e
	}
	f.on = f.picture != 0 || f.list != nil || f.explain != nil
}

// tell reports a request that cannot be met.
func (f *frames) tell(variable string, err error) {
	if f.log != nil {
		_, _ = fmt.Fprintf(f.log, "pumice: %s: %s\n", variable, strings.TrimPrefix(err.Error(), "pumice: "))
	}
}

// next counts a frame; 0 where nobody asks.
func (f *frames) next() int {
	if !f.on {
		return 0
	}
	return int(f.count.Add(1))
}

// awaited says that the call that presents the frame ends after the picture is dealt
// with: the process may end any time after it.
func (f *frames) awaited(frame int) bool {
	return frame != 0 && (f.list != nil || frame == f.picture || f.explain != nil && frame == f.explain.frame)
}

// presented serves what is wanted of a frame, when its picture is whole.
func (f *frames) presented(s *Swapchain, im *swapchainImage, frame int) {
	explained := f.explain != nil && frame == f.explain.frame
	if f.list != nil || frame == f.picture || explained {
		img, err := s.read(im)
		if err != nil {
			f.tell("frame "+strconv.Itoa(frame), err)
			return
		}
		if f.list != nil {
			f.mu.Lock()
			_, err := fmt.Fprintf(f.list, "%d %dx%d %x\n", frame, img.Rect.Dx(), img.Rect.Dy(), sha256.Sum256(img.Pix))
			f.mu.Unlock()
			if err != nil {
				f.tell("PUMICE_FRAMES", err)
			}
		}
		if frame == f.picture {
			if err := writePicture(f.to, img); err != nil {
				f.tell("PUMICE_FRAME", err)
			}
		}
		if explained {
			if err := f.explain.finish(s, im, img); err != nil {
				f.tell("PUMICE_EXPLAIN", err)
			}
		}
	}
	if f.explain != nil && frame == f.explain.since-1 {
		f.explain.begin()
	}
}

// read is a copy of a picture as a window would show it, opaque. Programs may ask for
// formats that no surface offers: replays of what another driver has drawn do.
func (s *Swapchain) read(im *swapchainImage) (*image.NRGBA, error) {
	s.surface.showing.Lock()
	defer s.surface.showing.Unlock()
	made := s.device.images.Get(uint64(im.handle))
	if s.gone.Load() || made == nil {
		return nil, errors.New("its image is destroyed")
	}
	if !s.showable {
		return nil, fmt.Errorf("no picture of %v", made.info.Format)
	}
	img := image.NewNRGBA(image.Rect(0, 0, int(s.extent.Width), int(s.extent.Height)))
	from := im.memory.Bytes()
	for y := range img.Rect.Dy() {
		row, out := from[y*im.pitch:], img.Pix[y*img.Stride:][:img.Stride]
		if s.convert != nil {
			s.convert.row(out, row)
			row = out
		}
		for x := 0; x < img.Stride; x += 4 {
			out[x], out[x+1], out[x+2], out[x+3] = row[x+2], row[x+1], row[x], 255
		}
	}
	return img, nil
}

func writePicture(path string, img *image.NRGBA) error {
	return writeWhole(path, func(w io.Writer) error { return writePNG(w, img) })
}

// writeWhole writes a file that is there whole or not at all.
func writeWhole(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Chmod(0o644)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// watcher is a core.Watcher.
type watcher interface {
	End() []*explanation
	Change(op core.Op, ordinal int, c explain.Change) error
}

// watch is core.Device.Watch; tests have another.
func watch(d *core.Device, at []core.WatchPoint) (watcher, error) {
	w, err := d.Watch("explanation", at)
	if err != nil {
		return nil, err // no watcher, and not one that is nil
	}
	return w, nil
}
