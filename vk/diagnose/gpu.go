package diagnose

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PCI vendors of GPUs that can have a Vulkan driver.
const (
	nvidia = "0x10de"
	amd    = "0x1002"
	intel  = "0x8086"
)

// displayOnly are vendors of server consoles and virtual screens, which no
// Vulkan driver serves.
var displayOnly = []string{
	"0x1a03", // ASPEED
	"0x102b", // Matrox
	"0x1234", // Bochs
	"0x1b36", // QXL
	"0x1013", // Cirrus
	"0x1414", // Hyper-V
	"0x15ad", // VMware
	"0x19e5", // Huawei console
}

// gpu is a display device on the PCI bus.
type gpu struct {
	pci, vendor, device string
	driver              string // kernel driver, or ""
	nodes               []string
}

func (g gpu) String() string {
	name := map[string]string{nvidia: "NVIDIA", amd: "AMD", intel: "Intel"}[g.vendor]
	if name == "" {
		name = "vendor " + g.vendor
	}
	return fmt.Sprintf("%s %s device %s", g.pci, name, g.device)
}

// gpus lists PCI devices of class 0x03 (display controllers) and of class 0x12
// (accelerators) of GPU vendors.
func (s System) gpus() []gpu {
	const dir = "sys/bus/pci/devices"
	entries, err := os.ReadDir(s.path(dir))
	if err != nil {
		return nil
	}
	var out []gpu
	for _, e := range entries {
		class, vendor := s.read(dir, e.Name(), "class"), s.read(dir, e.Name(), "vendor")
		known := slices.Contains([]string{nvidia, amd, intel}, vendor)
		if !strings.HasPrefix(class, "0x03") && (!strings.HasPrefix(class, "0x12") || !known) || slices.Contains(displayOnly, vendor) {
			continue
		}
		g := gpu{pci: e.Name(), vendor: vendor, device: s.read(dir, e.Name(), "device")}
		if link, err := os.Readlink(s.path(dir, e.Name(), "driver")); err == nil {
			g.driver = filepath.Base(link)
		}
		nodes, _ := os.ReadDir(s.path(dir, e.Name(), "drm")) // absent: no node
		for _, n := range nodes {
			if strings.HasPrefix(n.Name(), "renderD") {
				g.nodes = append(g.nodes, "dev/dri/"+n.Name())
			}
		}
		out = append(out, g)
	}
	return out
}

// explain finds the first link of the chain from PCI device to Vulkan driver
// that is broken.
func (s System) explain(g gpu, drivers []driver) Problem {
	p := Problem{Subject: g.String()}
	set := func(code, text, fix string) Problem {
		p.Code, p.Text, p.Fix = code, text, fix
		return p
	}
	switch {
	case g.driver == "":
		return set("no-kernel-driver", "no kernel driver is bound to it", "install the vendor's kernel driver, load its module and see `dmesg`")
	case g.driver == "vfio-pci" || g.driver == "pci-stub":
		return set("passed-through", "it is reserved for a virtual machine ("+g.driver+")", "use it inside that machine, or bind its own kernel driver again")
	}
	if problem, ok := s.nodes(g); !ok {
		problem.Subject = p.Subject
		return problem
	}
	want := vulkanDrivers(g)
	if len(want) == 0 {
		return set("no-vulkan-driver", "no Vulkan driver is known for kernel driver "+g.driver, "ask its vendor for one")
	}
	var found []driver
	for _, d := range drivers {
		if slices.ContainsFunc(want, func(w string) bool { return strings.Contains(filepath.Base(d.library), w) }) {
			found = append(found, d)
		}
	}
	switch {
	case len(found) == 0 && s.restricted() != "":
		return set("driver-hidden", s.restricted()+" hides its Vulkan driver from the loader", "unset it, or add the driver's manifest to it")
	case len(found) == 0 && g.driver == "nvidia" && s.withoutGraphics():
		return set("container-capability", "this container was started without the graphics capability (NVIDIA_DRIVER_CAPABILITIES="+s.env("NVIDIA_DRIVER_CAPABILITIES")+"), so the Vulkan driver was not mounted",
			"start it with -e NVIDIA_DRIVER_CAPABILITIES=all (or compute,utility,graphics)")
	case len(found) == 0:
		return set("driver-missing", "no manifest of its Vulkan driver ("+strings.Join(want, " or ")+") is installed", "install "+packageFor(g))
	}
	for _, d := range found {
		if d.broken == "" {
			if g.driver == "nvidia" && s.mig() {
				return set("mig", "its driver is installed, but the GPU is split by MIG, which Vulkan cannot use", "turn MIG off (nvidia-smi -mig 0) or use another GPU")
			}
			return set("driver-silent", "its driver "+d.manifest+" is installed and loads, but shows no device", "run with VK_LOADER_DEBUG=error,driver and see `dmesg`; the kernel and user parts of the driver may be of different versions")
		}
	}
	return set("driver-broken", "its driver "+found[0].manifest+" cannot be loaded: "+found[0].broken, found[0].fix)
}

// nodes checks the device files of a GPU; ok when they can be used.
func (s System) nodes(g gpu) (Problem, bool) {
	files := g.nodes
	if g.driver == "nvidia" {
		files = []string{"dev/nvidiactl"}
		if entries, err := filepath.Glob(s.path("dev/nvidia[0-9]*")); err == nil && len(entries) == 0 {
			files = append(files, "dev/nvidia0")
		} else {
			for _, e := range entries {
				files = append(files, "dev/"+filepath.Base(e))
			}
		}
	}
	for _, f := range files {
		if !s.exists(f) {
			fix := "load the kernel module and see `dmesg`"
			if s.Container() != "" {
				fix = "start the container with it (`--gpus all` for NVIDIA, `--device /dev/dri` for others)"
			}
			return Problem{Code: "no-device-file", Text: "its device file /" + f + " is absent", Fix: fix}, false
		}
		if err := s.access(s.path(f)); err != nil {
			return Problem{Code: "permission", Text: fmt.Sprintf("no permission for its device file /%s (%v)", f, err),
				Fix: "add the user to the file's group (often `sudo usermod -aG render,video $USER`) and log in again"}, false
		}
	}
	return Problem{}, true
}

// vulkanDrivers are parts of the file names of the libraries that can serve it.
func vulkanDrivers(g gpu) []string {
	switch g.driver {
	case "nvidia":
		return []string{"libGLX_nvidia", "libEGL_nvidia"}
	case "nouveau":
		return []string{"libvulkan_nouveau"}
	case "amdgpu", "radeon":
		return []string{"libvulkan_radeon", "amdvlk"}
	case "i915", "xe":
		return []string{"libvulkan_intel"}
	case "virtio-pci", "virtio_gpu":
		return []string{"libvulkan_virtio"}
	}
	return nil
}

func packageFor(g gpu) string {
	if g.driver == "nvidia" {
		return "the GL part of the NVIDIA driver (libnvidia-gl-VERSION, or nvidia-vulkan-icd on Debian) in the version of the kernel driver"
	}
	return "mesa-vulkan-drivers"
}

// withoutGraphics tells whether NVIDIA's container runtime was asked to leave
// the graphics libraries out.
func (s System) withoutGraphics() bool {
	if s.Container() == "" && s.env("NVIDIA_VISIBLE_DEVICES") == "" {
		return false
	}
	for c := range strings.SplitSeq(s.env("NVIDIA_DRIVER_CAPABILITIES"), ",") {
		if c = strings.TrimSpace(c); c == "all" || c == "graphics" {
			return false
		}
	}
	return true
}

// mig tells whether any NVIDIA GPU has MIG instances.
func (s System) mig() bool {
	found, err := filepath.Glob(s.path("proc/driver/nvidia/capabilities/gpu*/mig/gi*"))
	return err == nil && len(found) > 0
}
