package arch

import (
	"strings"
	"testing"
)

const sample = "text\n```arrows\n" +
	"main                                    -> cmd\n" +
	"cmd              commands               -> everything\n" +
	"report           names -> renderers     -> report/*\n" +
	"report/table     text,\n" +
	"                 on a terminal          -> report/result\n" +
	"report/result    the schema             -> nothing\n" +
	"suites/<family>  workloads              -> suites\n" +
	"suites/all       imports every family   -> suites/<family>\n" +
	"suites           registry               -> nothing\n" +
	"```\n\n```imports\n" +
	"C                        only in vk/raw\n" +
	"example.com/cli          only in cmd, main\n" +
	"```\n\n```standard\nreport/result\n```\n"

func TestPictureAllows(t *testing.T) {
	p, err := ReadPicture(sample)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		from, to string
		want     bool
	}{
		{"main", "cmd", true},
		{"main", "report", false},
		{"cmd", "report/table", true},
		{"cmd", "main", false},
		{"report", "report/table", true},
		{"report", "report/table/deep", false},
		{"report", "suites", false},
		{"report/table", "report/result", true},
		{"report/table", "report", false},
		{"report/result", "report/table", false},
		{"suites/linalg", "suites", true},
		{"suites/linalg", "suites/memory", false},
		{"suites/all", "suites/linalg", true},
		{"suites/all", "suites", false},
		{"vk", "suites", false},
	}
	for _, c := range cases {
		if got := p.Allows(c.from, c.to); got != c.want {
			t.Errorf("%s -> %s: allowed %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestPictureMayImport(t *testing.T) {
	p, err := ReadPicture(sample)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, path string
		standard   bool
		ok         bool
	}{
		{"vk/raw", "C", true, true},
		{"cmd", "C", true, false},
		{"cmd", "example.com/cli/v2", false, true},
		{"report", "example.com/cli", false, false},
		{"report", "example.com/client", false, true}, // shares letters, not path elements
		{"report/result", "encoding/json", true, true},
		{"report/result", "example.com/other", false, false},
	}
	for _, c := range cases {
		if err := p.MayImport(c.name, c.path, c.standard); (err == nil) != c.ok {
			t.Errorf("%s importing %s: %v, want ok %v", c.name, c.path, err, c.ok)
		}
	}
}

func TestPictureRefusesBrokenText(t *testing.T) {
	cases := map[string]string{
		"no block":           strings.Replace(sample, "```imports", "```other", 1),
		"not closed":         strings.TrimSuffix(sample, "```\n"),
		"two lines":          strings.Replace(sample, "report/table ", "report ", 1),
		"no ->":              strings.Replace(sample, "-> cmd", "cmd", 1),
		`no "only in"`:       strings.Replace(sample, "only in vk/raw", "vk/raw", 1),
		"no block ```arrows": "",
	}
	for want, text := range cases {
		if _, err := ReadPicture(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
