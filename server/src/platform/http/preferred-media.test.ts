import { expect, test } from "vitest";
import { preferredMedia } from "./preferred-media.ts";

const OFFERED = ["application/json", "application/x-ndjson", "text/event-stream"] as const;

test.each([
  [undefined, "application/json"],
  ["", "application/json"],
  ["*/*", "application/json"],
  ["application/*", "application/json"],
  ["text/*", "text/event-stream"],
  ["text/event-stream", "text/event-stream"],
  ["Text/Event-Stream; charset=utf-8", "text/event-stream"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["text/event-stream, */*", "text/event-stream"],
  ["*/*, application/x-ndjson", "application/x-ndjson"],
  ["application/json, text/event-stream", "application/json"],
  ["application/json;q=0.5, text/event-stream;q=0.9", "text/event-stream"],
  ["application/x-ndjson;q=0, */*;q=0.1", "application/json"],
  ["text/html, application/xhtml+xml", "application/json"],
  ["text/event-stream;q=nothing", "application/json"],
  [",;;,q=1", "application/json"],
])("%j prefers %s", (accept, media) => {
  expect(preferredMedia(accept, [...OFFERED])).toBe(media);
});
