package main

import (
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/explain"
	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// modelExplainer draws a model's picture again and again and explains samples of it. What that
// takes is made when it is asked first.
type modelExplainer struct {
	job      job
	errs     io.Writer // for what the picture lacks; nil: nowhere
	dev      *pumice.Device
	renderer *studio.Renderer
	model    *studio.Model
	told     bool // that nothing of the model is in the picture
}

// open makes device, studio and model.
func (m *modelExplainer) open(w *work) error {
	doc, err := m.job.load(w)
	if err != nil {
		return err
	}
	if err := m.job.check(doc); err != nil {
		return err
	}
	dev, err := pumice.Open(&pumice.Config{Engine: m.job.engine, Threads: m.job.threads, Budget: w.budget, Explain: true})
	if err != nil {
		if errors.Is(err, pumice.ErrUnsupported) {
			return usageError{err} // an engine that does not exist
		}
		return err
	}
	w.doing = fmt.Sprintf("decoding %d images and uploading %d meshes of %s", len(doc.Images), len(doc.Meshes), doc.File)
	var lit []string // warnings of the light's file
	renderer, err := studio.New(w.ctx, dev)
	if err == nil {
		lit, _, err = m.job.surroundings.open(w, renderer, m.job.strict)
	}
	if err == nil {
		m.model, err = renderer.Load(w.ctx, doc)
	}
	if err == nil {
		err = m.job.checkLosses(doc) // of images that could not be decoded
	}
	if err != nil {
		return errors.Join(err, dev.Close())
	}
	m.dev, m.renderer = dev, renderer
	if m.errs != nil {
		for _, warning := range slices.Concat(doc.Warnings, lit) {
			fmt.Fprintf(m.errs, "pumice: warning: %s\n", warning)
		}
	}
	return nil
}

// close gives back what open has made.
func (m *modelExplainer) close() {
	if m.renderer == nil {
		return
	}
	m.model.Close()
	_ = m.dev.Close() // a device that was lost says so when it is used
	m.renderer = nil
}

// draw draws the picture and explains points of it; a negative sample stands for the pixel and all its samples.
func (m *modelExplainer) draw(w *work, points []point) (image.Image, []*explain.Explanation, error) {
	if m.renderer == nil {
		if err := m.open(w); err != nil {
			return nil, nil, err
		}
	}
	at := studioPoints(points)
	w.doing = fmt.Sprintf("drawing %s and explaining %d pixels of it", m.model.Document().File, len(points))
	v := m.job.view(m.model.Document(), 0, nil)
	img, told, err := m.renderer.Explain(w.ctx, m.model, v, at...)
	if err != nil {
		return nil, nil, err
	}
	blanks := blanks{strict: m.job.strict}
	if err := blanks.look(w.ctx, m.renderer, m.model, v, picture{finished: img, pass: v.Pass != studio.PassPicture}); err != nil {
		return nil, nil, err
	}
	if blanks.blank > 0 && !m.told && m.errs != nil {
		m.told = true
		fmt.Fprintf(m.errs, "pumice: warning: %s: nothing of the model is in the picture: %s\n", m.model.Document().File, blanks.why)
	}
	return img, told, nil
}

// try explains points of the picture with the change of a hint.
func (m *modelExplainer) try(w *work, points []point, h *explain.Hint) ([]*explain.Explanation, error) {
	v := m.job.view(m.model.Document(), 0, nil)
	_, es, err := m.renderer.Try(w.ctx, m.model, v, h, studioPoints(points)...)
	return es, err
}

func studioPoints(points []point) []studio.Point {
	at := make([]studio.Point, len(points))
	for i, p := range points {
		at[i] = studio.Point{X: p.x, Y: p.y, Sample: p.sample, Shader: p.shader, Quad: p.shader}
	}
	return at
}

// view is what is drawn of the model in a frame of the sequence.
func (j *job) view(doc *gltf.Document, frame int, around []*gltf.Pose) studio.View {
	v := studio.View{
		Width: j.width, Height: j.height, Samples: j.samples,
		Variant:    j.variant,
		Time:       j.moment + float64(frame)/j.fps,
		Camera:     j.look(doc),
		Background: j.background,
	}
	v.Camera.Around = around
	if j.turns {
		v.Camera.Turning = true
		v.Camera.Yaw += 360 * float64(frame) / float64(j.frames)
	}
	j.surround(&v)
	j.applyLook(&v)
	if j.animation >= 0 {
		v.Animation = &doc.Animations[j.animation]
	}
	return v
}
