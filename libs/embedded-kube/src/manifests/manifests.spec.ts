import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from '../embedded-kube.js';
import type { EmbeddedKubeOptions } from '../embedded-kube.options.js';

const WIDGETS = { group: 'example.com', plural: 'widgets' };
const MAPS = { group: '', plural: 'configmaps' };

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
`;
const WIDGET = `# Comments come before, between, and behind documents.
---
apiVersion: example.com/v1
kind: Widget
metadata: { name: a, namespace: team }
spec: { size: 9007199254740993 }
---
# nothing
--- # the rest
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: Namespace, metadata: { name: team } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: settings }, data: { size: "1" } }
`;

describe('manifests', () => {
  let folder: string;
  let kubes: EmbeddedKube[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    kubes = [];
  });
  afterEach(async () => {
    for (const kube of kubes) await kube.stop();
    rmSync(folder, { recursive: true });
  });

  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  async function start(options: EmbeddedKubeOptions): Promise<EmbeddedKube> {
    const kube = await EmbeddedKube.start({ port: false, ...options });
    kubes.push(kube);
    return kube;
  }

  it('should be there from the start on, whatever the order of their files', async () => {
    write('a.yaml', WIDGET);
    write('b.yml', CRD);
    write('c.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'json' } }));
    write('readme.md', 'nothing for the cluster');
    const kube = await start({ manifests: folder });
    expect(kube.client.get(WIDGETS, 'team', 'a')).toMatchObject({ spec: { size: 9007199254740993n } });
    expect(kube.client.get(MAPS, 'default', 'settings')).toMatchObject({ data: { size: '1' } });
    expect(kube.client.get(MAPS, 'default', 'json')).toBeDefined();
  });

  it('should be applied again to a folder with data, and not to a server that begins with a snapshot', async () => {
    const map = (value: string) => `{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { a: ${value} } }`;
    const manifests = write('a.yaml', map('one'));
    const data = join(folder, 'data');
    const first = await start({ manifests, data });
    await first.stop();
    write('a.yaml', map('two'));
    const second = await start({ manifests: [manifests], data });
    expect(second.client.get(MAPS, 'default', 'a')).toMatchObject({ data: { a: 'two' } });
    await second.client.delete(MAPS, 'default', 'a');
    const fork = await second.fork();
    kubes.push(fork);
    expect(fork.client.get(MAPS, 'default', 'a')).toBeUndefined();
  });

  it.each<[string, string, RegExp]>([
    ['is no YAML', 'a: [', /^the manifest .*x\.yaml cannot be read at line 1: yaml: unexpected end/],
    [
      'has a document that is no YAML',
      'kind: ConfigMap\napiVersion: v1\nmetadata: { name: a }\n---\na: 1\nb: "x',
      /^the manifest .*x\.yaml cannot be read at line 6: yaml: found unexpected end of stream$/,
    ],
    [
      'has no name',
      'kind: ConfigMap\napiVersion: v1',
      /^the manifest .*x\.yaml has something without apiVersion, kind, or m.*"ConfigMap"/,
    ],
    [
      'has a kind that there is not',
      WIDGET,
      /^the server has no kind Widget of example\.com\/v1, which .*x\.yaml needs: is its CRD/,
    ],
    [
      'has an object that is not valid',
      '{ apiVersion: v1, kind: ConfigMap, metadata: { name: A_B } }',
      /^the server does not accept the ConfigMap A_B of .*x\.yaml: ConfigMap "A_B" is invalid: metadata\.name/,
    ],
  ])('should fail the start with the name of a file that %s, and leave nothing behind', async (_, text, message) => {
    const manifests = write('x.yaml', text);
    const data = join(folder, 'data');
    await expect(start({ manifests, data })).rejects.toThrow(message);
    await start({ data });
  });

  it('should fail the start if there are none', async () => {
    mkdirSync(join(folder, 'empty'));
    await expect(start({ manifests: join(folder, 'empty') })).rejects.toThrow(/^the folder .*empty has no manifests/);
    await expect(start({ manifests: 'nowhere.yaml' })).rejects.toThrow(
      'the manifests nowhere.yaml cannot be read: no such file or folder',
    );
  });
});
