import { Compass } from "lucide-react";
import { useEffect } from "react";
import { EmptyState } from "../parts/empty-state.tsx";
import { Link } from "../parts/link.tsx";

export function NotFoundPage() {
  useEffect(() => {
    document.title = "No such page · Millrace";
  }, []);
  return (
    <EmptyState
      icon={<Compass size={20} />}
      title="There is no such page"
      action={
        <Link href="/" className="font-medium text-accent hover:underline">
          Go to the first page
        </Link>
      }
    >
      The address may be mistyped, or it is of a later version of the service.
    </EmptyState>
  );
}
