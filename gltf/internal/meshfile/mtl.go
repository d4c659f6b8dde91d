package meshfile

import (
	"math"
	"strconv"
	"strings"
)

// Use is what a material's map is for.
type Use uint8

const (
	MapColor     Use = iota // map_Kd: sRGB
	MapAlpha                // map_d
	MapBump                 // map_Bump: heights, or normals, as the picture looks
	MapNormal               // norm: normals
	MapEmissive             // map_Ke: sRGB
	MapSpecular             // map_Ks: sRGB
	MapRoughness            // map_Pr
	MapMetallic             // map_Pm
	MapUses
)

// Material is one of a library, in glTF's terms. Colours are linear.
type Material struct {
	Name             string
	Color            [3]float32 // Kd
	Alpha            float32    // d
	Emissive         [3]float32 // Ke, 0 … 1
	EmissiveStrength float32
	Roughness        float32 // Pr, or of Ks and Ns
	Metallic         float32 // Pm
	Coat             float32 // Pc
	CoatRoughness    float32 // Pcr
	Maps             [MapUses]*Map
}

// Map is a picture that a material uses.
type Map struct {
	Place string // file and line
	File  string
	// Coordinates are scaled, then moved: -s and -o, turned to v that points down.
	Scale, Offset [2]float32
	Clamp         bool
	Bump          float32 // -bm
	Channel       byte    // -imfchan: r, g, b, m, l or z; 0: not said
}

// mtlMaterial is a material while its statements are read.
type mtlMaterial struct {
	*Material
	place              string // of its newmtl
	specular           [3]float32
	exponent           float32
	illum              int
	rough, hasSpecular bool // Pr, Ks were there
	hasColor           bool // Kd was there
	dissolved          bool // d was there, which counts for more than Tr: programs do not agree on that
}

// readMTL reads a material library into have. Of materials of one name the last counts.
func readMTL(r *Reader, data []byte, file string, have map[string]*Material) error {
	if form := otherEncoding(data); form != "" {
		r.note(true, "library "+file, file, "", "the text is %s and was not read; save it as UTF-8", form)
		return nil
	}
	l := newLines(r, data)
	var m *mtlMaterial
	for {
		line, ok, err := l.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		word, rest := field(line)
		if len(word) == 0 || word[0] == '#' {
			continue
		}
		if equalFold(word, "newmtl") {
			m.close(r)
			const each = 400 // of the material and where it is listed
			if err := r.take(int64(each+len(rest)), 1, "a material"); err != nil {
				return err
			}
			m = &mtlMaterial{Material: &Material{
				Name: name(rest), Color: [3]float32{defaultColor, defaultColor, defaultColor}, Alpha: 1, EmissiveStrength: 1,
			}, illum: 2, place: file + ": " + l.place()}
			have[m.Name] = m.Material
			continue
		}
		if m == nil {
			r.note(false, "outside "+file, file+": "+l.place(), "lines", "stands before the first newmtl and was passed over")
			continue
		}
		if err := m.statement(r, strings.ToLower(string(word)), rest, file+": "+l.place()); err != nil {
			return err
		}
	}
	m.close(r)
	r.Drop(int64(cap(l.joined)))
	return nil
}

// Linear greys: Kd where a material has none, and what has no material at all, which is darker, so that the studio's light shows its form.
const (
	defaultColor = 0.6038274 // 0.8 in sRGB
	plainColor   = 0.3185468 // 0.6 in sRGB
)

// Plain returns what geometry without a material is made of: grey, or white where vertices have colours.
func Plain(colored bool) Material {
	m := Material{Color: [3]float32{plainColor, plainColor, plainColor}, Alpha: 1, EmissiveStrength: 1, Roughness: 0.5}
	if colored {
		m.Color = [3]float32{1, 1, 1}
	}
	return m
}

func (m *mtlMaterial) statement(r *Reader, word string, rest []byte, place string) error {
	var n [3]float32
	switch word {
	case "kd":
		if c, ok := m.color(r, rest, place); ok {
			m.hasColor = true
			for k := range c {
				m.Color[k] = linear(c[k])
			}
		}
	case "ks":
		if c, ok := m.color(r, rest, place); ok {
			m.specular, m.hasSpecular = c, true
		}
	case "ke":
		if c, ok := m.color(r, rest, place); ok {
			m.emit(c)
		}
	case "ka":
		if c, ok := m.color(r, rest, place); ok && c != [3]float32{} {
			r.note(false, "Ka", place, "materials", "Ka is not used: what surrounds the model lights it")
		}
	case "ns":
		m.scalar(r, rest, place, "Ns", 0, math.MaxFloat32, &m.exponent)
	case "d":
		word, after := field(rest)
		if equalFold(word, "-halo") {
			r.note(true, "halo", place, "materials", "d -halo is not supported: the alpha is the same at any angle")
			rest = after
		}
		m.dissolved = m.scalar(r, rest, place, "d", 0, 1, &m.Alpha) || m.dissolved
	case "tr":
		if m.scalar(r, rest, place, "Tr", 0, 1, &n[0]) && !m.dissolved {
			m.Alpha = 1 - n[0]
		}
	case "pr":
		m.rough = m.scalar(r, rest, place, "Pr", 0, 1, &m.Roughness) || m.rough
	case "pm":
		m.scalar(r, rest, place, "Pm", 0, 1, &m.Metallic)
	case "pc":
		m.scalar(r, rest, place, "Pc", 0, 1, &m.Coat)
	case "pcr":
		m.scalar(r, rest, place, "Pcr", 0, 1, &m.CoatRoughness)
	case "illum":
		word, _ := field(rest)
		if v, err := strconv.Atoi(string(word)); err == nil {
			m.illum = v
		}
	case "ni", "tf", "sharpness":
		// Light that passes through is alpha alone; the docs say so.
	case "ps", "aniso", "anisor", "map_ps", "map_pc", "map_pcr", "map_ns", "map_ka", "refl", "disp", "map_disp", "decal", "map_aat", "map_refl":
		r.note(word != "map_ka" && word != "map_aat", "mtl "+word, place, "materials", "%s is not supported and was passed over", word)
	default:
		if use, ok := mapUses[word]; ok {
			mp, err := readMap(r, rest, place)
			if mp != nil {
				m.Maps[use] = mp
			}
			return err
		}
		r.note(false, "mtl "+word, place, "lines", "the statement %s is unknown and was passed over", quoted(word))
	}
	return nil
}

var mapUses = map[string]Use{
	"map_kd": MapColor, "map_d": MapAlpha, "map_tr": MapAlpha, "map_bump": MapBump, "bump": MapBump, "norm": MapNormal, "map_kn": MapNormal,
	"map_ke": MapEmissive, "map_emissive": MapEmissive, "map_ks": MapSpecular, "map_pr": MapRoughness, "map_pm": MapMetallic,
}

// color reads a colour; of one number all three are that one.
func (m *mtlMaterial) color(r *Reader, rest []byte, place string) (c [3]float32, ok bool) {
	if word, _ := field(rest); equalFold(word, "spectral") || equalFold(word, "xyz") {
		r.note(true, "spectral", place, "materials", "colours as %s are not supported and were passed over", word)
		return c, false
	}
	n := numbers(rest, c[:])
	if n == 1 || n == 2 {
		c[1], c[2] = c[0], c[0]
	}
	if n == 0 || !finite(c) {
		r.note(true, "color", place, "lines", "%s is no colour and was passed over", quoted(name(rest)))
		return c, false
	}
	return c, true
}

// emit sets the light that the surface sends out; numbers above 1 are its strength.
func (m *mtlMaterial) emit(c [3]float32) {
	m.EmissiveStrength = max(1, c[0], c[1], c[2])
	for k := range c {
		m.Emissive[k] = linear(c[k] / m.EmissiveStrength)
	}
}

// scalar reads a number and brings it into its range.
func (m *mtlMaterial) scalar(r *Reader, rest []byte, place, what string, least, most float32, out *float32) bool {
	var n [1]float32
	if numbers(rest, n[:]) == 0 || n[0]-n[0] != 0 {
		r.note(true, "scalar", place, "lines", "%s %s is no number and was passed over", what, quoted(name(rest)))
		return false
	}
	*out = min(max(n[0], least), most)
	return true
}

// close derives what the statements only imply. illum 0 and 1 have no highlights, and so has a black Ks; for others the exponent Ns
// says how wide they are. A glTF surface reflects 4 % at normal incidence whatever Ks is.
func (m *mtlMaterial) close(r *Reader) {
	if m == nil {
		return
	}
	if m.Alpha == 0 {
		r.note(false, "invisible", m.place, "materials", "%s cannot be seen: its alpha is 0", quoted(m.Name))
	}
	if m.Maps[MapColor] != nil && (!m.hasColor || m.Color == [3]float32{}) {
		m.Color = [3]float32{1, 1, 1} // black is what some programs write that mean the picture alone
	}
	if m.rough {
		return
	}
	m.Roughness = 1
	if m.illum >= 2 && m.hasSpecular && m.specular != [3]float32{} {
		m.Roughness = roughnessOf(m.exponent)
	}
}

// readMap reads options and the name of a map statement; nil without a name. The name may have spaces.
func readMap(r *Reader, rest []byte, place string) (*Map, error) {
	m := &Map{Place: place, Scale: [2]float32{1, 1}, Bump: 1}
	scale, offset := [3]float32{1, 1, 1}, [3]float32{}
	for {
		word, after := field(rest)
		if len(word) < 2 || word[0] != '-' {
			break
		}
		option := strings.ToLower(string(word))
		switch option {
		case "-s":
			after = upTo(after, scale[:])
		case "-o":
			after = upTo(after, offset[:])
		case "-t":
			turbulence := [3]float32{}
			if after = upTo(after, turbulence[:]); turbulence != [3]float32{} {
				r.note(true, "map -t", place, "maps", "-t is not supported: the picture is not disturbed")
			}
		case "-mm":
			gain := [3]float32{0, 1, 0}
			if after = upTo(after, gain[:2]); gain != [3]float32{0, 1, 0} {
				r.note(true, "map -mm", place, "maps", "-mm is not supported: the picture is used as it is")
			}
		case "-bm":
			bump := [1]float32{1}
			if after = upTo(after, bump[:]); finite([3]float32{bump[0]}) {
				m.Bump = bump[0]
			}
		case "-clamp":
			word, after = field(after)
			m.Clamp = equalFold(word, "on")
		case "-imfchan":
			if word, after = field(after); len(word) > 0 {
				m.Channel = word[0] | 0x20
			}
		case "-blendu", "-blendv", "-cc", "-boost", "-texres", "-type":
			word, after = field(after)
			if (option == "-type") && !equalFold(word, "sphere") {
				r.note(true, "map -type", place, "maps", "-type %s is not supported", name(word))
			}
		default:
			r.note(false, "map "+option, place, "maps", "the option %s is unknown", quoted(name(word)))
		}
		rest = after
	}
	m.File = name(rest)
	if m.File == "" {
		r.note(true, "map", place, "lines", "names no file and was passed over")
		return nil, nil
	}
	if !finite(scale) || !finite(offset) {
		r.note(true, "map numbers", place, "maps", "-s or -o has no finite numbers and was passed over")
		scale, offset = [3]float32{1, 1, 1}, [3]float32{}
	}
	m.Scale = [2]float32{scale[0], scale[1]}
	// v' = s·v + o of coordinates that point up is s·v + (1 - s - o) of those that point down.
	m.Offset = [2]float32{offset[0], float32(1 - float64(scale[1]) - float64(offset[1]))}
	return m, r.take(int64(100+len(m.File)), 1, "a map")
}

// upTo reads at most len(out) numbers and stops at the first word that is none, but leaves a word for the file's name.
func upTo(rest []byte, out []float32) []byte {
	for i := range out {
		word, after := field(rest)
		if next, _ := field(after); len(word) == 0 || len(next) == 0 {
			break
		}
		v := number(word)
		if v-v != 0 {
			break
		}
		out[i], rest = v, after
	}
	return rest
}
