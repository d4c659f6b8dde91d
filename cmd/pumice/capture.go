package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// capture is what the blocks of a file of gfxreconstruct tell. Frames have the numbers
// that they had in the program, from 1 on; those of a capture are frames first to last.
type capture struct {
	path        string
	first, last int
	whole       int64 // where the last whole block ends
	cut         bool  // the file goes on behind it
}

// The parts of gfxreconstruct's format that are looked at: a header with options of two
// words, then blocks, each with its size and type in front.
const (
	captureMagic     = "GFXR"
	captureHeader    = 16 // magic, major and minor version, number of options
	captureOptions   = 64 // more than any version has
	blockHeader      = 12
	blockCompressed  = 1 << 31
	blockStateMarker = 2 // the begin (1) or end (2) of what frames before the first have left
	blockCall        = 4
	blockTypes       = 64 // more than any version has
	callUnpacked     = 12 // where a packed call says how large its arguments are: behind its number and thread
	mostUnpacked     = 1 << 30
	callPresent      = 0x110ae
)

// frames says which frames a capture has.
func (c *capture) frames() string {
	if c.first == c.last {
		return fmt.Sprintf("frame %d alone", c.first)
	}
	return fmt.Sprintf("frames %d to %d", c.first, c.last)
}

// openCapture is readCapture for a file that is to be replayed: it is whole, and has frames.
func openCapture(ctx context.Context, path string) (*capture, error) {
	c, err := readCapture(ctx, path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	case c.cut:
		return nil, fmt.Errorf("%s: cut off or damaged: the file ends before the block at byte %d, in frame %d, does", path, c.whole, c.last+1)
	case c.last < c.first:
		return nil, fmt.Errorf("%s: no frame: the program presented nothing", path)
	}
	return c, nil
}

// readCapture walks over the blocks of a capture.
func readCapture(ctx context.Context, path string) (*capture, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	c := &capture{path: path, first: 1}
	var head [captureHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || string(head[:4]) != captureMagic {
		return nil, errors.New("not a capture of gfxreconstruct")
	}
	options := binary.LittleEndian.Uint32(head[12:])
	if options > captureOptions {
		return nil, fmt.Errorf("not a capture of gfxreconstruct: %d options", options)
	}
	if n, err := in.Discard(int(options) * 8); err != nil {
		return nil, fmt.Errorf("cut off in the header, after %d bytes", captureHeader+n)
	}
	c.whole = captureHeader + int64(options)*8
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := c.block(in)
		if err != nil || !more {
			return c, err
		}
	}
}

// block reads one block; more says that there was one, whole.
func (c *capture) block(in *bufio.Reader) (more bool, err error) {
	head, err := in.Peek(blockHeader)
	if err != nil {
		c.cut = len(head) > 0
		return false, nonEOF(err)
	}
	size, kind := binary.LittleEndian.Uint64(head), binary.LittleEndian.Uint32(head[8:])
	packed := kind&blockCompressed != 0
	kind &^= blockCompressed
	if kind == 0 || kind >= blockTypes {
		return false, fmt.Errorf("damaged: no block begins at byte %d", c.whole)
	}
	const room = 1 << 40 // of no block; it keeps sums from overflowing
	body, err := in.Peek(blockHeader + int(min(size, callUnpacked+8)))
	if err == nil && size < room {
		body = append([]byte(nil), body[blockHeader:]...)
		if packed && kind == blockCall && len(body) == callUnpacked+8 && binary.LittleEndian.Uint64(body[callUnpacked:]) > mostUnpacked {
			// gfxrecon-replay takes memory for it before it looks whether there is so much.
			return false, fmt.Errorf("damaged: the call at byte %d asks for %d bytes of arguments", c.whole, binary.LittleEndian.Uint64(body[callUnpacked:]))
		}
		if err = discard(in, blockHeader+int64(size)); err == nil {
			c.note(kind, body)
			c.whole += blockHeader + int64(size)
			return true, nil
		}
	}
	c.cut = true
	return false, nonEOF(err)
}

// note takes in the beginning of a whole block.
func (c *capture) note(kind uint32, body []byte) {
	word := func(n int) uint32 {
		if len(body) < n*4+4 {
			return 0
		}
		return binary.LittleEndian.Uint32(body[n*4:])
	}
	switch {
	case kind == blockCall && word(0) == callPresent:
		c.last++
	case kind == blockStateMarker && word(0) == 2 && int32(word(1)) > 0:
		c.first, c.last = int(word(1)), int(word(1))-1
	}
}

func discard(in *bufio.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, in, n)
	return err
}

// nonEOF is err, unless it only says that the file has ended.
func nonEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// parseFrames reads "a-b" or "a", frames from 1 on; what comes back is as gfxreconstruct wants it.
func parseFrames(flag, s string) (string, error) {
	from, to, several := strings.Cut(s, "-")
	if !several {
		to = from
	}
	a, err1 := strconv.Atoi(from)
	b, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || a < 1 || b < a {
		return "", usagef("%s %q: want a-b with 1 ≤ a ≤ b", flag, s)
	}
	return fmt.Sprintf("%d-%d", a, b), nil
}

// captureLayer is gfxreconstruct's layer, capturePackage the package that brings it.
const (
	captureLayer   = "VK_LAYER_LUNARG_gfxreconstruct"
	capturePackage = "gfxreconstruct"
)

// findLayer looks where the loader looks for explicit layers, and returns the version of
// Vulkan that this one was written for.
func findLayer(layer string) (version string, ok bool) {
	folders := append(filepath.SplitList(os.Getenv("VK_LAYER_PATH")), filepath.SplitList(os.Getenv("VK_ADD_LAYER_PATH"))...)
	if os.Getenv("VK_LAYER_PATH") == "" {
		list := func(variable, otherwise string) []string {
			if v := os.Getenv(variable); v != "" {
				return filepath.SplitList(v)
			}
			return filepath.SplitList(otherwise)
		}
		home := os.Getenv("HOME")
		for _, base := range append(append(list("XDG_CONFIG_HOME", filepath.Join(home, ".config")), list("XDG_CONFIG_DIRS", "/etc/xdg")...),
			append(append(list("XDG_DATA_HOME", filepath.Join(home, ".local", "share")), "/etc"), list("XDG_DATA_DIRS", "/usr/local/share:/usr/share")...)...) {
			folders = append(folders, filepath.Join(base, "vulkan", "explicit_layer.d"))
		}
	}
	for _, folder := range folders {
		files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
		for _, file := range files {
			var manifest struct {
				Layer struct {
					Name    string
					Version string `json:"api_version"`
				}
			}
			if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &manifest) == nil && manifest.Layer.Name == layer {
				return manifest.Layer.Version, true
			}
		}
	}
	return "", false
}

// captureEnvironment is env for a program that the layer captures into folder.
func captureEnvironment(env []string, folder, frames string) []string {
	out, layers, log := []string(nil), captureLayer, false
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "VK_INSTANCE_LAYERS" && value != "":
			layers += ":" + value
		case strings.HasPrefix(name, "GFXRECON_CAPTURE_FILE"), strings.HasPrefix(name, "GFXRECON_CAPTURE_TRIGGER"), name == "GFXRECON_CAPTURE_FRAMES", name == "VK_INSTANCE_LAYERS":
		default:
			log = log || name == "GFXRECON_LOG_LEVEL"
			out = append(out, v)
		}
	}
	out = append(out, "VK_INSTANCE_LAYERS="+layers, "GFXRECON_CAPTURE_FILE="+filepath.Join(folder, "capture.gfxr"), "GFXRECON_CAPTURE_FILE_TIMESTAMP=false",
		"GFXRECON_CAPTURE_FILE_FLUSH=true") // so that a program that is killed, or crashes, leaves what it has done
	if frames != "" {
		out = append(out, "GFXRECON_CAPTURE_FRAMES="+frames)
	}
	if !log {
		out = append(out, "GFXRECON_LOG_LEVEL=error") // the program's output is the program's
	}
	return out
}

// captured moves the capture in folder to its place. One that was cut off, because the
// program was killed, loses its last block.
func captured(ctx context.Context, folder, path, frames string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.gfxr"))
	if err != nil {
		return err
	}
	if len(files) != 1 {
		why := "the program made no Vulkan instance"
		if frames != "" {
			why += ", or did not come to frame " + frames[:strings.IndexByte(frames, '-')]
		}
		return fmt.Errorf("%s: no capture: %s", path, why)
	}
	c, err := readCapture(ctx, files[0])
	if err != nil {
		return fmt.Errorf("%s: no capture: %w", path, err)
	}
	if c.last < c.first {
		return fmt.Errorf("%s: no capture: the program presented no frame", path)
	}
	if c.cut {
		if err := os.Truncate(files[0], c.whole); err != nil {
			return fmt.Errorf("%s: %w", path, cause(err))
		}
	}
	if err := os.Rename(files[0], path); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}
