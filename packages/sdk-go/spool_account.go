package annals

import (
	"context"
	"slices"
	"strings"
)

func (s *spoolTracker) claim() error {
	s.mu.Lock()
	name, self := s.own.name(), s.own.owner
	s.mu.Unlock()
	var folders []*spoolFolder
	var err error
	// Without a key known before, the application's function says it.
	if self.Key != nil || s.learnKey(&self) {
		folders, err = claiming{
			dir: s.spool.dir, name: name, isSynced: s.spool.options.Sync != SyncNone, mu: &s.mu,
			now: s.clock.Now, self: self, account: s.account,
		}.claim()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isClaimDue = false
	s.others = append(s.others, folders...)
	slices.SortStableFunc(s.others, func(a, b *spoolFolder) int { return strings.Compare(a.owner, b.owner) })
	return err
}

// learnKey asks the application's function. False once the client is closed.
func (s *spoolTracker) learnKey(self *spoolOwner) bool {
	var key string
	isKnown := s.delivery.repeat(func(ctx context.Context) (err error) {
		key, err = s.apiKey(ctx)
		return err
	})
	if !isKnown {
		return false
	}
	self.Key = keyDigest(key)
	s.setOwner(func(owner *spoolOwner) { owner.Key = self.Key })
	return true
}

// account waits until the service says it. Nil once the client is closed.
func (s *spoolTracker) account() *string {
	s.mu.Lock()
	known := s.own.owner.Account
	s.mu.Unlock()
	if known != nil {
		return known
	}
	var account string
	isKnown := s.delivery.repeat(func(ctx context.Context) (err error) {
		account, err = s.accountID(ctx)
		return err
	})
	if !isKnown {
		return nil
	}
	s.setOwner(func(owner *spoolOwner) { owner.Account = &account })
	return &account
}

// learnAccount is for the next process, which may claim the folder then though its key is another. If it
// fails, the next batch tries it again.
func (s *spoolTracker) learnAccount() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own.owner.Account != nil || s.isLearning {
		return
	}
	s.isLearning = true
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		account, err := s.accountID(s.delivery.ctx)
		if err == nil {
			s.setOwner(func(owner *spoolOwner) { owner.Account = &account })
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.isLearning = false
	}()
}

func (s *spoolTracker) setOwner(change func(*spoolOwner)) {
	s.mu.Lock()
	err := s.own.setOwner(change)
	s.mu.Unlock()
	if err != nil {
		s.problem(err)
	}
}
