// What the widget token of a call may see, from the statement that the call was admitted by. Called by the
// handlers for widget tokens. It must never take it from the request: a gateway that was taken over makes
// that.

import { AnnalsError } from "@annals/errors";
import { EventFilterSchema } from "@annals/proto/ledger";
import { admissionOf } from "@annals/rpc";
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { EventFilter } from "../domain/event-filter.ts";

export interface WidgetView {
  readonly filter: EventFilter;
  /** Of WIDGET_PARTS: what is shown. */
  readonly parts: readonly string[];
}

/** Throws `permission_denied` for a call without a token, also where statements are optional. */
export function widgetViewOf(context: Pick<HandlerContext, "values">): WidgetView {
  const widget = admissionOf(context)?.widget;
  if (!widget) throw new AnnalsError("permission_denied", "This call needs a widget token.");
  return { filter: widget.filter ?? create(EventFilterSchema), parts: widget.parts };
}
