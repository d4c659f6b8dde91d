package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// times are nanoseconds a unit of work.
type times struct{ wall, cpu float64 }

// client is a process that runs one state on one driver.
type client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	timer *time.Timer
}

// open starts the client; why says why the driver does not take the state.
func (o *options) open(manifest string, description []byte) (c *client, why string, err error) {
	threads := fmt.Sprint(o.threads)
	c = &client{cmd: exec.Command(o.program)}
	c.cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+manifest, "VK_ICD_FILENAMES="+manifest, "PUMICE_THREADS="+threads, "LP_NUM_THREADS="+threads, "MESA_SHADER_CACHE_DISABLE=true")
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, "", err
	}
	c.timer = time.AfterFunc(time.Minute, func() { _ = c.cmd.Process.Kill() })
	_, _ = c.in.Write(description) // a client that stops early says why
	line, err := c.out.ReadString('\n')
	if err == nil && line == "ok\n" {
		return c, "", nil
	}
	c.close()
	if line == "" {
		line = c.cmd.ProcessState.String()
	}
	return nil, strings.TrimSpace(line), nil
}

func (c *client) close() {
	c.timer.Stop()
	_ = c.in.Close()
	_ = c.cmd.Wait()
}

// ask sends a letter and reads the answer's line.
func (c *client) ask(letter string, v ...any) error {
	if _, err := io.WriteString(c.in, letter); err != nil {
		return err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("the client ended: %w", err)
	}
	_, err = fmt.Sscan(line, v...)
	return err
}

// round measures once more and keeps the best.
func (c *client) round(best *times, units float64) error {
	var t times
	if err := c.ask("m", &t.wall, &t.cpu); err != nil {
		return err
	}
	best.wall, best.cpu = min(best.wall, t.wall/units), min(best.cpu, t.cpu/units)
	return nil
}

// picture is all that a repetition left.
func (c *client) picture() ([]byte, error) {
	var n int
	if err := c.ask("p", &n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	_, err := io.ReadFull(c.out, b)
	return b, err
}

// measure runs a state on both drivers in turn, and says whether both take it.
func (o *options) measure(x *result) (ok bool, err error) {
	description, err := x.describe()
	if err != nil {
		return false, err
	}
	if o.keep != "" {
		name := filepath.Join(o.keep, fmt.Sprint(x.number))
		err = errors.Join(os.WriteFile(name+".state", description, 0o666), os.WriteFile(name+".txt", []byte(x.name+"\n"+x.vertex+x.fragment), 0o666))
		if err != nil {
			return false, err
		}
	}
	manifests := []string{o.driver}
	if o.beside != "" {
		manifests = append(manifests, o.beside)
	}
	var clients []*client
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	for _, m := range manifests {
		c, why, err := o.open(m, description)
		if err != nil {
			return false, err
		}
		if why != "" {
			if !strings.HasPrefix(why, "unsupported") {
				log.Printf("state %d, %s, %s on %s: %s", x.number, x.class, x.name, filepath.Base(m), why)
			}
			return false, nil
		}
		clients = append(clients, c)
	}
	best := []times{{math.Inf(1), math.Inf(1)}, {math.Inf(1), math.Inf(1)}}
	for range o.rounds {
		for i, c := range clients {
			if err := c.round(&best[i], x.units); err != nil {
				return false, err
			}
		}
	}
	x.ours, x.peer = best[0], best[1]
	if o.beside == "" {
		x.peer = x.ours
		return true, nil
	}
	var pictures [2][]byte
	for i, c := range clients {
		if pictures[i], err = c.picture(); err != nil {
			return false, err
		}
	}
	x.differ, x.meanOff = x.compare(pictures[0], pictures[1])
	return true, nil
}

// describe is the state as client.c reads it.
func (x *state) describe() ([]byte, error) {
	vertex, fragment := "vert", "frag"
	if x.Compute != 0 {
		vertex = "comp"
	}
	v, err := compile(vertex, x.vertex)
	if err != nil {
		return nil, err
	}
	f, err := compile(fragment, x.fragment)
	if err != nil {
		return nil, err
	}
	x.VertexBytes, x.FragmentBytes, x.DataBytes, x.IndexBytes, x.TextureBytes = uint32(len(v)), uint32(len(f)), uint32(len(x.data)), uint32(4*len(x.indices)), uint32(len(x.texels))
	x.Indices = uint32(len(x.indices))
	var b bytes.Buffer
	for _, part := range []any{&x.State, v, f, x.data, x.indices, x.texels} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// compile makes SPIR-V of GLSL.
func compile(stage, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	f, err := os.CreateTemp("", "sweep")
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	defer func() { _ = os.Remove(f.Name()) }()
	cmd := exec.Command("glslangValidator", "--quiet", "--stdin", "-S", stage, "-V", "--target-env", "vulkan1.1", "-o", f.Name())
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s\n%s", err, out, text)
	}
	return os.ReadFile(f.Name())
}
