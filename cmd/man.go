package cmd

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages, for packagers.
func manCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into DIR",
		Example: "  amgpu man /usr/local/share/man/man1",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usage("folder for the manual pages: %w", err)
			}
			root := c.Root()
			root.DisableAutoGenTag = true // the same input gives the same pages
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "AMGPU", Section: "1", Source: "amgpu " + version}, args[0]); err != nil {
				if errors.Is(err, os.ErrPermission) {
					return usage("manual pages: %w", err)
				}
				return err
			}
			s.say("amgpu: wrote the manual pages into %s", args[0])
			return nil
		},
	}
}
