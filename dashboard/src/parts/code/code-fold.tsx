import { CodeBlock } from "./code-block.tsx";

/** Collapsible code of the action in a dialog. */
export function CodeFold({ code }: { code: string }) {
  return (
    <details>
      <summary className="cursor-pointer text-ink-2 text-xs">As code</summary>
      <CodeBlock className="mt-2" code={code} />
    </details>
  );
}
