import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { administratorOf } from '../../support/clusters/cluster.access.js';
import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually, failure } from '../../support/time/eventually.js';
import { buildLibraries, KopfProject, type KopfProcess } from '../../support/programs/kopf.project.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** An API whose database is a map, with an operator that stores config maps in it. */
const API = `
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { AdmissionError, KopfModule, OnCreate, Validate, type AdmissionContext, type ChangeContext } from 'nestjs-kopf';
import { TITLE } from './title.js';

@Injectable()
class Items {
  readonly names: string[] = [];
}

@Controller('items')
class ItemsController {
  constructor(private readonly items: Items) {}

  @Get()
  list() {
    return { title: TITLE, names: this.items.names };
  }
}

@Injectable()
class ItemsOperator {
  constructor(private readonly items: Items) {}

  @OnCreate('configmaps', { labels: { app: 'items' } })
  store({ name }: ChangeContext) {
    this.items.names.push(name);
  }

  @Validate('configmaps', { labels: { app: 'items' } })
  check({ name }: AdmissionContext) {
    if (name === 'wrong') throw new AdmissionError('The name is wrong.');
  }
}

@Module({ imports: [KopfModule.forRoot()], providers: [Items, ItemsOperator], controllers: [ItemsController] })
export class AppModule {}

export function configure(app: any) {
  app.setGlobalPrefix('api');
}
`;

/** The same without reviews, which need a server of webhooks. */
const PLAIN = API.replace(/\n {2}@Validate[^]*?\n {2}\}\n/, '');

const title = (text: string): string => `export const TITLE: string = '${text}';\n`;

describe('kopf --listen', () => {
  const project = new KopfProject();
  const kubeconfig = join(project.folder, 'kube', 'config');
  let dev: KopfProcess;
  let user: ClusterUser;
  let address: string;

  const map = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'items' } },
  });
  const items = async (at = address): Promise<any> => (await fetch(`${at}/api/items`)).json();

  beforeAll(async () => {
    await buildLibraries();
    project.write('app.module.ts', API);
    project.write('plain.module.ts', PLAIN);
    project.write('title.ts', title('First'));
    dev = project.start('dev', 'app.module.ts', '--listen', '0', '--write-kubeconfig', kubeconfig, '-o', 'json');
    ({ address } = await dev.event('started'));
    user = await administratorOf(readFileSync(kubeconfig, 'utf8'));
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await dev?.signal('SIGKILL');
    project.remove();
  });

  it('should serve the controllers of the application beside its operator, as the file configures it', async () => {
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await items()).toEqual({ title: 'First', names: [] });
    await user.create(MAPS, map('one'));
    await eventually('the item is stored', async () => (await items()).names.includes('one') as boolean);
  });

  it('should call the webhooks of the application', async () => {
    const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await eventually('there is a webhook', async () => ((await user.get(configurations)) as any).items.length === 1);
    expect(String(await failure(user.create(MAPS, map('wrong'))))).toContain('The name is wrong.');
  });

  it('should serve them again when a file has changed', async () => {
    project.write('title.ts', title('Second'));
    await dev.event('changed');
    ({ address } = await dev.event('started'));
    expect((await items()).title).toBe('Second');
  });

  it('should say that they are not served without it', async () => {
    const other = project.start(
      'dev',
      'app.module.ts',
      '--write-kubeconfig',
      join(project.folder, 'other'),
      '-o',
      'json',
    );
    onTestFinished(() => void other.signal('SIGKILL'));
    expect(await other.event('unserved')).toMatchObject({ text: expect.stringContaining('--listen 3000') });
    expect(await other.signal('SIGINT')).toMatchObject({ code: 0 });
  });

  it('should serve them with kopf run, too', async () => {
    const options = ['--listen', '0', '--kubeconfig', kubeconfig, '--log-format', 'plain'];
    const run = project.start('run', 'plain.module.ts', ...options);
    onTestFinished(() => void run.signal('SIGKILL'));
    const line = await run.line(/The application listens at/);
    const [at] = /http:\/\/127\.0\.0\.1:\d+/.exec(line)!;
    // The operator of the other session has handled what is there.
    expect(await items(at)).toEqual({ title: 'Second', names: [] });
    expect(await run.signal('SIGTERM')).toMatchObject({ code: 0 });
  });

  it('should end with the reason if the port is taken', async () => {
    const { port } = new URL(address);
    const { code, err } = await project.run('run', 'plain.module.ts', '--listen', port, '--kubeconfig', kubeconfig);
    expect(code).toBe(1);
    expect(err).toContain(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
  });
});
