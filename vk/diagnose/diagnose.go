// Package diagnose explains why a GPU that the operating system sees is not one
// that Vulkan shows: kernel driver, device files, driver manifests and the
// libraries they name, containers. It reads files only and starts no driver, so
// it works when the loader does not.
package diagnose

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Problem is one finding with its remedy.
type Problem struct {
	Code    string `json:"code"`    // stable, for scripts
	Subject string `json:"subject"` // a device or a file
	Text    string `json:"text"`    // what is wrong
	Fix     string `json:"fix"`     // what to do
}

// System is the machine to look at. The zero value is this one.
type System struct {
	Root   string                  // prefix of every path, for tests
	Getenv func(string) string     // nil: os.Getenv
	Access func(path string) error // may this process read and write path; nil: ask the kernel
}

func (s System) path(parts ...string) string {
	return filepath.Join(append([]string{"/", s.Root}, parts...)...)
}

func (s System) env(name string) string {
	if s.Getenv != nil {
		return s.Getenv(name)
	}
	return os.Getenv(name)
}

func (s System) access(path string) error {
	if s.Access != nil {
		return s.Access(path)
	}
	return unix.Access(path, unix.R_OK|unix.W_OK)
}

func (s System) exists(parts ...string) bool {
	_, err := os.Stat(s.path(parts...))
	return err == nil
}

// read returns a small file without its final newline, or "".
func (s System) read(parts ...string) string {
	raw, err := os.ReadFile(s.path(parts...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Check compares what the system has with the PCI addresses Vulkan shows.
func (s System) Check(shown []string) []Problem {
	drivers, problems := s.drivers()
	missing := 0
	for _, g := range s.gpus() {
		if slices.ContainsFunc(shown, func(p string) bool { return strings.EqualFold(p, g.pci) }) {
			continue
		}
		missing++
		problems = append(problems, s.explain(g, drivers))
	}
	if missing == 0 && len(shown) == 0 {
		problems = append(problems, s.noGPU())
	}
	return problems
}

// noGPU explains an empty PCI bus.
func (s System) noGPU() Problem {
	p := Problem{Code: "no-gpu", Subject: "machine", Text: "the PCI bus shows no GPU",
		Fix: "use `--software 2` to measure on software devices"}
	switch {
	case s.Container() != "":
		p.Text += " to this " + s.Container() + " container"
		p.Fix = "start the container with its GPUs (`--gpus all` for NVIDIA, `--device /dev/dri` for others), or " + p.Fix
	case s.virtual():
		p.Text += " to this virtual machine"
		p.Fix = "pass a GPU through from the host, or " + p.Fix
	}
	return p
}

// Container names the container runtime this process runs under, or "".
func (s System) Container() string {
	switch {
	case s.exists(".dockerenv"):
		return "docker"
	case s.exists("run/.containerenv"):
		return "podman"
	case s.env("KUBERNETES_SERVICE_HOST") != "":
		return "kubernetes"
	case s.env("container") != "":
		return s.env("container")
	}
	return ""
}

// virtual tells whether the CPU says that it is a hypervisor's guest.
func (s System) virtual() bool {
	for line := range strings.Lines(s.read("proc/cpuinfo")) {
		if name, flags, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			return slices.Contains(strings.Fields(flags), "hypervisor")
		}
	}
	return false
}
