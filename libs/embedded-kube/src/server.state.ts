import type { IdentityStore } from './access/identity.store.js';
import type { ControllerRunner } from './controllers/controller.runner.js';
import type { DefinitionController } from './definitions/definition.controller.js';
import type { EmbeddedKubeOptions, KubeSnapshot } from './embedded-kube.options.js';
import type { LaggingMembers } from './machinery/lagging.member.js';
import type { WatchService } from './machinery/watch.service.js';
import type { ObjectStore, StoreSnapshot } from './storage/object.store.js';

/** The parts of a server that have a state. */
interface StatefulParts {
  readonly options: EmbeddedKubeOptions;
  readonly store: ObjectStore;
  readonly identityStore: IdentityStore;
  readonly watches: WatchService;
  readonly definitions: DefinitionController;
  readonly controllers: ControllerRunner;
  readonly members: LaggingMembers;
}

/** The state of a server, for snapshots. */
export class ServerState {
  constructor(private readonly parts: StatefulParts) {}

  get members(): LaggingMembers {
    return this.parts.members;
  }

  snapshot(): KubeSnapshot {
    return new ServerSnapshot(this.parts.store.snapshot(), this.parts.identityStore.snapshot());
  }

  /** Restores a snapshot. Watches end, and controllers and definitions start again, as they remember the later state. */
  async restore(snapshot: KubeSnapshot): Promise<void> {
    const { store, watches, definitions, controllers, members } = this.parts;
    const { objects } = contentOf(snapshot);
    await controllers.stop();
    definitions.stop();
    watches.end();
    members.end();
    store.restore(objects);
    definitions.restart();
    await controllers.start();
  }

  /** Returns the options of a server that begins with the present state; nothing of it is shared that cannot be. */
  forkOptions(): EmbeddedKubeOptions {
    const {
      data: _data,
      manifests: _manifests,
      controllers: _controllers,
      webhookTransport,
      ...options
    } = this.parts.options;
    return {
      ...options,
      port: false,
      snapshot: this.snapshot(),
      // It is closed with the server that it was given to.
      ...(webhookTransport && {
        webhookTransport: { post: (request) => webhookTransport.post(request), close: () => Promise.resolve() },
      }),
    };
  }
}

class ServerSnapshot implements KubeSnapshot {
  constructor(
    readonly objects: StoreSnapshot,
    readonly identity: ReadonlyMap<string, string>,
  ) {}

  get resourceVersion(): string {
    return String(this.objects.revision);
  }
}

/** @throws TypeError if it was not taken by a server */
export function contentOf(snapshot: KubeSnapshot): ServerSnapshot {
  if (!(snapshot instanceof ServerSnapshot)) throw new TypeError('The snapshot was not taken by `kube.snapshot()`');
  return snapshot;
}
