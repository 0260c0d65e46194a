// Runs work that asks for a primitive of the runtime: SHA-256, or the verification of a signature. Node.js
// answers at once, WebCrypto later, so the work is a generator that yields its questions. Called by
// with-node.ts, and by the SDK.

/** The answer is the SHA-256 of the bytes. */
export type Hashing<Result> = Generator<Uint8Array<ArrayBuffer>, Result, Uint8Array>;

/** Runs the work with answers that are there at once. */
export function run<Question, Answer, Result>(
  work: Generator<Question, Result, Answer>,
  answer: (question: Question) => Answer,
): Result {
  let step = work.next();
  while (step.done !== true) step = work.next(answer(step.value));
  return step.value;
}

/** Runs the work with answers that come later, one after the other. */
export async function runAsync<Question, Answer, Result>(
  work: Generator<Question, Result, Answer>,
  answer: (question: Question) => Promise<Answer>,
): Promise<Result> {
  let step = work.next();
  while (step.done !== true) step = work.next(await answer(step.value));
  return step.value;
}
