package peer

import (
	"strings"
	"testing"

	"github.com/amgpu/amgpu/vk"
)

func TestCheckFault(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "wrong-result": "", "transport:host": "", "transport:staging": "",
		"transport:": "there is cuda, host, staging, dmabuf", "transport:pigeon": "there is cuda, host, staging, dmabuf", "transport:stagin": "did you mean staging?",
	} {
		t.Setenv(faultEnv, text)
		err := CheckFault()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A fault for a transport that no launch uses is refused, and says which would be met.
func TestCheckFaultFor(t *testing.T) {
	gpus := []*vk.Info{{VendorID: nvidia}, {VendorID: nvidia}}
	others := []*vk.Info{{VendorID: nvidia}, {VendorID: 0x1002}}
	for _, test := range []struct {
		fault string
		asked []string
		pool  []*vk.Info
		want  string
	}{
		{"", []string{"auto"}, others, ""},
		{"device-lost:0", []string{"auto"}, others, ""},
		{"transport:cuda", []string{"auto"}, gpus, ""},
		{"transport:cuda", []string{"staging", "cuda"}, gpus, ""},
		{"transport:cuda", []string{"auto"}, others, "the pool has 1"},
		{"transport:cuda", []string{"host", "staging"}, gpus, "with --transport host, staging: use --transport cuda"},
		{"transport:dmabuf", []string{"auto"}, others, "use --transport dmabuf"},
		{"transport:dmabuf", []string{"dmabuf"}, others, ""},
		{"transport:host", []string{"auto"}, others, ""},
	} {
		t.Setenv(faultEnv, test.fault)
		switch err := CheckFaultFor(test.asked, test.pool); {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// What a fault takes is counted from CheckFault on.
func TestFaultUnmet(t *testing.T) {
	t.Setenv(faultEnv, "transport:host")
	if err := CheckFault(); err != nil {
		t.Fatal(err)
	}
	if shorten(CUDA, 8) != 8 || FaultUnmet() == "" {
		t.Error("a move over another transport counts")
	}
	if shorten(Host, 8) != 4 || FaultUnmet() != "" {
		t.Error("a move that lost a word does not count")
	}
	if err := CheckFault(); err != nil || FaultUnmet() == "" {
		t.Errorf("%v, or it is still counted", err)
	}
}
