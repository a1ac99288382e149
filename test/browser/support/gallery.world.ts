import { Injectable, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EmbeddedKube } from 'embedded-kube';
import { KopfModule, KopfOperator, OnDelete, PRESENT, TemporaryError } from 'nestjs-kopf';
import { KopfConsoleModule, type KopfConsoleOptions } from 'nestjs-kopf-console';
import { GALLERY } from '../../../apps/gallery/src/gallery.js';
import { ClusterUser, customResource, DEFINITIONS } from '../../support/clusters/cluster.user.js';
import { eventually } from '../../support/time/eventually.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

/** The exhibits that go together: each of their handlers has an id of its own. */
const EXHIBITS = ['admission', 'daemons', 'filters', 'hierarchies', 'indexing', 'memos', 'sub-handlers', 'timers'];

@Module({})
class GalleryModule {}

/** Never gets done with the deletion of objects with the label `holds`, as no exhibit does. */
@Injectable()
class HoldingOperator {
  @OnDelete('kopfexamples.kopf.dev', { labels: { holds: PRESENT } })
  waitForBackup() {
    throw new TemporaryError('The backup is not there yet.', { delay: 3600 });
  }
}

/** An API server in this process, and on it the gallery as one application with the console, in real time. */
export class GalleryWorld {
  private constructor(
    readonly kube: EmbeddedKube,
    readonly user: ClusterUser,
    private readonly app: INestApplication,
    /** The address of the console, with a slash at its end. */
    readonly url: string,
  ) {}

  /** Starts both, and waits until the operator is ready; the caller closes them. */
  static async start(console: KopfConsoleOptions = {}): Promise<GalleryWorld> {
    const kube = await EmbeddedKube.start();
    const user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
    const exhibits = EXHIBITS.map((name) => GALLERY[name]);
    const app = await NestFactory.create(
      {
        module: GalleryModule,
        imports: [
          ...exhibits.flatMap(({ imports = [] }) => imports),
          KopfConsoleModule.forRoot({
            history: { keep: 'always' },
            actions: {
              allow: ['retry', 'postpone', 'complete', 'repeat', 'release', 'pause', 'resume', 'memo'],
              authenticate: () => ({ user: 'ada', groups: ['system:masters'] }),
            },
            ...console,
          }),
          KopfModule.forRoot({ credentials: { server: kube.url, transport: kube.transport() } }),
        ],
        providers: [...exhibits.flatMap(({ providers = [] }) => [...providers]), HoldingOperator],
      },
      { logger: false, forceCloseConnections: true },
    );
    await app.listen(0, '127.0.0.1');
    await app.get(KopfOperator).ready();
    const world = new GalleryWorld(kube, user, app, `${await app.getUrl()}/kopf/`);
    await eventually('the webhooks are there', async () => {
      const configuration: any = await user.get(`${CONFIGURATIONS}/validatingwebhookconfigurations/gallery.kopf.dev`);
      return configuration?.webhooks?.length > 0;
    });
    return world;
  }

  /** Creates an object for which all exhibits have something to do. */
  create(name: string, spec: object = {}, metadata: object = {}) {
    const complete = {
      target: 3,
      items: ['network'],
      host: `${name}.example.com`,
      settings: { colour: 'green' },
      ...spec,
    };
    return this.user.create(OBJECTS, {
      apiVersion: 'kopf.dev/v1',
      kind: 'KopfExample',
      metadata: { name, ...metadata },
      spec: complete,
    });
  }

  /** Changes an object. */
  patch(name: string, patch: object) {
    return this.user.patch(`${OBJECTS}/${name}`, patch);
  }

  /** Reads an object; `undefined` if it is gone. */
  get(name: string): Promise<any> {
    return this.user.get(`${OBJECTS}/${name}`);
  }

  delete(name: string) {
    return this.user.delete(`${OBJECTS}/${name}`);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.kube.stop();
  }
}
