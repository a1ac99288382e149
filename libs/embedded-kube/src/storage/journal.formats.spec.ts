import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from '../embedded-kube.js';

/**
 * The formats that data folders have been written in. Each has a journal as a release has left it, `recorded-format-N.journal`, with the same
 * content: a later release that writes another format adds its own, and still reads all of these.
 */
const FORMATS = [1];

const MAPS = { group: '', plural: 'configmaps' };
const THINGS = { group: 'example.com', plural: 'things' };

describe.each(FORMATS)('a data folder of format %d', (format) => {
  let data: string;
  let kube: EmbeddedKube;
  const start = async (): Promise<EmbeddedKube> => EmbeddedKube.start({ data, port: false, builtinControllers: false });

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'embedded-kube-'));
    copyFileSync(join(import.meta.dirname, `recorded-format-${format}.journal`), join(data, 'objects.journal'));
    kube = await start();
  });
  afterAll(async () => {
    await kube.stop();
    rmSync(data, { recursive: true });
  });

  it('should have what was there, and nothing that was deleted', () => {
    const settings = kube.client.get(MAPS, 'default', 'settings');
    expect(settings).toMatchObject({
      data: { text: 'ä\n', number: '9007199254740993' },
      metadata: { labels: { app: 'a' } },
    });
    expect(kube.client.get(MAPS, 'default', 'gone')).toBeUndefined();
    const secret = kube.client.get({ group: '', plural: 'secrets' }, 'default', 'hidden');
    expect(secret?.['data']).toEqual({ key: 'AP8=' });
  });

  it('should serve the custom resources that were defined', () => {
    const thing = kube.client.get(THINGS, 'default', 'one');
    expect(thing).toMatchObject({ metadata: { finalizers: ['example.com/keep'] }, spec: { color: 'blue', size: 3 } });
  });

  it('should tell what was deleted to those who watch from a version before', async () => {
    const path = '/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=12';
    const watch = await kube.transport().request({ method: 'GET', path, headers: {}, streaming: true });
    let events = '';
    for await (const chunk of watch.chunks()) {
      events += Buffer.from(chunk).toString();
      if (events.includes('"type":"DELETED"')) break;
    }
    expect(events).toMatch(/^{"type":"ADDED".*"name":"gone"/);
  });

  it('should be read again after changes, whatever format they were written in', async () => {
    const { metadata } = await kube.client.create(MAPS, 'default', { metadata: { name: 'new' } });
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(15);
    await kube.stop();
    kube = await start();
    expect(kube.client.get(THINGS, 'default', 'one')).toBeDefined();
    expect(kube.client.get(MAPS, 'default', 'new')).toBeDefined();
    expect(readFileSync(join(data, 'objects.journal'), 'utf8')).toMatch(/^{"journal":"embedded-kube","format":\d+,/);
  });
});
