import { isDeepStrictEqual } from 'node:util';
import { ApiNotFoundError, KubeClient, type Clock, type KubeObject } from 'nestjs-kopf';
import { CLAIMS, type Claim } from './claims/claim.js';

const VOLUME_CLAIMS = 'persistentvolumeclaims.v1';
const PODS = 'pods.v1';

/** Lists the dependencies of the demo. */
export interface DemoOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Is told each step when it is done. */
  readonly report: (line: string) => void;
  /** Is told before a step for which the operator is to log an error, so that nobody takes it for a failure. */
  readonly announce?: (line: string) => void;
  /** @default 'default' */
  readonly namespace?: string;
  /** The class of the volumes; it must allow for resizing. @default the cluster's default class */
  readonly storageClassName?: string;
  /** Seconds in which each step must show. @default 30 */
  readonly patience?: number;
}

/** A step has not shown in the cluster what it should; the message says what differs. */
export class DemoError extends Error {}

/** Goes through the life of ephemeral volume claims as their users see it, and checks the cluster after each step. */
export class Demo {
  private readonly namespace: string;

  constructor(private readonly options: DemoOptions) {
    this.namespace = options.namespace ?? 'default';
  }

  /** @throws DemoError if the cluster is not as it should be. */
  async run(): Promise<void> {
    await this.create();
    await this.refuse();
    await this.resize();
    await this.relabel();
    await this.use();
    await this.finish();
    await this.delete();
  }

  private async create(): Promise<void> {
    const podSelector = { matchLabels: { workspace: 'demo' } };
    const spec = { size: '1Gi', podSelector, waitAtLeast: 1, waitAtMost: 600 };
    const claim = await this.createClaim('demo', spec, { team: 'blue', stage: 'test' });
    await this.expectVolume('demo', 'the volume claim of 1Gi, owned and labelled', {
      size: '1Gi',
      labels: { team: 'blue', stage: 'test' },
      owners: [claim.metadata.uid],
    });
    await this.expectClaim('demo', 'waiting for pods', 'Waiting');
    this.options.report('created: the claim has its volume claim of 1Gi');
  }

  private async refuse(): Promise<void> {
    this.options.announce?.('a claim without a size comes next: the operator is to log an error about it');
    const claim = await this.createClaim('demo-bad', {});
    const selector = `involvedObject.uid=${claim.metadata.uid}`;
    await this.until('an event about the missing size', async () => {
      const { items } = await this.options.client.list('events.v1', {
        namespace: this.namespace,
        fieldSelector: selector,
      });
      return (
        items.some(({ message }) => String(message).includes('Size must be set')) || items.map(({ message }) => message)
      );
    });
    await this.options.client.delete(CLAIMS, 'demo-bad', { namespace: this.namespace });
    await this.expectGone(CLAIMS, 'demo-bad');
    this.options.report('refused: a claim without a size got an event that says so');
  }

  private async resize(): Promise<void> {
    await this.patchClaim('demo', { spec: { size: '2Gi' } });
    await this.expectVolume('demo', 'the volume claim of 2Gi', { size: '2Gi' });
    this.options.report('resized: the volume claim wants 2Gi now');
  }

  private async relabel(): Promise<void> {
    await this.patchClaim('demo', { metadata: { labels: { team: 'red', stage: null, owner: 'me' } } });
    await this.expectVolume('demo', 'the labels of the claim', { labels: { team: 'red', owner: 'me' } });
    this.options.report('relabelled: labels were changed, added, and removed');
  }

  private async use(): Promise<void> {
    const volume = { name: 'workspace', persistentVolumeClaim: { claimName: 'demo' } };
    const mount = { name: 'workspace', mountPath: '/workspace' };
    const container = { name: 'main', image: 'busybox', command: ['sleep', '3600'], volumeMounts: [mount] };
    await this.options.client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'demo-pod', namespace: this.namespace, labels: { workspace: 'demo' } },
      spec: { restartPolicy: 'Never', containers: [container], volumes: [volume] },
    });
    await this.expectClaim('demo', 'in use by the pod', 'InUse');
    this.options.report('used: the pod runs with the volume');
  }

  private async finish(): Promise<void> {
    const options = { namespace: this.namespace, subresource: 'status' };
    await this.options.client.patch(PODS, 'demo-pod', { status: { phase: 'Succeeded' } }, options);
    await this.expectGone(CLAIMS, 'demo');
    await this.options.client.delete(PODS, 'demo-pod', { namespace: this.namespace, gracePeriodSeconds: 0 });
    await this.expectGone(VOLUME_CLAIMS, 'demo');
    this.options.report('finished: the claim went with its volume claim when the pod was done');
  }

  private async delete(): Promise<void> {
    await this.createClaim('demo-2', { size: '1Gi' });
    await this.expectVolume('demo-2', 'the volume claim', { size: '1Gi' });
    await this.options.client.delete(CLAIMS, 'demo-2', { namespace: this.namespace });
    await this.expectGone(CLAIMS, 'demo-2');
    await this.expectGone(VOLUME_CLAIMS, 'demo-2');
    this.options.report('deleted: the volume claim went with the claim');
  }

  private createClaim(name: string, spec: Claim['spec'], labels?: Record<string, string>): Promise<Claim> {
    const { storageClassName } = this.options;
    return this.options.client.create<Claim>({
      apiVersion: 'kopf.dev/v1',
      kind: 'EphemeralVolumeClaim',
      metadata: { name, namespace: this.namespace, labels },
      spec: { ...spec, ...(storageClassName !== undefined && { storageClassName }) },
    });
  }

  private async patchClaim(name: string, patch: object): Promise<void> {
    await this.options.client.patch(CLAIMS, name, patch, { namespace: this.namespace });
  }

  private async expectVolume(
    name: string,
    what: string,
    wanted: { size?: string; labels?: Record<string, string>; owners?: (string | undefined)[] },
  ): Promise<void> {
    await this.until(what, async () => {
      const volume = await this.find(VOLUME_CLAIMS, name);
      if (!volume) return 'there is no volume claim';
      const { labels = {}, ownerReferences = [] } = volume.metadata;
      const actual = {
        size: volume.spec.resources.requests.storage as string,
        labels,
        owners: ownerReferences.map(({ uid }) => uid),
      };
      const relevant = Object.fromEntries(Object.keys(wanted).map((key) => [key, actual[key as keyof typeof actual]]));
      return isDeepStrictEqual(relevant, wanted) || relevant;
    });
  }

  private async expectClaim(name: string, what: string, phase: string): Promise<void> {
    await this.until(`the claim ${what}`, async () => {
      const claim = (await this.find(CLAIMS, name)) as Claim | undefined;
      return claim?.status?.usage?.phase === phase || claim?.status;
    });
  }

  private async expectGone(resource: string, name: string): Promise<void> {
    await this.until(`no ${resource} ${name}`, async () => {
      const object = await this.find(resource, name);
      return object === undefined || object.metadata;
    });
  }

  private async find(resource: string, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.options.client.get(resource, name, { namespace: this.namespace });
    } catch (error) {
      if (error instanceof ApiNotFoundError) return undefined;
      throw error;
    }
  }

  /** Waits until the check returns `true`; what else it returns is what was found instead. */
  private async until(what: string, check: () => Promise<unknown>): Promise<void> {
    const { clock, patience = 30 } = this.options;
    const deadline = clock.monotonic() + patience * 1000;
    for (;;) {
      const found = await check();
      if (found === true) return;
      if (clock.monotonic() > deadline) throw new DemoError(`Expected ${what}. Found ${JSON.stringify(found)}.`);
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 100));
    }
  }
}
