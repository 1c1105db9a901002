package cmd

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// Mesa's cache is turned off where its folder, or that in which Mesa will make it, has no
// room, and only there; what the user says of it stands.
func TestMesaCacheIsSpared(t *testing.T) {
	free := map[string]uint64{"/": 1 << 40, "/home": 1 << 40, "/full": 0, "/full/here": 1 << 20, "/edge": mesaCacheRoom}
	room := func(folder string) (uint64, error) {
		if n, ok := free[folder]; ok {
			return n, nil
		}
		if folder == "/closed" {
			return 0, fs.ErrPermission
		}
		return 0, fs.ErrNotExist
	}
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/home"}, ""},
		{map[string]string{"HOME": "/full"}, "true"},
		{map[string]string{"HOME": "/full", "XDG_CACHE_HOME": "/home/c"}, ""},
		{map[string]string{"HOME": "/home", "XDG_CACHE_HOME": "/full/here"}, "true"},
		{map[string]string{"HOME": "/full", "MESA_SHADER_CACHE_DIR": "/edge"}, ""},
		{map[string]string{"HOME": "/home", "MESA_GLSL_CACHE_DIR": "/full/a/b/c"}, "true"},
		{map[string]string{"HOME": "/full", "MESA_SHADER_CACHE_DISABLE": "false"}, ""},
		{map[string]string{"HOME": "/closed/home", "XDG_CACHE_HOME": "/closed"}, ""},
		{map[string]string{}, ""},
	} {
		for _, name := range mesaCacheSwitches {
			t.Setenv(name, "") // put back at the end
		}
		err := spareMesaCache(func(name string) string { return c.env[name] }, room)
		for _, name := range mesaCacheSwitches {
			if got := os.Getenv(name); got != c.want || err != nil {
				t.Errorf("%v: %s=%q, %v; want %q", c.env, name, got, err, c.want)
			}
		}
	}
	if n, err := freeBytes(t.TempDir()); err != nil || n == 0 {
		t.Errorf("free bytes: %d, %v", n, err)
	}
	if _, err := freeBytes("/no/such/folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("free bytes of no folder: %v", err)
	}
}
