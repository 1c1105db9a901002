#!/usr/bin/env bash
# For a machine with GPUs: lists them, verifies every workload on all of them at
# size S, then prints a short scaling table at size M. The result files stay in
# the folder given as first argument (default: gpu-check under the temporary folder).
# Exits with amgpu's own code (8: no usable GPU, 6: wrong result, ...).
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-${TMPDIR:-/tmp}/amgpu-gpu-check}
mkdir -p "$out"

echo "== devices"
./amgpu devices

echo "== every workload, size S, all GPUs as one team"
mapfile -t workloads < <(./amgpu suites --json | grep -o '"id": *"[^"]*"' | cut -d'"' -f4)
./amgpu run "${workloads[@]}" --team --size S --preset quick -o "$out/verify.json"

echo "== scaling, size M"
./amgpu scale memory/triad ga/product linalg/matmul --size M --preset quick -o "$out/scale.json"

echo "result files: $out"
