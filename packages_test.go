package pumice_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/budget"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/explain/page"
	"github.com/pumice-gpu/pumice/golden"
	"github.com/pumice-gpu/pumice/imagefile"
	"github.com/pumice-gpu/pumice/scene"
)

// failing stands for the *testing.T of a test that fails.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper()                           {}
func (f *failing) Errorf(format string, args ...any) { f.said += fmt.Sprintf(format, args...) }
func (f *failing) Context() context.Context          { return ctx }
func (f *failing) Name() string                      { return "failing" }

// The packages beside this one take nil and zero values without a panic, too: with an error, or as nothing.
func TestAPI_OtherPackages_NothingPanics(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "") // what fails here is none of the run's failures
	dev := open(t, nil)
	var (
		s *scene.Scene
		f *imagefile.File
		b *budget.Budget
		p *explain.Primitive
	)
	second := func(_ any, err error) error { return err }
	for name, c := range map[string]struct {
		err  error
		want any // what errors.As takes, nil: any error
	}{
		"a nil scene":              {second(s.Run(ctx, dev)), new(*scene.Error)},
		"samples of a nil scene":   {second(s.Count(ctx, dev)), new(*scene.Error)},
		"picture of a nil scene":   {second(s.Picture(ctx, dev, 8)), new(*scene.Error)},
		"a scene on no device":     {second((&scene.Scene{}).Run(ctx, nil)), new(*pumice.Error)},
		"a zero scene":             {second((&scene.Scene{}).Run(ctx, dev)), new(*pumice.Error)},
		"an empty scene":           {second(scene.Parse(nil)), new(*scene.Error)},
		"a nil reader":             {second(imagefile.Decode(ctx, nil, imagefile.Options{})), new(*imagefile.Error)},
		"an empty file":            {second(imagefile.Decode(ctx, new(bytes.Buffer), imagefile.Options{})), new(*imagefile.Error)},
		"a nil file":               {second(f.Upload(dev)), new(*imagefile.Error)},
		"a zero file":              {second((&imagefile.File{}).Upload(dev)), new(*pumice.Error)},
		"a file without texels":    {second((&imagefile.File{Width: 4, Height: 4, Levels: 1, Layers: 1}).Upload(dev)), new(*pumice.Error)},
		"a file and no device":     {second((&imagefile.File{Width: 4, Height: 4, Levels: 1, Layers: 1}).Upload(nil)), new(*pumice.Error)},
		"no report":                {page.Write(new(bytes.Buffer), nil), nil},
		"a report without picture": {page.Write(new(bytes.Buffer), &page.Report{}), nil},
	} {
		if c.err == nil || c.want != nil && !errors.As(c.err, c.want) {
			t.Errorf("%s: %v, want %T", name, c.err, c.want)
		}
	}
	explain.Judge(nil)
	explain.Judge(&explain.Explanation{})
	var text bytes.Buffer
	if err := explain.WriteText(&text, nil, explain.TextOptions{}); err != nil || text.Len() > 0 {
		t.Errorf("no explanation is %q, %v", text.String(), err)
	}
	if s.Caption() != "" || f.Level(0, 0) != nil || (&imagefile.File{Levels: 1, Layers: 1}).Level(0, 0) != nil || f.ImageDesc() != (pumice.ImageDesc{}) || p.String() == "" {
		t.Error("nil says something")
	}
	b.Give(1)
	b.Drop(1)
	if err := errors.Join(b.Take(1<<60), b.Fits(1)); err != nil || b.Limit() != math.MaxInt64 || b.Raise() != "" || b.Used() != 0 || b.Peak() != 0 {
		t.Errorf("a nil budget has an end: %v", err)
	}
	for _, im := range []image.Image{nil, image.NewNRGBA(image.Rectangle{})} {
		if to := (&failing{TB: t}); golden.Compare(to, im, t.TempDir()+"/none.png", nil) || to.said == "" {
			t.Errorf("comparing %T: %q", im, to.said)
		}
	}
}
