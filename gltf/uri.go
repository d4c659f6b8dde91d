package gltf

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// What a URI may lead to. All of it is decided by the text, as a browser does, before a file is
// opened; a symbolic link that leaves its folder is then refused by os.Root.

// assetRoot is a folder that files may lie in.
type assetRoot struct {
	fsys  fs.FS
	root  string // absolute, without symbolic links
	model string // the model's folder, alike
}

// newAssetRoot is an open folder of this name for a model in another.
func newAssetRoot(root *os.Root, name, model string) (*assetRoot, error) {
	a := &assetRoot{fsys: root.FS()}
	var err error
	if a.root, err = absolute(name); err == nil {
		a.model, err = absolute(model)
	}
	return a, err
}

func absolute(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// find returns the name in the folder of what a path from the model's folder leads to.
func (a *assetRoot) find(name string) (string, bool) {
	in, err := filepath.Rel(a.root, filepath.Join(a.model, filepath.FromSlash(name)))
	if err != nil {
		return "", false
	}
	in = filepath.ToSlash(in)
	return in, fs.ValidPath(in)
}

// find returns the file that a URI names, and says in one line why one must not be followed.
func (l *loader) find(uri, place string) (fs.FS, string, error) {
	if scheme := schemeOf(uri); len(scheme) > 1 {
		return nil, "", l.fail(place, nil, "%s is a URL of scheme %q, and nothing is fetched: put the file into the model's folder, and its path from there into the model", quoted(uri), scheme)
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		l.lose(place, "%s has a %% that begins no escape, and was taken as it is", quoted(uri))
		name = uri
	}
	if strings.ContainsRune(name, '\\') && !l.exists(name) {
		l.lose(place, "%s has backslashes, which were taken for slashes", quoted(uri))
		name = strings.ReplaceAll(name, `\`, "/")
	}
	if strings.HasPrefix(name, "/") || len(schemeOf(name)) == 1 { // C:/
		return nil, "", l.fail(place, nil, "%s is an absolute path, which is not followed: put the file into the model's folder, and its path from there into the model", quoted(uri))
	}
	clean := path.Clean(name)
	switch {
	case name == "" || clean == "." || strings.ContainsRune(name, 0):
		return nil, "", l.fail(place, nil, "%s names no file", quoted(uri))
	case l.fsys == nil:
		return nil, "", l.fail(place, nil, "%s: other files cannot be read here", quoted(uri))
	case fs.ValidPath(clean):
		if l.exists(clean) {
			return l.fsys, clean, nil
		}
		// A name with an escape in it, as exporters write it that do not escape.
		if literal := path.Clean(uri); literal != clean && l.exists(literal) {
			l.lose(place, "%s is a file's name as it is, with nothing escaped", quoted(uri))
			return l.fsys, literal, nil
		}
		if fsys, in, ok := l.elsewhere(clean); ok { // a link out of the model's folder, and not out of a wider one
			return fsys, in, nil
		}
		return l.fsys, clean, nil
	}
	for _, r := range l.roots {
		if in, ok := r.find(clean); ok {
			return r.fsys, in, nil
		}
	}
	if l.widened {
		return nil, "", l.fail(place, nil, "%s leaves the model's folder and that of %s", quoted(uri), assetsName)
	}
	return nil, "", l.fail(place, nil, "%s leaves the model's folder: %s allows the folder that holds it", quoted(uri), assetsName)
}

// elsewhere returns the file that a path from the model's folder leads to through l.roots, if it is there.
func (l *loader) elsewhere(clean string) (fs.FS, string, bool) {
	for _, r := range l.roots {
		if in, ok := r.find(clean); ok {
			if _, err := fs.Stat(r.fsys, in); err == nil {
				return r.fsys, in, true
			}
		}
	}
	return nil, "", false
}

// exists reports whether a file of the name is in the model's folder.
func (l *loader) exists(name string) bool {
	if l.fsys == nil || !fs.ValidPath(name) {
		return false
	}
	_, err := fs.Stat(l.fsys, name)
	return err == nil
}

// schemeOf returns a URI's scheme, "" where it has none: by RFC 3986 a letter, then letters, digits,
// + - . up to a colon. A drive letter is one of a single letter.
func schemeOf(uri string) string {
	colon := strings.IndexByte(uri, ':')
	if colon < 1 {
		return ""
	}
	scheme := strings.ToLower(uri[:colon])
	if scheme[0] < 'a' || scheme[0] > 'z' || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return ""
	}
	return scheme
}
