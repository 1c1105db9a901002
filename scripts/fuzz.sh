#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME (default 2m) each: the readers of
# results and journals, rules, kernel descriptions, SPIR-V, tables, settings, plans and
# expressions, and what computes on whatever they accept. go test fuzzes one target of
# one package at a time, so they are found by name. Inputs that break one are left by go
# test under the package's testdata/fuzz. PARALLEL limits the workers (default: one for
# each processor).
set -euo pipefail
cd "$(dirname "$0")/.."

go=${GO:-go}
time=${FUZZTIME:-2m}
workers=()
[ -z "${PARALLEL:-}" ] || workers=(-parallel "$PARALLEL")
found=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# raced tells whether the run in $log failed by nothing but a race of go test before 1.27
# with the end of its own time (go.dev/issue/75804): no input is named then.
raced() {
	grep -qx '    context deadline exceeded' "$log" && ! grep -qE 'Failing input|^panic:|fuzzing process (hung|terminated)' "$log" &&
		[ "$(grep -c -- '--- FAIL:' "$log")" -eq 1 ]
}

while IFS=: read -r file target; do
	package=./$(dirname "$file")
	found=$((found + 1))
	# Without a limit the time goes into shortening inputs of code that runs goroutines.
	echo "fuzz: $package $target for $time"
	code=0
	"$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "${workers[@]}" "$package" 2>&1 | tee "$log" || code=$?
	[ "$code" -eq 0 ] && continue
	raced || exit "$code"
	echo "fuzz: $package $target: its time ended while an input ran (go.dev/issue/75804); none has failed"
done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/^\.\///; s/:func /:/' | sort)

if [ "$found" -eq 0 ]; then
	echo "fuzz: no fuzz target found" >&2
	exit 1
fi
echo "fuzz: $found targets passed"
