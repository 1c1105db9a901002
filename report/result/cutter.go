package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// cutter cuts a document into the values it consists of, as it is read.
type cutter struct {
	cursor // text[at:] is read and not used yet
	r      io.Reader
	base   int64 // where in the file text begins
	err    error // why no more can be read: io.EOF at its end
	lean   bool  // trials are read without times and spans
}

// member is one field of an object: its text, and where in the file that begins.
type member struct {
	name string
	raw  []byte
	at   int64
}

// stretch is how much is read at a time.
const stretch = 256 << 10

// offset is the place in the file.
func (c *cutter) offset() int64 { return c.base + int64(c.at) }

// more reads on, in place of what is used. Errors: io.EOF and those of the file.
func (c *cutter) more() error {
	if c.at > 0 || cap(c.text) == 0 {
		c.move(c.text)
		if cap(c.text) == 0 {
			c.text = make([]byte, 0, stretch)
		}
	} else if len(c.text) == cap(c.text) {
		c.text = append(make([]byte, 0, 2*cap(c.text)), c.text...)
	}
	return c.fill()
}

// move takes what is not used yet along into buf.
func (c *cutter) move(buf []byte) {
	rest := c.text[c.at:]
	c.base += int64(c.at)
	c.text, c.at = append(buf[:0], rest...), 0
}

// fill reads until text is full.
func (c *cutter) fill() error {
	if c.err != nil {
		return c.err
	}
	n, err := io.ReadFull(c.r, c.text[len(c.text):cap(c.text)])
	c.text = c.text[:len(c.text)+n]
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	if c.err = err; n == 0 {
		return err
	}
	return nil
}

// peek is the next character that is no white space.
func (c *cutter) peek() (byte, error) {
	for {
		if c.space(); c.at < len(c.text) {
			return c.text[c.at], nil
		}
		if err := c.more(); err != nil {
			return 0, err
		}
	}
}

// value is the text of the next value, good until the next one is asked for.
func (c *cutter) value() ([]byte, error) {
	if _, err := c.peek(); err != nil {
		return nil, early(err)
	}
	for {
		from := c.at
		err := c.skip()
		if err == nil {
			return c.text[from:c.at], nil
		}
		if !errors.Is(err, errShort) {
			return nil, c.unreadable(err.Error())
		}
		c.at = from
		if err := c.more(); err != nil {
			return nil, early(err)
		}
	}
}

// begin steps into the object that a result is.
func (c *cutter) begin() error {
	b, err := c.peek()
	switch {
	case errors.Is(err, io.EOF):
		c.at = 0
		return io.EOF
	case err != nil:
		return err
	case b == '{':
		c.at++
		_, err := c.peek()
		return early(err)
	case b == '[' || b == '"' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z':
		return &fault{ErrMalformed, fmt.Sprintf("not an amgpu result: found %c where { belongs", b)}
	}
	return c.odd(b, "a result begins with {")
}

// member steps over the name of the next field and its colon.
func (c *cutter) member() (m member, err error) {
	b, err := c.peek()
	if err != nil {
		return m, early(err)
	}
	if b != '"' {
		return m, c.odd(b, "the name of a field belongs here")
	}
	m.at = c.offset()
	raw, err := c.value()
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m.name); err != nil {
		return m, explain(err, m.at+within(err))
	}
	if b, err = c.peek(); err != nil {
		return m, early(err)
	}
	if b != ':' {
		return m, c.odd(b, "a colon belongs here")
	}
	c.at++
	if _, err = c.peek(); err != nil {
		return m, early(err)
	}
	m.at = c.offset()
	return m, nil
}

// follows tells whether the end of a list or object follows, and steps over it or the comma.
func (c *cutter) follows(end byte) (last bool, err error) {
	b, err := c.peek()
	if err != nil {
		return false, early(err)
	}
	if b != ',' && b != end {
		return false, c.odd(b, fmt.Sprintf("a comma or %c belongs here", end))
	}
	c.at++
	return b == end, nil
}

// odd refuses a character.
func (c *cutter) odd(b byte, why string) error {
	return c.unreadable(fmt.Sprintf("invalid character %q, %s", b, why))
}

func (c *cutter) unreadable(why string) error {
	return &fault{ErrMalformed, fmt.Sprintf("not a readable amgpu result: %s (near byte %d)", why, c.offset())}
}

// early is the error where the text must not end yet.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
