export type FailureKind = "denied" | "wrong_state" | "wrong_answer" | "unavailable" | "no_access";

/** A sign-in that ends without a session. The message is for the log: the page has words of its own. */
export class SignInFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
