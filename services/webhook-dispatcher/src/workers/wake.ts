// Lets a worker's loop wait until it is woken or a time has passed. A wake that comes while nobody
// waits is kept.

export class Wake {
  #isAwake = false;
  #resolve: (() => void) | undefined;

  wake(): void {
    this.#isAwake = true;
    this.#resolve?.();
  }

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isAwake) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    this.#isAwake = false;
  }
}
