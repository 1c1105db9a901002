package input

import "github.com/prometheus/procfs"

// Free is the kernel's estimate of the host memory that can be taken without swapping, in
// bytes; false where it gives none.
func Free() (int64, bool) {
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
