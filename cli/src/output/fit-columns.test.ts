import { describe, expect, it } from "vitest";
import { fitColumns } from "./fit-columns.ts";

const major = (natural: number) => ({ natural, isMinor: false });
const minor = (natural: number) => ({ natural, isMinor: true });
const fit = (columns: Parameters<typeof fitColumns>[0], room: number) => [...fitColumns(columns, room)];

describe("fitColumns", () => {
  it("changes nothing where there is room", () => {
    expect(fit([major(36), minor(9), major(40)], 89)).toEqual([
      [0, 36],
      [1, 9],
      [2, 40],
    ]);
  });

  it("cuts long cells first, and uses all the room", () => {
    expect(fit([major(36), minor(9), major(40)], 80)).toEqual([
      [0, 36],
      [1, 9],
      [2, 31],
    ]);
  });

  it("then leaves minor columns out, then the last ones, but never the first", () => {
    expect(fit([major(36), minor(9), major(40)], 60)).toEqual([
      [0, 36],
      [2, 22],
    ]);
    expect(fit([major(36), minor(9), major(40)], 50)).toEqual([[0, 36]]);
    expect(fit([major(36), major(9)], 20)).toEqual([[0, 36]]);
  });
});
