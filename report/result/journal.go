package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// JournalSuffix is appended to the result's name: FILE.journal.
const JournalSuffix = ".journal"

// line is one line of a journal: a header (the result without its new trials;
// a later one replaces an earlier one) or a trial.
type line struct {
	Header *Result `json:"header,omitempty"`
	PID    int     `json:"pid,omitempty"` // of the writer, for messages
	Trial  *Trial  `json:"trial,omitempty"`
}

// Journal appends trials beside a result file while measuring. One process has
// it open, marked by a lock that the kernel drops when the process ends however
// it ends. Not for concurrent use.
type Journal struct {
	path string // of the result
	f    *os.File
	size int64 // bytes known to be whole lines
}

// OpenJournal checks that path can become a result and starts path.journal with
// header. It refuses (ErrOutput) a path that is not a plain file, is not an
// amgpu result already or cannot be written, and (ErrBusy) one that another
// process is measuring into. A journal left by a dead process is folded first; one that
// ends within its header is kept aside, and a warning in header says so.
func OpenJournal(path string, header *Result) (*Journal, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, unwritable(path, reason(err))
	}
	if err := checkTarget(target); err != nil {
		return nil, err
	}
	_, _, cut, err := foldLeftover(target, false)
	if err != nil {
		return nil, err
	}
	if cut != "" {
		header.warnAside("%s", cut)
	}
	for range 100 {
		j, err := createJournal(target)
		if err != nil {
			return nil, err
		}
		if j == nil { // a reader took the still empty journal for a leftover
			time.Sleep(time.Millisecond)
			continue
		}
		if err := errors.Join(j.SetHeader(header), syncDir(filepath.Dir(target))); err != nil {
			return nil, errors.Join(unwritable(path, reasonOnDisk(err)), os.Remove(j.f.Name()), j.Close())
		}
		return j, nil
	}
	return nil, unwritable(path, "its journal keeps disappearing; is another program removing it?")
}

func createJournal(target string) (*Journal, error) {
	f, err := os.OpenFile(target+JournalSuffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, busy(target, 0)
	}
	if err != nil {
		return nil, unwritable(target, reason(err)+"; choose another place with -o")
	}
	// A file system without locks is used without: only the guard is lost.
	_ = lock(f, true)
	if !sameFile(f, target+JournalSuffix) {
		return nil, f.Close()
	}
	return &Journal{path: target, f: f}, nil
}

// checkTarget refuses to replace anything but an amgpu result or an empty file.
func checkTarget(target string) error {
	info, err := os.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(target)); err != nil {
			return unwritable(target, "its folder does not exist; create it first")
		}
		return nil
	}
	if err != nil {
		return unwritable(target, reason(err))
	}
	if !info.Mode().IsRegular() {
		return unwritable(target, "it is not a plain file; choose a file name with -o")
	}
	f, err := os.OpenFile(target, os.O_RDWR, 0)
	if err != nil {
		return unwritable(target, reason(err))
	}
	err = replaceable(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return unwritable(target, err.Error()+"; remove it or choose another name with -o")
	}
	return nil
}

// Holds tells whether path is an amgpu result, of this schema or a newer one, even a
// truncated one.
func Holds(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
	err = replaceable(f)
	return err == nil || errors.Is(err, ErrNewer)
}

// replaceable reads as far as the schema of what lies in a result's place: an
// empty file and an amgpu result, even a truncated one, may be replaced.
func replaceable(r io.Reader) error {
	foreign := errors.New("it exists and is not an amgpu result")
	dec := json.NewDecoder(r)
	switch token, err := dec.Token(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil || token != json.Delim('{'):
		return foreign
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return foreign
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return foreign
		}
		if name == "schema" {
			if err := checkSchema(value); errors.Is(err, ErrNewer) {
				return fmt.Errorf("it exists and was %w", err)
			} else if err != nil {
				return foreign
			}
			return nil
		}
	}
	return foreign
}

// SetHeader replaces what Fold writes around the trials: warnings, noise, plan.
// Trials in header come before the appended ones.
func (j *Journal) SetHeader(header *Result) error {
	h := *header
	if h.Schema == "" {
		h.Schema = Schema
	}
	raw, err := json.Marshal(line{Header: &h, PID: os.Getpid()})
	if err != nil {
		return fmt.Errorf("journal header: %w", err)
	}
	return j.append(raw)
}

// What stands around a trial in its line.
const (
	trialBegins = `{"trial":`
	trialEnds   = `}`
)

// Append writes one finished trial and syncs it to the disk; its cost does not
// depend on how many went before. After an error the journal holds what it held.
func (j *Journal) Append(t Trial) error {
	trial, err := marshalTrial(t)
	if err != nil {
		return err
	}
	return j.append(append(append([]byte(trialBegins), trial...), trialEnds...))
}

func (j *Journal) append(raw []byte) error {
	n, err := j.f.WriteAt(append(raw, '\n'), j.size)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		var path *os.PathError // names the file a second time
		if errors.As(err, &path) {
			err = path.Err
		}
		// Half a line would hide all that follows it.
		return errors.Join(fmt.Errorf("writing %s: %w", j.f.Name(), err), j.f.Truncate(j.size))
	}
	j.size += int64(n)
	return nil
}

// Close ends writing and leaves the journal for Fold or the next Read. It may be
// called twice.
func (j *Journal) Close() error {
	if err := j.f.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// Fold closes the journal and folds it into the result file. A measurement that
// carried out its plan replaces what was there; one that was cut short keeps the
// result of another run as Fold does.
func (j *Journal) Fold(finish ...func(*Result)) (*Result, error) {
	if err := j.Close(); err != nil {
		return nil, err
	}
	return fold(j.path, true, finish...)
}

// reasonOnDisk is why a file cannot be written, with what to do where there is no room.
func reasonOnDisk(err error) string {
	text := reason(err)
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, full) {
			text += "; make room there or choose another place with -o"
		}
	}
	return text
}

func unwritable(path, why string) error {
	return &fault{ErrOutput, fmt.Sprintf("cannot write %s: %s", path, why)}
}

func busy(path string, pid int) error {
	who := "another amgpu"
	if pid > 0 {
		who = fmt.Sprintf("amgpu process %d", pid)
	}
	return &fault{ErrBusy, fmt.Sprintf("%s is measuring into %s; wait for it or choose another file with -o", who, path)}
}

// reason is the error without "open FILE:", which the message has already.
func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
