package cmd

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/amgpu/amgpu/report/result"
)

// version is set by release builds: -ldflags "-X .../cmd.version=1.2.3".
var version = "0.1.0-dev"

// tool describes this binary.
func tool() result.Tool {
	t := result.Tool{Name: "amgpu", Version: version, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			t.Commit = s.Value
		case "vcs.modified":
			t.Dirty = s.Value == "true"
		}
	}
	return t
}

func versionCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  amgpu version --json",
		Args:    noSuch,
		RunE: func(*cobra.Command, []string) error {
			t := tool()
			if asJSON {
				return printJSON(s, struct {
					result.Tool
					Schema string `json:"schema"`
					OS     string `json:"os"`
					Arch   string `json:"arch"`
				}{t, result.Schema, runtime.GOOS, runtime.GOARCH})
			}
			_, err := fmt.Fprintln(s.Out, versionLine())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// versionLine is what `amgpu version` and `amgpu --version` print.
func versionLine() string {
	t := tool()
	commit := ""
	if t.Commit != "" {
		commit = " commit " + t.Commit
		if t.Dirty {
			commit += " with local changes"
		}
	}
	return fmt.Sprintf("amgpu %s%s (%s, %s/%s, results %s)", t.Version, commit, t.Go, runtime.GOOS, runtime.GOARCH, result.Schema)
}

// printJSON writes an indented document to stdout.
func printJSON(s streams, v any) error {
	enc := json.NewEncoder(s.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
