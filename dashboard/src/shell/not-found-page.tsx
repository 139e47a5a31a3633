import { Compass } from "lucide-react";
import { useEffect } from "react";
import { Link } from "../parts/link.tsx";
import { EmptyState } from "../parts/state/empty-state.tsx";

export function NotFoundPage() {
  useEffect(() => {
    document.title = "Page not found · Millrace";
  }, []);
  return (
    <EmptyState
      icon={<Compass size={20} />}
      title="Page not found"
      action={
        <Link href="/" className="font-medium text-accent hover:underline">
          Go to Home
        </Link>
      }
    >
      Check the URL. The page may also belong to a newer version of the service.
    </EmptyState>
  );
}
