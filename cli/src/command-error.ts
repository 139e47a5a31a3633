import type { ExitName } from "./exit-codes.ts";

/** A command that cannot go on, told to the person who typed it: the message, what to do, no stack. */
export class CommandError extends Error {
  readonly exit: ExitName;
  readonly hints: readonly string[];

  constructor(exit: ExitName, message: string, hints: readonly string[] = []) {
    super(message);
    this.exit = exit;
    this.hints = hints;
  }
}
