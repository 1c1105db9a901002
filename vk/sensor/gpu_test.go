//go:build gpu

package sensor

import (
	"strings"
	"testing"
	"time"
)

// Every NVIDIA card of this machine queues its Xid events, and fetching them waits for
// nothing.
func TestXidsOfGPUs(t *testing.T) {
	lib, note := openNVML(nil)
	if lib == nil {
		t.Fatal(note)
	}
	defer lib.close()
	var ids []Identity
	for _, c := range lib.cards {
		ids = append(ids, Identity{UUID: strings.TrimPrefix(c.uuid, "GPU-"), PCI: c.pci})
	}
	set := System{}.Open(ids)
	for i, d := range set.Devices {
		r := d.Read(1 << XidErrors)
		if n, ok := r.Value(XidErrors); !ok || n != 0 {
			t.Errorf("device %d, %s: %g Xids, known %v", i, ids[i].PCI, n, ok)
		}
		const readings = 100
		begin := time.Now()
		for range readings {
			d.Read(1 << XidErrors)
		}
		took := time.Since(begin) / readings
		t.Logf("device %d, %s: a reading takes %v", i, ids[i].PCI, took)
		if took > time.Millisecond {
			t.Errorf("device %d: a reading of nothing takes %v", i, took)
		}
	}
	begin := time.Now()
	set.Close()
	if took := time.Since(begin); took > time.Second {
		t.Errorf("closing took %v", took)
	}
}
