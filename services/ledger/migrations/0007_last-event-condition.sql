-- The statements that append require that the last event of the chain is the one at its head. That takes the place of
-- this constraint, which kept an event from having two successors, and whose index got an entry at a random place for
-- each event (docs/adr/0016-a-condition-in-place-of-an-index.md).

ALTER TABLE ledger.chain DROP CONSTRAINT chain_previous_hash;
