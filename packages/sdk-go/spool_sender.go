package annals

import (
	"fmt"
	"time"
)

// spoolSender sends one batch of a folder, and does with its file what its outcome asks for. The state of a
// batch that is no longer open is changed by its goroutine alone, and lists with the lock of the tracker.
type spoolSender struct {
	tracker *spoolTracker
	folder  *spoolFolder
	entry   *spoolEntry
}

// send returns the number of events that are now stored or dropped. False: the client was closed.
func (s spoolSender) send() (int, bool, error) {
	lines, err := s.folder.read(s.entry)
	if err != nil {
		return 0, false, err
	}
	if len(lines.damaged) > 0 {
		return s.setDamagedAside(lines)
	}
	if len(lines.texts) == 0 {
		return s.finish(s.entry.events, s.folder.remove(s.entry))
	}
	result := s.tracker.delivery.deliver(batch{
		key:          s.folder.keyOf(s.entry),
		texts:        lines.texts,
		unknownSince: s.entry.sentAt,
		isPatient:    true,
		onFirst:      func(began time.Time) error { return s.folder.markSent(s.entry, began) },
		onRefused:    func() error { return s.folder.markUnsent(s.entry) },
	})
	switch {
	case result.kind == outcomeFailed:
		return 0, false, result.err
	case result.kind == outcomeStored:
		return s.finish(s.entry.events, s.folder.remove(s.entry))
	case result.kind == outcomeRefused:
		return s.sendValid(lines.texts, result)
	case result.kind == outcomeUnconfirmed && result.isOver:
		s.drop(DropUnconfirmed, lines.texts, result.err)
		return s.keepWhole("unconfirmed", s.entry.bytes)
	default:
		return 0, false, nil
	}
}

// sendValid keeps the events at fault of a refused batch, of which nothing is stored, and sends the others
// next.
func (s spoolSender) sendValid(texts [][]byte, refusal outcome) (int, bool, error) {
	var refused, valid, lines [][]byte
	for index, text := range texts {
		if refusal.faulty[index] || len(texts) == 1 {
			refused = append(refused, text)
			lines = append(lines, lineOf(text))
		} else {
			valid = append(valid, text)
		}
	}
	if len(refused) == 0 {
		half := (len(texts) + 1) / 2
		return s.replace(0, texts[:half], texts[half:])
	}
	kept, err := s.folder.keep(s.entry, "refused", lines)
	if err != nil {
		return 0, false, err
	}
	s.count(kept)
	settled, isSent, err := s.replace(len(refused), valid)
	if err == nil {
		s.drop(DropRefused, refused, refusal.err)
	}
	return settled, isSent, err
}

// setDamagedAside: a batch that may be stored cannot be repeated as it was, and another key could store it
// twice.
func (s spoolSender) setDamagedAside(lines spoolLines) (int, bool, error) {
	told := fmt.Errorf("annals: %s has %d damaged lines", s.folder.keyOf(s.entry), len(lines.damaged))
	if !s.entry.sentAt.IsZero() {
		settled, isSent, err := s.keepWhole("damaged", lines.whole)
		if err == nil {
			s.drop(DropDamaged, lines.texts, told)
		}
		return settled, isSent, err
	}
	kept, err := s.folder.keep(s.entry, "damaged", lines.damaged)
	if err != nil {
		return 0, false, err
	}
	s.count(kept)
	settled, isSent, err := s.replace(s.entry.events-len(lines.texts), lines.texts)
	if err == nil {
		s.drop(DropDamaged, nil, told)
	}
	return settled, isSent, err
}

// replace puts other batches in the place of this one.
func (s spoolSender) replace(settled int, texts ...[][]byte) (int, bool, error) {
	made, err := s.folder.parts(s.entry, texts...)
	if err == nil {
		err = s.folder.remove(s.entry)
	}
	return s.finish(settled, err, made...)
}

func (s spoolSender) keepWhole(as string, bytes int) (int, bool, error) {
	err := s.folder.keepFile(s.entry, as)
	if err == nil {
		s.count(bytes)
	}
	return s.finish(s.entry.events, err)
}

func (s spoolSender) finish(settled int, err error, others ...*spoolEntry) (int, bool, error) {
	if err != nil {
		return 0, false, err
	}
	s.tracker.mu.Lock()
	defer s.tracker.mu.Unlock()
	s.folder.forget(s.entry, others...)
	return settled, true, nil
}

func (s spoolSender) count(bytes int) {
	s.tracker.mu.Lock()
	defer s.tracker.mu.Unlock()
	s.tracker.keptBytes += bytes
}

func (s spoolSender) drop(reason DropReason, texts [][]byte, err error) {
	s.tracker.report(Drop{Reason: reason, Events: eventsOf(texts), Err: err})
}
