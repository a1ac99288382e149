import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { administratorOf } from '../../support/clusters/cluster.access.js';
import { customResource, DEFINITIONS, type ClusterUser } from '../../support/clusters/cluster.user.js';
import { eventually, failure } from '../../support/time/eventually.js';
import { buildLibraries, KopfProject, type KopfProcess } from '../../support/programs/kopf.project.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const OPERATOR = `
import { Injectable } from '@nestjs/common';
import { AdmissionError, OnCreate, Validate, type AdmissionContext, type ChangeContext } from 'nestjs-kopf';
import { WORD } from './word.js';

@Injectable()
export class Words {
  readonly greeting = WORD;
}

@Injectable()
export class GreetingOperator {
  constructor(private readonly words: Words) {}

  @OnCreate('kopfexamples.kopf.dev', { id: 'greeting' })
  greet({ name }: ChangeContext) {
    return \`\${this.words.greeting}, \${name}!\`;
  }

  @Validate('kopfexamples.kopf.dev', { persistent: true })
  check({ spec }: AdmissionContext) {
    if (spec.size < 0) throw new AdmissionError('The size is negative.');
  }
}
`;

const word = (text: string): string => `export const WORD: string = '${text}';\n`;

describe.each(['typescript', 'typescript7'])('kopf dev, compiled by %s', (compiler) => {
  const project = new KopfProject(undefined, compiler);
  const kubeconfig = join(project.folder, 'kube', 'config');
  let dev: KopfProcess;
  let pid: number;
  let user: ClusterUser;
  let address: string;

  const example = (name: string, spec: object = {}): object => {
    return { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name }, spec };
  };
  const greetingOf = async (name: string): Promise<unknown> =>
    ((await user.get(`${OBJECTS}/${name}`))?.status as { greeting?: string } | undefined)?.greeting;
  const webhooks = async (): Promise<any[]> =>
    ((await user.get(CONFIGURATIONS)) as any).items.flatMap((each: any) => each.webhooks ?? []);

  beforeAll(async () => {
    await buildLibraries();
    project.write('operator.ts', OPERATOR);
    project.write('word.ts', word('Hello'));
    project.write('crd.yaml', dump(customResource()));
    const files = ['operator.ts', '--apply', 'crd.yaml', '--write-kubeconfig', kubeconfig, '--console'];
    dev = project.start('dev', ...files, '-o', 'json', '--log-format', 'plain');
    await dev.event('serving');
    ({ address } = await dev.event('console'));
    user = await administratorOf(readFileSync(kubeconfig, 'utf8'));
  }, 120_000);

  afterAll(async () => {
    await user?.close();
    await dev?.signal('SIGKILL');
    project.remove();
  });

  it('should run the operator on an API server of its own, with its webhooks', async () => {
    expect(await dev.event('applied')).toMatchObject({ count: 1 });
    expect(await dev.event('started')).toMatchObject({ files: expect.any(Number) });
    await user.create(OBJECTS, example('first'));
    await eventually('the object is handled', async () => (await greetingOf('first')) === 'Hello, first!');
    await eventually('there is a webhook', async () => (await webhooks()).length === 1);
    expect(await webhooks()).toMatchObject([{ failurePolicy: 'Ignore' }]);
    const refused = await failure(user.create(OBJECTS, example('small', { size: -1 })));
    expect(String(refused)).toContain('The size is negative.');
  });

  it('should start the operator anew when a file changes that it has loaded, with its console at the same address', async () => {
    expect((await fetch(address)).status).toBe(200);
    project.write('word.ts', word('Good evening'));
    expect(await dev.event('changed')).toMatchObject({ files: [expect.stringMatching(/word\.ts$/)] });
    await dev.event('started');
    expect((await fetch(address)).status).toBe(200);
    await user.create(OBJECTS, example('second'));
    await eventually('the object is handled', async () => (await greetingOf('second')) === 'Good evening, second!');
  });

  it('should show where a file is wrong, leave no webhook, and go on when it is mended', async () => {
    project.write('word.ts', 'export const WORD = ;\n');
    expect(await dev.event('ended')).toMatchObject({ code: 1 });
    expect(dev.err).toContain('operator.ts cannot be loaded: word.ts:1:21: Expression expected.');
    await eventually('the webhook has gone', async () => (await webhooks()).length === 0);
    project.write('word.ts', word('Hello again'));
    await dev.event('started');
    await user.create(OBJECTS, example('third'));
    await eventually('the object is handled', async () => (await greetingOf('third')) === 'Hello again, third!');
  });

  it('should apply manifests again when they change, and show what is wrong with them', async () => {
    project.write('crd.yaml', 'kind: [');
    expect(await dev.event('failed')).toMatchObject({ error: expect.stringContaining('crd.yaml cannot be read') });
    const definition = customResource() as any;
    project.write(
      'crd.yaml',
      dump({ ...definition, metadata: { ...definition.metadata, labels: { changed: 'yes' } } }),
    );
    ({ pid } = await dev.event('starting'));
    await dev.event('started');
    const { metadata } = (await user.get(`${DEFINITIONS}/kopfexamples.kopf.dev`))!;
    expect(metadata.labels).toEqual({ changed: 'yes' });
  });

  it('should remove the webhooks of an operator that has crashed, and wait for a change', async () => {
    await eventually('there is a webhook', async () => (await webhooks()).length === 1);
    process.kill(pid, 'SIGKILL');
    expect(await dev.event('ended')).toMatchObject({ code: 137 });
    await eventually('the webhook has gone', async () => (await webhooks()).length === 0);
  });

  it('should end well with a signal, and take its kubeconfig along', async () => {
    expect(await dev.signal('SIGINT')).toMatchObject({ code: 0 });
    expect(existsSync(kubeconfig)).toBe(false);
  });
});
