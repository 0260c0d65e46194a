// Renders a row of the store as a WidgetEvent of proto: with its proof, without what the token does not show.
// Called by the handlers for widget tokens.

import type { WidgetEventSchema } from "@annals/proto/ledger";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { hideParts } from "../rules/hide-parts.ts";
import type { EventRow } from "../../store/event-row.ts";
import { renderEvent } from "../render-event.ts";
import type { WidgetView } from "../widget-view.ts";

export function renderWidgetEvent(
  row: EventRow,
  accountId: string,
  { parts }: Pick<WidgetView, "parts">,
): MessageInitShape<typeof WidgetEventSchema> {
  const { hidden, salts, ...shown } = hideParts(row, parts);
  const visible: EventRow = { ...row, ...shown, salts: Buffer.from(salts) };
  return { event: renderEvent(visible, { accountId, includeProof: true }), hidden: [...hidden] };
}
