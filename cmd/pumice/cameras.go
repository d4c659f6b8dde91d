package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pumice-gpu/pumice/gltf"
	"github.com/pumice-gpu/pumice/gltf/mat"
	"github.com/pumice-gpu/pumice/gltf/studio"
)

// framing are the flags of the camera that frames a model, for all commands that draw some.
type framing struct {
	view             string
	yaw, pitch, zoom float64
	fov              float64
	ortho            bool
	up               string

	upward mat.DVec3 // what check found
}

// views are what --view names: yaw and pitch.
var views = []struct {
	name       string
	yaw, pitch float64
}{
	{"front", 0, 0}, {"back", 180, 0}, {"left", -90, 0}, {"right", 90, 0}, {"top", 0, 90}, {"bottom", 0, -90},
	{"iso", 45, 35.264389682754654}, // one diagonal of a cube is a point
}

func viewNames() (names []string) {
	for _, v := range views {
		names = append(names, v.name)
	}
	return names
}

func (c *framing) addFraming(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.view, "view", "", strings.Join(viewNames(), ", ")+": in the place of --yaw and --pitch")
	_ = cmd.RegisterFlagCompletionFunc("view", cobra.FixedCompletions(viewNames(), cobra.ShellCompDirectiveNoFileComp))
	f.Float64Var(&c.yaw, "yaw", 30, "framing camera: degrees around the model, to the camera's right")
	f.Float64Var(&c.pitch, "pitch", 15, "framing camera: degrees up")
	f.Float64Var(&c.zoom, "zoom", 1, "framing camera: size of the model in the picture")
	f.StringVar(&c.up, "camera-up", "", "direction X,Y,Z that is up in the picture (default 0,1,0)")
	f.Float64Var(&c.fov, "fov", 30, "vertical angle of view in degrees")
	f.BoolVar(&c.ortho, "ortho", false, "orthographic: what is far away is no smaller")
}

// checkFraming refuses what cannot be, and contradictions.
func (c *framing) checkFraming(changed func(string) bool) (err error) {
	step := func(e error) {
		if err == nil {
			err = e
		}
	}
	step(inRange("--zoom", c.zoom, 1e-3, 1e3))
	step(inRange("--pitch", c.pitch, -90, 90))
	step(inRange("--yaw", c.yaw, -3600, 3600))
	if changed("fov") {
		step(inRange("--fov", c.fov, 1e-3, 179))
	}
	if err != nil {
		return err
	}
	if c.view != "" {
		for _, name := range []string{"yaw", "pitch"} {
			if changed(name) {
				return usagef("--view and --%s: a view has its own yaw and pitch; leave one of them out", name)
			}
		}
		i := slices.Index(viewNames(), c.view)
		if i < 0 {
			return usagef("--view %q: want one of %s", c.view, strings.Join(viewNames(), ", "))
		}
		c.yaw, c.pitch = views[i].yaw, views[i].pitch
	}
	if c.ortho && changed("fov") {
		return usagef("--ortho and --fov: an orthographic camera has no angle of view; leave one of them out")
	}
	if c.up != "" {
		if c.upward, err = parseXYZ("--camera-up", c.up); err != nil {
			return err
		}
		if c.upward == (mat.DVec3{}) {
			return usagef("--camera-up %s: this is no direction", c.up)
		}
	}
	return nil
}

// frame is the camera of the flags.
func (c *framing) frame() studio.Camera {
	camera := studio.Camera{Yaw: c.yaw, Pitch: c.pitch, Zoom: c.zoom, Up: c.upward, Orthographic: c.ortho}
	if !c.ortho {
		camera.FOV = c.fov
	}
	return camera
}

// cameras are all flags of cameras, for commands that draw one model.
type cameras struct {
	framing
	camera           string
	position, target string

	number         int // of the document; -1: none
	eye, looked    *mat.DVec3
	cameraWasNamed bool
}

func (c *cameras) addCameras(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.camera, "camera", "", "camera of the document, by its number or name; without it the model is framed")
	c.addFraming(cmd)
	f.StringVar(&c.position, "camera-position", "", "place X,Y,Z that the camera looks from, in the model's units (default: where it frames the model)")
	f.StringVar(&c.target, "camera-target", "", "place X,Y,Z that the camera looks at (default: the model's middle)")
}

// framingFlags are those that a camera of the document has no use for, standingFlags those of them that one
// with a position has no use for.
var (
	framingFlags  = []string{"camera-position", "camera-target", "camera-up", "fov", "ortho", "view", "yaw", "pitch", "zoom", "turntable"}
	standingFlags = []string{"view", "yaw", "pitch", "turntable"}
)

// checkCameras refuses what cannot be, and contradictions.
func (c *cameras) checkCameras(changed func(string) bool) (err error) {
	if err := c.checkFraming(changed); err != nil {
		return err
	}
	c.number = gltf.None
	if changed("camera") {
		for _, name := range framingFlags {
			if changed(name) {
				return usagef("--camera and --%s: a camera of the document stands where it is and sees what it sees; leave one of them out", name)
			}
		}
		if c.camera == "" {
			return usagef("--camera %q: want a camera's number or name", c.camera)
		}
		c.cameraWasNamed = true
		if n, err := strconv.Atoi(c.camera); err == nil {
			if n < 0 {
				return usagef("--camera %d: want a camera's number, from 0, or its name", n)
			}
			c.number, c.cameraWasNamed = n, false
		}
	}
	if c.target != "" {
		at, err := parseXYZ("--camera-target", c.target)
		if err != nil {
			return err
		}
		c.looked = &at
	}
	if c.position == "" {
		return nil
	}
	at, err := parseXYZ("--camera-position", c.position)
	if err != nil {
		return err
	}
	c.eye = &at
	for _, name := range standingFlags {
		if changed(name) {
			return usagef("--camera-position and --%s: the one names a place, the other moves the camera around the model; leave one of them out", name)
		}
	}
	if c.looked == nil {
		return nil
	}
	way := c.looked.Sub(at)
	if way == (mat.DVec3{}) {
		return usagef("--camera-position and --camera-target are one place, %s: there is no direction to look in", c.position)
	}
	if c.up != "" && math.Abs(way.Normalize().Dot(c.upward.Normalize())) > 1-1e-12 {
		return usagef("--camera-up %s is the direction that the camera looks in, or away from: want another", c.up)
	}
	return nil
}

// framed says that a flag asks for another camera than the document's.
func framed(changed func(string) bool) bool { return slices.ContainsFunc(framingFlags, changed) }

// findCamera looks up the camera of the document.
func (c *cameras) findCamera(doc *gltf.Document) error {
	if c.cameraWasNamed {
		var found []string
		for i := range doc.Cameras {
			if doc.Cameras[i].Name == c.camera || slices.Contains(cameraNodes(doc, i), c.camera) {
				c.number = i
				found = append(found, strconv.Itoa(i))
			}
		}
		switch len(found) {
		case 0:
			return usagef("--camera %q: %s has %s", c.camera, doc.File, listCameras(doc))
		case 1:
		default:
			return usagef("--camera %q: cameras %s of %s are called so; name one by its number", c.camera, strings.Join(found, ", "), doc.File)
		}
	}
	if c.number >= len(doc.Cameras) {
		return usagef("--camera %d: %s has %s", c.number, doc.File, listCameras(doc))
	}
	return nil
}

// cameraNodes returns the names of the nodes that carry a camera.
func cameraNodes(doc *gltf.Document, camera int) (names []string) {
	for i := range doc.Nodes {
		if n := &doc.Nodes[i]; n.Camera == camera && n.Name != "" {
			names = append(names, n.Name)
		}
	}
	return names
}

// listCameras says which cameras there are.
func listCameras(doc *gltf.Document) string {
	const most = 20
	var list []string
	for i := range doc.Cameras {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(doc.Cameras)-most))
			break
		}
		name := doc.Cameras[i].Name
		if nodes := cameraNodes(doc, i); name == "" && len(nodes) > 0 {
			name = nodes[0]
		}
		item := strconv.Itoa(i)
		if name != "" {
			item += fmt.Sprintf(" %q", name)
		}
		list = append(list, item)
	}
	switch len(list) {
	case 0:
		return "no camera"
	case 1:
		return "camera " + list[0] + " alone"
	}
	return "cameras " + strings.Join(list, ", ")
}

// look is the camera of the flags.
func (c *cameras) look(doc *gltf.Document) studio.Camera {
	if c.number >= 0 {
		return studio.Camera{Document: &doc.Cameras[c.number]}
	}
	camera := c.frame()
	camera.Position, camera.Target = c.eye, c.looked
	return camera
}

// parseXYZ reads three numbers.
func parseXYZ(flag, text string) (v mat.DVec3, err error) {
	parts := strings.Split(text, ",")
	for i := range v {
		if len(parts) != len(v) {
			err = strconv.ErrSyntax
			break
		}
		var e error
		v[i], e = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if !(math.Abs(v[i]) <= math.MaxFloat32) { // as places of documents
			e = strconv.ErrRange
		}
		err = cmp.Or(err, e)
	}
	if err != nil {
		return mat.DVec3{}, usagef("%s %q: want X,Y,Z, three numbers such as 1.5,0,-2", flag, text)
	}
	return v, nil
}
