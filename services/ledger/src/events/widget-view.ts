// What the widget token of a call may see, from the statement that admits the call. Called by the handlers
// for widget tokens. It must never take it from the request, which a compromised gateway could make up.

import { AnnalsError } from "@annals/errors";
import { EventFilterSchema } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { EventFilter } from "../search/rules/event-filter.ts";

export interface WidgetView {
  readonly filter: EventFilter;
  /** The parts that are shown, out of WIDGET_PARTS. */
  readonly parts: readonly string[];
}

/** Throws `permission_denied` for a call without a token, even if statements are optional. */
export function widgetViewOf(context: Pick<HandlerContext, "values">): WidgetView {
  const widget = admissionOf(context)?.widget;
  if (!widget) throw new AnnalsError("permission_denied", "This call needs a widget token.");
  return { filter: widget.filter ?? create(EventFilterSchema), parts: widget.parts };
}
