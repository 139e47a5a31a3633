import type { AlertKind } from "@millrace/contract/alerts/alert-kinds";
import { Section } from "../../../parts/facts.tsx";
import { KIND_WORDS } from "./kind-words.ts";

/** The rule's runbook, its URLs as links; without one, the hint of its kind. */
export function Runbook({ kind, text }: { kind: AlertKind; text: string | null }) {
  const parts = (text ?? KIND_WORDS[kind].action).split(/(https?:\/\/[^\s)]*[^\s).,;])/);
  return (
    <Section title={text === null ? "What to do" : "Runbook"}>
      <p className="whitespace-pre-wrap break-words">
        {parts.map((part, nth) =>
          nth % 2 === 0 ? (
            part
          ) : (
            <a
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
              key={nth}
              href={part}
              target="_blank"
              rel="noreferrer"
              className="text-accent underline"
            >
              {part}
            </a>
          ),
        )}
      </p>
    </Section>
  );
}
