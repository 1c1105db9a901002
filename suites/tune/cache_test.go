package tune

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func entry(group int64) Entry {
	return Entry{
		Key:       Key{Workload: "a/b", Split: "rows", Params: "f=9", SizeClass: 20, Shaders: "s", Device: "GPU", Driver: "d 1.2"},
		Constants: map[string]int64{"group": group}, WinShaders: "s",
	}
}

func TestCacheKeepsByKey(t *testing.T) {
	c := OpenCache(filepath.Join(t.TempDir(), "new"))
	e := entry(64)
	if _, found, err := c.Get(e.Key, few); found || err != nil {
		t.Fatalf("an empty cache: %v %v", found, err)
	}
	for _, group := range []int64{64, 128} { // the second replaces the first
		if err := c.Put(entry(group)); err != nil {
			t.Fatal(err)
		}
		got, found, err := c.Get(e.Key, few)
		if err != nil || !found || !maps.Equal(got.Constants, map[string]int64{"group": group}) {
			t.Fatalf("%+v %v %v", got, found, err)
		}
	}
	for what, change := range map[string]func(k *Key){
		"workload": func(k *Key) { k.Workload = "a/c" }, "split": func(k *Key) { k.Split = "" }, "params": func(k *Key) { k.Params = "f=3" },
		"size": func(k *Key) { k.SizeClass++ }, "shaders": func(k *Key) { k.Shaders = "t" },
		"device": func(k *Key) { k.Device = "GPU 2" }, "driver": func(k *Key) { k.Driver = "d 1.3" },
	} {
		k := e.Key
		change(&k)
		if _, found, err := c.Get(k, few); found || err != nil {
			t.Errorf("another %s: %v %v", what, found, err)
		}
	}
	for _, none := range []*Cache{nil, OpenCache("")} {
		if _, found, err := none.Get(e.Key, few); found || err != nil || none.Put(e) != nil {
			t.Errorf("no cache: %v %v", found, err)
		}
	}
}

// A damaged entry is an error that says so, whatever byte it is, and never constants; a
// search can replace it.
func TestCacheDamaged(t *testing.T) {
	c := OpenCache(t.TempDir())
	e := entry(64)
	if err := c.Put(e); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(c.path(e.Key))
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{"empty": {}, "cut": good[:len(good)/2], "text": []byte("no JSON"), "null": []byte("null\n")}
	for i := range good[:len(good)-1] { // the last is the line's end
		x := bytes.Clone(good)
		x[i] ^= 1
		damaged[fmt.Sprint("byte ", i)] = x
	}
	for what, raw := range damaged {
		if err := os.WriteFile(c.path(e.Key), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		got, found, err := c.Get(e.Key, few)
		if found || err == nil || got.Constants != nil || !strings.Contains(err.Error(), c.path(e.Key)) {
			t.Errorf("%s: %+v, found %v, error %v", what, got, found, err)
		}
	}
	// Constants that are no choice any more.
	if err := c.Put(entry(96)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := c.Get(e.Key, few); found || err == nil || !strings.Contains(err.Error(), "group=96") {
		t.Errorf("found %v, error %v", found, err)
	}
	if err := c.Put(e); err != nil {
		t.Fatal(err)
	}
	if _, found, err := c.Get(e.Key, few); !found || err != nil {
		t.Errorf("not replaced: %v %v", found, err)
	}
}

// Writers and readers at the same time: a reader finds a whole entry of one of them.
func TestCacheConcurrent(t *testing.T) {
	dir := t.TempDir()
	if err := OpenCache(dir).Put(entry(64)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, group := range []int64{64, 128, 256} {
		wg.Go(func() {
			c := OpenCache(dir)
			for range 30 {
				if err := c.Put(entry(group)); err != nil {
					t.Error(err)
				}
				if e, found, err := c.Get(entry(0).Key, few); err != nil || !found || e.Constants["group"] == 0 {
					t.Errorf("%+v %v %v", e, found, err)
				}
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files left: %v %v", left, err)
	}
}

func TestSizeClass(t *testing.T) {
	for n, want := range map[int64]int{1: 0, 2: 1, 3: 1, 4: 2, 1 << 28: 28, 1<<28 + 1: 28, 1<<29 - 1: 28} {
		if got := SizeClass(n); got != want {
			t.Errorf("%d: class %d, want %d", n, got, want)
		}
	}
	if got := ParamText(map[string]int64{"b": 2, "a": 1}); got != "a=1 b=2" {
		t.Error(got)
	}
}
