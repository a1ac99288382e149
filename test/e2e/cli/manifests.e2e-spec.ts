import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { loadAll } from 'js-yaml';
import { SystemClock, type KubeObject } from 'nestjs-kopf';
import { createCliBench } from '../../../libs/kopf-cli/src/cli.bench.spec-support.js';
import { runCommandLine } from '../../../libs/kopf-cli/src/command.line.js';
import { COMMANDS } from '../../../libs/kopf-cli/src/commands.js';

/** An operator without imports, as Node.js would find another copy of the library than the tests use. */
const OPERATOR = `
export class PodOperator {
  create() {}
}
const handler = { kind: 'create', decorator: '@OnCreate', selector: ['pods'], options: {} };
Reflect.defineMetadata('nestjs-kopf:handlers', [handler], PodOperator.prototype.create);
`;

const ARGS = ['operator.mjs', '--name', 'pods'];

describe('The commands kopf manifests and kopf verify', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    writeFileSync(join(folder, 'operator.mjs'), OPERATOR);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(...args: readonly string[]) {
    const bench = createCliBench({ folder, clock: new SystemClock() });
    const code = await runCommandLine(args, bench.environment, COMMANDS);
    return { code, out: bench.out, err: bench.err };
  }

  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

  it('should print all files, for people and for programs', async () => {
    const { code, out } = await run('manifests', ...ARGS, '--image', 'example.com/pods:2');
    expect(code).toBe(0);
    expect(loadAll(out).map((object) => (object as KubeObject).kind)).toEqual([
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Deployment',
      'NetworkPolicy',
    ]);
    expect(out).toContain('image: example.com/pods:2');
    const json = await run('manifests', ...ARGS, '--format=kustomize', '-o', 'json');
    expect(Object.keys(JSON.parse(json.out) as object)).toEqual(['rbac.yaml', 'deployment.yaml', 'kustomization.yaml']);
  });

  it('should keep what a person has changed in the files', async () => {
    const args = ['manifests', ...ARGS, '-d', 'k8s'];
    expect((await run(...args)).out).toBe('rbac.yaml: created\ndeployment.yaml: created\n');
    expect((await run(...args)).out).toBe('rbac.yaml: unchanged\ndeployment.yaml: unchanged\n');
    write('k8s/deployment.yaml', read('k8s/deployment.yaml').replace('cpu: 50m', 'cpu: 200m'));
    const merged = await run(...args, '--image', 'pods:2');
    expect(merged).toMatchObject({
      code: 0,
      out: expect.stringContaining('deployment.yaml: updated, and your changes'),
    });
    expect(read('k8s/deployment.yaml')).toContain('image: pods:2');
    expect(read('k8s/deployment.yaml')).toContain('cpu: 200m');
    write('k8s/deployment.yaml', read('k8s/deployment.yaml').replace('image: pods:2', 'image: mine:1'));
    const both = await run(...args, '--image', 'pods:3');
    expect(both).toMatchObject({ code: 1, out: expect.stringContaining('deployment.yaml: you have changed the same') });
    expect(read('k8s/deployment.yaml')).toMatch(/<<<<<<< edited\n +image: mine:1\n=======\n +image: pods:3\n>>>>>>> /);
    mkdirSync(join(folder, 'other'));
    write('other/rbac.yaml', 'mine: true\n');
    const foreign = await run('manifests', ...ARGS, '-d', 'other');
    expect(foreign).toMatchObject({ code: 1, out: expect.stringContaining('rbac.yaml: is there already') });
    expect(read('other/rbac.yaml')).toBe('mine: true\n');
    expect((await run('manifests', ...ARGS, '-d', 'other', '--force')).code).toBe(0);
    expect(read('other/rbac.yaml')).toContain('kind: ClusterRole');
  });

  it('should say which files are stale, and write nothing', async () => {
    const check = ['manifests', ...ARGS, '-d', 'checked', '--check'];
    const missing = await run(...check);
    expect(missing).toMatchObject({ code: 1, out: 'rbac.yaml: is missing\ndeployment.yaml: is missing\n' });
    expect(existsSync(join(folder, 'checked'))).toBe(false);
    await run('manifests', ...ARGS, '-d', 'checked');
    // What a person has changed is no difference.
    write('checked/deployment.yaml', read('checked/deployment.yaml').replace('cpu: 50m', 'cpu: 200m'));
    expect(await run(...check)).toMatchObject({ code: 0, out: 'All files are as they would be generated.\n' });
    const edited = read('checked/deployment.yaml');
    write('checked/.kopf-manifests/crd.yaml', 'old: true\n');
    const stale = await run(...check, '--image', 'pods:2');
    expect(stale.code).toBe(1);
    expect(stale.out.trim().split('\n')).toEqual([
      'deployment.yaml: is stale: it would be generated otherwise now',
      'crd.yaml: would not be generated any more; remove it, and its copy in .kopf-manifests',
    ]);
    expect(read('checked/deployment.yaml')).toBe(edited);
    const json = await run(...check, '-o', 'json');
    expect(JSON.parse(json.out)).toEqual({
      'rbac.yaml': 'current',
      'deployment.yaml': 'current',
      'crd.yaml': 'obsolete',
    });
    for (const args of [['--check'], ['--check', '-d', 'checked', '--force']]) {
      expect(await run('manifests', ...ARGS, ...args)).toMatchObject({ code: 2 });
    }
  });

  it('should load the application as it is in a pod, and only for that time', async () => {
    const text = `const served = process.env.KUBERNETES_SERVICE_HOST ? 'pods' : 'services';\n${OPERATOR.replace("['pods']", '[served]')}`;
    write('pod.mjs', text);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bench = createCliBench({ folder, clock: new SystemClock(), variables: process.env });
    expect(await runCommandLine(['manifests', 'pod.mjs', '--name', 'pods'], bench.environment, COMMANDS)).toBe(0);
    expect(bench.out).toContain('resources: [pods]');
    expect(process.env.KUBERNETES_SERVICE_HOST).toBeUndefined();
  });

  it('should compare files and runs with what is needed, by exit codes and messages', async () => {
    const { out } = await run('manifests', ...ARGS);
    write('roles.yaml', out);
    const right = await run('verify', ...ARGS, '-f', 'roles.yaml');
    expect(right).toEqual({ code: 0, out: 'The operator is allowed what it needs, and nothing else.\n', err: '' });
    write(
      'roles.yaml',
      out.replace('resources: [pods/status]', 'resources: [pods/log]').replace('[list, watch, patch]', "['*']"),
    );
    const wrong = await run('verify', ...ARGS, '-f', 'roles.yaml');
    expect(wrong.code).toBe(1);
    expect(wrong.out.trim().split('\n')).toEqual([
      'missing: No rule permits to patch pods/status, which is needed. To store results in the status: PodOperator.create.',
      'wide: The rule 2 of ClusterRole pods permits to * pods, but it is enough to list, watch, patch pods. To watch and handle objects: PodOperator.create.',
      'superfluous: The rule 3 of ClusterRole pods permits to patch pods/log, but nothing needs it: take it out, or declare it by @Needs().',
    ]);
    const secret = { group: '', resource: 'secrets', verb: 'get', namespace: 'a' };
    write('run.json', JSON.stringify({ used: [secret], refused: [] }));
    const observed = await run('verify', ...ARGS, '--run', 'run.json', '-o', 'json');
    expect(observed.code).toBe(1);
    const findings = JSON.parse(observed.out) as { kind: string }[];
    expect(findings.filter(({ kind }) => kind === 'undeclared')).toEqual([
      { kind: 'undeclared', permissions: [secret], message: expect.stringContaining('declare it by @Needs()') },
    ]);
  });

  it('should know of an account that the operator shares', async () => {
    const { out } = await run('manifests', ...ARGS, '--account', 'shared');
    write('shared.yaml', out);
    expect(out).toContain('serviceAccountName: shared');
    expect(loadAll(out)).not.toContainEqual(expect.objectContaining({ kind: 'ServiceAccount' }));
    expect(await run('verify', ...ARGS, '-f', 'shared.yaml', '--account', 'shared')).toMatchObject({ code: 0 });
    expect(await run('verify', ...ARGS, '-f', 'shared.yaml')).toMatchObject({ code: 1 });
  });

  it('should compare the rights that the account has in the cluster', async () => {
    const kube = await EmbeddedKube.start({ authorization: 'rbac' });
    onTestFinished(() => kube.stop());
    kube.writeKubeconfig(join(folder, 'kubeconfig'));
    const verify = () => run('verify', ...ARGS, '--cluster', '--kubeconfig', join(folder, 'kubeconfig'));
    expect(await verify()).toMatchObject({
      code: 1,
      out: expect.stringContaining('missing: No rule permits to list, watch, patch pods'),
    });
    const { out } = await run('manifests', ...ARGS);
    for (const object of loadAll(out) as KubeObject[]) {
      const { apiVersion = '', kind = '', metadata } = object;
      if (!/Role|Account/.test(kind)) continue;
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      await kube.client.create({ group, plural: `${kind.toLowerCase()}s` }, metadata.namespace, object);
    }
    expect(await verify()).toEqual({
      code: 0,
      out: 'The operator is allowed what it needs, and nothing else.\n',
      err: '',
    });
  });

  it.each([
    [['manifests', 'operator.mjs'], 2, "required option '--name <name>' not specified"],
    [['manifests', 'missing.mjs', '--name', 'a'], 2, 'There is no file missing.mjs.'],
    [['manifests', ...ARGS, '--format', 'xml'], 2, "argument 'xml' is invalid"],
    [['manifests', ...ARGS, '--force'], 2, '--force needs --directory.'],
    [['manifests', ...ARGS, '--crd', 'missing.yaml'], 2, 'There is no file missing.yaml.'],
    [['verify', ...ARGS], 2, 'Name what to compare: --filename, --cluster, or --run.'],
    [['verify', ...ARGS, '--run', 'operator.mjs'], 1, 'operator.mjs cannot be read'],
  ])('should say what is wrong with %j', async (args, code, message) => {
    expect(await run(...args)).toMatchObject({ code, err: expect.stringContaining(message) });
  });
});
