const MOST_TOPICS = 50;

export type TopicBook = ReturnType<typeof openTopicBook>;

/** What the one stream of the browser must ask for. */
export function openTopicBook(ofThisTab: () => string[]) {
  const ofTabs = new Map<string, string[]>();
  const refused = new Set<string>();
  return {
    note: (tab: string, topics: string[]) => void ofTabs.set(tab, topics),
    forget: (tab: string) => void ofTabs.delete(tab),
    /** Topics of all tabs; those of many objects first, since there is room for fifty. */
    wanted: (): string[] =>
      [...new Set([...ofThisTab(), ...[...ofTabs.values()].flat()])]
        .filter((topic) => !refused.has(topic))
        .sort((a, b) => Number(isOfObject(a)) - Number(isOfObject(b)) || a.localeCompare(b))
        .slice(0, MOST_TOPICS),
    /** An object that is gone, or not ours, must not keep the others from being told of. */
    refuse: (topics: string[]) => {
      const ofObjects = topics.filter(isOfObject);
      for (const topic of ofObjects.length > 0 ? ofObjects : topics) refused.add(topic);
    },
  };
}

/** `run:<id>`, in contrast to `runs`. */
function isOfObject(topic: string): boolean {
  return topic.includes(":");
}
