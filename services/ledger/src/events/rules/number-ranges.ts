// Sequence numbers as a record names them: `17,20-25`.

/** The text of ascending numbers: each run of consecutive ones is a range. */
export function numberRanges(numbers: readonly number[]): string {
  const ranges: { readonly from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number <= last.to) throw new RangeError("the numbers are not ascending");
    if (last?.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

const RANGE = /^([1-9]\d{0,15})(?:-([1-9]\d{0,15}))?$/;

/** The ascending numbers of such a text. Undefined if it has another form, or more than `most` numbers. */
export function numbersIn(text: string, most: number): number[] | undefined {
  const numbers: number[] = [];
  for (const range of text.split(",", most + 1)) {
    const [, first, last = first] = RANGE.exec(range) ?? [];
    const [from, to] = [Number(first), Number(last)];
    const isNext = from > (numbers.at(-1) ?? 0) && to >= from && numbers.length + to - from < most;
    if (!isNext || !Number.isSafeInteger(to)) return undefined;
    for (let number = from; number <= to; number += 1) numbers.push(number);
  }
  return numbers;
}
