// A field that an account declares: what a request may say of one, and how far its index is. Called by the
// RPCs of fields.

import {
  FIELD_NAME,
  FIELD_ROOTS,
  FIELD_TYPES,
  type FieldType,
  MAX_FIELD_STEPS,
  MAX_STEP_LENGTH,
  SIMPLE_NAME,
} from "@annals/contract";
import { type AnnalsError, invalid } from "@annals/errors";

export interface NewField {
  readonly name: string;
  /** Begins with a part. */
  readonly path: readonly string[];
  readonly type: FieldType;
  readonly ignoreCase: boolean;
}

interface Asked {
  readonly name: string;
  readonly path: readonly string[];
  readonly type: string;
  readonly ignoreCase: boolean;
}

/** Throws `invalid`, which names the first member at fault. */
export function newField({ name: given, path, type: asked, ignoreCase }: Asked): NewField {
  requirePath(path);
  const type = FIELD_TYPES.find((each) => each === asked);
  if (!type) throw invalid({ field: "type", message: `must be one of ${FIELD_TYPES.join(", ")}` });
  if (ignoreCase && type !== "string")
    throw invalid({ field: "ignore_case", message: "must be false for a type other than string" });
  if (given === "" && !path.every((step) => SIMPLE_NAME.test(step)))
    throw invalid({ field: "name", message: "is required for this path" });
  const name = given === "" ? path.join(".") : given;
  if (!FIELD_NAME.test(name)) {
    const message = "must have 1 to 64 of A to Z, a to z, 0 to 9, _, - and .";
    throw invalid({ field: "name", message });
  }
  return { name, path, type, ignoreCase };
}

function requirePath(path: readonly string[]): void {
  const refuse = (message: string): AnnalsError => invalid({ field: "path", message });
  const root = FIELD_ROOTS.find((steps) => steps.every((step, at) => path[at] === step));
  if (!root || path.length === root.length) {
    const roots = FIELD_ROOTS.map((steps) => steps.join(".")).join(", ");
    throw refuse(`must name a member below one of ${roots}`);
  }
  if (path.length > MAX_FIELD_STEPS) throw refuse(`must have at most ${MAX_FIELD_STEPS} names`);
  if (!path.every(isStep))
    throw refuse(`must have names of 1 to ${MAX_STEP_LENGTH} characters, none a control character`);
}

/** Whether a path may have the name. */
export function isStep(step: string): boolean {
  const isShort = step !== "" && step.length <= MAX_STEP_LENGTH;
  return isShort && step.isWellFormed() && Array.from(step).every((character) => character >= " ");
}

/** The number of the first declared field. */
const FIRST_FIELD = 16;
/** What a smallint holds. */
const LAST_FIELD = 32_767;

const ID = /^field_([1-9]\d{1,4})$/;

export const fieldId = (field: number): string => `field_${field}`;

/** Undefined for a text that is no id of a field. */
export function fieldOf(id: string): number | undefined {
  const field = Number(ID.exec(id)?.[1] ?? 0);
  return field >= FIRST_FIELD && field <= LAST_FIELD ? field : undefined;
}

/** Fields of an account with those that were deleted and are still taken out of the index. */
const MAX_KEPT = 64;

interface Kept {
  readonly field: number;
  readonly name: string;
  readonly is_deleted: boolean;
}

/**
 * The number of a new field. Throws `invalid` for a name that another one has, and `plan_count_exceeded`
 * through `refuse`.
 */
export function nextField(
  kept: readonly Kept[],
  name: string,
  { most, refuse }: { readonly most: number; readonly refuse: () => AnnalsError },
): number {
  const fields = kept.filter(({ is_deleted: isDeleted }) => !isDeleted);
  if (fields.some((each) => each.name === name))
    throw invalid({ field: "name", message: "is the name of another field" });
  if (fields.length >= most) throw refuse();
  const next = Math.max(FIRST_FIELD - 1, ...kept.map(({ field }) => field)) + 1;
  if (kept.length >= MAX_KEPT || next > LAST_FIELD) {
    const message = "Too many fields were deleted. Try again when the index has forgotten them.";
    throw invalid({ field: "", message });
  }
  return next;
}
