package icd

import (
	"reflect"
	"strings"

	"github.com/pumice-gpu/pumice/driver/internal/abi"
)

// convert copies the fields of package vk's struct src to the fields of the same
// names of its C twin dst: booleans become VkBool32, strings character arrays.
// Fields without a partner stay as they are. It is for structs that are asked
// for once, not for recording.
func convert(dst, src any) {
	d, s := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	convertValue(d, s)
}

func convertValue(d, s reflect.Value) {
	switch {
	case d.Type() == s.Type():
		d.Set(s)
	case s.Kind() == reflect.Struct:
		for i := range s.NumField() {
			if f := d.FieldByName(s.Type().Field(i).Name); f.IsValid() {
				convertValue(f, s.Field(i))
			}
		}
	case s.Kind() == reflect.Bool:
		d.SetUint(uint64(abi.Bool(s.Bool())))
	case s.Kind() == reflect.String:
		abi.PutString(d.Slice(0, d.Len()).Bytes(), s.String())
	case s.Kind() == reflect.Array && s.Len() == d.Len():
		for i := range s.Len() {
			convertValue(d.Index(i), s.Index(i))
		}
	case s.CanConvert(d.Type()):
		d.Set(s.Convert(d.Type()))
	}
}

// eachField calls f for every VkBool32 of a C struct, with its C name.
func eachField(s any, f func(name string, p *abi.Bool32)) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if p, ok := v.Field(i).Addr().Interface().(*abi.Bool32); ok {
			n := v.Type().Field(i).Name
			f(strings.ToLower(n[:1])+n[1:], p)
		}
	}
}
