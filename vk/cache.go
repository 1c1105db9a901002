package vk

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// cacheFile names a pipeline's file by driver, model of the device, shader and
// constants: a cache of anything else is never read, and devices of one kind share it.
func (d *Device) cacheFile(o KernelOptions) string {
	if d.options.CacheDir == "" || o.Hash == "" {
		return ""
	}
	h := sha256.New()
	i := d.Info()
	h.Write(i.DriverUUID[:])
	h.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, i.VendorID), i.DeviceID))
	h.Write([]byte(i.DriverVersion + "|" + i.Name + "|" + o.Hash + "|" + o.Entry))
	if o.Subgroup > 0 {
		h.Write(fmt.Appendf(nil, "|%d|", o.Subgroup))
	}
	for _, s := range o.Spec {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.ID)<<32|uint64(s.Value)))
	}
	return filepath.Join(d.options.CacheDir, hex.EncodeToString(h.Sum(nil)[:16])+pipelineSuffix)
}

// loadCache reads a pipeline's cache data; nil when there is none.
func (d *Device) loadCache(o KernelOptions) []byte {
	file := d.cacheFile(o)
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil || len(data) <= sha256.Size {
		return nil
	}
	// A torn or damaged file must not reach the driver.
	sum := sha256.Sum256(data[sha256.Size:])
	if string(sum[:]) != string(data[:sha256.Size]) {
		return nil
	}
	touch(file)
	return data[sha256.Size:]
}

// dropCache removes cache data that a driver did not take.
func (d *Device) dropCache(o KernelOptions) {
	if file := d.cacheFile(o); file != "" {
		_ = os.Remove(file) // it stays unread if it cannot be removed: the driver refuses it again
	}
}

// storeCache writes a pipeline's cache data; a cache that cannot be written
// only costs time, so errors are dropped.
func (d *Device) storeCache(o KernelOptions, data []byte) {
	file := d.cacheFile(o)
	if file == "" || len(data) == 0 {
		return
	}
	if os.MkdirAll(d.options.CacheDir, 0o755) != nil {
		return
	}
	trimOnce(d.options.CacheDir)
	// Processes that build the same pipeline replace each other's file as a whole.
	tmp, err := os.CreateTemp(d.options.CacheDir, pipelineTemp+"*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err1 := tmp.Write(sum[:])
	_, err2 := tmp.Write(data)
	if tmp.Close() != nil || err1 != nil || err2 != nil || os.Rename(tmp.Name(), file) != nil {
		_ = os.Remove(tmp.Name())
	}
}
