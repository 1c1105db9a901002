#!/usr/bin/env bash
# Installs the system packages that a step needs, and only those that are missing.
#
#   scripts/packages.sh build|mpi|demo|test|release
#
# It looks for the things themselves (a header, a driver manifest, a program),
# so a compiler or browser from elsewhere counts and nothing is asked of apt, nor
# of sudo, when everything is there. Exits 2 when something cannot be had.
set -euo pipefail

step=${1:-test}
case $step in
build | mpi | demo | test | release) ;;
*)
	echo "usage: $0 build|mpi|demo|test|release" >&2
	exit 2
	;;
esac

say() { echo "packages: $*" >&2; }

have_command() { command -v "$1" >/dev/null 2>&1; }
have_file() { compgen -G "$1" >/dev/null; }
have_header() { echo "#include <$1>" | "${CC:-gcc}" -E - >/dev/null 2>&1; }
cross_header() { echo '#include <stdio.h>' | "$1" -E - >/dev/null 2>&1; }
have_loader() {
	# The whole list at once: a reader that stops early would end ldconfig by SIGPIPE,
	# which pipefail takes for "not there".
	local known
	known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) || known=
	[[ $known == *'libvulkan.so.1 '* ]] ||
		have_file '/usr/lib/libvulkan.so.1' || have_file '/usr/local/lib/libvulkan.so.1'
}
have_manifest() { # folder, pattern: where the Vulkan loader looks
	local root
	for root in /usr/share /usr/local/share /etc; do
		have_file "$root/vulkan/$1/$2" && return 0
	done
	return 1
}
have_browser() { have_command chromium || have_command chromium-browser || have_command google-chrome; }
have_swiftshader() {
	have_file '/usr/lib/chromium/libvk_swiftshader.so' ||
		{ [ -n "${AMGPU_SWIFTSHADER_DIR:-}" ] && have_file "$AMGPU_SWIFTSHADER_DIR/libvk_swiftshader.so"; }
}

# probe: sets missing (packages) and why (what each is for).
probe() {
	missing=() why=()
	want() { # package, what for, test...
		local package=$1 purpose=$2
		shift 2
		"$@" && return 0
		missing+=("$package")
		why+=("$package ($purpose)")
	}
	want gcc "C compiler" have_command "${CC:-gcc}"
	# Headers cannot be looked for without a compiler; asking for both is harmless.
	want libc6-dev "C headers" have_header stdio.h
	want libvulkan-dev "Vulkan headers" have_header vulkan/vulkan.h
	[ "$step" = build ] && return 0
	if [ "$step" = mpi ]; then
		# Whichever MPI the system has: its compiler wrapper and its launcher.
		want libopenmpi-dev "MPI headers" have_command "${MPICC:-mpicc}"
		want openmpi-bin "MPI launcher" have_command mpirun
		return 0
	fi
	if [ "$step" = release ]; then
		local machine
		machine=$(uname -m)
		if [ "$machine" != aarch64 ]; then
			want gcc-aarch64-linux-gnu "C compiler for arm64" have_command aarch64-linux-gnu-gcc
			want libc6-dev-arm64-cross "C headers for arm64" cross_header aarch64-linux-gnu-gcc
		fi
		if [ "$machine" != x86_64 ]; then
			want gcc-x86-64-linux-gnu "C compiler for amd64" have_command x86_64-linux-gnu-gcc
			want libc6-dev-amd64-cross "C headers for amd64" cross_header x86_64-linux-gnu-gcc
		fi
		want binutils "reads which C library a program needs" have_command readelf
		want dpkg "builds the package" have_command dpkg-deb
		return 0
	fi
	want libvulkan1 "Vulkan loader" have_loader
	want mesa-vulkan-drivers "lavapipe, the software Vulkan device" have_manifest icd.d 'lvp_icd*.json'
	[ "$step" = demo ] && return 0
	want vulkan-validationlayers "validation layer" have_manifest explicit_layer.d 'VkLayer_khronos_validation.json'
	want glslc "shader compiler" have_command glslc
	want spirv-tools "SPIR-V validator" have_command spirv-val
	want libopenmpi-dev "Open MPI headers" have_command mpicc.openmpi
	want openmpi-bin "Open MPI launcher" have_command mpirun.openmpi
	want libmpich-dev "MPICH headers" have_command mpicc.mpich
	want mpich "MPICH launcher" have_command mpirun.mpich
	want iproute2 "network namespaces" have_command ip
	want slurm-wlm "Slurm, which starts ranks" have_file /usr/sbin/slurmctld
	want munge "tells Slurm who is who" have_file /usr/sbin/munged
	if ! have_browser || ! have_swiftshader; then
		want chromium "browser that opens the HTML report; brings SwiftShader, the second software device" false
	fi
}

probe
[ ${#missing[@]} -eq 0 ] && exit 0

say "missing for make $step: $(printf '%s, ' "${why[@]}" | sed 's/, $//')"
if ! have_command apt-get; then
	say "this is no Debian or Ubuntu (no apt-get): install these with the system's own package manager, then run make $step again."
	exit 2
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! have_command sudo; then
		say "not root and no sudo. As root run: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
		exit 2
	fi
	as_root=(sudo)
fi
say "installing with apt-get: ${missing[*]}"
# A list that cannot be refreshed (one broken source) need not stop an installation.
"${as_root[@]}" apt-get update -q >&2 || say "apt-get update reported errors; going on with the lists at hand"

available=() unknown=()
for package in "${missing[@]}"; do
	if apt-cache show "$package" >/dev/null 2>&1; then
		available+=("$package")
	else
		unknown+=("$package")
	fi
done
if [ ${#available[@]} -gt 0 ]; then
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends "${available[@]}" >&2
fi
if [ ${#unknown[@]} -gt 0 ]; then
	say "not in this system's package lists: ${unknown[*]}. Debian 12 or newer has them."
fi

probe
if [ ${#missing[@]} -gt 0 ]; then
	say "still missing: $(printf '%s, ' "${why[@]}" | sed 's/, $//')"
	exit 2
fi
say "installed."
