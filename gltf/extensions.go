package gltf

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// silent lists extensions that change nothing of the picture: metadata, behaviour,
// sound, physics. They are passed over, even where a file requires them.
var silent = [...]string{
	"EXT_feature_metadata",
	"EXT_instance_features",
	"EXT_mesh_features",
	"EXT_structural_metadata",
	"FB_geometry_metadata",
	"KHR_audio_emitter",
	"KHR_implicit_shapes",
	"KHR_interactivity",
	"KHR_node_hoverability",
	"KHR_node_selectability",
	"KHR_physics_rigid_bodies",
	"KHR_xmp",
	"KHR_xmp_json_ld",
	"MSFT_audio_emitter",
	"MSFT_packing_normalRoughnessMetallic",
	"MSFT_packing_occlusionRoughnessMetallic",
	"VRMC_vrm",
}

// silentPrefixes begin the names of families like them.
var silentPrefixes = [...]string{"AGI_", "OMI_"}

func isSilent(name string) bool {
	return slices.Contains(silent[:], name) ||
		slices.ContainsFunc(silentPrefixes[:], func(p string) bool { return strings.HasPrefix(name, p) })
}

// loadExtensions checks extensionsUsed and extensionsRequired.
func (l *loader) loadExtensions() error {
	var used, required []string
	for _, e := range []struct {
		key  string
		list *[]string
	}{{"extensionsUsed", &used}, {"extensionsRequired", &required}} {
		if raw, ok := l.top[e.key]; ok {
			if err := l.value(raw, e.key, e.list); err != nil {
				l.lose("", "%s, and was ignored", here(err))
				*e.list = nil
			}
		}
	}
	if raw, ok := l.top["extensions"]; ok {
		if err := l.value(raw, "extensions", &l.root); err != nil {
			return err
		}
	}
	l.extensions = map[string]bool{}
	for i, name := range required {
		switch place := fmt.Sprintf("extensionsRequired[%d]", i); {
		case slices.Contains(supported[:], name), isSilent(name):
		case without[name] != "":
			l.loseExtension(place, name, "%s is not supported: %s", quoted(name), without[name])
		default:
			return l.fail(place, nil, "%s is not supported, and the model says that it cannot be shown without (supported: %s)",
				quoted(name), strings.Join(supported[:], ", "))
		}
		l.extensions[name] = true
	}
	for i, name := range used {
		told := l.extensions[name]
		l.extensions[name] = true
		if told || slices.Contains(supported[:], name) || isSilent(name) {
			continue
		}
		// Exporters list more than they use.
		if place := fmt.Sprintf("extensionsUsed[%d]", i); l.isElement(name) {
			l.loseExtension(place, name, "%s is not supported: %s", quoted(name), cmp.Or(without[name], "the model is drawn without it"))
		} else {
			l.tellKind("extension "+name, false, place, "%s is not supported and was ignored, as nothing in the file uses it", quoted(name))
		}
	}
	return nil
}

// loseExtension is lose, and each extension is a kind.
func (l *loader) loseExtension(place, name, format string, args ...any) {
	l.tellKind("extension "+name, true, place, format, args...)
}

// without says what is drawn of a model without an extension of which that much is left that it need
// not be refused, even where it requires it.
var without = map[string]string{
	"CESIUM_RTC":             "the model is drawn about its own centre, and not where it is on the globe",
	"KHR_gaussian_splatting": "splats are drawn as points; a viewer of Gaussian splats shows them whole",
	"KHR_techniques_webgl":   "glTF's material stands for the model's own shaders",
}

// isElement reports whether anything in the file has an extension of the name: it is
// then the key of an object somewhere, and not just in the two lists.
func (l *loader) isElement(name string) bool {
	key := []byte(fmt.Sprintf("%q", name))
	for rest := l.text; ; {
		at := bytes.Index(rest, key)
		if at < 0 {
			return false
		}
		rest = bytes.TrimLeft(rest[at+len(key):], " \t\r\n")
		if bytes.HasPrefix(rest, []byte(":")) {
			return true
		}
	}
}
