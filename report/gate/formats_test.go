package gate

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// said are the verdicts of a report as one format gives them: "row metric" to verdict.
type said map[string]Verdict

// readers take the verdicts out of each format again, by its own syntax.
var readers = map[string]func(*testing.T, *Report, []byte) said{
	"json":   readJSON,
	"text":   readText,
	"md":     readMarkdown,
	"junit":  readJUnit,
	"github": readGitHub,
}

func readJSON(t *testing.T, r *Report, raw []byte) said {
	var doc Report
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Verdict != r.Verdict || doc.Exit != r.Exit || doc.Compared != r.Compared || doc.Expected != r.Expected {
		t.Errorf("json: %s, exit %d, %d of %d", doc.Verdict, doc.Exit, doc.Compared, doc.Expected)
	}
	out := said{}
	for i, name := range names(doc.Rows) {
		out[name+" "+doc.Rows[i].Metric] = doc.Rows[i].Verdict
	}
	return out
}

var columns = regexp.MustCompile(`  +`)

func readText(t *testing.T, r *Report, raw []byte) said {
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if last := lines[len(lines)-1]; last != r.Headline() {
		t.Errorf("text ends with %q", last)
	}
	out := said{}
	for _, line := range lines[2:] {
		if cells := columns.Split(line, 4); len(cells) == 4 {
			out[cells[1]+" "+cells[2]] = Verdict(strings.ToLower(cells[0]))
		}
	}
	return out
}

func readMarkdown(t *testing.T, r *Report, raw []byte) said {
	if !strings.HasPrefix(string(raw), "### amgpu gate: "+string(r.Verdict)+"\n") {
		t.Errorf("md begins with %.60q", raw)
	}
	out := said{}
	for line := range strings.Lines(string(raw)) {
		line = strings.ReplaceAll(line, `\|`, "\x00")
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 6 || cells[0] == "| verdict" {
			continue
		}
		name := strings.NewReplacer("\x00", "|", `\*`, "*", "&lt;", "<", "&gt;", ">", `\_`, "_").Replace(cells[1] + " " + cells[2])
		out[name] = Verdict(strings.Trim(cells[0], "|* "))
	}
	return out
}

func readJUnit(t *testing.T, r *Report, raw []byte) said {
	var x suites
	if err := xml.Unmarshal(raw, &x); err != nil {
		t.Fatal(err)
	}
	out := said{}
	for _, c := range x.Suite.Cases {
		c.Name, _, _ = strings.Cut(c.Name, " (") // the limit
		switch {
		case c.Failure != nil:
			out[c.Name] = Verdict(c.Failure.Type)
		case c.Error != nil:
			out[c.Name] = Verdict(c.Error.Type)
		case c.Skipped != nil:
			v, _, _ := strings.Cut(c.Skipped.Message, ":")
			out[c.Name] = Verdict(v)
		default:
			v, _, _ := strings.Cut(c.Out, ":")
			out[c.Name] = Verdict(v)
		}
	}
	return out
}

var command = regexp.MustCompile(`^::(error|warning|notice) file=[^,]*,line=1,title=amgpu gate%3A ([a-z-]+)::(.*)$`)

// readGitHub sees only what fails or is in doubt; the rest is what the report says.
func readGitHub(t *testing.T, r *Report, raw []byte) said {
	out, rest := said{}, said{}
	for i, name := range names(r.Rows) {
		key := name + " " + r.Rows[i].Metric
		if row := &r.Rows[i]; grave(row) || row.Verdict == Inconclusive || row.Verdict == Missing {
			rest[key] = row.Verdict
		} else {
			out[key] = row.Verdict
		}
	}
	for line := range strings.Lines(string(raw)) {
		m := command.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			t.Fatalf("github: %q", line)
		}
		if key, _, found := strings.Cut(m[3], ": "); found {
			if _, is := rest[key]; is {
				out[key] = Verdict(m[2])
				if v := rest[key]; (m[1] == "error") != (v != Inconclusive && (v != Missing || !r.tolerates(key))) {
					t.Errorf("github: %s is a %s", key, m[1])
				}
			}
		}
	}
	return out
}

// tolerates tells whether the row may be missing.
func (r *Report) tolerates(key string) bool {
	for i, name := range names(r.Rows) {
		if name+" "+r.Rows[i].Metric == key {
			return r.Rows[i].Tolerated
		}
	}
	return false
}

// Every format says the same verdict of the same rows: comparisons, limits with upper
// bounds on all devices and on each, missing rows that are allowed, a confirmation.
func TestEveryFormatSaysTheSame(t *testing.T) {
	limits := run(t, one(made(1, as, "a/b", "a/gone")), made(2, func(_ string, count int) float64 { return 1 + 0.1*float64(count-1) }, "a/b"), Options{AllowMissing: true, Rules: rules(t, `
rows:
  - {workload: a/b, count: 2, min_efficiency: 0.95}
  - {workload: a/b, count: 1, rate: {max: 90e9}}
  - {workload: a/b, count: 2, rate_per_gpu: {min: 90e9, max: 150e9}}
  - {workload: a/c, required: true}
`)})
	confirmed := run(t, one(made(1, as, "a/b", "a/c")), made(2, slower(1.2), "a/b", "a/c"), Options{Confirmed: true,
		Confirm: &Alternated{Base: again(6, as, "a/b", "a/c"), New: again(6, func(w string, _ int) float64 { return map[string]float64{"a/b": 1.2, "a/c": 1}[w] }, "a/b", "a/c")}})
	few := all(t)
	few.Rows = slices.DeleteFunc(few.Rows, func(row Row) bool { return row.Count == 1 }) // GitHub shows ten of a kind
	for name, r := range map[string]*Report{"all verdicts": few, "limits": limits, "confirmed": confirmed} {
		r.finish(false)
		want := said{}
		for i, row := range names(r.Rows) {
			want[row+" "+r.Rows[i].Metric] = r.Rows[i].Verdict
		}
		for format, read := range readers {
			raw, err := Render(r, format)
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, r, raw)
			for _, key := range slices.Sorted(maps.Keys(want)) {
				if format == "junit" && want[key] == Missing && r.tolerates(key) {
					continue // a skipped case has no type; its message says that it is allowed
				}
				if got[key] != want[key] {
					t.Errorf("%s, %s: %q is %q, the report says %q", name, format, key, got[key], want[key])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s, %s: %d verdicts of %d rows", name, format, len(got), len(want))
			}
		}
	}
	if confirmed.Count(Regressed) != 2 || confirmed.Count(Same) != 2 || limits.Count(Unmet) < 2 {
		t.Errorf("%s; %s", confirmed.Headline(), limits.Headline())
	}
}

// No two test cases of JUnit are called alike, and a rule that fits no row makes no
// other row's name longer.
func TestNamesOfRows(t *testing.T) {
	r := run(t, one(made(1, as, "a/b")), made(2, as, "a/b"), Options{Rules: rules(t, `
targets: {T1: {origin: me, says: this}, T2: {origin: me, says: that}}
rows:
  - {workload: a/b, count: 2, time: {max: 1}}
  - {workload: a/b, count: 2, time: {max: 2}}
  - {workload: a/b, count: 2, time: {max: 2}}
  - {target: T1, workload: a/b, count: 2, min_efficiency: 0.5}
  - {target: T2, workload: a/b, count: 2, min_efficiency: 0.5}
  - {workload: "c/*", required: true}
`)})
	want := []string{
		"a/b strong L N=1 time", "a/b strong L N=2 efficiency (T1 min 0.5)", "a/b strong L N=2 efficiency (T2 min 0.5)",
		"a/b strong L N=2 time", "a/b strong L N=2 time (max 1)", "a/b strong L N=2 time (max 2)", "a/b strong L N=2 time (max 2) #2", "c/* presence",
	}
	if got := slices.Sorted(slices.Values(caseNames(r.Rows))); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// docs/formats.md shows the annotations as they are written today.
func TestFormatsDocument(t *testing.T) {
	change := map[string]float64{"linalg/matmul": 1.12, "memory/triad": 1.0485, "relativity/nbody": 1}
	names := slices.Sorted(maps.Keys(change))
	r := run(t, one(made(1, as, names...)), made(2, func(w string, count int) float64 { return change[w] * as(w, count) }, names...), Options{})
	r.NewFile = "results.json"
	fresh, err := Render(r, "github")
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../docs/formats.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start, end := []byte("<!-- example github -->\n```text\n"), []byte("```\n<!-- end -->\n")
	before, rest, found := bytes.Cut(raw, start)
	_, after, closed := bytes.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no example github", path)
	}
	compare(t, filepath.Join("..", path), slices.Concat(before, start, fresh, end, after))
}
