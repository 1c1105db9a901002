package peer

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// line carries notices and file descriptors to and from another process of this machine. One
// goroutine may send while another one receives.
type line struct {
	conn    *net.UnixConn
	process int
	early   *notice // has arrived and belongs to a later step than the one here
}

// notice is what processes tell each other over a line. A descriptor may come with it.
type notice struct {
	Step uint64 // that it belongs to: see between.step

	Token   string // of a greeting: the one that the other gave out
	Process int    // of a greeting: who greets

	Text   string   // what went wrong; empty: nothing
	Wrong  bool     // it was the data
	Seed   uint32   // of the data to send
	Block  lent     // whose descriptor comes with the notice
	Places []spot   // where copies go
	Gone   []uint64 // blocks that were lent and are no more
}

// lent names a block of memory that other processes may write to.
type lent struct {
	ID     uint64 // within its process; 0: none
	Device int    // of the team, that it belongs to
	Size   uint64
}

// spot is where a copy goes.
type spot struct{ Block, Offset, Size uint64 }

// mostNotice is the most bytes of a notice, mostSpots the most spots in one.
const (
	mostNotice = 64 << 10
	mostSpots  = 1000
)

// listener waits for lines under a name in the network namespace of this process and in no file
// system: nothing is left behind by a process that is killed. Who calls must know the token.
type listener struct {
	socket      *net.UnixListener
	name, token string
}

func listen() (*listener, error) {
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	l := &listener{name: "@amgpu-" + hex.EncodeToString(random[:16]), token: hex.EncodeToString(random[16:])}
	var err error
	l.socket, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: l.name, Net: "unixpacket"})
	return l, err
}

// accept waits, until ctx ends, for the next line whose other end knows the token.
func (l *listener) accept(ctx context.Context) (*line, error) {
	stop := context.AfterFunc(ctx, func() { _ = l.socket.SetDeadline(time.Unix(1, 0)) }) // no other is ever set
	defer stop()
	for {
		conn, err := l.socket.AcceptUnix()
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		n := &line{conn: conn}
		free := n.bound(ctx)
		hello, fd, err := n.receive()
		free()
		if fd >= 0 {
			err = errors.Join(err, unix.Close(fd))
		}
		if err != nil || hello.Token != l.token {
			_ = conn.Close() // it is none of ours
			continue
		}
		n.process = hello.Process
		return n, nil
	}
}

func (l *listener) close() error {
	if l == nil || l.socket == nil {
		return nil
	}
	return l.socket.Close()
}

// dial opens a line to a process that listens, unless ctx ends before; self is this one.
func dial(ctx context.Context, name, token string, process, self int) (*line, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unixpacket", name)
	if err != nil {
		return nil, err
	}
	n := &line{conn: c.(*net.UnixConn), process: process}
	free := n.bound(ctx)
	err = n.send(notice{Token: token, Process: self}, -1)
	free()
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

// bound lets what is under way on the line end with ctx, until the function that it returns
// is called.
func (n *line) bound(ctx context.Context) func() {
	at, _ := ctx.Deadline()    // none: at once, which clears it
	_ = n.conn.SetDeadline(at) // of a line that is closed: the next call says so
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		_ = n.conn.SetDeadline(time.Unix(1, 0))
	})
	return func() {
		if !stop() {
			<-over
		}
		_ = n.conn.SetDeadline(time.Time{})
	}
}

// send sends a notice with a descriptor, which stays the caller's; fd < 0: none.
func (n *line) send(what notice, fd int) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(what); err != nil {
		return err
	}
	if b.Len() > mostNotice {
		return fmt.Errorf("a notice of %d bytes to rank %d: the most is %d", b.Len(), n.process, mostNotice)
	}
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	if _, _, err := n.conn.WriteMsgUnix(b.Bytes(), rights, nil); err != nil {
		return fmt.Errorf("to rank %d of this node: %w", n.process, err)
	}
	return nil
}

// receive waits for a notice. The descriptor that came with it is the caller's; -1: none.
func (n *line) receive() (what notice, fd int, err error) {
	body, rights := make([]byte, mostNotice), make([]byte, unix.CmsgSpace(4*4))
	size, extra, flags, _, err := n.conn.ReadMsgUnix(body, rights)
	if err != nil {
		return what, -1, fmt.Errorf("from rank %d of this node: %w", n.process, err)
	}
	fds, err := descriptors(rights[:extra])
	if err == nil && flags&(unix.MSG_CTRUNC|unix.MSG_TRUNC) != 0 {
		err = errors.New("a notice was cut: this process may have too few file descriptors left (ulimit -n)")
	}
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(body[:size])).Decode(&what)
	}
	if err == nil && len(fds) > 1 {
		err = fmt.Errorf("%d descriptors in one notice", len(fds))
	}
	if err != nil {
		for _, fd := range fds {
			err = errors.Join(err, unix.Close(fd))
		}
		return what, -1, fmt.Errorf("from rank %d of this node: %w", n.process, err)
	}
	if len(fds) == 0 {
		return what, -1, nil
	}
	return what, fds[0], nil
}

// descriptors reads what came beside a message.
func descriptors(rights []byte) (out []int, err error) {
	list, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for i := range list {
		fds, err := unix.ParseUnixRights(&list[i])
		if err != nil {
			return out, err
		}
		out = append(out, fds...)
	}
	return out, nil
}

func (n *line) close() error { return n.conn.Close() }
