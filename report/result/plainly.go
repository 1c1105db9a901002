package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// plainly says what an error of the JSON decoder is about in the words of the file: which
// field holds what, and what belongs there.
func plainly(err error) string {
	var kind *json.UnmarshalTypeError
	var date *time.ParseError
	switch {
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		if field == "" {
			field = "a value"
		}
		return fmt.Sprintf("%s is %s where %s belongs", field, found(kind.Value), belongs(kind.Type))
	case errors.As(err, &date):
		return fmt.Sprintf("%.40s is no date such as 2026-11-20T09:30:00Z", date.Value)
	}
	return err.Error()
}

// found is a value of the file: its kind, and the number where it is one.
func found(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object", "string", "number":
		return map[string]string{"object": "an object", "string": "a text", "number": "a number"}[value]
	case "bool":
		return "true or false"
	}
	return fmt.Sprintf("the %.60s", value) // number 1.5
}

// belongs is what a field of a Go type holds.
func belongs(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Float32, reflect.Float64:
		return "a number that is no larger than 1.8e308"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more,"
	}
	return "a whole number"
}
