// Calls what the application gives to be told of something. Called by deliveries, spools and the outbox.

/** What the callback throws is uncaught, as in a timer, and stops nothing. */
export function tell(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
