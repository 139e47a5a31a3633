import { describe, expect, it } from "vitest";
import { eventKeyIssue, internalKey, prefixRange, readInternalKey, requireEventKey } from "./event-keys.ts";

describe("an event key", () => {
  it.each(["a", "%", "_", "a/b?c#d", "...", ".a", " ", "ключ", "\u007f", "\u0080", "x".repeat(512), "🏁".repeat(512)])(
    "T11 may be %j",
    (key) => {
      expect(eventKeyIssue(key)).toBeUndefined();
      expect(requireEventKey(key, "path.eventKey")).toBe(key);
    },
  );

  it.each([
    ["", "must not be empty"],
    ["x".repeat(513), "must have at most 512 characters"],
    ["🏁".repeat(513), "must have at most 512 characters"],
    ["a\u0000", "must not contain control characters"],
    ["\n", "must not contain control characters"],
    ["\u001f", "must not contain control characters"],
    [".", 'must not be "."'],
    ["..", 'must not be ".."'],
  ])("T11 may not be %j", (key, issue) => {
    expect(eventKeyIssue(key)).toBe(issue);
    expect(() => requireEventKey(key, "body.event_key")).toThrow(`body.event_key: ${issue}`);
  });
});

describe("the key of an internal wait", () => {
  const id = "0197b2a4-1111-7000-8000-000000000001";

  it("T11 is made of its kind and its own id", () => {
    expect(internalKey("sleep", id)).toBe(`sleep:${id}`);
    expect(readInternalKey(`approval:${id}`)).toEqual({ wait_kind: "approval", id });
  });

  it.each([`event:${id}`, `sleep:${id} `, `sleep:${id.toUpperCase()}x`, "sleep:", id, `xsleep:${id}`])(
    "T11 is not %j",
    (key) => expect(readInternalKey(key)).toBeUndefined(),
  );
});

describe("the range of a prefix", () => {
  it.each([
    ["a", "b"],
    ["order-", "order."],
    ["100%", "100&"],
    ["_", "`"],
    ["a\u{10ffff}", "b"],
    ["\ud7ff", "\ue000"],
    ["🏁", "🏂"],
    ["\u{10ffff}\u{10ffff}", null],
  ])("T7 of %j ends below %j", (prefix, end) => {
    expect(prefixRange(prefix)).toEqual({ start: prefix, end });
  });

  it("T7 holds every text that begins with it and no other, by code points", () => {
    const characters = ["a", "b", "%", "_", "\ud7ff", "\ue000", "\uffff", "🏁", "\u{10ffff}"];
    const texts = characters.flatMap((a) =>
      ["", ...characters].flatMap((b) => ["", ...characters].map((c) => a + b + c)),
    );
    const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    for (const prefix of texts.filter((text) => [...text].length <= 2)) {
      const { start, end } = prefixRange(prefix);
      const within = texts.filter((text) => compare(text, start) >= 0 && (end === null || compare(text, end) < 0));
      expect(new Set(within)).toEqual(new Set(texts.filter((text) => text.startsWith(prefix))));
    }
  });
});
