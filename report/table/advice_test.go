package table_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/table"
)

// TestAdvice: every cause has an answer of its own, which depends on what was tried already.
func TestAdvice(t *testing.T) {
	loss := .2
	lost := result.Lost{Imbalance: &loss, Serialization: &loss, Transfer: &loss, Orchestration: &loss, Clock: &loss, Work: &loss, Rate: &loss}
	causes := table.Causes(&lost)
	lost.Clock = nil // then there is "computation scaling"
	causes = append(causes, table.Causes(&lost)...)
	seen := map[string]string{}
	for _, c := range causes {
		text := table.Advice(c.Name, &result.Summary{})
		for other, said := range seen {
			if said == text && other != c.Name {
				t.Errorf("%s and %s have the same advice: %s", other, c.Name, text)
			}
		}
		seen[c.Name] = text
	}
	if len(seen) != 8 {
		t.Errorf("%d causes: %v", len(seen), seen)
	}
	if text := table.Advice("imbalance", &result.Summary{Staged: true}); text == seen["imbalance"] || strings.Contains(text, "--strategy") {
		t.Errorf("stages of a pipeline: %s", text)
	}
	for cause, keys := range map[string]result.Key{"imbalance": {Strategy: "proportional"}, "transfer": {Transport: "host"}} {
		if table.Advice(cause, &result.Summary{Key: keys}) == seen[cause] {
			t.Errorf("%s: the same advice whatever was tried", cause)
		}
	}
}

// TestAdviceWhenWorth: the largest count's largest loss is answered where it is 5 % or
// more, and never on software devices.
func TestAdviceWhenWorth(t *testing.T) {
	render := func(res *result.Result) string {
		var text bytes.Buffer
		if err := table.Text(&text, table.Build(res)); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	res := load(t, "unequal")
	if text := render(res); strings.Count(text, "\nadvice, N=") != 1 || !strings.Contains(text, "% are lost to imbalance: the slowest device sets the pace") {
		t.Error(text)
	}
	for i := range res.Devices {
		res.Devices[i].Software = true
	}
	if text := render(res); strings.Contains(text, "advice") {
		t.Error(text)
	}
}
