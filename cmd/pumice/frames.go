package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/internal/input"
)

func framesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "frames",
		Short: "Check sequences of frames that several processes have drawn",
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o framesVerify
	verify := &cobra.Command{
		Use:   "verify DIR|PATTERN",
		Short: "Say whether a sequence is complete and of one size, and list its hashes",
		Long: "verify reads every frame of a sequence: files such as frame-0017.png, named by a pattern as\n" +
			"render's -o, or a folder that has one sequence. It prints a line for each as sha256sum does,\n" +
			"in the order of frames, so that two runs are compared by diff. Frames that are missing, cannot be\n" +
			"decoded, or have another size than the first are told, and the exit code is then 1. EXR and\n" +
			"raw frames are hashed, not decoded.",
		Example: `  pumice frames verify out --frames 120
  pumice frames verify 'out/frame-%04d.png' --frames 120 --json`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := inRange("--frames", o.frames, 0, 1_000_000); err != nil {
				return err
			}
			w, err := o.begin(cmd.Context(), 0)
			if err != nil {
				return err
			}
			return w.end(o.run(w, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr()))
		},
	}
	verify.Flags().IntVar(&o.frames, "frames", 0, "how many there are to be, from 0 on (default: up to the last one there is)")
	verify.Flags().BoolVar(&o.json, "json", false, "print a report as JSON")
	o.limits.add(verify)
	cmd.AddCommand(verify)
	return cmd
}

// framesVerify are the flags of pumice frames verify.
type framesVerify struct {
	frames int
	json   bool
	limits
}

// verifiedFrame is a frame of the report.
type verifiedFrame struct {
	Frame  int    `json:"frame"`
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Of frames that were decoded.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// verifiedSequence is what --json prints.
type verifiedSequence struct {
	Complete bool            `json:"complete"` // all there, all whole, one size
	Frames   []verifiedFrame `json:"frames"`
	Missing  []int           `json:"missing"`
	Problems []string        `json:"problems"`
}

func (o *framesVerify) run(w *work, where string, stdout, stderr io.Writer) error {
	w.doing = "listing the frames of " + where
	file, last, err := findFrames(where)
	if err != nil {
		return err
	}
	count := o.frames
	if count == 0 {
		count = last + 1
	}
	report := verifiedSequence{Frames: []verifiedFrame{}, Missing: []int{}, Problems: []string{}}
	problem := func(format string, args ...any) {
		report.Problems = append(report.Problems, fmt.Sprintf(format, args...))
	}
	var first *verifiedFrame
	for frame := range count {
		name := file(frame)
		w.doing = "reading " + name
		f, err := verifyFrame(w, frame, name)
		switch {
		case w.ctx.Err() != nil:
			return w.ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			report.Missing = append(report.Missing, frame)
			continue
		case err != nil:
			problem("%s", oneLine(err))
		case first == nil:
			first = &f
		case f.Width != first.Width || f.Height != first.Height:
			problem("%s: %d × %d pixels, %s has %d × %d", name, f.Width, f.Height, first.File, first.Width, first.Height)
		}
		if f.SHA256 != "" {
			report.Frames = append(report.Frames, f)
		}
	}
	if last >= count {
		problem("%s is there, --frames %d ends with %s", file(last), count, file(count-1))
	}
	report.Complete = len(report.Missing) == 0 && len(report.Problems) == 0 && len(report.Frames) > 0
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		if err := e.Encode(report); err != nil {
			return err
		}
	} else {
		for _, f := range report.Frames {
			fmt.Fprintf(stdout, "%s  %s\n", f.SHA256, f.File)
		}
		for _, p := range report.Problems {
			fmt.Fprintf(stderr, "pumice: %s\n", p)
		}
	}
	if report.Complete {
		return nil
	}
	text := fmt.Sprintf("%s: %d of %d frames are there and whole", where, len(report.Frames)-len(report.Problems), count)
	if len(report.Missing) > 0 {
		text += "; missing: " + ranges(report.Missing)
	}
	return errors.New(text)
}

// verifyFrame hashes a file and decodes it.
func verifyFrame(w *work, frame int, name string) (verifiedFrame, error) {
	f := verifiedFrame{Frame: frame, File: filepath.ToSlash(name)}
	info, err := os.Stat(name)
	if err != nil {
		return f, err
	}
	if !info.Mode().IsRegular() {
		return f, fmt.Errorf("%s: not a regular file", name)
	}
	in, err := os.Open(name)
	if err != nil {
		return f, fmt.Errorf("%s: %w", name, cause(err))
	}
	defer in.Close()
	hash := sha256.New()
	if f.Bytes, err = io.Copy(hash, input.Reader(w.ctx, in)); err != nil {
		return f, fmt.Errorf("%s: %w", name, cause(err))
	}
	f.SHA256 = hex.EncodeToString(hash.Sum(nil))
	if f.Bytes == 0 {
		return f, fmt.Errorf("%s: empty", name)
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".exr", ".rgba":
		return f, nil
	}
	img, err := imagefile.Open(w.ctx, name, imagefile.Options{Budget: w.budget})
	if err != nil {
		return f, err
	}
	f.Width, f.Height = img.Width, img.Height
	return f, nil
}

var numberedFile = regexp.MustCompile(`^(.*?)(\d{1,7})(\.[A-Za-z0-9]+)$`)

// findFrames returns how frames of a pattern, or of the one sequence in a folder, are named,
// and the last one there is.
func findFrames(where string) (file func(int) string, last int, err error) {
	info, err := os.Stat(where)
	if err == nil && !info.IsDir() {
		return nil, 0, usagef("%s is a file; name a folder, or a pattern such as frame-%%04d.png", where)
	}
	if err != nil {
		if !strings.Contains(where, "%") {
			return nil, 0, fmt.Errorf("%s: %w", where, cause(err))
		}
		if err := checkFramePattern(where); err != nil {
			return nil, 0, err
		}
		pattern := where
		file = func(n int) string { return framePath(pattern, n) }
		where = filepath.Dir(where)
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", where, cause(err))
	}
	last = -1
	kinds := map[[2]string]bool{}
	padded := 0 // digits of the shortest number: what %04d gives
	for _, entry := range entries {
		m := numberedFile.FindStringSubmatch(entry.Name())
		if m == nil || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		n, _ := strconv.Atoi(m[2]) // seven digits at most
		if file != nil {
			if file(n) == filepath.Join(where, entry.Name()) {
				last = max(last, n)
			}
			continue
		}
		kinds[[2]string{m[1], m[3]}] = true
		last = max(last, n)
		if padded == 0 || len(m[2]) < padded {
			padded = len(m[2])
		}
	}
	switch {
	case file != nil:
		return file, last, nil
	case len(kinds) == 0:
		return nil, 0, fmt.Errorf("%s: no numbered frames", where)
	case len(kinds) > 1:
		var list []string
		for k := range kinds {
			list = append(list, k[0]+"N"+k[1])
		}
		slices.Sort(list)
		return nil, 0, fmt.Errorf("%s: several sequences (%s); name one by its pattern", where, strings.Join(list, ", "))
	}
	for k := range kinds {
		file = func(n int) string { return filepath.Join(where, fmt.Sprintf("%s%0*d%s", k[0], padded, n, k[1])) }
	}
	return file, last, nil
}

// ranges writes rising numbers short: 1, 4-7, 9; many are cut.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	const most = 20
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	return strings.Join(parts, ", ")
}
