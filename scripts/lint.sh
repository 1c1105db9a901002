#!/usr/bin/env bash
# Runs golangci-lint at the pinned version. The first run compiles it into ./bin
# through the Go module proxy (minutes); later runs use it from there.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v2.15.0
tool=bin/golangci-lint-$version
go=${GO:-go}

if [ ! -x "$tool" ]; then
	echo "lint: compiling golangci-lint $version into ./bin (once)" >&2
	mkdir -p bin
	# Installed from outside the module, so its requirements never mix with ours.
	(cd / && GOBIN="$OLDPWD/bin/.install" "$go" install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version")
	mv bin/.install/golangci-lint "$tool"
	rmdir bin/.install
fi
exec "$tool" run "$@" ./...
