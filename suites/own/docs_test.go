package own_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/own-kernel.md shows the examples that the tests run, word for word.
func TestDocumentShowsTheExamples(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "own-kernel.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"saxpy.comp", "saxpy.yaml", "stencil.comp", "stencil.yaml"} {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		block := "```" + map[string]string{".comp": "glsl", ".yaml": "yaml"}[filepath.Ext(name)] + "\n" + string(want) + "```\n"
		if !strings.Contains(string(text), block) {
			t.Errorf("the document does not show %s as it is", name)
		}
	}
}
