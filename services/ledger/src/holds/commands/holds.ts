// The commands `annals holds`: an operator places a hold on events of an account, which no key of the
// account can release, releases any hold, and lists the active ones.

import { inPieces } from "@annals/chassis";
import { command, flag, option, requiredOption, UsageError } from "@annals/cli";
import { placeHold } from "../place-hold.ts";
import { release } from "../release-hold.ts";
import { type HoldRow, listActiveHolds } from "../../store/holds.ts";
import { asSequenceNumber } from "../../commands/sequence-number.ts";
import {
  ACCOUNT,
  type Context,
  EXAMPLE,
  OPERATOR,
  requireChain,
  REQUIRES,
  withRecords,
} from "../../commands/with-records.ts";

const PAGE = 1_000;
const JSON_FLAG = flag("Print a JSON document");

export const placeHoldCommand = command(
  {
    name: "holds place",
    summary: "Keep events of an account from erasure and from retention",
    details: `The account's chain records it. No key of the account can release the hold.
${REQUIRES}`,
    options: {
      account: ACCOUNT,
      from: requiredOption("<n>", "First sequence number that is held", asSequenceNumber),
      to: option("<n>", "Last one. Default: no end, later events are held too", asSequenceNumber),
      actor: option("<id>", "Hold only events of the actor with this id"),
      json: JSON_FLAG,
    },
    examples: [`annals holds place ${EXAMPLE} --from 1`],
  },
  async ({ account: accountId, actor: actorId, from, json, to }, context: Context) => {
    if (to !== undefined && to < from) throw new UsageError("--to: must not be less than --from");
    const range = { actorId, fromSequence: from, toSequence: to };
    const hold = await withRecords(context, async (deps) => {
      await requireChain(deps.database, accountId);
      return placeHold(deps, { accountId, actor: OPERATOR, owner: "operator", ...range });
    });
    process.stdout.write(json ? `${JSON.stringify(holdJson(hold))}\n` : lineOf(hold));
  },
);

export const releaseHoldCommand = command(
  {
    name: "holds release",
    summary: "Release a hold, of the operator or of the account",
    details: `The account's chain records it.
${REQUIRES}`,
    options: { account: ACCOUNT, hold: requiredOption("<id>", "Id of the hold") },
    examples: [`annals holds release ${EXAMPLE} --hold hold_3k5m7p9r1t3v5x7z9b1d3f5h7j`],
  },
  async ({ account: accountId, hold: id }, context: Context) => {
    await withRecords(context, (deps) =>
      release(deps, { accountId, actor: OPERATOR, by: "operator", id }),
    );
    process.stdout.write(`released ${id}\n`);
  },
);

export const listHoldsCommand = command(
  {
    name: "holds list",
    summary: "List the active holds of an account, newest first",
    details: `Each line has the id, the owner, the number of the event that records the hold, the range and the actor.
${REQUIRES}`,
    options: { account: ACCOUNT, json: JSON_FLAG },
    examples: [`annals holds list ${EXAMPLE}`],
  },
  async ({ account: accountId, json }, context: Context) => {
    const holds: HoldRow[] = [];
    await withRecords(context, ({ database }) =>
      inPieces(PAGE, async () => {
        const before = holds.at(-1)?.placed_by ?? String(Number.MAX_SAFE_INTEGER);
        const piece = await database.run(listActiveHolds, [accountId, before, PAGE]);
        holds.push(...piece);
        return piece.length;
      }),
    );
    const text = json ? `${JSON.stringify(holds.map(holdJson))}\n` : holds.map(lineOf).join("");
    process.stdout.write(text);
  },
);

/** The same members as the interface has. */
function holdJson(hold: HoldRow) {
  return {
    id: hold.id,
    from_sequence: Number(hold.from_sequence),
    to_sequence: hold.to_sequence === null ? null : Number(hold.to_sequence),
    actor_id: hold.actor_id,
    owner: hold.owner,
    placed_by: Number(hold.placed_by),
  };
}

function lineOf({ actor_id: actorId, from_sequence, id, owner, placed_by, to_sequence }: HoldRow) {
  const range = `${from_sequence}-${to_sequence ?? ""}`;
  // A client chooses the text of an actor's id: JSON shows what would move a cursor.
  const actor = actorId === null ? [] : [JSON.stringify(actorId)];
  return `${[id, owner, placed_by, range, ...actor].join("\t")}\n`;
}
