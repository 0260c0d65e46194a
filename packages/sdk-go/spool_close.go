package annals

import (
	"context"
	"errors"
	"slices"
	"time"
)

// close sends what it can in this time. The rest stays on disk for the next process.
func (s *spoolTracker) close(ctx context.Context) error {
	s.mu.Lock()
	s.isClosed = true
	s.mu.Unlock()
	err := within(ctx, s.clock, s.flush)
	s.abort()
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if ended != nil {
		<-ended
	}
	s.background.Wait()
	s.leave()
	s.own.syncing.Wait()
	return err
}

// leave leaves the files to the next process, which need not wait until this one is gone. Nothing else runs
// then.
func (s *spoolTracker) leave() {
	s.mu.Lock()
	s.own.stopSync()
	s.own.end()
	folders := append(slices.Clone(s.others), s.own.folder)
	s.mu.Unlock()
	var drops []Drop
	var errs []error
	for _, folder := range folders {
		isEmpty := true
		for _, e := range folder.entries {
			if e.isInMemory {
				drops = append(drops, dropOfMemory(e))
				continue
			}
			isEmpty = false
			if e.state == spoolOpen {
				errs = append(errs, folder.seal(e))
			}
		}
		if folder.exists() && !isEmpty {
			errs = append(errs, folder.touch(time.Unix(0, 0)))
		} else {
			errs = append(errs, folder.removeIfEmpty())
		}
	}
	for _, drop := range drops {
		s.report(drop)
	}
	if err := errors.Join(append(errs, s.producer.close())...); err != nil {
		s.problem(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own.folder.entries, s.others, s.settled, s.isClaimDue = nil, nil, s.tracked, false
	s.tellWaiters()
}

func dropOfMemory(e *spoolEntry) Drop {
	reason := DropUnconfirmed
	if e.sentAt.IsZero() {
		reason = DropClosed
	}
	return Drop{Reason: reason, Events: eventsOf(e.texts)}
}
