#!/usr/bin/env bash
# Finds a Go that can build this module and prints two words: the go command and
# the GOTOOLCHAIN to use with it. Any Go from 1.21 on fetches the release that
# go.mod names by itself, unless the distribution switched that off; "auto"
# switches it on again. Exits 2 with instructions when there is no usable Go.
set -euo pipefail
cd "$(dirname "$0")/.."

need=$(sed -n 's/^go \([0-9.]*\)$/\1/p' go.mod)
oldest=1.21

# at_least A B: version A is B or newer.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

instructions() {
	{
		echo "amgpu: $1"
		echo "  amgpu needs Go $need, or any Go from $oldest on, which fetches $need by itself. Either"
		echo "  - take it from https://go.dev/dl/ and unpack it: tar -C /usr/local -xzf go$need.linux-*.tar.gz"
		echo "    (/usr/local/go/bin is found without being in PATH), or"
		echo "  - on Debian 13, Ubuntu 24.04 or newer: apt-get install golang-go"
		echo "    (Debian 12 has only 1.19: use go.dev, or golang-go from bookworm-backports)"
	} >&2
	exit 2
}

go=
for candidate in "${GO:-}" "$(command -v go || true)" /usr/local/go/bin/go /usr/lib/go/bin/go; do
	if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
		go=$candidate
		break
	fi
done
[ -n "$go" ] || instructions "no go command found."

# Asked outside the module, so that an old Go answers instead of complaining.
have=$(cd / && GOTOOLCHAIN=local "$go" version | sed -n 's/^go version go\([0-9.]*\).*/\1/p')
if [ -z "$have" ]; then
	have=$need # a development build names no release: let the compiler decide
fi
if at_least "$have" "$need"; then
	echo "$go $("$go" env GOTOOLCHAIN 2>/dev/null || echo local)"
elif at_least "$have" "$oldest"; then
	echo "$go auto"
else
	instructions "$go is Go $have: too old."
fi
