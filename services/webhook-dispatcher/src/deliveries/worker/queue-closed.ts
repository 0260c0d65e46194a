// What a page of the fan-out ends with if the queue of a webhook that receives an entry is closed: the
// clean-up has closed it since the cursor was read, or the webhook has a filter. It does not count as a
// failure: the next try opens it.

export class QueueClosed extends Error {
  readonly webhookIds: readonly string[];

  constructor(webhookIds: readonly string[]) {
    super("a queue is closed");
    this.webhookIds = webhookIds;
  }
}
