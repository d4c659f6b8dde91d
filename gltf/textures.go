package gltf

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// textureSources are the extensions that give a texture another image, which is preferred to its own, the best first.
var textureSources = [...]string{"KHR_texture_basisu", "EXT_texture_webp", "MSFT_texture_dds"}

// textureSource is an image that a texture names.
type textureSource struct {
	place string
	image int
}

// loadTextures resolves images and textures. Only images that a texture takes must be usable: others may belong to an extension.
func (l *loader) loadTextures() error {
	rawImages, err := topList[rawImage](l, "images")
	if err != nil {
		return err
	}
	raws, err := topList[rawTexture](l, "textures")
	if err != nil {
		return err
	}
	named := make([]bool, len(rawImages))
	sources := make([][]textureSource, len(raws))
	for i := range raws {
		if sources[i], err = l.textureSources(i, &raws[i], len(rawImages)); err != nil {
			return err
		}
		for _, s := range sources[i] {
			named[s.image] = true
		}
	}
	for i := range rawImages {
		img := &Image{Name: rawImages[i].Name, Index: i, budget: l.budget, file: l.file}
		if img.unusable = "was not read, because textures that name it have a better one"; !named[i] {
			img.unusable = "was not read, because no texture uses it"
			l.warn(fmt.Sprintf("images[%d]", i), "no texture uses it")
		}
		l.doc.Images = append(l.doc.Images, img)
	}
	read := map[int]error{} // by image
	for i := range raws {
		place := fmt.Sprintf("textures[%d]", i)
		t := &Texture{Name: raws[i].Name, Index: i, Sampler: defaultSampler()}
		if s, err := l.index(place+".sampler", raws[i].Sampler, len(l.samplers), "samplers"); err != nil {
			return err
		} else if s != None {
			t.Sampler = l.samplers[s]
		}
		if t.Image, err = l.textureImage(place, &raws[i], rawImages, sources[i], read); err != nil {
			return err
		}
		l.doc.Textures = append(l.doc.Textures, t)
	}
	return nil
}

// textureSources lists the images that a texture names, the preferred one first.
func (l *loader) textureSources(i int, raw *rawTexture, images int) ([]textureSource, error) {
	var list []textureSource
	add := func(place string, source *integer) error {
		n, err := l.index(place, source, images, "images")
		if err == nil && n != None {
			list = append(list, textureSource{place, n})
		}
		return err
	}
	place := fmt.Sprintf("textures[%d]", i)
	for _, name := range textureSources {
		var x struct{ Source *integer }
		if _, err := l.extension(raw.Extensions, name, place, &x); err != nil {
			return nil, err
		}
		if err := add(place+".extensions."+name+".source", x.Source); err != nil {
			return nil, err
		}
	}
	return list, add(place+".source", raw.Source)
}

// textureImage reads the first source of a texture that can be had; nil where the texture is lost. What is wrong with the only
// source, or with the last one, is an error, unless its kind is not supported.
func (l *loader) textureImage(place string, raw *rawTexture, images []rawImage, sources []textureSource, read map[int]error) (*Image, error) {
	for n, s := range sources {
		err, known := read[s.image]
		if !known {
			err = l.readImage(&images[s.image], l.doc.Images[s.image])
			read[s.image] = err
		}
		var kind unsupported
		switch {
		case err == nil:
			return l.doc.Images[s.image], nil
		case l.ctx.Err() != nil:
			return nil, err
		case n+1 < len(sources):
			l.warn(s.place, "images[%d] is used instead: %v", sources[n+1].image, l.bare(err))
		case errors.As(err, &kind):
			l.loseTexture(place, l.bare(err))
		default:
			return nil, err
		}
	}
	switch {
	case len(sources) > 0:
	case len(raw.Extensions) > 0:
		l.loseTexture(place, fmt.Sprintf("it has no source but that of %s, which is not supported", quoted(strings.Join(sortedKeys(raw.Extensions), ", "))))
	default:
		l.loseTexture(place, "source is missing")
	}
	return nil, nil
}

// loseTexture tells that a texture cannot be had; materials do without it.
func (l *loader) loseTexture(place, why string) {
	l.lose(place, "the texture is lost: %s", why)
}

// bare returns an error's text without the model's name, which stands before it already.
func (l *loader) bare(err error) string { return strings.TrimPrefix(err.Error(), l.file+": ") }

// readImage gets an image's bytes and checks its header.
func (l *loader) readImage(raw *rawImage, img *Image) error {
	place := fmt.Sprintf("images[%d]", img.Index)
	switch {
	case raw.URI != nil && raw.BufferView != nil:
		return l.fail(place, nil, "has both uri and bufferView")
	case raw.URI != nil:
		data, err := l.resource(*raw.URI, -1, place+".uri")
		if err != nil {
			return err
		}
		img.encoded = data
		if len(*raw.URI) < 5 || (*raw.URI)[:5] != "data:" {
			img.URI = *raw.URI
		}
	default:
		v, err := l.required(place+".bufferView", raw.BufferView, len(l.views), "buffer views")
		if err != nil {
			return err
		}
		img.encoded, l.pinned = l.views[v].data, true
	}
	if err := img.inspect(); err != nil {
		img.encoded, img.unusable = nil, "was not read: "+l.bare(err)
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
