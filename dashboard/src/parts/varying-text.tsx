/** Placeholders of the service for the varying parts of a message. */
const KINDS: Record<string, string> = {
  n: "a number",
  id: "an id",
  text: "some text",
  time: "a time",
  mail: "an e-mail address",
  list: "a list",
  data: "data",
};

/** A message common to many failures, with its varying parts marked. */
export function VaryingText({ text }: { text: string }) {
  // Splitting by a group puts the matches at odd indexes.
  const parts = text.split(/<(n|id|text|time|mail|list|data)>/);
  return parts.map((part, nth) =>
    nth % 2 === 0 ? (
      part
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        key={nth}
        role="img"
        aria-label={KINDS[part] ?? part}
        title={KINDS[part]}
        className="rounded-xs bg-hover px-1 text-ink-3"
      >
        …
      </span>
    ),
  );
}
