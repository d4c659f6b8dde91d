package gltf

import (
	"fmt"
	"slices"
	"strings"
)

// textureSources are the extensions that give a texture another image, which is preferred to its own, the best first.
var textureSources = [...]string{"KHR_texture_ktx", "KHR_texture_basisu", "EXT_texture_webp", "MSFT_texture_dds"}

// textureSource is an image that a texture names.
type textureSource struct {
	place string
	image int
	err   error // there is no such image
}

// loadTextures lists images and textures. An image is read when a material uses a texture of it:
// others may belong to an extension, or to nothing.
func (l *loader) loadTextures() (err error) {
	if l.images, l.wrongImages, err = looseList[rawImage](l, "images"); err != nil {
		return err
	}
	if l.textures, err = topList[rawTexture](l, "textures"); err != nil {
		return err
	}
	named := make([]bool, len(l.images))
	l.sources, l.resolved, l.why = make([][]textureSource, len(l.textures)), make([]bool, len(l.textures)), make([]string, len(l.textures))
	for i := range l.textures {
		raw := &l.textures[i]
		if l.sources[i], err = l.textureSources(i, raw); err != nil {
			return err
		}
		for _, s := range l.sources[i] {
			if s.image != None {
				named[s.image] = true
			}
		}
		t := &Texture{Name: raw.Name, Index: i, Sampler: defaultSampler()}
		if s := l.lostIndex(fmt.Sprintf("textures[%d].sampler", i), raw.Sampler, len(l.samplers), "samplers"); s != None {
			t.Sampler = l.samplers[s]
		}
		l.doc.Textures = append(l.doc.Textures, t)
	}
	for i := range l.images {
		img := &Image{Name: l.images[i].Name, Index: i, budget: l.budget, file: l.file}
		if img.unusable = "was not read, because textures that name it have a better one"; !named[i] {
			img.unusable = "was not read, because no texture uses it"
			l.warn(fmt.Sprintf("images[%d]", i), "no texture uses it")
		}
		l.doc.Images = append(l.doc.Images, img)
	}
	return nil
}

// lostUse is a material's use of a texture that has no image.
type lostUse struct{ material, texture int }

// useMaterials notes that primitives are drawn with the materials of one.
func (l *loader) useMaterials(p *Primitive) {
	l.drawn[p.Material] = true
	for _, m := range p.Mappings {
		l.drawn[m.Material] = true
	}
}

// loadUnusedTextures tells which textures are lost of the materials that are drawn with, and reads
// those that no material uses, for who looks at the document.
func (l *loader) loadUnusedTextures() error {
	seen := map[int]bool{}
	for _, u := range l.lostUses {
		if l.drawn[l.doc.Materials[u.material]] && !seen[u.texture] {
			seen[u.texture] = true
			l.lose(fmt.Sprintf("textures[%d]", u.texture), lostTexture, l.why[u.texture])
		}
	}
	for i := range l.doc.Textures {
		if err := l.textureImage(i); err != nil {
			if l.ctx.Err() != nil {
				return err
			}
			l.why[i] = here(err) // too large
		}
		if l.doc.Textures[i].Image == nil && !seen[i] {
			l.warn(fmt.Sprintf("textures[%d]", i), "nothing is drawn with it, and it has no image: %s", l.why[i])
		}
	}
	return nil
}

// textureSources lists the images that a texture names, the preferred one first.
func (l *loader) textureSources(i int, raw *rawTexture) ([]textureSource, error) {
	var list []textureSource
	add := func(place string, source *integer) {
		if source != nil {
			n, err := l.inRange(place, *source, len(l.images), "images")
			list = append(list, textureSource{place, n, err})
		}
	}
	place := fmt.Sprintf("textures[%d]", i)
	for _, name := range textureSources {
		var x struct{ Source *integer }
		if _, err := l.extension(raw.Extensions, name, place, &x); err != nil {
			return nil, err
		}
		add(place+".extensions."+name+".source", x.Source)
	}
	add(place+".source", raw.Source)
	return list, nil
}

// textureImage finds a texture's image: the first source that can be had. It has none where there is
// none of them, and why says why.
func (l *loader) textureImage(i int) error {
	if l.resolved[i] {
		return nil
	}
	l.resolved[i] = true
	t, sources := l.doc.Textures[i], l.sources[i]
	for n, s := range sources {
		err := s.err
		if err == nil {
			known := false
			if err, known = l.read[s.image]; !known && l.wrongImages[s.image] != nil {
				err = l.wrongImages[s.image]
			} else if !known {
				err = l.readImage(&l.images[s.image], l.doc.Images[s.image])
				l.read[s.image] = err
			}
		}
		switch {
		case err == nil:
			t.Image = l.doc.Images[s.image]
			return nil
		case l.fatal(err):
			return err
		case n+1 < len(sources):
			l.warn(s.place, "images[%d] is used instead: %v", sources[n+1].image, here(err))
		default:
			l.why[i] = here(err)
		}
	}
	raw := &l.textures[i]
	switch {
	case len(sources) > 0:
	case len(raw.Extensions) > 0:
		l.why[i] = fmt.Sprintf("it has no source but that of %s, which is not supported", quoted(strings.Join(sortedKeys(raw.Extensions), ", ")))
	default:
		l.why[i] = "source is missing"
	}
	return nil
}

// readImage gets an image's bytes and checks its header.
func (l *loader) readImage(raw *rawImage, img *Image) error {
	place := fmt.Sprintf("images[%d]", img.Index)
	switch {
	case raw.URI != nil && raw.BufferView == nil:
		data, err := l.resource(*raw.URI, -1, place+".uri")
		if err != nil {
			return err
		}
		img.encoded = data
		if len(*raw.URI) < 5 || (*raw.URI)[:5] != "data:" {
			img.URI = *raw.URI
		}
	default:
		if raw.URI != nil {
			l.lose(place, "has both uri and bufferView, which was taken")
		}
		_, data, err := l.viewData(place+".bufferView", raw.BufferView)
		if err != nil {
			return err
		}
		img.encoded, l.pinned = data, true
	}
	if err := img.inspect(); err != nil {
		img.encoded, img.unusable = nil, "was not read: "+here(err)
		return err
	}
	img.unusable = ""
	for _, w := range img.warnings {
		if slices.Contains(img.losses, w) {
			l.lose(place, "%s", w)
			continue
		}
		l.warn(place, "%s", w)
	}
	return nil
}
