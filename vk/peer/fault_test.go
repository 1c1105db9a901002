package peer

import (
	"strings"
	"testing"
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
