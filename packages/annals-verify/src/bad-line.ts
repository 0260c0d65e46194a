// Why an export is not valid: the line, counted from 1, and what is wrong there. Thrown by whatever
// looks at a line; the place is added by whoever knows it.

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
