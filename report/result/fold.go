package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Fold folds path.journal into path by an atomic rename and removes the journal.
// Without a journal it reads path. The journal must be closed (ErrBusy). A journal
// without a trial replaces nothing: what path held before stays. The result of
// another run in path is kept: whichever of the two was created earlier gets the name
// path.old (path.old.2 and so on), with a warning in the result returned.
func Fold(path string, finish ...func(*Result)) (*Result, error) {
	return fold(path, false, finish...)
}

// fold is Fold; own: by the process that wrote the journal, which was asked to
// replace what path holds and does so if it carried out its plan.
func fold(path string, own bool, finish ...func(*Result)) (*Result, error) {
	target, err := resolve(path)
	if err != nil {
		return nil, err
	}
	res, found, cut, err := foldLeftover(target, own, finish...)
	if err != nil || found {
		return res, err
	}
	return beside(target, cut)
}

// foldLeftover folds a journal that no process holds; found is false if there is
// none or nothing in it; cut says what became of one that ends within its header. After
// an error the journal lies there still.
func foldLeftover(target string, own bool, finish ...func(*Result)) (res *Result, found bool, cut string, err error) {
	f, state, err := openLocked(target)
	if err != nil {
		return nil, false, "", unwritable(target, reason(err))
	}
	if f == nil {
		return nil, false, "", nil
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err := scanJournal(f)
	if err != nil {
		return nil, false, "", fmt.Errorf("%s: %w; remove it to go on without it", f.Name(), err)
	}
	if state == lockHeld {
		return nil, false, "", busy(target, content.pid)
	}
	if state == lockUnknown {
		return nil, false, "", unwritable(target, "its journal lies there and this file system cannot tell whether it is in use; remove it if not")
	}
	if content.res == nil {
		cut, err := setAside(f, target)
		return nil, false, cut, err
	}
	if content.damaged {
		return nil, false, "", unwritable(target, "its journal is damaged; move it away to keep what it holds")
	}
	res = content.finished(finish)
	if len(res.Trials) > 0 || !holdsSomething(target) {
		if res, err = settle(target, res, own && res.Complete()); err != nil {
			return nil, false, "", err
		}
	}
	return res, true, "", os.Remove(f.Name())
}

// readJournal is foldLeftover for readers: what cannot be folded on disk is
// folded in memory.
func readJournal(path string, finish []func(*Result)) (res *Result, found bool, err error) {
	target, err := resolve(path)
	if err != nil {
		return nil, false, err
	}
	f, state, err := openLocked(target)
	if err != nil || f == nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err := scanJournal(f)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w; remove it to read %s without it", f.Name(), err, path)
	}
	if content.res == nil && state != lockHeld {
		cut := cutText(f, f.Name()) // where nothing may be moved
		if state == lockFree {
			if moved, err := setAside(f, target); err == nil {
				cut = moved
			}
		}
		res, err := beside(path, cut)
		return res, err == nil, err
	}
	if content.res == nil || state != lockHeld && content.nothing() && holdsSomething(target) {
		if state == lockFree {
			_ = os.Remove(f.Name()) // a reader that may not write reads all the same
		}
		return nil, false, nil
	}
	if state == lockHeld {
		content.doubt(StillMeasuring, fmt.Sprintf("a process is still measuring into this file; these are the trials so far, %d of %d launches",
			len(content.res.Trials)+len(content.trials), len(content.res.Plan.Order)))
		return content.finished(finish), true, nil
	}
	res = content.finished(finish)
	if state == lockFree && !content.damaged {
		if settled, err := settle(target, res, false); err == nil {
			_ = os.Remove(f.Name()) // folding again gives the same
			return settled, true, nil
		}
	}
	res, err = settleInMemory(target, res)
	return res, err == nil, err
}

// openLocked opens target's journal and tries to lock it; nil without a journal.
func openLocked(target string) (*os.File, lockState, error) {
	info, err := os.Lstat(target + JournalSuffix)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil, lockUnknown, &fault{ErrMalformed, target + JournalSuffix + ": not an amgpu journal, not even a plain file; remove it"}
	}
	f, err := os.OpenFile(target+JournalSuffix, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) || isReadOnly(err) {
		f, err = os.Open(target + JournalSuffix)
	}
	if errors.Is(err, os.ErrNotExist) || isNotDir(err) {
		return nil, lockUnknown, nil
	}
	if err != nil {
		return nil, lockUnknown, err
	}
	state := lock(f, false)
	if !sameFile(f, f.Name()) { // folded by another reader meanwhile
		return nil, lockUnknown, f.Close()
	}
	return f, state, nil
}

// content is what a journal holds.
type content struct {
	res     *Result // nil: not even a header
	trials  []Trial
	pid     int
	torn    bool // the last line is not whole
	damaged bool // a line before the last is not readable
	doubts  []Warning
}

// nothing tells whether no launch was finished, not even an unreadable one.
func (c *content) nothing() bool {
	return !c.damaged && len(c.trials)+len(c.res.Trials) == 0
}

// holdsSomething tells whether path is a file with content.
func holdsSomething(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

func (c *content) doubt(code, text string) {
	c.doubts = append(c.doubts, Warning{Code: code, Text: text})
}

// finished is the result with its trials and doubts.
func (c *content) finished(finish []func(*Result)) *Result {
	res := c.res
	res.Trials = append(res.Trials, c.trials...)
	if c.torn {
		c.doubt("journal-torn", "the journal's last line was incomplete and was dropped: the trial in flight is lost")
	}
	res.Warnings = append(res.Warnings, c.doubts...)
	res.markUnfinished()
	for _, f := range finish {
		f(res)
	}
	return res
}

// scanJournal reads the lines it can. Errors: those of reading, ErrNewer, and
// ErrMalformed when the header itself is whole but not a header.
func scanJournal(r io.Reader) (*content, error) {
	c := &content{}
	b := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		raw, err := b.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if errors.Is(err, io.EOF) {
			c.torn = len(raw) > 0
			c.dropRepeats()
			return c, nil
		}
		if err := c.add(raw); err != nil {
			if errors.Is(err, ErrNewer) || c.res == nil {
				return nil, err
			}
			c.damaged = true
			c.doubt("journal-damaged", fmt.Sprintf("line %d of the journal was not readable and was left out", number))
		}
	}
}

// dropRepeats leaves out trials told twice. Where they differ the first counts and
// the journal stays, like a damaged one.
func (c *content) dropRepeats() {
	if c.res == nil {
		return
	}
	kept, exact, clashes := unrepeated(slices.Concat(c.res.Trials, c.trials))
	c.res.Trials, c.trials = kept, nil
	for i := range clashes {
		c.damaged = true
		c.doubt("journal-damaged", told(&clashes[i])+" The first counts.")
	}
	if exact > 0 {
		c.doubts = append(c.doubts, repeated(exact))
	}
}

// readLine reads one line of a journal, that of a trial without a search for its end.
func readLine(raw []byte) (l struct {
	Header json.RawMessage `json:"header"`
	PID    int             `json:"pid"`
	Trial  *Trial          `json:"trial"`
}, err error) {
	text, begins := bytes.CutPrefix(raw, []byte(trialBegins))
	text, ends := bytes.CutSuffix(text, []byte(trialEnds+"\n"))
	if t := new(Trial); begins && ends && t.UnmarshalJSON(text) == nil {
		l.Trial = t
		return l, nil
	}
	return l, json.Unmarshal(raw, &l)
}

func (c *content) add(raw []byte) error {
	l, err := readLine(raw)
	if err != nil {
		return explain(err, 0)
	}
	switch {
	case l.Header != nil:
		header, err := decodeHeader(l.Header)
		if err != nil {
			return err
		}
		c.res, c.pid = header, l.PID
	case l.Trial != nil && c.res != nil:
		if text := badTrial(l.Trial, len(c.res.Devices)); text != "" {
			return &fault{ErrMalformed, text}
		}
		c.trials = append(c.trials, *l.Trial)
	default:
		return &fault{ErrMalformed, "not an amgpu journal: it does not start with a header"}
	}
	return nil
}

func decodeHeader(raw json.RawMessage) (*Result, error) {
	var version struct {
		Schema json.RawMessage `json:"schema"`
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return nil, explain(err, 0)
	}
	if err := checkSchema(version.Schema); err != nil {
		return nil, err
	}
	header := &Result{}
	if err := json.Unmarshal(raw, header); err != nil {
		return nil, explain(err, 0)
	}
	return header, validate(header)
}
