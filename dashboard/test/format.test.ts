import { describe, expect, it } from "vitest";
import { formatMoney, moneyBeside } from "../src/parts/format.ts";

describe("money", () => {
  it("is shown to the cent, and finer where a cent would be nothing", () => {
    expect([0, 62_000, 130_000, 39_910_000].map(formatMoney)).toEqual(["$0.00", "$0.0620", "$0.13", "$39.91"]);
    expect(formatMoney(24)).toBe("< $0.0001");
  });

  it("has one precision for amounts that are read together: that of the smallest", () => {
    const money = moneyBeside(130_000, 62_000);
    expect(`${money(130_000)} of ${money(62_000)}`).toBe("$0.1300 of $0.0620");
    expect(moneyBeside(0, 5_000_000)(0)).toBe("$0.00");
  });
});
