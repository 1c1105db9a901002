package cmd

import (
	"os"
	"strings"
	"testing"
)

// A folder that takes no files is named as the user named it, without the temporary file
// that was tried.
func TestFolderThatTakesNoFiles(t *testing.T) {
	dir := "/proc/self" // there, and nobody may create files in it
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	err := checkFolder(dir)
	if err == nil || codeFor(err) != codeUsage || !strings.HasPrefix(err.Error(), "cannot write into the folder for reports, "+dir+": ") ||
		strings.Contains(err.Error(), ".amgpu-") || !strings.HasSuffix(err.Error(), "; name another one") {
		t.Error(err)
	}
}
