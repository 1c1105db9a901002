#!/usr/bin/env bash
# For a machine with GPUs: lists them, verifies every workload on all of them at
# size S, prints a short scaling table at size M, then the rows of gpu-rows.tsv on the
# first GPU: our column of the first table of docs/performance.md. The result files stay in
# the folder given as first argument (default: gpu-check under the temporary folder).
# --rows prints the rows alone. GPU_CHECK_ROWS is another list of rows, GPU_CHECK_FLAGS are
# added to their commands (--software 1 on a machine without GPUs).
# Exits with amgpu's own code (8: no usable GPU, 6: wrong result, ...).
set -euo pipefail
cd "$(dirname "$0")/.."

all=yes
if [ "${1:-}" = --rows ]; then
	all=no
	shift
fi
out=${1:-${TMPDIR:-/tmp}/amgpu-gpu-check}
mkdir -p "$out"

# value FILE WHAT FACTOR: the rate of the only row, or the median empty step, in the unit asked for.
value() {
	if [ "$2" = empty ]; then
		grep -o '"empty_gate":[^,}]*' "$1" | cut -d: -f2 | sort -g |
			awk -v f="$3" '{ t[NR] = $1 } END { printf "%.4g\n", f * (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'
		return
	fi
	# Quoted cells may hold commas; none of those is asked for.
	./amgpu report "$1" --format csv | sed 's/"[^"]*"//g' | awk -F, -v f="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ if ($at["rate"] == "") print $at["status"]; else printf "%.4g\n", f * $at["rate"] }'
}

# row NAME WHAT FACTOR UNIT LEAST AIM COMMAND
row() {
	local file="$out/row-$count.json" words got code=0
	read -ra words <<<"$7"
	if [ "${words[0]}" = run ]; then
		words+=(--max-devices 1)
	fi
	# shellcheck disable=SC2086 # several flags
	./amgpu "${words[@]}" --preset quick --no-progress ${GPU_CHECK_FLAGS:-} -o "$file" >"$out/row-$count.txt" 2>&1 || code=$?
	case $code in
	0) got=$(value "$file" "$2" "$3") ;;
	*)
		got="exit $code"
		if grep -q '; the pool is: ' "$out/row-$count.txt"; then
			got="too few GPUs"
		elif [ "$worst" -eq 0 ]; then
			worst=$code
		fi
		;;
	esac
	printf '%-26s %12s %-9s at least %s, aim %s   amgpu %s\n' "$1" "$got" "$4" "$5" "$6" "$7"
}

if [ "$all" = yes ]; then
	echo "== devices"
	./amgpu devices

	echo "== every workload, size S, all GPUs as one team"
	mapfile -t workloads < <(./amgpu suites --json | grep -o '"id": *"[^"]*"' | cut -d'"' -f4)
	./amgpu run "${workloads[@]}" --team --size S --preset quick -o "$out/verify.json"

	echo "== scaling, size M"
	./amgpu scale memory/triad ga/product linalg/matmul --size M --preset quick -o "$out/scale.json"
fi

echo "== rows of docs/performance.md"
count=0
worst=0
while IFS=$'\t' read -r -a fields; do
	case ${fields[0]:-} in
	'' | '#'*) continue ;;
	esac
	count=$((count + 1))
	row "${fields[@]}"
done <"${GPU_CHECK_ROWS:-scripts/gpu-rows.tsv}"

echo "result files: $out"
exit "$worst"
