package peer

import (
	"os"
	"strings"
)

// whereabouts identify the machine of a process, and where in it sockets have their names.
type whereabouts struct{ Boot, Net string }

func here() (w whereabouts) {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	host, _ := os.Hostname()
	w.Boot = machineOf(string(boot), host)
	w.Net, _ = os.Readlink("/proc/self/ns/net") // else none is the same
	return w
}

// machineOf names a machine by its boot, and where that is not told, as in some sandboxes, by
// its host name: whether memory passes between two of one name is tried in any case. Empty: this
// process cannot say where it is.
func machineOf(boot, host string) string {
	if boot = strings.TrimSpace(boot); boot != "" {
		return boot
	}
	if host != "" {
		return "host " + host
	}
	return ""
}

// machine says whether two processes are on one machine, as far as both can tell.
func (w whereabouts) machine(other whereabouts) bool { return w.Boot != "" && w.Boot == other.Boot }
