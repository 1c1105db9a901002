package engine

import "github.com/prometheus/procfs"

// hostMemoryAvailable is the kernel's estimate of memory that can be taken
// without swapping, in bytes.
func hostMemoryAvailable() (int64, bool) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, false
	}
	m, err := fs.Meminfo()
	if err != nil || m.MemAvailableBytes == nil {
		return 0, false
	}
	return int64(*m.MemAvailableBytes), true
}
