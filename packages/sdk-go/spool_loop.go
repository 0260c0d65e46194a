package annals

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// run sends batches until none is left.
func (s *spoolTracker) run(ended chan struct{}) {
	defer close(ended)
	s.delivery.progress()
	for {
		folder, e, isClaimDue := s.next()
		if folder == nil && !isClaimDue {
			return
		}
		var err error
		if isClaimDue {
			err = s.claim()
		} else {
			err = s.send(folder, e)
		}
		if err != nil {
			s.problem(err)
		}
		// Folders are looked for again in a while. What somebody has deleted is forgotten.
		if err != nil && !isClaimDue && !errors.Is(err, fs.ErrNotExist) {
			s.clock.Wait(s.delivery.ctx, diskRetry)
		}
		s.mu.Lock()
		s.tellWaiters()
		s.mu.Unlock()
	}
}

// next is what to do. Nothing ends the goroutine.
func (s *spoolTracker) next() (*spoolFolder, *spoolEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.delivery.ctx.Err() == nil {
		if s.isClaimDue {
			return nil, nil, true
		}
		for _, folder := range append(slices.Clone(s.others), s.own.folder) {
			if len(folder.entries) > 0 {
				return folder, folder.entries[0], false
			}
		}
	}
	s.ended = nil
	s.tellWaiters()
	return nil, nil, false
}

// send waits until a batch is complete, seals it, and sends it.
func (s *spoolTracker) send(folder *spoolFolder, e *spoolEntry) error {
	if !s.waitForMore(folder, e) {
		return nil
	}
	settled, err := s.sendSealed(folder, e)
	s.mu.Lock()
	if err != nil {
		err = s.failed(folder, e, err)
	} else if folder.isOwn {
		s.settled += settled
	}
	isEmpty := folder != s.own.folder && len(folder.entries) == 0
	if isEmpty {
		s.others = slices.DeleteFunc(s.others, func(other *spoolFolder) bool { return other == folder })
	}
	s.mu.Unlock()
	if isEmpty {
		err = errors.Join(err, folder.removeIfEmpty())
	}
	return err
}

// waitForMore returns false if there is nothing to send any longer.
func (s *spoolTracker) waitForMore(folder *spoolFolder, e *spoolEntry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.state != spoolOpen || s.settled < s.hurryTo || s.isFull(e) || s.own.last() != e {
		return true
	}
	waiting, end := context.WithCancel(s.delivery.ctx)
	s.endWait = end
	s.mu.Unlock()
	s.clock.Wait(waiting, s.options.MaxWait)
	s.mu.Lock()
	s.endWait = nil
	end()
	// Another process may have claimed it meanwhile.
	return s.delivery.ctx.Err() == nil && slices.Contains(folder.entries, e)
}

func (s *spoolTracker) sendSealed(folder *spoolFolder, e *spoolEntry) (int, error) {
	if e.state == spoolOpen {
		if err := s.seal(folder, e); err != nil {
			return 0, err
		}
	}
	sender := spoolSender{s, folder, e}
	settled, isSent, err := sender.send()
	if err != nil || !isSent {
		return 0, err
	}
	s.delivery.progress()
	s.learnAccount()
	return settled, nil
}

// seal completes what was open: the next event begins another batch.
func (s *spoolTracker) seal(folder *spoolFolder, e *spoolEntry) error {
	s.mu.Lock()
	if s.own.open == e {
		s.own.stopSync()
		s.own.end()
	}
	if e.isInMemory {
		e.state = spoolReady
	}
	s.mu.Unlock()
	if e.isInMemory {
		return nil
	}
	return folder.seal(e)
}

// failed decides what an error of the disk means, with the lock. Nil: nothing is left to do.
func (s *spoolTracker) failed(folder *spoolFolder, e *spoolEntry, err error) error {
	if !folder.exists() && !e.isInMemory {
		s.lose(folder)
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Somebody has deleted the file.
	folder.forget(e)
	if folder.isOwn {
		s.settled += e.events
	}
	return err
}

// lose: another process has claimed the folder, and sends what is in it. What is in memory stays here. It
// is called with the lock.
func (s *spoolTracker) lose(folder *spoolFolder) {
	for _, e := range slices.Clone(folder.entries) {
		if e.isInMemory {
			continue
		}
		folder.forget(e)
		if folder.isOwn {
			s.settled += e.events
		}
	}
	s.others = slices.DeleteFunc(s.others, func(other *spoolFolder) bool { return other == folder })
	if len(folder.entries) > 0 && folder != s.own.folder {
		s.others = append(s.others, folder)
	}
}
