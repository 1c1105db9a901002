package vk

import (
	"strings"
	"testing"
)

// Without a loader that was chosen, and drivers that were, nothing but the packages are missing.
func TestWhatToDoWhereNothingIsSet(t *testing.T) {
	t.Setenv(libraryEnv, "")
	t.Setenv("VK_DRIVER_FILES", "")
	t.Setenv("VK_ICD_FILENAMES", "")
	if fix, files := loaderFix(), driverFiles(); !strings.Contains(fix, "libvulkan1") || files != "" {
		t.Errorf("%q, %q", fix, files)
	}
	t.Setenv("VK_ICD_FILENAMES", "/old.json")
	if files := driverFiles(); files != " among VK_ICD_FILENAMES=/old.json" {
		t.Errorf("%q", files)
	}
}
