package icd

import (
	"slices"
	"sync"
	"time"

	"github.com/pumice-gpu/pumice/vk"
)

// refreshDuration is the shortest time from one refresh cycle to the next. A surface is a display
// of variable refresh rate: when it is done with a cycle, the next begins as soon as there is a
// picture for it. So no program that is a little slower than the display halves its rate, and a
// headless surface needs no clock of anybody else's.
const refreshDuration = time.Second / 60

// maxTargetDelay bounds how long a picture that is the first in the queue waits for the time that
// its program wants: one that lies years ahead must not hold images for ever.
const maxTargetDelay = 10 * time.Second

// A presentationEngine is that of a surface. It shows the pictures that queues hand it, as
// their present modes (VkPresentModeKHR) say, in a goroutine that is there as long as it has some.
type presentationEngine struct {
	mu       sync.Mutex
	requests []*presentRequest
	running  bool              // loop is
	showing  []*presentRequest // loop is, or gives them back
	idle     sync.Cond         // showing has ended; its L is mu
	wake     chan struct{}     // what loop sleeps for has changed
	began    time.Time         // the last refresh cycle
	refresh  *presentRequest   // the picture that every cycle shows anew (SHARED_CONTINUOUS_REFRESH); nil: none
}

// presentRequest is a presentation request.
type presentRequest struct {
	presentation
	swapchain *Swapchain
	replaced  bool      // by the one behind it
	handed    time.Time // to the presenter
	first     time.Time // since when it is the first in the queue, as far as that is known
	before    time.Time // the earliest refresh cycle that was free for it
	began     time.Time // when it was shown
}

// waits says whether pictures of a present mode wait for a refresh cycle.
func waits(mode vk.PresentModeKHR) bool {
	return mode != vk.PresentModeImmediateKHR && mode != vk.PresentModeSharedDemandRefreshKHR
}

// shares says whether a present mode has a single image, which the program keeps.
func shares(mode vk.PresentModeKHR) bool {
	return mode == vk.PresentModeSharedDemandRefreshKHR || mode == vk.PresentModeSharedContinuousRefreshKHR
}

// hand gives the presenter a request. In the mailbox it takes the place of one that waits there,
// also when it is of another mode itself (VkSwapchainPresentModeInfoKHR); so it does where program
// and display share the one image, which is shown as it is then. That one goes as soon as it is the
// first, since fences are signaled in the order of presentations (VkSwapchainPresentFenceInfoKHR).
func (p *presentationEngine) hand(r *presentRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.swapchain.gone.Load() {
		r.finish(false)
		return
	}
	if p.wake == nil {
		p.wake, p.idle.L = make(chan struct{}, 1), &p.mu
	}
	r.handed = time.Now()
	if n := len(p.requests); n > 0 {
		last := p.requests[n-1]
		last.replaced = last.mode == vk.PresentModeMailboxKHR || shares(last.mode)
	}
	p.requests = append(p.requests, r)
	p.start()
}

// start sees to it that loop looks at what there is. p.mu is held.
func (p *presentationEngine) start() {
	if !p.running {
		p.running = true
		go p.loop()
		return
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// forget gives back all pictures of a swapchain that is gone, and returns when none of them is
// being shown.
func (p *presentationEngine) forget(s *Swapchain) {
	p.mu.Lock()
	defer p.mu.Unlock()
	theirs := func(r *presentRequest) bool { return r.swapchain == s }
	for slices.ContainsFunc(p.showing, theirs) {
		p.idle.Wait()
	}
	p.requests = slices.DeleteFunc(p.requests, func(r *presentRequest) bool {
		if theirs(r) {
			r.finish(false)
		}
		return theirs(r)
	})
	if p.refresh != nil && theirs(p.refresh) {
		p.refresh = nil
	}
	if p.running {
		p.start()
	}
}

// loop shows pictures until there is none.
func (p *presentationEngine) loop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		now := time.Now()
		due, ok := p.due(now)
		if !ok {
			p.running = false
			return
		}
		if wait := due.Sub(now); wait > 0 {
			p.mu.Unlock()
			t := time.NewTimer(wait)
			select {
			case <-t.C:
			case <-p.wake:
			}
			t.Stop()
			p.mu.Lock()
			continue
		}
		p.step(now, due)
	}
}

// due says when the next picture may be shown; ok is false where there is none.
func (p *presentationEngine) due(now time.Time) (due time.Time, ok bool) {
	if len(p.requests) > 0 {
		r := p.requests[0]
		if r.first.IsZero() {
			r.first = now
		}
		due = r.due(p.began)
	}
	if p.refresh != nil {
		if next := p.began.Add(refreshDuration); len(p.requests) == 0 || next.Before(due) {
			due = next
		}
	}
	return due, len(p.requests) > 0 || p.refresh != nil
}

// due says when the first request may be shown, if the last refresh cycle began then. One that is
// not shown holds nobody up. A mode that does not wait for a cycle waits for the time that the
// program wants.
func (r *presentRequest) due(began time.Time) (due time.Time) {
	if r.dropped() {
		return due
	}
	if waits(r.mode) {
		due = began.Add(refreshDuration)
	}
	if at := r.wanted(); at.After(due) {
		due = at
		if last := r.first.Add(maxTargetDelay); last.Before(due) {
			due = last
		}
	}
	return due
}

// dropped says that the request cannot be shown.
func (r *presentRequest) dropped() bool {
	return r.replaced || !r.shown || r.swapchain.gone.Load() || r.swapchain.device.lost.Load()
}

// wanted is when the program wants the picture to be visible, the zero time where it does not care.
// A relative time counts from the swapchain's last picture, and nothing before its first.
func (r *presentRequest) wanted() time.Time {
	if !r.relative {
		return r.at
	}
	if r.swapchain.visible.IsZero() {
		return time.Time{}
	}
	return r.swapchain.visible.Add(r.after)
}

// step carries out what is due: the first request, together with those behind it that are ready in
// FIFO_LATEST_READY mode, the last of which is shown; or else the picture that every cycle shows.
// p.mu is held, but not while a picture is being shown.
func (p *presentationEngine) step(now, due time.Time) {
	list := p.dequeue(now)
	r := p.refresh
	if len(list) > 0 {
		r = list[len(list)-1]
	}
	show := !r.dropped()
	r.before, r.began = p.began.Add(refreshDuration), now
	if show && waits(r.mode) {
		p.began = now
		if late := now.Sub(due); late < 2*time.Millisecond {
			p.began = due // the timer's lateness does not add up
		}
	}
	if show {
		r.swapchain.visible = now
	}
	p.showing = append(p.showing, list...)
	if len(list) == 0 {
		p.showing = append(p.showing, r)
	}
	p.mu.Unlock()
	for _, d := range list {
		if d != r {
			d.timing.reach(vk.PresentStageRequestDequeuedBitEXT, now)
			d.finish(false)
		}
	}
	if len(list) > 0 {
		r.finish(show)
	} else if show {
		show = r.put()
	}
	p.mu.Lock()
	clear(p.showing)
	p.showing = p.showing[:0]
	p.idle.Broadcast()
	switch {
	case len(list) == 0 && !show:
		p.refresh = nil
	case len(list) > 0 && show:
		p.refresh = nil
		if r.mode == vk.PresentModeSharedContinuousRefreshKHR && r.swapchain.surface.window != nil && !r.swapchain.gone.Load() {
			p.refresh = r
		}
	}
}

// dequeue takes out the requests that are due; none where only the picture is that every cycle
// shows.
func (p *presentationEngine) dequeue(now time.Time) (list []*presentRequest) {
	for len(p.requests) > 0 {
		r := p.requests[0]
		if len(list) == 0 {
			if r.due(p.began).After(now) {
				break
			}
		} else if r.mode != vk.PresentModeFifoLatestReadyKHR || list[0].mode != r.mode || list[0].dropped() || r.dropped() ||
			r.relative || r.at.After(now) {
			break // what is relative to the picture before it is not ready together with it
		}
		list = append(list, r)
		p.requests[0] = nil
		p.requests = p.requests[1:]
		if !waits(r.mode) {
			break
		}
	}
	return list
}

// put shows the picture; false where surface or swapchain are gone.
func (r *presentRequest) put() bool {
	s := r.swapchain
	if s.surface.window == nil {
		return true
	}
	return s.surface.show(s, &s.images[r.index])
}

// finish shows the picture, if it is to be shown, and gives it back.
func (r *presentRequest) finish(show bool) {
	s := r.swapchain
	if show {
		r.timing.reach(vk.PresentStageRequestDequeuedBitEXT, r.began)
		if s.surface.window == nil {
			r.timing.reach(displayStages, r.began)
		}
		r.put()
	}
	s.mu.Lock()
	im := &s.images[r.index]
	im.queued--
	im.free(r.turn)
	s.presented = max(s.presented, r.id)
	s.mu.Unlock()
	r.timing.end()
	r.log(show)
	if r.fence != nil {
		r.fence.signal(0)
	}
	s.device.sync.broadcast()
}
