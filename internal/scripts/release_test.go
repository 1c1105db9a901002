package scripts

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// A version that neither Debian nor the module system would take is refused before
// anything is compiled or removed.
func TestReleaseRefusesVersion(t *testing.T) {
	for _, version := range []string{"1.2", "latest", "1.2.3_4", "1.2.3-", "../1.2.3"} {
		code, out := newJob(t).bash(t, repository(t)+"/scripts/release.sh "+version)
		expect(t, version, code, 2, out, "is not like 1.2.3")
	}
}

// The image takes one architecture's package, and no other file of a release.
func TestContainerfileCopiesThePackage(t *testing.T) {
	text, err := os.ReadFile("../../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^COPY dist/(\S+) `).FindSubmatch(text)
	if m == nil {
		t.Fatal("Containerfile copies nothing from dist/")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		pattern := strings.ReplaceAll(string(m[1]), "${TARGETARCH}", arch)
		for name, want := range map[string]bool{
			"amgpu_1.2.3_" + arch + ".deb":          true,
			"amgpu_1.2.3~rc.1_" + arch + ".deb":     true,
			"amgpu_1.2.3_other.deb":                 false,
			"amgpu_1.2.3_linux_" + arch + ".tar.gz": false,
			"SHA256SUMS":                            false,
		} {
			if got, err := path.Match(pattern, name); err != nil || got != want {
				t.Errorf("%s takes %s: %v (%v), want %v", pattern, name, got, err, want)
			}
		}
	}
}
