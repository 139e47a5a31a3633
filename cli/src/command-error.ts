import type { ExitName } from "./exit-codes.ts";

/** An error caused by the user's input or environment: printed with hints and without a stack trace. */
export class CommandError extends Error {
  readonly exit: ExitName;
  readonly hints: readonly string[];

  constructor(exit: ExitName, message: string, hints: readonly string[] = []) {
    super(message);
    this.exit = exit;
    this.hints = hints;
  }
}
