package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/pumice-gpu/pumice"
	"github.com/pumice-gpu/pumice/vk"
)

// describeDevice prints properties, features and limits of a device, a line
// each.
func describeDevice(w io.Writer) error {
	d, err := pumice.Open(nil)
	if err != nil {
		return err
	}
	defer d.Close()
	p, features, limits := d.Properties(), d.Features(), d.Limits()
	var b strings.Builder
	fmt.Fprintf(&b, "device      %s\n", p.DeviceName)
	fmt.Fprintf(&b, "engine      %s, %d threads\n", d.Engine(), d.Threads())
	fmt.Fprintf(&b, "api         %d.%d.%d\n", vk.ApiVersionMajor(p.ApiVersion), vk.ApiVersionMinor(p.ApiVersion), vk.ApiVersionPatch(p.ApiVersion))
	b.WriteString("\nfeatures\n")
	fields(&b, features)
	b.WriteString("\nlimits\n")
	fields(&b, limits)
	_, err = io.WriteString(w, b.String())
	return err
}

// fields prints the fields of a struct under Vulkan's names.
func fields(b *strings.Builder, s any) {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		value := fmt.Sprint(v.Field(i))
		switch value {
		case "true":
			value = "yes"
		case "false":
			value = "no"
		}
		fmt.Fprintf(b, "  %-48s%s\n", strings.ToLower(name[:1])+name[1:], value)
	}
}
