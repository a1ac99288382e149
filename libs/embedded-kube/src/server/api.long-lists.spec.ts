import { Harness } from '../harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const COUNT = 3000;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

let kube: Harness;
beforeAll(async () => {
  kube = await Harness.start();
  const resource = { group: '', plural: 'configmaps' };
  for (let index = 0; index < COUNT; index += 1) {
    const metadata = { name: `m-${String(index).padStart(4, '0')}`, labels: { odd: String(index % 2 === 1) } };
    await kube.kube.client.create(resource, 'default', { metadata, data: { text: `ä${'x'.repeat(200)}` } });
  }
});
afterAll(() => kube.kube.stop());

const read = async (path: string, accept = 'application/json') => {
  const response = await kube.kube.transport().request({ method: 'GET', path, headers: { accept } });
  return { response, body: JSON.parse(await response.text()) };
};

describe('a long list', () => {
  it('should be the same as its pages', async () => {
    const { body } = await read(MAPS);
    const pages: object[] = [];
    let next = '';
    do {
      const page = await read(`${MAPS}?limit=400&continue=${next}`);
      pages.push(...page.body.items);
      next = page.body.metadata.continue ?? '';
    } while (next);
    expect(body).toEqual({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: expect.anything(), items: pages });
    expect(pages.length).toBeGreaterThanOrEqual(COUNT);
    expect(pages[7]).toMatchObject({ data: { text: expect.stringMatching(/^äx/) } });
    expect(pages[7]).not.toHaveProperty('kind');
  });

  it('should show one moment, whatever is written while it is read', async () => {
    const response = await kube.kube.transport().request({ method: 'GET', path: MAPS, headers: {} });
    const chunks = response.chunks()[Symbol.asyncIterator]();
    const parts = [(await chunks.next()).value as Uint8Array];
    const last = `${MAPS}/m-${COUNT - 1}`;
    await kube.patch(last, { data: { text: 'late' } });
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) parts.push(next.value);
    expect(parts.length).toBeGreaterThan(2);
    const { items } = JSON.parse(Buffer.concat(parts).toString());
    expect(items.at(-1)).toMatchObject({ metadata: { name: `m-${COUNT - 1}` }, data: { text: `ä${'x'.repeat(200)}` } });
    expect((await kube.get(last)).body.data.text).toBe('late');
  });

  it('should let others come to their turn between its parts', async () => {
    const response = await kube.kube.transport().request({ method: 'GET', path: MAPS, headers: {} });
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    let parts = 0;
    for await (const _ of response.chunks()) parts += 1;
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(parts - 1);
  });

  it('should come as a table and as metadata, too', async () => {
    const { body: table } = await read(MAPS, TABLE);
    expect(table.columnDefinitions[0].name).toBe('Name');
    expect(table.rows.length).toBeGreaterThanOrEqual(COUNT);
    expect(table.rows[1]).toMatchObject({ object: { kind: 'PartialObjectMetadata' } });
    const { body: partial } = await read(MAPS, METADATA);
    expect(partial.items).toHaveLength(table.rows.length);
    expect(partial).toMatchObject({ kind: 'PartialObjectMetadataList', metadata: table.metadata });
  });

  it.each([
    ['odd%3Dtrue', COUNT / 2],
    ['odd+in+(true,false)', COUNT],
    ['odd!%3Dtrue,odd', COUNT / 2],
    ['odd%3Dnone', 0],
    ['none', 0],
  ])('should be selected by %s', async (selector, count) => {
    const { body } = await read(`${MAPS}?labelSelector=${selector}`);
    expect(body.items).toHaveLength(count);
    const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect(names).toEqual(names.toSorted());
  });

  it('should be sent to a watch before what comes later', async () => {
    const path = `${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    const response = await kube.kube.transport().request({ method: 'GET', path, headers: {} });
    await kube.patch(`${MAPS}/m-0000`, { data: { late: 'yes' } });
    let text = '';
    for await (const chunk of response.chunks()) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"late":"yes"')) break;
    }
    const types = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type as string);
    expect(types.slice(0, COUNT).every((type) => type === 'ADDED')).toBe(true);
    expect(types.slice(-2)).toEqual(['BOOKMARK', 'MODIFIED']);
  });
});
