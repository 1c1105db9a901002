package vk

import "fmt"

// Absent is an adapter of another process: what its devices look like is known here, and
// buffers of theirs can be named, but nothing can be done with them.
func Absent(info Info) *Adapter { return &Adapter{info: &info, absent: true} }

// Absent reports whether the device is one of another process.
func (d *Device) Absent() bool { return d.adapter.absent }

// openAbsent stands for the device: it has an Info and names buffers.
func (a *Adapter) openAbsent() *Device { return &Device{adapter: a, name: deviceName(a.info)} }

// absentBuffer is the name of a buffer, within the limits that its owner keeps.
func (d *Device) absentBuffer(size uint64) (*Buffer, error) {
	if limits := d.Info().Limits; size == 0 || size > limits.MaxBufferSize || size > limits.MaxAllocation {
		return nil, fmt.Errorf("buffer of %d bytes on %s: %w: the largest is %d", size, d.name, ErrUnsupported, min(limits.MaxBufferSize, limits.MaxAllocation))
	}
	return &Buffer{size: size}, nil
}

// Renumber gives the adapter another index, for teams over several processes that number
// their devices through. Not once a device of it is open.
func (a *Adapter) Renumber(index int) { a.info.Index = index }

// Absent reports whether the adapter is one of another process.
func (a *Adapter) Absent() bool { return a.absent }
