package table_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/table"
)

// TestStages: a row of a pipeline says what its stages allow, so that its efficiency is not
// read as a fault; the row of one device beside it says nothing.
func TestStages(t *testing.T) {
	res := load(t, "scaling")
	for i := range res.Trials {
		if x := &res.Trials[i]; x.Count == 2 {
			x.Staged, x.Shares = true, []int64{120, 488}
		}
	}
	var text, md bytes.Buffer
	doc := table.Build(res)
	if err := table.Text(&text, doc); err != nil {
		t.Fatal(err)
	}
	if err := table.Markdown(&md, doc); err != nil {
		t.Fatal(err)
	}
	const note = "] pipeline: by their operations the stages on 2 devices allow a speedup of 1.25 at most, an efficiency of 0.623"
	if want := len(doc.Sections); strings.Count(text.String(), note) != want {
		t.Errorf("%d sections with rows of two devices: %s", want, &text)
	}
	if !strings.Contains(md.String(), "a speedup of 1.25 at most") {
		t.Errorf("%s", &md)
	}
}
