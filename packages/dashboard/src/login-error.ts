// Why the dashboard itself did not send a request of a person: there is no access token for it. Thrown by
// person.ts and shown by parts/error-view.ts. What is on the screen stays.

import { AnnalsError } from "@annals/sdk";

export class LoginError extends AnnalsError {
  readonly advice: string;
  /** URL to log in again; undefined if that would not help. */
  readonly logInAt: string | undefined;

  constructor(title: string, advice: string, logInAt?: string) {
    super("authentication_error", title);
    this.advice = advice;
    this.logInAt = logInAt;
  }
}
