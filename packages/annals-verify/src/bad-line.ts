// Why an export is not valid: the line, counted from 1, and what is wrong with it. Thrown by the checks of a
// record, which do not know its line; verify-file.ts and sorter.ts add it.

export class BadLine extends Error {
  override readonly name = "BadLine";
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }

  at(line: number): BadLine {
    return new BadLine(this.message, line);
  }
}
