// Why an export is not valid: the line, counted from 1, and what is wrong with it. Thrown by the checks of a
// record, which do not know its line; verify-source.ts and sorter.ts add it. A message may go to a terminal, so
// it must never hold a control or hidden character, whatever the file holds.

import { escapeHidden } from "@annals/event/text";

export class BadLine extends Error {
  override readonly name = "BadLine";
  readonly line: number | undefined;

  /** Quote the texts of the file in `message` (quoteVisibly); what is left of hidden characters is escaped. */
  constructor(message: string, line?: number) {
    super(escapeHidden(message));
    this.line = line;
  }

  at(line: number): BadLine {
    return new BadLine(this.message, line);
  }
}
