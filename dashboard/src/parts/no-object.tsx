import { SearchX } from "lucide-react";
import { asProblem } from "../api/problem.ts";
import { usePlace } from "../shell/place.ts";
import { EmptyState } from "./empty-state.tsx";
import { ErrorState } from "./error-state.tsx";
import { capitalized } from "./format.ts";
import { Link } from "./link.tsx";

type Props = {
  error: unknown;
  onRetry: () => void;
  /** What it would have been: "workflow run". */
  noun: string;
  /** The page of all of them: "workflow-runs". */
  list: string;
};

/** In place of an object that could not be read. Asking again for one that is not there is no use: the others are. */
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
