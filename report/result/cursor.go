package result

import (
	"errors"
	"strconv"
)

// cursor walks over JSON text. It finds where values end without judging what is in
// them, which is left to encoding/json, and reads plain numbers itself.
type cursor struct {
	text []byte
	at   int
}

// What keeps skip from the end of a value: the text ends, or no value looks so.
var (
	errShort = errors.New("the text ends early")
	errDeep  = errors.New("values are nested too deep")
	errText  = errors.New("a control character within a string")
)

// deepest is how deep values may be nested, as in encoding/json.
const deepest = 10_000

func (c *cursor) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// next steps over b, if it is what comes after white space.
func (c *cursor) next(b byte) bool {
	c.space()
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

// name steps over the name of a field and its colon; ok is false where it is not of
// lower-case letters and underscores alone, as all of ours are: encoding/json takes
// others for the same field.
func (c *cursor) name() (name []byte, ok bool) {
	if !c.next('"') {
		return nil, false
	}
	from := c.at
	for c.at < len(c.text) && (c.text[c.at] >= 'a' && c.text[c.at] <= 'z' || c.text[c.at] == '_') {
		c.at++
	}
	name = c.text[from:c.at]
	if c.at == len(c.text) || c.text[c.at] != '"' {
		return nil, false
	}
	c.at++
	return name, c.next(':')
}

// skip steps over one value: to the end of a list, object or string, of anything else
// to what follows it. errShort: the text ends first.
func (c *cursor) skip() error {
	for depth := 0; c.at < len(c.text); {
		switch c.text[c.at] {
		case '"':
			if err := c.skipText(); err != nil || depth == 0 {
				return err
			}
			continue
		case '{', '[':
			if depth++; depth > deepest {
				return errDeep
			}
		case '}', ']':
			if depth == 0 {
				return nil // of the list or object around it
			}
			if depth--; depth == 0 {
				c.at++
				return nil
			}
		case ',':
			if depth == 0 {
				return nil
			}
		}
		c.at++
		if depth > 0 { // most of the text is numbers
			c.plain()
		}
	}
	return errShort
}

// plain steps over what begins and ends nothing.
func (c *cursor) plain() {
	for i, b := range c.text[c.at:] {
		if ends[b] {
			c.at += i
			return
		}
	}
	c.at = len(c.text)
}

// ends are the characters at which something within a list or object begins or ends.
var ends = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// skipText steps over a string.
func (c *cursor) skipText() error {
	for c.at++; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return nil
		case b == '\\':
			c.at++
		case b < ' ':
			return errText
		}
	}
	return errShort
}

// numbers appends the numbers of a list to into; ok is false where it is anything else.
func (c *cursor) numbers(into []float64) (_ []float64, ok bool) {
	if !c.next('[') {
		return into, false
	}
	if c.next(']') {
		return into, true
	}
	for {
		v, ok := c.number()
		if !ok {
			return into, false
		}
		into = append(into, v)
		if !c.next(',') {
			return into, c.next(']')
		}
	}
}

// exact are the powers of ten that a float64 holds exactly.
var exact = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a number as JSON writes them, to the nearest float64; ok is false where
// there is none or it is too large.
func (c *cursor) number() (_ float64, ok bool) {
	c.space()
	from, i, t := c.at, c.at, c.text
	negative := i < len(t) && t[i] == '-'
	if negative {
		i++
	}
	// The digits as a whole number, good while there are at most 19 of them.
	mantissa, exponent := uint64(0), 0
	first := i
	for ; i < len(t) && t[i]-'0' <= 9; i++ {
		mantissa = 10*mantissa + uint64(t[i]-'0')
	}
	digits := i - first
	if digits == 0 || digits > 1 && t[first] == '0' {
		return 0, false
	}
	if i < len(t) && t[i] == '.' {
		i++
		first = i
		for ; i < len(t) && t[i]-'0' <= 9; i++ {
			mantissa = 10*mantissa + uint64(t[i]-'0')
		}
		if i == first {
			return 0, false
		}
		digits += i - first
		exponent = first - i
	}
	if i < len(t) && t[i]|0x20 == 'e' {
		i++
		down := i < len(t) && t[i] == '-'
		if down || i < len(t) && t[i] == '+' {
			i++
		}
		first = i
		power := 0
		for ; i < len(t) && t[i]-'0' <= 9; i++ {
			power = min(10*power+int(t[i]-'0'), 1<<20)
		}
		if i == first {
			return 0, false
		}
		if down {
			power = -power
		}
		exponent += power
	}
	c.at = i
	// Both operands are exact, so that their product or quotient is rounded once.
	if digits <= 19 && mantissa < 1<<53 && exponent >= -22 && exponent <= 22 {
		v := float64(mantissa)
		if exponent < 0 {
			v /= exact[-exponent]
		} else {
			v *= exact[exponent]
		}
		if negative {
			v = -v
		}
		return v, true
	}
	v, err := strconv.ParseFloat(string(t[from:i]), 64)
	return v, err == nil
}
