import { ApiNotFoundError } from '../client/api/api.errors.js';
import { errorText, sleep } from 'kube-common';
import type { KubeObject } from '../objects/kube-object.js';
import { resourceUrl } from '../resources/resources.js';
import { type ContainerRun, type ContainerRuns, findContainerRuns } from './container.runs.js';
import type { LoggedPod, LogSink, LogTools } from './log.query.js';

/** Seconds until a pod that could not be read is read again. */
const RETRY_DELAY = 5;

/** Seconds between the reads of a pod whose log seems to belong to another run: the status is updated later than the log. */
const STATUS_DELAYS = [0, 1, 2];

/** The look-up of the runs of a container in the newest state of its pod. */
export class ContainerLookup {
  private readonly url: string;

  constructor(
    { resource, name, namespace, uid }: LoggedPod,
    private readonly container: string,
    private readonly tools: LogTools,
    private readonly sink: LogSink,
  ) {
    this.url = resourceUrl(resource, { name, namespace });
    this.uid = uid;
  }

  private readonly uid: string;

  /** Returns the runs; `undefined` if the pod has gone, if the container has none, or if the signal was aborted. */
  async find(): Promise<ContainerRuns | undefined> {
    const { api, heap } = this.tools;
    const { signal, logger } = this.sink;
    while (!signal.aborted) {
      try {
        const pod = await api.get<KubeObject>(this.url, { signal, retries: 'transient' });
        if (pod.metadata.uid !== this.uid) return undefined;
        return findContainerRuns(pod).find(({ name }) => name === this.container);
      } catch (error) {
        if (signal.aborted || error instanceof ApiNotFoundError) return undefined;
        logger.warn(
          () => `The pod of container ${this.container} cannot be read, so its log has to wait: ${errorText(error)}`,
        );
        await sleep(heap, RETRY_DELAY, signal);
      }
    }
    return undefined;
  }

  /** Checks whether the log that the server sends belongs to another run by now: that of the current run, or that of the run before. */
  async isReplaced({ id }: ContainerRun, which: 'current' | 'previous'): Promise<boolean> {
    for (const delay of STATUS_DELAYS) {
      if (delay > 0) await sleep(this.tools.heap, delay, this.sink.signal);
      const runs = await this.find();
      if (runs && runs[which]?.id !== id) return true;
      if (!runs || which === 'previous') return false;
    }
    return false;
  }

  /** Checks once whether a log of which no line has come yet belongs to the run. */
  async isCurrent({ id }: ContainerRun): Promise<boolean> {
    const runs = await this.find();
    return !runs || runs.current.id === id;
  }
}
