package gltf

import "fmt"

// loadVariants reads KHR_materials_variants' names.
func (l *loader) loadVariants() error {
	var body struct{ Variants []struct{ Name string } }
	if found, err := l.extension(l.root, "KHR_materials_variants", "", &body); err != nil || !found {
		return err
	}
	if err := l.take(int64(len(body.Variants)), sizeOf[string]()); err != nil {
		return l.fail("extensions.KHR_materials_variants", err, "")
	}
	for _, v := range body.Variants {
		l.doc.Variants = append(l.doc.Variants, v.Name)
	}
	return nil
}

// mappings reads a primitive's materials of variants.
func (l *loader) mappings(raw *rawPrimitive, p *Primitive, place string) error {
	const name = "KHR_materials_variants"
	var body struct {
		Mappings []struct {
			Material *integer
			Variants []integer
		}
	}
	if found, err := l.extension(raw.Extensions, name, place, &body); err != nil || !found {
		return err
	}
	place += ".extensions." + name
	if err := l.take(int64(len(body.Mappings)), sizeOf[VariantMapping]()); err != nil {
		return l.fail(place, err, "")
	}
	for i, m := range body.Mappings {
		at := fmt.Sprintf("%s.mappings[%d]", place, i)
		k := l.lostIndex(at+".material", m.Material, len(l.doc.Materials), "materials")
		if k == None {
			continue
		}
		mapping := VariantMapping{Material: l.doc.Materials[k]}
		if err := l.take(int64(len(m.Variants)), 8); err != nil {
			return l.fail(at, err, "")
		}
		for n, v := range m.Variants {
			if k := l.lostIndex(fmt.Sprintf("%s.variants[%d]", at, n), &v, len(l.doc.Variants), "variants"); k != None {
				mapping.Variants = append(mapping.Variants, k)
			}
		}
		p.Mappings = append(p.Mappings, mapping)
	}
	return nil
}
