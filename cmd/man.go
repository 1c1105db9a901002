package cmd

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages, for packagers.
func manCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the manual pages into DIR",
		Example: "  amgpu man /usr/local/share/man/man1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("man takes one folder for the pages, %d were given: amgpu man DIR", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usage("folder for the manual pages: %w; name another one", err)
			}
			if err := manPages(c.Root(), args[0]); err != nil {
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

// manPages writes a page for every command and, which cobra's tree leaves out, every
// help topic.
func manPages(root *cobra.Command, dir string) error {
	root.DisableAutoGenTag = true // the same input gives the same pages
	header := doc.GenManHeader{Title: "AMGPU", Section: "1", Source: "amgpu " + version}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return err
	}
	for _, c := range root.Commands() {
		if !c.IsAdditionalHelpTopicCommand() {
			continue
		}
		f, err := os.Create(filepath.Join(dir, root.Name()+"-"+c.Name()+".1"))
		if err != nil {
			return err
		}
		page := header
		if err := errors.Join(doc.GenMan(c, &page, f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
