#!/usr/bin/env bash
# Unpacks the pinned shader compiler and validator, Debian 13's, into a folder of their own
# and leaves the system alone: they run with their own loader and C library.
#
#   scripts/glslc.sh          the folder is AMGPU_TOOLS, else below the user's cache folder
#
# Shaders of cooperative matrices need them: older compilers reject the language extension.
# Nothing is done where they are there already. Exits 2 when they cannot be had.
set -euo pipefail

# What `// glslc: pinned` in a shader means; the manifest names the same version.
declare -A pinned=(
	[glslc]=2025.2-1
	[libshaderc1]=2025.2-1
	[spirv-tools]=2025.1~rc1-1
	[libc6]="" # the release's own, for the programs alone
	[libstdc++6]=""
	[libgcc-s1]=""
)
order=(glslc libshaderc1 spirv-tools libc6 libstdc++6 libgcc-s1)

say() { echo "glslc: $*" >&2; }

root=${AMGPU_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/amgpu-tools}/glslc-${pinned[glslc]}
[ -x "$root/glslc" ] && "$root/glslc" --version >/dev/null 2>&1 && exit 0

[ "$(uname -m)" = x86_64 ] || { say "the pinned compiler is for x86_64; set AMGPU_GLSLC_PINNED to a glslc ${pinned[glslc]}"; exit 2; }
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
	say "no apt-get here: install glslc and spirv-tools of version ${pinned[glslc]} or newer, and set AMGPU_GLSLC_PINNED to that glslc"
	exit 2
}
# Mirrors that this machine's own sources name, without asking any: its lists may be empty.
mapfile -t mirrors < <(apt-get --print-uris update 2>/dev/null |
	sed -n "s|^'\(.*debian.*\)/dists/[^']*/InRelease'.*|\1|p" | grep -v security | awk '!seen[$0]++')
[ ${#mirrors[@]} -gt 0 ] || { say "this machine's package sources name no mirror of Debian, which the pinned compiler comes from"; exit 2; }

mkdir -p "$(dirname "$root")"
work=$(mktemp -d "$root.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,tree}
options=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/lists"
	-o "Dir::Cache=$work" -o APT::Architecture=amd64 -o Acquire::Languages=none -o APT::Sandbox::User=)
say "unpacking glslc ${pinned[glslc]} to $root"
found=
for mirror in "${mirrors[@]}"; do
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$work/sources.list"
	if apt-get "${options[@]}" -o APT::Update::Error-Mode=any update >&2; then
		found=$mirror
		break
	fi
done
[ -n "$found" ] || { say "no mirror of Debian among this machine's package sources could be read"; exit 2; }
for package in "${order[@]}"; do
	version=${pinned[$package]}
	(cd "$work/archives" && apt-get "${options[@]}" download "$package${version:+=$version}" >&2)
done
for file in "$work"/archives/*.deb; do
	dpkg-deb -x "$file" "$work/tree"
done
(cd "$work/archives" && sha256sum ./*.deb) >"$work/tree/packages.sha256"

# Each program as a script that starts it through its own loader.
for program in glslc spirv-val; do
	cat >"$work/tree/$program" <<-END
		#!/bin/sh
		root=\$(dirname "\$(readlink -f "\$0")")
		exec "\$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$root/usr/lib/x86_64-linux-gnu" "\$root/usr/bin/$program" "\$@"
	END
	chmod +x "$work/tree/$program"
done
"$work/tree/glslc" --version >&2
chmod 755 "$work/tree"
rm -rf "$root"
mv "$work/tree" "$root"
