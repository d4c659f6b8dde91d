package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// node is one element of the registry or, where tag is empty, a run of text.
// Declarations are C with markup inside, so text and elements keep their order.
type node struct {
	tag      string
	attrs    map[string]string
	text     string
	children []*node
}

// parse reads a registry and returns its root element.
func parse(r io.Reader) (*node, error) {
	top := &node{}
	open := []*node{top}
	for d := xml.NewDecoder(r); ; {
		t, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("registry: %w", err)
		}
		parent := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			n := &node{tag: t.Name.Local, attrs: map[string]string{}}
			for _, a := range t.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			parent.children = append(parent.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			parent.children = append(parent.children, &node{text: string(t)})
		}
	}
	if root := top.all("registry"); len(root) == 1 {
		return root[0], nil
	}
	return nil, fmt.Errorf("registry: the root element is not <registry>")
}

// all returns the child elements called tag.
func (n *node) all(tag string) []*node {
	var out []*node
	for _, c := range n.children {
		if c.tag == tag {
			out = append(out, c)
		}
	}
	return out
}

// content returns the text without markup and comment elements, white space
// collapsed.
func (n *node) content() string { return strings.Join(strings.Fields(n.raw()), " ") }

func (n *node) raw() string {
	if n.tag == "" {
		return n.text
	}
	var b strings.Builder
	for _, c := range n.children {
		if c.tag != "comment" {
			b.WriteString(c.raw())
		}
	}
	return b.String()
}

// child returns the text of the first child element called tag, or "".
func (n *node) child(tag string) string {
	for _, c := range n.all(tag) {
		return c.content()
	}
	return ""
}

// name returns the name attribute, the text of <name>, or that of <proto>'s.
func (n *node) name() string {
	if s := n.attrs["name"]; s != "" {
		return s
	}
	if s := n.child("name"); s != "" {
		return s
	}
	for _, p := range n.all("proto") {
		return p.child("name")
	}
	return ""
}

// forVulkan says whether the element belongs to the API "vulkan"; no attribute
// means all APIs.
func (n *node) forVulkan(attr string) bool {
	s, ok := n.attrs[attr]
	return !ok || slices.Contains(strings.Split(s, ","), "vulkan")
}
