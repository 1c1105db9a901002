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

while IFS=: read -r file target; do
	package=./$(dirname "$file")
	found=$((found + 1))
	# Without a limit the time goes into shortening inputs of code that runs goroutines.
	echo "fuzz: $package $target for $time"
	"$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "${workers[@]}" "$package"
done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/^\.\///; s/:func /:/' | sort)

if [ "$found" -eq 0 ]; then
	echo "fuzz: no fuzz target found" >&2
	exit 1
fi
echo "fuzz: $found targets passed"
