// Guarantee: a proof that the interface returns has no salt of an erased or hidden part, whatever the ledger
// sends, and has all digests.

import { PARTS } from "@annals/event";
import { StoredEventSchema, WidgetEventSchema } from "@annals/proto/ledger";
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { renderProof } from "../events/render-event.ts";
import { renderWidgetEvent } from "../widget/render-widget-event.ts";

const event = create(StoredEventSchema, {
  id: "evt_1",
  actor: "{}",
  context: '{"ip":"203.0.113.7"}',
  erased: 1 + 8,
  proof: { chain: "acct_1", salts: Buffer.alloc(80, 7), digests: Buffer.alloc(160, 9) },
});

test("of an event with erased parts", () => {
  const proof = JSON.parse(renderProof(event));
  expect(Object.keys(proof.salts)).toEqual(["context", "diff", "target"]);
  expect(Object.keys(proof.digests)).toEqual([...PARTS]);
});

test("of an event that a widget token shows", () => {
  const rendered = renderWidgetEvent(create(WidgetEventSchema, { event, hidden: ["diff"] }));
  const shown = JSON.parse(rendered.event);
  expect(shown).toMatchObject({ actor: {}, context: { ip: "203.0.113.7" } });
  expect(shown.erased).toEqual(["actor", "metadata"]);
  expect(shown).not.toHaveProperty("diff");
  expect(Object.keys(JSON.parse(rendered.proof).salts)).toEqual(["context", "target"]);
});
