import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { formPath, type QueryValues } from '../api/api.client.js';
import type { ConsoleStreamTopic } from '../api/api.types.js';
import { pageLocation } from '../routing/location.js';
import { useStore } from '../platform/store.js';
import { answers, type Answer } from './answer.cache.js';
import { stream } from './live.stream.js';

/** An answer, and a function that asks for it again. */
export interface UsedAnswer<T> extends Answer<T> {
  readonly refresh: () => void;
}

/** Shows an answer below `api/` of the operator that is chosen, and keeps it up to date while the component is there. */
export function useAnswer<T>(
  path: string,
  topics: readonly ConsoleStreamTopic[] = [],
  query: QueryValues = {},
): UsedAnswer<T> {
  const operator = useStore(pageLocation).query.get('operator') ?? undefined;
  const full = formPath(path, { operator, ...query });
  const key = topics.join();
  const live = useMemo(
    () => answers.open<T>(full, key === '' ? [] : (key.split(',') as ConsoleStreamTopic[])),
    [full, key],
  );
  useEffect(() => {
    live.viewers++;
    const leave = stream.subscribe(live.topics);
    // After the stream has been asked for, so that no change comes between the two.
    queueMicrotask(() => live.viewers > 0 && live.refresh());
    return () => {
      leave();
      if (--live.viewers === 0) live.abandon();
    };
  }, [live]);
  const answer = useStore(live.answer);
  const refresh = useCallback(() => live.refresh(), [live]);
  return { ...answer, refresh };
}
