/** What an error says where it differs from run to run, as the service writes it. */
const KINDS: Record<string, string> = {
  n: "a number",
  id: "an id",
  text: "a text",
  time: "a time",
  mail: "an e-mail address",
  list: "a list",
  data: "data",
};

/** A message that many failures have in common: a quiet mark where each has something else. */
export function VaryingText({ text }: { text: string }) {
  // Of a split by one group, every other part is what the group has taken.
  const parts = text.split(/<(n|id|text|time|mail|list|data)>/);
  return parts.map((part, nth) =>
    nth % 2 === 0 ? (
      part
    ) : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, which never move
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
