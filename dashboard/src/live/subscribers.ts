import type { StreamChange } from "@millrace/contract/deliveries/streams";

export type Subscriber = { topics: string[]; onChange: (change: StreamChange) => void; onReset: () => void };

/** Subscribers of this tab and their topics. */
export function openSubscribers() {
  const subscribers = new Set<Subscriber>();
  return {
    add: (subscriber: Subscriber) => void subscribers.add(subscriber),
    remove: (subscriber: Subscriber) => void subscribers.delete(subscriber),
    topics: (): string[] => [...new Set([...subscribers].flatMap(({ topics }) => topics))],
    deliver: (change: StreamChange) => {
      for (const subscriber of subscribers) if (isSubscribed(subscriber, change.topics)) subscriber.onChange(change);
    },
    /** Events of these topics may have been missed; without topics, of all of them. */
    reset: (topics: string[]) => {
      for (const subscriber of subscribers)
        if (topics.length === 0 || isSubscribed(subscriber, topics)) subscriber.onReset();
    },
  };
}

function isSubscribed(subscriber: Subscriber, topics: string[]): boolean {
  return subscriber.topics.some((topic) => topics.includes(topic));
}
