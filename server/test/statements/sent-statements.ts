import pg from "pg";
import { vi } from "vitest";

/**
 * Calls `note` with the text of every statement that this process sends, including on connections that are already
 * open.
 */
export function captureStatements(note: (text: string) => void): { stop: () => void } {
  const { submit } = pg.Query.prototype as unknown as { submit: (...given: unknown[]) => unknown };
  const spy = vi.spyOn(pg.Query.prototype as unknown as { submit: typeof submit }, "submit");
  spy.mockImplementation(function (this: { text?: string }, ...given: unknown[]) {
    note(this.text ?? "");
    return submit.apply(this, given);
  });
  return { stop: () => spy.mockRestore() };
}
