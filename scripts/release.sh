#!/usr/bin/env bash
# Builds what a release consists of into dist/: for linux amd64 and arm64 an archive
# and a Debian package, and SHA256SUMS. One of both is compiled for the machine it
# runs on, the other with Debian's cross compiler.
#
#   scripts/release.sh [VERSION]   (default: the tag of HEAD, else cmd/version.go's)
#
# The same commit and compilers give the same bytes: times are the commit's.
set -euo pipefail
cd "$(dirname "$0")/.."

go=${GO:-go}
version=${1:-$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || true)}
version=${version#v}
[ -n "$version" ] || version=$(sed -n 's/^var version = "\(.*\)"$/\1/p' cmd/version.go)
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]]; then
	echo "release: version '$version' is not like 1.2.3 or 1.2.3-rc.1" >&2
	exit 2
fi
maintainer='amgpu developers <amgpu@users.noreply.github.com>'
# Debian sorts 1.0~rc before 1.0 and takes a hyphen for the packager's revision.
debian=${version/-/\~}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=1 GOOS=linux

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dist=dist
mkdir -p "$dist"
rm -f "$dist"/amgpu_* "$dist"/SHA256SUMS # of another version, too
umask 022

# The cross compiler has its own C library's headers and looks nowhere else. The
# Vulkan headers are the same for every processor: they alone are added.
mkdir -p "$work/include"
for name in vulkan vk_video; do
	[ ! -d "/usr/include/$name" ] || ln -s "/usr/include/$name" "$work/include/$name"
done

native=$("$go" env GOHOSTARCH)
declare -A triplet=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)

compile() { # architecture, output
	local cc=${triplet[$1]}-gcc
	[ "$1" != "$native" ] || cc=${CC:-gcc}
	echo "release: compiling for linux/$1 with $cc" >&2
	GOARCH=$1 CC=$cc CGO_CFLAGS="-O2 -I$work/include" "$go" build -trimpath -buildvcs=true -buildmode=pie \
		-ldflags "-s -w -X github.com/amgpu/amgpu/cmd.version=$version" -o "$2" .
}

# glibc BINARY: the oldest C library that has every symbol it takes from there.
glibc() { readelf -V "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1; }

for arch in amd64 arm64; do
	compile "$arch" "$work/$arch/amgpu"
done
# Manual pages and completions say the same for both; the one that runs here writes them.
here=$work/$native/amgpu
"$here" man "$work/man" 2>/dev/null
gzip -9n "$work"/man/*.1
mkdir "$work/completion"
for shell in bash zsh fish; do "$here" completion "$shell" >"$work/completion/amgpu.$shell"; done

# The binary holds Go's library and the modules below: their licences go with it.
notices() { # title, folder
	local file found=
	for file in "$2"/{LICENSE,LICENCE,COPYING,NOTICE}*; do
		[ ! -f "$file" ] || { printf '\n==== %s: %s\n\n' "$1" "${file##*/}" && cat "$file" && found=yes; }
	done
	[ -n "$found" ] || { echo "release: no licence file of $1 in $2" >&2 && return 1; }
}
{
	echo "amgpu contains parts of these works."
	notices "Go $("$go" env GOVERSION)" "$("$go" env GOROOT)"
	"$go" version -m "$here" | awk '$1 == "dep" { print $2 }' | while read -r module; do
		notices "$module" "$("$go" list -m -f '{{.Dir}}' "$module")"
	done
} >"$work/THIRD-PARTY"

for arch in amd64 arm64; do
	binary=$work/$arch/amgpu
	name=amgpu_${version}_linux_$arch

	tree=$work/$name
	mkdir -p "$tree/man"
	cp "$binary" LICENSE README.md CHANGELOG.md scripts/ci-recipe.sh "$work/THIRD-PARTY" "$tree"
	cp "$work"/man/*.gz "$tree/man"
	cp -r "$work/completion" "$tree"
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
		-cf - "$name" | gzip -9n >"$dist/$name.tar.gz"

	root=$work/deb-$arch
	install -D -m 755 "$binary" "$root/usr/bin/amgpu"
	install -D -m 755 scripts/ci-recipe.sh "$root/usr/share/amgpu/ci-recipe.sh"
	install -D -m 644 -t "$root/usr/share/man/man1" "$work"/man/*.gz
	install -D -m 644 "$work/completion/amgpu.bash" "$root/usr/share/bash-completion/completions/amgpu"
	install -D -m 644 "$work/completion/amgpu.zsh" "$root/usr/share/zsh/vendor-completions/_amgpu"
	install -D -m 644 "$work/completion/amgpu.fish" "$root/usr/share/fish/vendor_completions.d/amgpu.fish"
	doc=$root/usr/share/doc/amgpu
	install -D -m 644 -t "$doc" README.md CHANGELOG.md "$work/THIRD-PARTY"
	cat >"$doc/copyright" <<-END
		Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
		Upstream-Name: amgpu
		Source: https://github.com/amgpu/amgpu

		Files: *
		Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) amgpu developers
		License: Apache-2.0
		 The text is in /usr/share/common-licenses/Apache-2.0. Works that the program
		 contains, with their licences: /usr/share/doc/amgpu/THIRD-PARTY.gz.
	END
	cat >"$doc/changelog" <<-END
		amgpu ($debian) unstable; urgency=medium

		  * What changed: /usr/share/doc/amgpu/CHANGELOG.md.gz

		 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
	END
	chmod 644 "$doc/copyright" "$doc/changelog"
	gzip -9n "$doc/changelog" "$doc/CHANGELOG.md" "$doc/THIRD-PARTY"
	mkdir "$root/DEBIAN"
	cat >"$root/DEBIAN/control" <<-END
		Package: amgpu
		Version: $debian
		Architecture: $arch
		Maintainer: $maintainer
		Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
		Depends: libc6 (>= $(glibc "$binary")), libvulkan1
		Recommends: mesa-vulkan-drivers | vulkan-icd
		Section: utils
		Priority: optional
		Homepage: https://github.com/amgpu/amgpu
		Description: measure Vulkan GPUs, and how work scales over several of them
		 amgpu tells how fast a set of Vulkan GPUs is, how well work scales from one
		 to all of them and where the lost time went, with verified results and an
		 interval on every efficiency. It compares results and gates on regressions.
	END
	dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/amgpu_${debian}_$arch.deb" >/dev/null
done

(cd "$dist" && sha256sum amgpu_* >SHA256SUMS)
echo "release: $version in $dist/" >&2
cat "$dist/SHA256SUMS"
