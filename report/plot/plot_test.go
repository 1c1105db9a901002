package plot

import (
	"os"
	"testing"

	"github.com/amgpu/amgpu/report/result"
	"github.com/amgpu/amgpu/report/stat"
)

func charts(t *testing.T, name string) []Chart {
	t.Helper()
	res, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	rows, laws, _ := stat.Summary(res)
	return Charts(rows, laws)
}

func TestLook(t *testing.T) {
	for _, n := range []string{"scaling", "unequal", "quick"} {
		for _, k := range Kinds() {
			c := charts(t, n)
			p, err := c[len(c)-1].PNG(k)
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile("/tmp/look-"+n+string(k)+".png", p, 0o644)
			s, _ := c[0].Inline(k, "x")
			os.WriteFile("/tmp/look-"+n+string(k)+".svg", []byte(s), 0o644)
		}
	}
}
