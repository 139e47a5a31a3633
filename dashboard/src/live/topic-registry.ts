const MAX_TOPICS = 50;

export type TopicRegistry = ReturnType<typeof openTopicRegistry>;

/** The topics that the shared stream must request. */
export function openTopicRegistry(topicsOfThisTab: () => string[]) {
  const topicsByTab = new Map<string, string[]>();
  const rejected = new Set<string>();
  return {
    setTopics: (tab: string, topics: string[]) => void topicsByTab.set(tab, topics),
    removeTab: (tab: string) => void topicsByTab.delete(tab),
    /** Topics of all tabs, collections first, because a stream takes at most fifty. */
    wanted: (): string[] =>
      [...new Set([...topicsOfThisTab(), ...[...topicsByTab.values()].flat()])]
        .filter((topic) => !rejected.has(topic))
        .sort((a, b) => Number(isObjectTopic(a)) - Number(isObjectTopic(b)) || a.localeCompare(b))
        .slice(0, MAX_TOPICS),
    /** A deleted or forbidden object must not block the updates of other topics. */
    reject: (topics: string[]) => {
      const objectTopics = topics.filter(isObjectTopic);
      for (const topic of objectTopics.length > 0 ? objectTopics : topics) rejected.add(topic);
    },
  };
}

/** `run:<id>`, as opposed to `runs`. */
function isObjectTopic(topic: string): boolean {
  return topic.includes(":");
}
