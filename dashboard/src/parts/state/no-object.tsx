import { SearchX } from "lucide-react";
import { asProblem } from "../../api/problem.ts";
import { usePlace } from "../../shell/place/place.ts";
import { capitalized } from "../format.ts";
import { Link } from "../link.tsx";
import { EmptyState } from "./empty-state.tsx";
import { ErrorState } from "./error-state.tsx";

type Props = {
  error: unknown;
  onRetry: () => void;
  /** For example "workflow run". */
  noun: string;
  /** The list page, for example "workflow-runs". */
  list: string;
};

/** Shown for an object that cannot be read. Retrying a missing one is useless, so it links to the list. */
export function NoObject({ error, onRetry, noun, list }: Props) {
  const { at } = usePlace();
  if (asProblem(error).status !== 404) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={<SearchX size={18} />}
      title={`${capitalized(noun)} not found`}
      action={
        <Link href={at(list)} className="font-medium text-accent hover:underline">
          View all {list.replaceAll("-", " ")}
        </Link>
      }
    >
      It may have been deleted, its retention period may have passed, or it belongs to another project.
    </EmptyState>
  );
}
