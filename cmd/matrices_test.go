package cmd

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a device multiplies is printed a line each, and stands in the JSON by name.
func TestMatricesOfDevice(t *testing.T) {
	d := deviceJSON{Matrices: []matrixJSON{
		{M: 16, N: 16, K: 16, A: "float16", B: "float16", C: "float32", Result: "float32", Scope: "subgroup"},
		{M: 32, N: 32, K: 16, A: "bfloat16", B: "bfloat16", C: "float32", Result: "float32", Scope: "workgroup", Flexible: true, Invocations: 256},
	}}
	var b strings.Builder
	if err := d.details(&b); err != nil {
		t.Fatal(err)
	}
	want := "  matrices   16x16x16:float16,float16,float32:subgroup\n" +
		"             multiples-of-32x32x16:bfloat16,bfloat16,float32:workgroup-of-256\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("details end otherwise than with\n%s\n%s", want, b.String())
	}
	text, err := json.Marshal(d)
	if err != nil || !strings.Contains(string(text), `{"m":32,"n":32,"k":16,"a":"bfloat16","b":"bfloat16","c":"float32","result":"float32","scope":"workgroup","flexible":true,"invocations":256}`) {
		t.Errorf("%s, %v", text, err)
	}
}
