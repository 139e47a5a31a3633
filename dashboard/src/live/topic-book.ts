const MOST_TOPICS = 50;

export type TopicBook = ReturnType<typeof openTopicBook>;

/** The topics that the shared stream must request. */
export function openTopicBook(ofThisTab: () => string[]) {
  const ofTabs = new Map<string, string[]>();
  const refused = new Set<string>();
  return {
    note: (tab: string, topics: string[]) => void ofTabs.set(tab, topics),
    forget: (tab: string) => void ofTabs.delete(tab),
    /** Topics of all tabs, collections first, because a stream takes at most fifty. */
    wanted: (): string[] =>
      [...new Set([...ofThisTab(), ...[...ofTabs.values()].flat()])]
        .filter((topic) => !refused.has(topic))
        .sort((a, b) => Number(isOfObject(a)) - Number(isOfObject(b)) || a.localeCompare(b))
        .slice(0, MOST_TOPICS),
    /** A deleted or forbidden object must not block the updates of other topics. */
    refuse: (topics: string[]) => {
      const ofObjects = topics.filter(isOfObject);
      for (const topic of ofObjects.length > 0 ? ofObjects : topics) refused.add(topic);
    },
  };
}

/** `run:<id>`, as opposed to `runs`. */
function isOfObject(topic: string): boolean {
  return topic.includes(":");
}
