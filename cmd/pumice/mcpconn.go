package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostUnanswered is how many requests may wait: no more is read until one is answered.
const mostUnanswered = 64

// inTurn is a transport that hands on one call of a tool when the one before is answered, so that a
// client may write all that it wants to know in order; other messages, which may take a call back,
// overtake them. That the client has closed its end it says when all is answered, or after so long,
// so that a file or a pipe may ask.
type inTurn struct {
	mcp.Transport
	patience time.Duration
}

func (t inTurn) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &turnConn{
		Connection: inner, patience: t.patience,
		incoming: make(chan received), answered: make(chan struct{}, 1), closed: make(chan struct{}),
	}
	go c.pump()
	return c, nil
}

type received struct {
	m   jsonrpc.Message
	err error
}

type turnConn struct {
	mcp.Connection
	patience time.Duration
	incoming chan received
	answered chan struct{} // has an element when something was answered since Read has looked
	closed   chan struct{}
	once     sync.Once

	// Of Read alone.
	queue []*jsonrpc.Request // calls of tools that wait for their turn
	ended error              // the client has closed its end
	late  <-chan time.Time   // when that is to be said, whatever is unanswered

	mu         sync.Mutex
	unanswered int        // requests handed on
	tool       jsonrpc.ID // of the call at work; not valid: there is none
}

// pump reads until an error; Close ends it.
func (c *turnConn) pump() {
	for {
		m, err := c.Connection.Read(context.Background())
		select {
		case c.incoming <- received{m, err}:
		case <-c.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

func (c *turnConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		incoming := c.incoming
		c.mu.Lock()
		waiting := len(c.queue) + c.unanswered
		turn := len(c.queue) > 0 && !c.tool.IsValid()
		if turn {
			c.tool = c.queue[0].ID
			c.unanswered++
		}
		c.mu.Unlock()
		switch {
		case turn:
			r := c.queue[0]
			c.queue = c.queue[1:]
			return r, nil
		case c.ended != nil && waiting == 0:
			return nil, c.ended
		case c.ended != nil || waiting >= mostUnanswered:
			incoming = nil
		}
		select {
		case r := <-incoming:
			request, ok := r.m.(*jsonrpc.Request)
			switch {
			case errors.Is(r.err, io.EOF):
				c.ended, c.late = r.err, time.After(c.patience)
			case r.err != nil || !ok || !request.IsCall():
				return r.m, r.err
			case request.Method == "tools/call":
				c.queue = append(c.queue, request)
			default:
				c.mu.Lock()
				c.unanswered++
				c.mu.Unlock()
				return request, nil
			}
		case <-c.answered:
		case <-c.late:
			return nil, c.ended
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *turnConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return err
	}
	c.mu.Lock()
	c.unanswered = max(c.unanswered-1, 0)
	if c.tool == r.ID {
		c.tool = jsonrpc.ID{}
	}
	c.mu.Unlock()
	select {
	case c.answered <- struct{}{}:
	default:
	}
	return err
}

func (c *turnConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
