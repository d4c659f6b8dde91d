// Command _bulk draws every glTF model below the folders, and prints a table of what is refused and
// what is told, by kind:
//
//	go run ./gltf/_bulk [-files] [-memory MiB] [-time 30s] FOLDER...
//
// It is for collections that are not part of the module: what their models break of glTF's rules says
// which faults people have.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

var (
	files  = flag.Bool("files", false, "name the models of each line, and not just the first")
	memory = flag.Int64("memory", 2048, "of a model and its picture, in MiB")
	limit  = flag.Duration("time", 30*time.Second, "give up a model after so long")
	assets = flag.String("assets", "", "folder in which files of the models may lie, too (gltf.Options.Assets)")
	size   = flag.Int("size", 64, "width and height of the pictures")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tally counts models by what is said of them.
type tally map[string][]string

func (t tally) add(line, model string) {
	if !slices.Contains(t[line], model) {
		t[line] = append(t[line], model)
	}
}

func run(ctx context.Context, folders []string) error {
	if len(folders) == 0 {
		return errors.New("name folders")
	}
	b := budget.New(*memory<<20, "-memory")
	dev, err := pumice.Open(&pumice.Config{Budget: b})
	if err != nil {
		return err
	}
	defer dev.Close()
	r, err := studio.New(ctx, dev)
	if err != nil {
		return err
	}
	refused, told := tally{}, tally{}
	drawn, whole := 0, 0
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return cmp.Or(err, ctx.Err())
			}
			if suffix := strings.ToLower(filepath.Ext(path)); e.IsDir() || suffix != ".gltf" && suffix != ".glb" {
				return nil
			}
			losses, err := draw(ctx, r, path)
			if err != nil {
				refused.add(kind(err.Error(), path), path)
				return nil
			}
			if drawn++; len(losses) == 0 {
				whole++
			}
			for _, line := range losses {
				told.add(kind(line, path), path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	total := drawn
	for _, models := range refused {
		total += len(models)
	}
	fmt.Printf("%d models: %d drawn, %d of them with nothing to tell; %d refused\n", total, drawn, whole, total-drawn)
	refused.print("refused, because")
	told.print("drawn, and told that")
	return nil
}

// draw draws a model and returns its losses.
func draw(ctx context.Context, r *studio.Renderer, path string) ([]string, error) {
	ctx, stop := context.WithTimeout(ctx, *limit)
	defer stop()
	doc, err := gltf.Load(ctx, path, &gltf.Options{Budget: r.Budget(), Assets: *assets})
	if err != nil {
		return nil, err
	}
	m, err := r.Load(ctx, doc)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	v := studio.ThumbnailView(*size)
	img, err := r.Render(ctx, m, v)
	if err != nil {
		return nil, err
	}
	losses := slices.Clone(doc.Losses)
	if studio.Blank(img) {
		why, err := r.Unseen(ctx, m, v)
		if err != nil {
			return nil, err
		}
		losses = append(losses, "nothing of the model is in the picture: "+cmp.Or(why, "it is too small, or of the background's colour"))
	}
	return losses, nil
}

var (
	quotes  = regexp.MustCompile(`"[^"]*"`)
	numbers = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)
	more    = regexp.MustCompile(` \(and \d+ more of the kind\)$`)
)

// kind is a message without what differs from model to model. Names of extensions stay.
func kind(line, path string) string {
	line = more.ReplaceAllString(strings.TrimPrefix(line, path+": "), "")
	line = quotes.ReplaceAllStringFunc(line, func(s string) string {
		if name := strings.Trim(s, `"`); name == strings.ToUpper(name) || strings.Contains(name, "_") && !strings.Contains(name, ".") {
			return s
		}
		return `"…"`
	})
	return numbers.ReplaceAllString(line, "N")
}

func (t tally) print(title string) {
	if len(t) == 0 {
		return
	}
	lines := make([]string, 0, len(t))
	for line := range t {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(len(t[b])-len(t[a]), strings.Compare(a, b)) })
	fmt.Printf("\n| models | %s | such as |\n|--:|---|---|\n", title)
	for _, line := range lines {
		models := t[line][:1]
		if *files {
			models = t[line]
		}
		fmt.Printf("| %d | %s | %s |\n", len(t[line]), strings.ReplaceAll(line, "|", `\|`), strings.Join(models, ", "))
	}
}
