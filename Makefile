# Everything is reached from here; `make help` lists it. The targets that need
# system packages install the missing ones (scripts/packages.sh), and nothing is
# asked of apt or sudo when all are there.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.NOTPARALLEL:

# How long each fuzz target runs and how long rows are soaked, where the demo goes, the
# results that docs/targets.md is made from.
FUZZTIME ?= 2m
SOAK ?= 30m
DEMO ?= demo
RESULT ?= docs/targets

# The go command and the toolchain setting that can build this module.
TOOLCHAIN := $(shell scripts/toolchain.sh 2>/dev/null)
export GO := $(or $(word 1,$(TOOLCHAIN)),go)
export GOTOOLCHAIN := $(or $(word 2,$(TOOLCHAIN)),local)
export CGO_ENABLED := 1
# go-nvml declares functions that NVIDIA calls deprecated, and leaves those of the
# library, which is opened at run time, to be bound when they are called: some
# compilers ask for all to be bound at the start.
export CGO_CFLAGS ?= -O2 -g -Wno-deprecated-declarations
export CGO_LDFLAGS ?= -O2 -g -Wl,-z,lazy

# Started first, so that the others run beside them.
LONGEST := ./suites/engine ./cmd

# Tested once more, with the race detector and the strict cgo pointer checks: what runs in
# several goroutines or calls Vulkan. One build with both takes half as long as two.
CONCURRENT := ./cmd ./report/result ./report/stat ./suites/...
CONCURRENT += ./vk ./vk/internal/... ./vk/diagnose ./vk/peer ./vk/peer/internal/... ./vk/sensor ./vk/soft ./vk/vktest
# Left out there: workloads on devices and long references on the CPU, which become many
# times slower and whose goroutines other tests run as well; simulations, which are one
# goroutine each; scripts that start one process after the other, and those that are
# killed at any moment. make test-long runs all with the race detector.
RACE_SKIP := TestWorkloads|TestResidencyAndCache|TestUnequalPair|TestDynamicWorkloads|TestTunablesKeepBits
RACE_SKIP := $(RACE_SKIP)|TestMatmulRagged|TestLifePasses|TestGridIsDivided|TestMSMOnDevices|TestFdtdVerify|TestTrainingLowersTheLoss
RACE_SKIP := $(RACE_SKIP)|TestCoverage|TestFalseAlarms|TestFactorIntervalsCover|TestReadMemory
RACE_SKIP := $(RACE_SKIP)|TestScripts/^(gate|gate-confirm|gate-measured|plan|tune|roof|kernel|results|help|basics|usage)$$
RACE_SKIP := $(RACE_SKIP)|TestReportScripts|TestKilled|TestCheckpointKilled
# Ranks are started by each of these MPIs, as Debian names their programs.
MPIS := openmpi mpich

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: demo
demo: need-go packages-demo build ## measure two software devices, leave demo/report.html and its PNGs
	mkdir -p $(DEMO)
	./amgpu scale --software 2 --gpus 1,2 -o $(DEMO)/results.json
	./amgpu report $(DEMO)/results.json --format html,png -o $(DEMO)
	@test -s $(DEMO)/report.html
	@echo
	@echo "Open $(DEMO)/report.html in a browser. Beside it:"
	@ls $(DEMO)

.PHONY: build
build: need-go packages-build ## compile ./amgpu
	$(GO) build -trimpath -o amgpu .

# The MPI to build with: its compiler wrapper, such as mpicc.openmpi or mpicc.mpich.
MPICC ?= mpicc

.PHONY: build-mpi
build-mpi: need-go packages-mpi ## compile ./amgpu-mpi for teams over MPI ranks; MPICC=mpicc.mpich
	CC="$(MPICC)" $(GO) build -trimpath -tags mpi -o amgpu-mpi .

.PHONY: test
test: need-go packages-test glslc ## install what is missing, vet, run every test, then what is concurrent with race and cgo checks
	$(GO) vet -tags long,soak ./...
	$(GO) test -count 1 -timeout 40m $(LONGEST) ./...
	GOEXPERIMENT=cgocheck2 $(GO) test -vet off -count 1 -race -timeout 40m -skip '$(RACE_SKIP)' $(CONCURRENT)
	for mpi in $(MPIS); do CC=mpicc.$$mpi MPIRUN=mpirun.$$mpi $(GO) test -tags mpi -count 1 -timeout 40m -run MPI ./cmd; done

.PHONY: test-long
test-long: need-go packages-test glslc ## every test in random order with the race detector, and those tagged long
	$(GO) test -tags long -race -shuffle on -timeout 120m ./...

.PHONY: fuzz
fuzz: need-go packages-build ## each fuzz target for FUZZTIME (2m), one at a time
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

.PHONY: check-formats
check-formats: build ## what report writes, read by benchstat, promtool, junitparser, pandas and R; ALLOW=--allow-missing where not all are installed
	scripts/check-formats.sh $(ALLOW)

.PHONY: targets
targets: build ## docs/targets.md from RESULT, a result file or a folder of them, which docs/targets then keeps
	@if [ "$$(realpath "$(RESULT)")" != "$$(realpath docs/targets)" ]; then \
		rm -f docs/targets/*.json && \
		if [ -d "$(RESULT)" ]; then cp "$(RESULT)"/*.json docs/targets; else cp "$(RESULT)" docs/targets; fi; \
	fi
	@code=0; ./amgpu gate docs/targets --rules targets.yaml --format targets -o docs/targets.md || code=$$?; \
		[[ $$code == [015] ]] || exit $$code # targets may be missed or not measured yet

.PHONY: soak
soak: need-go packages-test ## tests tagged soak: short rows in one process and whole commands for SOAK (30m), some of whose devices are lost; ten thousand trials in one file
	AMGPU_SOAK_TIME=$(SOAK) $(GO) test -tags soak -run Soak -count 1 -v -timeout 0 ./...

.PHONY: bench
bench: need-go packages-test ## Go benchmarks: recording, orchestration of an empty step, journal, reports
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: lint
lint: need-go packages-build ## golangci-lint at the pinned version, compiled into ./bin the first time
	scripts/lint.sh

.PHONY: glslc
glslc: ## unpack the pinned shader compiler into the user's cache folder: cooperative matrices need it
	@scripts/glslc.sh

.PHONY: shaders
shaders: need-go packages-test glslc ## compile shaders/**/*.comp to the committed .spv files and their manifest
	$(GO) run ./shaders/internal/gen

.PHONY: gpu-check
gpu-check: build ## on a machine with GPUs: list them, verify every workload on all of them, short scaling table, rows of docs/performance.md
	scripts/gpu-check.sh

.PHONY: release
release: need-go packages-release ## linux amd64 and arm64 into dist/: archives, Debian packages, checksums; VERSION=1.2.3
	scripts/release.sh $(VERSION)

.PHONY: clean
clean: ## remove what was built here
	rm -rf amgpu amgpu-mpi bin dist $(DEMO)

.PHONY: need-go packages-build packages-demo packages-test packages-release packages-mpi
need-go:
	@scripts/toolchain.sh >/dev/null
packages-build packages-demo packages-test packages-release packages-mpi: packages-%:
	@scripts/packages.sh $*
