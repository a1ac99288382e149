import {
  adopt,
  Daemon,
  Index,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnUpdate,
  TemporaryError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type IndexContext,
  type KubeClient,
  type KubeObject,
  type TimerContext,
} from 'nestjs-kopf';
import type { DeleteOptions } from 'nestjs-kopf/decorators';
import { OperatorBuilder, RESOURCE, type Change } from './random.builder.js';
import { drawTrouble } from './random.trouble.js';

/** The resource of the objects of the cluster. */
export const TENANTS = 'tenants.random.example.com';
/** Marks the ConfigMaps of the operator. */
export const MADE = { key: 'made', value: 'yes' } as const;
/** Marks the namespaces that a handler was called for. */
export const MET = 'random.example.com/met';
/** Marks what was noted on a ConfigMap. */
export const SEEN = 'random.example.com/seen';

const MAPS = { labels: { [MADE.key]: MADE.value } };

type MapContext = ChangeContext & { readonly body: { readonly data?: MapData } };

interface MapData {
  readonly size?: string;
}

/** The handlers of a mixed operator that were drawn, as far as its checks have to know of them. */
export interface Mixture {
  readonly marksMaps: boolean;
  readonly makesSecrets: boolean;
  readonly makesRooms: boolean;
  readonly meetsNamespaces: boolean;
}

/**
 * Adds handlers of several resources: objects have a ConfigMap each, which the operator looks after, too, and gives a Secret. Tenants, which are
 * objects of the cluster, have a namespace each, with an object in it. So children of one handler are the objects of another one.
 */
export class MixedBuilder extends OperatorBuilder {
  /** Draws which of them there are. */
  addMixture(): Mixture {
    const { draw } = this;
    this.addMaps();
    const mixture: Mixture = {
      marksMaps: draw.percent(70),
      makesSecrets: draw.percent(60),
      makesRooms: draw.percent(60),
      meetsNamespaces: draw.percent(30),
    };
    if (mixture.marksMaps) this.addMarks();
    if (mixture.makesSecrets) this.addSecrets();
    this.addTenants(mixture.makesRooms);
    if (mixture.meetsNamespaces) this.addNamespaceEvents();
    if (draw.percent(40)) this.addMapIndex();
    if (draw.percent(40)) this.addMapDaemon();
    if (draw.percent(30)) this.addMapTimer();
    return mixture;
  }

  /** Makes a ConfigMap for each object. */
  private addMaps(): void {
    const trouble = drawTrouble(this.draw);
    const options = { ...this.common, ...trouble.options };
    this.add('keep', [OnCreate(RESOURCE, options), OnUpdate(RESOURCE, options)], async (parts, context: Change) => {
      await this.act(parts, 'keep', trouble, context);
      const { name, spec, signal } = context;
      const metadata = { name: `${name}-map`, labels: MAPS.labels };
      const data = { size: String(spec.size) };
      await bring(parts.client, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, signal);
    });
    this.addHold('hold', RESOURCE);
  }

  /** Records the contents of each ConfigMap in an annotation. */
  private addMarks(): void {
    const trouble = drawTrouble(this.draw);
    const options = { ...MAPS, ...trouble.options };
    const decorators = this.draw.percent(50)
      ? [OnField('configmaps.v1', { ...options, field: 'data' })]
      : [OnCreate('configmaps.v1', options), OnUpdate('configmaps.v1', options)];
    this.add('mark', decorators, async ({ clock }, { body, patch, retry }: MapContext) => {
      await trouble.meet(retry, clock);
      patch.metadata.annotations[SEEN] = body.data?.size ?? 'none';
    });
  }

  /** Makes a Secret for each ConfigMap. */
  private addSecrets(): void {
    const trouble = drawTrouble(this.draw);
    const options = { ...MAPS, ...trouble.options };
    this.add(
      'lock',
      [OnCreate('configmaps.v1', options), OnUpdate('configmaps.v1', options)],
      async ({ client, clock }, { body, name, retry, signal }: MapContext) => {
        await trouble.meet(retry, clock);
        const data = { size: btoa(body.data?.size ?? 'none') };
        await bring(client, { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-secret` }, data }, signal);
      },
    );
    this.addHold('unlock', 'configmaps.v1', MAPS);
  }

  /** Looks after tenants: notes their sizes, and makes a namespace with an object in it. */
  private addTenants(makesRooms: boolean): void {
    const trouble = drawTrouble(this.draw);
    const { options } = trouble;
    this.add('house', [OnCreate(TENANTS, options), OnUpdate(TENANTS, options)], async (parts, context: Change) => {
      await this.act(parts, 'house', trouble, context);
      const { name, spec, patch, signal } = context;
      patch.status.housed = spec.size;
      if (!makesRooms) return;
      const namespace = `app-of-${name}`;
      await bring(parts.client, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, signal);
      const metadata = { name: `room-${name}`, namespace };
      const room = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata, spec: { size: spec.size } };
      await bring(parts.client, room, signal);
    });
    this.addHold('leave', TENANTS);
  }

  /** Keeps an object until nothing is made for it any more: otherwise a recreated object could lose its children to it. */
  private addHold(id: string, resource: string, filters: DeleteOptions = {}): void {
    this.add(id, [OnDelete(resource, filters)], () => {});
  }

  private addMapIndex(): void {
    this.add('maps', [Index('configmaps.v1', MAPS)], (_parts, { name, body }: IndexContext) => ({
      [name]: (body as { readonly data?: MapData }).data?.size,
    }));
  }

  private addMapDaemon(): void {
    const pause = this.draw.one([5, 30]);
    const options = { ...MAPS, cancellationTimeout: 5 };
    this.add('watch', [Daemon('configmaps.v1', options)], async (_parts, { stopped }: DaemonContext) => {
      while (!stopped.isSet) await stopped.wait(pause);
    });
  }

  private addMapTimer(): void {
    this.add('tick', [Timer('configmaps.v1', { ...MAPS, interval: 20 })], (_parts, { patch }: TimerContext) => {
      patch.metadata.annotations['random.example.com/tick-if'] = 'ticked';
    });
  }

  private addNamespaceEvents(): void {
    this.add('meet', [OnEvent('namespaces')], (_parts, { type, name, patch }: EventContext) => {
      if (type !== 'DELETED' && name.startsWith('app-')) patch.metadata.annotations[MET] = 'yes';
    });
  }
}

/**
 * Applies a child of the object that is handled. One that is there already can be about to go: it is waited for.
 *
 * @param signal aborted when another replica may handle the object
 */
async function bring(client: KubeClient, child: object, signal: AbortSignal): Promise<void> {
  const options = { fieldManager: 'mixed', force: true, signal };
  const { metadata } = await client.apply(adopt(child as KubeObject), options);
  if (metadata.deletionTimestamp) throw new TemporaryError(`${metadata.name} is about to go.`, { delay: 5 });
}
