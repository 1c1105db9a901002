package diagnose

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// driver is a Vulkan driver by its manifest.
type driver struct {
	manifest string // path inside the root
	library  string
	broken   string // why it cannot be loaded, or ""
	fix      string
}

// restricted names the variable that limits the loader to some drivers, or "".
func (s System) restricted() string {
	for _, v := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if s.env(v) != "" {
			return v
		}
	}
	return ""
}

// manifests lists the driver manifests the loader would read.
func (s System) manifests() []string {
	var out []string
	add := func(dir string) {
		files, err := filepath.Glob(s.path(dir, "*.json"))
		if err == nil { // the only error is a malformed pattern
			out = append(out, files...)
		}
	}
	if v := s.restricted(); v != "" {
		for entry := range strings.SplitSeq(s.env(v), ":") {
			if strings.HasSuffix(entry, ".json") {
				out = append(out, s.path(entry))
			} else if entry != "" {
				add(entry)
			}
		}
		return out
	}
	home := s.env("HOME")
	dirs := []string{"/etc/xdg", "/etc", "/usr/local/etc", s.env("XDG_DATA_HOME"), "/usr/local/share", "/usr/share"}
	if home != "" {
		dirs = append(dirs, filepath.Join(home, ".config"), filepath.Join(home, ".local/share"))
	}
	dirs = append(dirs, strings.Split(s.env("XDG_DATA_DIRS"), ":")...)
	dirs = append(dirs, strings.Split(s.env("XDG_CONFIG_DIRS"), ":")...)
	slices.Sort(dirs)
	for _, d := range slices.Compact(dirs) {
		if d != "" {
			add(filepath.Join(d, "vulkan/icd.d"))
		}
	}
	return out
}

// drivers reads all manifests and checks their libraries. Manifests that cannot
// be used are problems of their own.
func (s System) drivers() ([]driver, []Problem) {
	var out []driver
	var problems []Problem
	for _, path := range s.manifests() {
		d, err := s.manifest(path)
		if err != nil {
			problems = append(problems, Problem{Code: "manifest", Subject: d.manifest,
				Text: "the loader cannot use this driver manifest: " + err.Error(), Fix: "reinstall the package it belongs to, or remove it"})
			continue
		}
		arch, broken := s.loadable(d.library)
		if !arch { // of another architecture, such as the i386 half of a package
			continue
		}
		if broken != "" {
			d.broken, d.fix = broken, "reinstall the driver, or install the package that holds the missing library"
			if s.Container() != "" {
				d.fix += " in the container"
			}
			problems = append(problems, Problem{Code: "library", Subject: d.manifest, Text: "its library cannot be loaded: " + broken, Fix: d.fix})
		}
		out = append(out, d)
	}
	return out, problems
}

func (s System) manifest(path string) (driver, error) {
	d := driver{manifest: "/" + strings.TrimPrefix(strings.TrimPrefix(path, s.path()), "/")}
	raw, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	var doc struct {
		ICD *struct {
			Library string `json:"library_path"`
		} `json:"ICD"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return d, fmt.Errorf("malformed JSON: %w", err)
	}
	if doc.ICD == nil || doc.ICD.Library == "" {
		return d, fmt.Errorf("it names no library_path")
	}
	d.library = doc.ICD.Library
	if strings.Contains(d.library, "/") && !filepath.IsAbs(d.library) { // relative to the manifest
		d.library = filepath.Join(filepath.Dir(d.manifest), d.library)
	}
	return d, nil
}
