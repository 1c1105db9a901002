package checkpoint

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func sample() (Header, State) {
	h := Header{Workload: "pinn/train", Run: map[string]string{"size": "256", "parameter rate": "1000"}, Of: 40}
	return h, State{Done: 7, Arrays: []Array{{"theta", []uint32{1, 2, 0xffffffff}}, {"none", []uint32{}}, {"clock", []uint32{9}}}}
}

func decode(content []byte) (Header, State, error) {
	h, at, err := ReadHeader(content)
	if err != nil {
		return h, State{}, err
	}
	s, err := h.State(content, at)
	return h, s, err
}

func encoded(t *testing.T) []byte {
	t.Helper()
	content, err := Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRoundTrip(t *testing.T) {
	h, s := sample()
	got, state, err := decode(encoded(t))
	if err != nil || !reflect.DeepEqual(state, s) || got.Differs(h) != "" || got.Done != 7 {
		t.Errorf("%v: %+v %+v, differs: %s", err, got, state, got.Differs(h))
	}
}

// TestEveryByteCounts: cut anywhere or changed anywhere, a file is refused with a place.
func TestEveryByteCounts(t *testing.T) {
	content := encoded(t)
	for n := range content {
		if _, _, err := decode(content[:n]); err == nil || !strings.Contains(err.Error(), "byte") {
			t.Errorf("cut after %d of %d bytes: %v", n, len(content), err)
		}
		for _, bit := range []byte{1, 0x80} {
			changed := bytes.Clone(content)
			changed[n] ^= bit
			if _, _, err := decode(changed); err == nil || !strings.Contains(err.Error(), "byte") {
				t.Errorf("byte %d changed: %v", n, err)
			}
		}
	}
	if _, _, err := decode(append(content, 0)); err == nil || !strings.Contains(err.Error(), "follow the last array") {
		t.Errorf("a byte more: %v", err)
	}
}

func TestMessages(t *testing.T) {
	content := encoded(t)
	for want, c := range map[string][]byte{
		"byte 0: this is no checkpoint of amgpu":   []byte("{}\n"),
		"byte 0: its format is amgpu/checkpoint/v": bytes.Replace(content, []byte("v1"), []byte("v9"), 1),
		"the file ends in array clock":             content[:len(content)-1],
		"array clock is not what was written":      append(bytes.Clone(content[:len(content)-1]), 1),
	} {
		if _, _, err := decode(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDiffers(t *testing.T) {
	f, _ := sample()
	for want, change := range map[string]func(h *Header){
		"its workload is pinn/train and not pinn/wave-fdtd": func(h *Header) { h.Workload = "pinn/wave-fdtd" },
		"its parameter rate is 1000 and not 2000":           func(h *Header) { h.Run["parameter rate"] = "2000" },
		"its size is 256, of which this run knows nothing":  func(h *Header) { delete(h.Run, "size") },
		"it says nothing of seed, which is 1":               func(h *Header) { h.Run["seed"] = "1" },
		"it is of 40 repetitions and not 80":                func(h *Header) { h.Of = 80 },
		"its size is 256 and not 128":                       func(h *Header) { h.Run["size"] = "128" },
	} {
		h, _ := sample()
		change(&h)
		if got := f.Differs(h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	content, _ := Encode(sample())
	f.Add(content)
	f.Add([]byte(Schema + " 2 x\n{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, s, err := decode(b)
		if err != nil {
			return
		}
		again, err := Encode(h, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, state, err := decode(again); err != nil || !reflect.DeepEqual(state, s) {
			t.Errorf("%v: %+v, want %+v", err, state, s)
		}
	})
}
