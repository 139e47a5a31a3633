import type { StreamChange } from "@millrace/contract/streams";

export type Follower = { topics: string[]; onChange: (change: StreamChange) => void; onReset: () => void };

/** Subscribers of this tab and their topics. */
export function openFollowers() {
  const followers = new Set<Follower>();
  return {
    add: (follower: Follower) => void followers.add(follower),
    remove: (follower: Follower) => void followers.delete(follower),
    topics: (): string[] => [...new Set([...followers].flatMap(({ topics }) => topics))],
    deliver: (change: StreamChange) => {
      for (const follower of followers) if (follows(follower, change.topics)) follower.onChange(change);
    },
    /** Events of these topics may have been missed; without topics, of all of them. */
    reset: (topics: string[]) => {
      for (const follower of followers) if (topics.length === 0 || follows(follower, topics)) follower.onReset();
    },
  };
}

function follows(follower: Follower, topics: string[]): boolean {
  return follower.topics.some((topic) => topics.includes(topic));
}
