package scripts

import (
	"strings"
	"testing"
)

// With the build that measured the baseline the recipe measures suspicious rows again,
// once, and all formats tell the outcome. What it says of the times is not asked here.
func TestRecipeConfirms(t *testing.T) {
	j, recipe := newJob(t), repository(t)+"/scripts/ci-recipe.sh"
	const measure = " -- memory/triad --software 1 --gpus 1 --size 4096 --launches 2 --samples 3 --max-time 30ms --mode strong"
	code, out := j.bash(t, recipe+" --out first"+measure)
	expect(t, "first", code, 0, out)
	code, out = j.bash(t, recipe+" --baseline first/results.json --base-binary amgpu --threshold 90%"+measure)
	expect(t, "second", code, 0, out, "1 suspicious row", "block 1 of 6: base build", "block 1 of 6: new build", "3 looks")
	if strings.Count(out, "block 1 of 6: new build") != 1 {
		t.Errorf("measured more than once:\n%s", out)
	}
	if !strings.Contains(j.read(t, "amgpu-ci/summary.md"), "3 looks") || !strings.Contains(j.read(t, "amgpu-ci/junit.xml"), "3 looks") {
		t.Error("summary.md or junit.xml is not of the confirmation")
	}
	if !j.has("amgpu-ci/results.json.confirm-base") || !j.has("amgpu-ci/results.json.confirm-new") {
		t.Error("the launches of the confirmation are not kept")
	}
	// Several occasions have no one build.
	code, out = j.bash(t, "mkdir many && cp first/results.json many/1.json && cp amgpu-ci/results.json many/2.json && "+recipe+" --baseline many --base-binary amgpu --threshold 90%"+measure)
	expect(t, "folder", code, 2, out, "--confirm needs one result as baseline, there are 2")
}
