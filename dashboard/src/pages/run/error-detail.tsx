import { Id } from "../../parts/id.tsx";

/** The error of a run or of a part of it. */
export function ErrorDetail({ code, message, by_id }: { code: string; message: string; by_id?: string | undefined }) {
  return (
    <div className="rounded-sm border border-l-2 border-l-failed bg-surface px-3 py-2">
      <code className="font-mono text-xs">{code}</code>
      <p className="mt-0.5 whitespace-pre-wrap break-words text-ink-2">{message}</p>
      {by_id && <Id value={by_id} className="text-ink-3" />}
    </div>
  );
}
