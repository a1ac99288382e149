import type { KubeObject } from '../../resources/kube-object.js';
import { matchesPod, type PodMatch } from './pod.match.js';

/** A request for the log of a container. */
export interface PodLogRequest {
  readonly pod: KubeObject;
  readonly container: string;
  /** Asks for the log of the run before the last restart. */
  readonly previous: boolean;
}

/** Follows the log of a container. */
export interface LogFollower {
  readonly pod: KubeObject;
  readonly container: string;
  /** Takes what is printed from now on. */
  take(text: string): void;
  /** Is called when the container has ended. */
  end(): void;
}

type LogText = string | ((request: PodLogRequest) => string);

interface SetLog {
  readonly match: PodMatch;
  readonly container?: string;
  /** Set for whole logs; later ones win. */
  readonly text?: LogText;
  /** Set for what was added to a log. */
  readonly printed?: string;
}

/** The logs that a test sets for simulated pods, and those who follow them. */
export class SimulatedLogs {
  private readonly logs: SetLog[] = [];
  private readonly followers = new Set<LogFollower>();

  set(match: PodMatch, text: LogText, container?: string): () => void {
    const entry: SetLog = { match, text, ...(container && { container }) };
    this.logs.push(entry);
    return () => {
      const index = this.logs.indexOf(entry);
      if (index >= 0) this.logs.splice(index, 1);
    };
  }

  print(match: PodMatch, printed: string, container?: string): void {
    this.logs.push({ match, printed, ...(container && { container }) });
    for (const follower of this.followers) {
      if ((container ?? follower.container) === follower.container && matchesPod(match, follower.pod)) {
        follower.take(printed);
      }
    }
  }

  /** The log of a container: what was set last, with all that was printed after it; undefined if there is neither. */
  textOf(request: PodLogRequest): string | undefined {
    const { pod, container, previous } = request;
    const own = this.logs.filter((each) => (each.container ?? container) === container && matchesPod(each.match, pod));
    const last = own.findLastIndex(({ text }) => text !== undefined);
    if (last < 0 && own.length === 0) return undefined;
    const text = own[last]?.text;
    const begin = typeof text === 'function' ? text(request) : (text ?? '');
    // What is printed belongs to the present run.
    if (previous) return begin;
    return (
      begin +
      own
        .slice(last + 1)
        .map(({ printed = '' }) => printed)
        .join('')
    );
  }

  /** Begins to follow. Gives the function that ends it. */
  follow(follower: LogFollower): () => void {
    this.followers.add(follower);
    return () => void this.followers.delete(follower);
  }

  /** Ends the following of a pod whose containers have ended. */
  end({ metadata }: KubeObject): void {
    for (const follower of this.followers) {
      if (follower.pod.metadata.uid !== metadata.uid) continue;
      this.followers.delete(follower);
      follower.end();
    }
  }
}
