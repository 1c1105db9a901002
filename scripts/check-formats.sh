#!/usr/bin/env bash
# Has the real consumers read what `amgpu report` and `amgpu gate` write for them: benchstat,
# promtool, junitparser, pandas and R.
#
#   check-formats.sh [--allow-missing] [RESULT.json..]
#
# Without results it takes those of report/testdata and an imported table. Nothing is
# installed; benchstat, where it is not on the PATH, is compiled through the Go module proxy
# into a temporary folder. Consumers that are not here are named as not checked.
# Exit codes: 0 all are content, 1 one is not, 3 not all are here (0 with --allow-missing),
# 2 usage or no amgpu. AMGPU names the program (default ./amgpu), PYTHON a Python with the modules.
set -euo pipefail
cd "$(dirname "$0")/.."

benchstat_version=v0.0.0-20260908200009-22c9c6c9d4da # of golang.org/x/perf
amgpu=${AMGPU:-./amgpu}
allow=''
results=()
for arg in "$@"; do
	case $arg in
	--allow-missing) allow=yes ;;
	-*) echo "check-formats: unknown option $arg; usage: $0 [--allow-missing] [RESULT.json..]" >&2 && exit 2 ;;
	*) results+=("$arg") ;;
	esac
done
if ! command -v "$amgpu" >/dev/null; then
	echo "check-formats: no program $amgpu: run make build, or set AMGPU" >&2
	exit 2
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if [ ${#results[@]} -eq 0 ]; then
	results=(report/testdata/*.json)
	printf 'count,seconds,workload\n1,0.1,a/b\n1,0.11,a/b\n2,0.06,a/b\n2,0.055,a/b\n' >"$out/table.csv"
	"$amgpu" report --import "$out/table.csv" --format json >"$out/imported.json"
	results+=("$out/imported.json")
fi

missing=() failed=0
# content CONSUMER WHAT COMMAND..: the consumer takes it and complains of nothing.
content() {
	local who=$1 what=$2 complaint code=0
	shift 2
	complaint=$("$@" 2>&1 >"$out/said") || code=$?
	if [ "$code" -eq 0 ] && [ -z "$complaint" ]; then
		echo "ok      $who: $what"
		return
	fi
	failed=1
	echo "FAILED  $who: $what, exit code $code"
	{ printf '%s\n' "$complaint" && cat "$out/said"; } | head -n 30 | sed 's/^/        /'
}
absent() { missing+=("$1 ($2)"); }

# with_module MODULE: a Python that has it.
with_module() {
	local python
	for python in "${PYTHON:-}" python3 /usr/bin/python3; do
		if [ -n "$python" ] && "$python" -c "import $1" >/dev/null 2>&1; then
			echo "$python"
			return
		fi
	done
}

benchstat=$(command -v benchstat || true)
if [ -z "$benchstat" ] && (cd / && GOBIN="$out/bin" GOFLAGS='' "${GO:-go}" install "golang.org/x/perf/cmd/benchstat@$benchstat_version") >"$out/install" 2>&1; then
	benchstat=$out/bin/benchstat
fi
promtool=$(command -v promtool || true)
rscript=$(command -v Rscript || true)
junit=$(with_module junitparser)
pandas=$(with_module pandas)
[ -n "$benchstat" ] || absent benchstat "go install golang.org/x/perf/cmd/benchstat@$benchstat_version"
[ -n "$promtool" ] || absent promtool "Debian package prometheus"
[ -n "$junit" ] || absent junitparser "Debian package python3-junitparser, or pip install junitparser in a venv and PYTHON=venv/bin/python"
[ -n "$pandas" ] || absent pandas "Debian package python3-pandas, or pip install pandas in a venv and PYTHON=venv/bin/python"
[ -n "$rscript" ] || absent R "Debian package r-base-core"

# What each must find: as many rows as there are.
read_junit='
import sys, junitparser
suites = junitparser.JUnitXml.fromfile(sys.argv[1])
cases = [c for s in suites for c in s]
assert suites.tests == len(cases) > 0, (suites.tests, len(cases))
assert suites.failures + suites.errors + suites.skipped == sum(len(c.result) > 0 for c in cases)
assert len({c.name for c in cases}) == len(cases), "names repeat"'
read_pandas='
import sys, csv, pandas
rows = list(csv.reader(open(sys.argv[1], newline="")))
table = pandas.read_csv(sys.argv[1])
assert table.shape == (len(rows) - 1, len(rows[0])), (table.shape, len(rows))
assert table["verified"].dtype == bool or table.empty, table["verified"].dtype
assert table["seconds"].dtype.kind == "f", table["seconds"].dtype'
# shellcheck disable=SC2016 # R's own $
read_r='
args <- commandArgs(TRUE)
t <- read.csv(args[1])
stopifnot(nrow(t) == as.integer(args[2]), ncol(t) > 40, is.logical(t$verified), is.numeric(t$seconds) || all(is.na(t$seconds)), !any(grepl("^X", names(t))))'

read_bench() { "$benchstat" "$1" && grep -q sec/op "$out/said"; }
read_prom() { "$promtool" check metrics <"$1"; }

for result in "${results[@]}"; do
	name=$(basename "$result" .json)
	into=$out/$name
	"$amgpu" report "$result" --format csv,junit,benchfmt,openmetrics -o "$into" 2>"$out/report" || {
		cat "$out/report" >&2
		exit 1
	}
	if [ -n "$benchstat" ] && grep -q ^Benchmark "$into/report.bench.txt"; then
		content benchstat "$name" read_bench "$into/report.bench.txt"
	fi
	[ -z "$promtool" ] || content promtool "$name" read_prom "$into/report.prom"
	[ -z "$junit" ] || content junitparser "$name" "$junit" -c "$read_junit" "$into/report.junit.xml"
	[ -z "$pandas" ] || content pandas "$name" "$pandas" -c "$read_pandas" "$into/report.csv"
	[ -z "$rscript" ] || content R "$name" "$rscript" -e "$read_r" "$into/report.csv" "$(grep -c '<testcase ' "$into/report.junit.xml")"
	if [ -n "$junit" ]; then
		"$amgpu" gate "$result" "$result" --format junit -o "$into/gate.xml" 2>/dev/null || true # any verdict
		[ ! -s "$into/gate.xml" ] || content junitparser "$name, gate" "$junit" -c "$read_junit" "$into/gate.xml"
	fi
done

for who in "${missing[@]}"; do
	echo "not checked: $who"
done
[ "$failed" -eq 0 ] || exit 1
[ ${#missing[@]} -eq 0 ] || [ -n "$allow" ] || exit 3
