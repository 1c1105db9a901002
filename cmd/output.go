package cmd

import (
	"fmt"

	"github.com/amgpu/amgpu/report"
)

// writeOutput writes the file that a flag names, whole or not at all.
func writeOutput(flag, path string, content []byte) error {
	if err := report.WriteFile(path, content); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
