#!/usr/bin/env bash
# What action.yml and the GitLab job of docs/ci.md do: measure, gate against the
# stored baseline, write the report. Everything after -- goes to `amgpu scale`.
#
#   ci-recipe.sh [--baseline PATH] [--rules FILE] [--threshold SHARE] [--strict]
#                [--require-baseline] [--base-binary PATH] [--store] [--out DIR]
#                -- [WORKLOAD..] [FLAGS]
#
#   --baseline PATH      result file or folder of results; without one there, or
#                        without this option, nothing is compared
#   --require-baseline   a baseline that is not there fails (exit code 5)
#   --base-binary PATH   amgpu that measured the baseline, which is one file then:
#                        suspicious rows are measured again with both builds in turns
#   --store              a result that passed joins the baseline folder, which keeps
#                        the newest 20
#   --out DIR            results.json, report.html, summary.md, junit.xml (amgpu-ci)
#
# The exit code is the gate's. When the measurement or the report failed as well,
# the gravest one counts: amgpu's order 6, 7, 5, 4, 1, 3. AMGPU names the binary.
set -euo pipefail
trap 'exit 10' ERR # of a command that was not expected to fail: 1 would be a regression

amgpu=${AMGPU:-amgpu}
out=amgpu-ci baseline='' require='' store=''
gate=() scale=() confirm=() builds=()
keep=20

say() { echo "ci-recipe: $*" >&2; }
usage() {
	say "$1"
	sed -n '/^#   ci-recipe/,/^#$/s/^#   //p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--baseline | --rules | --threshold | --out | --base-binary)
		[ $# -ge 2 ] || usage "$1 needs a value"
		case $1 in
		--baseline) baseline=$2 ;;
		--out) out=$2 ;;
		--base-binary) [ -z "$2" ] || { confirm=(--confirm) && builds=(--base-binary "$2" --new-binary "$amgpu"); } ;;
		*) [ -z "$2" ] || gate+=("$1" "$2") ;;
		esac
		shift 2
		;;
	--strict) gate+=("$1") && shift ;;
	--require-baseline) require=yes && shift ;;
	--store) store=yes && shift ;;
	--)
		shift
		scale=("$@")
		break
		;;
	*) usage "unknown option $1; flags of amgpu scale follow --" ;;
	esac
done
[ -n "$out" ] || usage "--out is empty"
[ -z "$require$store" ] || [ -n "$baseline" ] || usage "--require-baseline and --store need --baseline PATH"
command -v "$amgpu" >/dev/null || { say "no program $amgpu: install amgpu or set AMGPU"; exit 2; }

# gravest CODE..: the one that counts; what is not in amgpu's order counts first.
gravest() {
	local code first
	for code in "$@"; do
		case $code in 0 | 1 | 3 | 4 | 5 | 6 | 7) ;; *) echo "$code" && return ;; esac
	done
	for first in 6 7 5 4 1 3; do
		for code in "$@"; do
			[ "$code" -ne "$first" ] || { echo "$code" && return; }
		done
	done
	echo 0
}

# present: a baseline is there, as a file or as a folder that holds results.
present() {
	[ -n "$baseline" ] || return 1
	[ ! -d "$baseline" ] || compgen -G "${baseline%/}/*.json" >/dev/null || return 1
	[ -e "$baseline" ]
}

mkdir -p "$out" || { say "the folder $out cannot be made: choose another with --out"; exit 2; }
result=$out/results.json summary=$out/summary.md
# What an earlier job left must not be taken for this one's.
rm -f "$result" "$result.journal" "$result.confirm-base" "$result.confirm-new" "$out/report.html" "$summary" "$out/junit.xml"

say "measuring"
measured=0
"$amgpu" scale "${scale[@]}" -o "$result" || measured=$?

judged=0 rendered=0
if [ -s "$result" ]; then
	against=()
	if present || [ -n "$require" ]; then
		against=("$baseline" "$result")
	elif [[ " ${gate[*]-} " == *" --rules "* ]]; then
		against=("$result") # limits need no baseline
	fi
	if [ ${#against[@]} -eq 0 ]; then
		note="No baseline${baseline:+ at $baseline} yet: nothing was compared. $result can become the first."
		say "$note"
		printf '%s\n\n' "$note" >"$summary"
	else
		say "gate: ${against[*]}"
		[ ${#against[@]} -eq 2 ] || confirm=() builds=()
		gate+=("${confirm[@]}")
		"$amgpu" gate "${against[@]}" "${gate[@]}" "${builds[@]}" --format text || judged=$?
		# The same verdicts once more for other readers; the code is known.
		"$amgpu" gate "${against[@]}" "${gate[@]}" --format md >"$summary" 2>/dev/null || true
		"$amgpu" gate "${against[@]}" "${gate[@]}" --format junit -o "$out/junit.xml" 2>/dev/null || true
		if [ "${GITHUB_ACTIONS:-}" = true ]; then
			"$amgpu" gate "${against[@]}" "${gate[@]}" --format github 2>/dev/null || true
		fi
	fi
	"$amgpu" report "$result" --format html -o "$out" || rendered=$?
	# A job summary may have 1 MiB; the verdicts come first.
	report=$("$amgpu" report "$result" --format md) || rendered=$(gravest "$rendered" $?)
	if [ ${#report} -lt 900000 ]; then
		printf '%s\n' "$report" >>"$summary"
	fi
	if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
		cat "$summary" >>"$GITHUB_STEP_SUMMARY"
	fi
fi

code=$(gravest "$judged" "$measured" "$rendered")
if [ -n "$store" ] && [ "$code" -eq 0 ]; then
	if [ -e "$baseline" ] && [ ! -d "$baseline" ]; then
		say "--store needs a folder: $baseline is a file"
		code=2
	else
		name=$(date -u +%Y%m%dT%H%M%SZ)-$$.json
		if ! { mkdir -p "$baseline" && cp "$result" "$baseline/$name"; }; then
			say "the result cannot be stored in $baseline"
			rm -f "$baseline/$name" || true
			code=2
		else
			mapfile -t old < <(cd "$baseline" && printf '%s\n' ????????T??????Z-*.json | sort -r | tail -n "+$((keep + 1))")
			for name in "${old[@]}"; do rm -f "$baseline/$name"; done
			say "stored in $baseline"
		fi
	fi
fi
[ -z "${GITHUB_OUTPUT:-}" ] || echo "exit-code=$code" >>"$GITHUB_OUTPUT"
say "exit code $code; see $out"
exit "$code"
