import { cx } from "../class-names.ts";
import { CopyButton } from "./copy-button.tsx";

type Props = { code: string; title?: string; className?: string };

/** Code with a copy button. */
export function CodeBlock({ code, title, className }: Props) {
  return (
    <figure className={cx("group/code relative m-0 overflow-hidden rounded-sm border bg-surface", className)}>
      {title && <figcaption className="border-b px-3 py-1.5 font-medium text-ink-2 text-xs">{title}</figcaption>}
      <pre
        tabIndex={0}
        className="mr-9 overflow-x-auto whitespace-pre-wrap p-3 pr-1 font-mono text-xs leading-5 -outline-offset-2"
      >
        <code>{code}</code>
      </pre>
      <CopyButton
        text={code}
        label="Copy code"
        className={cx("absolute right-1.5 bg-surface", title ? "top-10" : "top-2")}
      />
    </figure>
  );
}
